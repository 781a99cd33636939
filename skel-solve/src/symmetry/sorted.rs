//! Groups of interchangeable blocks, which a canonical state has in ascending order.
//!
//! A block is a list of fields, and blocks are compared field by field. Where the fields of a block have 64
//! bits together at most, as those of nearly all groups have, a block is read as one number, and numbers are
//! sorted. A transition changes few blocks of a canonical state, so groups that it leaves alone are passed
//! over. In others each changed block is moved to its new place. It passes over blocks that are equal to one
//! another in one step, so that the time does not grow with the size of the group, but with the number of
//! different blocks.
//!
//! An exploration spends much of its time here. So the loops are written out: in debug builds an iterator
//! costs several times what it is used for.

use crate::state::layout::Field;
use crate::symmetry::arrangements::Arrangements;

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
    /// For each bit of a state's words the block that it belongs to, if any.
    block_of: Vec<u32>,
}

/// The most blocks that are moved one by one.
const FEW_CHANGES: usize = 4;

impl SortedGroup {
    /// A group of blocks with corresponding fields.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(blocks: &[Vec<Field>], words: usize) -> Self {
        let fields = blocks.concat();
        let bits: Vec<u32> = blocks[0].iter().map(|field| field.bits()).collect();
        let is_narrow = bits.iter().sum::<u32>() <= u64::BITS;
        let mut mask = vec![0; words];
        fields.iter().for_each(|field| field.set(&mut mask, u32::MAX));
        let mut block_of = vec![0; words * u64::BITS as usize];
        for (number, block) in blocks.iter().enumerate() {
            let mut own = vec![0; words];
            block.iter().for_each(|field| field.set(&mut own, u32::MAX));
            for_each_bit(&own, |bit| block_of[bit] = number as u32);
        }
        SortedGroup { fields, bits, is_narrow, mask, block_of }
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
        if self.differs(before, state) && !(self.is_narrow && self.move_changed(before, state)) {
            self.sort(state, buffer);
        }
    }

    /// Moves the blocks that differ to their new places, if they are few.
    fn move_changed(&self, before: &[u64], state: &mut [u64]) -> bool {
        let mut changed = [(0, 0, 0); FEW_CHANGES];
        let (mut count, mut last, mut word) = (0, u32::MAX, 0);
        while word < self.mask.len() {
            let mut differing = (before[word] ^ state[word]) & self.mask[word];
            while differing != 0 {
                let block = self.block_of[word * 64 + differing.trailing_zeros() as usize];
                differing &= differing - 1;
                if block == last || changed[..count].iter().any(|&(known, _, _)| known == block) {
                    continue;
                }
                if count == FEW_CHANGES {
                    return false;
                }
                last = block;
                changed[count] = (block, self.key(before, block as usize), self.key(state, block as usize));
                count += 1;
            }
            word += 1;
        }
        // The canonical state depends only on how often each block occurs. So the blocks become as before,
        // and then one after the other is replaced.
        for &(block, old, _) in &changed[..count] {
            self.write_key(state, block as usize, old);
        }
        for &(_, old, new) in &changed[..count] {
            self.replace(state, old, new);
        }
        true
    }

    /// Replaces one of the blocks with a key, which are in order, by one with another key.
    fn replace(&self, state: &mut [u64], old: u64, new: u64) {
        let count = self.fields.len() / self.bits.len();
        if new > old {
            // The last of them, which leaves a gap. Blocks behind it move to the front, one for each run of
            // equal ones.
            let mut gap = self.first_above(state, old, (0, count)) - 1;
            while gap + 1 < count && self.key(state, gap + 1) < new {
                let key = self.key(state, gap + 1);
                self.write_key(state, gap, key);
                gap = self.first_above(state, key, (gap + 1, count)) - 1;
            }
            self.write_key(state, gap, new);
        } else if new < old {
            let first_of = |state: &[u64], key: u64, end: usize| match key.checked_sub(1) {
                Some(below) => self.first_above(state, below, (0, end)),
                None => 0,
            };
            let mut gap = first_of(state, old, count);
            while gap > 0 && self.key(state, gap - 1) > new {
                let key = self.key(state, gap - 1);
                self.write_key(state, gap, key);
                gap = first_of(state, key, gap);
            }
            self.write_key(state, gap, new);
        }
    }

    /// The first block in a range with a larger key than this, or the end of the range. The blocks are in
    /// order.
    fn first_above(&self, state: &[u64], key: u64, (mut start, mut end): (usize, usize)) -> usize {
        while start < end {
            let middle = start + (end - start) / 2;
            match self.key(state, middle) > key {
                true => end = middle,
                false => start = middle + 1,
            }
        }
        start
    }

    /// A block as one number.
    #[inline]
    fn key(&self, state: &[u64], block: usize) -> u64 {
        let (fields, bits) = (&self.fields[..], &self.bits[..]);
        let (mut key, mut field) = (0, 0);
        while field < bits.len() {
            key = (key << bits[field]) | u64::from(fields[block * bits.len() + field].get(state));
            field += 1;
        }
        key
    }

    fn write_key(&self, state: &mut [u64], block: usize, mut key: u64) {
        let (fields, bits) = (&self.fields[..], &self.bits[..]);
        let mut field = bits.len();
        while field > 0 {
            field -= 1;
            fields[block * bits.len() + field].set(state, (key & ((1 << bits[field]) - 1)) as u32);
            key >>= bits[field];
        }
    }

    /// The number of ways in which the sorted blocks of a state can be arranged; `None` if it exceeds 128
    /// bits.
    pub(super) fn arrangements(&self, state: &[u64], buffer: &mut SortBuffer) -> Option<u128> {
        buffer.read(state, self);
        buffer.arrangements()
    }

    /// Reads each block as one number. Returns whether they are in order.
    fn read_keys(&self, state: &[u64], keys: &mut Vec<u64>) -> bool {
        keys.resize(self.fields.len() / self.bits.len(), 0);
        let keys = &mut keys[..];
        let (mut is_sorted, mut last, mut block) = (true, 0, 0);
        while block < keys.len() {
            let key = self.key(state, block);
            is_sorted &= last <= key;
            last = key;
            keys[block] = key;
            block += 1;
        }
        is_sorted
    }

    /// Writes some of the blocks.
    fn write_keys(&self, state: &mut [u64], keys: &[u64], (first, end): (usize, usize)) {
        let mut block = first;
        while block < end {
            self.write_key(state, block, keys[block]);
            block += 1;
        }
    }
}

/// Calls a function with the number of each bit that is set.
fn for_each_bit(words: &[u64], mut found: impl FnMut(usize)) {
    for (at, &word) in words.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            found(at * u64::BITS as usize + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// Sorts numbers, by insertion as long as few are out of order. Returns the range in which numbers were
/// moved.
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

#[cfg(test)]
mod tests {
    use super::{SortBuffer, SortedGroup};
    use crate::state::layout::Field;

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
            narrow.sort_after(&sorted, &mut one, &mut SortBuffer::default());
            assert_eq!(one, sorted);
            for at in [0, 5, 11] {
                let (mut one, mut other) = (sorted, sorted);
                fields[at].set(&mut one, shift);
                fields[at].set(&mut other, shift);
                narrow.sort_after(&sorted, &mut one, &mut SortBuffer::default());
                wide.sort_after(&sorted, &mut other, &mut SortBuffer::default());
                assert_eq!(one, other);
            }
        }
    }

    #[test]
    fn changed_blocks_come_to_their_places() {
        // Thirty blocks of two fields, whose bits are in no order, and a field of another part in each word.
        let blocks: Vec<Vec<Field>> = (0..30)
            .map(|at| {
                vec![Field::of_bits(at / 10, at % 10 * 6, 2), Field::of_bits(at / 10, at % 10 * 6 + 2, 3)]
            })
            .collect();
        let group = SortedGroup::new(&blocks, 3);
        let mut seed = 1_u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut buffer = SortBuffer::default();
        for _ in 0..20_000 {
            let mut state = [next(1 << 31), next(1 << 31), next(1 << 31)].map(|half| half | (half << 30));
            if next(2) == 0 {
                // Few different blocks.
                state = state.map(|word| word & 0o0101_0101_0101_0101_0101);
            }
            group.sort(&mut state, &mut buffer);
            let before = state;
            for _ in 0..1 + next(6) {
                let block = &blocks[next(30) as usize];
                block[next(2) as usize].set(&mut state, next(8) as u32);
            }
            let mut expected = state;
            group.sort(&mut expected, &mut buffer);
            group.sort_after(&before, &mut state, &mut buffer);
            assert_eq!(state, expected, "{before:?}");
        }
    }
}
