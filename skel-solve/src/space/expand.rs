//! The work of one thread in an exploration: it lists the transitions of some states, in the order of the states.

use skel_core::semantics::NotWellDefined;

use crate::limits::memory::make_room;
use crate::space::distinct::DistinctTransitions;
use crate::space::store::StateStore;
use crate::state::layout::{Layout, make_moves};
use crate::symmetry::lumping::{Lumping, SortBuffer};
use crate::transition::compile::{Buffers, Compiled};
use crate::transition::evaluate::Refusal;

/// Stands for the number of a target that was not in the store when the states were expanded.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// What an exploration needs to know about the model.
pub(crate) struct Plan {
    pub(crate) layout: Layout,
    pub(crate) compiled: Compiled<f64>,
    pub(crate) lumping: Option<Lumping>,
}

/// A state whose transitions have been listed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expanded {
    /// The number of transitions as they were enumerated.
    pub(crate) found: u32,
    /// The number of distinct transitions.
    pub(crate) distinct: u32,
}

/// The reason why some states were not expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ended {
    /// The transitions do not fit into the memory that is left.
    Full,
    /// The next state has an activity without a well-defined rate.
    NotWellDefined(NotWellDefined),
}

/// The transitions of some states, in memory that is reused for the next ones.
pub(crate) struct Expansion {
    pub(crate) states: Vec<Expanded>,
    /// The numbers of the targets, or [`UNKNOWN`].
    pub(crate) targets: Vec<u32>,
    /// The unknown targets in the order in which they were found, and their hashes.
    pub(crate) unknown: Vec<u64>,
    pub(crate) hashes: Vec<u64>,
    pub(crate) ended: Option<Ended>,
    /// The numbers of states and transitions that the lumped states stand for; `None` if they exceed 128 bits.
    pub(crate) unlumped: (Option<u128>, Option<u128>),
    buffers: Buffers<f64>,
    distinct: DistinctTransitions,
    before_lumping: DistinctTransitions,
    blocks: SortBuffer,
    target: Vec<u64>,
}

impl Expansion {
    pub(crate) fn new() -> Self {
        Expansion {
            states: Vec::new(),
            targets: Vec::new(),
            unknown: Vec::new(),
            hashes: Vec::new(),
            ended: None,
            unlumped: (Some(0), Some(0)),
            buffers: Buffers::new(),
            distinct: DistinctTransitions::default(),
            before_lumping: DistinctTransitions::default(),
            blocks: SortBuffer::default(),
            target: Vec::new(),
        }
    }

    /// The number of bytes that the expansion takes.
    pub(crate) fn memory(&self) -> u64 {
        let lists = self.states.capacity() * size_of::<Expanded>()
            + self.targets.capacity() * size_of::<u32>()
            + (self.unknown.capacity() + self.hashes.capacity()) * size_of::<u64>();
        lists as u64 + self.buffers.memory() + self.distinct.memory() + self.before_lumping.memory()
    }

    /// Expands states of a store, and takes at most `most` bytes for it.
    pub(crate) fn run(
        &mut self,
        plan: &Plan,
        store: &StateStore,
        numbers: std::ops::Range<usize>,
        most: u64,
    ) {
        self.states.clear();
        self.targets.clear();
        self.unknown.clear();
        self.hashes.clear();
        self.ended = None;
        self.unlumped = (Some(0), Some(0));
        // A quarter of the memory is for the activities of a single state, and the rest for the transitions found.
        self.buffers.set_most(most / 4);
        for number in numbers {
            let before = (self.targets.len(), self.hashes.len());
            if let Err(ended) = self.expand(plan, store, store.get(number), most) {
                self.targets.truncate(before.0);
                self.hashes.truncate(before.1);
                self.unknown.truncate(before.1 * plan.layout.words());
                self.ended = Some(ended);
                return;
            }
            let found = (self.targets.len() - before.0) as u32;
            let distinct = self.distinct.count() as u32;
            self.states.push(Expanded { found, distinct });
            if let Some(lumping) = &plan.lumping {
                self.count_unlumped(plan, lumping, store.get(number));
            }
        }
    }

    /// Adds the numbers of states and transitions that a state stands for, unless both totals already exceed 128 bits.
    fn count_unlumped(&mut self, plan: &Plan, lumping: &Lumping, state: &[u64]) {
        if self.unlumped == (None, None) || (lumping.states(), lumping.transitions()) == (None, None) {
            return;
        }
        let transitions = self.before_lumping.count();
        let orbit = lumping.orbit(&plan.layout, state, &mut self.blocks);
        let plus = |sum: Option<u128>, more: Option<u128>| sum?.checked_add(more?);
        let leaving = orbit.and_then(|orbit| orbit.checked_mul(transitions));
        self.unlumped = (plus(self.unlumped.0, orbit), plus(self.unlumped.1, leaving));
    }

    fn expand(&mut self, plan: &Plan, store: &StateStore, state: &[u64], most: u64) -> Result<(), Ended> {
        let held = self.memory();
        let Expansion { buffers, distinct, before_lumping, blocks, target, targets, unknown, hashes, .. } =
            self;
        distinct.clear();
        before_lumping.clear();
        // The memory that a transition takes in all lists together, some of which double their capacity when they are
        // full.
        let per_transition = 64 + 48 * state.len() as u64;
        let mut left = most.saturating_sub(held);
        let mut is_full = false;
        let outcome = plan.compiled.for_each_transition(state, buffers, |transition| {
            is_full = is_full || left < per_transition || !make_room(targets, 1, left / 4);
            if is_full {
                return;
            }
            left -= per_transition;
            target.clear();
            target.extend_from_slice(state);
            make_moves(target, transition.moves);
            let mut action = transition.action;
            if let Some(lumping) = &plan.lumping {
                before_lumping.push(action, target, transition.multiplicity);
                lumping.canonicalise(target, blocks);
                action = lumping.representative(action);
            }
            distinct.push(action, target, 1);
            let hash = store.hash(target);
            match store.find_hashed(hash, target) {
                Some(known) => targets.push(known),
                None if make_room(unknown, target.len(), left / 4) && make_room(hashes, 1, left / 4) => {
                    targets.push(UNKNOWN);
                    unknown.extend_from_slice(target);
                    hashes.push(hash);
                }
                None => is_full = true,
            }
        });
        match outcome {
            Ok(()) if !is_full => Ok(()),
            Ok(()) | Err(Refusal::TooMany) => Err(Ended::Full),
            Err(Refusal::NotWellDefined(problem)) => Err(Ended::NotWellDefined(problem)),
        }
    }
}
