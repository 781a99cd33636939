//! Branch and bound, the most promising part first.
//!
//! A part says how many tasks come to each [processor](super::loads), where these ways are not too many, and places the first tasks;
//! its children place one more. The queue holds parts by their bounds. The part with the highest bound is taken: with a bound of
//! one task at a time it gets a sharper one, by windows of ever more stages, and goes back; with the sharpest, it is parted
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
use super::symmetry::Equals;
use super::window::{Windows, ladder};
use super::{loads, local};
use crate::evaluate::{Job, Planner};
use crate::program::Mapping;

/// The most parts that are queued: some hundred bytes each.
const MOST_PARTS: usize = 1_000_000;

/// The most ways to spread tasks over processors that are looked at one by one.
const MOST_LOADS: usize = 20_000;

/// Some tasks, placed.
struct Part {
    bound: f64,
    /// How many kinds of windows the bound has seen.
    sharpened: usize,
    /// How many tasks come to each processor, if that is said.
    loads: Option<Rc<[u32]>>,
    placed: Vec<usize>,
}

impl Ord for Part {
    /// By bound; of equal ones first the one with more tasks placed, then that with lower numbers.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bound = self.bound.total_cmp(&other.bound);
        let by_length = || self.placed.len().cmp(&other.placed.len());
        let by_numbers = || (&other.placed, &other.loads).cmp(&(&self.placed, &self.loads));
        by_bound.then_with(by_length).then_with(by_numbers)
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Part {}

/// The machinery of one search.
pub(super) struct Branching<'a> {
    planner: &'a Planner,
    search: &'a Search,
    bounds: &'a Bounds<'a>,
    equals: &'a Equals,
    /// From the quickest to the sharpest.
    windows: Vec<Windows>,
    queue: BinaryHeap<Part>,
}

impl<'a> Branching<'a> {
    /// Nothing placed yet.
    pub(super) fn new(
        planner: &'a Planner,
        search: &'a Search,
        bounds: &'a Bounds<'a>,
        equals: &'a Equals,
    ) -> Result<Branching<'a>, Error> {
        let windows = ladder(planner.application())?;
        Ok(Branching { planner, search, bounds, equals, windows, queue: BinaryHeap::new() })
    }

    /// Queues all mappings, but for those that cannot be among the best.
    fn begin(&mut self, best: &Best<'_>) {
        let (tasks, processors) =
            (self.planner.application().tasks(), self.planner.platform().processors().len());
        let ways: Vec<Option<Rc<[u32]>>> = match loads::all(tasks, processors, MOST_LOADS) {
            Some(ways) => {
                let looked_at = ways.into_iter().filter(|loads| self.equals.may_be_loads(loads));
                looked_at.map(|loads| Some(loads.into())).collect()
            }
            None => vec![None],
        };
        for loads in ways {
            self.queue_part(loads, Vec::new(), f64::INFINITY, best);
        }
    }

    /// Queues a part of one with a bound, unless it cannot have a mapping that is among the best.
    fn queue_part(&mut self, loads: Option<Rc<[u32]>>, placed: Vec<usize>, of_whole: f64, best: &Best<'_>) {
        let bound = self.bounds.of_part(&placed, loads.as_deref()).min(of_whole);
        if bound > 0.0 && best.may_contain(bound) {
            self.queue.push(Part { bound, sharpened: 0, loads, placed });
        }
    }

    /// Searches, until the best mappings are proved or it is over. Whether they are proved.
    pub(super) fn run(&mut self, best: &mut Best<'_>) -> Result<bool, Error> {
        let tasks = self.planner.application().tasks();
        // Complete parts: the first has the highest bound of all that is not solved.
        let mut batch: Vec<Part> = Vec::new();
        if let Some(likely) = local::likely(self.planner, self.bounds, self.equals) {
            best.solve(&[mapping_of(&likely, self.search.ends)])?;
        }
        self.begin(best);
        loop {
            best.run.check()?;
            let next = self.queue.pop().filter(|part| best.may_contain(part.bound));
            let Some(part) = next else {
                self.queue.clear();
                if batch.is_empty() {
                    return Ok(true);
                }
                self.solve(&mut batch, best)?;
                continue;
            };
            best.lower(batch.first().unwrap_or(&part).bound);
            if part.sharpened < self.sharpest(part.placed.len() == tasks) {
                self.sharpen(part, best.run)?;
            } else if part.placed.len() < tasks {
                self.part(&part, best);
            } else {
                batch.push(part);
            }
            if batch.len() >= AT_ONCE {
                self.solve(&mut batch, best)?;
            }
            let is_over = best.run.solved() >= self.search.most_solved || self.queue.len() > MOST_PARTS;
            if let Some(bound) = self.queue.peek().map(|part| part.bound)
                && is_over
                && best.may_contain(bound)
            {
                self.solve(&mut batch, best)?;
                best.lower(bound);
                return Ok(false);
            }
        }
    }

    /// Solves complete parts.
    fn solve(&self, batch: &mut Vec<Part>, best: &mut Best<'_>) -> Result<(), Error> {
        let mappings: Vec<Mapping> =
            batch.iter().map(|part| mapping_of(&part.placed, self.search.ends)).collect();
        best.solve(&mappings)?;
        batch.clear();
        Ok(())
    }

    /// How many kinds of windows a part is looked at by. The largest are for complete ones, of which there are fewer.
    fn sharpest(&self, is_complete: bool) -> usize {
        const FOR_PARTS: usize = 2;
        if is_complete { self.windows.len() } else { self.windows.len().min(FOR_PARTS) }
    }

    /// The next sharper bound, and back to the queue.
    fn sharpen(&mut self, part: Part, run: &Job<'_>) -> Result<(), Error> {
        let rates = self.bounds.best_rates(&part.placed, part.loads.as_deref());
        let sharper = self.windows[part.sharpened].bound(&rates, part.placed.len(), run)?;
        let (bound, sharpened) = (part.bound.min(sharper), part.sharpened + 1);
        self.queue.push(Part { bound, sharpened, ..part });
        Ok(())
    }

    /// The parts with one task more. None has a bound above that of the whole part.
    fn part(&mut self, part: &Part, best: &Best<'_>) {
        let taken = |processor| part.placed.iter().filter(|&&one| one == processor).count();
        let has_room = |&processor: &usize| {
            part.loads.as_ref().is_none_or(|loads| taken(processor) < loads[processor] as usize)
        };
        let choices: Vec<usize> = self.equals.choices(&part.placed).filter(has_room).collect();
        for processor in choices {
            let placed = [part.placed.as_slice(), &[processor]].concat();
            self.queue_part(part.loads.clone(), placed, part.bound, best);
        }
    }
}
