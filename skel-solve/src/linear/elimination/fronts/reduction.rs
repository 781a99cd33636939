//! Eliminates front after front, and fronts that do not depend on one another at the same time.
//!
//! Each thread has [subtrees](super::subtrees) of its own. Of a large front above these, each has a part of
//! the rows. The numbers of a front are added up in the same order whoever works on it, so that the bits do
//! not depend on the threads.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Fronts;
use super::panel::{self, Panel};
use super::subtrees::{self, Subtree};
use crate::chain::{Generator, Matrix};
use crate::limits::Watch;
use crate::linear::elimination::number::Scalar;
use crate::linear::elimination::{BETWEEN_FRONTS, Keep, Unsolved, WORTH_A_LOOK, look};
use crate::team::led;

/// What is eliminated.
pub(crate) struct Task<'f, N> {
    fronts: &'f Fronts,
    parents: Vec<Option<usize>>,
    /// Before each front, and at the end, how many numbers are left to it and later ones.
    left: Vec<u64>,
    generator: &'f Generator<N>,
    /// The rates by their targets.
    incoming: &'f Matrix<N>,
    keep: Keep,
    /// How many states have been eliminated.
    done: AtomicU64,
}

impl<'f, N: Scalar> Task<'f, N> {
    pub(crate) fn new(
        fronts: &'f Fronts,
        (generator, incoming): (&'f Generator<N>, &'f Matrix<N>),
        keep: Keep,
    ) -> Task<'f, N> {
        let left = fronts.left_before().chain([0]).collect();
        Task { fronts, parents: fronts.parents(), left, generator, incoming, keep, done: AtomicU64::new(0) }
    }

    /// A look at the limits, for the thread that reports how far the work has come.
    fn look(&self, watch: &mut Watch<'_>) -> Result<(), Unsolved> {
        look(watch, self.done.load(Ordering::Relaxed), self.fronts.states.len() as u64)
    }
}

/// What is left of fronts that were eliminated one after the other.
pub(crate) struct Reduced<N> {
    fronts: Range<usize>,
    /// The fronts whose parents are still to come, and one upon another the rates among their borders. The
    /// children of the next front lie on top.
    waiting: Vec<usize>,
    left: Vec<N>,
    /// Front by front and row by row the rates into the places of the front, when these are eliminated.
    pub(crate) back: Vec<N>,
    /// Front by front and row by row the rates from the places of the front onward, when these are
    /// eliminated; where kept.
    pub(crate) onward: Vec<N>,
    pub(crate) exits: Vec<N>,
}

impl<N: Scalar> Reduced<N> {
    /// For the states of some fronts.
    fn of(task: &Task<'_, N>, fronts: Range<usize>) -> Reduced<N> {
        let kept = task.fronts.entries_of(fronts.clone());
        let onward = if task.keep == Keep::Both { kept } else { 0 };
        let before = task.left[fronts.start];
        let left = task.left[fronts.start..=fronts.end].iter().max().map_or(0, |most| most - before);
        Reduced {
            waiting: Vec::new(),
            left: Vec::with_capacity(left as usize),
            back: Vec::with_capacity(kept),
            onward: Vec::with_capacity(onward),
            exits: Vec::with_capacity(task.fronts.states_of(fronts.clone())),
            fronts,
        }
    }

    /// Adds what fronts that come right after these have left.
    fn append(&mut self, mut next: Reduced<N>) {
        self.waiting.append(&mut next.waiting);
        self.left.append(&mut next.left);
        self.back.append(&mut next.back);
        self.onward.append(&mut next.onward);
        self.exits.append(&mut next.exits);
    }
}

/// Eliminates all states, with room for so many numbers beside what one thread takes.
pub(crate) fn reduce<N: Scalar>(
    task: &Task<'_, N>,
    room: u64,
    watch: &mut Watch<'_>,
) -> Result<Reduced<N>, Unsolved> {
    let count = task.fronts.count();
    let threads = if subtrees::are_worth_threads(task.fronts) { watch.threads() } else { 1 };
    let subtrees = subtrees::apart(task.fronts, &task.parents, threads);
    let taken = subtrees::numbers((task.fronts, &task.left), &subtrees, threads, Panel::<N>::BLOCK);
    let is_room = taken.saturating_mul(if task.keep == Keep::Both { 2 } else { 1 }) <= room;
    let mut found = match !subtrees.is_empty() && is_room {
        true => at_once(task, subtrees::shared(subtrees, threads), watch)?,
        false => Vec::new(),
    };
    // In the order of the fronts, from the end.
    found.sort_unstable_by_key(|reduced| Reverse(reduced.fronts.start));
    let mut worker = Worker::new(task, threads);
    let mut all = Reduced::of(task, 0..count);
    let mut front = 0;
    while front < count {
        match found.pop_if(|reduced| reduced.fronts.start == front) {
            Some(reduced) => {
                front = reduced.fronts.end;
                all.append(reduced);
            }
            None => {
                worker.eliminate(front, &mut all, &mut || task.look(watch))?;
                front += 1;
            }
        }
    }
    Ok(all)
}

/// Eliminates the subtrees that each thread has. Those of another thread than the caller's are left out if it
/// was stopped.
fn at_once<N: Scalar>(
    task: &Task<'_, N>,
    shares: Vec<Vec<Subtree>>,
    watch: &mut Watch<'_>,
) -> Result<Vec<Reduced<N>>, Unsolved> {
    let stop = watch.stop();
    let mut shares = shares.into_iter();
    let own = shares.next().unwrap_or_default();
    let mut of_others: Vec<_> = shares.map(|share| (share, Vec::new())).collect();
    let found = led(
        |_| of_one(task, own, &mut || task.look(watch)),
        of_others.iter_mut().collect(),
        |(share, found), _| {
            let go_on = &mut || if stop.is_due() { Err(()) } else { Ok(()) };
            // Once the work is to stop, the next look of the caller's thread says so.
            *found = of_one(task, std::mem::take(share), go_on).unwrap_or_default();
        },
    )?;
    Ok(found.into_iter().chain(of_others.into_iter().flat_map(|(_, found)| found)).collect())
}

/// Eliminates the subtrees of one thread.
fn of_one<N: Scalar, E>(
    task: &Task<'_, N>,
    share: Vec<Subtree>,
    look: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Vec<Reduced<N>>, E> {
    let mut worker = Worker::new(task, 1);
    let eliminated = |Subtree { fronts, .. }: Subtree| {
        let mut reduced = Reduced::of(task, fronts.clone());
        for front in fronts {
            worker.eliminate(front, &mut reduced, look)?;
        }
        Ok(reduced)
    };
    share.into_iter().map(eliminated).collect()
}

/// One who eliminates, and memory that is used again.
struct Worker<'t, 'f, N> {
    task: &'t Task<'f, N>,
    /// Where the front's places have their rows and columns in it.
    rows: Vec<u32>,
    front: Vec<N>,
    panel: Panel<N>,
    /// How many threads may share the rows of a front.
    threads: usize,
}

impl<'t, 'f, N: Scalar> Worker<'t, 'f, N> {
    fn new(task: &'t Task<'f, N>, threads: usize) -> Worker<'t, 'f, N> {
        let rows = vec![0; task.fronts.states.len()];
        Worker { task, rows, front: Vec::new(), panel: Panel::new(), threads }
    }

    /// Eliminates the states of a front that comes right after what was reduced, and adds what that leaves.
    fn eliminate<E>(
        &mut self,
        front: usize,
        reduced: &mut Reduced<N>,
        look: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let (places, border) = (self.task.fronts.places(front), self.task.fronts.border(front));
        let size = places.len() + border.len();
        for (row, place) in places.clone().chain(border.iter().map(|&place| place as usize)).enumerate() {
            self.rows[place] = row as u32;
        }
        if front.is_multiple_of(BETWEEN_FRONTS) || N::IS_EXACT {
            look()?;
        }
        let side = size.next_multiple_of(Panel::<N>::BLOCK);
        self.front.clear();
        self.front.resize(side * side, N::zero());
        self.read_rates(&places, side);
        while let Some(child) = reduced.waiting.pop_if(|child| self.task.parents[*child] == Some(front)) {
            self.take_over(child, side, &mut reduced.left);
        }
        for first in (0..places.len()).step_by(panel::MOST) {
            let rows = first..places.len().min(first + panel::MOST);
            self.panel.eliminate(&mut self.front, rows.clone(), size, &mut reduced.exits);
            self.follow(rows, size, look)?;
        }
        self.keep(front, places.len(), size, reduced);
        self.task.done.fetch_add(places.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// The rates of the chain that are the front's own: out of and into its places.
    fn read_rates(&mut self, places: &Range<usize>, side: usize) {
        let Task { fronts, generator, incoming, .. } = self.task;
        for place in places.clone() {
            let (state, at) = (fronts.states[place] as usize, place - places.start);
            for (target, rate) in generator.rates_from(state) {
                let target = fronts.places[target] as usize;
                if target >= places.start {
                    self.front[at * side + self.rows[target] as usize] = rate.clone();
                }
            }
            for (source, rate) in incoming.row(state) {
                let source = fronts.places[source] as usize;
                if source >= places.end {
                    self.front[self.rows[source] as usize * side + at] = rate.clone();
                }
            }
        }
    }

    /// Adds what an earlier front left, which lies on top.
    fn take_over(&mut self, child: usize, side: usize, left: &mut Vec<N>) {
        let border = self.task.fronts.border(child);
        let mut runs = Vec::new();
        let mut start = 0;
        for at in 1..=border.len() {
            let row = |at: usize| self.rows[border[at] as usize] as usize;
            if at == border.len() || row(at) != row(at - 1) + 1 {
                runs.push((start..at, row(start)));
                start = at;
            }
        }
        let below = left.len() - border.len() * border.len();
        for (&place, rates) in border.iter().zip(left[below..].chunks_exact(border.len())) {
            let row = &mut self.front[self.rows[place as usize] as usize * side..][..side];
            for (run, first) in &runs {
                for (sum, rate) in row[*first..].iter_mut().zip(&rates[run.clone()]) {
                    *sum = sum.clone() + rate.clone();
                }
            }
        }
        left.truncate(below);
    }

    /// Eliminates the states of a panel from all rows behind them, of which threads have their parts where
    /// there are many.
    fn follow<E>(
        &mut self,
        rows: Range<usize>,
        size: usize,
        look: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let side = size.next_multiple_of(Panel::<N>::BLOCK);
        let behind = &mut self.front[rows.end.next_multiple_of(Panel::<N>::BLOCK) * side..];
        let (panel, states, height) = (&self.panel, rows.len(), Panel::<N>::BLOCK * side);
        let mut looking = |rows: &mut [N]| {
            for block in rows.chunks_exact_mut(height) {
                if size >= WORTH_A_LOOK || N::IS_EXACT {
                    look()?;
                }
                panel.follow(block, states);
            }
            Ok(())
        };
        let threads = subtrees::sharing_rows(behind.len(), states, self.threads);
        if threads < 2 {
            return looking(behind);
        }
        let of_each = (behind.len() / height).div_ceil(threads) * height;
        let (own, others) = behind.split_at_mut(of_each);
        led(
            |_| looking(own),
            others.chunks_mut(of_each).collect(),
            |rows: &mut [N], _| rows.chunks_exact_mut(height).for_each(|block| panel.follow(block, states)),
        )
    }

    /// Keeps the rates for the way back, and leaves those among the border to the parent.
    fn keep(&mut self, front: usize, places: usize, size: usize, reduced: &mut Reduced<N>) {
        let side = size.next_multiple_of(Panel::<N>::BLOCK);
        for (at, row) in self.front.chunks_exact(side).take(size).enumerate() {
            reduced.back.extend_from_slice(&row[..at.min(places)]);
            if at < places && self.task.keep == Keep::Both {
                reduced.onward.extend_from_slice(&row[at + 1..size]);
            }
            if at >= places {
                reduced.left.extend_from_slice(&row[places..size]);
            }
        }
        if size > places {
            reduced.waiting.push(front);
        }
    }
}
