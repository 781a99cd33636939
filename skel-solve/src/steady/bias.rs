//! The bias of rewards: how much more a run gets in all, from a state on, than it would get at the mean rate.
//!
//! For rewards `r` with the mean `m = pi r` the bias `x` solves `Q x = m 1 - r`, up to a constant (R. A.
//! Howard, Dynamic Programming and Markov Processes, 1960; in terms of a generalised inverse C. D. Meyer,
//! SIAM Review 17 (1975)).
//!
//! | method | for | cost |
//! |---|---|---|
//! | elimination (GTH) | exact answers; up to [`Options::direct_up_to`] states; where iterating fails | that of the elimination for `pi` |
//! | BiCGSTAB with a sweep of Gauss-Seidel, or with ILU(0) | larger chains; where elimination fails | about the iterations for `pi` |
//!
//! **Eliminating** subtracts, unlike that for `pi`: what a round brings, and what it would at the mean rate.
//! A round goes from the last state back to it, so where that is rare, both are large and their digits
//! cancel. The residual tells.
//!
//! **Iterating.** With `y = pi x` the equations are the balance of a chain that the methods for `pi` know,
//! the *reversed* one, with the rates `pi(i) q(i, j) / pi(j)` from `j` to `i`: flows in and out of `j` have
//! to differ by `pi(j) (r(j) - m)`. It has the same `pi`, so the relative defects to take away are
//! `(r(j) - m) / exit(j)`. States are numbered the other way round, so that most rates lead from earlier
//! states to later ones, as in the chain itself.
//!
//! **Accuracy.** The residual is `max |Q x - m 1 + r| / exit`, relative to the largest of `x` and of
//! `r / exit`, computed from the rates themselves. Iterations end where it is `1e-13`; an answer is given
//! where it is below a tenth of the tolerance.

use crate::chain::Generator;
use crate::error::{Error, NotConverged, Reached, Stopped};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::MethodUsed;
use crate::linear::bicgstab;
use crate::linear::bicgstab::Run;
use crate::linear::elimination;
use crate::linear::elimination::Unsolved;
use crate::linear::elimination::number::Scalar;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::{Preconditioning, Width};
use crate::operator::transposed::{Rows, TransposedRates};
use crate::steady::Options;
use crate::steady::choice::{DIRECT, MOST_WORK};
use crate::vector::worst;

/// Iterations end at this residual.
const AIM: f64 = 1e-13;

/// Runs of BiCGSTAB, each for what the one before left.
const RUNS: usize = 6;

/// An irreducible chain, and the rewards whose bias is asked for.
pub(crate) struct Rewarded<'r, N> {
    pub(crate) generator: &'r Generator<N>,
    pub(crate) pi: &'r [N],
    pub(crate) rewards: &'r [N],
    /// The memory that is left beside all this.
    pub(crate) budget: MemoryBudget,
}

/// A bias, and how it was found.
pub(crate) struct Bias<N> {
    pub(crate) mean: N,
    pub(crate) values: Vec<N>,
    pub(crate) method: MethodUsed,
    pub(crate) iterations: u64,
    pub(crate) residual: f64,
}

/// The bias in exact numbers, by elimination. Generic, and so compiled where it is asked for.
pub(crate) fn exactly<N: Scalar>(chain: &Rewarded<'_, N>, watch: &mut Watch<'_>) -> Result<Bias<N>, Error> {
    match elimination::bias(chain.generator, chain.rewards, for_fronts(chain), u64::MAX, watch) {
        Ok((mean, values)) => {
            Ok(Bias { mean, values, method: MethodUsed::ExactElimination, iterations: 0, residual: 0.0 })
        }
        Err(Unsolved::Stopped(stopped)) => Err(stopped),
        Err(Unsolved::Refused) => {
            let reached = Reached::TooDense { states: chain.generator.states() as u64 };
            Err(Error::Stopped(Stopped { limit: chain.budget.limit(), reached }))
        }
    }
}

/// The bytes that the fronts of an elimination may take.
fn for_fronts<N: Scalar>(chain: &Rewarded<'_, N>) -> u64 {
    let Rewarded { generator, budget, .. } = chain;
    let beside = elimination::memory::<N>(generator.states(), generator.matrix().entries());
    budget.beside(beside).left()
}

/// The bias in `f64`.
#[cfg_attr(debug_assertions, inline)]
pub(crate) fn in_floats(
    chain: &Rewarded<'_, f64>,
    limits: &Limits,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Bias<f64>, Error> {
    let equations = Equations::new(chain);
    let least = 0.1 * options.tolerance;
    let mut tried = Vec::new();
    let is_small = chain.generator.states() <= options.eliminated_up_to();
    for is_direct in [is_small, !is_small] {
        let found = match is_direct {
            true => equations.eliminated(least, watch, &mut tried)?,
            false => equations.iterated(least, limits, watch, &mut tried)?,
        };
        if let Some(bias) = found {
            return Ok(bias);
        }
    }
    Err(Error::NotConverged(NotConverged { tolerance: options.tolerance, tried }))
}

/// `Q x = m 1 - r`
struct Equations<'r> {
    chain: &'r Rewarded<'r, f64>,
    mean: f64,
    exits: Vec<f64>,
    /// The largest of `r / exit` and `m / exit`.
    scale: f64,
}

/// Why an iterative method did not come to its end.
enum Unreached {
    Error(Error),
    Halt(Halt),
}

impl<'r> Equations<'r> {
    #[cfg_attr(debug_assertions, inline)]
    fn new(chain: &'r Rewarded<'r, f64>) -> Self {
        let exits = chain.generator.exits();
        let mean = chain.pi.iter().zip(chain.rewards).map(|(pi, reward)| pi * reward).sum();
        let of_states =
            chain.rewards.iter().zip(&exits).map(|(reward, exit)| f64::max(reward.abs(), mean) / exit);
        let scale = worst(&of_states.collect::<Vec<_>>());
        Equations { chain, mean, exits, scale }
    }

    /// What is left of each equation, relative to the exit rate, the last state first. The worst, relative to
    /// the largest of `x`.
    #[cfg_attr(debug_assertions, inline)]
    fn residual(&self, x: &[f64], left: &mut [f64]) -> f64 {
        let last = x.len() - 1;
        for (state, (value, exit)) in x.iter().zip(&self.exits).enumerate() {
            let moves = self.chain.generator.rates_from(state);
            let gain: f64 = moves.map(|(target, rate)| rate * (x[target] - value)).sum();
            left[last - state] = (self.chain.rewards[state] - self.mean + gain) / exit;
        }
        let largest = self.scale.max(worst(x));
        if largest == 0.0 { 0.0 } else { worst(left) / largest }
    }

    /// By elimination, if the residual is no larger than this.
    fn eliminated(
        &self,
        least: f64,
        watch: &mut Watch<'_>,
        tried: &mut Vec<String>,
    ) -> Result<Option<Bias<f64>>, Error> {
        let chain = self.chain;
        match elimination::bias(chain.generator, chain.rewards, for_fronts(chain), MOST_WORK, watch) {
            Ok((mean, values)) => {
                let residual = self.residual(&values, &mut vec![0.0; values.len()]);
                if residual <= least {
                    return Ok(Some(Bias { mean, values, method: DIRECT, iterations: 0, residual }));
                }
                tried.push(format!("{DIRECT} ended at the residual {residual:.1e}"));
            }
            Err(Unsolved::Stopped(stopped)) => return Err(stopped),
            Err(Unsolved::Refused) => tried.push(format!("{DIRECT} would take more than is allowed")),
        }
        Ok(None)
    }

    /// By iterations, if the residual is no larger than this.
    fn iterated(
        &self,
        least: f64,
        limits: &Limits,
        watch: &mut Watch<'_>,
        tried: &mut Vec<String>,
    ) -> Result<Option<Bias<f64>>, Error> {
        for preconditioning in [Preconditioning::Forward, Preconditioning::Ilu0] {
            let method = bicgstab::method(preconditioning);
            let mut budget = Iterations::new(watch, limits.iterations);
            match self.iterate(preconditioning, &mut budget) {
                Ok((values, residual)) if residual <= least => {
                    let (mean, iterations) = (self.mean, budget.done);
                    return Ok(Some(Bias { mean, values, method, iterations, residual }));
                }
                Ok((_, residual)) => tried.push(format!("{method} ended at the residual {residual:.1e}")),
                Err(Unreached::Error(error)) => return Err(error),
                Err(Unreached::Halt(Halt::Limit(limit))) => {
                    let reached = Reached::Iterating { iterations: budget.done, residual: budget.defect };
                    return Err(Error::Stopped(Stopped { limit, reached }));
                }
                Err(Unreached::Halt(_)) => {
                    tried.push(format!("{method} would take more memory or iterations than are allowed"));
                }
            }
        }
        Ok(None)
    }

    /// Runs BiCGSTAB until the residual is small or is no longer halved. The bias, and its residual.
    #[cfg_attr(debug_assertions, inline)]
    fn iterate(
        &self,
        preconditioning: Preconditioning,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(Vec<f64>, f64), Unreached> {
        let states = self.exits.len();
        let reversed = self.reversed(preconditioning, budget.watch()).map_err(Unreached::Error)?;
        let mut preconditioner = preconditioning.of(&reversed, budget.watch()).map_err(Unreached::Halt)?;
        let pi: Vec<f64> = self.chain.pi.iter().rev().copied().collect();
        let mut run = Run::<f64>::new(&reversed);
        run.start(&reversed, &pi);
        let (mut x, mut before) = (vec![0.0; states], f64::INFINITY);
        for _ in 0..RUNS {
            let residual = self.residual(&x, &mut run.residual);
            if residual <= AIM || residual > 0.5 * before {
                before = residual.min(before);
                break;
            }
            before = residual;
            let target = 0.3 * AIM / residual * worst(&run.residual);
            run.solve(&reversed, &mut *preconditioner, target, budget).map_err(Unreached::Halt)?;
            let correction = run.correction(&reversed, &mut *preconditioner).iter().zip(&pi).rev();
            x.iter_mut().zip(correction).for_each(|(x, (flow, pi))| *x += flow / pi);
            let mean: f64 = x.iter().zip(self.chain.pi).map(|(x, pi)| x * pi).sum();
            x.iter_mut().for_each(|x| *x -= mean);
        }
        Ok((x, before))
    }

    /// The reversed chain, the last state first.
    #[cfg_attr(debug_assertions, inline)]
    fn reversed(
        &self,
        preconditioning: Preconditioning,
        watch: &mut Watch<'_>,
    ) -> Result<TransposedRates, Error> {
        let (states, last) = (self.exits.len(), self.exits.len() - 1);
        let entries = self.chain.generator.matrix().entries() as u64;
        let transposed = 12 * entries + 8 * states as u64;
        let vectors = bicgstab::memory(states as u64, Width::Double) + 40 * states as u64;
        let method = vectors + preconditioning.memory(states as u64, entries);
        let budget = self.chain.budget.take(transposed + method)?;
        let incoming = self.chain.generator.matrix().transposed();
        let pi = self.chain.pi;
        let rows: Rows<'_> = &|watch, visit| {
            let mut row = Vec::new();
            for (place, state) in (0..states).rev().enumerate() {
                if place.is_multiple_of(crate::limits::BETWEEN_LOOKS) {
                    watch.prepare()?;
                }
                row.clear();
                let others = incoming.row(state).filter(|&(from, _)| from != state);
                row.extend(others.map(|(from, rate)| ((last - from) as u32, pi[from] * rate / pi[state])));
                row.reverse();
                visit(place, &row);
            }
            Ok(())
        };
        TransposedRates::new(states, rows, budget, watch)
    }
}
