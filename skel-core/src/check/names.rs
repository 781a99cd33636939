//! Which names are defined, and whether each is a rate or a process.

use std::collections::{HashMap, HashSet};

use super::findings::Findings;
use crate::diagnostic::{Code, Diagnostic, Span, did_you_mean};
use crate::syntax::ast::{Ast, Body, Definition, Expression, Name, Process};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// The rate with this number.
    Rate(usize),
    /// The process with this number.
    Process(usize),
}

/// The body of a rate definition.
#[derive(Clone, Copy)]
pub(super) enum RateBody<'a, S> {
    Expression(&'a Expression<S>),
    /// Names joined by `+` that turned out to be rates.
    Names(&'a Process<S>),
}

pub(super) struct RateDefinition<'a, S> {
    pub(super) name: &'a Name<S>,
    pub(super) body: RateBody<'a, S>,
}

pub(super) struct ProcessDefinition<'a, S> {
    pub(super) name: &'a Name<S>,
    pub(super) body: &'a Process<S>,
}

/// The definitions, by kind.
pub(super) struct Names<'a, S> {
    /// The kept definition of each name.
    index: HashMap<&'a str, usize>,
    /// Per kept definition what its name stands for, if that is known.
    symbols: Vec<Option<Symbol>>,
    /// Names whose definitions were refused or could not be read, so that their uses need no report.
    refused: HashSet<&'a str>,
    /// Those that could not be read: what a misspelt name may have been meant for.
    unread: &'a [String],
    pub(super) rates: Vec<RateDefinition<'a, S>>,
    pub(super) processes: Vec<ProcessDefinition<'a, S>>,
    /// The names that sizes are made of, each with a place where it is used so.
    pub(super) sizes: HashMap<&'a str, S>,
}

impl<'a, S: Span> Names<'a, S> {
    pub(super) fn get(&self, name: &str) -> Option<Symbol> {
        self.index.get(name).and_then(|&kept| self.symbols[kept])
    }

    /// The process of a name, or `None` after a report that there is none.
    pub(super) fn process(&self, name: &Name<S>, findings: &mut Findings<'_, S>) -> Option<usize> {
        match self.get(&name.text) {
            None if self.refused.contains(name.text.as_str()) => None,
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
                    let candidates = self.processes.iter().map(|process| process.name.text.as_str());
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
            None if self.refused.contains(name.text.as_str()) => None,
            Some(Symbol::Rate(id)) => Some(id),
            Some(Symbol::Process(id)) => {
                findings.push_once(name, || {
                    let message = format!("`{}` is a process, but a size is needed here", name.text);
                    Diagnostic::new(Code::WrongKind, name.at.0, message)
                        .related(self.processes[id].name.at.0, "the process")
                        .help("write a number of copies, or the name of one: `n = 10;`")
                });
                None
            }
            None => {
                findings.push_once(name, || {
                    let message = format!("the size `{}` is not defined", name.text);
                    let candidates = self.rates.iter().map(|rate| rate.name.text.as_str());
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
            None if self.refused.contains(name.text.as_str()) => None,
            Some(Symbol::Rate(id)) => Some(id),
            Some(Symbol::Process(id)) => {
                findings.push_once(name, || {
                    let message = format!("`{}` is a process, but a rate is needed here", name.text);
                    Diagnostic::new(Code::WrongKind, name.at.0, message)
                        .related(self.processes[id].name.at.0, "the process")
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
        let candidates = self.rates.iter().map(|rate| rate.name.text.as_str());
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
fn duplicate<S: Span>(earlier: &Definition<S>, later: &Definition<S>) -> Diagnostic<S> {
    let name = &later.name;
    let help = match (&earlier.body, &later.body) {
        (Body::Rate(_), Body::Process(_)) | (Body::Process(_), Body::Rate(_)) => {
            "give one of the two another name: a rate and a process may not share one"
        }
        _ => "remove one of the two, or give it another name",
    };
    Diagnostic::new(Code::DuplicateDefinition, name.at.0, format!("`{}` is defined twice", name.text))
        .related(earlier.name.at.0, "first defined here")
        .help(help)
}

/// Collects the definitions and tells rates from processes.
pub(super) fn collect<'a, S: Span>(ast: &'a Ast<S>, findings: &mut Findings<'_, S>) -> Names<'a, S> {
    let mut index: HashMap<&str, usize> = HashMap::new();
    let mut kept: Vec<&Definition<S>> = Vec::new();
    let mut refused: HashSet<&str> = ast.unread.iter().map(String::as_str).collect();
    for definition in &ast.definitions {
        let name = &definition.name;
        if is_reserved(&name.text) {
            refused.insert(name.text.as_str());
            let message = format!("`{}` cannot be defined", name.text);
            findings
                .push(Diagnostic::new(Code::ReservedName, name.at.0, message).help(match name.text.as_str() {
                "tau" => "`tau` is the hidden action; choose another name",
                _ => "`infty` is the passive rate; write it in the activity itself, as in `(a, 2 * infty).P`",
            }));
            continue;
        }
        // Another definition of the name could not be read, and nobody knows which of the two is meant.
        if refused.contains(name.text.as_str()) {
            continue;
        }
        if let Some(&earlier) = index.get(name.text.as_str()) {
            findings.push(duplicate(kept[earlier], definition));
            continue;
        }
        index.insert(&name.text, kept.len());
        kept.push(definition);
    }
    let sizes = ast.sizes();
    let kinds = tell_apart(&kept, &index, &refused, &sizes);
    let mut names = Names {
        sizes,
        index,
        symbols: Vec::with_capacity(kept.len()),
        refused,
        unread: &ast.unread,
        rates: Vec::new(),
        processes: Vec::new(),
    };
    for (definition, kind) in kept.iter().zip(kinds) {
        let name = &definition.name;
        let rate_body = match &definition.body {
            Body::Rate(expression) => RateBody::Expression(expression),
            Body::Undecided(names) if kind == Some(Kind::Rate) => RateBody::Names(names),
            Body::Undecided(_) if kind.is_none() => {
                names.symbols.push(None);
                names.refused.insert(&name.text);
                continue;
            }
            Body::Undecided(body) | Body::Process(body) => {
                names.symbols.push(Some(Symbol::Process(names.processes.len())));
                names.processes.push(ProcessDefinition { name, body });
                continue;
            }
        };
        names.symbols.push(Some(Symbol::Rate(names.rates.len())));
        names.rates.push(RateDefinition { name, body: rate_body });
    }
    names
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rate,
    Process,
}

/// For each definition whether it is a rate or a process. A body of names alone is what the names are: kinds spread from the
/// definitions that show theirs, what a size is made of is a number, and any other circle of names is taken for processes. A kind
/// stays unknown where it would have come from a definition that could not be read.
fn tell_apart<S>(
    definitions: &[&Definition<S>],
    index: &HashMap<&str, usize>,
    unread: &HashSet<&str>,
    sizes: &HashMap<&str, S>,
) -> Vec<Option<Kind>> {
    let mut kinds: Vec<Option<Kind>> = definitions
        .iter()
        .map(|definition| match &definition.body {
            Body::Rate(_) => Some(Kind::Rate),
            Body::Process(_) => Some(Kind::Process),
            Body::Undecided(_) if sizes.contains_key(definition.name.text.as_str()) => Some(Kind::Rate),
            Body::Undecided(_) => None,
        })
        .collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); definitions.len()];
    let mut unknown = Vec::new();
    for (at, definition) in definitions.iter().enumerate() {
        if let Body::Undecided(process) = &definition.body {
            process.for_each_name(&mut |name| match index.get(name.text.as_str()) {
                Some(&used) => users[used].push(at),
                None if unread.contains(name.text.as_str()) => unknown.push(at),
                None => {}
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
