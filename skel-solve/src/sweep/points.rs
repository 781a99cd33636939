//! The points of a sweep as an iterator.

use std::collections::VecDeque;
use std::ops::Range;

use skel_core::number::Ratio;

use super::engine::{Engine, Outcome, Solved};
use crate::error::{Error, Stopped};
use crate::limits::Limit;

/// A point of a sweep: what the values are there, and the answer.
#[derive(Debug)]
pub struct Point<A> {
    /// Its number in the order of the sweep, from 0.
    pub number: usize,
    /// The value of each thing that varies, in the order in which they were said.
    pub values: Vec<Ratio>,
    /// The answer, or why there is none. A point that fails leaves the others as they are.
    pub answer: Result<A, Error>,
}

/// The points of a sweep, in its order. They are solved as they are asked for, some ahead and in parallel.
///
/// Where the time of the whole is over, or the sweep is cancelled, the points that are left have that as
/// their error, and [`Points::stopped`] says so. Dropping the iterator ends the sweep.
///
/// Cost: at first as many blocks of up to eight points are solved at a time as there are threads, then ever
/// more, up to sixteen blocks for each thread, as long as their solutions take no more than a fourth of the
/// memory limit. A block is always solved whole.
pub struct Points<A> {
    engine: Engine,
    blocks: Vec<Range<usize>>,
    next_block: usize,
    /// How many blocks are solved at a time.
    at_a_time: usize,
    ready: VecDeque<Outcome>,
    next_point: usize,
    stopped: Option<Limit>,
    read: fn(Solved) -> A,
}

impl<A> Points<A> {
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(engine: Engine, read: fn(Solved) -> A) -> Points<A> {
        let blocks = engine.order.blocks();
        let at_a_time = engine.limits().threads();
        let (ready, stopped) = (VecDeque::new(), None);
        Points { engine, blocks, next_block: 0, at_a_time, ready, next_point: 0, stopped, read }
    }

    /// The limit of the whole by which the sweep was stopped: its time, or the cancellation. None while it
    /// goes on, and where each point was solved or failed for itself.
    #[must_use]
    pub fn stopped(&self) -> Option<Limit> {
        self.stopped
    }
}

/// The most blocks that are solved ahead, for each thread.
const MOST_BLOCKS: usize = 16;

/// Solves the next blocks. Not generic over the type of the answer, so that it is compiled once.
#[cfg_attr(debug_assertions, inline)]
fn solve_next(
    engine: &Engine,
    blocks: &[Range<usize>],
    next: &mut usize,
    at_a_time: &mut usize,
) -> Vec<Outcome> {
    let end = blocks.len().min(*next + *at_a_time);
    let outcomes: Vec<Outcome> = engine.solve(&blocks[*next..end]).into_iter().flatten().collect();
    let bytes: u64 = outcomes.iter().flatten().map(memory).sum();
    // As many as now, twice as many, or as many as fit.
    let fits = engine.limits().memory / 4;
    if bytes.saturating_mul(2) <= fits {
        *at_a_time = (*at_a_time * 2).min(MOST_BLOCKS * engine.limits().threads());
    } else if bytes > fits {
        *at_a_time = (*at_a_time / 2).max(1);
    }
    *next = end;
    outcomes
}

/// The bytes that a solution takes.
#[cfg_attr(debug_assertions, inline)]
fn memory(solved: &Solved) -> u64 {
    solved.steady_state().memory()
}

/// Whether a point was stopped by a limit of the whole, and by which.
#[cfg_attr(debug_assertions, inline)]
fn limit_of_whole(engine: &Engine, outcome: &Outcome) -> Option<Limit> {
    let Err(Error::Stopped(Stopped { limit: limit @ (Limit::Cancelled | Limit::Time(_)), .. })) = outcome
    else {
        return None;
    };
    engine.reached_limit().filter(|reached| reached == limit)
}

impl<A> Iterator for Points<A> {
    type Item = Point<A>;

    fn next(&mut self) -> Option<Point<A>> {
        if self.ready.is_empty() {
            let (next, at_a_time) = (&mut self.next_block, &mut self.at_a_time);
            self.ready.extend(solve_next(&self.engine, &self.blocks, next, at_a_time));
        }
        let outcome = self.ready.pop_front()?;
        self.stopped = self.stopped.or(limit_of_whole(&self.engine, &outcome));
        let number = self.next_point;
        self.next_point += 1;
        Some(Point { number, values: self.engine.order.values(number), answer: outcome.map(self.read) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.engine.order.points() - self.next_point;
        (left, Some(left))
    }
}

impl<A> ExactSizeIterator for Points<A> {}
