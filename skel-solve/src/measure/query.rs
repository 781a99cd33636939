//! Asking a steady state by patterns, and state by state.
//!
//! A pattern may come from a user, a file or another program, so a wrong one is an error that says what was meant.

use skel_core::number::Number;

use crate::error::Error;
use crate::steady::SteadyState;

impl<M: ?Sized, N: Number> SteadyState<M, N> {
    /// The probability of the states that a pattern matches. It has an entry for every component of the system
    /// equation, from left to right: a local state, or `**` for any.
    ///
    /// # Errors
    /// If the text is no pattern of the model, or tells apart components that were lumped.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{model::Model, number::ratio};
    /// use skel_solve::Explore;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P || P")?;
    /// let pi = model.explore()?.steady_state_exact()?;
    /// assert_eq!(pi.probability_of("P || **")?, ratio(3, 4));
    /// assert_eq!(pi.probability_of("P || Q")?, ratio(3, 16));
    /// let lumped = model.explore_lumped()?.steady_state_exact()?;
    /// assert!(lumped.probability_of("P || **").unwrap_err().to_string().contains("lumped"));
    /// assert!(pi.probability_of("R || **").unwrap_err().to_string().contains("not a local state of `P`"));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn probability_of(&self, pattern: &str) -> Result<N, Error> {
        let wanted = self.space().model().pattern(pattern)?;
        self.matched(&wanted, &format!("the pattern `{pattern}`"))
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
