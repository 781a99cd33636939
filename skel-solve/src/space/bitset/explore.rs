//! Exploring into bits: from some states on, level by level.
//!
//! Threads share the bits, which are set by atomic operations, and each has its own part of what is to be expanded
//! next; the set that comes out is the same whoever was first.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::limits::memory::{MemoryBudget, make_room};
use crate::limits::{Limit, Limits, Progress, Watch};
use crate::space::bitset::{Bitset, Product};
use crate::space::distinct::Distinct;
use crate::space::explicit::{Explicit, Halt, MOST_STATES};
use crate::transition::compile::{Buffers, Compiled};

/// States that a thread expands between two looks at the clock.
const BATCH: usize = 1 << 14;

/// As many states are worth a thread.
const WORTH_A_THREAD: usize = 512;

/// A state that is to be expanded: its word and its combination.
type Waiting = (u64, u64);

/// What all threads read.
struct Shared<'s> {
    compiled: &'s Compiled<f64>,
    /// Whether a state may have two transitions of one action to one target.
    may_repeat: bool,
    bits: &'s [AtomicU64],
}

/// What a thread finds.
struct Spreading {
    found: Vec<Waiting>,
    transitions: u64,
    problem: Option<Problem>,
    buffers: Buffers<f64>,
    distinct: Distinct,
}

#[derive(Clone, Copy)]
enum Problem {
    NotWellDefined,
    Full,
}

/// A space as bits, and how many different transitions it has.
pub(crate) struct Spread {
    pub(crate) bitset: Bitset,
    pub(crate) transitions: u64,
}

/// How far an exploration came.
pub(crate) struct Reach {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) waiting: u64,
}

/// Explores on from a list that is then no longer needed. Where a state turns out not to be well defined, the way there
/// is not known: exploring into a list finds it.
pub(crate) fn spread(
    explicit: Explicit,
    product: Product,
    compiled: &mut Compiled<f64>,
    limits: &Limits,
    watch: &mut Watch<'_>,
) -> Result<Spread, (Halt, Reach)> {
    compiled.set_strides(product.strides());
    let words = product.combinations().div_ceil(64) as usize;
    let mut reach = Reach {
        states: explicit.store.len() as u64,
        transitions: explicit.transitions,
        waiting: (explicit.store.len() - explicit.expanded()) as u64,
    };
    let mut bits: Vec<AtomicU64> = Vec::new();
    let budget = MemoryBudget::new(limits);
    if !make_room(&mut bits, words, budget.left()) {
        return Err((Halt::Limit(budget.limit()), reach));
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
    let mut threads: Vec<Spreading> = (0..limits.threads()).map(|_| Spreading::new()).collect();
    let mut levels = vec![level];
    while levels.iter().any(|part| !part.is_empty()) {
        if let Err(halt) = spread_level(&shared, &levels, &mut threads, &mut reach, budget, watch) {
            return Err((halt, reach));
        }
        levels = threads.iter_mut().map(|thread| std::mem::take(&mut thread.found)).collect();
        if reach.states > limits.states.min(MOST_STATES) {
            return Err((Halt::Limit(Limit::States(limits.states.min(MOST_STATES))), reach));
        }
    }
    let bits = bits.into_iter().map(AtomicU64::into_inner).collect();
    Ok(Spread { bitset: Bitset::new(product, bits), transitions: reach.transitions })
}

/// Expands the states of a level.
fn spread_level(
    shared: &Shared<'_>,
    level: &[Vec<Waiting>],
    threads: &mut [Spreading],
    reach: &mut Reach,
    budget: MemoryBudget,
    watch: &mut Watch<'_>,
) -> Result<(), Halt> {
    let of_level: u64 = level.iter().map(|part| (part.capacity() * size_of::<Waiting>()) as u64).sum();
    for part in level {
        for batch in part.chunks(BATCH * threads.len()) {
            let (found, explored) = (reach.states, reach.states - reach.waiting);
            watch.check(|| Progress::Exploring { found, explored }).map_err(Halt::Limit)?;
            let of_threads = threads.iter().map(Spreading::memory).sum::<u64>();
            let most = budget.beside(of_level + of_threads).left() / threads.len() as u64;
            let before: u64 = threads.iter().map(|thread| thread.found.len() as u64).sum();
            let used = (batch.len() / WORTH_A_THREAD).clamp(1, threads.len());
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
            reach.states += after - before;
            reach.waiting = reach.waiting + (after - before) - batch.len() as u64;
            reach.transitions +=
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

impl Spreading {
    fn new() -> Self {
        Spreading {
            found: Vec::new(),
            transitions: 0,
            problem: None,
            buffers: Buffers::new(),
            distinct: Distinct::default(),
        }
    }

    fn memory(&self) -> u64 {
        (self.found.capacity() * size_of::<Waiting>()) as u64 + self.buffers.memory() + self.distinct.memory()
    }

    fn run(&mut self, shared: &Shared<'_>, states: &[Waiting], most: u64) {
        for &(word, combination) in states {
            self.distinct.clear();
            let Spreading { found, transitions, problem, buffers, distinct } = self;
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

/// Sets a bit; whether it was not set before.
#[inline]
fn set(bits: &[AtomicU64], at: u64) -> bool {
    let (word, bit) = (&bits[(at / 64) as usize], 1 << (at % 64));
    // Most are set already, which a plain look tells at less cost.
    word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
}
