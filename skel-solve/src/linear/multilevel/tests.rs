use super::Multilevel;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::iteration::{Halt, Iterations, IterativeMethod};
use crate::linear::multilevel::Cycles;
use crate::operator::TriangularSweep;
use crate::operator::transposed::{Rows, TransposedRates};

/// The rates out of each state.
type Lists = Vec<Vec<(u32, f64)>>;

fn operator(rows: &Lists, watch: &mut Watch<'_>) -> TransposedRates {
    let given: Rows<'_> = &|_, visit| {
        rows.iter().enumerate().for_each(|(state, row)| visit(state, row));
        Ok(())
    };
    let budget = MemoryBudget::new(&Limits::default());
    TransposedRates::new(rows.len(), given, budget, watch).unwrap_or_else(|error| panic!("{error}"))
}

/// A torus of two walks, each of which falls into two halves that are joined by slow steps.
fn in_halves(side: usize, slow: f64) -> (Lists, Vec<f64>) {
    let half = side / 2;
    let rate = |from: usize, to: usize| {
        if (from / half) == (to / half) { 1.0 } else { slow * (1.0 + from as f64 / side as f64) }
    };
    let number = |one: usize, other: usize| (one * side + other) as u32;
    let mut rows = vec![Vec::new(); side * side];
    for one in 0..side {
        for other in 0..side {
            let row = &mut rows[number(one, other) as usize];
            for step in [1, side - 1] {
                let (next_one, next_other) = ((one + step) % side, (other + step) % side);
                row.push((number(next_one, other), rate(one, next_one)));
                row.push((number(one, next_other), 2.0 * rate(other, next_other)));
            }
            row.sort_unstable_by_key(|&(target, _)| target);
        }
    }
    // One walk alone, by its flows: between neighbours they balance, but for what goes round.
    let of_one = crate::linear::elimination::solve(
        &of_walk(side, rate),
        u64::MAX,
        u64::MAX,
        &mut Watch::start(&Limits::default()),
    );
    let Ok(of_one) = of_one else { panic!("a walk is eliminated") };
    let pairs = of_one.iter().flat_map(|one| of_one.iter().map(move |other| one * other));
    (rows, pairs.collect())
}

fn of_walk(side: usize, rate: impl Fn(usize, usize) -> f64) -> crate::chain::Generator<f64> {
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for at in 0..side {
        let nexts = [(at + 1) % side, (at + side - 1) % side];
        let exit: f64 = nexts.iter().map(|&next| rate(at, next)).sum();
        let mut row = [(at, -exit), (nexts[0], rate(at, nexts[0])), (nexts[1], rate(at, nexts[1]))];
        row.sort_unstable_by_key(|&(column, _)| column);
        columns.extend(row.iter().map(|&(column, _)| column as u32));
        values.extend(row.iter().map(|&(_, value)| value));
        offsets.push(columns.len());
    }
    crate::chain::Generator::new(crate::chain::Matrix::new(offsets, columns, values))
}

#[test]
fn parts_that_hardly_know_of_one_another_are_right_and_no_slower() {
    for slow in [1e-2, 1e-6, 1e-10] {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let (rows, expected) = in_halves(30, slow);
        let chain = operator(&rows, &mut watch);
        let mut pi = chain.start();
        let mut budget = Iterations::new(&mut watch, 200);
        let outcome = Cycles.solve(&chain, &mut pi, 1e-13, &mut budget);
        assert!(outcome.is_ok(), "{slow}: {} after {}", budget.defect, budget.done);
        for (found, expected) in pi.iter().zip(&expected) {
            assert!((found / expected - 1.0).abs() < 1e-9, "{slow}: {found} for {expected}");
        }
    }
}

#[test]
fn levels_become_smaller_until_the_last_is_eliminated() {
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let (rows, _) = in_halves(40, 1e-3);
    let chain = operator(&rows, &mut watch);
    let Ok(mut multilevel) = Multilevel::new(&chain, 5, &mut watch) else { panic!("nothing stops it") };
    let mut pi = chain.start();
    for _ in 0..8 {
        assert!(multilevel.cycle(&mut pi, &mut watch).is_ok());
        let sizes: Vec<usize> =
            multilevel.levels[..=multilevel.last].iter().map(|level| level.values.len()).collect();
        assert!(sizes.windows(2).all(|sizes| sizes[1] <= sizes[0] * 85 / 100), "{sizes:?}");
        assert!(sizes.last().is_some_and(|&last| last <= 200), "{sizes:?}");
        assert!((pi.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn its_iterations_are_limited() {
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let chain = operator(&in_halves(20, 1e-3).0, &mut watch);
    let mut pi = chain.start();
    let mut budget = Iterations::new(&mut watch, 3);
    let outcome = Cycles.solve(&chain, &mut pi, 1e-13, &mut budget);
    assert!(matches!(outcome, Err(Halt::Iterations)) && budget.done == 3);
}
