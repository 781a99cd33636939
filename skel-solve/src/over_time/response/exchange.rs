//! Replicas that may change places, and the one state that stands for all that differ in such an exchange.
//!
//! An exchange of two replicas is an automorphism of the chain if it leaves everything that tasks can do as
//! it is: each activity of a task is one of the task that takes its place, at the same rate, with the moves
//! and the buffers exchanged as well. That is verified for each pair; whatever is not verified is not
//! exchanged. The tagged item is part of a state, so the replica that has it differs from the others, and of
//! `m` workers the `m - 1` others stay lumped.
//!
//! Lumping by automorphisms is exact: J. G. Kemeny and J. L. Snell, *Finite Markov Chains* (1960), section
//! 6.3.

use std::collections::{BTreeMap, BTreeSet};

use skel_core::skeleton::{ItemActivity, ItemFlow, ItemState, ItemStep};

use super::flow::State;

/// The replicas that may change places: for each class of them where the numbers of each are in a state,
/// inner replicas before those around them.
pub(super) struct Exchanges {
    classes: Vec<Vec<Vec<usize>>>,
}

impl Exchanges {
    /// No exchange: each state stands for itself.
    pub(super) fn none() -> Exchanges {
        Exchanges { classes: Vec::new() }
    }

    /// All exchanges of replicas that are verified.
    pub(super) fn of(items: &ItemFlow) -> Exchanges {
        let mut classes = Vec::new();
        for replicas in &items.replicas {
            let mut of_node: Vec<Class<'_>> = Vec::new();
            for replica in replicas {
                if !of_node.iter_mut().any(|class| class.admits(items, replica)) {
                    of_node.push(Class { first: replica, members: Vec::new(), buffers: Vec::new() });
                }
            }
            let several = of_node.into_iter().filter(|class| !class.members.is_empty());
            classes.extend(several.map(|class| class.places(items)));
        }
        Exchanges { classes }
    }

    /// Brings a state to the form that stands for all that differ from it in an exchange.
    pub(super) fn canonicalise(&self, state: &mut State) {
        for class in &self.classes {
            let mut parts: Vec<Vec<u32>> =
                class.iter().map(|places| places.iter().map(|&place| state[place]).collect()).collect();
            if parts.is_sorted() {
                continue;
            }
            parts.sort_unstable();
            for (places, part) in class.iter().zip(parts) {
                places.iter().zip(part).for_each(|(&place, value)| state[place] = value);
            }
        }
    }
}

/// Replicas each of which may change places with the first.
struct Class<'i> {
    first: &'i [u32],
    members: Vec<&'i [u32]>,
    /// The buffers of the first and, for each member, those in their places.
    buffers: Vec<BTreeMap<usize, usize>>,
}

impl<'i> Class<'i> {
    /// Takes a replica in, if it may change places with the first.
    fn admits(&mut self, items: &ItemFlow, replica: &'i [u32]) -> bool {
        let Some(buffers) = Exchange::new(items, self.first, replica).and_then(Exchange::verified) else {
            return false;
        };
        if self.buffers.first().is_some_and(|known| !known.keys().eq(buffers.keys())) {
            return false;
        }
        self.members.push(replica);
        self.buffers.push(buffers);
        true
    }

    /// Where the numbers of each replica are in a state.
    fn places(&self, items: &ItemFlow) -> Vec<Vec<usize>> {
        let of_buffers = |buffers: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
            buffers.flat_map(|buffer| [0, 1].map(|part| items.tasks.len() + 2 * buffer + part)).collect()
        };
        let of = |tasks: &[u32], buffers: Vec<usize>| -> Vec<usize> {
            tasks.iter().map(|&task| task as usize).chain(buffers).collect()
        };
        let first = of(self.first, of_buffers(&mut self.buffers[0].keys().copied()));
        let members = self.members.iter().zip(&self.buffers);
        let members = members.map(|(tasks, buffers)| of(tasks, of_buffers(&mut buffers.values().copied())));
        std::iter::once(first).chain(members).collect()
    }
}

/// The exchange of two replicas.
struct Exchange<'i> {
    items: &'i ItemFlow,
    tasks: BTreeMap<u32, u32>,
    moves: BTreeMap<u32, u32>,
    /// The buffers of the first replica, and those of the other.
    buffers: BTreeMap<usize, usize>,
}

impl<'i> Exchange<'i> {
    /// The exchange with what follows from it for moves and buffers; none if replicas differ in their form.
    fn new(items: &'i ItemFlow, first: &[u32], other: &[u32]) -> Option<Exchange<'i>> {
        let mut moves = BTreeMap::new();
        let mut of_first = BTreeMap::new();
        for (&one, &another) in first.iter().zip(other) {
            let [one, another] = [one, another].map(|task| &items.tasks[task as usize].states);
            if one.len() != another.len() {
                return None;
            }
            for (one, another) in one.iter().zip(another) {
                if one.activities.len() != another.activities.len() {
                    return None;
                }
                for (one, another) in one.activities.iter().zip(&another.activities) {
                    let (Some(one), Some(another)) = (move_of(one), move_of(another)) else { continue };
                    of_first.insert(one, another);
                    // A move is exchanged with one other, or stays.
                    if moves.insert(one, another).is_some_and(|known| known != another)
                        || moves.insert(another, one).is_some_and(|known| known != one)
                    {
                        return None;
                    }
                }
            }
        }
        let mut buffers = BTreeMap::new();
        for (&one, &another) in of_first.iter().filter(|(one, another)| one != another) {
            let [one, another] = [one, another].map(|number| {
                let item_move = &items.moves[number as usize];
                (item_move.from_buffer, item_move.to_buffer)
            });
            for pair in [(one.0, another.0), (one.1, another.1)] {
                match pair {
                    (Some(one), Some(another)) => drop(buffers.insert(one, another)),
                    (None, None) => {}
                    _ => return None,
                }
            }
        }
        let tasks = first.iter().zip(other).flat_map(|(&one, &another)| [(one, another), (another, one)]);
        Some(Exchange { items, tasks: tasks.collect(), moves, buffers })
    }

    /// The buffers that are exchanged, if all is as it was after the exchange.
    fn verified(self) -> Option<BTreeMap<usize, usize>> {
        let (ours, theirs) = (self.buffers.keys(), self.buffers.values());
        let apart: BTreeSet<&usize> = ours.chain(theirs).collect();
        let are_pairs = apart.len() == 2 * self.buffers.len();
        (are_pairs && self.keeps_moves() && self.keeps_tasks()).then_some(self.buffers)
    }

    fn keeps_moves(&self) -> bool {
        let buffer = |buffer: usize| {
            let back = || self.buffers.iter().find(|(_, other)| **other == buffer).map(|(one, _)| *one);
            self.buffers.get(&buffer).copied().or_else(back).unwrap_or(buffer)
        };
        let moves = &self.items.moves;
        let are_moved = (0..moves.len()).all(|number| {
            let (one, other) = (&moves[number], &moves[self.moved(number as u32) as usize]);
            one.rate == other.rate
                && one.is_immediate == other.is_immediate
                && one.from_buffer.map(buffer) == other.from_buffer
                && one.to_buffer.map(buffer) == other.to_buffer
        });
        let capacities = &self.items.buffers;
        are_moved && self.buffers.iter().all(|(&one, &other)| capacities[one] == capacities[other])
    }

    fn keeps_tasks(&self) -> bool {
        let tasks = &self.items.tasks;
        (0..tasks.len()).all(|task| {
            let other = self.tasks.get(&(task as u32)).map_or(task, |&other| other as usize);
            let (one, other) = (&tasks[task].states, &tasks[other].states);
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| self.takes_to(one, other))
        })
    }

    /// Whether a local state becomes another.
    fn takes_to(&self, one: &ItemState, other: &ItemState) -> bool {
        let exchanged = |activity: &ItemActivity| {
            let by = match &activity.by {
                ItemStep::Alone(rate) => ItemStep::Alone(rate.clone()),
                ItemStep::Sends(action, weight) => ItemStep::Sends(self.moved(*action), weight.clone()),
                ItemStep::Receives(action, weight) => ItemStep::Receives(self.moved(*action), weight.clone()),
            };
            ItemActivity { by, ..activity.clone() }
        };
        let mut after: Vec<ItemActivity> = one.activities.iter().map(exchanged).collect();
        let mut there = other.activities.clone();
        after.sort_unstable();
        there.sort_unstable();
        one.has_item == other.has_item && after == there
    }

    fn moved(&self, number: u32) -> u32 {
        self.moves.get(&number).copied().unwrap_or(number)
    }
}

/// The move that an activity is a part of.
fn move_of(activity: &ItemActivity) -> Option<u32> {
    match &activity.by {
        ItemStep::Alone(_) => None,
        ItemStep::Sends(action, _) | ItemStep::Receives(action, _) => Some(*action),
    }
}
