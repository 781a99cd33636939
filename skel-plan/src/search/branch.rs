//! Branch and bound, the most promising part first.
//!
//! A part places the first tasks; its children place one more. The queue holds parts by their bounds. The part with the
//! highest bound is taken: with a bound of one task at a time it gets a sharper one, by windows of ever more stages, and goes
//! back; with the sharpest, it is parted further or, if it is complete, solved. When the highest bound in the queue is below the last of the best
//! mappings that are wanted, no other mapping is among them: the answer is proved. Complete parts are solved in batches, so
//! that all threads have work; the last batch may hold some in vain.
//!
//! Where more would have to be solved or queued than is allowed, the highest bound that is left says how much may be missed.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use skel_solve::Error;

use super::bound::Bounds;
use super::equals::Equals;
use super::window::{Windows, ladder};
use super::{Best, Search, mapping_of};
use crate::mapping::Mapping;
use crate::planner::Planner;
use crate::run::Run;

/// The most parts that are queued: some hundred bytes each.
const MOST_PARTS: usize = 1_000_000;

/// Some tasks, placed.
struct Part {
    bound: f64,
    /// How many kinds of windows the bound has seen.
    sharpened: usize,
    placed: Vec<usize>,
}

impl Ord for Part {
    /// By bound; of equal ones first the one with more tasks placed, then that with lower numbers.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bound = self.bound.total_cmp(&other.bound);
        let by_length = || self.placed.len().cmp(&other.placed.len());
        by_bound.then_with(by_length).then_with(|| other.placed.cmp(&self.placed))
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
        let start = Part { bound: bounds.of_part(&[]), sharpened: 0, placed: Vec::new() };
        Ok(Branching {
            planner,
            search,
            bounds,
            equals,
            windows: ladder(planner.application())?,
            queue: BinaryHeap::from([start]),
        })
    }

    /// Searches, until the best mappings are proved or it is over. Whether they are proved.
    pub(super) fn run(&mut self, best: &mut Best<'_>) -> Result<bool, Error> {
        let tasks = self.planner.application().tasks();
        let batch_size = self.planner.threads();
        // Complete parts: the first has the highest bound of all that is not solved.
        let mut batch: Vec<Part> = Vec::new();
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
            if part.sharpened < self.windows.len() {
                self.sharpen(part, best.run)?;
            } else if part.placed.len() < tasks {
                self.part(&part, best);
            } else {
                batch.push(part);
            }
            if batch.len() >= batch_size {
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

    /// The next sharper bound, and back to the queue.
    fn sharpen(&mut self, part: Part, run: &Run<'_>) -> Result<(), Error> {
        let rates = self.bounds.best_rates(&part.placed);
        let sharper = self.windows[part.sharpened].bound(&rates, part.placed.len(), run)?;
        let (bound, sharpened) = (part.bound.min(sharper), part.sharpened + 1);
        self.queue.push(Part { bound, sharpened, ..part });
        Ok(())
    }

    /// The parts with one task more. None has a bound above that of the whole part.
    fn part(&mut self, part: &Part, best: &Best<'_>) {
        for processor in self.equals.choices(&part.placed) {
            let mut placed = part.placed.clone();
            placed.push(processor);
            let bound = self.bounds.of_part(&placed).min(part.bound);
            if bound > 0.0 && best.may_contain(bound) {
                self.queue.push(Part { bound, sharpened: 0, placed });
            }
        }
    }
}
