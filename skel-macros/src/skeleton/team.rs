//! Calls of stages whose workers serve one item together: `map(8, "match", 2.0)`, `fault_tolerant(3, "vote", 5.0, early)` and
//! `map_with_state(4, "identify", 5.0, state(2.0, 10))`.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::Lit;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::skeleton::TeamWord;

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
        let Ok((arguments, rest)) = self.without_rest(word, arguments) else {
            return StageCall::Broken(place);
        };
        let (workers, worker) = match arguments {
            [_, name] if name.text().is_some() => {
                let help = format!("put the rate behind it: `{}`", word.example());
                return self.error(name.place, "a name alone is not a worker", help);
            }
            [workers, worker] => (workers, self.worker(worker)),
            [name, workers, rate] if name.text().is_some() && workers.text().is_none() => {
                let shown = |argument: &Argument| argument.tokens.to_string();
                let help =
                    format!("write `{}({}, {}, {})`", word.text(), shown(workers), shown(name), shown(rate));
                return self.error(name.place, "the count of workers comes before the name", help);
            }
            [workers, name, rate] => (workers, self.task(Some(name), rate, None, place)),
            [_, _, _, function] if begins_closure(&flat(function.tokens.clone())) => {
                return self.reported(by_name(word, function.place));
            }
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
        if matches!(worker, StageCall::Broken(_)) {
            return StageCall::Broken(place);
        }
        let (early, state) = match rest {
            None => (false, None),
            Some(Rest::Early) => (true, None),
            Some(Rest::State(state)) => (false, Some(state)),
        };
        let workers = workers.clone();
        StageCall::Team(Box::new(TeamCall { word, workers, worker, early, state, place }))
    }

    /// The arguments without what a word takes behind its worker, and that; or an error, which is reported.
    fn without_rest<'a>(
        &mut self,
        word: TeamWord,
        arguments: &'a [Argument],
    ) -> Result<(&'a [Argument], Option<Rest>), ()> {
        let last = arguments.split_last();
        let kind = last.and_then(|(last, _)| rest_word(last));
        let (Some((last, before)), Some(kind)) = (last, kind) else {
            if word != TeamWord::MapWithState {
                return Ok((arguments, None));
            }
            let message = "the map with state does not say how its workers take a state";
            let place = last.map_or(TextSpan::NOWHERE, |(last, _)| last.place);
            let help = format!("write it behind the worker: `{}`", word.example());
            self.error(place, message, help);
            return Err(());
        };
        match (word, kind) {
            (TeamWord::FaultTolerant, RestWord::Early) => Ok((before, Some(Rest::Early))),
            (TeamWord::MapWithState, RestWord::State(inside)) => {
                let inside = self.split(inside);
                let [time, items] = inside.as_slice() else {
                    let message = "a state has a time, and how many items there are for each";
                    self.error(last.place, message, "`state(2.0, 10)`");
                    return Err(());
                };
                let (known, time, items) = (self.time(time), time.clone(), items.clone());
                Ok((before, Some(Rest::State(StateCall { time, known, items }))))
            }
            (_, RestWord::Early) => {
                let message = format!("`{EARLY}` does not belong to a {}", word.noun());
                let help = "it belongs to a `fault_tolerant`, which then passes on a result as soon as the majority have replied";
                self.error(last.place, message, help);
                Err(())
            }
            (_, RestWord::State(_)) => {
                let message = format!("a state does not belong to a {}", word.noun());
                let help = format!("it belongs to a `{}`", TeamWord::MapWithState.example());
                self.error(last.place, message, help);
                Err(())
            }
        }
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

/// A stage whose workers serve an item together has no function as its last argument.
pub(super) fn by_name(word: TeamWord, place: TextSpan) -> Diagnostic<TextSpan> {
    let message = format!("a {} has no function in this form", word.noun());
    let help = "give the skeleton a name, `pipe! { skeleton Images { .. } }`, and its functions behind `Images::new().run()`";
    Diagnostic::new(Code::Syntax, place, message).help(help)
}
