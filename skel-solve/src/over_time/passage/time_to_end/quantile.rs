//! Quantiles: a bracket, Newton's method within it, and a proof that the answer is as good as it is said to
//! be.
//!
//! The steps of uniformisation are stored, so that another time costs a sum of weights and no product with
//! the rates. The distribution function only rises. So where it is certainly below the probability at `t - d`
//! and certainly above it at `t + d`, the quantile is within `d` of `t`; that is checked with the bounds of
//! both values.

use super::known::Known;
use crate::error::Error;
use crate::limits::Watch;
use crate::over_time::passage::Figure;
use crate::refused::Refused;

/// Steps of Newton's method, or halvings of the bracket.
const MOST_STEPS: usize = 200;

/// The time by which a run has ended with some probability; none where the end is certainly less likely than
/// that. `first` is where the search begins.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn find(
    probability: f64,
    ends: Figure,
    first: f64,
    known: &mut Known<'_>,
    watch: &mut Watch<'_>,
) -> Result<Option<Figure>, Error> {
    let [at_once, _] = known.at(0.0);
    if at_once.value - at_once.error >= probability {
        return Ok(Some(Figure { value: 0.0, error: 0.0 }));
    }
    if ends.value + ends.error <= probability {
        return Ok(None);
    }
    let mut low = 0.0;
    let mut high = first;
    loop {
        known.reach(high, watch)?;
        let [ended, _] = known.at(high);
        if ended.value - ended.error > probability {
            break;
        }
        // All that ends has ended, and whether that is enough is not certain.
        if ended.value + 2.0 * ended.error >= ends.value - ends.error {
            return Err(Refused::unattainable(known.tolerance(), ended.error.max(ends.error)).into());
        }
        if ended.value + ended.error < probability {
            low = high;
        }
        high *= 2.0;
    }
    let time = newton(probability, low, high, known);
    within(probability, time, known, watch).map(Some)
}

/// Newton's method, where it stays within the bracket, else halving it.
fn newton(probability: f64, mut low: f64, mut high: f64, known: &Known<'_>) -> f64 {
    let mut time = f64::midpoint(low, high);
    for _ in 0..MOST_STEPS {
        let [ended, density] = known.at(time);
        let over = ended.value - probability;
        let next = time - over / density.value;
        if over.abs() <= ended.error / 8.0 || (next - time).abs() <= f64::EPSILON * time {
            return time;
        }
        if over > 0.0 {
            high = time;
        } else {
            low = time;
        }
        time = if next > low && next < high { next } else { f64::midpoint(low, high) };
    }
    time
}

/// The time with the distance within which the quantile certainly is.
fn within(
    probability: f64,
    time: f64,
    known: &mut Known<'_>,
    watch: &mut Watch<'_>,
) -> Result<Figure, Error> {
    let [ended, density] = known.at(time);
    let off = (ended.error + (ended.value - probability).abs()) / density.value;
    let mut distance = (1.25 * off).max(4.0 * f64::EPSILON * time);
    if !distance.is_finite() {
        distance = time * 1e-9;
    }
    for _ in 0..MOST_STEPS {
        let (before, after) = (time - distance, time + distance);
        known.reach(after, watch)?;
        let is_after = before <= 0.0 || {
            let [ended, _] = known.at(before);
            ended.value + ended.error <= probability
        };
        let [ended, _] = known.at(after);
        if is_after && ended.value - ended.error >= probability {
            return Ok(Figure { value: time, error: distance * (1.0 + 1e-9) });
        }
        distance *= 2.0;
    }
    Err(Refused::unattainable(known.tolerance(), ended.error).into())
}
