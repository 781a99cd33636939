//! Computes the marginal distribution of each slot over its local states, in one pass over all states.
//!
//! In a list, every state adds to one sum for each slot. In a bitset, states are numbered by combinations.
//! These are in rows: the combinations of the smallest digits. A state adds to the sum of its row, and to the
//! sum of its place over all rows. From the sums of places those of the smallest digits are made, and from
//! the sums of rows those of the others, level by level. So a state costs two additions, however many slots
//! there are, and sums of sums lose fewer digits.

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

/// The most places of a row, unless the first digit alone has more.
const MOST_PLACES: u64 = 1024;

fn marginals_of_bitset<N: Number>(bitset: &Bitset, weights: &Weights<N>) -> Vec<Vec<ProbabilitySum<N>>> {
    let product = bitset.product();
    let (low_digits, places) = product.low_digits(MOST_PLACES);
    let (empty_sum, once) = (weights.empty_sum(), Factor::new(1));
    let mut of_places = vec![empty_sum.clone(); places as usize];
    let digits = product.strides_and_counts();
    let (low, high) = digits.split_at(low_digits);
    let mut rows = Runs::new(high.iter().map(|&(stride, count)| (stride / places, count)), &empty_sum);
    let mut state = 0;
    for row in 0..product.combinations() / places {
        let mut of_row = empty_sum.clone();
        for place in bitset.places(row * places, places as usize) {
            weights.add_numbered(&mut of_places[place], (state, row as usize), &once);
            weights.add(&mut of_row, state, &once);
            state += 1;
        }
        rows.add(&of_row, row);
    }
    let mut of_digits: Vec<_> =
        low.iter().map(|&(_, count)| vec![empty_sum.clone(); count as usize]).collect();
    for (place, sum) in (0..places).zip(&of_places) {
        for (of_digit, &(stride, count)) in of_digits.iter_mut().zip(low) {
            of_digit[(place / stride % count) as usize].add(sum, &once);
        }
    }
    of_digits.append(&mut rows.of_digits);
    let slots = 0..product.strides().len() as u32;
    slots.map(|slot| std::mem::take(&mut of_digits[product.digit_of(slot).0])).collect()
}

/// The sums over rows, which agree in the digits that are not within a row. Consecutive rows agree in all but
/// the smallest of these.
struct Runs<N> {
    once: Factor<N>,
    empty_sum: ProbabilitySum<N>,
    strides_and_counts: Vec<(u64, u64)>,
    /// For each digit and each of its values the sum of the runs that have ended.
    of_digits: Vec<Vec<ProbabilitySum<N>>>,
    /// For each digit the sum of the current run, in which this digit and all larger ones stay the same.
    open: Vec<ProbabilitySum<N>>,
}

impl<N: Number> Runs<N> {
    fn new(strides_and_counts: impl Iterator<Item = (u64, u64)>, empty_sum: &ProbabilitySum<N>) -> Self {
        let strides_and_counts: Vec<_> = strides_and_counts.collect();
        let of_digit = |&(_, count): &(u64, u64)| vec![empty_sum.clone(); count as usize];
        Runs {
            once: Factor::new(1),
            empty_sum: empty_sum.clone(),
            of_digits: strides_and_counts.iter().map(of_digit).collect(),
            open: vec![empty_sum.clone(); strides_and_counts.len()],
            strides_and_counts,
        }
    }

    /// Adds the sum of a row, and ends the runs of which it is the last: the sum of a digit's run is added to
    /// the value of the digit, and to the run of the next digit.
    fn add(&mut self, of_row: &ProbabilitySum<N>, row: u64) {
        let Some(first) = self.open.first_mut() else { return };
        first.add(of_row, &self.once);
        for (digit, &(stride, count)) in self.strides_and_counts.iter().enumerate() {
            if row / stride == (row + 1) / stride {
                return;
            }
            let ended = std::mem::replace(&mut self.open[digit], self.empty_sum.clone());
            self.of_digits[digit][(row / stride % count) as usize].add(&ended, &self.once);
            if let Some(next) = self.open.get_mut(digit + 1) {
                next.add(&ended, &self.once);
            }
        }
    }
}
