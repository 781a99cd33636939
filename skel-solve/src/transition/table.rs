//! Programs as tables: what a program enables, for every combination of the local states that matter to it.
//!
//! Most actions concern two or three components of a few local states each. Then the rates and the moves are worked out
//! once, by running the program for each combination, and a transition costs a look into a list. Local states that
//! don't enable the action count as one.

use skel_core::number::Number;

use crate::state::layout::{Field, Layout, Move, make_moves};
use crate::transition::evaluate::{Activities, Buffers, Refusal};
use crate::transition::program::{Program, Step};

/// A program of more combinations is run anew in each state.
const MOST_COMBINATIONS: usize = 4096;

/// And so is one that enables more in all of them together, or takes more bytes for one.
const MOST_ENTRIES: usize = 1 << 16;
pub(crate) const MOST_BYTES: u64 = 1 << 20;

/// So is one of slots with more local states than this, or where all tables together would look at more than that, or have
/// more entries.
const MOST_OF_TABLE: usize = 4096;
pub(crate) const MOST_LOCAL_STATES: usize = 1 << 22;

/// An activity of a table.
#[derive(Clone, Debug)]
pub(crate) struct Entry<N> {
    rate: N,
    /// A range of [`Table::moves`].
    start: u32,
    end: u32,
    /// What is added to the number of the state among all combinations of local states, modulo `2^64`.
    jump: u64,
}

/// A slot that a table looks at.
#[derive(Clone, Debug)]
struct Place {
    slot: u32,
    field: Field,
    /// The local states that are told apart: those that enable the action, after one for all others.
    choices: Vec<u32>,
    /// Per local state what it adds to the number of the combination.
    terms: Vec<u32>,
}

/// A program as a table.
#[derive(Clone, Debug)]
pub(crate) struct Table<N> {
    places: Vec<Place>,
    /// Combination `i` has the entries `offsets[i]..offsets[i + 1]`.
    offsets: Vec<u32>,
    entries: Vec<Entry<N>>,
    moves: Vec<Move>,
    /// The combinations in which an activity has no rate, ascending.
    refused: Vec<u32>,
}

impl<N: Number> Table<N> {
    /// The table of a program, unless that would be too large; its local states and entries are
    /// taken from the room for all tables.
    pub(crate) fn new(
        program: &Program,
        activities: &Activities<N>,
        layout: &Layout,
        buffers: &mut Buffers<N>,
        room: &mut usize,
    ) -> Option<Table<N>> {
        let (places, local_states) = places(program, activities, layout, MOST_OF_TABLE.min(*room))?;
        *room -= local_states;
        let mut table =
            Table { places, offsets: vec![0], entries: Vec::new(), moves: Vec::new(), refused: Vec::new() };
        let mut state = vec![0; layout.words()];
        for combination in 0..table.combinations() {
            table.set_combination(combination, &mut state);
            match activities.run(program, layout, &state, buffers) {
                Ok(()) => table.add_row(buffers),
                Err(Refusal::NotWellDefined(_)) => table.refused.push(combination as u32),
                Err(Refusal::TooMany) => return None,
            }
            if table.entries.len() > MOST_ENTRIES.min(*room) {
                return None;
            }
            table.offsets.push(table.entries.len() as u32);
        }
        *room -= table.entries.len();
        Some(table)
    }

    fn add_row(&mut self, buffers: &Buffers<N>) {
        for enabled in &buffers.enabled {
            let start = self.moves.len();
            for &(word, more) in buffers.moves_of(enabled) {
                match self.moves[start..].iter_mut().find(|(known, _)| *known == word) {
                    Some((_, sum)) => *sum = sum.wrapping_add(more),
                    None => self.moves.push((word, more)),
                }
            }
            let rate = enabled.rate.magnitude().clone();
            self.entries.push(Entry { rate, start: start as u32, end: self.moves.len() as u32, jump: 0 });
        }
    }

    fn combinations(&self) -> usize {
        self.places.iter().map(|place| place.choices.len()).product()
    }

    fn set_combination(&self, combination: usize, state: &mut [u64]) {
        let mut rest = combination;
        for place in &self.places {
            place.field.set(state, place.choices[rest % place.choices.len()]);
            rest /= place.choices.len();
        }
    }

    /// Works out what each entry adds to the number of a state that is the sum of its local states, each times the
    /// stride of its slot.
    pub(crate) fn set_jumps(&mut self, words: usize, strides: &[u64]) {
        let mut state = vec![0; words];
        for combination in 0..self.combinations() {
            self.set_combination(combination, &mut state);
            let before = self.number(&state, strides);
            for at in self.offsets[combination] as usize..self.offsets[combination + 1] as usize {
                let mut target = state.clone();
                make_moves(&mut target, self.entry(at).1);
                self.entries[at].jump = self.number(&target, strides).wrapping_sub(before);
            }
        }
    }

    fn number(&self, state: &[u64], strides: &[u64]) -> u64 {
        self.places.iter().map(|place| strides[place.slot as usize] * u64::from(place.field.get(state))).sum()
    }

    /// The combination that a state has.
    #[inline]
    fn combination(&self, state: &[u64]) -> u32 {
        self.places.iter().map(|place| place.terms[place.field.get(state) as usize]).sum()
    }

    /// What a state enables; nothing where some activity has no rate: the program says why.
    #[inline]
    pub(crate) fn entries(&self, state: &[u64]) -> Option<std::ops::Range<usize>> {
        let combination = self.combination(state);
        if !self.refused.is_empty() && self.refused.binary_search(&combination).is_ok() {
            return None;
        }
        let at = combination as usize;
        Some(self.offsets[at] as usize..self.offsets[at + 1] as usize)
    }

    /// An entry's rate and moves.
    #[inline]
    pub(crate) fn entry(&self, at: usize) -> (&N, &[Move]) {
        let entry = &self.entries[at];
        (&entry.rate, &self.moves[entry.start as usize..entry.end as usize])
    }

    /// What an entry adds to the number of a state, once that has been worked out.
    #[inline]
    pub(crate) fn jump(&self, at: usize) -> u64 {
        self.entries[at].jump
    }

    /// Calls `found` with each activity in each combination of the local states of its slots: each slot with its local
    /// state before and after, and the rate. Ends where `found` says so, or there are too many combinations.
    pub(crate) fn for_each_firing(
        &self,
        words: usize,
        most: usize,
        mut found: impl FnMut(&[(u32, u32, u32)], &N) -> bool,
    ) -> bool {
        let combinations =
            self.places.iter().try_fold(1, |all: usize, place| all.checked_mul(place.terms.len()));
        let Some(combinations) = combinations.filter(|&all| all <= most) else { return false };
        let (mut state, mut slots) = (vec![0; words], Vec::new());
        for combination in 0..combinations {
            let mut rest = combination;
            for place in &self.places {
                place.field.set(&mut state, (rest % place.terms.len()) as u32);
                rest /= place.terms.len();
            }
            for at in self.entries(&state).unwrap_or_default() {
                let (rate, moves) = self.entry(at);
                let mut target = state.clone();
                make_moves(&mut target, moves);
                slots.clear();
                slots.extend(
                    self.places
                        .iter()
                        .map(|place| (place.slot, place.field.get(&state), place.field.get(&target))),
                );
                if !found(&slots, rate) {
                    return false;
                }
            }
        }
        true
    }

    /// The entries of each combination.
    pub(crate) fn rows(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.offsets.windows(2).map(|row| row[0] as usize..row[1] as usize)
    }
}

/// The places of a table, and how many local states they look at, where these are not too many.
fn places<N: Number>(
    program: &Program,
    activities: &Activities<N>,
    layout: &Layout,
    room: usize,
) -> Option<(Vec<Place>, usize)> {
    let mut places = Vec::new();
    let (mut combinations, mut local_states) = (1, 0);
    for step in &program.steps {
        let Step::Leaf(number) = *step else { continue };
        let slot = &layout.slots()[number as usize];
        local_states += slot.local_states() as usize;
        if slot.is_counted() || local_states > room {
            return None;
        }
        let enabling = activities.enabling(slot.component(), program.action);
        let other = (0..slot.local_states()).find(|local| enabling.binary_search(local).is_err());
        let choices: Vec<u32> = other.into_iter().chain(enabling.iter().copied()).collect();
        let mut terms = vec![0; slot.local_states() as usize];
        for (choice, &local) in choices.iter().enumerate() {
            terms[local as usize] = (choice * combinations) as u32;
        }
        combinations *= choices.len();
        if combinations > MOST_COMBINATIONS {
            return None;
        }
        // The only local state of a component is 0 in every state.
        if choices.len() > 1 {
            places.push(Place { slot: number, field: layout.field(slot.fields().start), choices, terms });
        }
    }
    Some((places, local_states))
}
