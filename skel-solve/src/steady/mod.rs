//! The steady state: the distribution `pi` with `pi Q = 0` and sum one.
//!
//! Every state is reachable from the first, so a chain is irreducible if every state leads back to the first.
//! A chain that is not irreducible, or that is small, is classified. Its transient states have probability
//! zero. If there is one recurrent class, the chain of this class is solved, unless the class is a deadlock:
//! that is an error, which shows the way there. With several classes there is no single answer, and the error
//! lists them. The distribution in the long run from the initial state, [`Solver::long_run`], exists in each
//! of these cases.
//!
//! | method | for | cost | accuracy |
//! |---|---|---|---|
//! | `exact` | exact answers | factors modulo a prime, and two substitutions for each 18 digits of the answer | exact, and verified |
//! | `gth` in `f64` | up to [`Options::direct_up_to`] states; more, of a chain that is much longer than wide | up to `n^3 / 3` | every digit but the last few, also for stiff chains: it never subtracts |
//! | products, one factor for each part (`independent_parts`) | large chains of parts that do not cooperate | a solution for each part | the sum of what those of the parts have |
//! | products, one factor for each component (`product_form`) | large chains that have this form: components that do not cooperate, many networks of queues | equations of some states, and a solution to few digits for the error | estimated |
//! | `bicgstab` with a sweep of Gauss-Seidel | larger chains | twenty products with Q or more | estimated, see below |
//! | `bicgstab`, `gmres` with ILU(0) | where that stagnates | as many, each twice as dear | estimated |
//! | `bicgstab` with DILU | where the first is slow, as on lattices | two thirds to a half of the iterations | estimated |
//! | the same for the equations as they are | where states are so rare that nothing makes their relative defects small | as many, and a solution of the transposed equations | of sums: a proved bound |
//! | sweeps in the order of the flow, and `bicgstab` in that order | large chains in which probability flows in a direction, as in polling | ten to thirty sweeps, and a few products | estimated; of sums where rare states are too rare |
//! | sweeps, over likely states as soon as they are few, or up to five cycles of `multilevel`, and `bicgstab` with DILU or in the order of the flow | such chains on which sweeps stall, as tandem queues | ten to fifty products, and that solution | of sums: a proved bound |
//! | `multilevel` | large chains in parts on which the first is slow | a hundred cycles of some ten sweeps | estimated |
//! | `gauss_seidel`, damped; `power` | where those do | hundreds of sweeps | estimated |
//! | aggregation, with each | parts joined by slow transitions alone | an elimination over the parts a round | the split between them to the last few digits |
//! | `gth` again | where the estimate is not good enough | what fits the memory, up to `1e11` multiplications | as above |
//!
//! [`Options::method`] chooses one of them. Each says in its own file when it stops, and what it costs. All
//! iterative ones know the chain by two traits, `operator::RateOperator` and `operator::TriangularSweep`:
//! rates stored by target in a few bytes each, or rates made again from the Kronecker descriptor of the
//! model.
//!
//! What counts is the [defect](Report::defect) of each state's balance, relative to its own flow: a rate of
//! `1e-6` is as important as one of `1e6`. How far an answer with small defects may be from the right one
//! depends on how fast the chain converges to its steady state. The module `error_estimate` estimates it, and
//! an iterative answer is given only if the estimate is within the tolerance. Where states of probability
//! `1e-300` make that impossible, or where a large chain would take the first method more than some thirty
//! iterations to get anywhere, what may be asked is certified instead: throughputs, populations and result
//! lines, by a bound that is proved in `drive::sums::certificate`. [`Report::certified`] says which of the
//! two holds. If no method reaches that, [`Error::NotConverged`](crate::Error::NotConverged) says what each
//! reached.

pub(crate) mod bias;
pub(crate) mod choice;
pub(crate) mod decomposition;
mod drive;
mod error_estimate;
mod former;
mod independent_parts;
mod long_run;
pub(crate) mod of_generator;
mod options;
mod product_form;
mod report;
pub(crate) mod solution;
mod solver;

pub use crate::linear::MethodUsed;
pub use options::{Method, Options};
pub use report::{Certified, Report};
pub use solver::{ExactSolver, Solver};

use std::fmt;
use std::ops::Deref;

use skel_core::number::Number;

use crate::chain::Classification;
use crate::measure::Probabilities;
use crate::space::StateSpace;

/// A steady state of the model `M`, or its distribution in the long run, in `f64` or in exact fractions.
///
/// It is a distribution, [`Probabilities`], with all its measures, and it knows how it was found.
pub struct SteadyState<M: ?Sized, N> {
    probabilities: Probabilities<M, N>,
    classification: Classification,
    report: Report,
    /// What a solution with nearly the same rates can use again.
    former: Option<former::Former>,
}

/// The measures are those of any distribution.
impl<M: ?Sized, N> Deref for SteadyState<M, N> {
    type Target = Probabilities<M, N>;

    fn deref(&self) -> &Probabilities<M, N> {
        &self.probabilities
    }
}

impl<M: ?Sized, N: Number> fmt::Debug for SteadyState<M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SteadyState({:?}, {:?})", self.space(), self.report)
    }
}

impl<M: ?Sized, N: Number> SteadyState<M, N> {
    /// The same for the model of a space.
    pub(crate) fn typed<T: ?Sized>(self, space: &StateSpace<T>) -> SteadyState<T, N> {
        let SteadyState { probabilities, classification, report, former } = self;
        SteadyState { probabilities: probabilities.typed(space), classification, report, former }
    }

    /// How the solution was obtained, and how good it is.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E")?.explore()?;
    /// let pi = space.steady_state_exact()?;
    /// assert_eq!((pi.report().iterations, pi.report().residual), (0, 0.0));
    /// assert_eq!(pi.report().method, skel::steady::MethodUsed::Exact);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The bytes of the probabilities, and of what is kept for a solution that [starts
    /// from](Solver::start_from) this one.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let pi = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E[2]")?.explore()?.steady_state()?;
    /// assert_eq!(pi.memory(), 4 * 8);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn memory(&self) -> u64 {
        let kept = self.former.as_ref().map_or(0, former::Former::memory);
        (self.probabilities.space().states() * size_of::<N>()) as u64 + kept
    }

    /// Recurrent classes, transient states and deadlocks.
    #[must_use]
    pub fn classification(&self) -> &Classification {
        &self.classification
    }

    /// For each recurrent class, in the order of [`Self::classification`], the probability that a run from
    /// the initial state ends there.
    #[must_use]
    pub fn class_probabilities(&self) -> Vec<N> {
        let classes = self.classification.recurrent.iter();
        classes.map(|states| self.probability_of_states(states)).collect()
    }
}
