//! The quotient of a chain: the smallest chain that still has the requested measures.
//!
//! A partition of the states into blocks is an *ordinary lumping* if for any two blocks `B` and `C` all
//! states of `B` have the same rate into `C`, the sum of `q(s, t)` over the `t` in `C`. Then the blocks form
//! a Markov chain, whatever the distribution within them is, and its steady state gives each block the sum
//! over its states (J. G. Kemeny, J. L. Snell, Finite Markov Chains, 1960, 6.3). A [measure](Measure) is the
//! mean of a reward, so it is preserved if all states of a block have the same reward. `refinement` finds the
//! coarsest lumping of this kind.
//!
//! ```text
//! StateSpace, measures -> read: residues, classes by reward -> refine: blocks -> Quotient: rates between blocks
//! Quotient -> steady: pi -> QuotientSteadyState: the measures
//! ```
//!
//! [`Explorer::lumped`](crate::space::Explorer::lumped) lumps during exploration the parts that the model
//! shows to be interchangeable, and it preserves every throughput and population. A quotient needs the whole
//! space first, and in addition about 100 bytes for each state and 16 for each transition. In return it also
//! lumps parts that behave the same but are written differently, and states that only these measures do not
//! distinguish. A lumped space has quotients, too.
//!
//! # Rounding
//!
//! Sums of rates decide which states are lumped, and sums of floats depend on the order of the terms.
//! Comparing such sums exactly would separate equivalent states, and comparing them with a tolerance would
//! lump states that differ. So no floats are added.
//!
//! Each rate is known exactly, as a fraction, and the residues of the fractions modulo a large prime are
//! added. Equal sums have equal residues; different sums have equal residues with a probability of `2^-126`.
//!
//! - [`StateSpace::quotient`] computes one fraction from the model for each distinct float. Rates that are
//!   different fractions but the same float count as equal, as they do for any solver in `f64`; rates that
//!   differ by more are never treated as equal. A rate may be two different floats, depending on the order in
//!   which it was computed; both have the same fraction.
//! - [`StateSpace::quotient_exact`] computes the fraction at every transition, and then verifies the quotient
//!   with fractions, state by state.

mod partition;

pub(crate) mod measure;
mod number_type;
mod numbering;
mod reading;
mod refinement;
mod residue;
mod rows;
mod steady_state;

use std::sync::Arc;
use std::time::Duration;

use skel_core::number::{Number, Ratio};

use crate::chain::Generator;
use crate::error::Error;
use crate::limits::{Limits, Watch};
use crate::space::StateSpace;
use measure::Reward;
use number_type::QuotientNumber;
use reading::RefinementInput;
use refinement::refine;
use rows::{LumpedChain, Rows};

pub use measure::Measure;
pub use steady_state::{QuotientSolver, QuotientSteadyState};

/// A partition of a space into blocks, and the Markov chain of the blocks.
///
/// Blocks are numbered in the order of their first states. `N` is `f64` or, for exact answers, [`Ratio`].
pub struct Quotient<M: ?Sized, N> {
    space: StateSpace<M>,
    chain: Arc<QuotientChain<N>>,
}

struct QuotientChain<N> {
    block_of: Vec<u32>,
    /// For each block its first state.
    firsts: Vec<u32>,
    generator: Generator<N>,
    /// The measures that are preserved, each with its reward in every block.
    kept: Vec<(String, Vec<N>)>,
    refined_in: Duration,
}

impl<N: Number> QuotientChain<N> {
    fn memory(&self) -> u64 {
        let entries = self.generator.matrix().entries() * (size_of::<u32>() + size_of::<N>());
        let rewards = self.firsts.len() * self.kept.len() * size_of::<N>();
        (entries + rewards + self.block_of.len() * 4 + self.firsts.len() * 12) as u64
    }
}

impl<M: ?Sized> StateSpace<M> {
    /// The smallest quotient that has these measures, to be solved in `f64`.
    ///
    /// # Errors
    /// The model lacks a name, a measure distinguishes components that were lumped, or a default limit was
    /// reached.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// // Both shops behave the same; only the order of their activities and their names differ.
    /// let text = "P = (come, 1).Q; Q = (pay, 2).P + (leave, 1).P;
    ///     R = (come, 1).S; S = (leave, 1/2).R + (leave, 1/2).R + (pay, 2).R;
    ///     (P || P || P) || (R || R || R)";
    /// let space = Model::from_text(text)?.explore()?;
    /// let paid = [Measure::throughput_named("pay")];
    /// let quotient = space.quotient(&paid)?;
    /// assert_eq!((space.states(), quotient.states()), (64, 7));
    /// let figures = quotient.steady_state()?;
    /// assert!((figures.value(&paid[0])? - 3.0).abs() < 1e-12);
    /// let refusal = figures.value(&Measure::throughput_named("leave")).unwrap_err();
    /// assert_eq!(refusal.to_string(),
    ///     "the quotient does not keep the throughput of `leave`; it keeps the throughput of `pay`");
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn quotient(&self, measures: &[Measure<M>]) -> Result<Quotient<M, f64>, Error> {
        self.quotient_within(measures, &Limits::default())
    }

    /// Like [`Self::quotient`], within limits.
    ///
    /// # Errors
    /// Those of [`Self::quotient`], or a limit was reached.
    pub fn quotient_within(
        &self,
        measures: &[Measure<M>],
        limits: &Limits,
    ) -> Result<Quotient<M, f64>, Error> {
        let space = self.untyped();
        let chain = quotient(&space, &rewards(measures, &space)?, limits)?;
        Ok(Quotient { space: self.clone(), chain: Arc::new(chain) })
    }

    /// The smallest quotient that has these measures, to be solved in exact fractions. It takes some
    /// microseconds for each transition, where [`Self::quotient`] takes some tens of nanoseconds.
    ///
    /// # Errors
    /// Those of [`Self::quotient`].
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// pepa! { model Office { W = (write, 1).Q; Q = (print, 2).W; W || W || W || W || W } }
    /// let space = Office::new().explore()?;
    /// let printed = [Measure::throughput_of(Office::print)];
    /// let quotient = space.quotient_exact(&printed)?;
    /// assert_eq!((space.states(), quotient.states()), (32, 6));
    /// assert_eq!(quotient.steady_state_exact()?.value(&printed[0])?, ratio(10, 3));
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn quotient_exact(&self, measures: &[Measure<M>]) -> Result<Quotient<M, Ratio>, Error> {
        self.quotient_exact_within(measures, &Limits::default())
    }

    /// Like [`Self::quotient_exact`], within limits.
    ///
    /// # Errors
    /// Those of [`Self::quotient`], or a limit was reached.
    pub fn quotient_exact_within(
        &self,
        measures: &[Measure<M>],
        limits: &Limits,
    ) -> Result<Quotient<M, Ratio>, Error> {
        let space = self.untyped();
        let chain = quotient(&space, &rewards(measures, &space)?, limits)?;
        Ok(Quotient { space: self.clone(), chain: Arc::new(chain) })
    }
}

impl<M: ?Sized, N> Quotient<M, N> {
    /// The space of this quotient.
    #[must_use]
    pub fn space(&self) -> &StateSpace<M> {
        &self.space
    }

    /// The number of blocks.
    #[must_use]
    pub fn states(&self) -> usize {
        self.chain.firsts.len()
    }

    /// The number of the block of a state.
    ///
    /// # Panics
    /// If there is no state of that number.
    #[must_use]
    pub fn block_of(&self, state: usize) -> usize {
        self.chain.block_of[state] as usize
    }

    /// The first state of a block, which represents the block.
    ///
    /// # Panics
    /// If there is no block of that number.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P || P")?.explore()?;
    /// let quotient = space.quotient(&[Measure::population_named("Q")])?;
    /// let shown: Vec<String> =
    ///     (0..quotient.states()).map(|block| space.display_state(quotient.first_state(block))).collect();
    /// assert_eq!(shown, ["P || P", "Q || P", "Q || Q"]);
    /// assert_eq!(quotient.block_of(1), quotient.block_of(2));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn first_state(&self, block: usize) -> usize {
        self.chain.firsts[block] as usize
    }

    /// The generator matrix of the blocks.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P || P")?.explore()?;
    /// let quotient = space.quotient(&[Measure::population_named("Q")])?;
    /// assert_eq!(quotient.generator().matrix().parts().2, [-2.0, 2.0, 3.0, -4.0, 1.0, 6.0, -6.0]);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn generator(&self) -> &Generator<N> {
        &self.chain.generator
    }

    /// The time that reading the space, refining the partition and building the chain took.
    #[must_use]
    pub fn refined_in(&self) -> Duration {
        self.chain.refined_in
    }
}

impl<M: ?Sized, N> Clone for Quotient<M, N> {
    fn clone(&self) -> Self {
        Quotient { space: self.space.clone(), chain: Arc::clone(&self.chain) }
    }
}

impl<M: ?Sized, N> std::fmt::Debug for Quotient<M, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Quotient({} states of {:?})", self.states(), self.space)
    }
}

fn rewards<M: ?Sized>(measures: &[Measure<M>], space: &StateSpace) -> Result<Vec<Reward>, Error> {
    measures.iter().map(|measure| measure.reward(space)).collect()
}

/// Makes a quotient. The function is generic, so it is compiled only in programs that ask for quotients.
fn quotient<N: QuotientNumber>(
    space: &StateSpace,
    rewards: &[Reward],
    limits: &Limits,
) -> Result<QuotientChain<N>, Error> {
    let mut watch = Watch::start(limits);
    let RefinementInput { transposed, classes, count } =
        reading::read::<N>(space, rewards, limits, &mut watch)?;
    let (block_of, firsts) = refine(&transposed, classes, count, &mut watch)?.numbered();
    drop(transposed);
    let mut rows = Rows::new(space, &block_of, rewards, firsts.len());
    let lumped = rows.of_blocks(&firsts, limits, &mut watch)?;
    if N::IS_EXACT {
        rows.verify(&lumped, &mut watch)?;
    }
    let LumpedChain { generator, kept } = lumped;
    Ok(QuotientChain { block_of, firsts, generator, kept, refined_in: watch.elapsed() })
}
