//! Branch and bound, the most promising part first.
//!
//! A part says how many tasks come to each [processor](super::loads), where these ways are not too many, and places the first tasks;
//! its children place one more. The queue holds parts by their bounds. The part with the highest bound is taken: with a bound of
//! one task at a time it gets a tighter one, by windows of ever more stages, and goes back; with the sharpest, it is parted
//! further or, if it is complete, solved. When the highest bound in the queue is below the last of the best mappings that are
//! wanted, no other mapping is among them: the answer is proved. Complete parts are solved in batches, so that threads
//! have work; the last batch may hold some in vain. A mapping that is likely to be good is solved first: parts below it are
//! never queued, and a search that is stopped has something to show.
//!
//! Where more would have to be solved or queued than is allowed, the highest bound that is left says how much may be missed.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use skel_solve::Error;

use super::best::{AT_ONCE, Best};
use super::bound::Bounds;
use super::placement::mapping_of;
use super::request::Search;
use super::symmetry::Symmetry;
use super::window::{Windows, windows_by_size};
use super::{loads, local};
use crate::evaluate::{Job, Planner};
use crate::program::Mapping;

/// The most parts that are queued: some hundred bytes each.
const MOST_PARTS: usize = 1_000_000;

/// The most ways to spread tasks over processors that are looked at one by one.
const MOST_LOADS: usize = 20_000;

/// Some tasks, placed.
struct Subproblem {
    bound: f64,
    /// How many kinds of windows the bound has seen.
    windows_seen: usize,
    /// How many tasks come to each processor, if that is said.
    loads: Option<Rc<[u32]>>,
    placed: Vec<usize>,
}

impl Ord for Subproblem {
    /// By bound; of equal ones first the one with more tasks placed, then that with lower numbers.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bound = self.bound.total_cmp(&other.bound);
        let by_length = || self.placed.len().cmp(&other.placed.len());
        let by_numbers = || (&other.placed, &other.loads).cmp(&(&self.placed, &self.loads));
        by_bound.then_with(by_length).then_with(by_numbers)
    }
}

impl PartialOrd for Subproblem {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Subproblem {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Subproblem {}

/// The machinery of one search.
pub(super) struct BranchAndBound<'a> {
    planner: &'a Planner,
    search: &'a Search,
    bounds: &'a Bounds<'a>,
    symmetry: &'a Symmetry,
    /// From the quickest to the sharpest.
    windows: Vec<Windows>,
    queue: BinaryHeap<Subproblem>,
}

impl<'a> BranchAndBound<'a> {
    /// Nothing placed yet.
    pub(super) fn new(
        planner: &'a Planner,
        search: &'a Search,
        bounds: &'a Bounds<'a>,
        symmetry: &'a Symmetry,
    ) -> Result<BranchAndBound<'a>, Error> {
        let windows = windows_by_size(planner.application())?;
        Ok(BranchAndBound { planner, search, bounds, symmetry, windows, queue: BinaryHeap::new() })
    }

    /// Queues all mappings, but for those that cannot be among the best.
    fn queue_roots(&mut self, best: &Best<'_>) -> Result<(), Error> {
        let (tasks, processors) =
            (self.planner.application().task_count(), self.planner.platform().processors().len());
        let ways: Vec<Option<Rc<[u32]>>> = match loads::enumerate(tasks, processors, MOST_LOADS) {
            Some(ways) => {
                let looked_at = ways.into_iter().filter(|loads| self.symmetry.allows_loads(loads));
                looked_at.map(|loads| Some(loads.into())).collect()
            }
            None => vec![None],
        };
        for loads in ways {
            best.job.check_limits()?;
            self.enqueue(loads, Vec::new(), f64::INFINITY, best);
        }
        Ok(())
    }

    /// Queues a part of one with a bound, unless it cannot have a mapping that is among the best.
    fn enqueue(&mut self, loads: Option<Rc<[u32]>>, placed: Vec<usize>, of_whole: f64, best: &Best<'_>) {
        let bound = self.bounds.upper_bound(&placed, loads.as_deref()).min(of_whole);
        if bound > 0.0 && best.may_contain(bound) {
            self.queue.push(Subproblem { bound, windows_seen: 0, loads, placed });
        }
    }

    /// Searches, until the best mappings are proved or it is over. Whether they are proved.
    pub(super) fn run(&mut self, best: &mut Best<'_>) -> Result<bool, Error> {
        let tasks = self.planner.application().task_count();
        // Complete parts: the first has the highest bound of all that is not solved.
        let mut batch: Vec<Subproblem> = Vec::new();
        if let Some(likely) = local::likely_placement(self.planner, self.bounds, self.symmetry, best.job)? {
            best.solve(&[mapping_of(&likely, self.search.ends)])?;
        }
        self.queue_roots(best)?;
        loop {
            best.job.check_limits()?;
            let next = self.queue.pop().filter(|subproblem| best.may_contain(subproblem.bound));
            let Some(subproblem) = next else {
                self.queue.clear();
                if batch.is_empty() {
                    return Ok(true);
                }
                self.solve(&mut batch, best)?;
                continue;
            };
            best.lower_bound_to(batch.first().unwrap_or(&subproblem).bound);
            if subproblem.windows_seen < self.windows_for(subproblem.placed.len() == tasks) {
                self.tighten(subproblem, best.job)?;
            } else if subproblem.placed.len() < tasks {
                self.branch(&subproblem, best);
            } else {
                batch.push(subproblem);
            }
            if batch.len() >= AT_ONCE {
                self.solve(&mut batch, best)?;
            }
            let is_over = best.job.solved_count() >= self.search.most_solved || self.queue.len() > MOST_PARTS;
            if let Some(bound) = self.queue.peek().map(|subproblem| subproblem.bound)
                && is_over
                && best.may_contain(bound)
            {
                self.solve(&mut batch, best)?;
                best.lower_bound_to(bound);
                return Ok(false);
            }
        }
    }

    /// Solves complete parts.
    fn solve(&self, batch: &mut Vec<Subproblem>, best: &mut Best<'_>) -> Result<(), Error> {
        let mappings: Vec<Mapping> =
            batch.iter().map(|subproblem| mapping_of(&subproblem.placed, self.search.ends)).collect();
        best.solve(&mappings)?;
        batch.clear();
        Ok(())
    }

    /// How many kinds of windows a part is looked at by. The largest are for complete ones, of which there are fewer.
    fn windows_for(&self, is_complete: bool) -> usize {
        const FOR_PARTS: usize = 2;
        if is_complete { self.windows.len() } else { self.windows.len().min(FOR_PARTS) }
    }

    /// The next tighter bound, and back to the queue.
    fn tighten(&mut self, subproblem: Subproblem, job: &Job<'_>) -> Result<(), Error> {
        let rates = self.bounds.best_rates(&subproblem.placed, subproblem.loads.as_deref());
        let tighter = self.windows[subproblem.windows_seen].bound(&rates, subproblem.placed.len(), job)?;
        let (bound, windows_seen) = (subproblem.bound.min(tighter), subproblem.windows_seen + 1);
        self.queue.push(Subproblem { bound, windows_seen, ..subproblem });
        Ok(())
    }

    /// The parts with one task more. None has a bound above that of the whole part.
    fn branch(&mut self, subproblem: &Subproblem, best: &Best<'_>) {
        let taken = |processor| subproblem.placed.iter().filter(|&&one| one == processor).count();
        let has_room = |&processor: &usize| {
            subproblem.loads.as_ref().is_none_or(|loads| taken(processor) < loads[processor] as usize)
        };
        let choices: Vec<usize> = self.symmetry.choices(&subproblem.placed).filter(has_room).collect();
        for processor in choices {
            let placed = [subproblem.placed.as_slice(), &[processor]].concat();
            self.enqueue(subproblem.loads.clone(), placed, subproblem.bound, best);
        }
    }
}
