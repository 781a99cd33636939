//! The rates of all actions in each state, collected when the transitions are listed, so that throughputs need no further pass over them.
//!
//! Few states differ in these rates where they depend on what is possible rather than on how many copies can do it. Then each
//! state has the number of its rates in a table, in 4 bytes. Where states differ more, nothing is collected.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::vector::sums::Sums;

/// The most entries of the table.
const MOST: usize = 1 << 12;

/// The rates of all actions, for each state.
#[derive(Default)]
pub(crate) struct Rewards {
    of_states: Vec<u32>,
    table: Vec<Vec<(u32, f64)>>,
    numbers: HashMap<Vec<(u32, u64)>, u32, FixedState>,
    /// The rates of a state, in memory that is reused.
    row: Vec<(u32, u64)>,
    is_given_up: bool,
}

/// The bytes for so many states while the list grows, without the table.
pub(crate) fn memory(states: u64) -> u64 {
    2 * 4 * states
}

impl Rewards {
    /// Takes the rates of the next state, each with its action, unless they are known.
    pub(crate) fn take(&mut self, state: usize, rates: impl Iterator<Item = (usize, f64)>) {
        if self.is_given_up || state != self.of_states.len() {
            return;
        }
        let row = &mut self.row;
        row.clear();
        row.extend(rates.map(|(action, rate)| (action as u32, rate.to_bits())));
        row.sort_unstable_by_key(|&(action, _)| action);
        row.dedup_by(|later, first| {
            let is_same = later.0 == first.0;
            if is_same {
                first.1 = (f64::from_bits(first.1) + f64::from_bits(later.1)).to_bits();
            }
            is_same
        });
        let number = match self.numbers.get(row) {
            Some(&number) => number,
            None => {
                let number = self.table.len() as u32;
                self.numbers.insert(row.clone(), number);
                self.table.push(row.iter().map(|&(action, rate)| (action, f64::from_bits(rate))).collect());
                number
            }
        };
        self.of_states.push(number);
        if self.table.len() > MOST {
            *self = Rewards { is_given_up: true, ..Rewards::default() };
        }
    }

    /// The throughputs of so many actions under a distribution, and the amounts that they may have lost to probabilities too small
    /// for `f64`; `None` if not the rates of all states are known.
    pub(crate) fn throughputs(&self, probabilities: &[f64], actions: usize) -> Option<(Vec<f64>, Vec<f64>)> {
        if self.of_states.len() != probabilities.len() {
            return None;
        }
        let (mut sums, mut lost) = (Sums::new(actions), vec![0.0; actions]);
        for (state, (&probability, &number)) in probabilities.iter().zip(&self.of_states).enumerate() {
            for &(action, rate) in &self.table[number as usize] {
                sums.add(state, action as usize, probability * rate);
                if probability < f64::MIN_POSITIVE {
                    lost[action as usize] += f64::MIN_POSITIVE * rate;
                }
            }
        }
        Some((sums.finish(), lost))
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Rewards};

    #[test]
    fn throughputs_are_those_of_the_rates_of_each_state() {
        let mut rewards = Rewards::default();
        rewards.take(0, [(1, 2.0), (0, 1.0), (1, 3.0)].into_iter());
        rewards.take(1, [(0, 4.0)].into_iter());
        rewards.take(0, [(0, 9.0)].into_iter());
        assert!(rewards.throughputs(&[0.5, 0.25, 0.25], 2).is_none());
        rewards.take(2, [(0, 1.0), (1, 5.0)].into_iter());
        assert_eq!(rewards.table.len(), 2);
        assert_eq!(rewards.throughputs(&[0.5, 0.25, 0.25], 2), Some((vec![1.75, 3.75], vec![0.0; 2])));
        let (sums, lost) = rewards.throughputs(&[1.0, 0.0, 0.0], 2).unwrap();
        assert!(sums == [1.0, 5.0] && lost.iter().all(|&lost| lost > 0.0), "{lost:?}");
    }

    #[test]
    fn where_all_states_differ_nothing_is_collected() {
        let mut rewards = Rewards::default();
        (0..=MOST).for_each(|state| rewards.take(state, [(0, state as f64)].into_iter()));
        assert!(rewards.is_given_up && rewards.throughputs(&vec![0.0; MOST + 1], 1).is_none());
    }
}
