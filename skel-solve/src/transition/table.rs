//! Tabulates a program: lists the activities that it enables for every combination of the local states that
//! matter to it.
//!
//! Most actions involve two or three components with a few local states each. Their rates and moves are
//! computed once, by running the program for each combination; after that a transition costs one look-up.
//! Local states that do not enable the action are treated as one. Of counted copies the numbers in those
//! local states matter that enable the action.

use std::ops::Range;

use skel_core::number::Number;

use crate::state::layout::{Field, Layout, Move, Slot, make_moves};
use crate::transition::evaluate::{Activities, Buffers, Refusal};
use crate::transition::program::{Program, Step};

/// A program with more combinations than this has no table and is run in each state.
const MOST_COMBINATIONS: usize = 4096;

/// The same for a program of counted copies, whose combinations are of the numbers of copies in each local
/// state that enables it.
const MOST_OF_COUNTS: usize = 512;

/// A program has no table if it enables more activities than this in all combinations together, or if the
/// activities of one combination take more than `MOST_BYTES`.
const MOST_ENTRIES: usize = 1 << 16;
pub(crate) const MOST_BYTES: u64 = 1 << 20;

/// A program has no table if its slots have more local states than `MOST_OF_TABLE`. All tables together may
/// refer to at most `MOST_LOCAL_STATES` local states and entries.
const MOST_OF_TABLE: usize = 4096;
pub(crate) const MOST_LOCAL_STATES: usize = 1 << 22;

/// An activity in a table.
#[derive(Clone, Debug)]
pub(crate) struct Entry<N> {
    rate: N,
    /// How many different activities of counted copies it stands for.
    multiplicity: u64,
    /// The range of its moves in [`Table::moves`].
    start: u32,
    end: u32,
    /// The amount that is added, modulo `2^64`, to the number of the state among all combinations of local
    /// states.
    jump: u64,
}

/// A field that determines the combination: of a slot of one component, or of a local state of counted
/// copies.
#[derive(Clone, Debug)]
struct Place {
    slot: u32,
    field: Field,
    /// The values that are distinguished. For one component, a local state that stands for all that do not
    /// enable the action, then those that do. For counted copies, all numbers of copies.
    choices: Vec<u32>,
    /// For each value the amount that it adds to the number of the combination.
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
    /// The combinations in which an activity has no well-defined rate, in ascending order.
    refused: Vec<u32>,
}

impl<N: Number> Table<N> {
    /// The table of a program, unless it would be too large. Its local states and entries are subtracted from
    /// the budget for all tables.
    pub(crate) fn new(
        program: &Program,
        activities: &Activities<N>,
        layout: &Layout,
        buffers: &mut Buffers<N>,
        budget: &mut usize,
    ) -> Option<Table<N>> {
        let (places, local_states) = places(program, activities, layout, MOST_OF_TABLE.min(*budget))?;
        *budget -= local_states;
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
            if table.entries.len() > MOST_ENTRIES.min(*budget) {
                return None;
            }
            table.offsets.push(table.entries.len() as u32);
        }
        *budget -= table.entries.len();
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
            let (rate, multiplicity) = (enabled.rate.magnitude().clone(), enabled.multiplicity);
            let (start, end) = (start as u32, self.moves.len() as u32);
            self.entries.push(Entry { rate, multiplicity, start, end, jump: 0 });
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

    /// Computes the amount that each entry adds to the number of a state. That number is the sum of the local
    /// states, each times the stride of its slot.
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

    /// The number of the combination that a state is in.
    #[inline]
    fn combination(&self, state: &[u64]) -> u32 {
        self.places.iter().map(|place| place.terms[place.field.get(state) as usize]).sum()
    }

    /// The entries that a state enables; `None` if an activity has no well-defined rate. Running the program
    /// tells why.
    #[inline]
    pub(crate) fn entries(&self, state: &[u64]) -> Option<Range<usize>> {
        let combination = self.combination(state);
        if !self.refused.is_empty() && self.refused.binary_search(&combination).is_ok() {
            return None;
        }
        let at = combination as usize;
        Some(self.offsets[at] as usize..self.offsets[at + 1] as usize)
    }

    /// Whether an activity has no well-defined rate in some combination.
    pub(crate) fn may_refuse(&self) -> bool {
        !self.refused.is_empty()
    }

    /// The rate and the moves of an entry.
    #[inline]
    pub(crate) fn entry(&self, at: usize) -> (&N, &[Move]) {
        let entry = &self.entries[at];
        (&entry.rate, &self.moves[entry.start as usize..entry.end as usize])
    }

    /// How many different activities of counted copies an entry stands for.
    #[inline]
    pub(crate) fn multiplicity(&self, at: usize) -> u64 {
        self.entries[at].multiplicity
    }

    /// The amount that an entry adds to the number of a state, after [`Table::set_jumps`].
    #[inline]
    pub(crate) fn jump(&self, at: usize) -> u64 {
        self.entries[at].jump
    }

    /// Calls `found` for each activity in every combination of the local states of its slots: each slot with
    /// its local state before and after, and the rate. Returns `false` if `found` did, or if there are more
    /// than `most` combinations.
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

    /// The number of entries of all combinations.
    pub(crate) fn entries_in_all(&self) -> usize {
        self.entries.len()
    }

    /// The rates of all entries.
    pub(crate) fn rates(&self) -> impl Iterator<Item = &N> {
        self.entries.iter().map(|entry| &entry.rate)
    }

    /// The range of entries of each combination.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Range<usize>> {
        self.offsets.windows(2).map(|row| row[0] as usize..row[1] as usize)
    }
}

/// The slots that determine the combination, and the number of their local states, unless there are too many.
fn places<N: Number>(
    program: &Program,
    activities: &Activities<N>,
    layout: &Layout,
    budget: usize,
) -> Option<(Vec<Place>, usize)> {
    let mut places = Vec::new();
    let (mut combinations, mut values, mut most) = (1, 0, MOST_COMBINATIONS);
    for step in &program.steps {
        let (Step::Leaf(number) | Step::Another(number)) = *step else { continue };
        let slot = &layout.slots()[number as usize];
        let enabling = activities.enabling(slot.component(), program.action);
        if slot.is_counted() {
            most = MOST_OF_COUNTS;
        }
        for (field, local_states) in distinguished(slot, enabling) {
            let count = local_states.len();
            values += count;
            let choices = if slot.is_counted() { count } else { enabling.len() };
            if values > budget || choices.saturating_mul(combinations) > most {
                return None;
            }
            let choices: Vec<u32> = match slot.is_counted() {
                true => local_states.collect(),
                false => {
                    let other = local_states.clone().find(|local| enabling.binary_search(local).is_err());
                    other.into_iter().chain(enabling.iter().copied()).collect()
                }
            };
            if values > budget || choices.len().saturating_mul(combinations) > most {
                return None;
            }
            let mut terms = vec![0; count];
            for (choice, &value) in choices.iter().enumerate() {
                terms[value as usize] = (choice * combinations) as u32;
            }
            combinations *= choices.len();
            // A component with a single local state is at 0 in every state.
            if choices.len() > 1 {
                places.push(Place { slot: number, field: layout.field(field), choices, terms });
            }
        }
    }
    Some((places, values))
}

/// The fields of a slot that matter where these local states enable an action, each with the values that it
/// may have.
fn distinguished<'s>(slot: &'s Slot, enabling: &'s [u32]) -> impl Iterator<Item = (u32, Range<u32>)> + 's {
    let first = slot.fields().start;
    let counted = slot.is_counted();
    let copies = slot.positions.len() as u32;
    let of_one = (!counted).then_some((first, 0..slot.local_states()));
    let of_counted =
        enabling.iter().filter(move |_| counted).map(move |local| (first + local, 0..copies + 1));
    of_one.into_iter().chain(of_counted)
}
