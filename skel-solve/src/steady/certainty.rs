//! How far an estimate with small defects may be from the answer.
//!
//! Small defects alone say little: where two parts of a chain are joined by rates of `1e-12`, every split of the
//! probability between them has defects of `1e-12`. With `pi(j) (1 + e(j))` the right answer, the relative errors `e`
//! solve `Q^T (pi e) = W d`, for defects `d` and flows `W`. How much a solution is larger than the right side, in the
//! worst state, is the chain's *amplification*: the number of steps after which a run has forgotten where it was, more
//! or less. Error = amplification times defect, where rounding counts as a defect too.
//!
//! It is estimated in the manner of N. J. Higham's norms of inverses (ACM Trans. Math. Softw. 14 (1988)): solve for
//! random defects, in which no part of the chain is balanced but by chance, then for the signs of that solution,
//! which add up over the parts between which it errs. Random ones add up to no more than one in the
//! root of the states, so they are solved for to a hundredth of that, the signs to a tenth; where the method does not get
//! there, there is no estimate. Cost: two solutions to few digits.
//!
//! Random defects of two parts may add up to nearly none by chance; that is why what flows across
//! [slow cuts](super::cuts) is looked at first, which needs no luck. The estimate stays one: no proof comes with it.

use super::bicgstab::{Vectors, random_vector};
use super::cuts::Parts;
use super::equations::Equations;
use super::iterate::{Halt, Iterations};
use super::worst;

/// A rounded balance is no better than this, whatever its defect seems to be.
const ROUNDING: f64 = 1e-15;

/// The worst relative error of a probability, estimated; infinite where there is no estimate.
///
/// Between [`Parts`] it is known from what flows there; within them it is estimated, for defects that add up to none in
/// each, and up to the share of each.
pub(super) fn error(
    equations: &Equations,
    parts: &Parts,
    pi: &[f64],
    budget: &mut Iterations<'_, '_>,
) -> Result<f64, Halt> {
    let count = pi.len();
    let mut vectors = Vectors::new(count);
    let defect = equations.defects(pi, &mut vectors.scale, &mut vectors.residual) + ROUNDING;
    for (value, random) in vectors.residual.iter_mut().zip(random_vector(count)) {
        *value = 2.0 * (random - 1.0);
    }
    let by_chance = amplification(equations, parts, pi, 0.01 / (count as f64).sqrt(), &mut vectors, budget)?;
    if !by_chance.is_finite() {
        return Ok(by_chance);
    }
    for (sign, &value) in vectors.residual.iter_mut().zip(&vectors.solution) {
        *sign = if value < 0.0 { -1.0 } else { 1.0 };
    }
    let aligned = amplification(equations, parts, pi, 0.1, &mut vectors, budget)?;
    // An error within parts is one of the rates between them, and there once more.
    let safety = if parts.count > 1 { SAFETY * SAFETY } else { SAFETY };
    Ok(safety * worst(&[by_chance, aligned]) * defect)
}

/// The estimate may be too small by a little.
const SAFETY: f64 = 3.0;

/// How much larger the relative errors are than the defects in `vectors.residual`, of which a share may be left. Leaves
/// the errors in `vectors.solution`.
fn amplification(
    equations: &Equations,
    parts: &Parts,
    pi: &[f64],
    enough: f64,
    vectors: &mut Vectors,
    budget: &mut Iterations<'_, '_>,
) -> Result<f64, Halt> {
    let flows = parts.sums(vectors.scale.iter().copied());
    let nets = parts.sums(vectors.scale.iter().zip(&vectors.residual).map(|(scale, defect)| scale * defect));
    for (defect, &part) in vectors.residual.iter_mut().zip(&parts.of_state) {
        *defect -= nets[part as usize] / flows[part as usize];
    }
    let defect = worst(&vectors.residual);
    vectors.solve(equations, enough * defect, budget)?;
    let left = worst(&vectors.residual);
    if left.is_nan() || left > enough * defect {
        return Ok(f64::INFINITY);
    }
    let (errors, masses) = (parts.sums(vectors.solution.iter().copied()), parts.sums(pi.iter().copied()));
    for ((error, &value), &part) in vectors.solution.iter_mut().zip(pi).zip(&parts.of_state) {
        let mean = errors[part as usize] / masses[part as usize];
        *error = if value > 0.0 { *error / value - mean } else { 0.0 };
    }
    Ok(worst(&vectors.solution) / defect)
}
