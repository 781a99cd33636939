//! Describes how each action is composed from the components of a model. An automorphism has to preserve
//! this.
//!
//! An action is done by the component at one position, by any one of several parts, or by all of several
//! parts together. Both compositions are associative and commutative for one action, also in their apparent
//! rates, so nested compositions are flattened and sorted.

use std::collections::HashMap;

use skel_core::model::{ActionId, ActionSet, Model, Node};

use crate::state::local_numbers::actions_at;

/// How an action is composed from the components at the positions of a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Composition {
    Position(u32),
    Any(Vec<Composition>),
    All(Vec<Composition>),
}

impl Composition {
    #[cfg_attr(debug_assertions, inline)]
    fn any(self, other: Composition) -> Composition {
        let mut parts = match self {
            Composition::Any(parts) => parts,
            composition => vec![composition],
        };
        match other {
            Composition::Any(more) => parts.extend(more),
            composition => parts.push(composition),
        }
        Composition::Any(parts)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn all(self, other: Composition) -> Composition {
        let mut parts = match self {
            Composition::All(parts) => parts,
            composition => vec![composition],
        };
        match other {
            Composition::All(more) => parts.extend(more),
            composition => parts.push(composition),
        }
        Composition::All(parts)
    }

    /// The same composition over other positions, sorted.
    fn renamed(&self, position: &impl Fn(u32) -> u32) -> Composition {
        let sorted = |parts: &[Composition]| {
            let mut parts: Vec<Composition> = parts.iter().map(|part| part.renamed(position)).collect();
            parts.sort_unstable();
            parts
        };
        match self {
            Composition::Position(at) => Composition::Position(position(*at)),
            Composition::Any(parts) => Composition::Any(sorted(parts)),
            Composition::All(parts) => Composition::All(sorted(parts)),
        }
    }
}

/// The compositions of one action: those under its own name, and those where it is hidden.
#[derive(Clone, Default)]
pub(crate) struct ActionCompositions {
    pub(crate) visible: Vec<Composition>,
    pub(crate) hidden: Vec<Composition>,
}

/// The compositions of all actions, sorted.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn compositions(model: &Model) -> Vec<ActionCompositions> {
    let mut finished = vec![ActionCompositions::default(); model.actions().len()];
    let mut open: Vec<HashMap<ActionId, Composition>> = Vec::with_capacity(model.nodes().len());
    for node in model.nodes() {
        let here = match node {
            Node::Leaf(position) => {
                let composition = |action| (action, Composition::Position(position.0));
                actions_at(model, *position).into_iter().map(composition).collect()
            }
            Node::Hiding { of, set } => {
                let (hidden, kept): (HashMap<_, _>, HashMap<_, _>) = std::mem::take(&mut open[of.index()])
                    .into_iter()
                    .partition(|(action, _)| set.contains(*action));
                for (action, composition) in hidden {
                    finished[action.index()].hidden.push(composition);
                }
                kept
            }
            Node::Cooperation { left, right, set } => {
                let left = std::mem::take(&mut open[left.index()]);
                let right = std::mem::take(&mut open[right.index()]);
                joined(left, right, set)
            }
        };
        open.push(here);
    }
    for (action, composition) in open.pop().unwrap_or_default() {
        finished[action.index()].visible.push(composition);
    }
    for compositions in &mut finished {
        compositions.visible = sorted(&compositions.visible, &|position| position);
        compositions.hidden = sorted(&compositions.hidden, &|position| position);
    }
    finished
}

/// The compositions of a cooperation. The smaller operand is merged into the larger one.
#[cfg_attr(debug_assertions, inline)]
fn joined(
    left: HashMap<ActionId, Composition>,
    right: HashMap<ActionId, Composition>,
    set: &ActionSet,
) -> HashMap<ActionId, Composition> {
    let (mut large, small) = if left.len() < right.len() { (right, left) } else { (left, right) };
    for action in set.iter() {
        if !small.contains_key(&action) {
            large.remove(&action);
        }
    }
    for (action, composition) in small {
        match (large.remove(&action), set.contains(action)) {
            (Some(other), true) => large.insert(action, other.all(composition)),
            (Some(other), false) => large.insert(action, other.any(composition)),
            (None, true) => None,
            (None, false) => large.insert(action, composition),
        };
    }
    large
}

/// The same compositions over other positions, sorted.
pub(crate) fn sorted(compositions: &[Composition], position: &impl Fn(u32) -> u32) -> Vec<Composition> {
    let mut compositions: Vec<Composition> =
        compositions.iter().map(|composition| composition.renamed(position)).collect();
    compositions.sort_unstable();
    compositions
}
