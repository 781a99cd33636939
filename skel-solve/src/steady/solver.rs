//! Asking a space for its steady state. The work is in [`solution`].

use skel_core::number::Ratio;

use super::solution::{self, Question};
use super::{Method, Options, SteadyState};
use crate::error::Error;
use crate::limits::Limits;
use crate::space::StateSpace;

impl<M: ?Sized> StateSpace<M> {
    /// The steady state in `f64`, with the default limits and options; see [`crate::steady`].
    ///
    /// # Errors
    /// Several recurrent classes, a deadlock in which every run ends, or no method gave an answer that is certain to be within
    /// the tolerance.
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
    /// assert_eq!(space.solver().long_run().solve()?.throughput_named("go")?, 0.0);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn steady_state(&self) -> Result<SteadyState<M, f64>, Error> {
        self.solver().solve()
    }

    /// The steady state as exact fractions, each verified, with the default limits; see [`Solver::exact`].
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
    /// assert_eq!(pi.throughput_named("go")?, ratio(9, 1_000_000_000_003));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn steady_state_exact(&self) -> Result<SteadyState<M, Ratio>, Error> {
        self.solver().exact().solve()
    }

    /// Asks for the steady state in another way: within other limits, by another method, from a nearby solution, exactly; or
    /// for the distribution in the long run.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// use skel_solve::{Explore, Limits, steady::Method};
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P")?.explore()?;
    /// let pi = space.solver().method(Method::Gmres).tolerance(1e-12).solve()?;
    /// assert!((pi.throughput_named("go")? - 0.75).abs() < 1e-12);
    /// let limits = Limits { memory: 100, ..Limits::default() };
    /// assert!(space.solver().method(Method::Gmres).limits(&limits).solve().is_err());
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn solver(&self) -> Solver<'_, M> {
        Solver {
            space: self,
            is_long_run: false,
            start: None,
            limits: Limits::default(),
            options: Options::default(),
        }
    }
}

/// A solution in `f64` that is about to begin: set what is to be different, then call [`Solver::solve`].
#[must_use]
pub struct Solver<'s, M: ?Sized> {
    space: &'s StateSpace<M>,
    is_long_run: bool,
    start: Option<&'s [f64]>,
    limits: Limits,
    options: Options,
}

impl<'s, M: ?Sized> Solver<'s, M> {
    /// Solves within these limits.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// Takes all options at once.
    pub fn options(mut self, options: &Options) -> Self {
        self.options = options.clone();
        self
    }

    /// The largest relative error that a probability may have; see [`Options::tolerance`].
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.options.tolerance = tolerance;
        self
    }

    /// Solves by this method alone; see [`Options::method`].
    pub fn method(mut self, method: Method) -> Self {
        self.options.method = method;
        self
    }

    /// Starts iterative methods from a known solution, for nearby rates, of the same states. The answer passes the same checks as any
    /// other; small chains are eliminated, so for them nothing changes. For a pipeline of 6,561 states, one of whose 17
    /// rates has changed by a millionth, 12 iterations suffice instead of 16; after a change of a hundredth, 14.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pepa! { model Queues { lambda = 1; mu = 2; E = (arrive, lambda).F; F = (serve, mu).E; E[10] } }
    /// let space = Queues::new().explore()?;
    /// let pi = space.steady_state()?;
    /// let faster = space.with_rates(&[(Queues::mu, 2.01.into())])?;
    /// let pi = faster.solver().start_from(&pi).solve()?;
    /// assert!((pi.throughput_of(Queues::serve) - 20.1 / 3.01).abs() < 1e-9);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn start_from(mut self, known: &'s SteadyState<M, f64>) -> Self {
        self.start = Some(known.probabilities());
        self
    }

    /// Asks for the distribution in the long run, from the initial state: the steady state where there is one, and with
    /// several recurrent classes the probability that a run ends in each, times the steady state of that class.
    ///
    /// # Examples
    /// ```
    /// use skel_solve::Explore;
    /// let text = "P = (left, 1).L + (right, 3).R; L = (stay, 1).L; R = (stay, 1).R; P";
    /// let space = skel_core::text::parse(text).into_model().unwrap().explore().unwrap();
    /// assert!(space.steady_state().is_err());
    /// assert_eq!(space.solver().long_run().solve().unwrap().probabilities(), [0.0, 0.25, 0.75]);
    /// ```
    pub fn long_run(mut self) -> Self {
        self.is_long_run = true;
        self
    }

    /// Answers also where every run ends in one deadlock; see [`Options::allow_deadlock`].
    pub fn allow_deadlock(mut self) -> Self {
        self.options.allow_deadlock = true;
        self
    }

    /// Asks for exact fractions, each of which is verified; a method, a tolerance and a start do not count for them.
    ///
    /// The cost is that of one elimination in machine words, and two multiplications for each of its entries and each 18 digits
    /// of the fractions: a hundredth of a second for a pipeline of 243 states, whose fractions have 76 digits above and
    /// below, a few seconds for one of 6,561 states and 3,100 digits. Rates with many digits make fractions long.
    pub fn exact(self) -> ExactSolver<'s, M> {
        let allow_deadlock = self.options.allow_deadlock;
        ExactSolver { space: self.space, is_long_run: self.is_long_run, allow_deadlock, limits: self.limits }
    }

    /// Solves.
    ///
    /// # Errors
    /// Several recurrent classes or a deadlock in which every run ends, unless the long run is asked for; no method gave an answer that is certain to be within the
    /// tolerance; a limit was reached; or the start belongs to another number of states.
    pub fn solve(self) -> Result<SteadyState<M, f64>, Error> {
        let Solver { space, is_long_run, start, limits, options } = self;
        if let Some(others) = start.map(<[f64]>::len)
            && others != space.states()
        {
            let states = space.states();
            return Err(Error::Unknown(format!(
                "a solution over {others} states cannot be the start for a space of {states} states"
            )));
        }
        let question = question(is_long_run, options.allow_deadlock);
        Ok(solution::in_floats(question, &space.untyped(), start, &limits, &options)?.typed(space))
    }
}

/// A solution in exact fractions that is about to begin.
#[must_use]
pub struct ExactSolver<'s, M: ?Sized> {
    space: &'s StateSpace<M>,
    is_long_run: bool,
    allow_deadlock: bool,
    limits: Limits,
}

impl<M: ?Sized> ExactSolver<'_, M> {
    /// Solves within these limits.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// Answers also where every run ends in one deadlock; see [`Options::allow_deadlock`].
    pub fn allow_deadlock(mut self) -> Self {
        self.allow_deadlock = true;
        self
    }

    /// Asks for the distribution in the long run; see [`Solver::long_run`].
    pub fn long_run(mut self) -> Self {
        self.is_long_run = true;
        self
    }

    /// Solves.
    ///
    /// # Errors
    /// Several recurrent classes or a deadlock in which every run ends, unless the long run is asked for; or a limit was reached.
    pub fn solve(self) -> Result<SteadyState<M, Ratio>, Error> {
        let question = question(self.is_long_run, self.allow_deadlock);
        Ok(solution::in_fractions(question, &self.space.untyped(), &self.limits)?.typed(self.space))
    }
}

fn question(is_long_run: bool, allow_deadlock: bool) -> Question {
    if is_long_run { Question::LongRun } else { Question::SteadyState { allow_deadlock } }
}
