//! Which slots have small strides, and which large ones.
//!
//! Sweeps of Gauss-Seidel and incomplete factors carry probability at once along transitions to later states,
//! and only one step along those to earlier ones. A transition leads to an earlier state if the slot with the
//! largest stride that it changes goes down. So the slots are sorted such that few transitions do.
//!
//! At first, slots that move early in the exploration have small strides: successive states of a path then
//! have nearby numbers, and where one component hands on to the next, as in a pipeline, what it hands on
//! leads to later states. Then each slot in turn is put where the fewest transitions lead to earlier states,
//! until none can be put better: *sifting*, by which R. Rudell orders the variables of decision diagrams
//! (Dynamic variable ordering for ordered binary decision diagrams, ICCAD 1993). Most orders stay as they
//! are. But a token that goes round between queues gets a large stride, and for a ring of 6 queues that saves
//! two thirds of the iterations.
//!
//! Each transition of the product of all local states counts as much as any other, whatever its rate, so that
//! states have the same numbers for all rates.

use std::collections::BTreeMap;

use crate::state::layout::Layout;
use crate::transition::compile::Compiled;

/// A slot is put elsewhere if that saves at least this share of all transitions from leading to earlier
/// states.
const LEAST_GAIN: f64 = 0.01;

/// The most times that each slot is looked at. One or two are usual.
const MOST_ROUNDS: usize = 8;

/// Sorts slots that are in the order in which they first move; the first gets the smallest stride.
pub(crate) fn sort(slots: &mut [usize], layout: &Layout, compiled: &Compiled<f64>) {
    let Some(changes) = Changes::of(layout, compiled) else { return };
    for _ in 0..MOST_ROUNDS {
        let mut is_sorted = true;
        for slot in 0..slots.len() {
            is_sorted &= !changes.put(slot, slots);
        }
        if is_sorted {
            break;
        }
    }
}

/// What transitions change, and how many do.
struct Changes {
    /// For each slot, the transitions that change it.
    of_slots: Vec<Vec<Change>>,
}

/// Transitions that change a slot, and others.
struct Change {
    /// Whether the slot goes up.
    is_up: bool,
    /// The other slots that change, and whether they go up.
    others: Vec<(usize, bool)>,
    /// How many there are, as a share of all transitions.
    share: f64,
}

impl Changes {
    /// The changes of a model; `None` if they are not tabulated.
    fn of(layout: &Layout, compiled: &Compiled<f64>) -> Option<Changes> {
        let combinations =
            |&(slot, ..): &(u32, u32, u32)| f64::from(layout.slots()[slot as usize].local_states());
        let (mut counts, mut changed, mut all) =
            (BTreeMap::<Vec<(usize, bool)>, f64>::new(), Vec::new(), 0.0);
        let are_tabulated = compiled.for_each_firing(|_, slots, _| {
            changed.clear();
            let moved = slots.iter().filter(|(_, before, after)| before != after);
            changed.extend(moved.map(|&(slot, before, after)| (slot as usize, after > before)));
            if changed.is_empty() {
                return true;
            }
            // The share of all combinations in which these slots have these local states.
            let count = slots.iter().map(combinations).product::<f64>().recip();
            all += count;
            match counts.get_mut(&changed[..]) {
                Some(known) => *known += count,
                None => drop(counts.insert(changed.clone(), count)),
            }
            true
        });
        if !are_tabulated {
            return None;
        }
        let mut of_slots: Vec<Vec<Change>> = layout.slots().iter().map(|_| Vec::new()).collect();
        for (changed, count) in &counts {
            for &(slot, is_up) in changed {
                let others = changed.iter().copied().filter(|&(other, _)| other != slot).collect();
                of_slots[slot].push(Change { is_up, others, share: count / all });
            }
        }
        Some(Changes { of_slots })
    }

    /// Puts a slot where the fewest transitions lead to earlier states. Returns whether that is elsewhere.
    fn put(&self, slot: usize, slots: &mut [usize]) -> bool {
        let mut places = vec![0; slots.len()];
        slots.iter().enumerate().for_each(|(place, &slot)| places[slot] = place);
        let before = places[slot];
        // The places of the others, if the slot has the largest stride.
        places.iter_mut().for_each(|place| *place -= usize::from(*place > before));
        let backward = self.backward(slot, &places);
        let least = |best: usize, place| if backward[place] < backward[best] { place } else { best };
        let best = (0..slots.len()).fold(before, least);
        if backward[best] > backward[before] - LEAST_GAIN {
            return false;
        }
        match best > before {
            true => slots[before..=best].rotate_left(1),
            false => slots[best..=before].rotate_right(1),
        }
        true
    }

    /// For each place that a slot may have among the others, the share of transitions that change it and lead
    /// to earlier states.
    fn backward(&self, slot: usize, places: &[usize]) -> Vec<f64> {
        let mut backward = vec![0.0; places.len()];
        for Change { is_up, others, share } in &self.of_slots[slot] {
            let largest = others.iter().map(|&(other, is_up)| (places[other], is_up)).max();
            // From this place on, the slot has the largest stride of those that change.
            let decides = largest.map_or(0, |(place, _)| place + 1);
            if largest.is_some_and(|(_, is_up)| !is_up) {
                backward[..decides].iter_mut().for_each(|sum| *sum += share);
            }
            if !is_up {
                backward[decides..].iter_mut().for_each(|sum| *sum += share);
            }
        }
        backward
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::LEAST_GAIN;
    use crate::random_model::random_model;
    use crate::space::{Explore, Options, StateSpace, Storage};

    fn bits(text: &str) -> StateSpace {
        let model = skel_core::text::parse(text).into_model().expect("a model");
        let options = Options { storage: Storage::Bitset, ..Options::default() };
        model.explorer().options(&options).explore().expect("a space").untyped()
    }

    /// The slots, those with small strides first.
    fn slots(space: &StateSpace) -> Vec<usize> {
        let strides = space.bitset().expect("bits").0.product().strides();
        let mut slots: Vec<usize> = (0..strides.len()).collect();
        slots.sort_by_key(|&slot| strides[slot]);
        slots
    }

    /// The share of the transitions of all combinations that lead to smaller ones, if slots have strides in
    /// this order.
    fn backward(space: &StateSpace, slots: &[usize]) -> f64 {
        let (bitset, compiled) = space.bitset().expect("bits");
        let product = bitset.product();
        let mut strides = vec![0; slots.len()];
        let mut combinations = 1_i64;
        for &slot in slots {
            strides[slot] = combinations;
            combinations *= product.digit_of(slot as u32).2 as i64;
        }
        let [mut all, mut backward] = [0.0; 2];
        compiled.for_each_firing(|_, firing, _| {
            let jump: i64 = firing
                .iter()
                .map(|&(slot, before, after)| (i64::from(after) - i64::from(before)) * strides[slot as usize])
                .sum();
            let of_slots: i64 = firing.iter().map(|&(slot, ..)| product.digit_of(slot).2 as i64).product();
            let count = combinations as f64 / of_slots as f64;
            all += if jump == 0 { 0.0 } else { count };
            backward += if jump < 0 { count } else { 0.0 };
            true
        });
        backward / all
    }

    #[test]
    fn no_slot_is_better_elsewhere() {
        let mut tried = 0;
        for seed in 0..80 {
            let text = random_model(seed);
            let space = bits(&text);
            let slots = slots(&space);
            let found = backward(&space, &slots);
            for (from, to) in (0..slots.len()).flat_map(|from| (0..slots.len()).map(move |to| (from, to))) {
                let mut other = slots.clone();
                let slot = other.remove(from);
                other.insert(to, slot);
                assert!(
                    backward(&space, &other) > found - 1.001 * LEAST_GAIN,
                    "{slots:?}, {other:?}: {text}"
                );
                tried += 1;
            }
        }
        assert!(tried > 500, "{tried}");
    }

    #[test]
    fn a_token_has_a_large_stride() {
        let mut text = String::new();
        for queue in 0..4 {
            let next = (queue + 1) % 4;
            writeln!(
                text,
                "E{queue} = (arrive{queue}, 0.1).H{queue} + (skip{queue}, infty).E{queue};
                 H{queue} = (arrive{queue}, 0.1).F{queue} + (use{queue}, infty).E{queue};
                 F{queue} = (use{queue}, infty).H{queue};
                 T{queue} = (use{queue}, 2).T{next} + (skip{queue}, 10).T{next};"
            )
            .expect("a string takes everything");
        }
        let shared: Vec<String> = (0..4).map(|queue| format!("use{queue}, skip{queue}")).collect();
        let space = bits(&format!("{text}T0 <{}> (E0 || E1 || E2 || E3)", shared.join(", ")));
        assert_eq!(slots(&space), [1, 2, 3, 0, 4]);
        assert!(backward(&space, &slots(&space)) < 0.5 * backward(&space, &[1, 0, 2, 3, 4]));
    }

    #[test]
    fn stages_that_move_early_have_small_strides() {
        let text = "A = (in, 1).A1; A1 = (work_a, 2).A2; A2 = (next_a, 3).A;
                    B = (next_a, infty).B1; B1 = (work_b, 2).B2; B2 = (next_b, 3).B;
                    C = (next_b, infty).C1; C1 = (work_c, 2).C2; C2 = (out, 3).C;
                    C <next_b> (B <next_a> A)";
        assert_eq!(slots(&bits(text)), [2, 1, 0]);
    }
}
