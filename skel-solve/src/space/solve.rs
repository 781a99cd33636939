//! From a space to its answers: the methods of [`StateSpace`] that solve. The work is in [`crate::steady`].

use skel_core::number::Ratio;

use super::StateSpace;
use crate::error::Error;
use crate::limits::Limits;
use crate::steady::{self, Question, SteadyState};

impl<M: ?Sized> StateSpace<M> {
    /// The steady state in `f64`; see [`crate::steady`].
    ///
    /// # Errors
    /// Several recurrent classes, a deadlock in which every run ends, or no method gave an answer within the tolerance for certain.
    ///
    /// # Examples
    /// A deadlock is no steady state, and the error has the way there; the long run is known.
    /// ```
    /// use skel::prelude::*;
    /// let text = "P = (go, 1).(a, 1).(b, 1).P; Q = (b, 1).(a, 1).Q; P <a, b> Q";
    /// let space = Model::from_text(text)?.explore()?;
    /// let Err(skel::Error::Deadlock(deadlock)) = space.steady_state() else { panic!("it deadlocks") };
    /// assert_eq!(deadlock.path(), ["go"]);
    /// assert!(deadlock.to_string().starts_with("the model deadlocks after `go`, in the state `(a, 1).(b, 1).P || Q`"));
    /// assert_eq!(space.long_run()?.throughput_of("go")?, 0.0);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn steady_state(&self) -> Result<SteadyState<M, f64>, Error> {
        self.steady_state_within(&Limits::default(), &steady::Options::default())
    }

    /// The steady state in `f64`, within limits and with options.
    ///
    /// # Errors
    /// As [`Self::steady_state`], or a limit was reached.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// use skel_solve::Explore;
    /// use skel_solve::{Limits, steady::Options};
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P")?.explore()?;
    /// let options = Options { direct_up_to: 0, ..Options::default() };
    /// let pi = space.steady_state_within(&Limits::default(), &options)?;
    /// assert!((pi.throughput_of("go")? - 0.75).abs() < 1e-12);
    /// let limits = Limits { memory: 100, ..Limits::default() };
    /// assert!(space.steady_state_within(&limits, &options).is_err());
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn steady_state_within(
        &self,
        limits: &Limits,
        options: &steady::Options,
    ) -> Result<SteadyState<M, f64>, Error> {
        let question = Question::SteadyState { allow_deadlock: options.allow_deadlock };
        Ok(steady::in_floats(question, &self.untyped(), None, limits, options)?.typed(self))
    }

    /// The steady state in `f64`, where that with nearby rates is known: iterative methods start from it. The answer is as good as
    /// any, by the same checks; for small chains, which are eliminated, nothing changes. For a pipeline of 6,561 states, one of
    /// whose 17 rates has changed by a millionth, 12 iterations do instead of 16; by a hundredth, 14.
    ///
    /// # Errors
    /// As [`Self::steady_state`], or the start has another number of states.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pepa! { model Queues { lambda = 1; mu = 2; E = (arrive, lambda).F; F = (serve, mu).E; E[10] } }
    /// let space = Queues::new().explore()?;
    /// let pi = space.steady_state()?;
    /// let faster = space.with_rates(&[(Queues::mu, 2.01.into())])?.steady_state_from(&pi)?;
    /// assert!((faster.throughput(Queues::serve) - 20.1 / 3.01).abs() < 1e-9);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn steady_state_from(&self, start: &SteadyState<M, f64>) -> Result<SteadyState<M, f64>, Error> {
        self.steady_state_from_within(start, &Limits::default(), &steady::Options::default())
    }

    /// As [`Self::steady_state_from`], within limits and with options.
    ///
    /// # Errors
    /// As [`Self::steady_state_from`], or a limit was reached.
    pub fn steady_state_from_within(
        &self,
        start: &SteadyState<M, f64>,
        limits: &Limits,
        options: &steady::Options,
    ) -> Result<SteadyState<M, f64>, Error> {
        let (states, others) = (self.states(), start.probabilities().len());
        if states != others {
            return Err(Error::Unknown(format!(
                "a space of {states} states has no steady state to start from in one of {others}"
            )));
        }
        let start = Some(start.probabilities());
        let question = Question::SteadyState { allow_deadlock: options.allow_deadlock };
        Ok(steady::in_floats(question, &self.untyped(), start, limits, options)?.typed(self))
    }

    /// The steady state as exact fractions, each verified. The cost is that of one elimination in words, and two
    /// multiplications for each of its entries and each 18 digits of the fractions: a hundredth of a second for a
    /// pipeline of 243 states, whose fractions have 76 digits above and below, a few seconds for one of 6,561 states and 3,100
    /// digits. Rates with many digits make fractions long.
    ///
    /// # Errors
    /// Several recurrent classes, a deadlock in which every run ends, or a default limit was reached.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{model::Model, number::ratio};
    /// use skel_solve::Explore;
    /// let space = Model::from_text("P = (go, 1e-12).Q; Q = (back, 1/3).P; P[9]")?.explore()?;
    /// let pi = space.steady_state_exact()?;
    /// assert_eq!(space.states(), 512);
    /// assert_eq!(pi.throughput_of("go")?, ratio(9, 1_000_000_000_003));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn steady_state_exact(&self) -> Result<SteadyState<M, Ratio>, Error> {
        self.steady_state_exact_within(&Limits::default())
    }

    /// The steady state as exact fractions, within limits.
    ///
    /// # Errors
    /// As [`Self::steady_state_exact`], or a limit was reached.
    pub fn steady_state_exact_within(&self, limits: &Limits) -> Result<SteadyState<M, Ratio>, Error> {
        let question = Question::SteadyState { allow_deadlock: false };
        Ok(steady::in_fractions(question, &self.untyped(), limits)?.typed(self))
    }

    /// The distribution in the long run, from the initial state, in `f64`: the steady state where there is one, in a
    /// deadlock the state of it, and with several recurrent classes the probability that a run ends in each, times its own steady state.
    ///
    /// # Errors
    /// No method gave an answer within the tolerance for certain.
    ///
    /// # Examples
    /// ```
    /// use skel_solve::Explore;
    /// let text = "P = (left, 1).L + (right, 3).R; L = (stay, 1).L; R = (stay, 1).R; P";
    /// let space = skel_core::text::parse(text).into_model().unwrap().explore().unwrap();
    /// assert!(space.steady_state().is_err());
    /// assert_eq!(space.long_run().unwrap().probabilities(), [0.0, 0.25, 0.75]);
    /// ```
    pub fn long_run(&self) -> Result<SteadyState<M, f64>, Error> {
        self.long_run_within(&Limits::default(), &steady::Options::default())
    }

    /// The distribution in the long run in `f64`, within limits and with options.
    ///
    /// # Errors
    /// As [`Self::long_run`], or a limit was reached.
    pub fn long_run_within(
        &self,
        limits: &Limits,
        options: &steady::Options,
    ) -> Result<SteadyState<M, f64>, Error> {
        Ok(steady::in_floats(Question::LongRun, &self.untyped(), None, limits, options)?.typed(self))
    }

    /// The distribution in the long run as exact fractions, at the cost of [`Self::steady_state_exact`].
    ///
    /// # Errors
    /// A default limit was reached.
    pub fn long_run_exact(&self) -> Result<SteadyState<M, Ratio>, Error> {
        self.long_run_exact_within(&Limits::default())
    }

    /// The distribution in the long run as exact fractions, within limits.
    ///
    /// # Errors
    /// A limit was reached.
    pub fn long_run_exact_within(&self, limits: &Limits) -> Result<SteadyState<M, Ratio>, Error> {
        Ok(steady::in_fractions(Question::LongRun, &self.untyped(), limits)?.typed(self))
    }
}
