//! The window on which a manager decides: it does not straddle an action or a change of the load.

use std::collections::VecDeque;

use skel_run::monitor::{Snapshot, TaskFigures};

use super::sums::{self, Sums};

/// The most snapshots that are kept of a window. If there are more, every second one is left out.
const MOST_MARKS: usize = 64;

/// The most blocks of a window: of services that are longer ago nothing is kept.
const MOST_BLOCKS: usize = 16;

/// How many services a task must have before and after a change, and by how many standard errors their means
/// must differ. A manager looks for changes several times a second at many places, so chance alone often
/// reaches 4.
const CHANGE: (u64, f64) = (40, 5.0);

/// A moment of a window.
#[derive(Clone, Debug)]
struct Mark {
    snapshot: Snapshot,
    sums: Vec<Sums>,
}

/// A window, from its beginning to now.
#[derive(Clone, Debug, Default)]
pub(super) struct Windows {
    /// From the beginning on, the last one is now.
    marks: VecDeque<Mark>,
    /// When blocks began: the number of services of the task with the fewest, since the start of the run. The
    /// first is the beginning of the window.
    blocks: VecDeque<Snapshot>,
    /// The window begins when so many items have left the program.
    settles_at: Option<u64>,
    /// The replicas of each task that run.
    running: Vec<usize>,
}

impl Windows {
    /// Another snapshot. The answer is whether the window begins anew, since something has changed.
    pub(super) fn add(&mut self, snapshot: &Snapshot) -> bool {
        let is_settling = self.settles_at.is_some();
        let running: Vec<usize> = snapshot.tasks.iter().map(TaskFigures::running).collect();
        if running != self.running {
            let is_first = self.running.is_empty();
            self.running = running;
            if !is_first {
                self.restart(snapshot);
            }
        }
        if self.settles_at.is_some_and(|delivered| snapshot.delivered() < delivered) {
            return true;
        }
        self.settles_at = None;
        self.marks.push_back(Mark { snapshot: snapshot.clone(), sums: sums::of(snapshot) });
        if self.blocks.is_empty() {
            self.blocks.push_back(snapshot.clone());
        }
        let has_changed = self.drop_before_change();
        self.thin_out();
        is_settling || has_changed
    }

    /// An action was taken: the next window begins when the items that are inside have left.
    pub(super) fn restart(&mut self, snapshot: &Snapshot) {
        self.marks.clear();
        self.blocks.clear();
        self.settles_at = Some(snapshot.delivered() + snapshot.items_inside());
    }

    /// The services of the task that had fewest: in the window, and in its last block.
    pub(super) fn services(&self) -> (u64, u64) {
        let Some(now) = self.marks.back() else { return (0, 0) };
        let since = |begin: &Snapshot| {
            let counts =
                sums::of(begin).into_iter().zip(&now.sums).map(|(begin, now)| now.since(begin).count);
            counts.min().unwrap_or(0)
        };
        let first = self.blocks.front().map_or(0, since);
        (first, if self.blocks.len() == 1 { first } else { self.blocks.back().map_or(0, since) })
    }

    /// The window.
    pub(super) fn whole(&self) -> Option<Snapshot> {
        self.since(self.blocks.front()?)
    }

    /// Its last block.
    pub(super) fn last_block(&self) -> Option<Snapshot> {
        self.since(self.blocks.back()?)
    }

    /// The last part of the window, of at least so many services of each task.
    pub(super) fn recent(&self, least: u64) -> Option<Snapshot> {
        let now = self.marks.back()?;
        let services = |mark: &&Mark| {
            let counts = mark.sums.iter().zip(&now.sums).map(|(begin, now)| now.since(*begin).count);
            counts.min().unwrap_or(0) >= least
        };
        self.since(&self.marks.iter().rev().find(services)?.snapshot)
    }

    fn since(&self, begin: &Snapshot) -> Option<Snapshot> {
        let now = &self.marks.back()?.snapshot;
        Some(now.since(begin))
    }

    /// Another block begins now. What is before the last few is left out.
    pub(super) fn begin_block(&mut self) {
        let Some(now) = self.marks.back() else { return };
        self.blocks.push_back(now.snapshot.clone());
        if self.blocks.len() > MOST_BLOCKS {
            self.blocks.pop_front();
            let begin = self.blocks[0].at;
            self.marks.retain(|mark| mark.snapshot.at >= begin);
        }
    }

    /// If the time of a task has changed, the window begins after that.
    fn drop_before_change(&mut self) -> bool {
        let Some(change) = self.change() else { return false };
        self.marks.drain(..change);
        self.blocks.clear();
        self.blocks.push_back(self.marks[0].snapshot.clone());
        true
    }

    /// Where the mean times before and after differ most, if they differ beyond chance.
    fn change(&self) -> Option<usize> {
        let (first, last) = (self.marks.front()?, self.marks.back()?);
        let differs = |mark: &Mark| {
            let tasks = first.sums.iter().zip(&mark.sums).zip(&last.sums);
            let differ =
                tasks.map(|((first, mark), last)| mark.since(*first).differs(last.since(*mark), CHANGE.0));
            differ.fold(0.0, f64::max)
        };
        let found = self.marks.iter().map(differs).enumerate();
        let (place, most) = found.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        (most > CHANGE.1).then_some(place)
    }

    /// Keeps the first and the last of the marks, and every second one between them.
    fn thin_out(&mut self) {
        if self.marks.len() <= MOST_MARKS {
            return;
        }
        let last = self.marks.len() - 1;
        let mut place = 0;
        self.marks.retain(|_| {
            place += 1;
            (place - 1) % 2 == 0 || place - 1 == last
        });
    }
}
