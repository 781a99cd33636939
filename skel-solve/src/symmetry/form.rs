//! Describes how each action is composed from the components of a model. An automorphism has to preserve this.
//!
//! An action is done by the component at one position, by any one of several parts, or by all of several parts
//! together. Both compositions are associative and commutative for one action, also in their apparent rates, so nested
//! compositions are flattened and sorted.

use std::collections::HashMap;

use skel_core::model::{ActionId, ActionSet, Model, Node};

use crate::state::local_numbers::actions_at;

/// How an action is composed from the components at the positions of a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    Position(u32),
    Any(Vec<Form>),
    All(Vec<Form>),
}

impl Form {
    #[cfg_attr(debug_assertions, inline)]
    fn any(self, other: Form) -> Form {
        let mut parts = match self {
            Form::Any(parts) => parts,
            form => vec![form],
        };
        match other {
            Form::Any(more) => parts.extend(more),
            form => parts.push(form),
        }
        Form::Any(parts)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn all(self, other: Form) -> Form {
        let mut parts = match self {
            Form::All(parts) => parts,
            form => vec![form],
        };
        match other {
            Form::All(more) => parts.extend(more),
            form => parts.push(form),
        }
        Form::All(parts)
    }

    /// The same composition over other positions, sorted.
    fn renamed(&self, position: &impl Fn(u32) -> u32) -> Form {
        let sorted = |parts: &[Form]| {
            let mut parts: Vec<Form> = parts.iter().map(|part| part.renamed(position)).collect();
            parts.sort_unstable();
            parts
        };
        match self {
            Form::Position(at) => Form::Position(position(*at)),
            Form::Any(parts) => Form::Any(sorted(parts)),
            Form::All(parts) => Form::All(sorted(parts)),
        }
    }
}

/// The compositions of one action: those under its own name, and those where it is hidden.
#[derive(Clone, Default)]
pub(crate) struct Forms {
    pub(crate) shown: Vec<Form>,
    pub(crate) hidden: Vec<Form>,
}

/// The compositions of all actions, sorted.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn forms(model: &Model) -> Vec<Forms> {
    let mut finished = vec![Forms::default(); model.actions().len()];
    let mut open: Vec<HashMap<ActionId, Form>> = Vec::with_capacity(model.nodes().len());
    for node in model.nodes() {
        let here = match node {
            Node::Leaf(position) => {
                let form = |action| (action, Form::Position(position.0));
                actions_at(model, *position).into_iter().map(form).collect()
            }
            Node::Hiding { of, set } => {
                let (hidden, kept): (HashMap<_, _>, HashMap<_, _>) = std::mem::take(&mut open[of.index()])
                    .into_iter()
                    .partition(|(action, _)| set.contains(*action));
                for (action, form) in hidden {
                    finished[action.index()].hidden.push(form);
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
    for (action, form) in open.pop().unwrap_or_default() {
        finished[action.index()].shown.push(form);
    }
    for forms in &mut finished {
        forms.shown = sorted(&forms.shown, &|position| position);
        forms.hidden = sorted(&forms.hidden, &|position| position);
    }
    finished
}

/// The compositions of a cooperation. The smaller operand is merged into the larger one.
#[cfg_attr(debug_assertions, inline)]
fn joined(
    left: HashMap<ActionId, Form>,
    right: HashMap<ActionId, Form>,
    set: &ActionSet,
) -> HashMap<ActionId, Form> {
    let (mut large, small) = if left.len() < right.len() { (right, left) } else { (left, right) };
    for action in set.iter() {
        if !small.contains_key(&action) {
            large.remove(&action);
        }
    }
    for (action, form) in small {
        match (large.remove(&action), set.contains(action)) {
            (Some(other), true) => large.insert(action, other.all(form)),
            (Some(other), false) => large.insert(action, other.any(form)),
            (None, true) => None,
            (None, false) => large.insert(action, form),
        };
    }
    large
}

/// The same compositions over other positions, sorted.
pub(crate) fn sorted(forms: &[Form], position: &impl Fn(u32) -> u32) -> Vec<Form> {
    let mut forms: Vec<Form> = forms.iter().map(|form| form.renamed(position)).collect();
    forms.sort_unstable();
    forms
}
