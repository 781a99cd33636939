//! Continues an exploration with a bitset: [row by row](super::bit_rows) where that is possible and fast, and
//! otherwise one breadth-first level after another.
//!
//! The threads share the bitset, in which they set bits by atomic operations. Each thread has its own list of
//! states to expand next. The resulting set does not depend on which thread was first.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::limits::memory::{MemoryBudget, make_room};
use crate::limits::{Limit, Limits, Progress, Watch};
use crate::space::bitset::bit_rows::{BitRows, MOST_PLACES};
use crate::space::bitset::explored::{ExplorationProgress, ExploredBitset};
use crate::space::bitset::{Bitset, Product};
use crate::space::distinct::DistinctTransitions;
use crate::space::explicit::{Explicit, Halt, MOST_STATES};
use crate::transition::compile::{Buffers, Compiled};

/// The number of states that a thread expands between two checks of the time.
const BATCH: usize = 1 << 14;

/// The number of states for which another thread is worth starting.
const STATES_PER_THREAD: usize = 512;

/// A state that is still to be expanded: its word and the number of its combination.
type Waiting = (u64, u64);

/// The data that all threads read.
struct Shared<'s> {
    compiled: &'s Compiled<f64>,
    /// Whether a state may have two transitions of one action to one target.
    may_repeat: bool,
    bits: &'s [AtomicU64],
}

/// The work of one thread, and the states that it has found.
struct Worker {
    found: Vec<Waiting>,
    transitions: u64,
    problem: Option<Problem>,
    buffers: Buffers<f64>,
    distinct: DistinctTransitions,
}

#[derive(Clone, Copy)]
enum Problem {
    NotWellDefined,
    Full,
}

/// Continues an exploration that began with a list row by row; `None` if that is not possible or takes longer
/// than states one by one.
pub(crate) fn explore_row_by_row(
    explicit: &Explicit,
    product: &Product,
    compiled: &Compiled<f64>,
    limits: &Limits,
    watch: &mut Watch<'_>,
) -> Option<Result<ExploredBitset, (Halt, ExplorationProgress)>> {
    BitRows::of(product, compiled, MOST_PLACES)?.explore(explicit, product, limits, watch)
}

/// Continues an exploration that began with a list, and drops the list. If a state has an activity without a
/// well-defined rate, the path to it is not known here; the caller explores into a list again to find it.
pub(crate) fn explore_into_bitset(
    explicit: Explicit,
    product: Product,
    compiled: &mut Compiled<f64>,
    limits: &Limits,
    watch: &mut Watch<'_>,
) -> Result<ExploredBitset, (Halt, ExplorationProgress)> {
    compiled.set_strides(product.strides());
    if let Some(outcome) = explore_row_by_row(&explicit, &product, compiled, limits, watch) {
        return outcome;
    }
    let words = product.combinations().div_ceil(64) as usize;
    let mut progress = ExplorationProgress {
        states: explicit.store.len() as u64,
        transitions: explicit.transitions,
        waiting: (explicit.store.len() - explicit.expanded()) as u64,
    };
    let mut bits: Vec<AtomicU64> = Vec::new();
    let budget = MemoryBudget::new(limits);
    if !make_room(&mut bits, words, budget.left()) {
        return Err((Halt::Limit(budget.limit()), progress));
    }
    bits.resize_with(words, || AtomicU64::new(0));
    let mut level = Vec::with_capacity(explicit.store.len() - explicit.expanded());
    for number in 0..explicit.store.len() {
        let word = explicit.store.get(number)[0];
        let combination = product.combination(word);
        set(&bits, combination);
        if number >= explicit.expanded() {
            level.push((word, combination));
        }
    }
    drop(explicit);
    let shared = Shared { compiled, may_repeat: compiled.may_repeat(), bits: &bits };
    let budget = budget.beside(Bitset::bytes(product.combinations()));
    let mut threads: Vec<Worker> = (0..limits.threads()).map(|_| Worker::new()).collect();
    let mut levels = vec![level];
    while levels.iter().any(|part| !part.is_empty()) {
        if let Err(halt) = expand_level(&shared, &levels, &mut threads, &mut progress, budget, watch) {
            return Err((halt, progress));
        }
        levels = threads.iter_mut().map(|thread| std::mem::take(&mut thread.found)).collect();
        if progress.states > limits.states.min(MOST_STATES) {
            return Err((Halt::Limit(Limit::States(limits.states.min(MOST_STATES))), progress));
        }
    }
    let bits = bits.into_iter().map(AtomicU64::into_inner).collect();
    Ok(ExploredBitset { bitset: Bitset::new(product, bits), transitions: progress.transitions })
}

/// Expands the states of one level.
fn expand_level(
    shared: &Shared<'_>,
    level: &[Vec<Waiting>],
    threads: &mut [Worker],
    progress: &mut ExplorationProgress,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<(), Halt> {
    let of_level: u64 = level.iter().map(|part| (part.capacity() * size_of::<Waiting>()) as u64).sum();
    for part in level {
        for batch in part.chunks(BATCH * threads.len()) {
            let (found, explored) = (progress.states, progress.states - progress.waiting);
            watch.check(|| Progress::Exploring { found, explored }).map_err(Halt::Limit)?;
            let of_threads = threads.iter().map(Worker::memory).sum::<u64>();
            let most = budget.beside(of_level + of_threads).left() / threads.len() as u64;
            let before: u64 = threads.iter().map(|thread| thread.found.len() as u64).sum();
            let used = (batch.len() / STATES_PER_THREAD).clamp(1, threads.len());
            let mut shares = batch.chunks(batch.len().div_ceil(used));
            std::thread::scope(|scope| {
                let (first, others) = threads.split_at_mut(1);
                let own = shares.next().unwrap_or_default();
                for (thread, share) in others.iter_mut().zip(shares) {
                    scope.spawn(move || thread.run(shared, share, most));
                }
                first[0].run(shared, own, most);
            });
            let after: u64 = threads.iter().map(|thread| thread.found.len() as u64).sum();
            progress.states += after - before;
            progress.waiting = progress.waiting + (after - before) - batch.len() as u64;
            progress.transitions +=
                threads.iter_mut().map(|thread| std::mem::take(&mut thread.transitions)).sum::<u64>();
            match threads.iter().find_map(|thread| thread.problem) {
                None => {}
                Some(Problem::NotWellDefined) => return Err(Halt::Left),
                Some(Problem::Full) => return Err(Halt::Limit(budget.limit())),
            }
        }
    }
    Ok(())
}

impl Worker {
    fn new() -> Self {
        Worker {
            found: Vec::new(),
            transitions: 0,
            problem: None,
            buffers: Buffers::new(),
            distinct: DistinctTransitions::default(),
        }
    }

    fn memory(&self) -> u64 {
        (self.found.capacity() * size_of::<Waiting>()) as u64 + self.buffers.memory() + self.distinct.memory()
    }

    fn run(&mut self, shared: &Shared<'_>, states: &[Waiting], most: u64) {
        for &(word, combination) in states {
            self.distinct.clear();
            let Worker { found, transitions, problem, buffers, distinct } = self;
            let outcome = shared.compiled.for_each_transition(&[word], buffers, |transition| {
                let target = combination.wrapping_add(transition.jump);
                if shared.may_repeat {
                    distinct.push(transition.action, &[target], 1);
                } else {
                    *transitions += 1;
                }
                if set(shared.bits, target) {
                    if make_room(found, 1, most) {
                        let more =
                            transition.moves.iter().fold(word, |word, &(_, more)| word.wrapping_add(more));
                        found.push((more, target));
                    } else {
                        *problem = Some(Problem::Full);
                    }
                }
            });
            if shared.may_repeat {
                *transitions += distinct.count() as u64;
            }
            if outcome.is_err() {
                *problem = Some(Problem::NotWellDefined);
            }
            if problem.is_some() {
                return;
            }
        }
    }
}

/// Sets a bit, and returns whether it was clear before.
#[inline]
fn set(bits: &[AtomicU64], at: u64) -> bool {
    let (word, bit) = (&bits[(at / 64) as usize], 1 << (at % 64));
    // Most bits are set already, and an ordinary load costs less than an atomic operation.
    word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
}
