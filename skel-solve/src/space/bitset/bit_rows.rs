//! Continues an exploration with a bitset, for 64 combinations at a time.
//!
//! The bits of the combinations are in *rows*: those of the *low* slots, with some hundred combinations, side
//! by side, and a row for each combination of the others. An activity in some local states of its slots, a
//! *firing*, requires something of the row, is enabled at the same places of all such rows, and moves all of
//! these by the same distance, into one other row. So a mask, a shift and an "or" of words find the targets
//! of all states of a row at once. This goes on, row by row, until nothing new is found, which is the least
//! fixpoint of the transitions and therefore the reachable set, in whatever order rows are taken. Such sets
//! of states as bits, with images by whole words, are what symbolic methods do with decision diagrams (G.
//! Ciardo, G. Lüttgen, A. Miner, Formal Methods in System Design 31 (2007), which also takes local fixpoints
//! first), for sets that fill a good part of all combinations.
//!
//! Cost: for each visit of a row a few words for each firing; a row is visited some five times. Memory: the
//! bits twice.

use std::collections::BTreeMap;

use skel_core::number::Number;

use super::{Bitset, Product};
use crate::limits::memory::{MemoryBudget, make_room};
use crate::limits::{Limit, Limits, Progress, Watch};
use crate::space::bitset::explored::{ExplorationProgress, ExploredBitset};
use crate::space::explicit::{Explicit, Halt, MOST_STATES};
use crate::transition::compile::Compiled;

/// The largest number of places of a row, unless the first slot alone has more.
pub(super) const MOST_PLACES: u64 = 1024;

/// The most words in the masks of all firings, as a multiple of the places. With more, expanding states one
/// by one takes less time.
const MOST_MASKS: u64 = 16;

/// The rows between two looks at the limits.
const BETWEEN_LOOKS: usize = 32;

/// An activity in one combination of the local states of its slots.
pub(super) struct Firing {
    /// What it requires of a row: for a digit its stride and its count, in rows, and its value.
    requires: Vec<(u64, u64, u64)>,
    /// The places of a row at which it is enabled.
    pub(super) mask: Vec<u64>,
    /// By how many rows and places it moves.
    rows: i64,
    places: i64,
}

impl Firing {
    fn is_possible_in(&self, row: usize) -> bool {
        self.requires.iter().all(|&(stride, count, value)| row as u64 / stride % count == value)
    }
}

/// Firings by one of the requirements that each has of a row, so that those of a row are found without a look
/// at all others.
#[derive(Default)]
struct Required {
    /// The firings that require nothing.
    nothing: Vec<usize>,
    /// For a digit its stride and its count, in rows, and for each of its values the firings that require it.
    of_digits: BTreeMap<(u64, u64), Vec<Vec<usize>>>,
}

impl Required {
    fn add(&mut self, number: usize, firing: &Firing) {
        match firing.requires.iter().max_by_key(|(_, count, _)| count) {
            Some(&(stride, count, value)) => {
                let by_value = self.of_digits.entry((stride, count));
                by_value.or_insert_with(|| vec![Vec::new(); count as usize])[value as usize].push(number);
            }
            None => self.nothing.push(number),
        }
    }

    /// The firings of which one requirement at least is met in a row.
    fn candidates(&self, row: usize) -> impl Iterator<Item = usize> {
        let met = self.of_digits.iter().flat_map(move |(&(stride, count), by_value)| {
            let value = row as u64 / stride % count;
            &by_value[value as usize]
        });
        self.nothing.iter().chain(met).copied()
    }
}

/// How combinations are divided into rows, and what happens in them.
pub(super) struct BitRows {
    /// The number of places in a row, of words that they take, and of rows.
    pub(super) places: u64,
    words: usize,
    rows: usize,
    pub(super) firings: Vec<Firing>,
    /// The firings by what they require of a row.
    required: Required,
    /// Whether firings are turned round. A firing mostly leads to a larger combination, and so a turned one
    /// to a smaller one.
    are_turned: bool,
}

impl BitRows {
    /// BitRows of at most so many places, unless the first slot alone has more. `None` where expanding states
    /// one by one takes less time or is needed.
    pub(super) fn of<N: Number>(
        product: &Product,
        compiled: &Compiled<N>,
        most_places: u64,
    ) -> Option<BitRows> {
        if compiled.may_repeat() || compiled.may_refuse() {
            return None;
        }
        let (mut rows, low_digits) = BitRows::without_firings(product, most_places);
        let most = (MOST_MASKS * rows.places) as usize / rows.words;
        let is_whole = compiled.for_each_firing(|_, slots, _| {
            rows.add(rows.firing(product, low_digits, slots));
            rows.firings.len() <= most
        });
        is_whole.then_some(rows)
    }

    /// The same with every firing the other way round, however many there are. `None` if not all activities
    /// are in tables, or if a table has too many combinations.
    pub(super) fn backwards<N: Number>(
        product: &Product,
        compiled: &Compiled<N>,
        most_places: u64,
    ) -> Option<BitRows> {
        let (rows, low_digits) = BitRows::without_firings(product, most_places);
        let mut rows = BitRows { are_turned: true, ..rows };
        let mut turned = Vec::new();
        let is_whole = compiled.for_each_firing(|_, slots, _| {
            turned.clear();
            turned.extend(slots.iter().map(|&(slot, from, to)| (slot, to, from)));
            rows.add(rows.firing(product, low_digits, &turned));
            true
        });
        is_whole.then_some(rows)
    }

    /// Rows of at most so many places, and how many digits are low.
    fn without_firings(product: &Product, most_places: u64) -> (BitRows, usize) {
        let (low_digits, places) = product.low_digits(most_places);
        let words = places.div_ceil(64) as usize;
        let rows = (product.combinations() / places) as usize;
        let (firings, required) = (Vec::new(), Required::default());
        (BitRows { places, words, rows, firings, required, are_turned: false }, low_digits)
    }

    fn add(&mut self, firing: Firing) {
        self.required.add(self.firings.len(), &firing);
        self.firings.push(firing);
    }

    /// The numbers of the firings that are possible in a row, in ascending order.
    pub(super) fn set_to_possible(&self, row: usize, numbers: &mut Vec<usize>) {
        numbers.clear();
        let candidates = self.required.candidates(row);
        numbers.extend(candidates.filter(|&number| self.firings[number].is_possible_in(row)));
        numbers.sort_unstable();
    }

    /// A firing of slots, each with its local state before and after.
    fn firing(&self, product: &Product, low_digits: usize, slots: &[(u32, u32, u32)]) -> Firing {
        let (mut low, mut requires) = (Vec::new(), Vec::new());
        let (mut rows, mut places) = (0, 0);
        for &(slot, from, to) in slots {
            let (digit, stride, count) = product.digit_of(slot);
            let change = i64::from(to) - i64::from(from);
            if digit < low_digits {
                low.push((stride, count, u64::from(from)));
                places += change * stride as i64;
            } else {
                let stride = stride / self.places;
                requires.push((stride, count, u64::from(from)));
                rows += change * stride as i64;
            }
        }
        let mut mask = vec![0; self.words];
        for place in 0..self.places {
            if low.iter().all(|&(stride, count, value)| place / stride % count == value) {
                mask[(place / 64) as usize] |= 1 << (place % 64);
            }
        }
        Firing { requires, mask, rows, places }
    }

    /// By how many combinations a firing moves.
    pub(super) fn jump(&self, firing: &Firing) -> i64 {
        firing.rows * self.places as i64 + firing.places
    }

    /// The bytes of the rows while an exploration goes on, and of the bits that it results in.
    fn bytes(&self, product: &Product) -> u64 {
        (self.rows * (self.words + 1) * 8) as u64 + Bitset::bytes(product.combinations())
    }

    /// Continues an exploration that began with a list. `None` if it would take more memory than there is.
    pub(super) fn explore(
        &self,
        explicit: &Explicit,
        product: &Product,
        limits: &Limits,
        watch: &mut Watch<'_>,
    ) -> Option<Result<ExploredBitset, (Halt, ExplorationProgress)>> {
        let budget = MemoryBudget::new(limits);
        let mut bits: Vec<u64> = Vec::new();
        let fits = budget.check(self.bytes(product)).is_ok();
        if !fits || !make_room(&mut bits, self.rows * self.words, budget.left()) {
            return None;
        }
        bits.resize(self.rows * self.words, 0);
        let mut search = Search::in_bits(self, bits);
        for number in 0..explicit.store.len() {
            search.begin_at(product.combination(explicit.store.get(number)[0]));
        }
        let progress = |search: &Search<'_>| Progress::Exploring {
            found: search.states,
            explored: search.states - search.waiting(),
        };
        let outcome = search.run(limits.states.min(MOST_STATES), progress, watch);
        let transitions = search.transitions();
        let (states, waiting) = (search.states, search.waiting());
        Some(match outcome {
            Ok(()) => {
                Ok(ExploredBitset { bitset: Bitset::new(product.clone(), search.found()), transitions })
            }
            Err(limit) => Err((Halt::Limit(limit), ExplorationProgress { states, transitions, waiting })),
        })
    }
}

/// A search for all that can be reached by the firings.
pub(super) struct Search<'r> {
    rows: &'r BitRows,
    /// The reached places of each row.
    bits: Vec<u64>,
    /// A bit for each row with states whose transitions have not been looked at.
    waiting: Vec<u64>,
    /// The word of these bits in which the last row was found.
    word: usize,
    /// The waiting rows in the order in which they were found, where firings are turned round.
    found_in_turn: Vec<usize>,
    states: u64,
    /// The places of a row at which a firing is enabled, as they are after it.
    buffer: Vec<u64>,
}

impl<'r> Search<'r> {
    pub(super) fn new(rows: &'r BitRows) -> Self {
        Search::in_bits(rows, vec![0; rows.rows * rows.words])
    }

    fn in_bits(rows: &'r BitRows, bits: Vec<u64>) -> Self {
        let waiting = vec![0; rows.rows.div_ceil(64)];
        let (found_in_turn, buffer) = (Vec::new(), Vec::new());
        Search { rows, bits, waiting, word: 0, found_in_turn, states: 0, buffer }
    }

    pub(super) fn begin_at(&mut self, combination: u64) {
        let (row, place) = ((combination / self.rows.places) as usize, combination % self.rows.places);
        let word = &mut self.bits[row * self.rows.words + (place / 64) as usize];
        self.states += u64::from(*word >> (place % 64) & 1 == 0);
        *word |= 1 << (place % 64);
        self.wait(row);
    }

    fn wait(&mut self, row: usize) {
        if self.rows.are_turned && !self.is_waiting(row) {
            self.found_in_turn.push(row);
        }
        self.waiting[row / 64] |= 1 << (row % 64);
    }

    fn is_waiting(&self, row: usize) -> bool {
        self.waiting[row / 64] >> (row % 64) & 1 == 1
    }

    /// Goes on until nothing new is found, or there are more than so many states.
    pub(super) fn run(
        &mut self,
        most: u64,
        progress: impl Fn(&Self) -> Progress,
        watch: &mut Watch<'_>,
    ) -> Result<(), Limit> {
        let mut possible = Vec::new();
        let mut visits = 0_usize;
        while let Some(row) = self.next_row() {
            if visits.is_multiple_of(BETWEEN_LOOKS) {
                watch.check(|| progress(self))?;
            }
            visits += 1;
            self.waiting[row / 64] &= !(1 << (row % 64));
            self.expand(row, &mut possible);
            if self.states > most {
                return Err(Limit::States(most));
            }
        }
        Ok(())
    }

    /// The row to look at next. Onward, rows are taken as they come, and round again: for polling with 15
    /// stations, each is then visited once. Backwards, the row that was found last comes first, so that what
    /// goes round between a few rows comes to its end before it is carried on from there: for a line of
    /// queues, each was visited once for each of its 47 places otherwise.
    fn next_row(&mut self) -> Option<usize> {
        if self.rows.are_turned {
            return self.found_in_turn.pop();
        }
        let mut from_here = (self.word..self.waiting.len()).chain(0..self.word);
        self.word = from_here.find(|&word| self.waiting[word] != 0)?;
        Some(64 * self.word + self.waiting[self.word].trailing_zeros() as usize)
    }

    /// A bit for each combination that was reached, without what fills up rows.
    pub(super) fn found(&self) -> Vec<u64> {
        let combinations = self.rows.rows as u64 * self.rows.places;
        let mut all = vec![0; combinations.div_ceil(64) as usize];
        for (row, words) in self.bits.chunks(self.rows.words).enumerate() {
            for (number, &word) in words.iter().enumerate().filter(|&(_, &word)| word != 0) {
                let first = row as u64 * self.rows.places + 64 * number as u64;
                let (at, shift) = ((first / 64) as usize, first % 64);
                all[at] |= word << shift;
                if shift > 0 && word >> (64 - shift) != 0 {
                    all[at + 1] |= word >> (64 - shift);
                }
            }
        }
        all
    }

    /// The states in rows that are to be looked at again.
    fn waiting(&self) -> u64 {
        let rows = self.bits.chunks(self.rows.words).enumerate().filter(|&(row, _)| self.is_waiting(row));
        rows.flat_map(|(_, places)| places).map(|word| u64::from(word.count_ones())).sum()
    }

    /// Finds what can be reached in a row from what is reached there, and what that leads to in other rows.
    fn expand(&mut self, row: usize, possible: &mut Vec<usize>) {
        let rows = self.rows;
        rows.set_to_possible(row, possible);
        // Taken in one of the two directions, the firings of a cycle of local states lead all the way round
        // at once.
        let mut is_ascending = !rows.are_turned;
        let mut has_more = true;
        while has_more {
            has_more = false;
            for at in 0..possible.len() {
                let number = possible[if is_ascending { at } else { possible.len() - 1 - at }];
                if rows.firings[number].rows == 0 {
                    has_more |= self.fire(row, &rows.firings[number]);
                }
            }
            is_ascending = !is_ascending;
        }
        for firing in possible.iter().map(|&number| &rows.firings[number]).filter(|firing| firing.rows != 0) {
            if self.fire(row, firing) {
                self.wait((row as i64 + firing.rows) as usize);
            }
        }
    }

    /// Adds the targets of a row's states; whether one of them is new.
    fn fire(&mut self, row: usize, firing: &Firing) -> bool {
        let words = self.rows.words;
        let sources = &self.bits[row * words..(row + 1) * words];
        self.buffer.clear();
        self.buffer.extend(sources.iter().zip(&firing.mask).map(|(sources, mask)| sources & mask));
        shift(&mut self.buffer, firing.places);
        let target = (row as i64 + firing.rows) as usize;
        let mut found = 0;
        for (known, target) in self.bits[target * words..(target + 1) * words].iter_mut().zip(&self.buffer) {
            found += (target & !*known).count_ones();
            *known |= target;
        }
        self.states += u64::from(found);
        found > 0
    }

    /// The number of transitions of the states in rows that need not be looked at again.
    fn transitions(&self) -> u64 {
        let (mut transitions, mut possible) = (0, Vec::new());
        for (row, sources) in self.bits.chunks(self.rows.words).enumerate() {
            if self.is_waiting(row) || sources.iter().all(|word| *word == 0) {
                continue;
            }
            self.rows.set_to_possible(row, &mut possible);
            for firing in possible.iter().map(|&number| &self.rows.firings[number]) {
                let enabled =
                    sources.iter().zip(&firing.mask).map(|(sources, mask)| (sources & mask).count_ones());
                transitions += u64::from(enabled.sum::<u32>());
            }
        }
        transitions
    }
}

/// Moves bits to larger places, or to smaller ones if the distance is negative. None of them leaves the row.
fn shift(words: &mut [u64], distance: i64) {
    let (whole, bits) = ((distance.unsigned_abs() / 64) as usize, distance.unsigned_abs() % 64);
    let count = words.len();
    // The part of a word that goes to the next one; a shift by 64 is none.
    let word = |words: &[u64], at: Option<usize>| at.and_then(|at| words.get(at)).copied().unwrap_or(0);
    if distance >= 0 {
        for at in (0..count).rev() {
            let (own, below) = (at.checked_sub(whole), at.checked_sub(whole + 1));
            let carried = if bits == 0 { 0 } else { word(words, below) >> (64 - bits) };
            words[at] = word(words, own) << bits | carried;
        }
    } else {
        for at in 0..count {
            let carried = if bits == 0 { 0 } else { word(words, Some(at + whole + 1)) << (64 - bits) };
            words[at] = word(words, Some(at + whole)) >> bits | carried;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BitRows, Search, shift};
    use crate::limits::{Limits, Progress, Watch};
    use crate::random_model::random_model;
    use crate::space::{Explore, Options, Storage};

    #[test]
    fn rows_of_any_length_hold_the_states_of_a_list() {
        let mut tried = 0;
        for seed in 0..60 {
            let text = random_model(seed);
            let model = skel_core::text::parse(&text).into_model().expect("a model");
            let [list, space] = [Storage::Explicit, Storage::Bitset].map(|storage| {
                let options = Options { storage, ..Options::default() };
                model.explorer().options(&options).explore().expect("a space")
            });
            let (bitset, compiled) = space.bitset().expect("bits");
            for most in [1, 2, 9, 70, 200, 1024] {
                let Some(rows) = BitRows::of(bitset.product(), compiled, most) else { continue };
                tried += usize::from(rows.rows > 1 && rows.words > 1);
                let mut search = Search::new(&rows);
                search.begin_at(0);
                let limits = Limits::default();
                let watch = &mut Watch::start(&limits);
                search.run(u64::MAX, |_| Progress::Preparing, watch).expect("no limit");
                let what = format!("rows of {most}: {text}");
                assert_eq!(search.states, list.states() as u64, "{what}");
                assert_eq!(search.transitions(), list.transitions() as u64, "{what}");
                assert_eq!(search.found(), bitset.bits, "{what}");
            }
        }
        assert!(tried > 20, "{tried}");
    }

    #[test]
    fn bits_move_by_any_distance() {
        let places = 200_i64;
        for distance in -150..=150_i64 {
            let sources: Vec<i64> = (0..places)
                .filter(|place| place * 7 % 3 == 0 && (0..places).contains(&(place + distance)))
                .collect();
            let bits_of = |places: &mut dyn Iterator<Item = i64>| {
                let mut words = vec![0_u64; 4];
                places.for_each(|place| words[place as usize / 64] |= 1 << (place % 64));
                words
            };
            let mut words = bits_of(&mut sources.iter().copied());
            shift(&mut words, distance);
            assert_eq!(words, bits_of(&mut sources.iter().map(|place| place + distance)), "{distance}");
        }
    }
}
