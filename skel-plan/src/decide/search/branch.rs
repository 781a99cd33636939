//! Branch and bound: the most promising subproblem is taken first.
//!
//! A subproblem is the set of all mappings that place the first tasks in one way. Unless there are too many
//! ways, it also says [how many tasks come to each processor](super::loads). Its branches place one more
//! task. Each subproblem has an upper bound on the throughputs of its mappings, and waits in a queue. The one
//! with the highest bound is taken from the queue:
//!
//! - The first bound comes from what single tasks can do. It is tightened in steps by windows of three, five
//!   and seven stages, and after each step the subproblem goes back to the queue.
//! - When its bound is as tight as it can be, a subproblem is replaced by its branches, or solved if all
//!   tasks are placed.
//!
//! If the highest bound in the queue is below the throughput of the last of the mappings that are wanted, no
//! other mapping is among the best, and the answer is proved. Complete mappings are solved in batches, so
//! that several threads have work. Some mappings of the last batch may turn out not to be needed. One mapping
//! that is likely to be good is solved before everything else. Subproblems with a lower bound are never
//! queued, and a search that is stopped early has an answer.
//!
//! If more mappings would have to be solved, or more subproblems queued, than is allowed, the search ends
//! without a proof. The highest bound in the queue then says how much better another mapping may be.

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

/// The most subproblems in the queue. Each takes some hundred bytes.
const MOST_QUEUED: usize = 1_000_000;

/// The most ways to spread tasks over processors that are searched one by one.
const MOST_LOADS: usize = 20_000;

/// All mappings that place the first tasks so.
struct Subproblem {
    bound: f64,
    /// How many sizes of windows its bound has taken into account.
    windows_seen: usize,
    /// How many tasks come to each processor in all, where that is fixed.
    loads: Option<Rc<[u32]>>,
    placed: Vec<usize>,
}

impl Ord for Subproblem {
    /// The greatest has the highest bound. Of equal bounds it is that with more tasks placed, and then that
    /// with the lower numbers.
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

/// One search by branch and bound.
pub(super) struct BranchAndBound<'a> {
    planner: &'a Planner,
    search: &'a Search,
    bounds: &'a Bounds<'a>,
    symmetry: &'a Symmetry,
    /// Windows of each size, from the quickest to those with the tightest bounds.
    windows: Vec<Windows>,
    queue: BinaryHeap<Subproblem>,
}

impl<'a> BranchAndBound<'a> {
    /// A search with an empty queue.
    pub(super) fn new(
        planner: &'a Planner,
        search: &'a Search,
        bounds: &'a Bounds<'a>,
        symmetry: &'a Symmetry,
    ) -> Result<BranchAndBound<'a>, Error> {
        let windows = windows_by_size(planner.application())?;
        Ok(BranchAndBound { planner, search, bounds, symmetry, windows, queue: BinaryHeap::new() })
    }

    /// Queues the subproblems in which no task is placed.
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

    /// Queues a branch of a subproblem with the bound `of_whole`, unless none of its mappings can be among
    /// the best.
    fn enqueue(&mut self, loads: Option<Rc<[u32]>>, placed: Vec<usize>, of_whole: f64, best: &Best<'_>) {
        let bound = self.bounds.upper_bound(&placed, loads.as_deref()).min(of_whole);
        if bound > 0.0 && best.may_contain(bound) {
            self.queue.push(Subproblem { bound, windows_seen: 0, loads, placed });
        }
    }

    /// Searches until the best mappings are proved or a limit of the search is reached. Returns whether they
    /// are proved.
    pub(super) fn run(&mut self, best: &mut Best<'_>) -> Result<bool, Error> {
        let tasks = self.planner.application().task_count();
        // Complete mappings. The first has the highest bound of all that are not solved.
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
                self.branch(&subproblem, best)?;
            } else {
                batch.push(subproblem);
            }
            if batch.len() >= AT_ONCE {
                self.solve(&mut batch, best)?;
            }
            let is_over =
                best.job.solved_count() >= self.search.most_solved || self.queue.len() > MOST_QUEUED;
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

    /// Solves a batch of complete mappings.
    fn solve(&self, batch: &mut Vec<Subproblem>, best: &mut Best<'_>) -> Result<(), Error> {
        let mappings: Vec<Mapping> =
            batch.iter().map(|subproblem| mapping_of(&subproblem.placed, self.search.ends)).collect();
        best.solve(&mappings)?;
        batch.clear();
        Ok(())
    }

    /// How many sizes of windows are used. The largest windows are for complete mappings alone, since they
    /// take the most time.
    fn windows_for(&self, is_complete: bool) -> usize {
        const FOR_PARTS: usize = 2;
        if is_complete { self.windows.len() } else { self.windows.len().min(FOR_PARTS) }
    }

    /// Tightens the bound of a subproblem by windows of the next size, and queues it again.
    fn tighten(&mut self, subproblem: Subproblem, job: &Job<'_>) -> Result<(), Error> {
        let rates = self.bounds.best_rates(&subproblem.placed, subproblem.loads.as_deref());
        let tighter = self.windows[subproblem.windows_seen].bound(&rates, subproblem.placed.len(), job)?;
        let (bound, windows_seen) = (subproblem.bound.min(tighter), subproblem.windows_seen + 1);
        self.queue.push(Subproblem { bound, windows_seen, ..subproblem });
        Ok(())
    }

    /// Queues the branches of a subproblem. None has a bound above that of the subproblem.
    fn branch(&mut self, subproblem: &Subproblem, best: &Best<'_>) -> Result<(), Error> {
        let taken = |processor| subproblem.placed.iter().filter(|&&one| one == processor).count();
        let has_room = |&processor: &usize| {
            subproblem.loads.as_ref().is_none_or(|loads| taken(processor) < loads[processor] as usize)
        };
        let choices: Vec<usize> = self.symmetry.choices(&subproblem.placed).filter(has_room).collect();
        for processor in choices {
            best.job.check_limits()?;
            let placed = [subproblem.placed.as_slice(), &[processor]].concat();
            self.enqueue(subproblem.loads.clone(), placed, subproblem.bound, best);
        }
        Ok(())
    }
}
