//! The rates of a space stored as a [bitset](crate::space::bitset) in the form of a sum of Kronecker
//! products, so that no matrix has to be stored.
//!
//! The slots are divided into *low* ones, with some thousand combinations, and *high* ones. A combination
//! then consists of a block, its high part, and a place in the block, its low part. A transition requires
//! something of the high part, may lead to another block, and acts on the low part in the same way in all
//! blocks. So the matrix is a sum of *terms*. Each is a condition on the block times a small sparse matrix,
//! or times the identity where only high slots move: `Q = sum of High(k) (x) Low(k)`, as for stochastic
//! automata networks (B. Plateau, J.-M. Fourneau, J. Parallel and Distributed Computing 12 (1991)).
//!
//! Nothing is stored for a state or a transition. Products read the blocks from one end to the other, which
//! is the fastest way to read memory, and the small matrices stay in the cache.

use std::cmp::Reverse;
use std::ops::Range;

use skel_core::model::ActionId;

use super::diagonals::Diagonals;
use super::sparse::Sparse;
use super::substitution::Substitution;
use crate::sorted_list::entry;
use crate::space::bitset::Product;
use crate::space::{Bitset, StateSpace};
use crate::transition::compile::Compiled;

/// The largest number of combinations of the low slots, unless the first slot alone has more. Vectors of this
/// length stay in the cache.
pub(crate) const MOST_LOW: u64 = 8192;

/// The largest number of entries of all small matrices together.
const MOST_ENTRIES: u64 = 1 << 22;

/// The least length of the tiles of a [`Substitution`], of which one takes as long as a few runs.
const LEAST_TILE: u64 = 8;

/// The largest number of bytes of an entry, which is in lists that double their capacity and then in sorted
/// form, as rows and by diagonals; and the bytes of an activity in one combination, expressed as a number of
/// entries.
const PER_ENTRY: u64 = 112;
const PER_ACTIVITY: u64 = 8;

/// The rates of all combinations, as a sum of terms.
pub(crate) struct Descriptor {
    /// The number of combinations in a block.
    pub(crate) low: usize,
    /// The number of blocks.
    pub(crate) blocks: usize,
    /// For each high slot its stride, in blocks, and its number of local states.
    high: Vec<(u64, u64)>,
    /// The transitions that are possible within every block.
    pub(crate) within: Sparse,
    /// The entries of `within` from smaller sources.
    pub(super) earlier: Option<Substitution>,
    /// The entries of `within` from larger sources.
    pub(super) later: Diagonals,
    pub(crate) terms: Vec<Term>,
    /// The rates at which the states enable each action.
    pub(crate) enabled: Vec<Enabled>,
    /// An upper bound on the bytes that the descriptor takes, and took while it was made.
    pub(crate) bytes: u64,
}

/// The rate of an action in the blocks that have certain digits.
pub(crate) struct Enabled {
    pub(crate) action: ActionId,
    digits: Vec<(u32, u32)>,
    pub(crate) low: LowRates,
}

/// Rates for the places of a block.
pub(crate) enum LowRates {
    /// One rate for all places.
    Same(f64),
    /// Rates at some places.
    At(Vec<(u32, f64)>),
}

/// Transitions into the blocks that have certain digits.
pub(crate) struct Term {
    /// High slots, each with the digit that the block must have.
    digits: Vec<(u32, u32)>,
    /// The difference between the target's block and the source's block.
    jump: i64,
    pub(crate) low: LowFactor,
}

/// The factor of a term for the low part.
pub(crate) enum LowFactor {
    /// The identity times a rate.
    Identity(f64),
    Matrix(Sparse),
}

/// A term while its entries are being collected.
#[derive(Default)]
struct Collected {
    same: f64,
    entries: Vec<(u32, u32, f64)>,
}

/// High slots, each with a digit.
type Digits = Vec<(u32, u32)>;

impl Descriptor {
    /// The descriptor of a model whose programs all have tables, with at most `most_low` combinations in a
    /// block. `None` if it would take more than `most_bytes`.
    pub(crate) fn of(
        compiled: &Compiled<f64>,
        product: &Product,
        most_low: u64,
        most_bytes: u64,
    ) -> Option<Descriptor> {
        let digits = product.strides_and_counts();
        let (low_digits, low) = product.low_digits(most_low);
        let high = digits[low_digits..].iter().map(|&(stride, count)| (stride / low, count)).collect();
        let blocks = (product.combinations() / low) as usize;
        let most = MOST_ENTRIES.min(most_bytes / PER_ENTRY);
        let (terms, enabled) = (Vec::new(), Vec::new());
        // Each triangle has a row for every place.
        let mut collector = Collector { product, low, low_digits, terms, enabled, entries: low, most };
        compiled.for_each_firing(|action, slots, rate| collector.add(action, slots, *rate)).then_some(())?;
        let mut within = Sparse::default();
        let mut terms = Vec::new();
        for ((Reverse(jump), digits), collected) in collector.terms {
            if digits.is_empty() && jump == 0 {
                within = Sparse::from_entries(collected.entries);
                continue;
            }
            if collected.same > 0.0 && jump != 0 {
                terms.push(Term { digits: digits.clone(), jump, low: LowFactor::Identity(collected.same) });
            }
            if !collected.entries.is_empty() {
                let low = LowFactor::Matrix(Sparse::from_entries(collected.entries));
                terms.push(Term { digits, jump, low });
            }
        }
        let enabled = collector.enabled.into_iter().flat_map(|((action, digits), collected)| {
            let at = collected.entries.iter().map(|&(place, _, rate)| (place, rate)).collect::<Vec<_>>();
            let same = (collected.same > 0.0).then_some(LowRates::Same(collected.same));
            let of_places = (!at.is_empty()).then_some(LowRates::At(at));
            let parts = same.into_iter().chain(of_places);
            parts.map(move |low| Enabled { action, digits: digits.clone(), low })
        });
        let enabled = enabled.collect();
        let tile =
            digits[..low_digits].iter().map(|&(stride, _)| stride).find(|&stride| stride >= LEAST_TILE);
        let earlier = Substitution::new(&within.diagonals, low as usize, tile.unwrap_or(low) as usize);
        let later = within.diagonals.later();
        let bytes = collector.entries * PER_ENTRY;
        Some(Descriptor { low: low as usize, blocks, high, within, earlier, later, terms, enabled, bytes })
    }

    /// The descriptor of a space that is stored as a bitset. `None` if fewer than half of the combinations
    /// are states, if the terms are too many, or if it would take more than `most_bytes`.
    pub(crate) fn of_space(space: &StateSpace, most_bytes: u64) -> Option<(&Bitset, Descriptor)> {
        let (bitset, _) = space.bitset()?;
        let is_well_filled = bitset.product().combinations() <= 2 * bitset.states() as u64;
        let found = is_well_filled.then(|| Descriptor::in_blocks(space, MOST_LOW, most_bytes)).flatten();
        found.filter(|(_, terms)| terms.are_few())
    }

    /// Like [`Self::of_space`], but without the conditions on states and terms, and with at most `most`
    /// combinations in a block.
    pub(crate) fn in_blocks(space: &StateSpace, most: u64, most_bytes: u64) -> Option<(&Bitset, Descriptor)> {
        let (bitset, compiled) = space.bitset()?;
        Descriptor::of(compiled, bitset.product(), most, most_bytes).map(|terms| (bitset, terms))
    }

    /// The least rate of a transition to another combination.
    pub(crate) fn least_rate(&self) -> f64 {
        let of_terms = self.terms.iter().map(|term| match &term.low {
            LowFactor::Identity(rate) => *rate,
            LowFactor::Matrix(matrix) => matrix.least_rate(),
        });
        of_terms.fold(self.within.least_rate(), f64::min)
    }

    /// Whether the terms are few enough. Then finding those of a block takes no longer than a pass over its
    /// places.
    pub(crate) fn are_few(&self) -> bool {
        self.terms.len() + self.enabled.len() <= 4 * self.low
    }

    /// Computes the digits of a block.
    fn read_digits(&self, block: usize, digits: &mut Vec<u32>) {
        digits.clear();
        digits.extend(self.high.iter().map(|&(stride, count)| (block as u64 / stride % count) as u32));
    }

    /// Calls `found` with the actions enabled in a block, except for those enabled in every block.
    pub(crate) fn enabled_in<'t>(
        &'t self,
        block: usize,
        digits: &mut Vec<u32>,
        mut found: impl FnMut(&'t Enabled),
    ) {
        self.read_digits(block, digits);
        for enabled in self.enabled.iter().filter(|enabled| !enabled.is_everywhere()) {
            if has_digits(digits, &enabled.digits) {
                found(enabled);
            }
        }
    }

    /// Collects the terms that lead into a block, each with the block of its sources, sorted by that block.
    pub(crate) fn entering<'t>(
        &'t self,
        block: usize,
        digits: &mut Vec<u32>,
        found: &mut Vec<(usize, &'t Term)>,
    ) {
        self.read_digits(block, digits);
        found.clear();
        let terms = self.terms.iter().filter(|term| has_digits(digits, &term.digits));
        // Terms are sorted by descending jumps, so the blocks of their sources ascend.
        found.extend(terms.map(|term| ((block as i64 - term.jump) as usize, term)));
    }
}

impl Enabled {
    /// Whether the action is enabled in every block.
    pub(crate) fn is_everywhere(&self) -> bool {
        self.digits.is_empty()
    }
}

/// Whether a block has certain digits.
fn has_digits(of_block: &[u32], wanted: &[(u32, u32)]) -> bool {
    wanted.iter().all(|&(slot, digit)| of_block[slot as usize] == digit)
}

struct Collector<'p> {
    product: &'p Product,
    low: u64,
    /// The number of low digits.
    low_digits: usize,
    /// The terms, by descending jump, and then by the digits of the target's block. For a few hundred a
    /// sorted list is fast enough.
    terms: Vec<((Reverse<i64>, Digits), Collected)>,
    /// The enabled rates, by action and by the digits of the block. The target of an entry is its source.
    enabled: Vec<((ActionId, Digits), Collected)>,
    entries: u64,
    most: u64,
}

impl Collector<'_> {
    /// Adds an activity in one combination of local states of its slots: each slot, with its local state
    /// before and after. Returns `false` if the terms become too large.
    fn add(&mut self, action: ActionId, slots: &[(u32, u32, u32)], rate: f64) -> bool {
        let (mut before, mut after, mut jump) = (Vec::new(), Vec::new(), 0);
        let mut moves: Vec<LowMove> = Vec::new();
        for &(slot, from, to) in slots {
            let (digit, stride, count) = self.product.digit_of(slot);
            let change = i64::from(to) - i64::from(from);
            if digit < self.low_digits {
                moves.push(LowMove { stride, count, from: u64::from(from), change: change * stride as i64 });
            } else {
                let high = (digit - self.low_digits) as u32;
                before.push((high, from));
                after.push((high, to));
                jump += change * (stride / self.low) as i64;
            }
        }
        before.sort_unstable();
        after.sort_unstable();
        let change: i64 = moves.iter().map(|low| low.change).sum();
        let sources = self.sources(&mut moves);
        self.entries += 2 * sources.len() as u64 + PER_ACTIVITY;
        entry(&mut self.enabled, (action, before)).add(&sources, 0, rate);
        if (jump, change) != (0, 0) {
            entry(&mut self.terms, (Reverse(jump), after)).add(&sources, change, rate);
        }
        self.entries <= self.most
    }

    /// The places from which low slots make such moves, ascending; none where no low slot moves.
    fn sources(&self, moves: &mut [LowMove]) -> Vec<u32> {
        if moves.is_empty() {
            return Vec::new();
        }
        // Places with the same digits above one come one after the other.
        moves.sort_unstable_by_key(|of_slot| Reverse(of_slot.stride));
        let mut runs: Vec<Range<u64>> = std::iter::once(0..self.low).collect();
        for &mut LowMove { stride, count, from, .. } in moves {
            let of_run = |run: Range<u64>| {
                run.step_by((stride * count) as usize).map(move |start| start + from * stride)
            };
            runs = runs.into_iter().flat_map(of_run).map(|start| start..start + stride).collect();
        }
        runs.into_iter().flatten().map(|place| place as u32).collect()
    }
}

impl Collected {
    /// Adds a rate from the given places, or from all places if none are given.
    fn add(&mut self, sources: &[u32], change: i64, rate: f64) {
        if sources.is_empty() {
            self.same += rate;
        }
        let target = |source: u32| (i64::from(source) + change) as u32;
        self.entries.extend(sources.iter().map(|&source| (target(source), source, rate)));
    }
}

/// A low slot that an activity requires to be in some local state, and the amount that its move adds to the
/// low part.
struct LowMove {
    stride: u64,
    count: u64,
    from: u64,
    change: i64,
}
