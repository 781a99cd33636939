//! The time of workers that serve an item together, by the times of each: the mean and the variation of the
//! `k`-th fastest of independent times.
//!
//! `P(X_(k) > t)` is the probability that fewer than `k` workers are done by `t`, and the moments are
//! `E X = ∫ P(X > t) dt` and `E X^2 = ∫ 2 t P(X > t) dt`. Each worker's time is the fit by two moments that a
//! chain has. Of `n` equal exponential times the sums `E X = T (1/n + 1/(n-1) + .. + 1/(n-k+1))` and, with
//! squares, that of the variance are exact; others are integrated, to six digits of the mean and five of the
//! variation.
//!
//! Reference: H. A. David and H. N. Nagaraja, *Order Statistics*, 2003, section 2.1.

use skel_core::number::Number;
use skel_core::time::{Distribution, Fit, PhaseType, ServiceTime};
use skel_run::report::time_of;

/// A mean and a squared coefficient of variation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moments {
    pub(super) mean: f64,
    pub(super) scv: f64,
}

/// The steps of an integral by Simpson's rule.
const STEPS: u32 = 2_000;

/// Where integrals end, in means of the slowest worker and its standard deviations.
const FAR: (f64, f64) = (2.0, 32.0);

impl Moments {
    /// Of a sum of independent times.
    pub(super) fn plus(self, other: Moments) -> Moments {
        Moments::of_variance(self.mean + other.mean, self.variance() + other.variance())
    }

    /// Of `number` independent such times, where that number is geometric with this mean.
    pub(super) fn geometric(self, number: f64) -> Moments {
        let mean = number * self.mean;
        Moments::of_variance(mean, number * self.variance() + number * (1.0 + number) * self.mean * self.mean)
    }

    /// Of a time that an item takes with this probability, and else none.
    pub(super) fn with_chance(self, chance: f64) -> Moments {
        Moments { mean: chance * self.mean, scv: (1.0 + self.scv) / chance - 1.0 }
    }

    fn variance(self) -> f64 {
        self.scv * self.mean * self.mean
    }

    fn of_variance(mean: f64, variance: f64) -> Moments {
        Moments { mean, scv: if mean > 0.0 { variance / (mean * mean) } else { 0.0 } }
    }
}

/// The time until so many of these workers have replied; `scv` is that of the time of each.
pub(super) fn until_replies(times: &[f64], scv: f64, replies: usize) -> Moments {
    let longest = times.iter().copied().fold(0.0, f64::max);
    let are_equal = times.iter().all(|&time| time == longest);
    match times {
        [time] => Moments { mean: *time, scv },
        _ if scv <= 0.0 => Moments { mean: crate::behaviour::formula::majority(times, replies), scv: 0.0 },
        _ if scv == 1.0 && are_equal => of_exponential(longest, times.len(), replies),
        _ => integrated(times, scv, replies, longest),
    }
}

fn of_exponential(time: f64, workers: usize, replies: usize) -> Moments {
    let steps = (workers + 1 - replies..=workers).map(|left| time / left as f64);
    let (mean, variance) =
        steps.fold((0.0, 0.0), |(mean, variance), step| (mean + step, variance + step * step));
    Moments::of_variance(mean, variance)
}

fn integrated(times: &[f64], scv: f64, replies: usize, longest: f64) -> Moments {
    let shape = Survival::of(scv);
    let end = longest * (FAR.0 + FAR.1 * scv.sqrt().max(scv));
    let step = end / f64::from(STEPS);
    let (mut first, mut second) = (0.0, 0.0);
    for number in 0..=STEPS {
        let weight = match number {
            0 | STEPS => 1.0,
            odd if odd % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let at = f64::from(number) * step;
        let late = fewer_than(replies, times.iter().map(|time| shape.at(at / time)));
        first += weight * late;
        second += weight * 2.0 * at * late;
    }
    let (mean, square) = (first * step / 3.0, second * step / 3.0);
    Moments::of_variance(mean, (square - mean * mean).max(0.0))
}

/// The probability that fewer than so many workers are done, by the probability of each that it is not.
fn fewer_than(replies: usize, late: impl Iterator<Item = f64>) -> f64 {
    let mut done = vec![0.0; replies];
    done[0] = 1.0;
    for late in late {
        for count in (0..replies).rev() {
            let one_more = if count > 0 { done[count - 1] * (1.0 - late) } else { 0.0 };
            done[count] = done[count] * late + one_more;
        }
    }
    done.iter().sum()
}

/// The probability that a time of mean 1 is longer than this.
enum Survival {
    /// An Erlang time of `phases - 1` phases with the probability `fewer`, else of `phases`.
    Erlang { phases: u32, fewer: f64, rate: f64 },
    /// One of several exponential times: the probability and the rate of each.
    Hyperexponential(Vec<(f64, f64)>),
}

impl Survival {
    fn of(scv: f64) -> Survival {
        let time = time_of(1.0, Some(scv), u64::MAX);
        match (time.fit(), time.distribution()) {
            (Some(Fit::Erlang { phases, fewer, rate }), _) => {
                Survival::Erlang { phases, fewer: fewer.to_float(), rate: rate.to_float() }
            }
            (Some(Fit::Hyperexponential { probabilities, rates }), _) => {
                let both = probabilities.iter().zip(&rates);
                Survival::Hyperexponential(
                    both.map(|(chance, rate)| (chance.to_float(), rate.to_float())).collect(),
                )
            }
            (None, Distribution::Erlang { phases, .. }) => {
                Survival::Erlang { phases: *phases, fewer: 0.0, rate: f64::from(*phases) }
            }
            (None, _) => Survival::Hyperexponential(vec![(1.0, 1.0)]),
        }
    }

    fn at(&self, time: f64) -> f64 {
        match self {
            Survival::Hyperexponential(parts) => {
                parts.iter().map(|(chance, rate)| chance * (-rate * time).exp()).sum()
            }
            Survival::Erlang { phases, fewer, rate } => {
                let events = rate * time;
                let mut term = (-events).exp();
                let mut sum = 0.0;
                for phase in 1..*phases {
                    sum += term;
                    term *= events / f64::from(phase);
                }
                // What is left is the probability of exactly `phases - 1` events.
                sum + (1.0 - fewer) * term
            }
        }
    }
}

/// The phases of a time of these moments that varies at least by one over so many phases.
pub(super) fn phases(moments: Moments, most: u32) -> PhaseType {
    let scv = moments.scv.max(1.0 / f64::from(most));
    let time: ServiceTime = time_of(moments.mean, Some(scv), u64::MAX);
    time.phase_type().expect("a fitted time has phases")
}

#[cfg(test)]
mod tests {
    use super::{integrated, until_replies};

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found}, not {expected}");
    }

    /// The fractions of an independent program: the longest of `n` exponential times, and the one that makes
    /// the majority.
    #[test]
    fn exponential_workers_have_harmonic_numbers() {
        let longest = [
            1.0,
            3.0 / 2.0,
            11.0 / 6.0,
            25.0 / 12.0,
            137.0 / 60.0,
            49.0 / 20.0,
            363.0 / 140.0,
            761.0 / 280.0,
        ];
        let majority =
            [1.0, 3.0 / 2.0, 5.0 / 6.0, 13.0 / 12.0, 47.0 / 60.0, 19.0 / 20.0, 319.0 / 420.0, 743.0 / 840.0];
        for workers in 1..=8_usize {
            let times = vec![2.0; workers];
            close(until_replies(&times, 1.0, workers).mean, 2.0 * longest[workers - 1]);
            close(until_replies(&times, 1.0, workers / 2 + 1).mean, 2.0 * majority[workers - 1]);
        }
    }

    #[test]
    fn integrals_are_the_sums_where_there_are_some() {
        for replies in 1..=5 {
            let (sum, integral) =
                (until_replies(&[3.0; 5], 1.0, replies), integrated(&[3.0; 5], 1.0, replies, 3.0));
            close(integral.mean, sum.mean);
            assert!((integral.scv / sum.scv - 1.0).abs() < 1e-5, "{integral:?} {sum:?}");
        }
        // The longer of two different exponential times: 1/a + 1/b - 1/(a + b).
        close(until_replies(&[1.0, 0.5], 1.0, 2).mean, 1.0 + 0.5 - 1.0 / 3.0);
        // The longer of two Erlang times of two phases at rate 2.
        close(until_replies(&[1.0, 1.0], 0.5, 2).mean, 11.0 / 8.0);
    }
}
