//! Calls of stages whose workers serve one item together: `map(8, "match", 2.0)`,
//! `fault_tolerant(3, "vote", 5.0, early)` and `map_with_state(4, "identify", 5.0, state(2.0, 10))`. A
//! function may follow.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::Lit;

use skel_core::diagnostic::TextSpan;
use skel_core::skeleton::{TeamWord, Value};

use super::parse::{Argument, Reader, StageCall, StateCall, TeamCall, begins_closure, flat};

/// What may stand behind the worker.
enum Rest {
    Early,
    State(StateCall),
}

impl TeamCall {
    /// The call of the constructor; `worker` is the value of the worker, and `number` makes that of a number.
    pub(super) fn value(
        &self,
        skeleton: &TokenStream,
        worker: &TokenStream,
        number: impl Fn(&Argument) -> TokenStream,
    ) -> TokenStream {
        let (word, workers) = (format_ident!("{}", self.word.text()), &self.workers.tokens);
        let early = self.early.then(|| quote!(.early()));
        let state = self.state.as_ref().map(|StateCall { time, items, .. }| {
            let (time, items) = (number(time), number(items));
            quote!(, #skeleton::state(#time, #items))
        });
        quote!(#skeleton::#word(#workers, #worker #state) #early)
    }

    /// The type of the value.
    pub(super) fn type_name(&self) -> Ident {
        format_ident!(
            "{}",
            match self.word {
                TeamWord::Map => "Map",
                TeamWord::FaultTolerant => "FaultTolerant",
                TeamWord::MapWithState => "MapWithState",
            }
        )
    }
}

impl Reader<'_> {
    /// A call of a word, from its arguments.
    pub(super) fn team(&mut self, word: TeamWord, arguments: &[Argument], place: TextSpan) -> StageCall {
        let Ok(Parts { before, rest, function }) = self.parts(word, arguments) else {
            return StageCall::Broken(place);
        };
        let (workers, worker) = match before {
            [_, name] if name.text().is_some() => {
                let help = format!("put the rate behind it: `{}`", word.example());
                return self.error(name.place, "a name alone is not a worker", help);
            }
            [workers, worker] if function.is_some() => (workers, self.task(None, worker, function, place)),
            [workers, worker] => (workers, self.worker(worker)),
            [name, workers, rate] if name.text().is_some() && workers.text().is_none() => {
                let shown = |argument: &Argument| argument.tokens.to_string();
                let help =
                    format!("write `{}({}, {}, {})`", word.text(), shown(workers), shown(name), shown(rate));
                return self.error(name.place, "the count of workers comes before the name", help);
            }
            [workers, name, rate] => (workers, self.task(Some(name), rate, function, place)),
            _ => {
                let message = format!("a {} has a count of workers and the time of one", word.noun());
                return self.error(place, message, format!("`{}`", word.example()));
            }
        };
        if !matches!(workers.literal(), None | Some((_, Lit::Int(_)))) {
            let message = format!("the number of workers of the {} is not a whole number", word.noun());
            return self.error(
                workers.place,
                message,
                format!("the count comes first: `{}`", word.example()),
            );
        }
        let Ok(functions) = self.functions(word, workers, &worker) else {
            return StageCall::Broken(place);
        };
        if matches!(worker, StageCall::Broken(_)) {
            return StageCall::Broken(place);
        }
        let (early, state) = match rest {
            None => (false, None),
            Some(Rest::Early) => (true, None),
            Some(Rest::State(state)) => (false, Some(state)),
        };
        let workers = workers.clone();
        StageCall::Team(Box::new(TeamCall { word, workers, worker, functions, early, state, place }))
    }

    /// The arguments by what they say; or an error, which is reported.
    fn parts<'a>(&mut self, word: TeamWord, arguments: &'a [Argument]) -> Result<Parts<'a>, ()> {
        let found = arguments.iter().enumerate().skip(1);
        let found = found.rev().find_map(|(at, argument)| Some((at, argument, rest_word(argument)?)));
        let Some((at, argument, kind)) = found else {
            if word == TeamWord::MapWithState {
                let message = "the map with state does not say how its workers take a state";
                let place = arguments.last().map_or(TextSpan::NOWHERE, |last| last.place);
                self.error(place, message, format!("write it behind the worker: `{}`", word.example()));
                return Err(());
            }
            let (before, function) = function_behind(arguments);
            return Ok(Parts { before, rest: None, function });
        };
        let rest = Some(self.rest(word, argument, kind)?);
        let (before, behind) = (&arguments[..at], &arguments[at + 1..]);
        if let (before, Some(function)) = function_behind(before)
            && (2..=3).contains(&before.len())
        {
            let help = format!("write it behind the `{}`", argument.tokens);
            self.error(function.place, format!("the function of a {} comes last", word.noun()), help);
            return Err(());
        }
        match behind {
            [] => Ok(Parts { before, rest, function: None }),
            [function] if function.literal().is_none() => {
                Ok(Parts { before, rest, function: Some(function) })
            }
            [.., wrong] => {
                let message = format!("behind `{}` stands the function, and nothing else", argument.tokens);
                self.error(wrong.place, message, format!("`{}`", with_function(word)));
                Err(())
            }
        }
    }

    /// What a word takes behind its worker.
    fn rest(&mut self, word: TeamWord, argument: &Argument, kind: RestWord) -> Result<Rest, ()> {
        match (word, kind) {
            (TeamWord::FaultTolerant, RestWord::Early) => Ok(Rest::Early),
            (TeamWord::MapWithState, RestWord::State(inside)) => {
                let inside = self.split(inside);
                let [time, items] = inside.as_slice() else {
                    let message = "a state has a time, and how many items there are for each";
                    self.error(argument.place, message, "`state(2.0, 10)`");
                    return Err(());
                };
                let (known, time, items) = (self.time(time), time.clone(), items.clone());
                Ok(Rest::State(StateCall { time, known, items }))
            }
            (_, RestWord::Early) => {
                let message = format!("`{EARLY}` does not belong to a {}", word.noun());
                let help = "it belongs to a `fault_tolerant`, which then passes on a result as soon as the majority have replied";
                self.error(argument.place, message, help);
                Err(())
            }
            (_, RestWord::State(_)) => {
                let message = format!("a state does not belong to a {}", word.noun());
                let help = format!("it belongs to a `{}`", TeamWord::MapWithState.example());
                self.error(argument.place, message, help);
                Err(())
            }
        }
    }

    /// The functions of a tuple or an array, if these have to fit the workers; or an error, which is
    /// reported.
    fn functions(
        &mut self,
        word: TeamWord,
        workers: &Argument,
        worker: &StageCall,
    ) -> Result<Option<Vec<Argument>>, ()> {
        let StageCall::Task { function: Some(function), .. } = worker else { return Ok(None) };
        let list = list(function);
        if word != TeamWord::FaultTolerant {
            let Some(_) = list else { return Ok(None) };
            let message = format!("all workers of a {} have the same function", word.noun());
            self.error(function.place, message, format!("`{}`", with_function(word)));
            return Err(());
        }
        if begins_closure(&flat(function.tokens.clone())) {
            let message =
                "the workers of a fault-tolerant stage have a function each, and this is one for all";
            self.error(function.place, message, format!("write a tuple: `{}`", with_function(word)));
            return Err(());
        }
        let Some((delimiter, inside)) = list else { return Ok(None) };
        let functions = self.split(inside);
        let count = functions.len();
        if let Value::Known(workers, _) = workers.count()
            && usize::try_from(workers) != Ok(count)
        {
            let message = format!("{count} functions vote where there are {workers} workers");
            self.error(
                function.place,
                message,
                "each worker has a function of its own: write as many as workers",
            );
            return Err(());
        }
        if delimiter == Delimiter::Bracket {
            return Ok(None);
        }
        if !matches!(count, 3 | 5 | 7 | 9) {
            let message = format!("a tuple of {count} functions cannot vote");
            self.error(
                function.place,
                message,
                "a tuple has 3, 5, 7 or 9 functions; more of them are an array, `[..]`",
            );
            return Err(());
        }
        Ok(Some(functions))
    }
}

/// The arguments of a call by what they say.
struct Parts<'a> {
    /// The count of workers, and their task.
    before: &'a [Argument],
    rest: Option<Rest>,
    function: Option<&'a Argument>,
}

/// The last argument apart if it is a function: a closure, a tuple or an array or, behind a name and a rate,
/// any expression.
fn function_behind(arguments: &[Argument]) -> (&[Argument], Option<&Argument>) {
    match arguments.split_last() {
        Some((last, before)) if before.len() >= 2 && is_function(last, before.len()) => (before, Some(last)),
        _ => (arguments, None),
    }
}

fn is_function(argument: &Argument, before: usize) -> bool {
    let is_evident = begins_closure(&flat(argument.tokens.clone())) || list(argument).is_some();
    is_evident || (before == 3 && argument.literal().is_none())
}

/// What is inside of a tuple or an array.
fn list(argument: &Argument) -> Option<(Delimiter, TokenStream)> {
    let trees = flat(argument.tokens.clone());
    let [TokenTree::Group(group)] = trees.as_slice() else { return None };
    let is_tuple = || group.stream().into_iter().any(|tree| tree.to_string() == ",");
    match group.delimiter() {
        Delimiter::Bracket => Some((Delimiter::Bracket, group.stream())),
        Delimiter::Parenthesis if is_tuple() => Some((Delimiter::Parenthesis, group.stream())),
        _ => None,
    }
}

/// How the stage of a word is written with its function.
pub(super) fn with_function(word: TeamWord) -> &'static str {
    match word {
        TeamWord::Map => "map(3, \"count\", 1.0, |part| ...)",
        TeamWord::FaultTolerant => "fault_tolerant(3, \"vote\", 1.0, (|item| ..., |item| ..., |item| ...))",
        TeamWord::MapWithState => "map_with_state(3, \"find\", 1.0, state(2.0, 10), |part, item| ...)",
    }
}

const EARLY: &str = "early";

/// What an argument behind the worker is by its word.
enum RestWord {
    Early,
    State(TokenStream),
}

fn rest_word(argument: &Argument) -> Option<RestWord> {
    match flat(argument.tokens.clone()).as_slice() {
        [TokenTree::Ident(word)] if word == EARLY => Some(RestWord::Early),
        [TokenTree::Ident(word), TokenTree::Group(group)]
            if word == "state" && group.delimiter() == Delimiter::Parenthesis =>
        {
            Some(RestWord::State(group.stream()))
        }
        _ => None,
    }
}
