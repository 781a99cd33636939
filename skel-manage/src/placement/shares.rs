//! Which part of an item each worker of a map gets.
//!
//! A worker of a map takes a time that is proportional to its part: time = share / speed. So its speed is
//! share by measured time, and with shares in proportion to the speeds all workers take equally long. If the
//! speeds stay as they are, one change is enough.

use skel_run::functions::Shares;

/// By which part the slowest worker has to get faster for a change of shares. Less than this is noise: the
/// mean of 400 exponential times is uncertain by 5 %.
const LEAST_GAIN: f64 = 0.05;

/// The finest parts: a share is so many at most.
const FINEST: f64 = 1000.0;

/// Other shares for the workers of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Repartition {
    /// The part of each worker is its number by the sum of all; none is 0.
    pub shares: Vec<u32>,
    /// The time that the slowest worker is to take then, in seconds.
    pub slowest: f64,
}

/// Several workers in the place of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// The worker whose part they serve, from 0: the slowest.
    pub worker: u32,
    /// The shares of all workers then, the new ones in its place.
    pub shares: Vec<u32>,
    /// The time that the slowest worker is to take then, in seconds.
    pub slowest: f64,
}

/// Shares in proportion to the speeds of workers, by their present shares and the mean time of each for its
/// part, in seconds.
///
/// None if the slowest would not get faster by more than 5 %, if there are fewer than two workers, if not
/// every worker has a time, or if a share or a time is not positive: then a speed is not known.
///
/// # Examples
/// The first worker is three times as fast as the second.
/// ```
/// use skel_manage::placement::repartitioned;
/// let found = repartitioned(&[1, 1], &[0.01, 0.03]).expect("equal parts are not the best");
/// assert_eq!((found.shares.as_slice(), found.slowest), (&[3, 1][..], 0.015));
/// assert_eq!(repartitioned(&found.shares, &[0.015, 0.015]), None);
/// ```
#[must_use]
pub fn repartitioned(shares: &[u32], times: &[f64]) -> Option<Repartition> {
    let speeds = speeds(shares, times)?;
    let best = proportional(&speeds);
    let slowest = slowest(&best, &speeds, shares);
    let now = times.iter().copied().fold(0.0, f64::max);
    (speeds.len() > 1 && slowest < now * (1.0 - LEAST_GAIN)).then_some(Repartition { shares: best, slowest })
}

/// So many workers in the place of the slowest, by the shares and the mean times of all. Each of them is
/// taken to be as fast as it was.
///
/// None as in [`repartitioned`], and for fewer than two workers in the place of one.
///
/// # Examples
/// ```
/// use skel_manage::placement::split;
/// let found = split(&[1, 1, 1], &[0.01, 0.03, 0.01], 2).expect("the second is the slowest");
/// assert_eq!((found.worker, found.shares.as_slice(), found.slowest), (1, &[2, 1, 1, 2][..], 0.015));
/// ```
#[must_use]
pub fn split(shares: &[u32], times: &[f64], into: u32) -> Option<Split> {
    let mut speeds = speeds(shares, times)?;
    let is_slower = |one: &usize, other: &usize| times[*one].total_cmp(&times[*other]).then(other.cmp(one));
    let worker = (0..times.len()).max_by(is_slower).filter(|_| into > 1)?;
    let split = Shares::weighted(shares.to_vec()).split(worker, into as usize).weights().to_vec();
    speeds.splice(worker..=worker, std::iter::repeat_n(speeds[worker], into as usize));
    let slowest = slowest(&split, &speeds, shares);
    Some(Split { worker: worker as u32, shares: split, slowest })
}

/// The speed of each worker, in shares per second.
fn speeds(shares: &[u32], times: &[f64]) -> Option<Vec<f64>> {
    let is_known = |(&share, &time): (&u32, &f64)| share > 0 && time > 0.0 && time.is_finite();
    let all = shares.len() == times.len() && shares.iter().zip(times).all(is_known) && !times.is_empty();
    all.then(|| shares.iter().zip(times).map(|(&share, time)| f64::from(share) / time).collect())
}

/// The time of the slowest worker with these shares, where speeds were measured with shares of another sum.
fn slowest(shares: &[u32], speeds: &[f64], measured_with: &[u32]) -> f64 {
    let sum = |shares: &[u32]| shares.iter().map(|&share| f64::from(share)).sum::<f64>();
    let scale = sum(measured_with) / sum(shares);
    let times = shares.iter().zip(speeds).map(|(&share, speed)| f64::from(share) * scale / speed);
    times.fold(0.0, f64::max)
}

/// Whole numbers in proportion to speeds: the smallest that are right to 1 %, or else the finest.
fn proportional(speeds: &[f64]) -> Vec<u32> {
    let most = speeds.iter().copied().fold(0.0, f64::max);
    let parts_of = |finest: f64| -> Vec<u32> {
        speeds.iter().map(|speed| (speed / most * finest).round().max(1.0) as u32).collect()
    };
    let is_right = |shares: &[u32]| {
        let time = |(&share, speed): (&u32, &f64)| f64::from(share) / speed;
        let (least, longest) = shares.iter().zip(speeds).map(time).fold((f64::INFINITY, 0.0), extremes);
        longest <= least * 1.01
    };
    let sizes = (1..=FINEST as u32).map(|finest| parts_of(f64::from(finest)));
    sizes.into_iter().find(|shares| is_right(shares)).unwrap_or_else(|| parts_of(FINEST))
}

fn extremes((least, longest): (f64, f64), time: f64) -> (f64, f64) {
    (least.min(time), longest.max(time))
}
