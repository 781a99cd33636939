//! Exploring into a list: states in the order in which they are found, breadth first, and the targets of each.
//!
//! Threads expand the states at the head of the list, each a run of them, while the list stays as it is; then what they
//! found is added in the order of the states. So the numbers are those of one thread alone. Most targets are known by
//! then, so the part that is done in order is short.
//!
//! Of a transition only its target is kept, 4 bytes. Its action and its rate come again, in the same order, when the
//! state is expanded again.

use std::ops::Range;

use skel_core::model::ActionId;
use skel_core::semantics::NotWellDefined;

use crate::limits::memory::{MemoryBudget, make_room};
use crate::limits::{Limit, Limits, Progress, Watch};
use crate::space::expand::{Ended, Expansion, Plan, UNKNOWN};
use crate::space::store::Store;
use crate::transition::compile::Buffers;

/// More states than a 32-bit number can tell apart are refused whatever the limits say.
pub(crate) const MOST_STATES: u64 = u32::MAX as u64 - 1;

/// States that are expanded between two looks at the clock and at the limits, at first and at most.
const FIRST_BATCH: usize = 16;
const LARGEST_BATCH: usize = 1 << 14;

/// As many states are worth a thread.
const WORTH_A_THREAD: usize = 512;

/// States in a list.
pub(crate) struct Explicit {
    pub(crate) store: Store,
    /// State `i` has the targets `offsets[i]..offsets[i + 1]`.
    pub(crate) offsets: Vec<usize>,
    pub(crate) targets: Vec<u32>,
    /// Different transitions so far.
    pub(crate) transitions: u64,
}

/// Why the exploration ended before all states were found.
pub(crate) enum Halt {
    Limit(Limit),
    /// A state, by number, has an activity without a rate.
    NotWellDefined(usize, NotWellDefined),
    /// The list was left, since another form suits the states better.
    Left,
}

impl Explicit {
    pub(crate) fn new(initial: &[u64]) -> Explicit {
        let mut store = Store::new(initial.len());
        store.insert_hashed(store.hash(initial), initial);
        Explicit { store, offsets: vec![0], targets: Vec::new(), transitions: 0 }
    }

    /// The bytes that the list takes.
    pub(crate) fn memory(&self) -> u64 {
        let lists = self.offsets.capacity() * size_of::<usize>() + self.targets.capacity() * size_of::<u32>();
        self.store.memory() + lists as u64
    }

    /// How many states have been expanded.
    pub(crate) fn expanded(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Expands states until there are no new ones, or until it is better to leave the list.
    pub(crate) fn explore(
        &mut self,
        plan: &mut Plan,
        limits: &Limits,
        watch: &mut Watch<'_>,
        is_to_leave: impl Fn(&Explicit) -> bool,
    ) -> Result<(), Halt> {
        let mut threads: Vec<Expansion> = (0..limits.threads()).map(|_| Expansion::new()).collect();
        let mut size = FIRST_BATCH;
        while self.expanded() < self.store.len() {
            let (found, explored) = (self.store.len() as u64, self.expanded() as u64);
            watch.check(|| Progress::Exploring { found, explored }).map_err(Halt::Limit)?;
            if is_to_leave(self) {
                return Err(Halt::Left);
            }
            let batch = self.expanded()..self.store.len().min(self.expanded() + size);
            let began = watch.elapsed();
            let used = self.expand(plan, &batch, limits, &mut threads);
            let is_complete = self.add_all(plan, &batch, limits, &mut threads[..used])?;
            let took = watch.elapsed() - began;
            size =
                next_size(size, is_complete && took.as_millis() < 20, !is_complete || took.as_millis() > 60);
        }
        Ok(())
    }

    /// Expands a batch, divided among as many threads as it is worth. Returns how many.
    fn expand(&self, plan: &Plan, batch: &Range<usize>, limits: &Limits, threads: &mut [Expansion]) -> usize {
        let used = threads.len().min(batch.len() / WORTH_A_THREAD).max(1);
        let taken: u64 = self.memory() + threads[used..].iter().map(Expansion::memory).sum::<u64>();
        // Half of what is left is for what the threads find, half for the list that takes it over.
        let most = MemoryBudget::new(limits).beside(taken).left() / (2 * used as u64);
        let share = |part: usize| batch.start + batch.len() * part / used;
        let (first, others) = threads[..used].split_at_mut(1);
        std::thread::scope(|scope| {
            for (at, thread) in others.iter_mut().enumerate() {
                let numbers = share(at + 1)..share(at + 2);
                scope.spawn(move || thread.run(plan, &self.store, numbers, most));
            }
            first[0].run(plan, &self.store, share(0)..share(1), most);
        });
        used
    }

    /// Adds what was found in a batch, in order; `false` where there was not enough room for all of it.
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

    /// Adds what one thread found.
    fn add(&mut self, found: &Expansion, budget: MemoryBudget, limits: &Limits) -> Result<(), Halt> {
        let no_memory = || Halt::Limit(budget.limit());
        let most_states = limits.states.min(MOST_STATES);
        let words = found.unknown.len().checked_div(found.hashes.len()).unwrap_or(1);
        let mut unknown = found.unknown.chunks_exact(words.max(1)).zip(&found.hashes);
        let mut targets = found.targets.iter();
        let left = budget.beside(self.memory()).left();
        let has_room = make_room(&mut self.targets, found.targets.len(), left / 4)
            && make_room(&mut self.offsets, found.states.len(), left / 4);
        if !has_room {
            return Err(no_memory());
        }
        let beside = self.memory() - self.store.memory();
        let for_store = budget.beside(beside).left();
        for state in &found.states {
            for &target in targets.by_ref().take(state.found as usize) {
                if target != UNKNOWN {
                    self.targets.push(target);
                    continue;
                }
                let Some((words, &hash)) = unknown.next() else { continue };
                let number = match self.store.find_hashed(hash, words) {
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

    /// The actions of a shortest way to a state, over the states that have been expanded.
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

    /// The first of the actions, as the components have them, that lead from one state to another.
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

/// Batches grow while they are short, and shrink where they take long.
fn next_size(size: usize, is_short: bool, is_long: bool) -> usize {
    match (is_short, is_long) {
        (true, _) => (size * 2).min(LARGEST_BATCH),
        (_, true) => (size / 2).max(FIRST_BATCH),
        _ => size,
    }
}
