//! A probability distribution over the states of a model, and its measures.

use std::fmt;

use skel_core::model::handle::{ActionOf, LocalStateOf};
use skel_core::number::Number;

use super::ComponentUse;
use super::distribution::Distribution;
use super::weights::Weights;
use crate::error::Error;
use crate::space::StateSpace;

/// A probability distribution over the states of the model `M`, in `f64` or in exact fractions, and its
/// measures.
///
/// A [`SteadyState`](crate::SteadyState) is such a distribution, so a steady state has all methods of this
/// type.
pub struct Probabilities<M: ?Sized, N> {
    space: StateSpace<M>,
    /// The distribution without the type of the model, which computes all measures.
    distribution: Distribution<N>,
}

impl<M: ?Sized, N: Number> fmt::Debug for Probabilities<M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Probabilities({:?})", self.space)
    }
}

impl<M: ?Sized, N: Number> Probabilities<M, N> {
    /// A distribution from the probabilities of the states of a space and the throughput of each action.
    pub(crate) fn new(space: &StateSpace<M>, weights: Weights<N>, throughputs: Vec<N>) -> Self {
        let distribution = Distribution { space: space.untyped(), weights, throughputs };
        Probabilities { space: space.clone(), distribution }
    }

    /// The same distribution with the model's type of another space.
    pub(crate) fn typed<T: ?Sized>(self, space: &StateSpace<T>) -> Probabilities<T, N> {
        Probabilities { space: space.clone(), distribution: self.distribution }
    }

    /// The space whose states have these probabilities.
    #[must_use]
    pub fn space(&self) -> &StateSpace<M> {
        &self.space
    }

    /// The probability of each state, in the order of the states. Exact probabilities are reduced to lowest
    /// terms when this is first called, at the cost of one greatest common divisor for each state.
    /// Throughputs and other measures do not need this.
    #[must_use]
    pub fn probabilities(&self) -> &[N] {
        self.distribution.weights.numbers()
    }

    /// The probability of a set of states.
    pub(crate) fn probability_of_states(&self, states: &[u32]) -> N {
        self.distribution.probability_of_set(states)
    }

    /// How often an action is done per unit of time.
    ///
    /// # Examples
    /// ```
    /// use skel_solve::Explore;
    /// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 3).P; P").into_model().unwrap();
    /// let pi = model.explore().unwrap().steady_state_exact().unwrap();
    /// assert_eq!(pi.throughput_named("go").unwrap().to_string(), "3/4");
    /// ```
    #[must_use]
    pub fn throughput_of(&self, action: ActionOf<M>) -> N {
        self.distribution.throughput(action.id())
    }

    /// The throughput of the action with a given name.
    ///
    /// # Errors
    /// The model has no such action.
    pub fn throughput_named(&self, action: &str) -> Result<N, Error> {
        Ok(self.distribution.throughput(self.distribution.action(action)?))
    }

    /// The throughputs of all actions that are ever done, sorted by name.
    #[must_use]
    pub fn throughputs(&self) -> Vec<(&str, N)> {
        self.distribution.throughputs()
    }

    /// The probability that a copy of the local state's component is in it. This is its population, divided
    /// by the number of positions whose component has the local state.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pepa! { model Queues { E = (arrive, 1).F; F = (serve, 3).E; E[2] } }
    /// let pi = Queues::new().explore()?.steady_state_exact()?;
    /// assert_eq!(pi.utilisation_of(Queues::F), ratio(1, 4));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn utilisation_of(&self, state: LocalStateOf<M>) -> N {
        self.distribution.utilisation(state.id())
    }

    /// The probability that a copy of the component is in the local state with a given name.
    ///
    /// # Errors
    /// The model has no such local state.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{model::Model, number::ratio};
    /// use skel_solve::Explore;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P[4]")?;
    /// let pi = model.explore()?.steady_state_exact()?;
    /// assert_eq!(pi.utilisation_named("Q")?, ratio(1, 4));
    /// assert_eq!(pi.population_named("Q")?, ratio(1, 1));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn utilisation_named(&self, state: &str) -> Result<N, Error> {
        Ok(self.distribution.utilisation(self.distribution.local_state(state)?))
    }

    /// The expected number of components in a local state.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pepa! { model Queues { E = (arrive, 1).F; F = (serve, 3).E; E[2] } }
    /// let pi = Queues::new().explore()?.steady_state_exact()?;
    /// assert_eq!(pi.population_of(Queues::F), ratio(1, 2));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn population_of(&self, state: LocalStateOf<M>) -> N {
        self.distribution.population(state.id())
    }

    /// The expected number of components in the local state with a given name.
    ///
    /// # Errors
    /// The model has no such local state.
    pub fn population_named(&self, state: &str) -> Result<N, Error> {
        Ok(self.distribution.population(self.distribution.local_state(state)?))
    }

    /// For every component its local states and the probabilities that a copy is in them, in the order of the
    /// system equation. The copies of an array form one entry, and the probabilities are those of one copy.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pepa! { model Queues { E = (arrive, 1).F; F = (serve, 3).E; E[2] } }
    /// let pi = Queues::new().explore()?.steady_state_exact()?;
    /// let [queues] = pi.utilisations().try_into().unwrap();
    /// assert_eq!((queues.component.as_str(), queues.positions.len()), ("E", 2));
    /// assert_eq!(queues.local_states.iter().find(|(name, _)| name == "F").unwrap().1, ratio(1, 4));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn utilisations(&self) -> Vec<ComponentUse<N>> {
        self.distribution.utilisations()
    }

    /// The values of the model's result lines, in their order.
    ///
    /// # Errors
    /// A factor has no value with the current rates.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let text = "E = (arrive, 1).F; F = (serve, 3).E; E || E; both = {F || F}; rate = 3 * {F || **};";
    /// let pi = Model::from_text(text)?.explore()?.steady_state_exact()?;
    /// assert_eq!(pi.results()?, [("both", ratio(1, 16)), ("rate", ratio(3, 4))]);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn results(&self) -> Result<Vec<(&str, N)>, Error> {
        self.distribution.results()
    }

    /// The value of the result line with a given name.
    ///
    /// # Errors
    /// There is no such line, or its factor has no value.
    pub fn result_named(&self, name: &str) -> Result<N, Error> {
        self.distribution.result_named(name)
    }

    /// The probability of the states in which a condition on the number of the state holds.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pepa! { model Queues { E = (arrive, 1).F; F = (serve, 3).E; E[2] } }
    /// let pi = Queues::new().explore()?.steady_state_exact()?;
    /// let is_empty = |number: usize| pi.space().transitions_from(number).all(|(action, _, _)| action == Queues::arrive.id());
    /// assert_eq!(pi.probability(is_empty), ratio(9, 16));
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn probability(&self, condition: impl Fn(usize) -> bool) -> N {
        self.distribution.probability(&condition)
    }

    /// The probability of the states that match a pattern. A pattern has an entry for every component of the
    /// system equation, from left to right: a local state, or `**` for any.
    ///
    /// # Errors
    /// The text is not a pattern of the model, or it distinguishes components that were lumped.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{model::Model, number::ratio};
    /// use skel_solve::Explore;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P || P")?;
    /// let pi = model.explore()?.steady_state_exact()?;
    /// assert_eq!(pi.probability_matching("P || **")?, ratio(3, 4));
    /// assert_eq!(pi.probability_matching("P || Q")?, ratio(3, 16));
    /// let lumped = model.explorer().lumped().explore()?.steady_state_exact()?;
    /// assert!(lumped.probability_matching("P || **").unwrap_err().to_string().contains("lumped"));
    /// assert!(pi.probability_matching("R || **").unwrap_err().to_string().contains("not a local state of `P`"));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn probability_matching(&self, pattern: &str) -> Result<N, Error> {
        let wanted = self.space().model().pattern(pattern)?;
        self.distribution.matched(&wanted, &format!("the pattern `{pattern}`"))
    }

    /// The states with a probability above zero, by number, with their probabilities.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// use skel_solve::Explore;
    /// let model = Model::from_text("Start = (begin, 1).P; P = (go, 1).Q; Q = (back, 3).P; Start")?;
    /// let pi = model.explore()?.steady_state_exact()?;
    /// let shown: Vec<String> = pi
    ///     .distribution()
    ///     .map(|(number, probability)| format!("{} {probability}", pi.space().display_state(number)))
    ///     .collect();
    /// assert_eq!(shown, ["P 3/4", "Q 1/4"]);
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn distribution(&self) -> impl Iterator<Item = (usize, &N)> {
        self.probabilities().iter().enumerate().filter(|(_, probability)| !probability.is_zero())
    }
}
