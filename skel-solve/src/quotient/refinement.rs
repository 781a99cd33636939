//! Finds the coarsest ordinary lumping that refines a partition, in `O(m log n)` for `m` transitions of `n`
//! states.
//!
//! A partition is a lumping if the states of each block have the same rate into each block. As long as it is
//! not, some block is a *splitter*: the states of another block have different rates into it, and that block
//! is split accordingly. The rate from a state into its own block is defined as minus the sum of all others,
//! as in the generator `Q`, whose rows sum to 0. Then the rates into all but one of the parts of a former
//! splitter determine the rate into the remaining one, and the largest part need not be used as a splitter.
//! So a state is in a splitter at most `log n` times. The result is coarser than any other lumping that
//! refines the first partition: the states of a block of such a lumping have the same rates into each union
//! of its blocks, so they are never separated.
//!
//! S. Derisavi, H. Hermanns, W. H. Sanders, Optimal state-space lumping in Markov chains, Information
//! Processing Letters 87 (2003), keep the states of a block that is split in a splay tree. A. Valmari, G.
//! Franceschinis, Simple O(m log n) time Markov chain lumping, TACAS 2010, sort them. This is the second
//! algorithm.

use crate::error::{Error, Reached, Stopped};
use crate::limits::BETWEEN_LOOKS;
use crate::limits::{Progress, Watch};
use crate::quotient::partition::Partition;

/// The type of rates in sums. The default value is zero.
pub(super) trait Weight: Copy + Default + Ord {
    fn plus(self, other: Self) -> Self;
}

/// A chain as the transitions into its states. No transition leads from a state to itself.
pub(super) struct TransposedChain<W> {
    /// The transitions into state `i` are `transitions[offsets[i]..offsets[i + 1]]`.
    pub(super) offsets: Vec<usize>,
    /// For each transition its source, and the number of its rate.
    pub(super) transitions: Vec<(u32, u32)>,
    /// The rates, by number.
    pub(super) weights: Vec<W>,
    /// For each state the diagonal entry of the generator: minus its exit rate.
    pub(super) diagonal: Vec<W>,
}

struct Refinement<'c, W> {
    chain: &'c TransposedChain<W>,
    partition: Partition,
    /// For each state the rate into the current splitter; 0 between two splitters.
    sums: Vec<W>,
    /// The first ones, as many as were counted, are the states whose sum was not 0 at some time. A state may
    /// occur more than once.
    touched: Vec<u32>,
    count: usize,
    /// The blocks that are still to be used as splitters, and for each block whether it is one of them.
    waiting: Vec<u32>,
    is_waiting: Vec<bool>,
}

/// Refines a partition into `count` classes until it is a lumping.
pub(super) fn refine<W: Weight>(
    chain: &TransposedChain<W>,
    classes: Vec<u32>,
    count: usize,
    watch: &mut Watch<'_>,
) -> Result<Partition, Error> {
    let states = classes.len();
    let partition = Partition::new(&classes, count);
    drop(classes);
    let mut refinement = Refinement {
        chain,
        partition,
        sums: vec![W::default(); states],
        touched: vec![0; states],
        count: 0,
        waiting: Vec::new(),
        is_waiting: vec![false; count],
    };
    // The rates into all states together are 0, so the largest class is not needed as a splitter either.
    refinement.enlist_all_but_largest(0, 0..count as u32);
    while let Some(splitter) = refinement.waiting.pop() {
        refinement.is_waiting[splitter as usize] = false;
        refinement.find_rates_into(splitter, watch)?;
        refinement.split_blocks();
    }
    Ok(refinement.partition)
}

impl<W: Weight> Refinement<'_, W> {
    fn find_rates_into(&mut self, splitter: u32, watch: &mut Watch<'_>) -> Result<(), Error> {
        let Refinement { chain, partition, sums, touched, count, .. } = self;
        // Most sums come from far away in memory. No branch depends on them, so that many are waited for at
        // once.
        let mut add = |state: u32, rate: W| {
            let sum = &mut sums[state as usize];
            if *count == touched.len() {
                touched.resize(2 * touched.len(), 0);
            }
            touched[*count] = state;
            *count += usize::from(*sum == W::default());
            *sum = sum.plus(rate);
        };
        for (at, &member) in partition.members(splitter).iter().enumerate() {
            if at.is_multiple_of(BETWEEN_LOOKS) {
                check_limits(watch, partition.count(), chain.diagonal.len())?;
            }
            add(member, chain.diagonal[member as usize]);
            let into = chain.offsets[member as usize]..chain.offsets[member as usize + 1];
            for &(source, rate) in &chain.transitions[into] {
                add(source, chain.weights[rate as usize]);
            }
        }
        Ok(())
    }

    /// Splits each block by the rates of its states into the splitter.
    fn split_blocks(&mut self) {
        let mut parted = Vec::new();
        let touched = 0..std::mem::take(&mut self.count);
        for &state in &self.touched[touched.clone()] {
            if self.sums[state as usize] != W::default() {
                parted.extend(self.partition.mark(state));
            }
        }
        for block in parted {
            let before = self.partition.count() as u32;
            self.partition.split(block, &self.sums);
            let new = before..self.partition.count() as u32;
            self.is_waiting.resize(self.partition.count(), false);
            if self.is_waiting[block as usize] {
                new.for_each(|part| self.enlist(part));
            } else {
                self.enlist_all_but_largest(block, new);
            }
        }
        self.touched[touched].iter().for_each(|&state| self.sums[state as usize] = W::default());
    }

    fn enlist(&mut self, block: u32) {
        self.is_waiting[block as usize] = true;
        self.waiting.push(block);
    }

    fn enlist_all_but_largest(&mut self, block: u32, others: std::ops::Range<u32>) {
        let mut largest = block;
        for other in others.filter(|&other| other != block) {
            let larger = self.partition.size(other) > self.partition.size(largest);
            self.enlist(if larger { std::mem::replace(&mut largest, other) } else { other });
        }
    }
}

/// Watches the limits while states are parted.
#[cfg_attr(test, track_caller)]
pub(super) fn check_limits(watch: &mut Watch<'_>, blocks: usize, states: usize) -> Result<(), Error> {
    let (blocks, states) = (blocks as u64, states as u64);
    let stopped = |limit| Error::Stopped(Stopped { limit, reached: Reached::Refining { blocks, states } });
    watch.check(|| Progress::Refining { blocks, states }).map_err(stopped)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Weight for i64 {
        fn plus(self, other: i64) -> i64 {
            self + other
        }
    }

    /// Rates between states. The entries on the diagonal are not used.
    type Rates = Vec<Vec<u32>>;

    fn next(seed: &mut u64, bound: u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) % bound
    }

    fn transposed(rates: &Rates) -> TransposedChain<i64> {
        let states = rates.len();
        let (mut offsets, mut transitions) = (vec![0], Vec::new());
        for target in 0..states {
            let rates_into = rates.iter().map(|row| row[target]).enumerate();
            let sources = rates_into.filter(|&(source, rate)| source != target && rate > 0);
            transitions.extend(sources.map(|(source, rate)| (source as u32, rate)));
            offsets.push(transitions.len());
        }
        let exit =
            |state: usize| (0..states).filter(|&to| to != state).map(|to| rates[state][to]).sum::<u32>();
        let diagonal = (0..states).map(|state| -i64::from(exit(state))).collect();
        TransposedChain { offsets, transitions, weights: (0..100).collect(), diagonal }
    }

    fn refined(rates: &Rates, classes: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let count = classes.iter().max().unwrap() + 1;
        let limits = crate::Limits::default();
        let mut watch = Watch::start(&limits);
        refine(&transposed(rates), classes.to_vec(), count as usize, &mut watch).unwrap().numbered()
    }

    /// Splits blocks by the rates of their states into all other blocks until nothing changes.
    fn refined_naively(rates: &Rates, classes: &[u32]) -> Vec<u32> {
        let mut of = classes.to_vec();
        loop {
            let mut known: Vec<(u32, Vec<u32>)> = Vec::new();
            let refined: Vec<u32> = (0..of.len())
                .map(|state| {
                    let mut into = vec![0; of.len()];
                    for (target, &block) in of.iter().enumerate().filter(|&(_, &block)| block != of[state]) {
                        into[block as usize] += rates[state][target];
                    }
                    let key = (of[state], into);
                    let at = known.iter().position(|other| *other == key);
                    at.unwrap_or_else(|| {
                        known.push(key);
                        known.len() - 1
                    }) as u32
                })
                .collect();
            if refined == of {
                return of;
            }
            of = refined;
        }
    }

    /// A chain of a few states, each replaced by several copies. The rate into the copies of a state is
    /// divided among them at random.
    fn blown_up(seed: &mut u64) -> (Rates, Vec<u32>) {
        let few = 1 + next(seed, 9) as usize;
        let original: Vec<usize> = (0..few + next(seed, 14) as usize).map(|state| state % few).collect();
        let small: Rates =
            (0..few).map(|_| (0..few).map(|_| [0, 0, 0, 1, 2][next(seed, 5) as usize]).collect()).collect();
        let mut rates = vec![vec![0; original.len()]; original.len()];
        for (state, row) in rates.iter_mut().enumerate() {
            for (target, &rate) in small[original[state]].iter().enumerate() {
                for _ in 0..rate {
                    let copies: Vec<usize> =
                        (0..original.len()).filter(|&at| original[at] == target).collect();
                    row[copies[next(seed, copies.len() as u64) as usize]] += 1;
                }
            }
        }
        let classes = 1 + next(seed, 4) as usize;
        let mut classes: Vec<u32> = original.iter().map(|&state| (state % classes) as u32).collect();
        if next(seed, 4) == 0 {
            let odd = next(seed, classes.len() as u64) as usize;
            classes[odd] = classes.iter().max().unwrap() + 1;
            // Every class needs a state.
            let used: Vec<u32> = (0..=classes[odd]).filter(|class| classes.contains(class)).collect();
            classes
                .iter_mut()
                .for_each(|class| *class = used.iter().position(|other| other == class).unwrap() as u32);
        }
        (rates, classes)
    }

    #[test]
    fn it_is_the_coarsest_lumping_and_its_quotient_is_its_own() {
        let mut lumped = 0;
        for seed in 0..3_000 {
            let (rates, classes) = blown_up(&mut (seed + 1));
            let (of, firsts) = refined(&rates, &classes);
            assert_eq!(of, refined_naively(&rates, &classes), "{rates:?} {classes:?}");
            lumped += usize::from(firsts.len() < of.len());
            let quotient: Rates = firsts
                .iter()
                .map(|&first| {
                    let mut row = vec![0; firsts.len()];
                    rates[first as usize]
                        .iter()
                        .zip(&of)
                        .for_each(|(rate, &block)| row[block as usize] += rate);
                    row
                })
                .collect();
            let kept: Vec<u32> = firsts.iter().map(|&first| classes[first as usize]).collect();
            assert_eq!(refined(&quotient, &kept).1.len(), firsts.len(), "{rates:?} {classes:?}");
        }
        assert!((500..2_900).contains(&lumped), "{lumped}");
    }

    #[test]
    fn a_chain_without_equals_stays_as_it_is() {
        let birth_death: Rates = (0..50_usize)
            .map(|state| {
                (0..50_usize).map(|to| u32::from(state.abs_diff(to) == 1) * (1 + to as u32)).collect()
            })
            .collect();
        let classes: Vec<u32> = (0..50).map(|state| u32::from(state == 49)).collect();
        assert_eq!(refined(&birth_death, &classes).1.len(), 50);
        assert_eq!(refined(&birth_death, &[0; 50]).1.len(), 1);
    }
}
