//! What the Krylov methods share: the operator that they apply, and how they keep their vectors.
//!
//! For an estimate `x` with the outflows `w(j) = x(j) exit(j)` and its relative defects `b` they find the
//! correction `d` with `A d = W b`, where `A = D - N` has the exit rates on its diagonal and takes away
//! inflows. Each equation is divided by its `w(j)`, so that the residual they make small is the *relative*
//! defect of a state's balance, and slow states count as much as fast ones. Pinning one probability instead
//! would condition the system badly.
//!
//! The system is preconditioned from the right: with `M` close to `A`, solve `W^-1 A M^-1 W u = b`, then
//! `d = M^-1 W u`. With `A M^-1 y = y - (M - A) M^-1 y` only the second term is needed, the *rest*:
//!
//! | | M | rest | cost | memory |
//! |---|---|---|---|---|
//! | [`Forward`] | `D - L`, with the inflows from earlier states | inflows from later states | one pass over the rates | none |
//! | [`Ilu0`] | incomplete factors | | two passes | the rates again, and three vectors |
//! | [`Dilu`] | the same with pivots alone | | one pass | two vectors |
//! | [`Blocks`] | the same as the first, with blocks of states that are eliminated | what is left of the product | two passes over the factors of the blocks, one over the rates | these factors |
//!
//! In exploration order the first needs about as many iterations as the others, for pipelines and polling.
//! Queues in a line need two thirds to a half of them with incomplete factors. With the last the method sees
//! `S W^-1 A M^-1 W S^-1`, which takes as many iterations.
//!
//! Y. Saad, Iterative Methods for Sparse Linear Systems, 9.3 and 10.

use crate::limits::Watch;
use crate::linear::blocks::{self, Blocks};
use crate::linear::dilu::{self, Dilu};
use crate::linear::ilu::{self, Ilu0};
use crate::linear::iteration::Halt;
use crate::linear::preconditioner::Preconditioner;
use crate::operator::transposed::TransposedRates;
use crate::operator::{NEGLIGIBLE, RateOperator, SharedPass, TriangularSweep};
use crate::team::in_parts;
use crate::vector::StoredFloat;

/// Which of them a method uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Preconditioning {
    /// One forward sweep of Gauss-Seidel.
    Forward,
    /// Incomplete factors with entries of their own.
    Ilu0,
    /// Incomplete factors with pivots of their own, for a chain that is a list.
    Dilu,
}

impl Preconditioning {
    /// Prepares it for a chain. There is no room for one that needs a list, if the chain is none.
    pub(crate) fn of<'c>(
        self,
        chain: &'c dyn TriangularSweep,
        watch: &mut Watch<'_>,
    ) -> Result<Box<dyn Preconditioner + 'c>, Halt> {
        Ok(match self {
            Preconditioning::Forward => Box::new(Forward),
            Preconditioning::Ilu0 => Box::new(Ilu0::new(chain, watch)?),
            Preconditioning::Dilu => Box::new(Dilu::new(chain.list().ok_or(Halt::Memory)?, watch)?),
        })
    }

    /// The bytes that it takes.
    pub(crate) fn memory(self, states: u64, rates: u64) -> u64 {
        match self {
            Preconditioning::Forward => 0,
            Preconditioning::Ilu0 => ilu::memory(states, rates),
            Preconditioning::Dilu => dilu::memory(states),
        }
    }
}

/// What a preconditioner is made of.
#[derive(Clone, Copy)]
pub(crate) enum Source<'s> {
    /// The chain itself.
    Chain(Preconditioning),
    /// Blocks of it that have been eliminated.
    Blocks(&'s Blocks),
}

impl<'s> Source<'s> {
    /// The preconditioner of a chain.
    pub(crate) fn of<'c>(
        self,
        chain: &'c dyn TriangularSweep,
        watch: &mut Watch<'_>,
    ) -> Result<Box<dyn Preconditioner + 'c>, Halt>
    where
        's: 'c,
    {
        match self {
            Source::Chain(preconditioning) => preconditioning.of(chain, watch),
            Source::Blocks(blocks) => Ok(Box::new(blocks.preconditioner(chain.threads()))),
        }
    }

    /// That of the transposed equations of a chain.
    pub(crate) fn of_dual<'c>(
        self,
        dual: &'c TransposedRates,
        watch: &mut Watch<'_>,
    ) -> Result<Box<dyn Preconditioner + 'c>, Halt>
    where
        's: 'c,
    {
        match self {
            Source::Chain(preconditioning) => preconditioning.of(dual, watch),
            Source::Blocks(blocks) => Ok(Box::new(blocks.of_dual(dual.threads()))),
        }
    }

    /// The bytes that it takes, beside the blocks.
    pub(crate) fn memory(self, states: u64, rates: u64) -> u64 {
        match self {
            Source::Chain(preconditioning) => preconditioning.memory(states, rates),
            Source::Blocks(_) => blocks::memory(states),
        }
    }
}

/// One forward sweep of Gauss-Seidel.
struct Forward;

impl Preconditioner for Forward {
    fn solve(&mut self, chain: &dyn TriangularSweep, x: &mut [f64]) {
        chain.substitute(x);
    }

    fn rest(&mut self, chain: &dyn TriangularSweep, x: &mut [f64]) {
        chain.substitute_for_later(x);
    }

    fn shared<'c>(&'c self, chain: &'c dyn TriangularSweep) -> Option<Box<dyn SharedPass + 'c>> {
        chain.shared()
    }
}

/// In which type vectors are kept: in `f32` where `f64` would take more memory than is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    Single,
    Double,
}

impl Width {
    /// The bytes of an element.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Width::Single => size_of::<f32>(),
            Width::Double => size_of::<f64>(),
        }
    }
}

/// The outflows of an estimate with sum one.
pub(crate) fn flows(chain: &dyn TriangularSweep, pi: &[f64], flows: &mut [f64]) {
    in_parts(chain.threads(), flows, |first, flows| {
        for ((flow, &value), exit) in flows.iter_mut().zip(&pi[first..]).zip(&chain.exits()[first..]) {
            *flow = value.max(NEGLIGIBLE) * exit;
        }
    });
}

/// By what a balance equation is divided.
pub(crate) trait Weight: Copy + Send + Sync {
    fn value(self) -> f64;
}

impl Weight for f64 {
    fn value(self) -> f64 {
        self
    }
}

/// The weight of every equation that stays as it is. A list of them takes no memory, and no time.
#[derive(Clone, Copy)]
pub(crate) struct One;

impl Weight for One {
    fn value(self) -> f64 {
        1.0
    }
}

/// The right side of a preconditioner.
pub(crate) fn weigh<K: StoredFloat>(vector: &[K], weights: &[impl Weight], work: &mut [f64]) {
    for ((work, weight), value) in work.iter_mut().zip(weights).zip(vector) {
        *work = weight.value() * value.value();
    }
}
