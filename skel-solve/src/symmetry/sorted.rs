//! Groups of interchangeable blocks, which a canonical state has in ascending order.
//!
//! A block is a list of fields, and blocks are compared field by field. Where the fields of a block have 64 bits together at most,
//! as those of nearly all groups have, a block is read as one number, and numbers are sorted. A transition changes few blocks of a
//! canonical state, so groups that it leaves alone are passed over, and others are nearly in order.
//!
//! An exploration spends much of its time here. So the loops are written out: in debug builds an iterator costs several times what
//! it is used for.

use crate::state::layout::Field;

/// A group of interchangeable blocks.
#[derive(Clone, Debug)]
pub(crate) struct SortedGroup {
    /// The fields of all blocks, one block after the other, in corresponding order.
    fields: Vec<Field>,
    /// The bits of each field of a block.
    bits: Vec<u32>,
    /// Whether a block fits into 64 bits.
    is_narrow: bool,
    /// For each word of a state the bits that belong to the group.
    mask: Vec<u64>,
}

impl SortedGroup {
    /// A group of blocks with corresponding fields.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(blocks: &[Vec<Field>], words: usize) -> Self {
        let fields = blocks.concat();
        let bits: Vec<u32> = blocks[0].iter().map(|field| field.bits()).collect();
        let is_narrow = bits.iter().sum::<u32>() <= u64::BITS;
        let mut mask = vec![0; words];
        fields.iter().for_each(|field| field.set(&mut mask, u32::MAX));
        SortedGroup { fields, bits, is_narrow, mask }
    }

    /// Whether two states differ in the group.
    fn differs(&self, one: &[u64], other: &[u64]) -> bool {
        let mask = &self.mask[..];
        let mut word = 0;
        while word < mask.len() {
            if (one[word] ^ other[word]) & mask[word] != 0 {
                return true;
            }
            word += 1;
        }
        false
    }

    /// Brings the blocks of a state into order.
    pub(super) fn sort(&self, state: &mut [u64], buffer: &mut SortBuffer) {
        match self.is_narrow {
            true if self.read_keys(state, &mut buffer.keys) => {}
            true => {
                let moved = sort_nearly_sorted(&mut buffer.keys);
                self.write_keys(state, &buffer.keys, moved);
            }
            false => {
                buffer.read(state, self);
                if buffer.sort() {
                    buffer.write(state, self);
                }
            }
        }
    }

    /// As [`Self::sort`], for a state that was reached from one in which the blocks are in order.
    #[inline]
    pub(super) fn sort_after(&self, before: &[u64], state: &mut [u64], buffer: &mut SortBuffer) {
        if self.differs(before, state) {
            self.sort(state, buffer);
        }
    }

    /// The number of ways in which the sorted blocks of a state can be arranged; `None` if it exceeds 128 bits.
    pub(super) fn arrangements(&self, state: &[u64], buffer: &mut SortBuffer) -> Option<u128> {
        buffer.read(state, self);
        buffer.arrangements()
    }

    /// Reads each block as one number. Returns whether they are in order.
    fn read_keys(&self, state: &[u64], keys: &mut Vec<u64>) -> bool {
        let (fields, bits) = (&self.fields[..], &self.bits[..]);
        keys.resize(fields.len() / bits.len(), 0);
        let keys = &mut keys[..];
        let (mut is_sorted, mut last, mut at, mut block) = (true, 0, 0, 0);
        while block < keys.len() {
            let (mut key, mut field) = (0, 0);
            while field < bits.len() {
                key = (key << bits[field]) | u64::from(fields[at].get(state));
                field += 1;
                at += 1;
            }
            is_sorted &= last <= key;
            last = key;
            keys[block] = key;
            block += 1;
        }
        is_sorted
    }

    /// Writes some of the blocks.
    fn write_keys(&self, state: &mut [u64], keys: &[u64], (first, end): (usize, usize)) {
        let (fields, bits) = (&self.fields[..], &self.bits[..]);
        let mut block = first;
        while block < end {
            let mut key = keys[block];
            let mut field = bits.len();
            while field > 0 {
                field -= 1;
                fields[block * bits.len() + field].set(state, (key & ((1 << bits[field]) - 1)) as u32);
                key >>= bits[field];
            }
            block += 1;
        }
    }
}

/// Sorts numbers, by insertion as long as few are out of order. Returns the range in which numbers were moved.
fn sort_nearly_sorted(keys: &mut [u64]) -> (usize, usize) {
    const MOST_STEPS: usize = 256;
    let (mut first, mut end) = (keys.len(), 0);
    let (mut steps, mut next) = (0, 1);
    while next < keys.len() {
        let key = keys[next];
        let mut at = next;
        while at > 0 && keys[at - 1] > key {
            keys[at] = keys[at - 1];
            at -= 1;
            steps += 1;
        }
        if at < next {
            keys[at] = key;
            first = if at < first { at } else { first };
            end = next + 1;
        }
        if steps > MOST_STEPS {
            keys.sort_unstable();
            return (0, keys.len());
        }
        next += 1;
    }
    (first, end)
}

/// The values of the fields of a group's blocks, in memory that is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct SortBuffer {
    keys: Vec<u64>,
    width: usize,
    values: Vec<u32>,
    order: Vec<u32>,
}

impl SortBuffer {
    fn read(&mut self, state: &[u64], group: &SortedGroup) {
        self.width = group.bits.len();
        self.values.clear();
        self.values.extend(group.fields.iter().map(|field| field.get(state)));
    }

    fn block(&self, number: u32) -> &[u32] {
        &self.values[number as usize * self.width..(number as usize + 1) * self.width]
    }

    fn count(&self) -> u32 {
        (self.values.len() / self.width) as u32
    }

    /// Sorts the blocks; returns `false` if they are sorted already.
    fn sort(&mut self) -> bool {
        let count = self.count();
        if (1..count).all(|at| self.block(at - 1) <= self.block(at)) {
            return false;
        }
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..count);
        order.sort_by(|&left, &right| self.block(left).cmp(self.block(right)));
        self.order = order;
        true
    }

    fn write(&self, state: &mut [u64], group: &SortedGroup) {
        for (fields, &from) in group.fields.chunks_exact(self.width).zip(&self.order) {
            for (field, &value) in fields.iter().zip(self.block(from)) {
                field.set(state, value);
            }
        }
    }

    /// The number of ways in which the sorted blocks can be arranged.
    fn arrangements(&self) -> Option<u128> {
        let mut arrangements = Arrangements::default();
        let mut run = 0;
        for at in 0..self.count() {
            run += 1;
            if at + 1 == self.count() || self.block(at) != self.block(at + 1) {
                arrangements.add(run);
                run = 0;
            }
        }
        arrangements.ways
    }
}

/// Counts the arrangements of items of several kinds, a multinomial coefficient; `None` if it exceeds 128 bits.
pub(super) struct Arrangements {
    things: u32,
    pub(super) ways: Option<u128>,
}

impl Default for Arrangements {
    fn default() -> Self {
        Arrangements { things: 0, ways: Some(1) }
    }
}

impl Arrangements {
    /// Adds `count` items of a new kind, and multiplies by the number of ways to choose their places among all items.
    pub(super) fn add(&mut self, count: u32) {
        let before = self.things;
        self.things += count;
        // Choosing their places amounts to choosing the places of the others, which may be fewer.
        for chosen in 1..=count.min(before) {
            // This is a binomial coefficient, computed one factor at a time; every intermediate value is an integer.
            let factor = self.things - count.min(before) + chosen;
            self.ways = self.ways.and_then(|ways| of_factor(ways, factor, chosen));
        }
    }
}

/// Returns `ways * factor / divisor`. It divides in 64 bits where that suffices, which is several times as fast.
fn of_factor(ways: u128, factor: u32, divisor: u32) -> Option<u128> {
    let product = ways.checked_mul(u128::from(factor))?;
    Some(match u64::try_from(product) {
        Ok(product) => u128::from(product / u64::from(divisor)),
        Err(_) => product / u128::from(divisor),
    })
}

#[cfg(test)]
mod tests {
    use super::{Arrangements, SortBuffer, SortedGroup};
    use crate::state::layout::Field;

    fn ways(counts: &[u32]) -> Option<u128> {
        let mut arrangements = Arrangements::default();
        counts.iter().for_each(|&count| arrangements.add(count));
        arrangements.ways
    }

    #[test]
    fn arrangements_are_counted_in_any_order_and_refused_beyond_128_bits() {
        assert_eq!(ways(&[]), Some(1));
        assert_eq!(ways(&[1000]), Some(1));
        assert_eq!(ways(&[2, 0, 3, 1]), Some(60));
        for counts in [[3, 2, 1], [1, 3, 2], [2, 1, 3]] {
            assert_eq!(ways(&counts), Some(60));
        }
        // 70! / (35! 35!)
        assert_eq!(ways(&[35, 35]), Some(112_186_277_816_662_845_432));
        assert_eq!(ways(&[1, 1000]), ways(&[1000, 1]));
        assert_eq!(ways(&[500, 500]), None);
    }

    #[test]
    fn numbers_are_sorted_whatever_their_order() {
        let mut state = 1_u64;
        for count in [0, 1, 2, 14, 200] {
            let mut keys: Vec<u64> = Vec::new();
            for _ in 0..count {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                keys.push(state >> 58);
            }
            let mut expected = keys.clone();
            expected.sort_unstable();
            super::sort_nearly_sorted(&mut keys);
            assert_eq!(keys, expected);
            keys.reverse();
            super::sort_nearly_sorted(&mut keys);
            assert_eq!(keys, expected);
        }
    }

    #[test]
    fn narrow_and_wide_blocks_come_into_the_same_order() {
        let fields: Vec<Field> = (0..12).map(|at| Field::of_bits(at / 8, at % 8 * 8, 8)).collect();
        let blocks: Vec<Vec<Field>> = fields.chunks(3).map(<[Field]>::to_vec).collect();
        let narrow = SortedGroup::new(&blocks, 2);
        let wide = SortedGroup { is_narrow: false, ..narrow.clone() };
        for shift in 0..32 {
            let before = [0x0302_0109_0802_0101_u64.rotate_left(shift), 0x0101_0203 << (shift % 8)];
            let (mut one, mut other) = (before, before);
            narrow.sort(&mut one, &mut SortBuffer::default());
            wide.sort(&mut other, &mut SortBuffer::default());
            assert_eq!(one, other);
            let sorted = one;
            narrow.sort_after(&before, &mut one, &mut SortBuffer::default());
            assert_eq!(one, sorted);
        }
    }
}
