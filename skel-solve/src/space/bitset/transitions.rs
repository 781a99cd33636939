//! Lists the transitions of the states of a bitset, for 64 combinations at a time.
//!
//! Each [firing](super::bit_rows) that is possible in a row is compared with the bits of its states by one
//! "and". What it moves is the same distance for all of them, so that their targets are in 64 combinations
//! too, whose first number is asked for once. That takes a fourth of the time of reading each state's digits
//! and looking up what they enable.

use skel_core::model::ActionId;
use skel_core::number::Number;

use super::Bitset;
use super::bit_rows::{BitRows, MOST_PLACES};
use crate::transition::compile::Compiled;

/// Lists the transitions of one state after the other.
pub(crate) struct Transitions<'b, N> {
    bitset: &'b Bitset,
    rows: BitRows,
    /// What the firings do.
    labels: Vec<(ActionId, N)>,
    /// By how many combinations they move.
    jumps: Vec<i64>,
    /// The row whose possible firings are known, and these.
    row: u64,
    possible: Vec<usize>,
    /// The first of the combinations whose states are listed, the number of the first state and of the
    /// states.
    next: u64,
    first: usize,
    count: usize,
    /// For each of these states the targets and the firings of its transitions.
    listed: Vec<Vec<(u32, u32)>>,
}

impl<'b, N: Number> Transitions<'b, N> {
    /// Of all states. `None` where looking up what each state enables takes less time or is needed.
    pub(crate) fn of(bitset: &'b Bitset, compiled: &Compiled<N>) -> Option<Self> {
        Transitions::in_rows(bitset, compiled, MOST_PLACES)
    }

    /// The same with so many places in a row.
    fn in_rows(bitset: &'b Bitset, compiled: &Compiled<N>, most_places: u64) -> Option<Self> {
        let rows = BitRows::of(bitset.product(), compiled, most_places)?;
        let mut labels = Vec::with_capacity(rows.firings.len());
        compiled.for_each_firing(|action, _, rate| {
            labels.push((action, rate.clone()));
            true
        });
        let jumps = rows.firings.iter().map(|firing| rows.jump(firing)).collect();
        let (row, possible, listed) = (u64::MAX, Vec::new(), vec![Vec::new(); 64]);
        Some(Transitions { bitset, rows, labels, jumps, row, possible, next: 0, first: 0, count: 0, listed })
    }

    /// The transitions of a state: the target, the action and the rate of each.
    #[inline]
    pub(crate) fn of_state(&mut self, state: usize) -> impl Iterator<Item = (u32, ActionId, &N)> {
        self.seek(state);
        self.listed[state - self.first].iter().map(|&(target, firing)| {
            let (action, rate) = &self.labels[firing as usize];
            (target, *action, rate)
        })
    }

    /// The rates that numbers stand for.
    pub(crate) fn rates(&self) -> impl Iterator<Item = &N> {
        self.labels.iter().map(|(_, rate)| rate)
    }

    /// The transitions of a state: the target of each, and the number of its [rate](Self::rates).
    #[inline]
    pub(crate) fn numbers_of(&mut self, state: usize) -> &[(u32, u32)] {
        self.seek(state);
        &self.listed[state - self.first]
    }

    #[inline]
    fn seek(&mut self, state: usize) {
        if !(self.first..self.first + self.count).contains(&state) {
            self.move_to(state);
        }
    }

    /// Lists the states of the combinations around a state.
    fn move_to(&mut self, state: usize) {
        let places = self.rows.places;
        if state != self.first + self.count {
            let combination = self.bitset.select(state);
            self.next = combination - combination % places % 64;
            self.first = self.bitset.rank(self.next) as usize;
            self.count = 0;
        }
        while self.first + self.count <= state {
            let row = self.next / places;
            let length = (places - self.next % places).min(64);
            self.first += self.count;
            self.list(row, (self.next % places / 64) as usize, length);
            self.next += length;
        }
    }

    /// Lists the states of the next combinations, which are so many and in one word of a row.
    fn list(&mut self, row: u64, word: usize, length: u64) {
        let states = self.bitset.bits_from(self.next as i64) & (u64::MAX >> (64 - length));
        self.count = states.count_ones() as usize;
        if states == 0 {
            return;
        }
        if self.row != row {
            self.rows.set_to_possible(row as usize, &mut self.possible);
            self.row = row;
        }
        let mut places = [0; 64];
        let mut left = states;
        for (number, listed) in self.listed[..self.count].iter_mut().enumerate() {
            places[left.trailing_zeros() as usize] = number;
            left &= left - 1;
            listed.clear();
        }
        for &number in &self.possible {
            let mut sources = states & self.rows.firings[number].mask[word];
            if sources == 0 {
                continue;
            }
            let first = self.next as i64 + self.jumps[number];
            let targets = self.bitset.bits_from(first);
            // Before the first combination there is no state.
            let before = u64::try_from(first).map_or(0, |first| self.bitset.rank(first));
            while sources != 0 {
                let place = sources.trailing_zeros();
                sources &= sources - 1;
                let below = (targets & ((1 << place) - 1)).count_ones();
                self.listed[places[place as usize]].push((before + below, number as u32));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Transitions;
    use crate::random_model::random_model;
    use crate::space::{Explore, Options, Storage};
    use crate::transition::compile::Buffers;

    #[test]
    fn transitions_listed_together_are_those_of_each_state() {
        let mut compared = 0;
        for seed in 0..60 {
            let text = random_model(seed);
            let model = skel_core::text::parse(&text).into_model().expect("a model");
            let options = Options { storage: Storage::Bitset, ..Options::default() };
            let space = model.explorer().options(&options).explore().expect("a space");
            let (bitset, compiled) = space.bitset().expect("bits");
            let mut buffers = Buffers::new();
            for most in [1, 9, 70, 200, 1024] {
                let Some(mut all) = Transitions::in_rows(bitset, compiled, most) else { continue };
                let backwards = (0..space.states()).rev().step_by(7);
                for state in (0..space.states()).chain(backwards) {
                    let (combination, word) = bitset.walk(state).next();
                    let mut wanted = Vec::new();
                    let listing = compiled.for_each_transition(&[word], &mut buffers, |transition| {
                        let target = bitset.rank(combination.wrapping_add(transition.jump));
                        wanted.push((target, transition.action, transition.rate.to_bits()));
                    });
                    assert!(listing.is_ok(), "{text}");
                    let mut found: Vec<_> = all
                        .of_state(state)
                        .map(|(target, action, rate)| (target, action, rate.to_bits()))
                        .collect();
                    wanted.sort_unstable();
                    found.sort_unstable();
                    assert_eq!(found, wanted, "state {state}, rows of {most}: {text}");
                    compared += found.len();
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }
}
