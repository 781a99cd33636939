//! Random times: in floats against fractions and against a dense matrix exponential.

use num_traits::{ToPrimitive, Zero};
use skel_core::number::{Ratio, ratio};

use super::{TimeToEnd, Wanted};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::over_time::absorption::BeforeEnd;
use crate::over_time::passage::Figure;

/// Numbers without an obvious pattern.
struct Random(u64);

impl Random {
    fn next(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize
    }
}

/// Rates, start and the weight of runs that begin at the end. Some states may not be reached, and the end may
/// not from some.
struct Drawn {
    rows: Vec<(Vec<(u32, Ratio)>, Ratio)>,
    start: Vec<Ratio>,
    at_once: Ratio,
}

/// The rates are small whole numbers and powers of two, which floats have exactly.
fn drawn(states: usize, seed: u64) -> Drawn {
    let mut random = Random(seed);
    let rates = [ratio(1, 1), ratio(3, 1), ratio(1, 1 << 5), ratio(1 << 4, 1), ratio(5, 8)];
    let mut rate = |one_of: usize| {
        let drawn = random.next();
        drawn.is_multiple_of(one_of).then(|| rates[drawn / one_of % rates.len()].clone())
    };
    let rows = (0..states).map(|state| {
        let targets = (0..states as u32).filter(|&target| target as usize != state);
        let row: Vec<_> = targets.filter_map(|target| Some((target, rate(3)?))).collect();
        (row, rate(3).unwrap_or_default())
    });
    let rows = rows.collect();
    let shares: Vec<usize> = (0..=states).map(|_| random.next() % 3).collect();
    // A power of two, so that weights are floats, too.
    let of = |share: usize| ratio(share as i64, 1 << 6);
    let mut start: Vec<Ratio> = shares[..states].iter().map(|&share| of(share)).collect();
    let at_once = of(shares[states]);
    let rest = ratio(1, 1) - start.iter().sum::<Ratio>() - &at_once;
    start[0] += rest;
    Drawn { rows, start, at_once }
}

impl Drawn {
    fn exact(&self) -> TimeToEnd<Ratio> {
        let chain = BeforeEnd::of_rows(self.rows.iter().cloned());
        TimeToEnd::new(chain, self.start.clone(), self.at_once.clone(), 0.0)
    }

    fn floats(&self) -> TimeToEnd<f64> {
        let float = |value: &Ratio| value.to_f64().unwrap();
        let row = |(row, end): &(Vec<(u32, Ratio)>, Ratio)| {
            (row.iter().map(|(target, rate)| (*target, float(rate))).collect(), float(end))
        };
        let chain = BeforeEnd::of_rows(self.rows.iter().map(row));
        TimeToEnd::new(chain, self.start.iter().map(float).collect(), float(&self.at_once), 0.0)
    }

    /// The probability to have ended by a time: the last column of the exponential of the whole generator, by
    /// squaring.
    fn ended_by(&self, time: f64) -> f64 {
        let count = self.rows.len() + 1;
        let mut generator = vec![vec![0.0; count]; count];
        for (state, (row, end)) in self.rows.iter().enumerate() {
            let rates = row.iter().map(|(target, rate)| (*target as usize, rate));
            for (target, rate) in rates.chain([(count - 1, end)]) {
                generator[state][target] += rate.to_f64().unwrap();
                generator[state][state] -= rate.to_f64().unwrap();
            }
        }
        let squarings = 24;
        let step = time / f64::from(1 << squarings);
        // exp(Q h) = I + Q h + (Q h)^2 / 2 + .. for a very small h.
        let mut power: Vec<Vec<f64>> = (0..count).map(|row| unit(count, row)).collect();
        let mut sum = power.clone();
        for order in 1..6 {
            power = product(&power, &generator, step / f64::from(order));
            sum.iter_mut()
                .zip(&power)
                .for_each(|(sum, more)| sum.iter_mut().zip(more).for_each(|(s, m)| *s += m));
        }
        for _ in 0..squarings {
            sum = product(&sum, &sum, 1.0);
            for row in &mut sum {
                let whole: f64 = row.iter().sum();
                row.iter_mut().for_each(|value| *value /= whole);
            }
        }
        let from = |(state, weight): (usize, &Ratio)| weight.to_f64().unwrap() * sum[state][count - 1];
        self.start.iter().enumerate().map(from).sum::<f64>() + self.at_once.to_f64().unwrap()
    }
}

fn unit(count: usize, at: usize) -> Vec<f64> {
    (0..count).map(|column| f64::from(u8::from(column == at))).collect()
}

fn product(left: &[Vec<f64>], right: &[Vec<f64>], factor: f64) -> Vec<Vec<f64>> {
    let entry = |row: &Vec<f64>, column: usize| {
        factor * row.iter().zip(right).map(|(value, other)| value * other[column]).sum::<f64>()
    };
    left.iter().map(|row| (0..right.len()).map(|column| entry(row, column)).collect()).collect()
}

fn hold(figure: Figure, exact: &Ratio, what: &str) {
    let off = (Ratio::from_float(figure.value).unwrap() - exact).to_f64().unwrap().abs();
    assert!(off <= figure.error, "{what}: {figure:?} is {off} away from {exact}");
}

#[test]
fn moments_in_floats_are_within_their_bounds_of_those_in_fractions() {
    let limits = Limits::default();
    let budget = MemoryBudget::new(&limits);
    let mut watch = Watch::start(&limits);
    let (mut sure, mut unsure) = (0, 0);
    for seed in 0..150 {
        let drawn = drawn(1 + seed as usize % 9, seed);
        let (exact, floats) = (drawn.exact(), drawn.floats());
        assert_eq!((exact.states(), exact.is_sure()), (floats.states(), floats.is_sure()));
        if exact.is_impossible() {
            continue;
        }
        *if exact.is_sure() { &mut sure } else { &mut unsure } += 1;
        let wanted = exact.moments(3, budget, &mut watch).unwrap();
        let found = floats.moments(3, &limits, budget, &mut watch).unwrap();
        hold(found.ends, &wanted.ends, "the probability to end");
        for (found, wanted) in found.raw.iter().zip(&wanted.raw) {
            hold(*found, wanted, "a moment");
        }
        hold(found.variance.unwrap(), &wanted.variance.unwrap(), "the variance");
        assert!(!wanted.ends.is_zero());
    }
    assert!(sure > 20 && unsure > 20, "{sure} {unsure}");
}

#[test]
fn curves_and_quantiles_are_those_of_the_matrix_exponential() {
    const NOISE: f64 = 1e-11;
    let limits = Limits::default();
    let budget = MemoryBudget::new(&limits);
    let mut watch = Watch::start(&limits);
    for seed in 0..30 {
        let drawn = drawn(1 + seed as usize % 6, seed);
        let floats = drawn.floats();
        if floats.is_impossible() {
            continue;
        }
        let ends = floats.moments(0, &limits, budget, &mut watch).unwrap().ends;
        let times = [0.0, 0.01, 0.4, 3.0];
        let quantiles = [0.2 * ends.value, 0.9 * ends.value, 0.5 + 0.5 * ends.value];
        let wanted = Wanted { times: &times, quantiles: &quantiles, tolerance: 1e-9, most_steps: 1_000_000 };
        let curve = floats.curve(&wanted, ends, budget, &mut watch).unwrap();
        for point in &curve.points {
            let expected = drawn.ended_by(point.time);
            let off = (point.probability.value - expected).abs();
            assert!(off <= point.probability.error + NOISE, "{point:?} and not {expected}");
            let around = [point.time + 1e-4, point.time - 1e-4].map(|time| drawn.ended_by(time.max(0.0)));
            let slope = (around[0] - around[1]) / 2e-4;
            let is_inside = point.time > 0.0;
            assert!(
                !is_inside || (point.density.value - slope).abs() <= 1e-3 * (1.0 + slope),
                "{point:?} {slope}"
            );
        }
        for quantile in &curve.quantiles {
            let Some(time) = quantile.time else {
                assert!(quantile.probability >= ends.value, "{quantile:?} {ends:?}");
                continue;
            };
            if time.value == 0.0 {
                assert!(drawn.at_once.to_f64().unwrap() >= quantile.probability);
                continue;
            }
            let [before, after] =
                [time.value - time.error, time.value + time.error].map(|t| drawn.ended_by(t));
            assert!(before <= quantile.probability + NOISE && after >= quantile.probability - NOISE);
        }
    }
}
