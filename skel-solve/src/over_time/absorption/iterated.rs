//! Iteration: BiCGSTAB with a forward sweep of Gauss-Seidel, or with incomplete factors, for chains that are
//! too large to eliminate.
//!
//! The matrix of the methods of [`krylov`](crate::linear::krylov) is `A = D - N` with the exit rates `D` and
//! inflows `N`. Where the exit rates count the ways to the end too, that is `-T` itself, seen forwards; with
//! all rates turned round it is its transpose. Equations are divided by the exit rate of their state, so that
//! slow states count as much as fast ones. A run is restarted from the true residual until this no longer
//! halves.

use crate::error::{Error, Reached, Stopped};
use crate::limits::memory::MemoryBudget;
use crate::limits::{BETWEEN_LOOKS, Limits, Watch};
use crate::linear::bicgstab::{self, Run};
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::{Preconditioning, Width};
use crate::operator::RateOperator;
use crate::operator::transposed::{Rows, TransposedRates};
use crate::over_time::absorption::BeforeEnd;
use crate::vector::worst;

/// Runs, each for what the one before left.
const RUNS: usize = 12;

/// Iterations end at this residual, relative to the largest unknown.
const AIM: f64 = 2e-16;

/// An answer has at most this residual; the bound on its error says what it is worth.
const ENOUGH: f64 = 1e-9;

/// The chain as an operator, in one direction.
pub(super) struct Iterated {
    rates: TransposedRates,
    budget: MemoryBudget,
    /// Whether states are numbered the other way round: backwards, so that most of what a state needs comes
    /// before it.
    is_reversed: bool,
}

impl Iterated {
    /// For systems forwards.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn forwards(
        chain: &BeforeEnd<f64>,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Iterated, Error> {
        let states = chain.states();
        let rows: Rows<'_> = &|watch, visit| {
            let mut row = Vec::new();
            for state in 0..states {
                if state.is_multiple_of(BETWEEN_LOOKS) {
                    watch.prepare()?;
                }
                row.clear();
                row.extend(chain.rates.row(state).map(|(target, &rate)| (target as u32, rate)));
                visit(state, &row);
            }
            Ok(())
        };
        let rates = TransposedRates::new(states, rows, budget, watch)?.with_exits(chain.exits());
        Ok(Iterated { budget: budget.beside(rates.memory()), rates, is_reversed: false })
    }

    /// For systems backwards.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn backwards(
        chain: &BeforeEnd<f64>,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Iterated, Error> {
        let states = chain.states();
        let budget = budget.take(12 * chain.rates.entries() as u64 + 8 * states as u64)?;
        let incoming = chain.rates.transposed();
        let rows: Rows<'_> = &|watch, visit| {
            let mut row = Vec::new();
            for (place, state) in (0..states).rev().enumerate() {
                if place.is_multiple_of(BETWEEN_LOOKS) {
                    watch.prepare()?;
                }
                row.clear();
                let sources = incoming.row(state);
                row.extend(sources.map(|(source, &rate)| ((states - 1 - source) as u32, rate)));
                row.reverse();
                visit(place, &row);
            }
            Ok(())
        };
        let mut exits = chain.exits();
        exits.reverse();
        let rates = TransposedRates::new(states, rows, budget, watch)?.with_exits(exits);
        Ok(Iterated { budget: budget.beside(rates.memory()), rates, is_reversed: true })
    }

    /// The solution, where a method gives one; what those that do not reached is added to `tried`.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn solve(
        &self,
        right: &[f64],
        limits: &Limits,
        watch: &mut Watch<'_>,
        tried: &mut Vec<String>,
    ) -> Result<Option<Vec<f64>>, Error> {
        let mut right = right.to_vec();
        if self.is_reversed {
            right.reverse();
        }
        for preconditioning in [Preconditioning::Forward, Preconditioning::Ilu0] {
            let method = bicgstab::method(preconditioning);
            let (states, rates) = (self.rates.states() as u64, self.rates.rates());
            let bytes = bicgstab::memory(states, Width::Double) + preconditioning.memory(states, rates);
            if self.budget.check(bytes).is_err() {
                tried.push(format!("{method} would take more memory than is allowed"));
                continue;
            }
            let mut iterations = Iterations::new(watch, limits.iterations);
            match self.run(&right, preconditioning, &mut iterations) {
                Ok((mut x, residual)) if residual <= ENOUGH => {
                    if self.is_reversed {
                        x.reverse();
                    }
                    return Ok(Some(x));
                }
                Ok((_, residual)) => tried.push(format!("{method} ended at the residual {residual:.1e}")),
                Err(Halt::Limit(limit)) => {
                    let reached =
                        Reached::Iterating { iterations: iterations.done, residual: iterations.defect };
                    return Err(Error::Stopped(Stopped { limit, reached }));
                }
                Err(_) => tried.push(format!("{method} would take more iterations than are allowed")),
            }
        }
        Ok(None)
    }

    /// Runs BiCGSTAB until the residual no longer halves; the best estimate, and its residual relative to its
    /// largest element.
    #[cfg_attr(debug_assertions, inline)]
    fn run(
        &self,
        right: &[f64],
        preconditioning: Preconditioning,
        iterations: &mut Iterations<'_, '_>,
    ) -> Result<(Vec<f64>, f64), Halt> {
        let chain = &self.rates;
        let mut preconditioner = preconditioning.of(chain, iterations.watch())?;
        let mut run = Run::<f64>::new(chain);
        run.flows.copy_from_slice(chain.exits());
        let (mut x, mut best) = (vec![0.0; right.len()], (Vec::new(), f64::INFINITY));
        let of_right: Vec<f64> = right.iter().zip(chain.exits()).map(|(right, exit)| right / exit).collect();
        let least = worst(&of_right);
        let mut inflow = vec![0.0; right.len()];
        for _ in 0..RUNS {
            chain.inflow(&x, &mut inflow);
            let known = right.iter().zip(&inflow).zip(chain.exits()).zip(&x);
            for (left, (((right, inflow), exit), x)) in run.residual.iter_mut().zip(known) {
                *left = (right + inflow) / exit - x;
            }
            let scale = worst(&x).max(least);
            let residual = if scale == 0.0 { 0.0 } else { worst(&run.residual) / scale };
            let is_gain = residual <= 0.5 * best.1;
            if residual < best.1 {
                best = (x.clone(), residual);
            }
            if residual <= AIM || !is_gain {
                break;
            }
            let target = (0.3 * AIM * scale).max(1e-13 * residual * scale);
            run.solve(chain, &mut *preconditioner, target, iterations)?;
            let correction = run.correction(chain, &mut *preconditioner);
            x.iter_mut().zip(correction).for_each(|(x, correction)| *x += *correction);
        }
        Ok(best)
    }
}
