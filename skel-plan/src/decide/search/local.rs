//! Local search: from the best mapping so far to better neighbours, until there is none.
//!
//! A neighbour has one task elsewhere, or two tasks exchanged. Neighbours whose bound is not above what is there are not
//! solved; of the others, those with the highest bounds are solved first, a few at once, and
//! the first batch with a better one is followed. The end may be a mapping without better neighbours that is not the best of
//! all: how far it may be from that, the bound that branch and bound left says.

use std::collections::HashSet;

use skel_solve::Error;

use super::best::{AT_ONCE, Best};
use super::bound::Bounds;
use super::placement::{linked_extensions, mapping_of};
use super::request::Search;
use super::symmetry::Symmetry;
use crate::evaluate::Planner;
use crate::program::Mapping;

/// Bounds that are looked at for a likely mapping, and again for one whose links are there.
const MOST_LOOKS: usize = 200_000;

/// The least step of a climb, as a part.
const LEAST_STEP: f64 = 1e-6;

/// Climbs from the best mapping, or from a likely one, if none is solved yet.
pub(super) fn climb(
    planner: &Planner,
    search: &Search,
    bounds: &Bounds<'_>,
    symmetry: &Symmetry,
    best: &mut Best<'_>,
) -> Result<(), Error> {
    let mut seen: HashSet<Vec<usize>> = best.placements().collect();
    let Some(mut here) = best.first_placement().or_else(|| likely_placement(planner, bounds, symmetry))
    else {
        return Ok(());
    };
    if seen.insert(here.clone()) {
        best.solve(&[mapping_of(&here, search.ends)])?;
    }
    loop {
        let mut around: Vec<(f64, Vec<usize>)> = neighbours(&here, planner.platform().processors().len())
            .map(|placed| symmetry.canonical(&placed))
            .filter(|placed| !seen.contains(placed))
            .map(|placed| (bounds.upper_bound(&placed, None), placed))
            .filter(|(bound, _)| *bound > 0.0 && best.may_contain(*bound))
            .collect();
        around.sort_by(|(left, one), (right, other)| right.total_cmp(left).then_with(|| one.cmp(other)));
        around.dedup();
        for batch in around.chunks(AT_ONCE) {
            if best.job.solved_count() >= 2 * search.most_solved {
                return Ok(());
            }
            seen.extend(batch.iter().map(|(_, placed)| placed.clone()));
            let batch: Vec<Mapping> =
                batch.iter().map(|(_, placed)| mapping_of(placed, search.ends)).collect();
            best.solve(&batch)?;
            if best.first_placement().is_some_and(|first| first != here) {
                break;
            }
        }
        match best.first_placement() {
            Some(first) if first != here => here = first,
            _ => return Ok(()),
        }
    }
}

/// A mapping that is likely to be good: from all tasks on one processor, or where no processor has a link to itself from the first
/// mapping whose links are there, to ever better bounds.
pub(super) fn likely_placement(
    planner: &Planner,
    bounds: &Bounds<'_>,
    symmetry: &Symmetry,
) -> Option<Vec<usize>> {
    let (tasks, processors) = (planner.application().task_count(), planner.platform().processors().len());
    let bound = |placed: Vec<usize>| (bounds.upper_bound(&placed, None), placed);
    let better = |one: &(f64, Vec<usize>), other: &(f64, Vec<usize>)| one.0.total_cmp(&other.0);
    let alone = (0..processors).map(|processor| bound(vec![processor; tasks]));
    let best_alone = alone.filter(|(bound, _)| *bound > 0.0).max_by(better);
    let mut here = best_alone.or_else(|| first_linked(tasks, bounds, symmetry).map(bound))?;
    let mut looks_left = MOST_LOOKS;
    loop {
        let next = neighbours(&here.1, processors).take(looks_left).map(bound).max_by(better);
        match next {
            Some(next) if next.0 > here.0 * (1.0 + LEAST_STEP) => here = next,
            _ => return Some(symmetry.canonical(&here.1)),
        }
        looks_left = looks_left.saturating_sub(tasks * processors);
    }
}

/// A mapping whose links are there, depth first.
fn first_linked(tasks: usize, bounds: &Bounds<'_>, symmetry: &Symmetry) -> Option<Vec<usize>> {
    let mut stack = vec![Vec::new()];
    for _ in 0..MOST_LOOKS {
        let placed: Vec<usize> = stack.pop()?;
        if placed.len() == tasks {
            return Some(placed);
        }
        stack.extend(linked_extensions(&placed, bounds, symmetry));
    }
    None
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
