//! Computes the marginal distribution of each slot over its local states, in one pass over all states.
//!
//! In a list, every state adds to one sum for each slot. In a bitset, states are numbered by combinations, and
//! consecutive states agree in all but the smallest digits. The probabilities of such a run are added up once; the sum
//! is then added to the larger digits, level by level. So a state costs two additions, however many slots there are,
//! and sums of runs lose fewer digits.

use skel_core::number::Number;

use super::weights::{Factor, ProbabilitySum, Weights};
use crate::space::bitset::Bitset;
use crate::space::explicit::Explicit;
use crate::space::{StateSet, StateSpace};

impl StateSpace {
    /// For each slot and each number of a local state the expected number of copies in it.
    pub(crate) fn marginals<N: Number>(&self, weights: &Weights<N>) -> Vec<Vec<ProbabilitySum<N>>> {
        match self.kept() {
            StateSet::Explicit(explicit) => self.marginals_of_explicit(explicit, weights),
            StateSet::Bitset(bitset) => marginals_of_bitset(bitset, weights),
        }
    }

    fn marginals_of_explicit<N: Number>(
        &self,
        explicit: &Explicit,
        weights: &Weights<N>,
    ) -> Vec<Vec<ProbabilitySum<N>>> {
        let slots = self.slots().iter();
        let mut sums: Vec<Vec<ProbabilitySum<N>>> =
            slots.map(|slot| vec![weights.empty_sum(); slot.local_states() as usize]).collect();
        let most = self.slots().iter().map(|slot| slot.positions.len()).max().unwrap_or_default();
        let counts: Vec<Factor<N>> = (0..=most).map(Factor::new).collect();
        for state in weights.visited() {
            self.layout().for_each_count(explicit.store.get(state), |slot, local, count| {
                weights.add(&mut sums[slot][local as usize], state, &counts[count as usize]);
            });
        }
        sums
    }
}

/// The sums while the states of a bitset are visited.
struct Runs<N> {
    once: Factor<N>,
    strides_and_counts: Vec<(u64, u64)>,
    /// For each digit and each of its values the sum of the runs that have ended.
    of_digits: Vec<Vec<ProbabilitySum<N>>>,
    /// For each digit the sum of the current run, in which this digit and all larger ones stay the same.
    open: Vec<ProbabilitySum<N>>,
}

fn marginals_of_bitset<N: Number>(bitset: &Bitset, weights: &Weights<N>) -> Vec<Vec<ProbabilitySum<N>>> {
    let strides_and_counts = bitset.product().strides_and_counts();
    let of_digit = |&(_, count): &(u64, u64)| vec![weights.empty_sum(); count as usize];
    let mut runs = Runs {
        once: Factor::new(1),
        of_digits: strides_and_counts.iter().map(of_digit).collect(),
        open: vec![weights.empty_sum(); strides_and_counts.len()],
        strides_and_counts,
    };
    let mut walk = bitset.walk(0);
    let mut last = 0;
    for state in 0..bitset.states() {
        let (combination, _) = walk.next();
        runs.end(last, combination, &weights.empty_sum());
        weights.add(&mut runs.open[0], state, &runs.once);
        last = combination;
    }
    runs.end(last, bitset.product().combinations(), &weights.empty_sum());
    let slots = 0..bitset.product().strides().len() as u32;
    slots.map(|slot| std::mem::take(&mut runs.of_digits[bitset.product().digit_of(slot).0])).collect()
}

impl<N: Number> Runs<N> {
    /// Ends the runs that the step from one combination to a larger one leaves. The sum of a digit's run is added to
    /// the value of the digit, and to the run of the next digit.
    fn end(&mut self, from: u64, to: u64, empty_sum: &ProbabilitySum<N>) {
        for (digit, &(stride, count)) in self.strides_and_counts.iter().enumerate() {
            if from / stride == to / stride {
                return;
            }
            let ended = std::mem::replace(&mut self.open[digit], empty_sum.clone());
            self.of_digits[digit][(from / stride % count) as usize].add(&ended, &self.once);
            if let Some(next) = self.open.get_mut(digit + 1) {
                next.add(&ended, &self.once);
            }
        }
    }
}
