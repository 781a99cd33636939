use std::collections::BTreeSet;

use super::{Price, Refusal, order, price};
use crate::chain::Matrix;
use crate::limits::{Limits, Watch};
use crate::random_chain::{Draw, Lists, in_parts, queue, stiff};

const ANY: Price = Price { entries: u64::MAX, work: u64::MAX };

fn matrix(rows: &Lists) -> Matrix<f64> {
    let mut offsets = vec![0];
    offsets.extend(rows.iter().scan(0, |end, row| {
        *end += row.len();
        Some(*end)
    }));
    let (columns, values) = rows.iter().flatten().copied().unzip();
    Matrix::new(offsets, columns, values)
}

/// Per place of an order the later ones that it is joined with when its turn comes, by sets of pairs.
fn pattern(matrix: &Matrix<f64>, states: &[u32], places: &[u32]) -> Vec<BTreeSet<u32>> {
    let mut later = vec![BTreeSet::new(); states.len()];
    for row in 0..matrix.rows() {
        for &column in matrix.columns_of(row) {
            let (one, other) = (places[row], places[column as usize]);
            later[one.min(other) as usize].insert(one.max(other));
        }
    }
    for place in 0..states.len() {
        let joined = std::mem::take(&mut later[place]);
        for &one in &joined {
            later[one as usize].extend(joined.range(one + 1..));
        }
        later[place] = joined;
    }
    later
}

/// Holds the fronts of a matrix against what its elimination in their order joins, and returns what it costs.
fn check(matrix: &Matrix<f64>) -> Price {
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let fronts = order(matrix, ANY, &mut watch).unwrap_or_else(|_| panic!("no limit"));
    let expected = pattern(matrix, &fronts.states, &fronts.places);
    let found = fronts.pattern();
    let last = fronts.places(fronts.count() - 1).start;
    for (place, expected) in expected.iter().enumerate() {
        let found = &found.later[found.offsets[place]..found.offsets[place + 1]];
        match place < last {
            true => assert!(found.iter().eq(expected), "{place}: {found:?}, {expected:?}"),
            // What goes last is taken for joined to all, since degrees are bounds.
            false => assert!(found.iter().copied().eq(place as u32 + 1..fronts.states.len() as u32)),
        }
    }
    let parents = fronts.parents();
    assert!((0..fronts.count()).all(|front| parents[front].is_none_or(|parent| parent > front)));
    price(matrix, ANY, &mut watch).unwrap_or_else(|_| panic!("no limit"))
}

#[test]
fn fronts_have_what_an_elimination_joins() {
    let mut draw = Draw(17);
    for _ in 0..300 {
        let rows = match draw.below(3) {
            0 => stiff(&mut draw),
            1 => queue(&mut draw),
            _ => in_parts(&mut draw),
        };
        check(&matrix(&rows));
    }
}

#[test]
fn states_that_are_alike_go_together() {
    // A ring of sites with four states each, which are joined to one another and to all of the next site.
    let (sites, of_site) = (50, 4);
    let row = |state: u32| {
        let near = [0, 1].map(|step| (state / of_site + step) % sites * of_site);
        let mut row: Vec<_> =
            near.into_iter().flat_map(|first| first..first + of_site).filter(|&to| to != state).collect();
        row.sort_unstable();
        row.into_iter().map(|to| (to, 1.0)).collect()
    };
    let matrix = matrix(&(0..sites * of_site).map(row).collect());
    check(&matrix);
    let limits = Limits::default();
    let fronts = order(&matrix, ANY, &mut Watch::start(&limits)).unwrap_or_else(|_| panic!("no limit"));
    assert!(fronts.count() <= sites as usize, "{}", fronts.count());
}

#[test]
fn parts_that_are_not_connected_have_orders_of_their_own() {
    let rows: Lists = (0..30).map(|state: u32| vec![(state / 3 * 3 + (state + 1) % 3, 1.0)]).collect();
    let price = check(&matrix(&rows));
    assert_eq!(price.entries, 10 * 3);
}

#[test]
fn a_state_with_very_many_neighbours_goes_last() {
    let count = 4000;
    let rows: Lists = (0..count)
        .map(|state: u32| {
            if state == 0 {
                (1..count).map(|to| (to, 1.0)).collect()
            } else {
                vec![((state + 1) % count, 1.0)]
            }
        })
        .collect();
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let fronts = order(&matrix(&rows), ANY, &mut watch).unwrap_or_else(|_| panic!("no limit"));
    assert!(fronts.places[0] + 3 >= count, "{}", fronts.places[0]);
    assert!(fronts.entries() < 4 * count as usize);
}

#[test]
fn what_costs_too_much_is_refused() {
    let limits = Limits::default();
    let mut watch = Watch::start(&limits);
    let rows: Lists =
        (0..100_u32).map(|state| vec![((state + 1) % 100, 1.0), ((state + 10) % 100, 1.0)]).collect();
    let matrix = matrix(&rows);
    let Ok(found) = price(&matrix, ANY, &mut watch) else { panic!("no limit") };
    assert!(order(&matrix, found, &mut watch).is_ok());
    for less in [Price { entries: found.entries - 1, ..found }, Price { work: found.work - 1, ..found }] {
        assert!(matches!(order(&matrix, less, &mut watch), Err(Refusal::Price)));
    }
}
