//! Which names are defined, and whether each is a rate or a process.

use std::collections::HashMap;

use super::findings::Findings;
use crate::diagnostic::{Code, Diagnostic, Span, did_you_mean};
use crate::syntax::ast::{Ast, At, Body, Expression, Name, Process};
use crate::syntax::outline::{self, Outline};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// The rate with this number.
    Rate(usize),
    /// The process with this number.
    Process(usize),
}

/// What is known of a name that the text has somewhere.
#[derive(Clone, Copy)]
enum Meaning {
    /// It has no definition.
    Undefined,
    /// Its definition was refused, or could not be read, so that its uses need no report.
    Refused,
    /// The rate with this number.
    Rate(u32),
    /// The process with this number.
    Process(u32),
}

/// The body of a rate definition.
#[derive(Clone, Copy)]
pub(super) enum RateBody<'a, S> {
    Expression(&'a Expression<S>),
    /// Names joined by `+` that turned out to be rates.
    Names(&'a Process<S>),
}

pub(super) struct RateDefinition<'a, S> {
    pub(super) name: DefinedName<'a, S>,
    pub(super) body: RateBody<'a, S>,
}

/// The name of a definition.
#[derive(Clone, Copy)]
pub(super) struct DefinedName<'a, S> {
    pub(super) text: &'a str,
    pub(super) at: At<S>,
}

/// The body of the definition of a process.
#[derive(Clone, Copy)]
pub(super) enum ProcessBody<'a, S> {
    Tree(&'a Process<S>),
    /// Activities that lead to constants, kept in the outline from this word on.
    Code(u32),
}

pub(super) struct ProcessDefinition<'a, S> {
    /// Its number among the definitions of the outline.
    definition: u32,
    /// The body as a tree, unless it has nothing but activities that lead to constants.
    pub(super) tree: Option<&'a Process<S>>,
}

/// The definitions, by kind.
pub(super) struct Names<'a, S> {
    /// The definitions that are kept as numbers.
    pub(super) outline: &'a Outline<'a, S>,
    /// What each name of the outline stands for.
    meanings: Vec<Meaning>,
    /// Those that could not be read: what a misspelt name may have been meant for.
    unread: &'a [String],
    pub(super) rates: Vec<RateDefinition<'a, S>>,
    pub(super) processes: Vec<ProcessDefinition<'a, S>>,
    /// The names that sizes are made of, each with a place where it is used so.
    pub(super) sizes: HashMap<&'a str, S>,
}

impl<'a, S: Span> Names<'a, S> {
    pub(super) fn get(&self, name: &str) -> Option<Symbol> {
        self.outline.names.find(name).and_then(|number| self.numbered(number))
    }

    /// What the name of this number stands for.
    pub(super) fn numbered(&self, number: u32) -> Option<Symbol> {
        match self.meanings[number as usize] {
            Meaning::Rate(id) => Some(Symbol::Rate(id as usize)),
            Meaning::Process(id) => Some(Symbol::Process(id as usize)),
            Meaning::Undefined | Meaning::Refused => None,
        }
    }

    /// Whether the definition of a name was refused or could not be read.
    fn is_refused(&self, name: &str) -> bool {
        let number = self.outline.names.find(name);
        number.is_some_and(|number| matches!(self.meanings[number as usize], Meaning::Refused))
    }

    /// The name of a process.
    pub(super) fn process_name(&self, id: usize) -> DefinedName<'a, S> {
        defined_name(self.outline, self.processes[id].definition)
    }

    /// The body of the definition of a process.
    pub(super) fn body(&self, id: usize) -> ProcessBody<'a, S> {
        let ProcessDefinition { definition, tree } = &self.processes[id];
        match (tree, self.outline.definitions[*definition as usize].kept) {
            (Some(tree), _) => ProcessBody::Tree(tree),
            (None, outline::Kept::Code(code) | outline::Kept::Tree(code)) => ProcessBody::Code(code),
        }
    }

    /// Calls `visit` with every process that the definition of one names, guarded or not.
    pub(super) fn for_each_used(&self, id: usize, visit: &mut impl FnMut(usize)) {
        let mut found = |symbol: Option<Symbol>| {
            if let Some(Symbol::Process(used)) = symbol {
                visit(used);
            }
        };
        match self.body(id) {
            ProcessBody::Tree(body) => body.for_each_constant(&mut |name| found(self.get(&name.text))),
            ProcessBody::Code(start) => {
                self.outline.operands(start).for_each(|operand| found(self.numbered(operand.constant)));
            }
        }
    }

    /// The process of a name, or `None` after a report that there is none.
    pub(super) fn process(&self, name: &Name<S>, findings: &mut Findings<'_, S>) -> Option<usize> {
        match self.get(&name.text) {
            None if self.is_refused(&name.text) => None,
            Some(Symbol::Process(id)) => Some(id),
            Some(Symbol::Rate(id)) => {
                findings.push_once(name, || {
                    let message = format!("`{}` is a rate, but a process is needed here", name.text);
                    Diagnostic::new(Code::WrongKind, name.at.0, message)
                        .related(self.rates[id].name.at.0, "the rate")
                        .help("write a process: a name, or an activity `(action, rate).P`")
                });
                None
            }
            None => {
                findings.push_once(name, || {
                    let message = format!("the process `{}` is not defined", name.text);
                    let candidates = (0..self.processes.len()).map(|id| self.process_name(id).text);
                    let candidates = candidates.chain(self.unread.iter().map(String::as_str));
                    let help = match did_you_mean(&name.text, candidates) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None if is_reserved(&name.text) => {
                            format!("`{}` cannot name a process: choose another name", name.text)
                        }
                        None => format!("define it: `{name} = (action, rate).{name};`"),
                    };
                    Diagnostic::new(Code::UndefinedProcess, name.at.0, message).help(help)
                });
                None
            }
        }
    }

    /// The number of a name that a size is made of, or `None` after a report that there is none.
    pub(super) fn size(&self, name: &Name<S>, findings: &mut Findings<'_, S>) -> Option<usize> {
        match self.get(&name.text) {
            None if self.is_refused(&name.text) => None,
            Some(Symbol::Rate(id)) => Some(id),
            Some(Symbol::Process(id)) => {
                findings.push_once(name, || {
                    let message = format!("`{}` is a process, but a size is needed here", name.text);
                    Diagnostic::new(Code::WrongKind, name.at.0, message)
                        .related(self.process_name(id).at.0, "the process")
                        .help("write a number of copies, or the name of one: `n = 10;`")
                });
                None
            }
            None => {
                findings.push_once(name, || {
                    let message = format!("the size `{}` is not defined", name.text);
                    let candidates = self.rates.iter().map(|rate| rate.name.text);
                    let candidates = candidates.chain(self.unread.iter().map(String::as_str));
                    let help = match did_you_mean(&name.text, candidates) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("define it before the system equation: `{name} = 10;`"),
                    };
                    Diagnostic::new(Code::UndefinedSize, name.at.0, message).help(help)
                });
                None
            }
        }
    }

    /// Whether this name of a rate is also one that a size is made of.
    pub(super) fn is_size(&self, name: &str) -> bool {
        self.sizes.contains_key(name)
    }

    /// The rate of a name, or `None` after a report that there is none.
    pub(super) fn rate(&self, name: &Name<S>, findings: &mut Findings<'_, S>) -> Option<usize> {
        match self.get(&name.text) {
            None if self.is_refused(&name.text) => None,
            Some(Symbol::Rate(id)) => Some(id),
            Some(Symbol::Process(id)) => {
                findings.push_once(name, || {
                    let message = format!("`{}` is a process, but a rate is needed here", name.text);
                    Diagnostic::new(Code::WrongKind, name.at.0, message)
                        .related(self.process_name(id).at.0, "the process")
                        .help("write a rate: a number, a named rate or `infty`")
                });
                None
            }
            None => {
                findings.push_once(name, || {
                    let message = format!("the rate `{}` is not defined", name.text);
                    let help = match self.instead_of_rate(name) {
                        Some(help) => help,
                        None => format!("define it before the system equation: `{name} = 1.0;`"),
                    };
                    Diagnostic::new(Code::UndefinedRate, name.at.0, message).help(help)
                });
                None
            }
        }
    }
}

impl<S> Names<'_, S> {
    /// What was probably meant by a name that is no rate: a rate of a similar name, or the passive rate.
    fn instead_of_rate(&self, name: &Name<S>) -> Option<String> {
        const PASSIVE: [&str; 5] = ["inf", "infinity", "infty", "top", "passive"];
        let candidates = self.rates.iter().map(|rate| rate.name.text);
        let candidates = candidates.chain(self.unread.iter().map(String::as_str));
        if name.is_quoted && (name.text == "infty" || name.text == "T") {
            return Some(format!("without its quotes, `{}` is the passive rate", name.text));
        }
        if name.text.eq_ignore_ascii_case("nan") {
            return Some("a rate is a finite number of events per unit of time, above 0".into());
        }
        if PASSIVE.iter().any(|word| name.text.eq_ignore_ascii_case(word)) {
            return Some("did you mean `infty`, the passive rate?".into());
        }
        match did_you_mean(&name.text, candidates.chain(["infty"]))? {
            "infty" => Some("did you mean `infty`, the passive rate?".into()),
            near => Some(format!("did you mean `{near}`?")),
        }
    }
}

/// Whether a name has a meaning of its own, so that nothing can be called by it.
fn is_reserved(name: &str) -> bool {
    matches!(name, "infty" | "tau")
}

/// Two definitions of one name.
fn duplicate<S: Span>(earlier: &Kept<'_, S>, later: &Kept<'_, S>, outline: &Outline<'_, S>) -> Diagnostic<S> {
    let is_certain = |kept: &Kept<'_, S>, is_rate: bool| match kept.body {
        Some(Body::Rate(_)) => is_rate,
        Some(Body::Process(_)) | None => !is_rate,
        Some(Body::Undecided(_)) => false,
    };
    let differ = |one: &Kept<'_, S>, other: &Kept<'_, S>| is_certain(one, true) && is_certain(other, false);
    let help = match differ(earlier, later) || differ(later, earlier) {
        true => "give one of the two another name: a rate and a process may not share one",
        false => "remove one of the two, or give it another name",
    };
    let (first, name) = (defined_name(outline, earlier.definition), defined_name(outline, later.definition));
    Diagnostic::new(Code::DuplicateDefinition, name.at.0, format!("`{}` is defined twice", name.text))
        .related(first.at.0, "first defined here")
        .help(help)
}

/// A definition that counts.
struct Kept<'a, S> {
    /// Its number among the definitions of the outline.
    definition: u32,
    /// Its tree, unless the outline has it as numbers.
    body: Option<&'a Body<S>>,
}

/// The name of a definition of the outline.
fn defined_name<'a, S: Copy>(outline: &Outline<'a, S>, definition: u32) -> DefinedName<'a, S> {
    let definition = outline.definitions[definition as usize];
    DefinedName { text: outline.names.list[definition.name as usize], at: At(definition.at) }
}

/// Collects the definitions and tells rates from processes.
pub(super) fn collect<'a, S: Span>(
    ast: &'a Ast<S>,
    outline: &'a Outline<'a, S>,
    findings: &mut Findings<'_, S>,
) -> Names<'a, S> {
    let mut meanings = vec![Meaning::Undefined; outline.names.list.len()];
    for unread in &ast.unread {
        if let Some(number) = outline.names.find(unread) {
            meanings[number as usize] = Meaning::Refused;
        }
    }
    let kept = definitions(ast, outline, &mut meanings, findings);
    let sizes = ast.sizes();
    let kinds = tell_apart(&kept, outline, &meanings, &sizes);
    let mut names = Names {
        outline,
        sizes,
        meanings,
        unread: &ast.unread,
        rates: Vec::new(),
        processes: Vec::with_capacity(kept.len()),
    };
    for (definition, kind) in kept.iter().zip(kinds) {
        let number = outline.definitions[definition.definition as usize].name as usize;
        let rate_body = match definition.body {
            Some(Body::Rate(expression)) => RateBody::Expression(expression),
            Some(Body::Undecided(names)) if kind == Some(Kind::Rate) => RateBody::Names(names),
            Some(Body::Undecided(_)) if kind.is_none() => {
                names.meanings[number] = Meaning::Refused;
                continue;
            }
            body => {
                let tree = match body {
                    Some(Body::Undecided(body) | Body::Process(body)) => Some(body),
                    _ => None,
                };
                names.meanings[number] = Meaning::Process(names.processes.len() as u32);
                names.processes.push(ProcessDefinition { definition: definition.definition, tree });
                continue;
            }
        };
        names.meanings[number] = Meaning::Rate(names.rates.len() as u32);
        let name = defined_name(outline, definition.definition);
        names.rates.push(RateDefinition { name, body: rate_body });
    }
    names
}

/// The definitions that count: not those of reserved names, and the first of each name. Until more is known,
/// a name that has one means the process of the definition's number.
fn definitions<'a, S: Span>(
    ast: &'a Ast<S>,
    outline: &'a Outline<'a, S>,
    meanings: &mut [Meaning],
    findings: &mut Findings<'_, S>,
) -> Vec<Kept<'a, S>> {
    let mut kept: Vec<Kept<'a, S>> = Vec::with_capacity(outline.definitions.len());
    for (number, definition) in outline.definitions.iter().enumerate() {
        let body = match definition.kept {
            outline::Kept::Tree(tree) => Some(&ast.definitions[tree as usize].body),
            outline::Kept::Code(_) => None,
        };
        let found = Kept { definition: number as u32, body };
        let name = outline.names.list[definition.name as usize];
        let meaning = &mut meanings[definition.name as usize];
        if is_reserved(name) {
            *meaning = Meaning::Refused;
            let message = format!("`{name}` cannot be defined");
            findings.push(Diagnostic::new(Code::ReservedName, definition.at, message).help(match name {
                "tau" => "`tau` is the hidden action; choose another name",
                _ => "`infty` is the passive rate; write it in the activity itself, as in `(a, 2 * infty).P`",
            }));
            continue;
        }
        match *meaning {
            // Another definition of the name could not be read, and nobody knows which of the two is meant.
            Meaning::Refused => {}
            Meaning::Undefined => {
                *meaning = Meaning::Process(kept.len() as u32);
                kept.push(found);
            }
            Meaning::Process(earlier) | Meaning::Rate(earlier) => {
                findings.push(duplicate(&kept[earlier as usize], &found, outline));
            }
        }
    }
    kept
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rate,
    Process,
}

/// For each definition whether it is a rate or a process. A body of names alone is what the names are: kinds
/// spread from the definitions that show theirs, what a size is made of is a number, and any other circle of
/// names is taken for processes. A kind stays unknown where it would have come from a definition that could
/// not be read.
fn tell_apart<S: Copy>(
    definitions: &[Kept<'_, S>],
    outline: &Outline<'_, S>,
    meanings: &[Meaning],
    sizes: &HashMap<&str, S>,
) -> Vec<Option<Kind>> {
    let mut kinds: Vec<Option<Kind>> = definitions
        .iter()
        .map(|definition| match definition.body {
            Some(Body::Rate(_)) => Some(Kind::Rate),
            Some(Body::Process(_)) | None => Some(Kind::Process),
            Some(Body::Undecided(_)) => {
                let name = defined_name(outline, definition.definition).text;
                sizes.contains_key(name).then_some(Kind::Rate)
            }
        })
        .collect();
    if kinds.iter().all(Option::is_some) {
        return kinds;
    }
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); definitions.len()];
    let mut unknown = Vec::new();
    for (at, definition) in definitions.iter().enumerate() {
        if let Some(Body::Undecided(process)) = definition.body {
            process.for_each_name(&mut |name| {
                let number = outline.names.find(&name.text);
                match number.map(|number| meanings[number as usize]) {
                    Some(Meaning::Process(used) | Meaning::Rate(used)) => users[used as usize].push(at),
                    Some(Meaning::Refused) => unknown.push(at),
                    Some(Meaning::Undefined) | None => {}
                }
            });
        }
    }
    let known = (0..definitions.len()).rev().filter(|&at| kinds[at].is_some()).collect();
    spread(known, &users, |user, used| {
        let is_new = kinds[user].is_none();
        kinds[user] = kinds[user].or(kinds[used]);
        is_new
    });
    let mut is_unknown = vec![false; definitions.len()];
    unknown.retain(|&at| kinds[at].is_none());
    unknown.iter().for_each(|&at| is_unknown[at] = true);
    spread(unknown, &users, |user, _| {
        kinds[user].is_none() && !std::mem::replace(&mut is_unknown[user], true)
    });
    let decided = |(kind, is_unknown): (Option<Kind>, bool)| match is_unknown {
        true => None,
        false => kind.or(Some(Kind::Process)),
    };
    kinds.into_iter().zip(is_unknown).map(decided).collect()
}

/// Goes from definitions to those that use them, and on from each that `reach` takes for the first time.
fn spread(mut work: Vec<usize>, users: &[Vec<usize>], mut reach: impl FnMut(usize, usize) -> bool) {
    while let Some(used) = work.pop() {
        work.extend(users[used].iter().copied().filter(|&user| reach(user, used)));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            ("r = 1; r = 2; P = (a, r).P; P", &["duplicate_definition `r`: `r` is defined twice"]),
            ("r = 1; r = (a, 1).r; P = (b, r).P; P", &["duplicate_definition `r`: `r` is defined twice"]),
            ("tau = 1; P = (a, tau).P; P", &["reserved_name `tau`: `tau` cannot be defined"]),
            (
                "infty = 2; P = (a, infty).P; Q = (a, 1).Q; P <a> Q",
                &["reserved_name `infty`: `infty` cannot be defined"],
            ),
            (
                "P = (a, 1).Idel; Idle = (b, 1).P; P",
                &["undefined_process `Idel`: the process `Idel` is not defined"],
            ),
            ("P = (a, 1).Q; P", &["undefined_process `Q`: the process `Q` is not defined"]),
            (
                "P = (a, 1).P; Q = (b, P).Q; P || Q",
                &["wrong_kind `P`: `P` is a process, but a rate is needed here"],
            ),
            ("r = 1; P = (a, r).r; P", &["wrong_kind `r`: `r` is a rate, but a process is needed here"]),
            ("P = (a, inf).P; P", &["undefined_rate `inf`: the rate `inf` is not defined"]),
            (
                "lambda = mu; P = (a, lambda).P; mu = 2 2; P",
                &["syntax `2`: expected an operator or `;`, found the number `2`"],
            ),
            (
                "Q = P; R = Q; P = (a 1).P; S = (b, R).R; S",
                &["syntax `1`: expected `,` between the action and its rate, found the number `1`"],
            ),
            (
                "r = 1; r = 2 2; P = (a, r).P; P",
                &["syntax `2`: expected an operator or `;`, found the number `2`"],
            ),
            ("rate = 1; P = (a, rat).P; P", &["undefined_rate `rat`: the rate `rat` is not defined"]),
            ("a = 1; b = a; c = a + b; P = (x, c).P; P", &[]),
            ("P = (a, 1).P; Q = P; R = Q; R", &[]),
        ]);
    }
}
