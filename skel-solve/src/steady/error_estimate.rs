//! How far an estimate with small defects may be from the answer.
//!
//! Small defects alone say little: where two parts of a chain are joined by rates of `1e-12`, every split of the
//! probability between them has defects of `1e-12`. With `pi(j) (1 + e(j))` the right answer, the relative errors `e`
//! solve `A (pi e) = W d`, for defects `d` and flows `W`. How much a solution is larger than the right side, in the
//! worst state, is the chain's *amplification*. It is about the number of steps after which the distribution no longer depends on
//! where a run began. Error = amplification times defect, where rounding counts as a defect too.
//!
//! It is estimated in the manner of N. J. Higham's norms of inverses (ACM Trans. Math. Softw. 14 (1988)): solve for
//! defects that add up over the parts between which the chain errs, and see how large the errors are.
//!
//! - The last correction of a Krylov method is rich in what the method finds hard, since everything else is gone from it by
//!   then. Its signs, with random sizes, are the first defects. They add up over every part that is slow, if the method has seen
//!   it: from a random start it has, unless the part takes more than about `1e8` steps to converge.
//! - For such a part the sizes are still random, and add up to about one in the root of the states. So the system
//!   is solved to a hundredth of that; where BiCGSTAB does not get there, there is no estimate. Such a part then shows by large
//!   errors.
//! - Where errors are large, or where there is no correction to start from, the signs of the errors are the next defects,
//!   which is solved to a tenth.
//!
//! Cost: a solution to few digits, seldom two.
//!
//! Random defects of two parts may cancel by chance. Therefore the flows between
//! [nearly decomposable parts](crate::steady::decomposition) are compared first, which does not depend on chance. The result is an
//! estimate, not a bound.

use crate::linear::bicgstab::Run;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov::{Preconditioning, Width};
use crate::linear::preconditioner::Preconditioner;
use crate::operator::TriangularSweep;
use crate::steady::decomposition::Split;
use crate::vector::worst;
use crate::vector::{self, StoredFloat, random};

/// The defect that rounding alone may leave, even where the computed defect is smaller.
const ROUNDING: f64 = 1e-15;

/// The worst relative error of a probability, estimated; infinite where there is no estimate.
///
/// Between the parts of a [`Split`] it is known from what flows there; within them it is estimated, for defects that add up to
/// none in each, and up to the share of each.
pub(crate) fn error(
    chain: &dyn TriangularSweep,
    split: Split<'_>,
    pi: &[f64],
    (preconditioning, width): (Preconditioning, Width),
    budget: &mut Iterations<'_, '_>,
) -> Result<f64, Halt> {
    let mut preconditioner = preconditioning.of(chain, budget.watch())?;
    match width {
        Width::Single => estimate::<f32>(chain, split, pi, &mut *preconditioner, budget),
        Width::Double => estimate::<f64>(chain, split, pi, &mut *preconditioner, budget),
    }
}

fn estimate<K: StoredFloat>(
    chain: &dyn TriangularSweep,
    split: Split<'_>,
    pi: &[f64],
    preconditioner: &mut dyn Preconditioner,
    budget: &mut Iterations<'_, '_>,
) -> Result<f64, Halt> {
    let mut run = Run::<K>::new(pi.len());
    let defect = run.start(chain, pi) + ROUNDING;
    let enough = 0.01 / (pi.len() as f64).sqrt();
    let seen = budget.is_negative.clone();
    let mixed = |state: usize| match seen.get(state) {
        Some(true) => -random(state),
        Some(false) => random(state),
        None => 2.0 * (random(state) - 1.0),
    };
    let task = (chain, split, pi);
    let Some((mut amplified, errors)) = amplify(task, enough, &mixed, preconditioner, &mut run, budget)?
    else {
        return Ok(f64::INFINITY);
    };
    if seen.is_empty() || amplified > NOTABLE {
        let signs = |state: usize| if errors[state] { -1.0 } else { 1.0 };
        let aligned = amplify(task, 0.1, &signs, preconditioner, &mut run, budget)?;
        amplified = worst(&[amplified, aligned.map_or(f64::INFINITY, |(aligned, _)| aligned)]);
    }
    // An error within parts is one of the rates between them, and there once more.
    let safety = if split.count() > 1 { SAFETY * SAFETY } else { SAFETY };
    Ok(safety * amplified * defect)
}

/// An amplification that asks for a second look: less than that of a part which the method has not seen, by a hundredth of what
/// random defects add up to.
const NOTABLE: f64 = 500.0;

/// A factor for safety: the estimate may be slightly too small.
const SAFETY: f64 = 3.0;

/// How much larger the relative errors are than some defects, of which a share may be left, and which errors are negative.
fn amplify<K: StoredFloat>(
    (chain, split, pi): (&dyn TriangularSweep, Split<'_>, &[f64]),
    enough: f64,
    defects: &dyn Fn(usize) -> f64,
    preconditioner: &mut dyn Preconditioner,
    run: &mut Run<K>,
    budget: &mut Iterations<'_, '_>,
) -> Result<Option<(f64, Vec<bool>)>, Halt> {
    let flows = split.sums(run.flows.iter().copied());
    let nets = split.sums(run.flows.iter().enumerate().map(|(state, flow)| flow * defects(state)));
    let balanced = |state: usize| {
        let part = split.part(state);
        defects(state) - nets[part] / flows[part]
    };
    for (state, residual) in run.residual.iter_mut().enumerate() {
        *residual = K::of(balanced(state));
    }
    let defect = vector::worst(&run.residual);
    let left = run.solve(chain, preconditioner, enough * defect, budget)?;
    if left.is_nan() || left > enough * defect {
        return Ok(None);
    }
    let errors = run.correction(chain, preconditioner);
    let (sums, masses) = (split.sums(errors.iter().copied()), split.sums(pi.iter().copied()));
    for (state, (error, &value)) in errors.iter_mut().zip(pi).enumerate() {
        let part = split.part(state);
        *error = if value > 0.0 { *error / value - sums[part] / masses[part] } else { 0.0 };
    }
    let largest = vector::worst(errors);
    Ok(Some((largest / defect, errors.iter().map(|error| *error < 0.0).collect())))
}
