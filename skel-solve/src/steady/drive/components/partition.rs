//! A partition of the states by the local state of a component.

use std::ops::ControlFlow;

use crate::chain::Generator;
use crate::limits::Watch;
use crate::linear::elimination::{self, Unsolved};
use crate::linear::iteration::Halt;
use crate::operator::TriangularSweep;
use crate::order::Order;
use crate::space::StateSpace;
use crate::state::layout::Field;
use crate::vector::total;

/// No class.
const NONE: u16 = u16::MAX;

/// The most classes. There are also no more than twice the square root of the number of states, so that a
/// round takes no more time than a few sweeps.
const MOST: usize = 1000;

/// The bytes of a rate between classes: where it is summed up, in their chain, and in an elimination.
const OF_RATE: u64 = 8 + 16 + 16;

/// The most values that a field may have room for.
const MOST_VALUES: usize = 1 << 16;

/// States in classes: those in which a component is in the same local state, or in which so many counted
/// copies are in one.
pub(super) struct Partition {
    class_of: Vec<u16>,
    classes: usize,
}

/// Rates of a chain.
#[derive(Clone, Copy)]
pub(super) enum Rates<'r> {
    All(&'r dyn TriangularSweep),
    /// Those into some states.
    Sample(&'r Sample),
}

/// The rates into some states, with their sources.
#[derive(Default)]
pub(super) struct Sample {
    /// States, and where the rates into each end.
    states: Vec<(u32, usize)>,
    sources: Vec<u32>,
    rates: Vec<f64>,
}

impl Sample {
    /// The rates into these states, which are in ascending order.
    pub(super) fn into_states(chain: &dyn TriangularSweep, states: &[u32]) -> Sample {
        let mut sample = Sample::default();
        chain.for_each_rates_into(states, &mut |to, sources, rates| {
            sample.sources.extend_from_slice(sources);
            sample.rates.extend_from_slice(rates);
            sample.states.push((to as u32, sample.rates.len()));
            ControlFlow::Continue(())
        });
        sample
    }
}

impl Rates<'_> {
    /// Calls `visit(j, sources, rates)` with some of the rates into `j`, until all have been seen.
    fn for_each(self, mut visit: impl FnMut(usize, &[u32], &[f64])) {
        match self {
            Rates::All(chain) => chain.for_each_rates_in((0, 1), &mut |to, sources, rates| {
                visit(to, sources, rates);
                ControlFlow::Continue(())
            }),
            Rates::Sample(sample) => {
                let mut start = 0;
                for &(to, end) in &sample.states {
                    visit(to as usize, &sample.sources[start..end], &sample.rates[start..end]);
                    start = end;
                }
            }
        }
    }
}

/// The fields that tell classes: one for each component, and for counted copies one for each of their local
/// states. Of two local states, the second has all copies that the first does not have.
pub(super) fn fields(space: &StateSpace) -> Vec<Field> {
    let of_slots = space.slots().iter().flat_map(|slot| {
        let fields = slot.fields();
        let count = if slot.is_counted() && slot.local_states() == 2 { 1 } else { fields.len() };
        fields.take(count)
    });
    of_slots.map(|field| space.layout().field(field)).collect()
}

/// The bytes of partitions of so many states by so many fields, and of the chain of the classes of one.
pub(super) fn memory(fields: usize, states: usize) -> u64 {
    let of_classes = OF_RATE * (most(states) as u64).pow(2);
    // The second one of a field is that in another order.
    2 * states as u64 * (fields as u64 + 1) + of_classes
}

/// The most classes of so many states.
fn most(states: usize) -> usize {
    MOST.min(2 * states.isqrt())
}

impl Partition {
    /// The partition by a field, if there are some classes and not too many.
    pub(super) fn by(field: Field, space: &StateSpace) -> Option<Partition> {
        let most = most(space.states());
        // A million copies that never move have as many values, and one class.
        let values = 1_usize.checked_shl(field.bits()).filter(|&values| values <= MOST_VALUES)?;
        let mut numbers = vec![NONE; values];
        let mut classes = 0;
        let mut class_of = vec![0; space.states()];
        space.for_each_packed(|state, packed| {
            let number = &mut numbers[field.get(packed) as usize];
            if *number == NONE && classes <= most {
                *number = classes as u16;
                classes += 1;
            }
            class_of[state] = *number;
        });
        (2..=most).contains(&classes).then_some(Partition { class_of, classes })
    }

    /// The same for states in another order.
    pub(super) fn arranged(self, order: Option<&Order>) -> Partition {
        match order {
            Some(order) => Partition { class_of: order.arranged(&self.class_of), ..self },
            None => self,
        }
    }

    /// Splits the probability between the classes as it is in balance by the rates between them, which are
    /// taken from the estimate. What each class has, its states have in the same proportions as before. If
    /// the rates leave some class for no other, nothing is changed. Returns the probability that came to
    /// other classes, if it was done.
    pub(super) fn balance(
        &self,
        rates: Rates<'_>,
        pi: &mut [f64],
        watch: &mut Watch<'_>,
    ) -> Result<Option<f64>, Halt> {
        let mut factors = vec![0.0; self.classes];
        for (value, &class) in pi.iter().zip(&self.class_of) {
            factors[usize::from(class)] += value;
        }
        let generator = self.generator(rates, (pi, &factors));
        let balanced = match elimination::solve(&generator, u64::MAX, u64::MAX, watch) {
            Err(Unsolved::Refused) => return Ok(None),
            solved => solved?,
        };
        let more = factors.iter().zip(&balanced).map(|(before, balanced)| (balanced - before).max(0.0));
        let moved = more.sum();
        factors.iter_mut().zip(&balanced).for_each(|(factor, balanced)| *factor = balanced / *factor);
        if !factors.iter().all(|factor| factor.is_finite()) {
            return Ok(None);
        }
        for (value, &class) in pi.iter_mut().zip(&self.class_of) {
            *value *= factors[usize::from(class)];
        }
        let sum = total(pi);
        pi.iter_mut().for_each(|value| *value /= sum);
        Ok(Some(moved))
    }

    /// The chain of the classes, by an estimate and what it gives to each class.
    fn generator(&self, rates: Rates<'_>, (pi, sums): (&[f64], &[f64])) -> Generator<f64> {
        let classes = self.classes;
        let mut flows = vec![0.0; classes * classes];
        rates.for_each(|to, sources, rates| {
            let start = usize::from(self.class_of[to]) * classes;
            let into = &mut flows[start..start + classes];
            for (&from, rate) in sources.iter().zip(rates) {
                into[usize::from(self.class_of[from as usize])] += rate * pi[from as usize];
            }
        });
        let mut exits = vec![0.0; classes];
        let between = |visit: &mut dyn FnMut(usize, usize, f64)| {
            for (to, flows) in flows.chunks_exact(classes).enumerate() {
                let others = flows.iter().zip(sums).enumerate().filter(|&(from, _)| from != to);
                others
                    .filter(|(_, (flow, _))| **flow > 0.0)
                    .for_each(|(from, (flow, sum))| visit(from, to, flow / sum));
            }
        };
        between(&mut |from, _, rate| exits[from] += rate);
        Generator::of_rates(&exits, between)
    }
}

#[cfg(test)]
mod tests {
    use super::{Partition, Rates, Sample, fields};
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::linear::elimination;
    use crate::operator::RateOperator;
    use crate::operator::assemble::generator;
    use crate::operator::transposed::TransposedRates;
    use crate::order::Order;
    use crate::random_model::random_model;
    use crate::space::{StateSpace, Storage, explored};
    use crate::vector::total;

    /// A random model that comes back to its first state, its chain, and the partitions of its states.
    fn drawn(seed: usize, watch: &mut Watch<'_>) -> Option<(StateSpace, TransposedRates, Vec<Partition>)> {
        let space = explored(&random_model(seed), Storage::Explicit);
        let chain = TransposedRates::by_rows(&space, MemoryBudget::new(&Limits::default()), watch).unwrap();
        if !chain.all_lead_to_the_first(watch).unwrap() {
            return None;
        }
        let partitions = fields(&space).into_iter().filter_map(|field| Partition::by(field, &space));
        let partitions = partitions.collect();
        Some((space, chain, partitions))
    }

    fn assert_close(found: &[f64], right: &[f64]) {
        for (found, right) in found.iter().zip(right) {
            assert!((found - right).abs() <= 1e-10 * right, "{found} for {right}");
        }
    }

    /// The classes of a solution are in balance, so it stays as it is. If all states of each class are wrong
    /// by the same factor, it is found at once.
    #[test]
    fn what_is_wrong_by_class_is_mended_at_once() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let mut count = 0;
        for seed in 0..60 {
            let Some((_, chain, partitions)) = drawn(seed, &mut watch) else { continue };
            let right = elimination::of_small(&generator(&chain, &mut watch).unwrap(), &mut watch);
            for partition in &partitions {
                let factor = |&class: &u16| crate::vector::random(usize::from(class));
                let mut wrong: Vec<f64> =
                    right.iter().zip(&partition.class_of).map(|(pi, class)| pi * factor(class)).collect();
                let sum = total(&wrong);
                wrong.iter_mut().for_each(|value| *value /= sum);
                for mut pi in [right.clone(), wrong] {
                    let moved = partition.balance(Rates::All(&chain), &mut pi, &mut watch);
                    assert!(moved.is_ok_and(|moved| moved.is_some()), "{seed}");
                    assert_close(&pi, &right);
                }
                count += 1;
            }
        }
        assert!(count > 60, "{count}");
    }

    /// A sample of all states has all rates, and one that leaves no class changes nothing.
    #[test]
    fn samples_have_the_rates_into_their_states() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        for seed in 0..20 {
            let Some((_, chain, partitions)) = drawn(seed, &mut watch) else { continue };
            let all: Vec<u32> = (0..chain.states() as u32).collect();
            let [all, none] = [&all[..], &[]].map(|states| Sample::into_states(&chain, states));
            let start: Vec<f64> = vec![1.0 / chain.states() as f64; chain.states()];
            for partition in &partitions {
                let mut by = |rates| {
                    let mut pi = start.clone();
                    let moved = partition.balance(rates, &mut pi, &mut watch).unwrap_or_else(|_| panic!());
                    (pi, moved)
                };
                assert_close(&by(Rates::Sample(&all)).0, &by(Rates::All(&chain)).0);
                assert_eq!(by(Rates::Sample(&none)), (start.clone(), None), "{seed}");
            }
        }
    }

    #[test]
    fn classes_go_with_their_states_to_another_order() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let (space, _, partitions) = (0..9).find_map(|seed| drawn(seed, &mut watch)).unwrap();
        let order = Order::of_states((0..space.states() as u32).rev().collect());
        for partition in partitions {
            let mut expected = partition.class_of.clone();
            expected.reverse();
            assert_eq!(partition.arranged(Some(&order)).class_of, expected);
        }
    }
}
