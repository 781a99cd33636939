//! States as a bitset: where the combinations of local states are few enough, one bit for each tells whether
//! it is reachable.
//!
//! The number of a combination is the sum of its local states, each times the *stride* of its slot (a mixed
//! radix). The number of a state is its *rank*, the number of states with smaller combinations. So no state
//! is stored: 16 combinations take 17 bits. The initial state has the number 0. Strides are
//! [chosen](digit_order) such that most transitions lead to states with larger numbers, which suits iterative
//! solvers.

mod backwards;
mod bit_rows;
pub(crate) mod digit_order;
pub(crate) mod explore;
pub(crate) mod explored;
pub(crate) mod first_moves;
pub(crate) mod transitions;

use crate::state::layout::{Field, Layout};

/// The largest number of combinations; the bits of more would take over 32 TiB.
const MOST_COMBINATIONS: u64 = 1 << 48;

/// The combinations of local states of a model whose states fit into one word.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    /// For each slot its stride.
    strides: Vec<u64>,
    /// The slots in the order of their strides.
    digits: Vec<Digit>,
    /// For each slot the index of its digit.
    digit_of: Vec<usize>,
    combinations: u64,
}

/// The local state of a slot as a digit of a combination.
#[derive(Clone, Copy, Debug)]
struct Digit {
    field: Field,
    /// The amount that the word grows by when the digit grows by one.
    unit: u64,
    /// The number of local states.
    count: u64,
    stride: u64,
}

impl Product {
    /// The combinations of a layout, whose slots have strides in this order. `None` if the combinations are
    /// too many.
    pub(crate) fn new(layout: &Layout, slots: impl ExactSizeIterator<Item = usize>) -> Option<Product> {
        let (strides, digit_of) = (vec![0; slots.len()], vec![0; slots.len()]);
        let mut product = Product { strides, digits: Vec::new(), digit_of, combinations: 1 };
        for slot in slots {
            let field = layout.field(layout.slots()[slot].fields().start);
            let count = u64::from(layout.slots()[slot].local_states());
            let stride = product.combinations;
            let (_, unit) = field.change(0, 1);
            product.strides[slot] = stride;
            product.digit_of[slot] = product.digits.len();
            product.digits.push(Digit { field, unit, count, stride });
            product.combinations = stride.checked_mul(count).filter(|&all| all <= MOST_COMBINATIONS)?;
        }
        Some(product)
    }

    /// The number of combinations.
    pub(crate) fn combinations(&self) -> u64 {
        self.combinations
    }

    /// For each slot its stride.
    pub(crate) fn strides(&self) -> &[u64] {
        &self.strides
    }

    /// The strides and the numbers of local states, in the order of the strides.
    pub(crate) fn strides_and_counts(&self) -> Vec<(u64, u64)> {
        self.digits.iter().map(|digit| (digit.stride, digit.count)).collect()
    }

    /// How many digits have at most so many combinations together, at least one, and how many these have.
    pub(crate) fn low_digits(&self, most: u64) -> (usize, u64) {
        let (mut low_digits, mut combinations) = (0, 1);
        for digit in &self.digits {
            if low_digits > 0 && combinations * digit.count > most {
                break;
            }
            low_digits += 1;
            combinations *= digit.count;
        }
        (low_digits, combinations)
    }

    /// The index of a slot's digit, counted from the smallest stride, its stride, and its number of local
    /// states.
    pub(crate) fn digit_of(&self, slot: u32) -> (usize, u64, u64) {
        let at = self.digit_of[slot as usize];
        (at, self.digits[at].stride, self.digits[at].count)
    }

    /// The packed word of a combination.
    fn word(&self, combination: u64) -> u64 {
        self.digits.iter().map(|digit| combination / digit.stride % digit.count * digit.unit).sum()
    }

    /// The combination of a packed word.
    pub(crate) fn combination(&self, word: u64) -> u64 {
        self.digits.iter().map(|digit| digit.stride * u64::from(digit.field.get(&[word]))).sum()
    }
}

/// The states of a space as a bitset.
pub(crate) struct Bitset {
    product: Product,
    /// For each combination a bit that tells whether it is a state.
    bits: Vec<u64>,
    /// For each block of words the number of states before it.
    before: Vec<u32>,
    states: usize,
}

/// The number of words that share one entry of [`Bitset::before`].
const BLOCK: usize = 8;

impl Bitset {
    pub(crate) fn new(product: Product, bits: Vec<u64>) -> Bitset {
        let mut states = 0;
        let of_block = |block: &[u64]| {
            let before = states;
            states += block.iter().map(|word| word.count_ones()).sum::<u32>();
            before
        };
        let before = bits.chunks(BLOCK).map(of_block).collect();
        Bitset { product, bits, before, states: states as usize }
    }

    /// The number of bytes that a bitset of this many combinations takes.
    pub(crate) fn bytes(combinations: u64) -> u64 {
        let words = combinations.div_ceil(64);
        words * 8 + words.div_ceil(BLOCK as u64) * 4
    }

    pub(crate) fn memory(&self) -> u64 {
        (self.bits.capacity() * 8 + self.before.capacity() * 4) as u64
    }

    pub(crate) fn states(&self) -> usize {
        self.states
    }

    pub(crate) fn product(&self) -> &Product {
        &self.product
    }

    /// The number of the state with this packed word, if it is reachable.
    pub(crate) fn find(&self, word: u64) -> Option<u32> {
        self.number_of(self.product.combination(word))
    }

    /// The number of the state with this combination, if it is reachable.
    pub(crate) fn number_of(&self, combination: u64) -> Option<u32> {
        let is_reached = self.bits[(combination / 64) as usize] >> (combination % 64) & 1 == 1;
        is_reached.then(|| self.rank(combination))
    }

    /// The number of states with smaller combinations.
    #[inline]
    pub(crate) fn rank(&self, combination: u64) -> u32 {
        if self.is_full() {
            return combination as u32;
        }
        let word = (combination / 64) as usize;
        let block = word / BLOCK;
        let whole: u32 = self.bits[block * BLOCK..word].iter().map(|word| word.count_ones()).sum();
        let below = self.bits[word] & ((1 << (combination % 64)) - 1);
        self.before[block] + whole + below.count_ones()
    }

    /// The bits of 64 combinations, of which those that there are not are no states.
    #[inline]
    fn bits_from(&self, first: i64) -> u64 {
        let (word, shift) = (first.div_euclid(64), first.rem_euclid(64) as u32);
        let word_at =
            |at: i64| usize::try_from(at).ok().and_then(|at| self.bits.get(at)).copied().unwrap_or(0);
        match shift {
            0 => word_at(word),
            shift => word_at(word) >> shift | word_at(word + 1) << (64 - shift),
        }
    }

    /// The combination of the state with this number.
    fn select(&self, number: usize) -> u64 {
        let block = self.before.partition_point(|&before| before as usize <= number) - 1;
        let mut left = (number - self.before[block] as usize) as u32;
        let mut word = block * BLOCK;
        while self.bits[word].count_ones() <= left {
            left -= self.bits[word].count_ones();
            word += 1;
        }
        let mut bits = self.bits[word];
        (0..left).for_each(|_| bits &= bits - 1);
        word as u64 * 64 + u64::from(bits.trailing_zeros())
    }

    /// Whether every combination is a state.
    pub(crate) fn is_full(&self) -> bool {
        self.states as u64 == self.product.combinations
    }

    /// The states among `count` consecutive combinations: the distance of each from the first combination, in
    /// ascending order.
    pub(crate) fn places(&self, from: u64, count: usize) -> impl Iterator<Item = usize> {
        (0..count).step_by(64).flat_map(move |first| {
            let length = (count - first).min(64) as u32;
            let mut word = self.bits_from((from + first as u64) as i64) & (u64::MAX >> (64 - length));
            std::iter::from_fn(move || {
                let place = (word != 0).then(|| first + word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(place)
            })
        })
    }

    /// The states from a given number on, in ascending order.
    pub(crate) fn walk(&self, from: usize) -> Walk<'_> {
        Walk { bitset: self, next: from, combination: 0, word: 0, digits: Vec::new() }
    }
}

/// An iteration over the states in the order of their numbers.
pub(crate) struct Walk<'r> {
    bitset: &'r Bitset,
    next: usize,
    combination: u64,
    word: u64,
    /// The digits of the combination, from the smallest stride on; empty before the first state.
    digits: Vec<u64>,
}

impl Walk<'_> {
    /// Moves to a state, so that [`Self::next`] returns it.
    #[inline]
    pub(crate) fn seek(&mut self, number: usize) {
        if number != self.next {
            self.next = number;
            self.digits.clear();
        }
    }

    /// Advances to the next state, and returns its combination and its packed word.
    #[inline]
    pub(crate) fn next(&mut self) -> (u64, u64) {
        if self.digits.is_empty() {
            self.combination = self.bitset.select(self.next);
            self.read_digits();
        } else {
            let gap = self.gap();
            self.combination += gap;
            if gap < 16 { (0..gap).for_each(|_| self.count_up()) } else { self.read_digits() }
        }
        self.next += 1;
        (self.combination, self.word)
    }

    /// The distance from the current combination to the next state's.
    #[inline]
    fn gap(&self) -> u64 {
        let after = self.combination + 1;
        let mut word = (after / 64) as usize;
        let mut bits = self.bitset.bits[word] >> (after % 64) << (after % 64);
        while bits == 0 {
            word += 1;
            bits = self.bitset.bits[word];
        }
        word as u64 * 64 + u64::from(bits.trailing_zeros()) - self.combination
    }

    fn read_digits(&mut self) {
        let digits = self.bitset.product.digits.iter();
        self.digits = digits.map(|digit| self.combination / digit.stride % digit.count).collect();
        self.word = self.bitset.product.word(self.combination);
    }

    #[inline]
    fn count_up(&mut self) {
        for (value, digit) in self.digits.iter_mut().zip(&self.bitset.product.digits) {
            *value += 1;
            self.word = self.word.wrapping_add(digit.unit);
            if *value < digit.count {
                return;
            }
            *value = 0;
            self.word = self.word.wrapping_sub(digit.unit * digit.count);
        }
    }
}
