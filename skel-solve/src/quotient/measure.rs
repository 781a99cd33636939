//! The measures that a quotient preserves. Each is the mean of a reward that is assigned to every state.
//!
//! | measure | reward of a state |
//! |---|---|
//! | throughput of an action | the sum of the rates at which the state does it |
//! | population of a local state | the number of components in it |
//! | utilisation of a local state | the same, divided by the number of components that have this local state |
//! | probability of a pattern, or of a condition | 1 where it holds, 0 elsewhere |
//! | result line | its factor times the reward of its pattern |

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use num_traits::One;
use skel_core::model::handle::{ActionOf, LocalStateOf};
use skel_core::model::{ActionId, LocalStateId, Model, Position};
use skel_core::number::{Ratio, ratio};
use skel_core::rate::RateExpression;

use crate::error::Error;
use crate::space::{StateSpace, WantedLocal};

/// A measure that a [quotient](crate::quotient::Quotient) preserves.
///
/// Handles of the model `M` cannot be wrong; names are looked up when the quotient is made.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::quotient::Measure;
/// pepa! { model Office { W = (write, 1).Q; Q = (print, 2).W; W || W || W } }
/// let busy = [Measure::population_of(Office::Q)];
/// let quotient = Office::new().explore()?.quotient(&busy)?;
/// assert_eq!(quotient.states(), 4);
/// assert!((quotient.steady_state()?.value(&busy[0])? - 1.0).abs() < 1e-12);
/// # Ok::<(), skel::Error>(())
/// ```
pub struct Measure<M: ?Sized = Model> {
    kind: MeasureKind,
    model: PhantomData<fn() -> Box<M>>,
}

/// A condition on the number of a state.
type Condition = Arc<dyn Fn(usize) -> bool + Send + Sync>;

#[derive(Clone)]
enum MeasureKind {
    Throughput(Named<ActionId>),
    Throughputs(Vec<Named<ActionId>>),
    Population(Named<LocalStateId>),
    Utilisation(Named<LocalStateId>),
    Pattern(String),
    Result(String),
    Condition(String, Condition),
}

#[derive(Clone)]
enum Named<I> {
    Id(I),
    Name(String),
}

impl<M: ?Sized> Measure<M> {
    fn new(kind: MeasureKind) -> Self {
        Measure { kind, model: PhantomData }
    }

    /// How often an action is done per unit of time.
    #[must_use]
    pub fn throughput_of(action: ActionOf<M>) -> Self {
        Self::new(MeasureKind::Throughput(Named::Id(action.id())))
    }

    /// The throughput of the action with a given name.
    #[must_use]
    pub fn throughput_named(action: &str) -> Self {
        Self::new(MeasureKind::Throughput(Named::Name(action.to_owned())))
    }

    /// How often any of the named actions is done per unit of time. A name that occurs twice counts once.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// let space = Model::from_text("r = 2; P = (left, r).P + (right, 3).P; P")?.explore()?;
    /// let both = Measure::throughputs_named(&["left", "right"]);
    /// let gains = space.steady_state_exact()?.derivatives(&both)?;
    /// assert_eq!((gains.value(), gains.by("r")?), (&ratio(5, 1), ratio(1, 1)));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn throughputs_named(actions: &[&str]) -> Self {
        let named = |action: &&str| Named::Name((*action).to_owned());
        Self::new(MeasureKind::Throughputs(actions.iter().map(named).collect()))
    }

    /// How often any of these actions is done per unit of time.
    #[must_use]
    pub fn throughputs_of(actions: &[ActionOf<M>]) -> Self {
        Self::new(MeasureKind::Throughputs(actions.iter().map(|action| Named::Id(action.id())).collect()))
    }

    /// The expected number of components in a local state.
    #[must_use]
    pub fn population_of(state: LocalStateOf<M>) -> Self {
        Self::new(MeasureKind::Population(Named::Id(state.id())))
    }

    /// The expected number of components in the local state with a given name.
    #[must_use]
    pub fn population_named(state: &str) -> Self {
        Self::new(MeasureKind::Population(Named::Name(state.to_owned())))
    }

    /// The probability that a copy of a local state's component is in it.
    #[must_use]
    pub fn utilisation_of(state: LocalStateOf<M>) -> Self {
        Self::new(MeasureKind::Utilisation(Named::Id(state.id())))
    }

    /// The probability that a copy of the component is in the local state with a given name.
    #[must_use]
    pub fn utilisation_named(state: &str) -> Self {
        Self::new(MeasureKind::Utilisation(Named::Name(state.to_owned())))
    }

    /// The probability of the states that match a pattern, such as `P || **`.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P || P || P")?.explore()?;
    /// let first = [Measure::probability_of("Q || ** || **")];
    /// let quotient = space.quotient_exact(&first)?;
    /// assert_eq!((quotient.states(), quotient.steady_state_exact()?.value(&first[0])?), (2, ratio(1, 4)));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn probability_of(pattern: &str) -> Self {
        Self::new(MeasureKind::Pattern(pattern.to_owned()))
    }

    /// The value of the result line with a given name.
    #[must_use]
    pub fn result_named(name: &str) -> Self {
        Self::new(MeasureKind::Result(name.to_owned()))
    }

    /// The probability of the states in which a condition on the number of the state holds. The condition has
    /// a name, which identifies the measure.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P[3]")?.explore()?;
    /// let states = space.clone();
    /// let is_away = move |number| !states.display_state(number).contains('P');
    /// let all_away = [Measure::probability("all away", is_away)];
    /// let quotient = space.quotient_exact(&all_away)?;
    /// assert_eq!(quotient.steady_state_exact()?.value(&all_away[0])?, ratio(1, 64));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn probability(name: &str, condition: impl Fn(usize) -> bool + Send + Sync + 'static) -> Self {
        Self::new(MeasureKind::Condition(name.to_owned(), Arc::new(condition)))
    }

    /// The reward of this measure in a space.
    ///
    /// # Errors
    /// The model lacks a name or does not fit a pattern, or the pattern distinguishes components that were
    /// lumped.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn reward(&self, space: &StateSpace) -> Result<Reward, Error> {
        self.kind.reward(space)
    }

    /// The factor of the measure, if it has one that may depend on rates.
    pub(crate) fn factor<'m>(&self, model: &'m Model) -> Option<&'m RateExpression> {
        match &self.kind {
            MeasureKind::Result(name) => {
                model.results().iter().find(|line| line.name == *name)?.factor.as_ref()
            }
            _ => None,
        }
    }
}

impl<M: ?Sized> Clone for Measure<M> {
    fn clone(&self) -> Self {
        Self::new(self.kind.clone())
    }
}

impl<M: ?Sized> fmt::Debug for Measure<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name): (_, &dyn fmt::Debug) = match &self.kind {
            MeasureKind::Throughput(action) => ("throughput", action),
            MeasureKind::Throughputs(actions) => ("throughputs", actions),
            MeasureKind::Population(state) => ("population", state),
            MeasureKind::Utilisation(state) => ("utilisation", state),
            MeasureKind::Pattern(text) | MeasureKind::Condition(text, _) => ("probability", text),
            MeasureKind::Result(name) => ("result", name),
        };
        write!(f, "Measure({kind} {name:?})")
    }
}

impl<I: fmt::Debug> fmt::Debug for Named<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Named::Id(id) => id.fmt(f),
            Named::Name(name) => name.fmt(f),
        }
    }
}

/// A measure of one space: its name, and the quantities that it counts in a state, each with a factor.
#[derive(Clone)]
pub(crate) struct Reward {
    pub(crate) name: String,
    pub(crate) parts: Vec<(Quantity, Ratio)>,
}

/// A quantity of a state.
#[derive(Clone)]
pub(crate) enum Quantity {
    /// The rates of an action.
    Rates(ActionId),
    /// The number of these positions that are in the local states with these numbers.
    Positions(Vec<WantedLocal>),
    /// 1 if all of these positions are in the local states with these numbers, and 0 otherwise.
    Pattern(Vec<WantedLocal>),
    /// 1 if the condition holds for the number of the state, and 0 otherwise.
    Condition(Condition),
}

impl Quantity {
    /// The action whose rates are added up, if the quantity is of this kind.
    pub(crate) fn action(&self) -> Option<ActionId> {
        match self {
            Quantity::Rates(action) => Some(*action),
            _ => None,
        }
    }

    /// The value of a quantity other than rates in a state.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn number(&self, space: &StateSpace, state: usize) -> u32 {
        match self {
            Quantity::Rates(_) => 0,
            Quantity::Positions(wanted) => space.count_in(state, wanted) as u32,
            Quantity::Pattern(wanted) => u32::from(space.count_in(state, wanted) == wanted.len()),
            Quantity::Condition(condition) => u32::from(condition(state)),
        }
    }
}

impl MeasureKind {
    #[cfg_attr(debug_assertions, inline)]
    fn reward(&self, space: &StateSpace) -> Result<Reward, Error> {
        let model = space.model();
        match self {
            MeasureKind::Throughput(action) => Ok(throughput(action_id(action, space)?, space)),
            MeasureKind::Throughputs(actions) => throughputs(actions, space),
            MeasureKind::Population(state) => Ok(population(local_state_id(state, model)?, space)),
            MeasureKind::Utilisation(state) => Ok(utilisation(local_state_id(state, model)?, space)),
            MeasureKind::Pattern(text) => {
                pattern(format!("the pattern `{text}`"), &model.pattern(text)?, Ratio::one(), space)
            }
            MeasureKind::Result(name) => result(name, space),
            MeasureKind::Condition(name, condition) => {
                let parts = vec![(Quantity::Condition(Arc::clone(condition)), Ratio::one())];
                Ok(Reward { name: format!("the probability of `{name}`"), parts })
            }
        }
    }
}

#[cfg_attr(debug_assertions, inline)]
fn action_id(action: &Named<ActionId>, space: &StateSpace) -> Result<ActionId, Error> {
    let id = match action {
        Named::Id(id) => *id,
        Named::Name(name) => action_named(name, space.model())?,
    };
    match space.is_immediate(id) {
        false => Ok(id),
        true => Err(Error::Unknown(format!(
            "`{}` takes no time, so no state does it at a rate; ask for the throughput of the actions that it follows",
            space.model().action(id)
        ))),
    }
}

#[cfg_attr(debug_assertions, inline)]
fn action_named(name: &str, model: &Model) -> Result<ActionId, Error> {
    let mut names = model.actions().map(|(_, name)| name);
    model.action_named(name).ok_or_else(|| Error::unknown("action", name, &mut names))
}

#[cfg_attr(debug_assertions, inline)]
fn local_state_id(state: &Named<LocalStateId>, model: &Model) -> Result<LocalStateId, Error> {
    match state {
        Named::Id(id) => Ok(*id),
        Named::Name(name) => {
            let mut names = model.local_states().iter().map(|state| state.name.as_str());
            model.local_state_named(name).ok_or_else(|| Error::unknown("local state", name, &mut names))
        }
    }
}

#[cfg_attr(debug_assertions, inline)]
fn throughput(action: ActionId, space: &StateSpace) -> Reward {
    let name = format!("the throughput of `{}`", space.model().action(action));
    let (counted, equivalent) = match space.lumping() {
        Some(lumping) => (lumping.representative(action), lumping.equivalent_actions(action)),
        None => (action, 1),
    };
    Reward { name, parts: vec![(Quantity::Rates(counted), ratio(1, equivalent.into()))] }
}

#[cfg_attr(debug_assertions, inline)]
fn throughputs(actions: &[Named<ActionId>], space: &StateSpace) -> Result<Reward, Error> {
    let ids = actions.iter().map(|action| action_id(action, space));
    let mut ids = ids.collect::<Result<Vec<ActionId>, Error>>()?;
    ids.sort_unstable();
    ids.dedup();
    let names: Vec<&str> = ids.iter().map(|&id| space.model().action(id)).collect();
    let mut parts: Vec<(Quantity, Ratio)> = Vec::new();
    for (count, factor) in ids.into_iter().flat_map(|id| throughput(id, space).parts) {
        // Actions that were lumped are counted together.
        match parts.iter_mut().find(|(known, _)| known.action() == count.action()) {
            Some((_, sum)) => *sum += factor,
            None => parts.push((count, factor)),
        }
    }
    Ok(Reward { name: format!("the throughput of `{}` together", names.join("`, `")), parts })
}

#[cfg_attr(debug_assertions, inline)]
fn population(state: LocalStateId, space: &StateSpace) -> Reward {
    let (parts, _) = positions_in(state, space);
    Reward { name: format!("the population of `{}`", space.model().local_state(state).name), parts }
}

#[cfg_attr(debug_assertions, inline)]
fn utilisation(state: LocalStateId, space: &StateSpace) -> Reward {
    let (mut parts, positions) = positions_in(state, space);
    parts.iter_mut().for_each(|(_, factor)| *factor /= Ratio::from_integer(positions.into()));
    Reward { name: format!("the utilisation of `{}`", space.model().local_state(state).name), parts }
}

/// The quantities that make up the population of a local state, and the number of positions that have this
/// local state.
///
/// A lumped state tells only how many equivalent positions are in each local state, so each of them has an
/// equal share.
#[cfg_attr(debug_assertions, inline)]
fn positions_in(state: LocalStateId, space: &StateSpace) -> (Vec<(Quantity, Ratio)>, usize) {
    let (mut parts, mut positions): (Vec<(Quantity, Ratio)>, usize) = (Vec::new(), 0);
    for at in 0..space.model().positions() {
        let equivalent = space.equivalent_positions(at);
        if equivalent[0] as usize != at {
            continue;
        }
        let numbers = equivalent.iter().filter_map(|&at| space.local_number(at as usize, state));
        let mut numbers: Vec<u32> = numbers.collect();
        numbers.sort_unstable();
        positions += numbers.len();
        for alike in numbers.chunk_by(|one, other| one == other) {
            let share = ratio(alike.len() as i64, equivalent.len() as i64);
            // Equivalent positions have components of equal size, so each has a local state of this number.
            let wanted = equivalent.iter().map(|&at| space.wanted(at, alike[0])).collect();
            match parts.iter_mut().find(|(_, known)| *known == share) {
                Some((Quantity::Positions(known), _)) => known.extend::<Vec<_>>(wanted),
                _ => parts.push((Quantity::Positions(wanted), share)),
            }
        }
    }
    (parts, positions)
}

#[cfg_attr(debug_assertions, inline)]
fn result(name: &str, space: &StateSpace) -> Result<Reward, Error> {
    let model = space.model();
    let lines = model.results();
    let line = lines.iter().find(|line| line.name == name);
    let line =
        line.ok_or_else(|| Error::unknown("result", name, &mut lines.iter().map(|line| line.name.as_str())))?;
    let factor = model
        .factor(line)
        .map_err(|problem| Error::Unknown(format!("the factor of the result `{name}` {problem}")))?;
    pattern(format!("the result `{name}`"), &line.pattern, factor, space)
}

#[cfg_attr(debug_assertions, inline)]
fn pattern(
    name: String,
    pattern: &[Option<LocalStateId>],
    factor: Ratio,
    space: &StateSpace,
) -> Result<Reward, Error> {
    let wanted = crate::measure::wanted(pattern, space, &name)?.into_iter();
    // A local state that the position never has gets a number that nothing has.
    let number = |at: Position, state| space.local_number(at.index(), state).unwrap_or(u32::MAX);
    let wanted = wanted.map(|(at, state)| space.wanted(at.0, number(at, state))).collect();
    Ok(Reward { name, parts: vec![(Quantity::Pattern(wanted), factor)] })
}
