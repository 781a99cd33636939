use std::num::NonZeroUsize;

use super::{costs_before, of_small, solve};
use crate::chain::Generator;
use crate::limits::{Limits, Watch};
use crate::random_chain::{
    Draw, Lists, generator, in_parts, lattice, lattice_of, nearly_full, queue, stiff, two_modes,
};

/// Grassmann, Taksar and Heyman's elimination of a full matrix, from the last state to the first: the rates
/// that are left, the exit rates among earlier states, and per state what is collected before an earlier one
/// at so much per unit of time.
fn full_matrix(rows: &Lists, costs: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>, Vec<f64>) {
    let count = rows.len();
    let mut rates = vec![vec![0.0; count]; count];
    for (state, row) in rows.iter().enumerate() {
        row.iter().for_each(|&(target, rate)| rates[state][target as usize] = rate);
    }
    let (mut exits, mut gains) = (vec![0.0; count], costs.to_vec());
    for state in (1..count).rev() {
        let out = rates[state][..state].to_vec();
        exits[state] = out.iter().sum();
        for (earlier, row) in rates[..state].iter_mut().enumerate() {
            let into = row[state] / exits[state];
            row.iter_mut().zip(&out).for_each(|(sum, rate)| *sum += into * rate);
            gains[earlier] += into * gains[state];
        }
    }
    (rates, exits, gains)
}

fn of_full_matrix(rows: &Lists) -> Vec<f64> {
    let count = rows.len();
    let (rates, exits, _) = full_matrix(rows, &vec![0.0; count]);
    let mut pi = vec![1.0; count];
    for state in 1..count {
        pi[state] = (0..state).map(|from| pi[from] * rates[from][state]).sum::<f64>() / exits[state];
    }
    let sum: f64 = pi.iter().sum();
    pi.iter().map(|value| value / sum).collect()
}

/// Holds every probability against that of the full matrix.
fn check(rows: &Lists) {
    let limits = Limits::default();
    let found = of_small(&generator(rows), &mut Watch::start(&limits));
    for (state, (found, expected)) in found.iter().zip(of_full_matrix(rows)).enumerate() {
        assert!(
            (found - expected).abs() <= 1e-12 * expected,
            "{state} of {}: {found} {expected}",
            rows.len()
        );
    }
}

#[test]
fn fronts_give_the_probabilities_of_a_full_matrix() {
    let mut draw = Draw(5);
    let kinds = [stiff, queue, in_parts, lattice, two_modes];
    for _ in 0..300 {
        check(&kinds[draw.below(kinds.len())](&mut draw));
    }
}

/// The origin is the first state of the full matrix, the last that is eliminated, and any state of the chain:
/// likely, or as rare as `1e-60`.
#[test]
fn fronts_give_the_costs_of_a_full_matrix() {
    let limits = Limits::default();
    let mut draw = Draw(8);
    let kinds = [stiff, queue, in_parts, lattice, two_modes, nearly_full];
    for _ in 0..300 {
        let rows = kinds[draw.below(kinds.len())](&mut draw);
        let count = rows.len();
        let costs: Vec<f64> = (0..count).map(|_| draw.rate(8.0)).collect();
        let origin = draw.below(count);
        let exchanged = |state: u32| match state as usize {
            0 => origin as u32,
            state if state == origin => 0,
            state => state as u32,
        };
        let of = |state: u32| &rows[exchanged(state) as usize];
        let numbered = |state| of(state).iter().map(|&(to, rate)| (exchanged(to), rate)).collect();
        let exchanged_rows: Lists = (0..count as u32).map(numbered).collect();
        let exchanged_costs: Vec<f64> =
            (0..count as u32).map(|state| costs[exchanged(state) as usize]).collect();
        let (rates, exits, gains) = full_matrix(&exchanged_rows, &exchanged_costs);
        let mut expected = vec![0.0; count];
        for state in 1..count {
            let onward: f64 = (0..state).map(|to| rates[state][to] * expected[to]).sum();
            expected[state] = (gains[state] + onward) / exits[state];
        }
        let mut watch = Watch::start(&limits);
        let task = (costs.as_slice(), origin as u32);
        let found = costs_before(&generator(&rows), task, u64::MAX, u64::MAX, &mut watch);
        let found = found.unwrap_or_else(|_| panic!("small chains are eliminated"));
        for (state, found) in found.iter().enumerate() {
            let expected = expected[exchanged(state as u32) as usize];
            assert!((found - expected).abs() <= 1e-11 * expected, "{state} of {count}: {found} {expected}");
        }
    }
}

/// A chain of so many states, each of which leads to all others.
fn full(count: usize, draw: &mut Draw) -> Lists {
    let row = |state: usize, draw: &mut Draw| {
        let others = (0..count).filter(|&target| target != state);
        others.map(|target| (target as u32, draw.rate(8.0))).collect()
    };
    (0..count).map(|state| row(state, draw)).collect()
}

/// A full chain of 300 states is one large front, and a lattice has subtrees beside one another.
fn chains_for_threads() -> [Generator<f64>; 2] {
    let mut draw = Draw(11);
    [full(300, &mut draw), lattice_of(&[15, 15, 10], &mut draw)].map(|rows| generator(&rows))
}

fn with_threads(threads: usize) -> Limits {
    Limits { threads: NonZeroUsize::new(threads), ..Limits::default() }
}

#[test]
fn threads_change_no_bit() {
    for (chain, costs) in chains_for_threads().iter().zip([300, 2250].map(|states| vec![0.5; states])) {
        let of = |threads| {
            let limits = with_threads(threads);
            let mut watch = Watch::start(&limits);
            let pi = of_small(chain, &mut watch);
            let costs = costs_before(chain, (&costs, 7), u64::MAX, u64::MAX, &mut watch);
            (pi, costs.unwrap_or_else(|_| panic!("there is room")))
        };
        let of_one = of(1);
        for threads in [2, 3, 16] {
            assert!(of(threads) == of_one, "{threads} threads");
        }
    }
}

/// Where there is no room for what several threads take at once, one does all.
#[test]
fn threads_need_no_more_memory_than_one() {
    let [_, chain] = chains_for_threads();
    let is_enough = |threads: usize, bytes: u64| {
        let limits = with_threads(threads);
        solve(&chain, bytes, u64::MAX, &mut Watch::start(&limits)).is_ok()
    };
    let (mut too_few, mut enough) = (0, 1 << 40);
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        if is_enough(1, middle) { enough = middle } else { too_few = middle }
    }
    assert!(is_enough(16, enough) && !is_enough(16, too_few));
}

/// All states go in one front, in panels with and without a last block that is filled up.
#[test]
fn panels_give_the_probabilities_of_a_full_matrix() {
    let mut draw = Draw(6);
    for count in [2, 3, 4, 5, 31, 32, 33, 35, 64, 65, 66, 97, 131] {
        check(&full(count, &mut draw));
    }
}

/// Fronts with borders of more states than a panel has.
#[test]
fn a_lattice_of_forty_by_forty_has_the_probabilities_of_two_walks() {
    let (side, up, down) = (40, [0.9, 1.3], [1.1, 1.0]);
    let number = |one: usize, other: usize| (one * side + other) as u32;
    let mut rows: Lists = Vec::new();
    for one in 0..side {
        for other in 0..side {
            let mut row = Vec::new();
            if one > 0 {
                row.push((number(one - 1, other), down[0]));
            }
            if other > 0 {
                row.push((number(one, other - 1), down[1]));
            }
            if other + 1 < side {
                row.push((number(one, other + 1), up[1]));
            }
            if one + 1 < side {
                row.push((number(one + 1, other), up[0]));
            }
            rows.push(row);
        }
    }
    let limits = Limits::default();
    let found = of_small(&generator(&rows), &mut Watch::start(&limits));
    let ratio = |walk: usize| up[walk] / down[walk];
    let weight = |walk: usize, place: usize| ratio(walk).powi(place as i32);
    let sum = |walk: usize| (0..side).map(|place| weight(walk, place)).sum::<f64>();
    for one in 0..side {
        for other in 0..side {
            let expected = weight(0, one) / sum(0) * weight(1, other) / sum(1);
            let found = found[number(one, other) as usize];
            assert!((found - expected).abs() <= 1e-12 * expected, "{one} {other}: {found} {expected}");
        }
    }
}

/// The last state's probability is `1e-400` of the first's: out of the range of `f64`, unless both are
/// scaled.
#[test]
fn probabilities_out_of_the_range_of_floats_are_zero_and_the_others_right() {
    let rows: Lists = (0..2001_u32)
        .map(|state| {
            let down = (state > 0).then(|| (state - 1, 1.0));
            let up = (state < 2000).then_some((state + 1, 0.63));
            down.into_iter().chain(up).collect()
        })
        .collect();
    let limits = Limits::default();
    let found = of_small(&generator(&rows), &mut Watch::start(&limits));
    for state in [0, 1, 10, 1000, 1500] {
        let expected = 0.37 * 0.63_f64.powi(state);
        assert!(
            (found[state as usize] / expected - 1.0).abs() < 1e-11,
            "{state}: {} {expected}",
            found[state as usize]
        );
    }
    assert!(found[2000] < 1e-300);
}
