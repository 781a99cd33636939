//! The layout of a state, which packs the local states of all components into fields of 64-bit words.
//!
//! A single component has one field, which holds the number of its local state. Copies of a component that
//! are interchangeable are *counted*: for each local state of the component a field holds how many copies are
//! in it. In both cases a component changes its local state by the same addition to a word, whatever the rest
//! of the state is: the new number minus the old one, or one copy less in one field and one more in another.
//! A transition is therefore a list of [`Move`]s, and the moves of several components are concatenated.

use skel_core::model::{ComponentId, Model, Position};

/// The number of a word of a state, and the amount that is added to it modulo `2^64`.
pub(crate) type Move = (u32, u64);

/// A range of bits in one word of a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

impl Field {
    /// A field of a word, with so many bits from a place on.
    #[cfg(test)]
    pub(crate) fn of_bits(word: u32, shift: u32, bits: u32) -> Field {
        Field { word, shift, mask: (1 << bits) - 1 }
    }

    /// The number of bits.
    pub(crate) fn bits(self) -> u32 {
        self.mask.count_ones()
    }

    /// The value of this field in a state.
    pub(crate) fn get(self, state: &[u64]) -> u32 {
        ((state[self.word as usize] >> self.shift) & self.mask) as u32
    }

    /// Sets the value of this field in a state.
    pub(crate) fn set(self, state: &mut [u64], value: u32) {
        let word = &mut state[self.word as usize];
        *word = (*word & !(self.mask << self.shift)) | ((u64::from(value) & self.mask) << self.shift);
    }

    /// The move that changes this field from one value to another.
    pub(crate) fn change(self, from: u32, to: u32) -> Move {
        (self.word, (u64::from(to).wrapping_sub(u64::from(from))) << self.shift)
    }
}

/// A component, or several counted copies of one component.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// The positions of the component or of its copies. If there are several, they are counted.
    pub(crate) positions: Vec<u32>,
    component: ComponentId,
    /// The first field. A single component has one field; counted copies have one for each local state.
    first_field: u32,
    local_states: u32,
}

impl Slot {
    /// Whether this slot holds the counts of several copies.
    pub(crate) fn is_counted(&self) -> bool {
        self.positions.len() > 1
    }

    pub(crate) fn component(&self) -> ComponentId {
        self.component
    }

    /// The number of local states of the component.
    pub(crate) fn local_states(&self) -> u32 {
        self.local_states
    }

    /// The range of this slot's fields.
    pub(crate) fn fields(&self) -> std::ops::Range<u32> {
        let count = if self.is_counted() { self.local_states } else { 1 };
        self.first_field..self.first_field + count
    }
}

/// How the states of a model are packed into words.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    slots: Vec<Slot>,
    /// For each position its slot, and its rank among the positions of that slot.
    slot_of: Vec<(u32, u32)>,
    words: usize,
}

impl Layout {
    /// The layout of a model's states. The positions of each list in `counted` are counted. No field
    /// straddles two words.
    pub(crate) fn new(model: &Model, counted: &[Vec<u32>]) -> Layout {
        let mut group_of = vec![None; model.positions()];
        for group in counted {
            group.iter().for_each(|&at| group_of[at as usize] = Some(group));
        }
        let mut layout = Layout {
            fields: Vec::new(),
            slots: Vec::new(),
            slot_of: vec![(0, 0); model.positions()],
            words: 1,
        };
        let mut used = 0;
        for (at, group) in group_of.iter().enumerate() {
            match group {
                Some(group) if group[0] as usize != at => continue,
                Some(group) => layout.add_slot(model, group, &mut used),
                None => layout.add_slot(model, &[at as u32], &mut used),
            }
        }
        layout
    }

    fn add_slot(&mut self, model: &Model, positions: &[u32], used: &mut u32) {
        let component = model.component_at(Position(positions[0]));
        let local_states = model.component(component).local_states.len() as u32;
        let (count, largest) = match positions.len() {
            1 => (1, local_states.max(2) - 1),
            copies => (local_states, copies as u32),
        };
        let first_field = self.fields.len() as u32;
        for _ in 0..count {
            self.add_field(bits(largest), used);
        }
        for (rank, &at) in positions.iter().enumerate() {
            self.slot_of[at as usize] = (self.slots.len() as u32, rank as u32);
        }
        self.slots.push(Slot { positions: positions.to_vec(), component, first_field, local_states });
    }

    fn add_field(&mut self, bits: u32, used: &mut u32) {
        if *used + bits > u64::BITS {
            self.words += 1;
            *used = 0;
        }
        self.fields.push(Field { word: self.words as u32 - 1, shift: *used, mask: (1 << bits) - 1 });
        *used += bits;
    }

    /// The number of words of a state.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    pub(crate) fn field(&self, number: u32) -> Field {
        self.fields[number as usize]
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The number of the slot of a position.
    pub(crate) fn slot_of(&self, position: usize) -> u32 {
        self.slot_of[position].0
    }

    /// The number of the local state at a position. Counted copies are taken in the order of their local
    /// states.
    pub(crate) fn local(&self, state: &[u64], position: usize) -> u32 {
        let (slot, rank) = self.slot_of[position];
        let slot = &self.slots[slot as usize];
        if !slot.is_counted() {
            return self.field(slot.first_field).get(state);
        }
        let mut before = 0;
        for (local, field) in slot.fields().enumerate() {
            before += self.field(field).get(state);
            if before > rank {
                return local as u32;
            }
        }
        unreachable!("every copy is in some local state")
    }

    /// Calls `found` for each slot and each local state that one of its copies is in: the slot's number, the
    /// local state's number, and how many copies are in it.
    pub(crate) fn for_each_count(&self, state: &[u64], mut found: impl FnMut(usize, u32, u32)) {
        for (number, slot) in self.slots.iter().enumerate() {
            if !slot.is_counted() {
                found(number, self.field(slot.first_field).get(state), 1);
                continue;
            }
            for (local, field) in slot.fields().enumerate() {
                let count = self.field(field).get(state);
                if count > 0 {
                    found(number, local as u32, count);
                }
            }
        }
    }

    /// Packs a state, given by the number of the local state at each position.
    pub(crate) fn pack(&self, locals: &[u32]) -> Vec<u64> {
        let mut state = vec![0; self.words];
        for (&local, &(slot, _)) in locals.iter().zip(&self.slot_of) {
            let slot = &self.slots[slot as usize];
            if slot.is_counted() {
                let field = self.field(slot.first_field + local);
                let count = field.get(&state);
                field.set(&mut state, count + 1);
            } else {
                self.field(slot.first_field).set(&mut state, local);
            }
        }
        state
    }

    /// Adds the moves that take a component of a slot from one local state to another; none if it stays where
    /// it is.
    pub(crate) fn moves(&self, slot: u32, from: u32, to: u32, moves: &mut Vec<Move>) {
        let slot = &self.slots[slot as usize];
        if from == to {
            return;
        }
        if slot.is_counted() {
            moves.push(self.field(slot.first_field + from).change(1, 0));
            moves.push(self.field(slot.first_field + to).change(0, 1));
        } else {
            moves.push(self.field(slot.first_field).change(from, to));
        }
    }

    /// The numbers of bits that copies of a component take if they are counted, and if each has a field of
    /// its own.
    pub(crate) fn bits_of_copies(local_states: u32, copies: u32) -> (u64, u64) {
        let counted = u64::from(local_states) * u64::from(bits(copies));
        (counted, u64::from(copies) * u64::from(bits(local_states.max(2) - 1)))
    }
}

/// The number of bits of the values from 0 to `largest`.
fn bits(largest: u32) -> u32 {
    u32::BITS - largest.leading_zeros()
}

/// Applies moves to a state.
pub(crate) fn make_moves(state: &mut [u64], moves: &[Move]) {
    for &(word, more) in moves {
        let word = &mut state[word as usize];
        *word = word.wrapping_add(more);
    }
}
