//! The names in a property, for those who know a model only by its names.

use super::tree::{Formula, Path, Property, RewardUntil};
use crate::diagnostic::TextSpan;
use crate::model::handle::Names;
use crate::syntax::ast::Name;

/// What a name has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// The local state of some component.
    LocalState,
    /// A result line, a local state, `init` or `deadlock`.
    Label,
    /// An action, a local state, a result line, or `time`.
    Reward,
}

/// The places of the kinds of names in [`Names`].
const ACTIONS: usize = 0;
const LOCAL_STATES: usize = 1;
const RESULTS: usize = 2;

impl NameKind {
    /// The number by which generated code speaks of it.
    #[doc(hidden)]
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            NameKind::LocalState => 0,
            NameKind::Label => 1,
            NameKind::Reward => 2,
        }
    }
}

/// Whether one of the names is this one.
const fn contains(names: &[&str], name: &str) -> bool {
    let mut at = 0;
    while at < names.len() {
        if is_same(names[at].as_bytes(), name.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut at = 0;
    while at < left.len() {
        if left[at] != right[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// How many things a name stands for.
const fn meanings(names: Names, kind: u8, name: &str) -> usize {
    let mut count = contains(names[LOCAL_STATES], name) as usize;
    if kind != 0 {
        count += contains(names[RESULTS], name) as usize;
    }
    if kind == 1 {
        count += contains(&["init", "deadlock"], name) as usize;
    }
    if kind == 2 {
        count += contains(names[ACTIONS], name) as usize + contains(&["time"], name) as usize;
    }
    count
}

/// Whether a name is one of a model, or the names of the model are not known. Generated code calls it.
#[doc(hidden)]
#[must_use]
pub const fn is_known(names: Names, kind: u8, name: &str) -> bool {
    names.is_empty() || meanings(names, kind, name) > 0
}

/// Whether a name stands for several things. Generated code calls it.
#[doc(hidden)]
#[must_use]
pub const fn is_ambiguous(names: Names, kind: u8, name: &str) -> bool {
    !names.is_empty() && meanings(names, kind, name) > 1
}

/// The names of a property, in their order.
///
/// # Examples
/// ```
/// use skel_core::csl::{NameKind, names, parse};
/// let parsed = parse("R{\"serve\"}<=2 [ F \"full\" & Down = 1 ]");
/// let names = names(parsed.entries[0].property.as_ref().unwrap());
/// let found: Vec<_> = names.iter().map(|(kind, name)| (*kind, name.text.as_str())).collect();
/// assert_eq!(found, [(NameKind::Reward, "serve"), (NameKind::Label, "full"), (NameKind::LocalState, "Down")]);
/// ```
#[must_use]
pub fn names(property: &Property) -> Vec<(NameKind, &Name<TextSpan>)> {
    let mut names = Vec::new();
    add(&property.formula, &mut names);
    names
}

fn add<'f>(formula: &'f Formula, names: &mut Vec<(NameKind, &'f Name<TextSpan>)>) {
    match formula {
        Formula::Truth(..) | Formula::Number(..) => {}
        Formula::Population(name) => names.push((NameKind::LocalState, name)),
        Formula::Label(name) => names.push((NameKind::Label, name)),
        Formula::Copy { component, state, .. } => {
            names.extend([component, state].map(|name| (NameKind::LocalState, name)));
        }
        Formula::Pattern(pattern, _) => {
            pattern.for_each_constant(&mut |name| names.push((NameKind::LocalState, name)));
        }
        Formula::Not(inner, _) | Formula::Negative(inner, _) | Formula::LongRun(_, inner, _) => {
            add(inner, names);
        }
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| add(part, names)),
        Formula::Implies(left, right)
        | Formula::Equivalent(left, right)
        | Formula::Compare(left, _, right) => {
            add(left, names);
            add(right, names);
        }
        Formula::Sum(first, rest) => {
            add(first, names);
            rest.iter().for_each(|(_, term)| add(term, names));
        }
        Formula::Product(first, rest) => {
            add(first, names);
            rest.iter().for_each(|(_, factor)| add(factor, names));
        }
        Formula::Probability(_, path, _) => match &**path {
            Path::Next(then) | Path::Finally(_, then) | Path::Globally(_, then) => add(then, names),
            Path::Binary(first, _, _, second) => {
                add(first, names);
                add(second, names);
            }
        },
        Formula::Reward { reward, until, .. } => {
            names.push((NameKind::Reward, reward));
            if let RewardUntil::Reach(goals) = &**until {
                add(goals, names);
            }
        }
        Formula::Filter { formula, states, .. } => {
            add(formula, names);
            states.iter().for_each(|states| add(states, names));
        }
    }
}
