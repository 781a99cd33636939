//! Explores the state space into a list: the states in breadth-first order, and the targets of each.
//!
//! Threads expand the states at the head of the list, each a consecutive share of them, while the list does
//! not change. Then the new states are added in the order of the states from which they were reached, so the
//! numbers of the states do not depend on the number of threads. Most targets are in the list already, so
//! this sequential part is short.
//!
//! Of a transition the target is stored, in 4 bytes, and a [label](super::labels) in 2, where labels have
//! numbers. Otherwise its action and rate are computed again, in the same order, when the state is expanded
//! again.

use std::ops::Range;

use skel_core::model::ActionId;
use skel_core::semantics::NotWellDefined;

use crate::limits::memory::{MemoryBudget, make_room};
use crate::limits::{Limit, Limits, Progress, Watch};
use crate::space::expand::{Ended, Expansion, Plan, UNKNOWN};
use crate::space::labels::Labels;
use crate::space::store::StateStore;
use crate::transition::compile::Buffers;

/// The largest number of states, whatever the limits: states have 32-bit numbers.
pub(crate) const MOST_STATES: u64 = u32::MAX as u64 - 1;

/// The first number of states that are expanded between two checks of the time and the limits, and the
/// largest for each thread. In a larger batch more states lead to states that another one of the batch has
/// found, which are then looked up twice.
const FIRST_BATCH: usize = 16;
const LARGEST_SHARE: usize = 1 << 11;

/// The number of states for which another thread is worth starting.
const STATES_PER_THREAD: usize = 512;

/// Explored states as a list.
pub(crate) struct Explicit {
    pub(crate) store: StateStore,
    /// The targets of state `i` are `targets[offsets[i]..offsets[i + 1]]`.
    pub(crate) offsets: Vec<usize>,
    pub(crate) targets: Vec<u32>,
    /// The action and the rate of each transition, if these have numbers and there was room for them.
    pub(crate) labels: Option<Labels>,
    /// The number of distinct transitions found so far.
    pub(crate) transitions: u64,
}

/// The reason why an exploration ended before all states were found.
pub(crate) enum Halt {
    Limit(Limit),
    /// The state with this number has an activity without a well-defined rate.
    NotWellDefined(usize, NotWellDefined),
    /// Another way of storing the states is better from here on.
    Left,
}

impl Explicit {
    pub(crate) fn new(initial: &[u64], labels: Option<Labels>) -> Explicit {
        let mut store = StateStore::new(initial.len());
        store.insert_hashed(store.hash(initial), initial);
        Explicit { store, offsets: vec![0], targets: Vec::new(), labels, transitions: 0 }
    }

    /// The number of bytes that the list takes.
    pub(crate) fn memory(&self) -> u64 {
        self.memory_without_labels() + self.labels.as_ref().map_or(0, Labels::memory)
    }

    /// The same without the labels, which another way of storing the states has no room for either.
    pub(crate) fn memory_without_labels(&self) -> u64 {
        let lists = self.offsets.capacity() * size_of::<usize>() + self.targets.capacity() * size_of::<u32>();
        self.store.memory() + lists as u64
    }

    /// The number of states that have been expanded.
    pub(crate) fn expanded(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Expands states until none are left, or until `should_leave` asks for another way of storing them.
    pub(crate) fn explore(
        &mut self,
        plan: &mut Plan,
        limits: &Limits,
        watch: &mut Watch<'_>,
        should_leave: impl Fn(&Explicit) -> bool,
    ) -> Result<(), Halt> {
        let mut threads: Vec<Expansion> =
            (0..limits.threads()).map(|_| Expansion::new(plan.layout.words())).collect();
        let mut size = FIRST_BATCH;
        while self.expanded() < self.store.len() {
            let (found, explored) = (self.store.len() as u64, self.expanded() as u64);
            watch.check(|| Progress::Exploring { found, explored }).map_err(Halt::Limit)?;
            if should_leave(self) {
                return Err(Halt::Left);
            }
            let batch = self.expanded()..self.store.len().min(self.expanded() + size);
            // A line of states has a batch for each, and to look at the clock would take as long as to expand
            // it.
            let is_timed = batch.len() >= FIRST_BATCH;
            let began = is_timed.then(|| watch.elapsed());
            let used = self.expand(plan, &batch, limits, &mut threads);
            let is_complete = self.add_all(plan, &batch, limits, &mut threads[..used])?;
            let took = began.map(|began| (watch.elapsed() - began).as_millis());
            // What is not timed is taken to be short, but for a few states only.
            let is_short = took.map_or(size < 4 * FIRST_BATCH, |took| took < 20);
            let is_long = took.is_some_and(|took| took > 60);
            size = next_size(size, is_complete && is_short, !is_complete || is_long)
                .min(LARGEST_SHARE * threads.len());
        }
        Ok(())
    }

    /// Expands a batch on several threads, if it is large enough. Returns the number of threads.
    fn expand(&self, plan: &Plan, batch: &Range<usize>, limits: &Limits, threads: &mut [Expansion]) -> usize {
        let used = threads.len().min(batch.len() / STATES_PER_THREAD).max(1);
        let taken: u64 = self.memory() + threads[used..].iter().map(Expansion::memory).sum::<u64>();
        // Half of the remaining memory is for the transitions that the threads find, and half for the list
        // that they are added to.
        let most = MemoryBudget::new(limits).beside(taken).left() / (2 * used as u64);
        let labels = self.labels.as_ref().map(Labels::kind);
        if used == 1 {
            threads[0].run((plan, labels), &self.store, batch.clone(), most);
            return used;
        }
        let share = |part: usize| batch.start + batch.len() * part / used;
        let (first, others) = threads[..used].split_at_mut(1);
        std::thread::scope(|scope| {
            for (at, thread) in others.iter_mut().enumerate() {
                let numbers = share(at + 1)..share(at + 2);
                scope.spawn(move || thread.run((plan, labels), &self.store, numbers, most));
            }
            first[0].run((plan, labels), &self.store, share(0)..share(1), most);
        });
        used
    }

    /// Adds the transitions of a batch in the order of its states. Returns `false` if they did not all fit
    /// into memory.
    fn add_all(
        &mut self,
        plan: &mut Plan,
        batch: &Range<usize>,
        limits: &Limits,
        threads: &mut [Expansion],
    ) -> Result<bool, Halt> {
        let of_threads: u64 = threads.iter().map(Expansion::memory).sum();
        let budget = MemoryBudget::new(limits).beside(of_threads);
        for thread in threads {
            self.add(thread, budget, limits)?;
            if let Some(lumping) = &mut plan.lumping {
                lumping.count(thread.unlumped.0, thread.unlumped.1);
            }
            match thread.ended {
                None => {}
                Some(Ended::NotWellDefined(problem)) => {
                    return Err(Halt::NotWellDefined(self.expanded(), problem));
                }
                Some(Ended::Full) if self.expanded() == batch.start => {
                    return Err(Halt::Limit(budget.limit()));
                }
                Some(Ended::Full) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Adds the transitions that one thread found.
    fn add(&mut self, found: &Expansion, budget: MemoryBudget, limits: &Limits) -> Result<(), Halt> {
        let no_memory = || Halt::Limit(budget.limit());
        let most_states = limits.states.min(MOST_STATES);
        let mut unknown = Unknown::new(found, self.store.words());
        let mut targets = found.targets.iter();
        let left = budget.beside(self.memory()).left();
        let has_room = make_room(&mut self.targets, found.targets.len(), left / 4)
            && make_room(&mut self.offsets, found.states.len(), left / 4);
        if !has_room {
            return Err(no_memory());
        }
        let left = budget.beside(self.memory()).left();
        // Without labels all is still right, so it is they that go where there is no room.
        if let Some(labels) = &mut self.labels
            && !labels.add(&found.labels, left / 4)
        {
            self.labels = None;
        }
        let beside = self.memory() - self.store.memory();
        let for_store = budget.beside(beside).left();
        for state in &found.states {
            for &target in targets.by_ref().take(state.found as usize) {
                if target != UNKNOWN {
                    self.targets.push(target);
                    continue;
                }
                let Some((hash, words, known)) = unknown.next(&self.store) else { continue };
                let number = match known.or_else(|| self.store.find_hashed(hash, words)) {
                    Some(number) => number,
                    None if self.store.len() as u64 >= most_states => {
                        return Err(Halt::Limit(Limit::States(most_states)));
                    }
                    None if !self.store.make_room(for_store) => return Err(no_memory()),
                    None => self.store.insert_hashed(hash, words),
                };
                self.targets.push(number);
            }
            self.offsets.push(self.targets.len());
            self.transitions += u64::from(state.distinct);
        }
        Ok(())
    }

    /// The actions of a shortest path to a state, through states that have been expanded.
    pub(crate) fn path_to(&self, plan: &Plan, state: usize) -> Vec<ActionId> {
        const NONE: u32 = u32::MAX;
        let mut parents = vec![NONE; self.store.len()];
        for from in 0..self.expanded() {
            for &to in &self.targets[self.offsets[from]..self.offsets[from + 1]] {
                if to as usize > from && parents[to as usize] == NONE {
                    parents[to as usize] = from as u32;
                }
            }
        }
        let mut path = Vec::new();
        let mut at = state;
        while parents[at] != NONE {
            let parent = parents[at] as usize;
            path.extend(self.least_action(plan, parent, at as u32));
            at = parent;
        }
        path.reverse();
        path
    }

    /// The least action, before lumping, that leads from one state to another.
    fn least_action(&self, plan: &Plan, from: usize, to: u32) -> Option<ActionId> {
        let mut targets = self.targets[self.offsets[from]..self.offsets[from + 1]].iter();
        let mut least: Option<ActionId> = None;
        let explicit =
            plan.compiled.for_each_transition(self.store.get(from), &mut Buffers::new(), |transition| {
                if targets.next() == Some(&to) {
                    least = Some(least.map_or(transition.action, |least| least.min(transition.action)));
                }
            });
        explicit.ok().and(least)
    }
}

/// The targets that were unknown when states were expanded. They are looked up many at a time: most of them
/// were found by an earlier state of the same batch.
struct Unknown<'e> {
    states: &'e [u64],
    hashes: &'e [u64],
    words: usize,
    /// The numbers of the next ones, or [`UNKNOWN`], and how many of these were taken.
    numbers: [u32; Unknown::TOGETHER],
    taken: usize,
}

impl<'e> Unknown<'e> {
    const TOGETHER: usize = 64;

    fn new(found: &'e Expansion, words: usize) -> Unknown<'e> {
        let (states, hashes) = (&found.unknown[..], &found.hashes[..]);
        Unknown { states, hashes, words, numbers: [UNKNOWN; Unknown::TOGETHER], taken: Unknown::TOGETHER }
    }

    /// The next one: its hash, its words, and its number if it is known by now.
    fn next(&mut self, store: &StateStore) -> Option<(u64, &'e [u64], Option<u32>)> {
        if self.taken == Unknown::TOGETHER {
            let count = self.hashes.len().min(Unknown::TOGETHER);
            store.find_all(
                &self.states[..count * self.words],
                &self.hashes[..count],
                &mut self.numbers[..count],
            );
            self.taken = 0;
        }
        let (&hash, hashes) = self.hashes.split_first()?;
        let (state, states) = self.states.split_at(self.words);
        (self.hashes, self.states) = (hashes, states);
        let number = self.numbers[self.taken];
        self.taken += 1;
        Some((hash, state, (number != UNKNOWN).then_some(number)))
    }
}

/// Doubles the size of the batches while they are short, and halves it when they take long.
fn next_size(size: usize, is_short: bool, is_long: bool) -> usize {
    match (is_short, is_long) {
        (true, _) => size * 2,
        (_, true) => (size / 2).max(FIRST_BATCH),
        _ => size,
    }
}
