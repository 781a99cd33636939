//! Follows the factors of a chain from one whose rates are all the same.
//!
//! Newton's method starts from factors that are all one. Where rates differ by decades, these are too far
//! away. So all rates are raised to a power: 0 at first, where every transition is as likely as any other and
//! only the structure of the chain matters. Then the power rises to 1, in steps that are as large as the
//! method can follow.

use super::balances::{Balances, Inflows};
use super::form::ProductForm;
use super::newton::{self, PATIENT, ROUNDING};
use crate::limits::{Stopped, Watch};
use crate::operator::RateOperator;
use crate::space::StateSpace;

/// The largest defect that factors may leave where they are solved for.
const SOLVED: f64 = 1e-9;

/// The defects that may be left at powers below one.
const NEAR: f64 = 1e-3;

/// The first step of the power, the least, and how much more it is to rise after a step that was followed.
const FIRST_STEP: f64 = 0.5;
const LEAST_STEP: f64 = 0.01;
const LONGER: f64 = 1.5;

/// Equations, and the rates out of each of their states.
pub(super) struct Powers {
    pub(super) balances: Balances,
    leaving: Vec<Vec<f64>>,
}

impl Powers {
    pub(super) fn new(
        chain: &dyn RateOperator,
        space: &StateSpace,
        form: &ProductForm,
        inflows: Inflows,
    ) -> Powers {
        let leaving = leaving(chain, space, &inflows.states);
        Powers { balances: Balances::new(form, space, (chain, inflows)), leaving }
    }

    /// The factors, if there are any: at once where rates do not differ much.
    pub(super) fn factors(&self, watch: &mut Watch<'_>) -> Result<Option<Vec<f64>>, Stopped> {
        let equations = (&self.balances, &self.balances.shares()[..]);
        let mut factors = self.ones();
        if !newton::solve(equations, &mut factors, (SOLVED, PATIENT), watch)? {
            let Some(unweighted) = self.unweighted(PATIENT, watch)? else { return Ok(None) };
            let Some(followed) = self.follow(unweighted, watch)? else { return Ok(None) };
            factors = followed;
        }
        // Another step doubles the number of right digits.
        newton::solve(equations, &mut factors, (ROUNDING, PATIENT), watch)?;
        Ok(Some(factors))
    }

    /// The factors where all rates are one, if there are any. Each step has to reduce the squares of the
    /// defects to a share.
    pub(super) fn unweighted(&self, share: f64, watch: &mut Watch<'_>) -> Result<Option<Vec<f64>>, Stopped> {
        let shares = self.balances.shares_at(0.0, &self.leaving);
        let mut factors = self.ones();
        let are_found = newton::solve((&self.balances, &shares), &mut factors, (NEAR, share), watch)?;
        Ok(are_found.then_some(factors))
    }

    fn ones(&self) -> Vec<f64> {
        vec![1.0; self.balances.unknowns()]
    }

    /// Follows the factors from the power 0 to the power 1.
    fn follow(&self, mut factors: Vec<f64>, watch: &mut Watch<'_>) -> Result<Option<Vec<f64>>, Stopped> {
        let (mut power, mut step) = (0.0, FIRST_STEP);
        while power < 1.0 {
            let next = f64::min(1.0, power + step);
            let (shares, enough) = match next >= 1.0 {
                true => (self.balances.shares(), SOLVED),
                false => (self.balances.shares_at(next, &self.leaving), NEAR),
            };
            let mut moved = factors.clone();
            if newton::solve((&self.balances, &shares), &mut moved, (enough, PATIENT), watch)? {
                (factors, power) = (moved, next);
                step *= LONGER;
            } else {
                step = 0.5 * (next - power);
                if step < LEAST_STEP {
                    return Ok(None);
                }
            }
        }
        Ok(Some(factors))
    }
}

/// The rates out of some states.
fn leaving(chain: &dyn RateOperator, space: &StateSpace, states: &[u32]) -> Vec<Vec<f64>> {
    let mut leaving = Vec::with_capacity(states.len());
    let numbers = states.iter().map(|&state| chain.number_of(state as usize));
    let without_end = || Ok::<(), std::convert::Infallible>(());
    let Ok(()) = space.for_each_row_of::<f64, _>(numbers, without_end, |state, row| {
        row.retain(|transition| transition.target as usize != state);
        let to_each = row.chunk_by(|one, next| one.target == next.target);
        leaving.push(to_each.map(|same| same.iter().map(|transition| transition.rate).sum()).collect());
        Ok(())
    });
    leaving
}
