//! Asking a space for its steady state. The work is in [`solution`].

use skel_core::number::Ratio;

use super::solution::{self, Question, Start};
use super::{Method, Options, SteadyState};
use crate::error::Error;
use crate::limits::Limits;
use crate::space::StateSpace;

impl<M: ?Sized> StateSpace<M> {
    /// The steady state in `f64`, with the default limits and options; see [`crate::steady`].
    ///
    /// # Errors
    /// Several recurrent classes, a deadlock in which every run ends, or no method gave an answer that is
    /// certain to be within the tolerance.
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

    /// Asks for the steady state in another way: within other limits, by another method, from a nearby
    /// solution, exactly; or for the distribution in the long run.
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
    start: Option<Beginning<'s, M>>,
    limits: Limits,
    options: Options,
}

/// Where iterations begin.
enum Beginning<'s, M: ?Sized> {
    Solution(&'s SteadyState<M, f64>),
    Guess(&'s [f64]),
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

    /// Starts iterative methods from a known solution, for nearby rates, of the same states. The answer
    /// passes the same checks as any other; small chains are eliminated, so for them nothing changes.
    ///
    /// Beside the probabilities, the way to the solution is used again: the method that had the answer, the
    /// order of the states, the defects that the chain amplifies, and the proof of a bound. All of it is
    /// checked with the new rates. Estimates of the error use the former one as long as no rate is more than
    /// a twentieth away from where it was made; after that a new one is made. A solution that doesn't help
    /// costs the iterations that were tried with it, and changes no digit that is certain.
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
        self.start = Some(Beginning::Solution(known));
        self
    }

    /// Starts iterative methods from an initial guess: a value for each state, none negative, which is scaled
    /// to sum one. The answer passes the same checks as any other. Where a [solution](Self::start_from) is
    /// known, that helps more.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E[10]")?.explore()?;
    /// let guess: Vec<f64> = (0..space.states() as u32).map(|state| 0.25_f64.powi(state.count_ones() as i32)).collect();
    /// let pi = space.solver().initial_guess(&guess).solve()?;
    /// assert!((pi.throughput_named("serve")? - 7.5).abs() < 1e-9);
    ///
    /// let refused = space.solver().initial_guess(&guess[1..]).solve().unwrap_err();
    /// assert_eq!(refused.to_string(), "the initial guess has 1023 values, and the space 1024 states; give one value for each state");
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn initial_guess(mut self, guess: &'s [f64]) -> Self {
        self.start = Some(Beginning::Guess(guess));
        self
    }

    /// Asks for the distribution in the long run, from the initial state: the steady state where there is
    /// one, and with several recurrent classes the probability that a run ends in each, times the steady
    /// state of that class.
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

    /// Asks for exact fractions, each of which is verified; a method, a tolerance and a start do not count
    /// for them.
    ///
    /// The cost is that of one elimination in machine words, and two multiplications for each of its entries
    /// and each 18 digits of the fractions: a hundredth of a second for a pipeline of 243 states, whose
    /// fractions have 76 digits above and below, a few seconds for one of 6,561 states and 3,100 digits.
    /// Rates with many digits make fractions long.
    pub fn exact(self) -> ExactSolver<'s, M> {
        let allow_deadlock = self.options.allow_deadlock;
        ExactSolver { space: self.space, is_long_run: self.is_long_run, allow_deadlock, limits: self.limits }
    }

    /// Solves.
    ///
    /// # Errors
    /// Several recurrent classes or a deadlock in which every run ends, unless the long run is asked for; no
    /// method gave an answer that is certain to be within the tolerance; a limit was reached; the start
    /// belongs to another number of states; or an initial guess has a value that is negative or no number, or
    /// only zeros.
    pub fn solve(self) -> Result<SteadyState<M, f64>, Error> {
        let Solver { space, is_long_run, start, limits, options } = self;
        let start = start.map(|start| start.checked(space)).transpose()?;
        let question = question(is_long_run, options.allow_deadlock);
        Ok(solution::in_floats(question, &space.untyped(), start, &limits, &options)?.typed(space))
    }
}

impl<'s, M: ?Sized> Beginning<'s, M> {
    /// What iterations of a space's chain start from, if it fits the space.
    fn checked(self, space: &StateSpace<M>) -> Result<Start<'s>, Error> {
        let states = space.states();
        match self {
            Beginning::Solution(known) if known.probabilities().len() != states => {
                let others = known.probabilities().len();
                Err(Error::Unknown(format!(
                    "a solution over {others} states cannot be the start for a space of {states} states"
                )))
            }
            Beginning::Solution(known) => {
                let shares_states = known.space().untyped().shares_states_with(&space.untyped());
                let former = known.former.as_ref().filter(|_| shares_states);
                Ok(Start { probabilities: known.probabilities(), former })
            }
            Beginning::Guess(guess) => {
                check_guess(guess, states)?;
                Ok(Start { probabilities: guess, former: None })
            }
        }
    }
}

/// Refuses an initial guess that cannot be scaled to a distribution.
fn check_guess(guess: &[f64], states: usize) -> Result<(), Error> {
    let refused = |message: String| Err(Error::Unknown(message));
    if guess.len() != states {
        return refused(format!(
            "the initial guess has {} values, and the space {states} states; give one value for each state",
            guess.len()
        ));
    }
    let wrong = guess.iter().enumerate().find(|(_, value)| !value.is_finite() || **value < 0.0);
    if let Some((state, value)) = wrong {
        return refused(format!(
            "the initial guess is {value} for state {state}; each value has to be a number from 0 on, in proportion to a probability"
        ));
    }
    let sum: f64 = guess.iter().sum();
    match sum.is_normal() {
        true => Ok(()),
        false => refused(format!(
            "the values of the initial guess add up to {sum:e}, so they cannot be scaled to sum one; give values around one"
        )),
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
    /// Several recurrent classes or a deadlock in which every run ends, unless the long run is asked for; or
    /// a limit was reached.
    pub fn solve(self) -> Result<SteadyState<M, Ratio>, Error> {
        let question = question(self.is_long_run, self.allow_deadlock);
        Ok(solution::in_fractions(question, &self.space.untyped(), &self.limits)?.typed(self.space))
    }
}

fn question(is_long_run: bool, allow_deadlock: bool) -> Question {
    if is_long_run { Question::LongRun } else { Question::SteadyState { allow_deadlock } }
}
