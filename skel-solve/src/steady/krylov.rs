//! What the Krylov methods share: the operator that they apply, and how they keep their vectors.
//!
//! For an estimate `x` with the outflows `w(j) = x(j) exit(j)` and its relative defects `b` they find the correction `d` with
//! `A d = W b`, where `A = D - N` has the exit rates on its diagonal and takes away inflows. Each equation is divided by
//! its `w(j)`, so that the residual they make small is the *relative* defect of a state's balance, and slow states count as
//! much as fast ones. Pinning one probability instead would condition the system badly.
//!
//! The system is preconditioned from the right: with `M` close to `A`, solve `W^-1 A M^-1 W u = b`, then `d = M^-1 W u`. With
//! `A M^-1 y = y - (M - A) M^-1 y` only the second term is needed, the *rest*:
//!
//! | | M | rest | cost | memory |
//! |---|---|---|---|---|
//! | [`Forward`] | `D - L`, with the inflows from earlier states | inflows from later states | one pass over the rates | none |
//! | [`Ilu0`](super::ilu::Ilu0) | incomplete factors | | two passes | the rates again, and three vectors |
//!
//! In exploration order the first needs about as many iterations as the second, for pipelines, closed queues and polling.
//!
//! Y. Saad, Iterative Methods for Sparse Linear Systems, 9.3 and 10.

use super::equations::{Inflows, NEGLIGIBLE};
use super::iterate::Halt;
use crate::limits::Watch;

/// A matrix `M` close to `A`.
pub(super) trait Preconditioner {
    /// `x := M^-1 x`
    fn solve(&mut self, chain: &dyn Inflows, x: &mut [f64]);

    /// `x := (M - A) M^-1 x`
    fn rest(&mut self, chain: &dyn Inflows, x: &mut [f64]);
}

/// Which of them a method uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Preconditioning {
    /// One forward sweep of Gauss-Seidel.
    Forward,
    /// Incomplete factors.
    Ilu0,
}

impl Preconditioning {
    /// Prepares it for a chain.
    pub(super) fn of(
        self,
        chain: &dyn Inflows,
        watch: &mut Watch<'_>,
    ) -> Result<Box<dyn Preconditioner>, Halt> {
        Ok(match self {
            Preconditioning::Forward => Box::new(Forward),
            Preconditioning::Ilu0 => Box::new(super::ilu::Ilu0::of(chain, watch)?),
        })
    }

    /// The bytes that it takes.
    pub(super) fn memory(self, states: u64, rates: u64) -> u64 {
        match self {
            Preconditioning::Forward => 0,
            Preconditioning::Ilu0 => super::ilu::memory(states, rates),
        }
    }
}

/// One forward sweep of Gauss-Seidel.
struct Forward;

impl Preconditioner for Forward {
    fn solve(&mut self, chain: &dyn Inflows, x: &mut [f64]) {
        chain.substitute(x);
    }

    fn rest(&mut self, chain: &dyn Inflows, x: &mut [f64]) {
        chain.substitute(x);
        chain.later_inflow(x);
    }
}

/// In which type vectors are kept: in `f32` where `f64` would take more memory than is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Single,
    Double,
}

impl Width {
    /// The bytes of an element.
    pub(super) fn bytes(self) -> usize {
        match self {
            Width::Single => size_of::<f32>(),
            Width::Double => size_of::<f64>(),
        }
    }
}

/// How the elements of a method's vectors are kept.
///
/// All arithmetic is in `f64`. Kept in `f32`, vectors take half the memory, and a run gets about six digits nearer; the next
/// run starts from the true defects, in `f64`, so that no digit of the answer is lost. But each start forgets what the method
/// had learnt: polling with 15 stations takes 354 iterations for 86.
pub(super) trait Kept: Copy {
    /// What a run can reduce the defects by.
    const REDUCTION: f64;

    fn of(value: f64) -> Self;

    fn value(self) -> f64;
}

impl Kept for f64 {
    const REDUCTION: f64 = 1e-12;

    fn of(value: f64) -> f64 {
        value
    }

    fn value(self) -> f64 {
        self
    }
}

impl Kept for f32 {
    const REDUCTION: f64 = 1e-6;

    fn of(value: f64) -> f32 {
        value as f32
    }

    fn value(self) -> f64 {
        f64::from(self)
    }
}

/// The outflows of an estimate with sum one.
pub(super) fn flows(chain: &dyn Inflows, pi: &[f64], flows: &mut [f64]) {
    for ((flow, &value), exit) in flows.iter_mut().zip(pi).zip(chain.exits()) {
        *flow = value.max(NEGLIGIBLE) * exit;
    }
}

/// The right side of a preconditioner.
pub(super) fn weigh<K: Kept>(vector: &[K], flows: &[f64], work: &mut [f64]) {
    for ((work, flow), value) in work.iter_mut().zip(flows).zip(vector) {
        *work = flow * value.value();
    }
}

/// Values from 0.5 to 1.5 by the number of an element, the same in every run: reproducible output.
pub(super) fn random(number: usize) -> f64 {
    let mut bits = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 + 0.5
}
