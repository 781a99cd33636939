//! From Rust tokens to the parts of a call: stages that are spelled out, and Rust expressions in between.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::Lit;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::rate::Rate;
use skel_core::skeleton::{Replication, TeamWord, Value, Written, WrittenState, WrittenTeam, WrittenTime};

use super::MOST_STAGES;
use super::parameters::Parameters;
use crate::capture::variable_beside;
use crate::lex::Places;

/// An argument that is no stage: a rate, a count or a name.
#[derive(Clone)]
pub(super) struct Argument {
    pub(super) tokens: TokenStream,
    pub(super) place: TextSpan,
}

/// A skeleton as a call spells it out.
#[derive(Clone)]
pub(super) enum StageCall {
    Task {
        name: Option<Argument>,
        /// As it is spelled out: a rate, or a Rust expression of a time.
        rate: Argument,
        /// What of it is known now.
        time: WrittenTime<TextSpan>,
        /// What it does.
        function: Option<Argument>,
        place: TextSpan,
    },
    Pipe {
        stages: Vec<StageCall>,
        place: TextSpan,
    },
    Replicated {
        replication: Replication,
        replicas: Argument,
        worker: Box<StageCall>,
        place: TextSpan,
    },
    /// Workers that serve one item together.
    Team(Box<TeamCall>),
    /// A Rust expression whose value is a skeleton or, as a worker, a rate.
    Rust(Argument),
    /// Something that has been reported.
    Broken(TextSpan),
}

/// A stage whose workers serve one item together, as a call spells it out.
#[derive(Clone)]
pub(super) struct TeamCall {
    pub(super) word: TeamWord,
    pub(super) workers: Argument,
    pub(super) worker: StageCall,
    /// The functions of the workers one by one, where the worker's function is a tuple of them.
    pub(super) functions: Option<Vec<Argument>>,
    /// Whether `early` stands behind the worker.
    pub(super) early: bool,
    /// `state(time, items)` behind the worker.
    pub(super) state: Option<StateCall>,
    pub(super) place: TextSpan,
}

/// `state(time, items)`
#[derive(Clone)]
pub(super) struct StateCall {
    pub(super) time: Argument,
    /// What of the time is known now.
    pub(super) known: WrittenTime<TextSpan>,
    pub(super) items: Argument,
}

impl StageCall {
    /// What the check of skeletons reads.
    pub(super) fn written(&self) -> Written<TextSpan> {
        match self {
            StageCall::Task { name, time, place, .. } => {
                Written::Task { name: name.as_ref().map(Argument::name), time: time.clone(), span: *place }
            }
            StageCall::Pipe { stages, place } => {
                Written::Pipe { stages: stages.iter().map(StageCall::written).collect(), span: *place }
            }
            StageCall::Replicated { replication, replicas, worker, place } => Written::Replicated {
                replication: *replication,
                replicas: replicas.count(),
                worker: Box::new(worker.written()),
                span: *place,
            },
            StageCall::Team(team) => Written::Team(Box::new(team.written())),
            StageCall::Rust(argument) => Written::FromRust(argument.place),
            StageCall::Broken(place) => Written::FromRust(*place),
        }
    }

    /// Whether a part is a Rust expression, so that only the compiler knows its type.
    pub(super) fn has_rust(&self) -> bool {
        match self {
            StageCall::Task { .. } | StageCall::Broken(_) => false,
            StageCall::Pipe { stages, .. } => stages.iter().any(StageCall::has_rust),
            StageCall::Replicated { worker, .. } => worker.has_rust(),
            StageCall::Team(team) => team.worker.has_rust(),
            StageCall::Rust(_) => true,
        }
    }
}

impl TeamCall {
    /// What the check of skeletons reads.
    pub(super) fn written(&self) -> WrittenTeam<TextSpan> {
        let state = self.state.as_ref().map(|state| WrittenState {
            time: state.known.clone(),
            items: match state.items.known_number() {
                Some(items) => Value::Known(items, state.items.place),
                None => Value::FromRust(state.items.place),
            },
        });
        WrittenTeam {
            word: self.word,
            workers: self.workers.count(),
            worker: self.worker.written(),
            early: self.early,
            state,
            span: self.place,
        }
    }
}

impl Argument {
    /// The literal that the argument is, and whether a minus stands before it.
    pub(super) fn literal(&self) -> Option<(bool, Lit)> {
        let mut trees: Vec<TokenTree> = flat(self.tokens.clone());
        let is_negative = matches!(trees.first(), Some(TokenTree::Punct(punct)) if punct.as_char() == '-');
        if is_negative {
            trees.remove(0);
        }
        match trees.as_slice() {
            [TokenTree::Literal(literal)] => Some((is_negative, Lit::new(literal.clone()))),
            _ => None,
        }
    }

    /// The exact text of a number, without underscores and suffix.
    pub(super) fn number(&self) -> Option<String> {
        let (is_negative, literal) = self.literal()?;
        let digits = match &literal {
            Lit::Int(whole) => whole.base10_digits().to_owned(),
            Lit::Float(float) => float.base10_digits().to_owned(),
            _ => return None,
        };
        Some(if is_negative { format!("-{digits}") } else { digits })
    }

    /// The float that a constant such as `f64::INFINITY` stands for, if it is no rate.
    fn no_rate(&self) -> Option<f64> {
        let trees = flat(self.tokens.clone());
        let (last, path) = trees.split_last()?;
        let is_path = path.iter().all(|tree| matches!(tree, TokenTree::Ident(_)) || tree.to_string() == ":");
        match last.to_string().as_str() {
            "INFINITY" if is_path => Some(f64::INFINITY),
            "NEG_INFINITY" if is_path => Some(f64::NEG_INFINITY),
            "NAN" if is_path => Some(f64::NAN),
            _ => None,
        }
    }

    pub(super) fn rate(&self) -> Value<Rate, TextSpan> {
        match self.known_number() {
            Some(rate) => Value::Known(rate, self.place),
            None => Value::FromRust(self.place),
        }
    }

    /// The number that is spelled out, by a literal or by a constant that is none.
    pub(super) fn known_number(&self) -> Option<Rate> {
        match self.no_rate() {
            Some(value) => Some(value.into()),
            None => Rate::parse(&self.number()?).ok(),
        }
    }

    pub(super) fn count(&self) -> Value<i128, TextSpan> {
        match self.number().and_then(|number| number.parse().ok()) {
            Some(count) => Value::Known(count, self.place),
            None => Value::FromRust(self.place),
        }
    }

    fn name(&self) -> Value<String, TextSpan> {
        match self.text() {
            Some(name) => Value::Known(name, self.place),
            None => Value::FromRust(self.place),
        }
    }

    /// Whether it begins as a closure does.
    fn is_closure(&self) -> bool {
        begins_closure(&flat(self.tokens.clone()))
    }

    /// The text of a string literal.
    pub(super) fn text(&self) -> Option<String> {
        match self.literal()? {
            (false, Lit::Str(text)) => Some(text.value()),
            _ => None,
        }
    }
}

/// The tokens without the invisible brackets that a `macro_rules!` fragment brings.
pub(super) fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let one = |tree| match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => flat(group.stream()),
        tree => vec![tree],
    };
    tokens.into_iter().flat_map(one).collect()
}

/// Reads calls and collects what is wrong with them.
pub(super) struct Reader<'p> {
    pub(super) places: &'p mut Places,
    pub(super) diagnostics: Vec<Diagnostic<TextSpan>>,
    pub(super) parameters: &'p Parameters,
}

impl Reader<'_> {
    /// What the call of one of the four words says.
    pub(super) fn call(&mut self, word: &str, arguments: TokenStream, at: Span) -> StageCall {
        let place = self.places.add(at);
        let arguments = self.split(arguments);
        if let Some(word) = TeamWord::from_text(word) {
            return self.team(word, &arguments, place);
        }
        match (word, arguments.as_slice()) {
            ("pipe", stages) => {
                let stages: Vec<StageCall> = stages.iter().map(|stage| self.stage(stage)).collect();
                if stages.len() > MOST_STAGES {
                    let message = format!("the pipe has {} stages, more than {MOST_STAGES}", stages.len());
                    let help = "put some into a `pipe(...)` of their own: it is the same program";
                    return self.error(place, message, help);
                }
                StageCall::Pipe { stages, place }
            }
            ("task", [rate]) => self.task(None, rate, None, place),
            ("task", [rate, function]) if function.is_closure() => {
                self.task(None, rate, Some(function), place)
            }
            ("task", [name, rate]) => self.task(Some(name), rate, None, place),
            ("task", [name, rate, function]) if function.literal().is_none() => {
                self.task(Some(name), rate, Some(function), place)
            }
            ("task", _) => {
                let help = "`task(1.0)` or `task(\"name\", 1.0)`";
                self.error(place, "a task has a rate, and may have a name before it", help)
            }
            (_, [replicas, worker]) => {
                let worker = self.worker(worker);
                self.replicated(word, replicas, worker, place)
            }
            (_, [name, replicas, rate]) if name.text().is_some() && replicas.text().is_none() => {
                let shown = |argument: &Argument| argument.tokens.to_string();
                let help = format!("write `{word}({}, {}, {})`", shown(replicas), shown(name), shown(rate));
                self.error(name.place, "the count of replicas comes before the name", help)
            }
            (_, [replicas, rate, function]) if function.is_closure() => {
                let worker = self.task(None, rate, Some(function), place);
                self.replicated(word, replicas, worker, place)
            }
            (_, [replicas, name, rate]) => {
                let worker = self.task(Some(name), rate, None, place);
                self.replicated(word, replicas, worker, place)
            }
            (_, [replicas, name, rate, function]) if function.literal().is_none() => {
                let worker = self.task(Some(name), rate, Some(function), place);
                self.replicated(word, replicas, worker, place)
            }
            _ => {
                let help = format!("`{word}(3, 1.0)`, `{word}(3, \"name\", 1.0)` or `{word}(3, pipe(...))`");
                self.error(place, format!("a {word} has a count of replicas and a worker"), help)
            }
        }
    }

    pub(super) fn error(
        &mut self,
        place: TextSpan,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> StageCall {
        self.reported(Diagnostic::new(Code::Syntax, place, message).help(help))
    }

    /// What stands for a call that has been reported.
    pub(super) fn reported(&mut self, diagnostic: Diagnostic<TextSpan>) -> StageCall {
        let place = diagnostic.span;
        self.diagnostics.push(diagnostic);
        StageCall::Broken(place)
    }

    pub(super) fn task(
        &mut self,
        name: Option<&Argument>,
        rate: &Argument,
        function: Option<&Argument>,
        place: TextSpan,
    ) -> StageCall {
        const HELP: &str = "`task(\"name\", 1.0)`";
        let misplaced_name = matches!(rate.literal(), Some((_, Lit::Str(_))));
        let misplaced_rate = name.filter(|name| name.number().is_some());
        if let Some(number) = misplaced_rate {
            let help = match rate.literal() {
                Some(_) => HELP.to_owned(),
                None => format!(
                    "{HELP}, or `task(\"name\", {}, {})` if that is its function",
                    number.tokens, rate.tokens
                ),
            };
            self.error(number.place, "a number stands where the name of the task belongs", help);
        }
        if misplaced_name {
            self.error(rate.place, "a name stands where the rate of the task belongs", HELP);
        }
        if misplaced_name || misplaced_rate.is_some() {
            return StageCall::Broken(place);
        }
        let (name, function) = (name.cloned(), function.cloned());
        StageCall::Task { name, time: self.time(rate), rate: rate.clone(), function, place }
    }

    fn replicated(
        &mut self,
        word: &str,
        replicas: &Argument,
        worker: StageCall,
        place: TextSpan,
    ) -> StageCall {
        if !matches!(replicas.literal(), None | Some((_, Lit::Int(_)))) {
            let help = format!("the count comes first: `{word}(3, 1.0)`");
            let message = format!("the number of replicas of the {word} is not a whole number");
            return self.error(replicas.place, message, help);
        }
        let replication = if word == "farm" { Replication::Farm } else { Replication::Deal };
        StageCall::Replicated { replication, replicas: replicas.clone(), worker: Box::new(worker), place }
    }

    /// A stage: spelled out, or a Rust expression.
    fn stage(&mut self, argument: &Argument) -> StageCall {
        let trees = flat(argument.tokens.clone());
        if let [TokenTree::Ident(word), TokenTree::Group(group)] = trees.as_slice()
            && is_call(word, group)
        {
            return self.call(&word.to_string(), group.stream(), word.span());
        }
        if let [TokenTree::Ident(word), TokenTree::Group(group)] = trees.as_slice()
            && group.delimiter() == Delimiter::Parenthesis
            && let Some(kind) = misspelt_case(word)
        {
            let place = self.places.add(word.span());
            let noun = TeamWord::from_text(kind).map_or(kind, TeamWord::noun);
            let message = format!("`{word}` is the type of a {noun}");
            self.error(place, message, format!("a stage is written in lower case: `{kind}(...)`"));
            return self.call(kind, group.stream(), word.span());
        }
        if let [
            TokenTree::Ident(word),
            TokenTree::Group(group),
            TokenTree::Ident(next),
            TokenTree::Group(more),
            ..,
        ] = trees.as_slice()
            && is_call(word, group)
            && is_call(next, more)
        {
            let message = format!("a `,` is missing before this `{next}`");
            let place = self.places.add(next.span());
            return self.error(place, message, format!("`{word}(...), {next}(...)`"));
        }
        if argument.number().is_some() {
            return self.error(
                argument.place,
                "a number is not a stage",
                "a task with that rate is `task(1.0)`",
            );
        }
        StageCall::Rust(argument.clone())
    }

    pub(super) fn worker(&mut self, argument: &Argument) -> StageCall {
        if argument.number().is_some()
            || argument.no_rate().is_some()
            || argument.distribution().is_some()
            || self.is_parameter(argument)
        {
            let (place, time) = (argument.place, self.time(argument));
            return StageCall::Task { name: None, rate: argument.clone(), time, function: None, place };
        }
        if argument.text().is_some() {
            let help = "put the rate behind it: `farm(3, \"name\", 1.0)`";
            return self.error(argument.place, "a name alone is not a worker", help);
        }
        self.stage(argument)
    }

    /// Whether an argument is a parameter of the item. As a worker that is a rate: an item's structure is
    /// spelled out.
    fn is_parameter(&self, argument: &Argument) -> bool {
        match flat(argument.tokens.clone()).as_slice() {
            [TokenTree::Ident(name)] => self.parameters.has(name),
            _ => false,
        }
    }

    /// In an item the structure has to be spelled out, since it is the type of a field, and variables of the
    /// function around it cannot be used.
    pub(super) fn refuse_rust(&mut self, call: &StageCall, item: &Ident) {
        match call {
            StageCall::Broken(_) => {}
            StageCall::Task { name, rate, function, .. } => {
                if let Some(function) = function {
                    let help = format!(
                        "leave it out here, and give the task its function behind `{item}::new().run()`, by its name"
                    );
                    self.error(function.place, format!("a task of the item `{item}` has a function"), help);
                }
                name.iter().for_each(|name| self.refuse_variable(name, item, "&str"));
                self.refuse_variable(rate, item, "f64");
            }
            StageCall::Pipe { stages, .. } => stages.iter().for_each(|stage| self.refuse_rust(stage, item)),
            StageCall::Replicated { replicas, worker, .. } => {
                self.refuse_variable(replicas, item, "usize");
                self.refuse_rust(worker, item);
            }
            StageCall::Team(team) => {
                self.refuse_variable(&team.workers, item, "usize");
                self.refuse_rust(&team.worker, item);
                if let Some(state) = &team.state {
                    self.refuse_variable(&state.time, item, "f64");
                    self.refuse_variable(&state.items, item, "f64");
                }
            }
            StageCall::Rust(argument) => {
                let help = "write `task(...)`, `pipe(...)`, `deal(...)`, `farm(...)` or `map(...)`; their rates and counts may \
                            be any expression";
                self.error(argument.place, "a stage of an item has to be spelled out", help);
            }
        }
    }

    fn refuse_variable(&mut self, argument: &Argument, item: &Ident, kind: &str) {
        let Some(variable) = variable_beside(&argument.tokens, &|name| {
            self.parameters.is_unread() || self.parameters.has(name)
        }) else {
            return;
        };
        let message = format!("the item `{item}` cannot use the variable `{variable}`");
        let help = format!(
            "make it a parameter, `skeleton {item}({variable}: {kind})`, and give it to `{item}::new({variable})`; or leave \
             `skeleton {item}` out, for a skeleton that is an expression"
        );
        self.error(argument.place, message, help);
    }

    /// The arguments between commas. A comma between the angle brackets of `path::<A, B>` separates none, and
    /// neither does one in the head of a closure.
    pub(super) fn split(&mut self, tokens: TokenStream) -> Vec<Argument> {
        let mut arguments = Vec::new();
        let mut trees: Vec<TokenTree> = Vec::new();
        let mut colons = 0;
        let mut angles = 0_usize;
        for tree in flat(tokens) {
            let symbol = match &tree {
                TokenTree::Punct(punct) => punct.as_char(),
                _ => ' ',
            };
            match symbol {
                ',' if angles == 0 && !is_within_bars(&trees) => {
                    if trees.is_empty() {
                        let place = self.places.add(tree.span());
                        self.error(place, "an argument is missing before this `,`", "leave the `,` out");
                    }
                    self.finish(&mut trees, &mut arguments);
                    colons = 0;
                    continue;
                }
                '<' if colons == 2 || angles > 0 || is_closure_head(&trees) => angles += 1,
                '>' if !trees.last().is_some_and(|last| is_symbol(last, '-')) => {
                    angles = angles.saturating_sub(1);
                }
                _ => {}
            }
            colons = if symbol == ':' { colons + 1 } else { 0 };
            trees.push(tree);
        }
        self.finish(&mut trees, &mut arguments);
        arguments
    }

    fn finish(&mut self, trees: &mut Vec<TokenTree>, arguments: &mut Vec<Argument>) {
        let (Some(first), Some(last)) = (trees.first(), trees.last()) else { return };
        let (first, last) = (self.places.add(first.span()), self.places.add(last.span()));
        let place = TextSpan { start: first.start, end: last.end };
        arguments.push(Argument { tokens: trees.drain(..).collect(), place });
    }
}

/// Whether tokens begin as a closure does.
pub(super) fn begins_closure(trees: &[TokenTree]) -> bool {
    match trees {
        [TokenTree::Ident(word), bar, ..] if word == "move" => is_symbol(bar, '|'),
        _ => trees.first().is_some_and(|first| is_symbol(first, '|')),
    }
}

/// Whether tokens end within the head of a closure, `|picture: Map<K, V>| -> Map<K, V>`: there angle brackets
/// are those of types.
fn is_closure_head(trees: &[TokenTree]) -> bool {
    let is_body =
        |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    is_within_bars(trees) || (returns(trees) && !trees.iter().any(is_body))
}

/// Whether tokens end between the bars of a closure.
fn is_within_bars(trees: &[TokenTree]) -> bool {
    begins_closure(trees) && closing_bar(trees).is_none()
}

/// Whether tokens are a closure with the type that it returns.
fn returns(trees: &[TokenTree]) -> bool {
    let close = if begins_closure(trees) { closing_bar(trees) } else { None };
    close.is_some_and(|close| trees.get(close + 1).is_some_and(|tree| is_symbol(tree, '-')))
}

fn closing_bar(trees: &[TokenTree]) -> Option<usize> {
    let mut bars = (0..trees.len()).filter(|&place| is_symbol(&trees[place], '|'));
    bars.nth(1)
}

fn is_symbol(tree: &TokenTree, symbol: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == symbol)
}

/// The words that stages are spelled out with.
const WORDS: [&str; 7] = ["task", "pipe", "deal", "farm", "map", "fault_tolerant", "map_with_state"];

/// The word that is meant by `Farm`.
fn misspelt_case(word: &Ident) -> Option<&'static str> {
    let word = word.to_string();
    let is_meant = |kind: &&str| word.eq_ignore_ascii_case(&kind.replace('_', ""));
    WORDS.into_iter().find(|kind| word.starts_with(char::is_uppercase) && is_meant(kind))
}

/// Whether a word and what follows spell out a stage.
fn is_call(word: &Ident, group: &Group) -> bool {
    let is_stage = WORDS.iter().any(|kind| word == kind);
    is_stage && group.delimiter() == Delimiter::Parenthesis
}
