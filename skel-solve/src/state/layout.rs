//! The layout of a state: a field of a few bits for each local state that is remembered, packed into 64-bit words.
//!
//! A component of its own has one field, the number of its local state. Interchangeable copies of which only matters how
//! many are in which local state are *counted*: they have one field for each local state of their component. Every move
//! of a component is then the same sum on a word, whatever the rest of the state: the new local state minus the old one,
//! or one less here and one more there. So transitions are lists of [`Move`]s, which add up.

use skel_core::model::{ComponentId, Model, Position};

/// What is added to a word of a state, modulo `2^64`.
pub(crate) type Move = (u32, u64);

/// Some bits of a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

impl Field {
    /// Its value in a state.
    pub(crate) fn get(self, state: &[u64]) -> u32 {
        ((state[self.word as usize] >> self.shift) & self.mask) as u32
    }

    /// Changes its value in a state.
    pub(crate) fn set(self, state: &mut [u64], value: u32) {
        let word = &mut state[self.word as usize];
        *word = (*word & !(self.mask << self.shift)) | (u64::from(value) << self.shift);
    }

    /// The move from one value to another.
    pub(crate) fn change(self, from: u32, to: u32) -> Move {
        (self.word, (u64::from(to).wrapping_sub(u64::from(from))) << self.shift)
    }
}

/// Components that are kept together.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    /// Their positions; more than one are counted.
    pub(crate) positions: Vec<u32>,
    component: ComponentId,
    /// One field, or one for each local state.
    first_field: u32,
    local_states: u32,
}

impl Slot {
    /// Whether only the numbers of copies are kept.
    pub(crate) fn is_counted(&self) -> bool {
        self.positions.len() > 1
    }

    pub(crate) fn component(&self) -> ComponentId {
        self.component
    }

    /// How many local states the component has.
    pub(crate) fn local_states(&self) -> u32 {
        self.local_states
    }

    /// The numbers of its fields.
    pub(crate) fn fields(&self) -> std::ops::Range<u32> {
        let count = if self.is_counted() { self.local_states } else { 1 };
        self.first_field..self.first_field + count
    }
}

/// How states are packed.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    slots: Vec<Slot>,
    /// Per position its slot, and which of the slot's positions it is.
    slot_of: Vec<(u32, u32)>,
    words: usize,
}

impl Layout {
    /// The layout of a model's states, where each of some lists of positions is counted. Fields do not straddle words.
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

    /// The number of words that a state takes.
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

    /// The number of the local state at a position; counted copies are in the order of their local states.
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

    /// Calls `found` with each slot, by number, each local state that it is in, and how many of its copies are.
    pub(crate) fn occupied(&self, state: &[u64], mut found: impl FnMut(usize, u32, u32)) {
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

    /// A state from the number of the local state at each position.
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

    /// What a component's move from one local state to another adds; nothing where it stays.
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

    /// The bits that a list of positions would take, counted and one by one.
    pub(crate) fn bits_of_copies(local_states: u32, copies: u32) -> (u64, u64) {
        let counted = u64::from(local_states) * u64::from(bits(copies));
        (counted, u64::from(copies) * u64::from(bits(local_states.max(2) - 1)))
    }
}

/// The bits of a number from 0 to `largest`.
fn bits(largest: u32) -> u32 {
    u32::BITS - largest.leading_zeros()
}

/// Makes moves in a state.
pub(crate) fn make_moves(state: &mut [u64], moves: &[Move]) {
    for &(word, more) in moves {
        let word = &mut state[word as usize];
        *word = word.wrapping_add(more);
    }
}
