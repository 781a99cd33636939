//! Local search: a climb from the best mapping so far to better neighbours, until there is none.
//!
//! A neighbour of a mapping has one task on another processor, or two tasks exchanged. Neighbours that cannot
//! be better by their upper bounds are not solved. The others are solved in small batches, those with the
//! highest bounds first. As soon as a batch has a better mapping, the climb goes on from there. It ends at a
//! mapping that has no better neighbour. That mapping need not be the best of all. The bound that branch and
//! bound has left says by how much another may be better.

use std::collections::HashSet;

use skel_solve::Error;

use super::best::{AT_ONCE, Best};
use super::bound::Bounds;
use super::placement::{linked_extensions, mapping_of};
use super::request::Search;
use super::symmetry::Symmetry;
use crate::evaluate::{Job, Planner};
use crate::program::Mapping;

/// How many bounds are computed at most to find a likely mapping, and again to find one whose links are all
/// there.
const MOST_LOOKS: usize = 200_000;

/// By which part a bound has to be higher for the climb to go on.
const LEAST_STEP: f64 = 1e-6;

/// Climbs from the best mapping or, if none is solved yet, from one that is likely to be good.
pub(super) fn climb(
    planner: &Planner,
    search: &Search,
    bounds: &Bounds<'_>,
    symmetry: &Symmetry,
    best: &mut Best<'_>,
) -> Result<(), Error> {
    let mut seen: HashSet<Vec<usize>> = best.placements().collect();
    let start = match best.first_placement() {
        Some(first) => Some(first),
        None => likely_placement(planner, bounds, symmetry, best.job)?,
    };
    let Some(mut here) = start else { return Ok(()) };
    if seen.insert(here.clone()) {
        best.solve(&[mapping_of(&here, search.ends)])?;
    }
    loop {
        let mut around = Vec::new();
        for placed in neighbours(&here, planner.platform().processors().len()) {
            best.job.check_limits()?;
            let placed = symmetry.canonical(&placed);
            let bound = bounds.upper_bound(&placed, None);
            if bound > 0.0 && best.may_contain(bound) && !seen.contains(&placed) {
                around.push((bound, placed));
            }
        }
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

/// A mapping that is likely to be good, found by a climb to ever better bounds. The climb starts where all
/// tasks are on one processor or, where no processor has a link to itself, at the first mapping whose links
/// are all there.
pub(super) fn likely_placement(
    planner: &Planner,
    bounds: &Bounds<'_>,
    symmetry: &Symmetry,
    job: &Job<'_>,
) -> Result<Option<Vec<usize>>, Error> {
    let (tasks, processors) = (planner.application().task_count(), planner.platform().processors().len());
    let alone = (0..processors).map(|processor| vec![processor; tasks]);
    let start = match best_bound(alone, bounds, job)? {
        Some((bound, placed)) if bound > 0.0 => Some((bound, placed)),
        _ => {
            let linked = first_linked(tasks, bounds, symmetry, job)?;
            linked.map(|placed| (bounds.upper_bound(&placed, None), placed))
        }
    };
    let Some((mut bound, mut here)) = start else { return Ok(None) };
    let mut looks_left = MOST_LOOKS;
    loop {
        match best_bound(neighbours(&here, processors).take(looks_left), bounds, job)? {
            Some((better, next)) if better > bound * (1.0 + LEAST_STEP) => (bound, here) = (better, next),
            _ => return Ok(Some(symmetry.canonical(&here))),
        }
        looks_left = looks_left.saturating_sub(tasks * processors);
    }
}

/// The last of the mappings with the highest bound, and that bound.
fn best_bound(
    placements: impl Iterator<Item = Vec<usize>>,
    bounds: &Bounds<'_>,
    job: &Job<'_>,
) -> Result<Option<(f64, Vec<usize>)>, Error> {
    let mut best: Option<(f64, Vec<usize>)> = None;
    for placed in placements {
        job.check_limits()?;
        let bound = bounds.upper_bound(&placed, None);
        if best.as_ref().is_none_or(|(highest, _)| bound >= *highest) {
            best = Some((bound, placed));
        }
    }
    Ok(best)
}

/// A mapping whose links are all there, searched depth first.
fn first_linked(
    tasks: usize,
    bounds: &Bounds<'_>,
    symmetry: &Symmetry,
    job: &Job<'_>,
) -> Result<Option<Vec<usize>>, Error> {
    let mut stack = vec![Vec::new()];
    for _ in 0..MOST_LOOKS {
        let Some(placed) = stack.pop() else { break };
        if placed.len() == tasks {
            return Ok(Some(placed));
        }
        stack.extend(linked_extensions(&placed, bounds, symmetry, job)?);
    }
    Ok(None)
}

/// The placements with one task on another processor, or with two tasks exchanged.
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
