//! A loop before it begins.

use std::ops::Range;
use std::time::Duration;

use skel_distribute::Schedule;

use super::error::LoopError;
use super::index::Index;
use super::learned::Learned;
use super::results::Distributed;
use super::workers::Workers;
use crate::control::Control;

/// A loop over a range of indices, before it begins: made by [`distribute`](super::distribute()), begun by [`run`](Self::run).
#[derive(Debug)]
#[must_use = "a loop begins with `run` or `run_by`"]
pub struct Loop<'l, I> {
    indices: Range<I>,
    schedule: Option<Schedule>,
    workers: Workers,
    lost_after: Option<Duration>,
    lost_beyond: Option<f64>,
    attempts: u32,
    learned: Option<&'l mut Learned>,
    control: Option<Control>,
}

impl<'l, I: Index> Loop<'l, I> {
    pub(super) fn new(indices: Range<I>) -> Self {
        Loop {
            indices,
            schedule: None,
            workers: Workers::of_machine(),
            lost_after: None,
            lost_beyond: None,
            attempts: 2,
            learned: None,
            control: None,
        }
    }

    /// The schedule by which chunks are given out. [`Schedule::AdaptiveChunk`] (AWF-C) unless said otherwise: it needs no parameter, weighs the workers
    /// by the speeds that they show, and gives out few chunks, which get smaller towards the end.
    pub fn by(mut self, schedule: Schedule) -> Self {
        self.schedule = Some(schedule);
        self
    }

    /// The workers: so many equal ones, or some of a relative performance, in the order of their numbers. As many equal ones as threads can run at a time
    /// unless said otherwise. Each is a thread.
    pub fn over(mut self, workers: impl Into<Workers>) -> Self {
        self.workers = workers.into();
        self
    }

    /// A worker that works on a chunk for longer than this counts as lost, and another one that has nothing to do takes its chunk. Whichever result is there first
    /// counts, once. Unless this is said, no worker is lost for being slow.
    ///
    /// A thread cannot be ended from outside: the loop still waits until the function returns.
    pub fn lost_after(mut self, time: Duration) -> Self {
        self.lost_after = Some(time);
        self
    }

    /// The same for a chunk that takes so many times longer than it should by the times that were measured for an item: that of this worker
    /// or, as long as it has finished nothing, those of all workers together.
    pub fn lost_beyond(mut self, factor: f64) -> Self {
        self.lost_beyond = Some(factor);
        self
    }

    /// How many workers may panic on the same indices until that ends the loop as an error of the program; 2 unless said
    /// otherwise. With 1 the first panic ends the loop, and with `u32::MAX` every panic is that of a worker alone, which is lost.
    pub fn attempts(mut self, workers: u32) -> Self {
        self.attempts = workers;
        self
    }

    /// Lets the loop choose its schedule by what it has learned from its earlier iterations, and learn from this one.
    ///
    /// A schedule that was given with [`by`](Self::by) is taken all the same, and learned from.
    pub fn learning(mut self, learned: &'l mut Learned) -> Self {
        self.learned = Some(learned);
        self
    }

    /// A handle that cancels the loop: no more chunks are given out. With [`Control::drain`] it is the same.
    pub fn controlled_by(mut self, control: &Control) -> Self {
        self.control = Some(control.clone());
        self
    }

    /// Runs the loop: calls the function with ranges that together have every index, from the threads of the workers. The function may borrow.
    ///
    /// # Errors
    /// If there is no worker or a parameter of the schedule cannot be, if all workers were lost, or if several of them panicked on the same
    /// indices. The error has the pieces that were finished, and says which indices have none.
    pub fn run<R: Send>(
        self,
        function: impl Fn(Range<I>) -> R + Sync,
    ) -> Result<Distributed<I, R>, LoopError<I, R>> {
        self.run_by(|_, range| function(range))
    }

    /// The same with a function that is told the number of the worker, from 0.
    ///
    /// # Errors
    /// As those of [`run`](Self::run).
    pub fn run_by<R: Send>(
        self,
        function: impl Fn(usize, Range<I>) -> R + Sync,
    ) -> Result<Distributed<I, R>, LoopError<I, R>> {
        let _ = (
            self.indices,
            self.schedule,
            self.lost_after,
            self.lost_beyond,
            self.attempts,
            self.learned,
            self.control,
        );
        let _ = (self.workers.performance(), function);
        todo!()
    }
}
