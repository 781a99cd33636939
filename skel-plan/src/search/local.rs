//! Local search: from the best mapping so far to better neighbours, until there is none.
//!
//! A neighbour has one task elsewhere, or two tasks exchanged. Neighbours whose bound is not above what is there are not
//! solved; of the others, those with the highest bounds are solved first, as many at once as there are threads, and
//! the first batch with a better one is followed. The end may be a mapping without better neighbours that is not the best of
//! all: how far it may be from that, the bound that branch and bound left says.

use std::collections::HashSet;

use skel_solve::Error;

use super::bound::Bounds;
use super::equals::Equals;
use super::{Best, Search, mapping_of};
use crate::mapping::Mapping;
use crate::planner::Planner;

/// Climbs from the best mapping, or from where all tasks are on the best processor for that, if none is solved yet.
pub(super) fn climb(
    planner: &Planner,
    search: &Search,
    bounds: &Bounds<'_>,
    equals: &Equals,
    best: &mut Best<'_>,
) -> Result<(), Error> {
    let mut seen: HashSet<Vec<usize>> = best.placed().collect();
    let Some(mut here) = best.first().or_else(|| start(planner, bounds, equals)) else { return Ok(()) };
    if seen.insert(here.clone()) {
        best.solve(&[mapping_of(&here, search.ends)])?;
    }
    loop {
        let mut around: Vec<(f64, Vec<usize>)> = neighbours(&here, planner.platform().processors().len())
            .map(|placed| equals.canonical(&placed))
            .filter(|placed| !seen.contains(placed))
            .map(|placed| (bounds.of_part(&placed), placed))
            .filter(|(bound, _)| *bound > 0.0 && best.may_contain(*bound))
            .collect();
        around.sort_by(|(left, one), (right, other)| right.total_cmp(left).then_with(|| one.cmp(other)));
        around.dedup();
        for batch in around.chunks(planner.threads()) {
            if best.run.solved() >= 2 * search.most_solved {
                return Ok(());
            }
            seen.extend(batch.iter().map(|(_, placed)| placed.clone()));
            let batch: Vec<Mapping> =
                batch.iter().map(|(_, placed)| mapping_of(placed, search.ends)).collect();
            best.solve(&batch)?;
            if best.first().is_some_and(|first| first != here) {
                break;
            }
        }
        match best.first() {
            Some(first) if first != here => here = first,
            _ => return Ok(()),
        }
    }
}

/// All tasks on one processor.
fn start(planner: &Planner, bounds: &Bounds<'_>, equals: &Equals) -> Option<Vec<usize>> {
    let tasks = planner.application().tasks();
    let alone = planner.platform().processors().map(|id| vec![id.index(); tasks]);
    let rated = alone.map(|placed| (bounds.of_part(&placed), placed)).filter(|(bound, _)| *bound > 0.0);
    rated.max_by(|(left, _), (right, _)| left.total_cmp(right)).map(|(_, placed)| equals.canonical(&placed))
}

/// One task elsewhere, or two exchanged.
fn neighbours(here: &[usize], processors: usize) -> impl Iterator<Item = Vec<usize>> + '_ {
    let tasks = here.len();
    let moved = (0..tasks).flat_map(move |task| {
        let others = (0..processors).filter(move |&processor| processor != here[task]);
        others.map(move |processor| {
            let mut placed = here.to_vec();
            placed[task] = processor;
            placed
        })
    });
    let pairs = (0..tasks).flat_map(move |one| (0..one).map(move |other| (one, other)));
    let exchanged = pairs.filter(|&(one, other)| here[one] != here[other]).map(|(one, other)| {
        let mut placed = here.to_vec();
        placed.swap(one, other);
        placed
    });
    moved.chain(exchanged)
}
