//! Asking a steady state by the names of the model, and state by state.
//!
//! Names may come from a user, a file or another program, so these methods return errors that say what was meant;
//! the typed handles of [`crate::measure`] cannot be wrong.

use skel_core::model::Position;
use skel_core::number::{Number, ratio};

use crate::error::Error;
use crate::steady::SteadyState;

impl<M: ?Sized, N: Number> SteadyState<M, N> {
    /// The probability of the states that a pattern matches. It has an entry for every component of the system
    /// equation, from left to right: a local state, or `**` for any.
    ///
    /// # Errors
    /// If the text is no pattern of the model.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{model::Model, number::ratio};
    /// use skel_solve::Explore;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P || P")?;
    /// let pi = model.explore()?.steady_state_exact()?;
    /// assert_eq!(pi.probability_of("P || **")?, ratio(3, 4));
    /// assert_eq!(pi.probability_of("P || Q")?, ratio(3, 16));
    /// assert!(pi.probability_of("R || **").unwrap_err().to_string().contains("not a local state of `P`"));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn probability_of(&self, pattern: &str) -> Result<N, Error> {
        let pattern = self.space().model().pattern(pattern)?;
        let wanted: Vec<_> = pattern
            .into_iter()
            .enumerate()
            .filter_map(|(at, state)| state.map(|state| (Position::at(at), state)))
            .collect();
        Ok(self.probability(|number| {
            wanted.iter().all(|&(position, state)| self.space().local_state_at(number, position) == state)
        }))
    }

    /// The probability that a copy of a local state's component is in it, by the local state's name.
    ///
    /// # Errors
    /// If the model has no such local state.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{model::Model, number::ratio};
    /// use skel_solve::Explore;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P[4]")?;
    /// let pi = model.explore()?.steady_state_exact()?;
    /// assert_eq!(pi.utilisation_of("Q")?, ratio(1, 4));
    /// assert_eq!(pi.population_of("Q")?, ratio(1, 1));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn utilisation_of(&self, state: &str) -> Result<N, Error> {
        let population = self.population_of(state)?;
        let model = self.space().model();
        let is_its_place = |&at: &usize| {
            let states = &model.component(model.component_at(Position::at(at))).local_states;
            states.iter().any(|&id| model.local_state(id).name == state)
        };
        let positions = (0..model.positions()).filter(is_its_place).count();
        if positions == 0 {
            return Ok(N::zero());
        }
        Ok(population / N::from_ratio(&ratio(positions as i64, 1)))
    }

    /// The states that a long run visits, by number, with their probabilities.
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
