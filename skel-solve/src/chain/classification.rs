//! Classifies the states of a chain as transient, recurrent, or deadlocked.

use skel_core::model::brief::brief_state;
use skel_core::semantics::explore::display_path;
use std::convert::Infallible;

use skel_core::graph::{Adjacency, strongly_connected_unless};

use crate::error::Deadlock;
use crate::limits::{Stopped, Watch};
use crate::space::StateSpace;

/// A classification of the states of a chain.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// let text = "P = (begin, 1).Q; Q = (go, 1).R; R = (back, 3).Q; P";
/// let pi = Model::from_text(text)?.explore()?.steady_state()?;
/// let classes = pi.classification();
/// assert!(!classes.is_irreducible());
/// assert_eq!((classes.recurrent[0].len(), classes.transient), (2, 1));
/// # Ok::<(), skel::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classification {
    /// The recurrent classes: sets of states that the chain never leaves, and in which it visits every state
    /// again and again. They are in the order of their first states.
    pub recurrent: Vec<Vec<u32>>,
    /// The number of transient states. The chain leaves them for ever.
    pub transient: usize,
    /// The states without any transition. A state whose only transitions lead to itself is not a deadlock.
    pub deadlocks: Vec<u32>,
}

impl Classification {
    /// The classification of an irreducible chain with several states.
    pub(crate) fn irreducible(states: usize) -> Classification {
        Classification { recurrent: vec![(0..states as u32).collect()], transient: 0, deadlocks: Vec::new() }
    }

    /// Whether the chain is irreducible: all states form one recurrent class.
    #[must_use]
    pub fn is_irreducible(&self) -> bool {
        self.transient == 0 && self.recurrent.len() == 1
    }

    /// Whether the space certainly has a single recurrent class without lumping, too.
    ///
    /// Lumping turns classes that differ only by an exchange of interchangeable parts into one. But suppose
    /// that a recurrent state represents only itself. Then every exchange leaves it as it is, so it can be
    /// reached from every state without lumping, too, and there is only one class. In an irreducible chain
    /// the initial state is such a state.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// use skel_solve::{Explore, chain::classify};
    /// let queue = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P[9]")?.explorer().lumped().explore()?;
    /// assert!(classify(&queue).is_one_class_unlumped(&queue));
    /// let text = "Wait = (take, 1).Win; Win = (win, 2).Win; Lock = (take, infty).Taken; Taken = (rest, 1).Taken;
    ///     (Wait || Wait) <take> Lock";
    /// let race = Model::from_text(text)?;
    /// let lumped = race.explorer().lumped().explore()?;
    /// assert_eq!(classify(&lumped).recurrent.len(), 1);
    /// assert!(!classify(&lumped).is_one_class_unlumped(&lumped));
    /// assert_eq!(classify(&race.explore()?).recurrent.len(), 2);
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    #[must_use]
    pub fn is_one_class_unlumped<M: ?Sized>(&self, space: &StateSpace<M>) -> bool {
        let is_alone = |&state: &u32| space.stands_for(state as usize) == Some(1);
        self.recurrent.len() == 1 && (self.transient == 0 || self.recurrent[0].iter().any(is_alone))
    }
}

/// Classifies the states of a space by Tarjan's algorithm, in time linear in the number of transitions.
///
/// # Examples
/// ```
/// use skel_solve::{chain::classify, Explore};
/// let model = skel_core::text::parse("P = (a, 1).Q; Q = (b, 1).Q + (c, 1).R; R = (d, 1).R; P").into_model().unwrap();
/// let classes = classify(&model.explore().unwrap());
/// assert_eq!(classes.recurrent, [vec![2]]);
/// assert_eq!((classes.transient, classes.deadlocks.len()), (2, 0));
/// ```
#[must_use]
pub fn classify<M: ?Sized>(space: &StateSpace<M>) -> Classification {
    let Ok(classification) = classify_graph(&space.untyped().adjacency(), || Ok::<(), Infallible>(()));
    classification
}

/// As [`classify`]; `watch` may stop it.
pub(crate) fn classify_within(space: &StateSpace, watch: &mut Watch<'_>) -> Result<Classification, Stopped> {
    let mut graph = Adjacency::with_capacity(space.states(), space.transitions());
    space.for_each_row::<f64, Stopped>(
        || watch.prepare(),
        |_, row| {
            graph.push(row.iter().map(|transition| transition.target));
            Ok(())
        },
    )?;
    classify_graph(&graph, || watch.prepare())
}

/// Classifies the states of a graph of transitions. Calls `pause` now and then, which may stop it.
pub(crate) fn classify_graph<E>(
    graph: &Adjacency,
    pause: impl FnMut() -> Result<(), E>,
) -> Result<Classification, E> {
    let mut parts = strongly_connected_unless(graph, pause)?;
    let mut is_left = vec![false; parts.components.len()];
    for state in 0..graph.len() {
        let own = parts.component_of[state];
        if graph.successors(state).iter().any(|&target| parts.component_of[target as usize] != own) {
            is_left[own as usize] = true;
        }
    }
    let deadlocks = (0..graph.len()).filter(|&state| graph.successors(state).is_empty());
    let deadlocks = deadlocks.map(|state| state as u32).collect();
    let mut recurrent = Vec::new();
    for (state, &own) in parts.component_of.iter().enumerate() {
        let states = &mut parts.components[own as usize];
        let is_first = states.first().is_some_and(|&first| first as usize == state);
        if is_first && !is_left[own as usize] {
            recurrent.push(std::mem::take(states));
        }
    }
    let transient = graph.len() - recurrent.iter().map(Vec::len).sum::<usize>();
    Ok(Classification { recurrent, transient, deadlocks })
}

/// An upper bound on the bytes for a classification: the graph, and Tarjan's arrays and stacks while they are
/// enlarged.
pub(crate) fn classification_memory<M: ?Sized>(space: &StateSpace<M>) -> u64 {
    const PER_STATE: u64 = 140;
    space.transitions() as u64 * 4 + space.states() as u64 * PER_STATE
}

/// Describes the deadlocks of a chain that always ends in one; `None` if the chain may go on for ever.
pub(crate) fn deadlock(space: &StateSpace, classification: &Classification) -> Option<Deadlock> {
    let Classification { recurrent, transient, deadlocks } = classification;
    if deadlocks.len() != recurrent.len() {
        return None;
    }
    let mut behind = deadlocks.iter().map(|&state| space.stands_for(state as usize));
    let (path, state) = space.run_to(deadlocks[0] as usize);
    let model = space.model();
    Some(Deadlock {
        count: behind.try_fold(0_u128, |sum, behind| sum.checked_add(behind?)),
        states: space.states(),
        transient: *transient,
        path: path.iter().map(|&action| model.action(action).to_owned()).collect(),
        reached: display_path(model, &path).into(),
        state: brief_state(model, &state).into(),
    })
}

/// Describes the first recurrent classes in words: their sizes, and the paths to them.
pub(crate) fn describe_classes(space: &StateSpace, classification: &Classification) -> Vec<String> {
    const MOST: usize = 5;
    let mut lines: Vec<String> = classification
        .recurrent
        .iter()
        .take(MOST)
        .map(|states| {
            let first = states[0] as usize;
            let (path, state) = space.run_to(first);
            let path = display_path(space.model(), &path);
            let shown = brief_state(space.model(), &state);
            match states.len() {
                1 if classification.deadlocks.binary_search(&states[0]).is_ok() => {
                    format!("a deadlock, reached {path}: `{shown}`")
                }
                1 => format!("one state, reached {path}: `{shown}`"),
                count => format!("{count} states, the first reached {path}: `{shown}`"),
            }
        })
        .collect();
    if classification.recurrent.len() > MOST {
        lines.push(format!("and {} more", classification.recurrent.len() - MOST));
    }
    lines
}
