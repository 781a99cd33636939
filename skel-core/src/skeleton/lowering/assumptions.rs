//! What the model of a skeleton takes for granted, in words.

use super::system::System;

impl System {
    /// What the model assumes of the program: a sentence each, for whoever reads its figures.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{pipe, task, Skeleton};
    /// let system = pipe((task(2.0), task(3.0))).communicating(10.0).lower()?;
    /// assert!(system.assumptions()[1].starts_with("there is no buffer between stages"));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn assumptions(&self) -> Vec<&'static str> {
        let mut assumptions = vec!["service times are exponential: a rate of 2 is a mean time of 1/2"];
        if self.graph().moves().next().is_some() {
            assumptions.push("there is no buffer between stages: a sender waits until its receiver is free");
        }
        if self.has_timed_moves() {
            assumptions.push(
                "a communication rate is that of each link: with 3 idle workers, items are sent at 3 times the rate",
            );
        }
        if self.immediate_moves().len() > 0 {
            assumptions.push(
                "moves whose communication is negligible take no time: they are removed from the chain",
            );
        }
        assumptions
    }
}
