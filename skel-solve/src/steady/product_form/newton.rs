//! Solves equations for factors by the method of Gauss and Newton, damped as by Levenberg and Marquardt.
//!
//! The logarithms of the factors are the unknowns, and the logarithm of each equation's sum is its defect: it
//! depends nearly linearly on them where factors are far from right. The factors themselves are kept, so that
//! a ratio of two loses no digits where both are very small. Some directions do not count, as a common
//! multiple of a component's factors; the damping keeps them where they are.

use super::balances::Balances;
use super::normal_equations::NormalEquations;
use crate::limits::{Stopped, Watch};

/// About the defect that rounding leaves.
pub(super) const ROUNDING: f64 = 1e-14;

/// The most steps.
const MOST_STEPS: usize = 25;

/// Where equations have a solution, a step that reduces the sum of squares to no less than this share says
/// that it is far.
pub(super) const PATIENT: f64 = 0.9;

/// The damping at first, how it falls where a step succeeds and rises where it fails, and how often that may
/// be.
const DAMPING: f64 = 1e-3;
const FALL: f64 = 0.03;
const RISE: f64 = 10.0;
const MOST_FAILURES: usize = 5;

/// The parts of a step that are tried. Where parts of a component are joined by slow transitions alone, a
/// whole step goes further than the equations are linear, and damping that makes it shorter would keep it
/// from that direction altogether.
const PARTS_OF_A_STEP: [f64; 3] = [1.0, 0.3, 0.1];

/// The defects of all equations for some factors.
struct Defects {
    /// The value of each term.
    terms: Vec<f64>,
    /// The sum of each equation, and its logarithm.
    sums: Vec<f64>,
    logarithms: Vec<f64>,
    /// The sum of their squares.
    squares: f64,
}

impl Defects {
    fn of(balances: &Balances, shares: &[f64], factors: &[f64]) -> Defects {
        let mut terms = Vec::with_capacity(shares.len());
        let mut sums = Vec::new();
        balances.for_each_equation(|_, of_equation| {
            let mut sum = 0.0;
            for term in of_equation {
                let ratio = |&[source, state]: &[u32; 2]| factors[source as usize] / factors[state as usize];
                let ratios = balances.ratios_of(term).iter();
                let value = ratios.map(ratio).fold(shares[term], |value, ratio| value * ratio);
                terms.push(value);
                sum += value;
            }
            sums.push(sum);
        });
        let logarithms: Vec<f64> = sums.iter().map(|sum| sum.ln()).collect();
        let squares = logarithms.iter().map(|defect| defect * defect).sum();
        Defects { terms, sums, logarithms, squares }
    }

    /// The largest defect; NaN or infinite if one of them is.
    fn worst(&self) -> f64 {
        crate::vector::largest(self.logarithms.iter().map(|defect| defect.abs()))
    }

    /// The linear least squares for the next step.
    fn normal_equations(&self, balances: &Balances) -> NormalEquations {
        let mut equations = NormalEquations::new(balances.unknowns());
        balances.for_each_equation(|equation, of_equation| {
            for term in of_equation {
                let weight = self.terms[term] / self.sums[equation];
                for &[source, state] in balances.ratios_of(term) {
                    equations.add(source, weight);
                    equations.add(state, -weight);
                }
            }
            equations.end_row(self.logarithms[equation]);
        });
        equations
    }
}

/// Improves factors until no defect is above `enough`, or a step after the first reduces the sum of their
/// squares to no less than a share. Whether no defect is above `enough` then.
pub(super) fn solve(
    (balances, shares): (&Balances, &[f64]),
    factors: &mut Vec<f64>,
    (enough, share): (f64, f64),
    watch: &mut Watch<'_>,
) -> Result<bool, Stopped> {
    let mut now = Defects::of(balances, shares, factors);
    let mut damping = DAMPING;
    for step in 0..MOST_STEPS {
        if now.worst() <= enough {
            return Ok(true);
        }
        watch.prepare()?;
        let Some((improved, next)) = improve(balances, shares, factors, &now, &mut damping) else { break };
        let is_slow = step > 0 && next.squares > share * now.squares;
        (*factors, now) = (improved, next);
        if is_slow {
            break;
        }
    }
    Ok(now.worst() <= enough)
}

/// The factors after a step that reduces the sum of squares, and their defects.
fn improve(
    balances: &Balances,
    shares: &[f64],
    factors: &[f64],
    now: &Defects,
    damping: &mut f64,
) -> Option<(Vec<f64>, Defects)> {
    let equations = now.normal_equations(balances);
    for _ in 0..MOST_FAILURES {
        let step = equations.step(*damping);
        let better = step.and_then(|step| {
            PARTS_OF_A_STEP.iter().find_map(|part| {
                let moved = factors.iter().zip(&step).map(|(factor, step)| factor * (part * step).exp());
                let moved: Vec<f64> = moved.collect();
                let next = Defects::of(balances, shares, &moved);
                (next.squares < now.squares).then_some((moved, next))
            })
        });
        if better.is_some() {
            *damping *= FALL;
            return better;
        }
        *damping *= RISE;
    }
    None
}
