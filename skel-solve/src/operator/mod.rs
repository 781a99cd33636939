//! The rates of a chain as solution methods use them.
//!
//! The balance equation of a state says that its inflow equals its outflow. Here
//! `inflow(j) = sum of pi(i) q(i, j)` over the other states, and `outflow(j) = pi(j) exit(j)`. The *defect*
//! of a state is their difference relative to the outflow. It depends neither on the unit of time nor on how
//! rare the state is.
//!
//! A method does not need the matrix, only the operations of two traits: the products of [`RateOperator`],
//! and the triangular solutions of [`TriangularSweep`], of which a sweep of Gauss-Seidel is one. So the rates
//! may be stored, as in [`TransposedRates`](crate::operator::transposed::TransposedRates), or computed again
//! each time, as in [`KroneckerRates`](crate::operator::kronecker::KroneckerRates).

pub(crate) mod assemble;
pub(crate) mod kronecker;
pub(crate) mod transposed;

use std::ops::ControlFlow;

use crate::team::{self, Chunk, Member};
use crate::vector::{blocks, dot, least, random, sum_of, total, worst};
use kronecker::KroneckerRates;
use transposed::TransposedRates;

/// Smaller probabilities are treated as if they were this large: what flows into them would lose digits in
/// `f64`.
pub(crate) const NEGLIGIBLE: f64 = 1e-280;

/// Receives a state, other states from which rates lead into it, and these rates.
pub(crate) type VisitRates<'v> = &'v mut dyn FnMut(usize, &[u32], &[f64]) -> ControlFlow<()>;

/// The rates of a chain, as products see them. States are in the order of the space.
///
/// A product over tens of millions of states takes seconds, so it ends early when the work is to
/// [`Stop`](crate::limits::Stop). What it leaves then means nothing. A stop is never taken back: the next
/// look at the limits ends the method, and there is always one between a product and an answer.
pub(crate) trait RateOperator: Sync {
    /// The exit rate of each state.
    fn exits(&self) -> &[f64];

    /// The number of pairs of different states with a rate between them.
    fn rates(&self) -> u64;

    /// A lower bound on the rates between two different states.
    fn least_rate(&self) -> f64;

    /// Computes `inflow(j) = sum of x(i) q(i, j)` over the other states.
    fn inflow(&self, x: &[f64], inflow: &mut [f64]);

    /// Computes a step of the chain that is [uniformised](uniformise) at the rate `1 / share`.
    #[cfg(feature = "over-time")]
    fn uniformised(&self, x: &[f64], share: f64, next: &mut [f64]) {
        self.inflow(x, next);
        uniformise(x, self.exits(), share, next);
    }

    /// Calls `visit(i, j, q(i, j))` for the rates between two states, until it breaks or the work is to stop:
    /// for each `j` with `i` ascending, for each `i` with `j` ascending.
    fn for_each_rate(&self, visit: &mut dyn FnMut(usize, usize, f64) -> ControlFlow<()>);

    /// The rates as a list, if that is what they are.
    fn list(&self) -> Option<&TransposedRates> {
        None
    }

    /// The rates as a Kronecker descriptor, if that is what they are.
    fn kronecker(&self) -> Option<&KroneckerRates<'_>> {
        None
    }

    /// How many threads pass over long vectors.
    fn threads(&self) -> usize {
        1
    }

    /// The rates of [`Self::for_each_rate`], in the same order, many at once: calls
    /// `visit(j, sources, rates)` with some of the rates into `j`, until all have been seen or it breaks. It
    /// is called for some of the states `j` only: so many parts have all of them.
    fn for_each_rates_in(&self, (part, _parts): (usize, usize), visit: VisitRates<'_>) {
        if part == 0 {
            self.for_each_rate(&mut |from, to, rate| visit(to, &[from as u32], &[rate]));
        }
    }

    /// The same for the states `j` of a list in ascending order, which are few among all.
    fn for_each_rates_into(&self, states: &[u32], visit: VisitRates<'_>) {
        self.for_each_rates_in((0, 1), &mut |to, sources, rates| match states.binary_search(&(to as u32)) {
            Ok(_) => visit(to, sources, rates),
            Err(_) => ControlFlow::Continue(()),
        });
    }

    /// The number of states.
    fn states(&self) -> usize {
        self.exits().len()
    }

    /// The number that a state of the chain has where its states come from. Random numbers that belong to
    /// states go by it, so that a solution takes the same steps in another order of the states.
    fn number_of(&self, state: usize) -> usize {
        state
    }

    /// A [random] value that belongs to a state.
    fn random(&self, state: usize) -> f64 {
        random(self.number_of(state))
    }

    /// Computes the net inflow of each state for an estimate with sum one. Returns the residual
    /// `||pi Q||_inf /
    /// ||Q||_inf` and the largest defect, for which a probability below [`NEGLIGIBLE`] counts as that.
    fn net(&self, pi: &[f64], net: &mut [f64]) -> Balance {
        self.inflow(pi, net);
        let parts = team::in_parts(self.threads(), net, |first, net| {
            let mut most = [0.0; 3];
            let mut defects = Vec::new();
            let (pi, exits) = (&pi[first..], &self.exits()[first..]);
            for block in blocks(net.len()) {
                let (net, exits) = (&mut net[block.clone()], &exits[block.clone()]);
                defects.clear();
                let known = pi[block].iter().zip(exits);
                defects.extend(net.iter_mut().zip(known).map(|(net, (value, exit))| {
                    *net -= value * exit;
                    *net / (value.max(NEGLIGIBLE) * exit)
                }));
                most = worst_of(most, [worst(net), worst(&defects), worst(exits)]);
            }
            most
        });
        let [largest, defect, exit] = parts.into_iter().fold([0.0; 3], worst_of);
        let norm = 2.0 * exit;
        Balance { residual: if norm == 0.0 { largest } else { largest / norm }, defect }
    }

    /// The residual and the largest defect of an estimate with sum one.
    fn balance(&self, pi: &[f64]) -> Balance {
        self.net(pi, &mut vec![0.0; pi.len()])
    }
}

/// Makes the next vector of a uniformised chain of the inflow of some states: `share` times that, and what
/// stays. Nothing is subtracted from a value, so its digits are kept.
#[cfg(feature = "over-time")]
pub(crate) fn uniformise(x: &[f64], exits: &[f64], share: f64, next: &mut [f64]) {
    for (next, (value, exit)) in next.iter_mut().zip(x.iter().zip(exits)) {
        let stays = f64::max(0.0, 1.0 - exit * share);
        *next = *next * share + value * stays;
    }
}

/// Solutions of triangular systems: passes over the states in their order, in which each state uses the new
/// values of the states before it.
pub(crate) trait TriangularSweep: RateOperator {
    /// In place and in ascending order, `x(j) := (x(j) + sum of x(i) q(i, j) over i < j) / exit(j)`.
    fn substitute(&self, x: &mut [f64]);

    /// In place and in ascending order, `x(j) := sum of x(i) q(i, j) over i > j`.
    fn later_inflow(&self, x: &mut [f64]);

    /// [`Self::substitute`], and then [`Self::later_inflow`].
    fn substitute_for_later(&self, x: &mut [f64]) {
        self.substitute(x);
        self.later_inflow(x);
    }

    /// Where the chunks of a vector end that threads share. They do not depend on the number of threads.
    fn chunk_ends(&self) -> Vec<usize> {
        team::chunk_ends(self.states())
    }

    /// How several threads share [`Self::substitute_for_later`]; none where one does it.
    fn shared(&self) -> Option<Box<dyn SharedPass + '_>> {
        None
    }

    /// In place and in ascending order, moves each probability towards the solution of its balance equation,
    /// by the fraction `weight`.
    fn sweep(&self, pi: &mut [f64], weight: f64);

    /// A random first estimate. Each probability is about proportional to the mean sojourn time of its state.
    fn start(&self) -> Vec<f64> {
        let mut pi = vec![0.0; self.states()];
        team::in_parts(self.threads(), &mut pi, |first, pi| {
            for ((state, value), exit) in (first..).zip(pi).zip(&self.exits()[first..]) {
                *value = self.random(state) / exit;
            }
        });
        self.make_positive(&mut pi);
        pi
    }

    /// Perturbs an estimate by random relative errors of the size of its defects. An iterative method learns
    /// about the chain only through the errors that it reduces, and the errors of a good estimate may not
    /// involve all parts of the chain.
    fn near(&self, estimate: &[f64]) -> Vec<f64> {
        let mut pi = estimate.to_vec();
        self.make_positive(&mut pi);
        let size = self.balance(&pi).defect.min(1.0);
        pi.iter_mut()
            .enumerate()
            .for_each(|(state, value)| *value *= 1.0 + size * (self.random(state) - 1.0));
        self.make_positive(&mut pi);
        pi
    }

    /// Scales an estimate to sum one and makes it non-negative, with a sweep of Gauss-Seidel. Returns the
    /// largest magnitude of a negative value that it had.
    fn make_positive(&self, pi: &mut [f64]) -> f64 {
        let least = scale_to_one(pi, self.threads());
        // Without damping, a sweep is what methods are made of.
        self.later_inflow(pi);
        self.substitute(pi);
        scale_to_one(pi, self.threads());
        // Not `-0.0` where nothing was negative.
        0.0 - least
    }
}

/// What the threads of a team share of the work of a preconditioner, to the same bits as by one: the pass
/// over the rates that it is asked for in each iteration.
pub(crate) trait SharedPass: Sync {
    fn threads(&self) -> usize;

    /// For each chunk of a vector the thread to which it belongs. In all that a team does, the thread has the
    /// same chunks: they are in its cache.
    fn threads_of_chunks(&self) -> Vec<usize>;

    /// The pass, as each thread of the team calls it. Before it and after it, a thread may use its own chunks
    /// only, until the team meets: between two calls it must meet.
    fn pass(&self, member: Member<'_>, x: &[Chunk<'_>]);

    /// Takes back the similarity by which residuals were multiplied before the first pass, if there was one,
    /// and says so. Threads call it as they call the pass.
    fn take_back(&self, _: Member<'_>, _: &[Chunk<'_>]) -> bool {
        false
    }
}

/// How well an estimate satisfies the balance equations.
#[derive(Clone, Copy)]
pub(crate) struct Balance {
    /// The relative residual `||pi Q||_inf / ||Q||_inf`.
    pub(crate) residual: f64,
    /// The largest relative defect of a state.
    pub(crate) defect: f64,
}

/// The sum of all that flows into states too much or too little, and that of all flows.
pub(crate) fn left_and_flow(chain: &dyn TriangularSweep, pi: &[f64], net: &[f64]) -> [f64; 2] {
    let exits = chain.exits();
    team::sums(chain.threads(), pi.len(), |block| {
        [sum_of(&net[block.clone()], f64::abs), dot(&pi[block.clone()], &exits[block])]
    })
}

/// The worse of two in each place.
fn worst_of<const N: usize>(one: [f64; N], other: [f64; N]) -> [f64; N] {
    std::array::from_fn(|at| worst(&[one[at], other[at]]))
}

/// Scales a vector to sum one, and replaces negative values by zero. Returns the least scaled value before
/// that, or zero if none was negative.
fn scale_to_one(pi: &mut [f64], threads: usize) -> f64 {
    let [sum] = team::sums(threads, pi.len(), |block| [total(&pi[block])]);
    let parts = team::in_parts(threads, pi, |_, pi| {
        let mut of_blocks = 0.0_f64;
        for block in blocks(pi.len()) {
            let pi = &mut pi[block];
            pi.iter_mut().for_each(|value| *value /= sum);
            of_blocks = of_blocks.min(least(pi));
            pi.iter_mut().for_each(|value| *value = value.max(0.0));
        }
        of_blocks
    });
    least(&parts)
}
