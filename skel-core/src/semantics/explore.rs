//! Exploration by the reference semantics: all reachable states, up to a bound, with the way to each.
//!
//! Breadth first, so that the way to a state is a shortest one. Cost: time and memory grow with states times
//! components, at a few thousand states per second in an unoptimised build. For more, use `skel-solve`.

use std::collections::HashMap;

use crate::graph::Adjacency;
use crate::model::brief::brief_state;
use crate::model::{ActionId, LocalStateId, Model};
use crate::number::Number;
use crate::semantics::{NotWellDefined, Semantics, State};

/// The derivation graph of a model.
#[derive(Clone, Debug)]
pub struct DerivationGraph<N> {
    /// The states in the order in which they were found; the initial state is the first.
    pub states: Vec<State>,
    /// Per state its transitions: action, rate, target.
    pub transitions: Vec<Vec<(ActionId, N, u32)>>,
    /// Per state the state and the action by which it was found first.
    parents: Vec<Option<(u32, ActionId)>>,
}

/// Why an exploration ended early.
#[derive(Clone, Debug)]
pub enum Interrupted {
    /// There are more states than the bound.
    TooManyStates,
    /// An activity of a reachable state has no rate.
    NotWellDefined {
        /// What is wrong.
        problem: NotWellDefined,
        /// The state.
        state: State,
        /// The actions that lead to it.
        path: Vec<ActionId>,
    },
}

/// Explores a model, up to `max_states` states.
///
/// # Errors
/// If there are more states, or one in which the semantics gives no rate.
///
/// # Examples
/// ```
/// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P || P").into_model().unwrap();
/// let graph = skel_core::semantics::explore::explore::<f64>(&model, 100).unwrap();
/// assert_eq!(graph.states.len(), 4);
/// ```
pub fn explore<N: Number>(model: &Model, max_states: u64) -> Result<DerivationGraph<N>, Interrupted> {
    let semantics = Semantics::<N>::new(model);
    let mut graph =
        DerivationGraph { states: vec![model.initial_state()], transitions: Vec::new(), parents: vec![None] };
    let mut index = HashMap::from([(model.initial_state(), 0_u32)]);
    while graph.transitions.len() < graph.states.len() {
        let at = graph.transitions.len();
        let successors = semantics.successors(&graph.states[at]).map_err(|problem| {
            let path = graph.path_to(at);
            Interrupted::NotWellDefined { problem, state: graph.states[at].clone(), path }
        })?;
        let mut row = Vec::with_capacity(successors.len());
        for transition in successors {
            let target = match index.get(&transition.target) {
                Some(&known) => known,
                None => {
                    let new = graph.states.len() as u32;
                    if u64::from(new) >= max_states {
                        return Err(Interrupted::TooManyStates);
                    }
                    index.insert(transition.target.clone(), new);
                    graph.states.push(transition.target);
                    graph.parents.push(Some((at as u32, transition.action)));
                    new
                }
            };
            row.push((transition.action, transition.rate, target));
        }
        graph.transitions.push(row);
    }
    Ok(graph)
}

impl<N> DerivationGraph<N> {
    /// The actions of a shortest way from the initial state.
    #[must_use]
    pub fn path_to(&self, state: usize) -> Vec<ActionId> {
        let mut path = Vec::new();
        let mut at = state;
        while let Some((parent, action)) = self.parents[at] {
            path.push(action);
            at = parent as usize;
        }
        path.reverse();
        path
    }

    /// The graph of states, without actions and rates.
    #[must_use]
    pub fn adjacency(&self) -> Adjacency {
        let mut graph = Adjacency::new();
        for row in &self.transitions {
            graph.push(row.iter().map(|(_, _, target)| *target));
        }
        graph
    }
}

/// A state and how a run comes to it.
///
/// # Examples
/// ```
/// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P").into_model().unwrap();
/// let go = model.action_named("go").unwrap();
/// let q = model.local_state_named("Q").unwrap();
/// assert_eq!(skel_core::semantics::explore::display_way(&model, &[go], &[q]), "after `go`, in the state `Q`");
/// let initial = model.initial_state();
/// assert_eq!(skel_core::semantics::explore::display_way(&model, &[], &initial), "in the initial state `P`");
/// ```
#[must_use]
pub fn display_way(model: &Model, path: &[ActionId], state: &[LocalStateId]) -> String {
    let separator = if path.is_empty() { "" } else { ", in the state" };
    format!("{}{separator} `{}`", display_path(model, path), brief_state(model, state))
}

/// A path as one writes it: the actions in order, long ones cut in the middle.
///
/// # Examples
/// ```
/// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P").into_model().unwrap();
/// let go = model.action_named("go").unwrap();
/// assert_eq!(skel_core::semantics::explore::display_path(&model, &[go]), "after `go`");
/// assert_eq!(skel_core::semantics::explore::display_path(&model, &[]), "in the initial state");
/// ```
#[must_use]
pub fn display_path(model: &Model, path: &[ActionId]) -> String {
    const LONGEST: usize = 24;
    if path.is_empty() {
        return "in the initial state".into();
    }
    let name = |&action: &ActionId| model.action(action);
    let names: Vec<&str> = path.iter().map(name).collect();
    if names.len() <= LONGEST {
        return format!("after `{}`", names.join(", "));
    }
    let half = LONGEST / 2;
    let left_out = names.len() - LONGEST;
    let (head, tail) = (&names[..half], &names[names.len() - half..]);
    format!("after `{}, ... ({left_out} more) ..., {}`", head.join(", "), tail.join(", "))
}
