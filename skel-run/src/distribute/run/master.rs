//! The master of a loop, which all workers ask for items.

use std::ops::Range;
use std::time::Duration;

use skel_core::model::BuildErrors;
use skel_distribute::{Chunk, Scheduler};

use super::Plan;
use super::given::{Counted, Done, Given};
use super::late::Late;
use super::panics::Panics;
use super::patience::Pace;
use super::time::Time;
use crate::distribute::report::{Loss, LossCause};
use crate::sync::{Condvar, Mutex, MutexGuard, lock, wait, wait_at_most};

/// A worker that waits looks at least this often, in seconds, whether another one has become too slow.
const LOOK_AGAIN: f64 = 0.01;

/// Why a loop ended before all was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Verdict {
    /// The function panicked on these items in so many workers, the last time with this message.
    Failed { items: Range<u64>, workers: u32, message: String },
    /// The loop was told to end.
    Cancelled,
}

/// The master. Workers that find nothing to do wait here for what others may give back.
pub(super) struct Master<'p> {
    plan: &'p Plan,
    state: Mutex<State>,
    /// The loop is over, or items came back.
    changed: Condvar,
}

struct State {
    scheduler: Scheduler<f64>,
    /// How many items have no result.
    unfinished: u64,
    late: Late,
    panics: Panics,
    /// What each worker has in its hands and since when, if there is a limit to that.
    hands: Vec<Option<(Given, f64)>>,
    /// How fast each worker was, if there is a limit.
    paces: Vec<Pace>,
    losses: Vec<Option<Loss>>,
    verdict: Option<Verdict>,
}

/// What a worker is told that asks for items.
pub(super) struct Answer {
    /// Which of the results that it came with count.
    pub(super) counted: Counted,
    /// What it is to do next. Nothing if the loop is over for it.
    pub(super) given: Option<Given>,
    /// For how long it waited for others, in seconds.
    pub(super) idle: f64,
}

impl<'p> Master<'p> {
    pub(super) fn new(plan: &'p Plan) -> Result<Master<'p>, BuildErrors> {
        let workers = plan.performance.machines();
        let state = State {
            scheduler: Scheduler::new(&plan.schedule, plan.items, &plan.performance)?,
            unfinished: plan.items,
            late: Late::default(),
            panics: Panics::default(),
            hands: vec![None; workers],
            paces: vec![Pace::default(); workers],
            losses: vec![None; workers],
            verdict: None,
        };
        Ok(Master { plan, state: Mutex::new(state), changed: Condvar::new() })
    }

    /// A worker says what it has finished, if it has, and asks for more. It may wait until there is something
    /// to do, or the loop is over.
    pub(super) fn next(&self, worker: usize, done: Option<Done>, time: &impl Time) -> Answer {
        let mut state = lock(&self.state);
        let counted = done.map_or(Counted::All, |done| state.finish(worker, &done, self.plan));
        let mut idle = 0.0;
        loop {
            if self.is_over(&mut state, worker, time) {
                return Answer { counted, given: None, idle };
            }
            if let Some(given) = state.give(worker) {
                if !self.plan.patience.is_endless() {
                    state.hands[worker] = Some((given.clone(), time.now()));
                }
                return Answer { counted, given: Some(given), idle };
            }
            let since = time.now();
            state = self.wait(state, worker, since, time);
            idle += time.now() - since;
        }
    }

    /// Whether there is nothing more to do for a worker. Whoever sees first that the loop is over wakes those
    /// that wait.
    fn is_over(&self, state: &mut State, worker: usize, time: &impl Time) -> bool {
        let is_ending = self.plan.progress.as_ref().is_some_and(|progress| progress.is_ending());
        if is_ending && state.unfinished > 0 && state.verdict.is_none() {
            state.verdict = Some(Verdict::Cancelled);
        }
        let is_over = state.unfinished == 0 || state.verdict.is_some();
        if is_over {
            self.wake_all(time);
        }
        is_over || state.losses[worker].is_some()
    }

    /// Waits until something has changed, unless this worker can take the chunk of one that is too slow.
    fn wait<'m>(
        &'m self,
        mut state: MutexGuard<'m, State>,
        worker: usize,
        now: f64,
        time: &impl Time,
    ) -> MutexGuard<'m, State> {
        let patience = self.plan.patience;
        if patience.is_endless() {
            time.rests(worker);
            drop(wait(&self.changed, state));
            time.goes_on(worker);
            return lock(&self.state);
        }
        match state.next_limit(worker, self.plan) {
            Some((limit, slow)) if limit <= now => {
                state.is_too_slow(slow, now);
                self.wake_all(time);
                state
            }
            next => {
                let until = next.map_or(LOOK_AGAIN, |(limit, _)| (limit - now).min(LOOK_AGAIN));
                wait_at_most(&self.changed, state, Duration::from_secs_f64(until))
            }
        }
    }

    /// A worker panicked on a range of what it was given, and is lost.
    pub(super) fn panicked(
        &self,
        worker: usize,
        given: &Given,
        range: &Range<u64>,
        message: String,
        time: &impl Time,
    ) {
        let mut state = lock(&self.state);
        let state = &mut *state;
        if !state.late.is_settled(range) && state.unfinished > 0 {
            let (workers, items) = state.panics.add(range);
            if workers >= self.plan.attempts && state.verdict.is_none() {
                state.verdict = Some(Verdict::Failed { items, workers, message: message.clone() });
            }
        }
        let at = time.now();
        state.lose(worker, Some(given.chunk.clone()), Loss { at, cause: LossCause::Panicked(message) });
        self.wake_all(time);
    }

    /// A worker without a chunk is lost.
    pub(super) fn loses(&self, worker: usize, cause: LossCause, time: &impl Time) {
        lock(&self.state).lose(worker, None, Loss { at: time.now(), cause });
        self.wake_all(time);
    }

    fn wake_all(&self, time: &impl Time) {
        time.wakes();
        self.changed.notify_all();
    }

    /// Who was lost, why the loop ended early, and how many items have no result.
    pub(super) fn end(self) -> (Vec<Option<Loss>>, Option<Verdict>, u64) {
        let mut state = lock(&self.state);
        let unfinished = state.unfinished;
        // What was done is done, although the loop may have been told to end meanwhile.
        let verdict = state.verdict.take().filter(|_| unfinished > 0);
        (std::mem::take(&mut state.losses), verdict, unfinished)
    }
}

impl State {
    /// A worker has finished what it was given.
    fn finish(&mut self, worker: usize, done: &Done, plan: &Plan) -> Counted {
        let items = done.given.items();
        if self.losses[worker].is_none() {
            self.scheduler.finished(worker, items, done.seconds);
        }
        if !plan.patience.is_endless() {
            self.hands[worker] = None;
            self.paces[worker].add(items, done.seconds);
        }
        if self.late.is_empty() {
            self.unfinished -= items;
            return Counted::All;
        }
        let mut counted = Vec::new();
        for range in done.given.ranges() {
            let counts = self.late.finish(worker, &range);
            self.unfinished -= if counts { range.end - range.start } else { 0 };
            counted.push(counts);
        }
        Counted::Some(counted)
    }

    /// The next chunk for a worker, if there is one of which not every item has a result.
    fn give(&mut self, worker: usize) -> Option<Given> {
        loop {
            let chunk = self.scheduler.next(worker)?;
            let settled: Vec<Range<u64>> = match self.late.is_empty() {
                true => Vec::new(),
                false => chunk.ranges().filter(|range| self.late.is_settled(range)).collect(),
            };
            let given = Given { chunk, settled };
            if given.settled.is_empty() || given.ranges().next().is_some() {
                return Some(given);
            }
        }
    }

    /// When the first of the other workers will have worked for too long on what it has in its hands.
    fn next_limit(&self, worker: usize, plan: &Plan) -> Option<(f64, usize)> {
        let others = (0..self.hands.len()).filter(|&other| other != worker && self.losses[other].is_none());
        let limits = others.filter_map(|other| {
            let (given, since) = self.hands[other].as_ref()?;
            let limit = plan.patience.limit(self.expected(other, given.items()))?;
            Some((since + limit, other))
        });
        limits.min_by(|(one, _), (other, _)| one.total_cmp(other))
    }

    /// How long a worker should take for so many items: by its own pace, or by those of all.
    fn expected(&self, worker: usize, items: u64) -> Option<f64> {
        self.paces[worker].expected(items).or_else(|| {
            let known: Vec<f64> = self.paces.iter().filter_map(|pace| pace.expected(items)).collect();
            known.iter().copied().reduce(f64::max)
        })
    }

    /// A worker has worked for too long on what it has in its hands.
    fn is_too_slow(&mut self, worker: usize, now: f64) {
        let Some((given, _)) = self.hands[worker].take() else { return };
        self.late.add(worker, given.ranges());
        self.lose(worker, Some(given.chunk), Loss { at: now, cause: LossCause::TookTooLong });
    }

    /// A worker is lost. If it was before, its items have been given back.
    fn lose(&mut self, worker: usize, unfinished: Option<Chunk>, loss: Loss) {
        self.hands[worker] = None;
        if self.losses[worker].is_none() {
            self.scheduler.lost(worker, unfinished);
            self.losses[worker] = Some(loss);
        }
    }
}
