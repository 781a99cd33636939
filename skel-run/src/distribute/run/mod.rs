//! A loop that runs: a thread for each worker, and a master that they ask.
//!
//! ```text
//! worker: asks Master -> Given (a chunk) -> calls the function for each of its ranges -> asks again and says what it finished
//! Master: Scheduler (whose chunk is how large), Late (chunks whose workers are slow), Panics, who waits
//! ```
//!
//! What is finished and what comes next is one step under one lock. No function of a user is called with it.

mod given;
mod late;
mod master;
mod panics;
mod patience;
#[cfg(test)]
mod tests;
mod time;
mod worker;

use std::ops::Range;

use skel_core::model::BuildErrors;
use skel_distribute::{RelativePerformance, Schedule};

use super::report::{Loss, LossCause};
use crate::progress::Progress;
use crate::sync::{Arc, Mutex, lock, start_thread, thread};
use master::Master;
pub(super) use master::Verdict;
pub(super) use patience::Patience;
pub(super) use time::{Stopwatch, Time};
pub(super) use worker::Output;

/// What a loop is to do, with items counted from 0.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) schedule: Schedule,
    pub(super) performance: RelativePerformance,
    pub(super) items: u64,
    pub(super) patience: Patience,
    /// How many workers may panic on the same items until that is an error of the program.
    pub(super) attempts: u32,
    /// Whether the loop was told to end.
    pub(super) progress: Option<Arc<Progress>>,
}

/// What a loop ended with.
#[derive(Debug)]
pub(super) struct Ended<R> {
    /// What each worker did.
    pub(super) outputs: Vec<Output<R>>,
    /// When and why workers were lost.
    pub(super) losses: Vec<Option<Loss>>,
    /// Why it ended before all was done, except for the loss of all workers.
    pub(super) verdict: Option<Verdict>,
    /// How many items have no result.
    pub(super) unfinished: u64,
}

/// Runs a loop. The thread of the caller is the first worker.
///
/// # Errors
/// If a parameter of the schedule cannot be.
pub(super) fn execute<R: Send, T: Time>(
    plan: &Plan,
    time: &T,
    function: &(impl Fn(usize, Range<u64>) -> R + Sync),
) -> Result<Ended<R>, BuildErrors> {
    let master = Master::new(plan)?;
    let workers = plan.performance.machines();
    let outputs = Mutex::new((0..workers).map(|_| Output::default()).collect::<Vec<_>>());
    let work = |worker: usize| {
        let output = worker::work(worker, &master, time, function);
        lock(&outputs)[worker] = output;
        time.leaves(worker);
    };
    thread::scope(|scope| {
        for worker in 1..workers {
            let work = &work;
            if let Err(refusal) = start_thread(scope, move || work(worker)) {
                master.loses(worker, LossCause::NotStarted(refusal.to_string()), time);
            }
        }
        work(0);
    });
    let outputs = std::mem::take(&mut *lock(&outputs));
    let (losses, verdict, unfinished) = master.end();
    Ok(Ended { outputs, losses, verdict, unfinished })
}
