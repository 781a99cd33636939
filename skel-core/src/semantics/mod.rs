//! PEPA's structured operational semantics (Fig. A.1), transcribed rule by rule.
//!
//! This is the reference implementation: it is slow, and simple enough to be compared with the rules by eye.
//! Every fast engine has to give the same transitions; the macros explore small models with it. It is generic
//! over the number, so that it also runs exactly.
//!
//! A derivation walks the system's tree from the leaves to the root. At each node it holds the *multiset* of
//! activities that the node enables, each with the local moves that it makes:
//!
//! - *prefix, choice, constant*: the activities of the local state (choices and constants are already
//!   resolved);
//! - *hiding*: an action of the set becomes `tau`;
//! - *cooperation*: an action outside the set is done by one side alone; an action `a` in the set by both, at
//!   `R = r1 / r_a(E) * r2 / r_a(F) * min(r_a(E), r_a(F))`.
//!
//! The apparent rate `r_a(E)` is the sum of the rates of the `a`-activities that `E` enables. Passive
//! activities have weights instead of rates: `w1 T + w2 T = (w1 + w2) T`, `min(w1 T, w2 T) = min(w1, w2) T`,
//! and `min(r, w T) = r`. The sum of an active and a passive rate does not exist.

pub mod explore;

use std::fmt;

use crate::model::{ActionId, LocalStateId, Model, Node, Position};
use crate::number::Number;
use crate::rate::ActivityRate;

/// A state of the model: one local state for every position.
pub type State = Vec<LocalStateId>;

/// A transition of the labelled multi-transition system.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition<N> {
    /// The action type; `tau` if it was hidden.
    pub action: ActionId,
    /// Its rate.
    pub rate: N,
    /// The state that it leads to.
    pub target: State,
}

/// A state in which some activity has no rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotWellDefined {
    /// The activity is passive at the top of the system, so no component sets its rate.
    Passive(ActionId),
    /// The action's apparent rate would be the sum of an active and a passive one.
    Mixed(ActionId),
}

impl NotWellDefined {
    /// The problem in words.
    #[must_use]
    pub fn describe(&self, model: &Model) -> String {
        match self {
            NotWellDefined::Passive(action) => {
                format!(
                    "`{}` is enabled and passive in all its partners, so it has no rate",
                    model.action(*action)
                )
            }
            NotWellDefined::Mixed(action) => format!(
                "`{}` is active and passive in one apparent rate, which has no value",
                model.action(*action)
            ),
        }
    }

    /// What to write instead.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match self {
            NotWellDefined::Passive(_) => "one of the partners needs a rate there",
            NotWellDefined::Mixed(_) => {
                "give all of its activities that meet there a rate, or all of them `infty`"
            }
        }
    }
}

impl fmt::Display for NotWellDefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotWellDefined::Passive(_) => f.write_str("an activity is passive at the top of the system"),
            NotWellDefined::Mixed(_) => f.write_str("an apparent rate is both active and passive"),
        }
    }
}

impl std::error::Error for NotWellDefined {}

/// An activity that a node of the tree enables.
struct Enabled<N> {
    action: ActionId,
    rate: ActivityRate<N>,
    moves: Vec<(Position, LocalStateId)>,
}

/// The activities of the two sides of a cooperation on one action.
type BothSides<N> = (Vec<Enabled<N>>, Vec<Enabled<N>>);

/// The transition relation of a model, with rates as numbers of one type.
///
/// # Examples
/// ```
/// use skel_core::semantics::Semantics;
/// // Apparent rates: P can do `a` at 1 and at 2, Q at 4; together at min(3, 4) = 3, split 1 : 2.
/// let text = "P = (a,1).P1 + (a,2).P2; P1 = (b,1).P; P2 = (c,1).P; Q = (a,4).Q; P <a> Q";
/// let model = skel_core::text::parse(text).into_model().unwrap();
/// let rates: Vec<f64> = Semantics::<f64>::new(&model)
///     .successors(&model.initial_state()).unwrap().into_iter().map(|t| t.rate).collect();
/// assert_eq!(rates, [1.0, 2.0]);
/// ```
#[derive(Debug)]
pub struct Semantics<'m, N> {
    model: &'m Model,
    rates: Vec<ActivityRate<N>>,
}

impl<'m, N: Number> Semantics<'m, N> {
    /// The semantics of a model.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        let rates = model.rates().iter().map(|entry| entry.value.map(N::from_ratio)).collect();
        Semantics { model, rates }
    }

    /// The transitions that leave a state. The order depends on the model and the state alone.
    ///
    /// # Errors
    /// If an activity of the state has no rate.
    pub fn successors(&self, state: &[LocalStateId]) -> Result<Vec<Transition<N>>, NotWellDefined> {
        self.root(state)?
            .into_iter()
            .map(|enabled| {
                let ActivityRate::Active(rate) = enabled.rate else {
                    return Err(NotWellDefined::Passive(enabled.action));
                };
                let mut target = state.to_vec();
                for (position, local) in enabled.moves {
                    target[position.index()] = local;
                }
                Ok(Transition { action: enabled.action, rate, target })
            })
            .collect()
    }

    fn root(&self, state: &[LocalStateId]) -> Result<Vec<Enabled<N>>, NotWellDefined> {
        let mut at_nodes: Vec<Vec<Enabled<N>>> = Vec::with_capacity(self.model.nodes().len());
        for node in self.model.nodes() {
            let enabled = match node {
                Node::Leaf(position) => self.leaf(*position, state[position.index()]),
                Node::Hiding { of, set } => {
                    let mut enabled = std::mem::take(&mut at_nodes[of.index()]);
                    for activity in enabled.iter_mut().filter(|activity| set.contains(activity.action)) {
                        activity.action = ActionId::TAU;
                    }
                    enabled
                }
                Node::Cooperation { left, right, set } => {
                    let left = std::mem::take(&mut at_nodes[left.index()]);
                    let right = std::mem::take(&mut at_nodes[right.index()]);
                    cooperate(left, right, |action| set.contains(action))?
                }
            };
            at_nodes.push(enabled);
        }
        Ok(at_nodes.pop().unwrap_or_default())
    }

    fn leaf(&self, position: Position, local: LocalStateId) -> Vec<Enabled<N>> {
        let activities = &self.model.local_state(local).activities;
        activities
            .iter()
            .map(|activity| Enabled {
                action: activity.action,
                rate: self.rates[activity.rate.index()].clone(),
                moves: vec![(position, activity.target)],
            })
            .collect()
    }
}

/// The three rules of cooperation.
fn cooperate<N: Number>(
    left: Vec<Enabled<N>>,
    right: Vec<Enabled<N>>,
    synchronises: impl Fn(ActionId) -> bool,
) -> Result<Vec<Enabled<N>>, NotWellDefined> {
    let mut enabled = Vec::new();
    let mut shared: Vec<(ActionId, BothSides<N>)> = Vec::new();
    for activity in left {
        if synchronises(activity.action) {
            both_sides_of(&mut shared, activity.action).0.push(activity);
        } else {
            enabled.push(activity);
        }
    }
    for activity in right {
        if synchronises(activity.action) {
            both_sides_of(&mut shared, activity.action).1.push(activity);
        } else {
            enabled.push(activity);
        }
    }
    for (action, (left, right)) in shared {
        let (Some(of_left), Some(of_right)) = (apparent_rate(&left)?, apparent_rate(&right)?) else {
            continue;
        };
        let together = slower(&of_left, &of_right);
        for one in &left {
            for other in &right {
                let share = one.rate.magnitude().clone() / of_left.magnitude().clone()
                    * (other.rate.magnitude().clone() / of_right.magnitude().clone());
                enabled.push(Enabled {
                    action,
                    rate: together.map(|magnitude| share.clone() * magnitude.clone()),
                    moves: one.moves.iter().chain(&other.moves).copied().collect(),
                });
            }
        }
    }
    Ok(enabled)
}

/// The entry of an action in a list that ascends by actions, a new one where there is none.
fn both_sides_of<N>(shared: &mut Vec<(ActionId, BothSides<N>)>, action: ActionId) -> &mut BothSides<N> {
    let at = match shared.binary_search_by_key(&action, |(known, _)| *known) {
        Ok(at) => at,
        Err(at) => {
            shared.insert(at, (action, (Vec::new(), Vec::new())));
            at
        }
    };
    &mut shared[at].1
}

/// The sum of the rates of activities of one action; none if there are none.
fn apparent_rate<N: Number>(activities: &[Enabled<N>]) -> Result<Option<ActivityRate<N>>, NotWellDefined> {
    let Some((first, rest)) = activities.split_first() else { return Ok(None) };
    let mut sum = first.rate.magnitude().clone();
    for activity in rest {
        if activity.rate.is_passive() != first.rate.is_passive() {
            return Err(NotWellDefined::Mixed(first.action));
        }
        sum = sum + activity.rate.magnitude().clone();
    }
    Ok(Some(first.rate.map(|_| sum)))
}

/// The minimum of two apparent rates. Every active rate is less than every passive one.
fn slower<N: Number>(left: &ActivityRate<N>, right: &ActivityRate<N>) -> ActivityRate<N> {
    match (left.is_passive(), right.is_passive()) {
        (false, true) => left.clone(),
        (true, false) => right.clone(),
        _ if left.magnitude() <= right.magnitude() => left.clone(),
        _ => right.clone(),
    }
}
