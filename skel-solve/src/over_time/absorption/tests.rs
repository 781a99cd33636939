//! Random chains against an elimination in fractions, and the graph's answers against walks.

use num_traits::{ToPrimitive, Zero};
use skel_core::number::{Ratio, ratio};

use super::{BeforeEnd, Systems, fractions};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};

/// Numbers without an obvious pattern.
struct Random(u64);

impl Random {
    fn next(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize
    }
}

/// A chain whose state `i` leads to the next one, the last one out, and some others anywhere.
fn chain(states: usize, seed: u64, rates: &[Ratio]) -> BeforeEnd<Ratio> {
    let mut random = Random(seed);
    let rows: Vec<_> = (0..states)
        .map(|state| {
            let mut rate = |one_of: usize| {
                let drawn = random.next();
                drawn.is_multiple_of(one_of).then(|| rates[drawn / one_of % rates.len()].clone())
            };
            let leave = rate(if state + 1 == states { 1 } else { 9 }).unwrap_or_default();
            let others = (0..states).filter(|&target| target != state);
            let row = others
                .filter_map(|target| Some((target as u32, rate(if target == state + 1 { 1 } else { 5 })?)));
            (row.collect(), leave)
        })
        .collect();
    BeforeEnd::of_rows(rows.into_iter())
}

fn in_floats(chain: &BeforeEnd<Ratio>) -> BeforeEnd<f64> {
    let float = |value: &Ratio| value.to_f64().unwrap();
    let rows = (0..chain.states()).map(|state| {
        let row = chain.rates.row(state).map(|(target, rate)| (target as u32, float(rate)));
        (row.collect(), float(&chain.leaves[state]))
    });
    BeforeEnd::of_rows(rows)
}

/// The solution of `A x = b` by elimination in fractions, with nothing clever about it.
fn dense(mut rows: Vec<Vec<Ratio>>) -> Vec<Ratio> {
    let count = rows.len();
    for pivot in 0..count {
        let row = (pivot..count).find(|&row| !rows[row][pivot].is_zero()).unwrap();
        rows.swap(pivot, row);
        let inverse = rows[pivot][pivot].recip();
        rows[pivot].iter_mut().for_each(|value| *value *= &inverse);
        for other in (0..count).filter(|&other| other != pivot) {
            let factor = rows[other][pivot].clone();
            let pivot_row = rows[pivot].clone();
            for (value, above) in rows[other].iter_mut().zip(&pivot_row) {
                *value -= &factor * above;
            }
        }
    }
    rows.into_iter().map(|row| row[count].clone()).collect()
}

fn expected(chain: &BeforeEnd<Ratio>, right: &[Ratio], is_transposed: bool) -> Vec<Ratio> {
    let (count, exits) = (chain.states(), chain.exits());
    let mut rows = vec![vec![Ratio::zero(); count + 1]; count];
    for state in 0..count {
        rows[state][state] = exits[state].clone();
        rows[state][count] = right[state].clone();
    }
    for state in 0..count {
        for (target, rate) in chain.rates.row(state) {
            let (row, column) = if is_transposed { (target, state) } else { (state, target) };
            rows[row][column] = -rate;
        }
    }
    dense(rows)
}

fn hold(values: &[f64], errors: &[f64], expected: &[Ratio]) {
    for ((value, error), expected) in values.iter().zip(errors).zip(expected) {
        let off = (Ratio::from_float(*value).unwrap() - expected).to_f64().unwrap().abs();
        assert!(off <= *error, "{value} is {off} away from {expected}, which is more than {error}");
    }
}

fn hold_all(exact: &BeforeEnd<Ratio>, right: &[Ratio]) {
    let limits = Limits::default();
    let (budget, mut watch) = (MemoryBudget::new(&limits), Watch::start(&limits));
    let wanted = [expected(exact, right, false), expected(exact, right, true)];
    assert_eq!(fractions::backwards(exact, right, budget, &mut watch).unwrap(), wanted[0]);
    assert_eq!(fractions::forwards(exact, right, budget, &mut watch).unwrap(), wanted[1]);
    let floats = in_floats(exact);
    let right: Vec<f64> = right.iter().map(|value| value.to_f64().unwrap()).collect();
    for is_direct in [true, false] {
        let systems = Systems::by(&floats, is_direct, &limits, budget, &mut watch).unwrap();
        let collected = systems.backwards(&right, &mut watch).unwrap();
        hold(&collected.values, &collected.errors, &wanted[0]);
        let spent = systems.forwards(&right, &mut watch).unwrap();
        hold(&spent.values, &spent.errors, &wanted[1]);
    }
}

#[test]
fn solutions_are_within_their_bounds_and_fractions_are_exact() {
    let plain = [1, 2, 3, 10].map(|rate| ratio(rate, 1));
    let odd = [ratio(1, 1), ratio(1, 3), ratio(1, 1000), ratio(70_000, 11)];
    for states in [1, 2, 3, 5, 8, 13] {
        for seed in 0..2 {
            let mut random = Random(seed);
            let mut right: Vec<Ratio> = (0..states).map(|_| ratio(random.next() as i64 % 4, 3)).collect();
            right[states / 2] = ratio(1, 7);
            hold_all(&chain(states, seed, &plain), &right);
            hold_all(&chain(states, seed + 50, &odd), &right);
        }
    }
}

#[test]
fn elimination_keeps_its_digits_in_a_stiff_chain() {
    // Up at 1e-9, down at 1: the time until five are up at once is some 1e38.
    let rows = (0..5_u32).map(|state| {
        let mut row = vec![(state + 1, 1e-9)];
        row.truncate(usize::from(state < 4));
        if state > 0 {
            row.push((state - 1, 1.0));
        }
        (row, if state == 4 { 1e-9 } else { 0.0 })
    });
    let factors_of = BeforeEnd::of_rows(rows);
    let limits = Limits::default();
    let factors = super::factors::Factors::new(&factors_of, u64::MAX, u64::MAX, &mut Watch::start(&limits));
    let time = factors.ok().unwrap().backwards(&[1.0; 5])[0];
    // h_0 = 1/up, h_i = 1/up + down/up h_(i-1)
    let (mut part, mut sum) = (1e9, 1e9);
    for _ in 1..5 {
        part = 1e9 + 1e9 * part;
        sum += part;
    }
    assert!((time / sum - 1.0).abs() < 1e-14, "{time} and not {sum}");
}

#[test]
fn the_graph_tells_who_can_and_who_surely_does() {
    use skel_core::graph::Adjacency;

    use super::reach::{Predecessors, reached_from};
    // 0 -> 1 -> 2 (goal), 1 -> 3 (stays), 4 -> 2, 4 -> 4; 5 is out of reach of all.
    let mut graph = Adjacency::new();
    for row in [vec![1], vec![2, 3], vec![], vec![3], vec![2, 4], vec![0]] {
        graph.push(row);
    }
    let goals = [false, false, true, false, false, false];
    let before = Predecessors::of(&graph);
    let anywhere = |_: usize| true;
    assert_eq!(before.can_reach(&goals, &anywhere), [true, true, true, false, true, true]);
    assert_eq!(before.can_reach(&goals, &|state| state != 1), [false, false, true, false, true, false]);
    assert_eq!(before.surely_reach(&goals, &anywhere), [false, false, true, false, true, false]);
    assert_eq!(reached_from(&graph, [0].into_iter(), &anywhere), [true, true, true, true, false, false]);
    assert_eq!(
        reached_from(&graph, [0].into_iter(), &|state| state != 1),
        [true, true, false, false, false, false]
    );
}
