//! Probabilities that are 0 or 1 for certain: at once, or by the states that runs come to.

use num_traits::Zero;

use crate::error::Error;
use crate::limits::Stopped;
use crate::over_time::csl::chain::Chain;
use crate::over_time::csl::until::{Times, Until};
use crate::over_time::csl::values::{Solved, Values};

/// The value of a state whose membership in the sets decides.
pub(super) fn at_once(state: usize, until: &Until<'_>, times: &Times) -> Option<Values> {
    let Until { phi, psi } = until;
    let begins_later = times.excludes_start || !times.from.is_zero();
    let is_zero = times.is_empty || !psi.contains(&true) || (!phi[state] && (begins_later || !psi[state]));
    if is_zero {
        return Some(known(0.0));
    }
    (times.from.is_zero() && psi[state]).then(|| known(1.0))
}

fn known(value: f64) -> Values {
    let solved = Solved { values: vec![value], errors: vec![0.0] };
    Values::of(&solved).with_certain(&[value == 0.0], &[value == 1.0])
}

/// The value, which is known to be 0 or 1 where the graph says so. It is asked only where the bounds of the
/// value leave that open.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn by_graph(
    chain: &mut Chain<'_>,
    state: usize,
    until: &Until<'_>,
    times: &Times,
    found: Values,
) -> Result<Values, Error> {
    let zero = found.low[0] <= 0.0 && is_impossible(chain, state, until, times)?;
    let one = found.high[0] >= 1.0 && is_sure(chain, state, until, times)?;
    Ok(found.with_certain(&[zero], &[one]))
}

/// Whether no run comes to the goals through states that it may pass. However short a time is, a run may take
/// any number of steps in it.
fn is_impossible(
    chain: &mut Chain<'_>,
    state: usize,
    until: &Until<'_>,
    times: &Times,
) -> Result<bool, Stopped> {
    let Until { phi, psi } = until;
    // A single time has to be waited for.
    let is_instant = !times.from.is_zero() && times.length().is_some_and(|length| length.is_zero());
    let is_goal = |state: usize| psi[state] && (phi[state] || !is_instant);
    Ok(chain.nearest(state, &|state| phi[state], &is_goal)?.is_none())
}

/// Whether no run fails. A run may stay in a state past all times, so it fails unless it has come to the
/// goals when the interval begins.
fn is_sure(chain: &mut Chain<'_>, state: usize, until: &Until<'_>, times: &Times) -> Result<bool, Stopped> {
    let Until { phi, psi } = until;
    if times.from.is_zero() {
        // Members of `psi` were answered at once.
        return Ok(false);
    }
    let may_fail = |state: usize| !(phi[state] && psi[state]);
    Ok(chain.nearest(state, &|_| true, &may_fail)?.is_none())
}
