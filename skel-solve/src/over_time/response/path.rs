//! The way of an item through a model: by which action it comes in, which actions carry it on, and which let
//! it out.

use std::collections::{BTreeMap, BTreeSet};

use skel_core::diagnostic::did_you_mean;
use skel_core::model::{ActionId, Model};

use crate::error::Error;

/// The way of an item through the positions of a model. A position holds one item at most.
///
/// Positions have numbers of one's own choice, such as those of the stages of a pipeline. An action that
/// carries an item takes it from its position to another; where the item is not in that position, the same
/// action carries another item.
///
/// # Examples
/// ```
/// use skel_solve::over_time::response::ItemPath;
/// // An item comes in by `move1`, and goes from stage to stage.
/// let path = ItemPath::new().enters("move1", 1).carried("move2", 1, 2).carried("move3", 2, 3).leaves("move4", 3);
/// assert_eq!(path.to_string(), "in by `move1` to 1, `move2` from 1 to 2, `move3` from 2 to 3, out by `move4` from 3");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemPath {
    enters: Vec<(String, u32)>,
    carried: Vec<(String, u32, u32)>,
    leaves: Vec<(String, u32)>,
}

impl ItemPath {
    /// A path without any action yet.
    #[must_use]
    pub fn new() -> Self {
        ItemPath::default()
    }

    /// Items come in by an action, to a position.
    #[must_use]
    pub fn enters(mut self, action: &str, to: u32) -> Self {
        self.enters.push((action.to_owned(), to));
        self
    }

    /// An action carries an item from one position to another.
    #[must_use]
    pub fn carried(mut self, action: &str, from: u32, to: u32) -> Self {
        self.carried.push((action.to_owned(), from, to));
        self
    }

    /// Items go out by an action, from a position.
    #[must_use]
    pub fn leaves(mut self, action: &str, from: u32) -> Self {
        self.leaves.push((action.to_owned(), from));
        self
    }

    /// Whether the path fits a model, as far as that can be told without its states.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// use skel_solve::over_time::response::ItemPath;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P")?;
    /// let problems = ItemPath::new().enters("goo", 1).leaves("back", 2).check(&model).unwrap_err();
    /// assert_eq!(problems[0].to_string(), "the model has no action `goo`\nhelp: did you mean `go`?");
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn check(&self, model: &Model) -> Result<(), Vec<PathProblem>> {
        self.resolve(model).map(|_| ())
    }

    /// The path with the actions of a model.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn resolve(&self, model: &Model) -> Result<Path, Vec<PathProblem>> {
        let mut problems = self.unknown(model);
        problems.extend(self.broken());
        if !problems.is_empty() {
            return Err(problems);
        }
        let action = |name: &str| model.action_named(name).expect("unknown actions are reported");
        let mut path = Path::default();
        for (name, to) in &self.enters {
            path.enters.insert(action(name), *to);
        }
        for (name, from, to) in &self.carried {
            path.goes.insert((action(name), *from), Some(*to));
        }
        for (name, from) in &self.leaves {
            path.goes.insert((action(name), *from), None);
        }
        Ok(path)
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        let ends = self.enters.iter().chain(&self.leaves).map(|(name, _)| name);
        ends.chain(self.carried.iter().map(|(name, ..)| name))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn unknown(&self, model: &Model) -> Vec<PathProblem> {
        let names: BTreeSet<&String> = self.names().collect();
        let unknown = names.into_iter().filter(|name| model.action_named(name).is_none());
        let problem = |name: &String| {
            let near = did_you_mean(name, model.actions().map(|(_, name)| name));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`skel derive` shows the actions of a model".to_owned(),
            };
            PathProblem {
                kind: PathFault::UnknownAction,
                message: format!("the model has no action `{name}`"),
                help,
            }
        };
        unknown.map(problem).collect()
    }

    /// What is wrong with the path itself.
    #[cfg_attr(debug_assertions, inline)]
    fn broken(&self) -> Vec<PathProblem> {
        let mut problems = Vec::new();
        let mut broken = |message: String, help: &str| {
            problems.push(PathProblem { kind: PathFault::Broken, message, help: help.to_owned() });
        };
        let mut into: BTreeMap<&str, u32> = BTreeMap::new();
        for (name, to) in &self.enters {
            if let Some(other) = into.insert(name, *to).filter(|other| other != to) {
                broken(
                    format!("`{name}` brings an item in to position {other} and to position {to}"),
                    "one action brings in one item",
                );
            }
        }
        let onward = self.carried.iter().map(|(name, from, to)| (name, from, Some(to)));
        let out = self.leaves.iter().map(|(name, from)| (name, from, None));
        let mut goes: BTreeMap<(&str, u32), Option<&u32>> = BTreeMap::new();
        for (name, from, to) in onward.chain(out) {
            if goes.insert((name, *from), to).is_some_and(|other| other != to) {
                broken(
                    format!("`{name}` takes an item from position {from} to two places"),
                    "an action takes the item of a position to one place: give the others another action",
                );
            }
        }
        if self.enters.is_empty() {
            broken("no action brings an item in".into(), "say by which action items come in");
        }
        if self.leaves.is_empty() {
            broken("no action lets an item out".into(), "say by which action items go out");
        }
        if self.enters.is_empty() || self.leaves.is_empty() {
            return problems;
        }
        let reached = self.reached();
        let mut places: BTreeSet<u32> = self.carried.iter().map(|(_, from, _)| *from).collect();
        places.extend(self.leaves.iter().map(|(_, from)| *from));
        for place in places.difference(&reached) {
            broken(
                format!("items are taken from position {place}, but none comes there"),
                "let an action bring or carry items there, or leave the position out",
            );
        }
        for place in reached.difference(&places) {
            broken(
                format!("items come to position {place}, but none is taken from there"),
                "let an action carry items on from there, or let them out",
            );
        }
        problems
    }

    /// The positions that an item may come to.
    #[cfg_attr(debug_assertions, inline)]
    fn reached(&self) -> BTreeSet<u32> {
        let mut reached: BTreeSet<u32> = self.enters.iter().map(|(_, to)| *to).collect();
        let mut open: Vec<u32> = reached.iter().copied().collect();
        while let Some(here) = open.pop() {
            for (_, from, to) in &self.carried {
                if *from == here && reached.insert(*to) {
                    open.push(*to);
                }
            }
        }
        reached
    }
}

impl std::fmt::Display for ItemPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts: Vec<String> =
            self.enters.iter().map(|(name, to)| format!("in by `{name}` to {to}")).collect();
        parts.extend(self.carried.iter().map(|(name, from, to)| format!("`{name}` from {from} to {to}")));
        parts.extend(self.leaves.iter().map(|(name, from)| format!("out by `{name}` from {from}")));
        f.write_str(&parts.join(", "))
    }
}

/// What is wrong with the way of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathProblem {
    /// What kind of fault it is.
    pub kind: PathFault,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl std::fmt::Display for PathProblem {
    #[cfg_attr(debug_assertions, inline)]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\nhelp: {}", self.message, self.help)
    }
}

impl From<PathProblem> for Error {
    fn from(problem: PathProblem) -> Error {
        Error::Unknown(problem.to_string())
    }
}

/// A kind of fault in the way of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFault {
    /// The model has no such action.
    UnknownAction,
    /// The way does not hold together.
    Broken,
    /// The model does not do what the way says.
    NotSo,
}

/// A path with the actions of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    /// Where each action brings an item in.
    pub(super) enters: BTreeMap<ActionId, u32>,
    /// Where each action takes the item of a position; none for out.
    pub(super) goes: BTreeMap<(ActionId, u32), Option<u32>>,
}

impl Path {
    /// Whether an action brings an item to a position.
    pub(super) fn brings_to(&self, action: ActionId, position: u32) -> bool {
        self.enters.get(&action) == Some(&position)
            || self.goes.iter().any(|((other, _), to)| *other == action && *to == Some(position))
    }

    /// The actions that it names.
    pub(super) fn actions(&self) -> impl Iterator<Item = ActionId> {
        self.enters.keys().copied().chain(self.goes.keys().map(|(action, _)| *action))
    }
}
