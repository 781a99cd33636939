//! Where the items of a system are, and how they move: what a chain that follows one item is made from.
//!
//! A task holds one item at most, and so does a place of a buffer. A task without sources begins its next
//! item as soon as it is free, and a task of the last stage is rid of its item as soon as that is computed.
//! So each activity of a task says all that happens to items: it is the task's own, or its part in a move;
//! with it the task may begin a new item, or finish the one that it has.

use crate::id::LocalStateId;
use crate::number::Ratio;
use crate::rate::ActivityRate;
use crate::skeleton::lowering::graph::Composition;
use crate::skeleton::lowering::process::process_name;
use crate::skeleton::lowering::system::System;

/// How the items of a system move.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemFlow {
    /// The tasks, in their order.
    pub tasks: Vec<ItemTask>,
    /// The actions by which items move.
    pub moves: Vec<ItemMove>,
    /// How many items each buffer can hold.
    pub buffers: Vec<u32>,
    /// The replicas of each deal and farm, inner ones before those around them: for each replica its tasks.
    pub replicas: Vec<Vec<Vec<u32>>>,
}

/// A task as one that holds an item or none.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemTask {
    /// The number of the state in which it begins.
    pub initial: usize,
    /// Its local states.
    pub states: Vec<ItemState>,
}

/// A local state of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemState {
    /// Whether the task holds an item.
    pub has_item: bool,
    /// What the task can do.
    pub activities: Vec<ItemActivity>,
}

/// What a task can do in a local state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemActivity {
    /// Alone, or as a part of a move.
    pub by: ItemStep,
    /// The number of the local state that it leads to.
    pub to: usize,
    /// Whether the task has computed its item for good: it belongs to the last stage.
    pub finishes: bool,
    /// Whether the task begins a new item: it belongs to the first stage.
    pub begins: bool,
}

/// How a task does something.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ItemStep {
    /// By itself, at a rate.
    Alone(Ratio),
    /// It hands over its item in a move, with a weight among all that could.
    Sends(u32, Ratio),
    /// It gets an item in a move, with a weight among all that could.
    Receives(u32, Ratio),
}

/// An action by which an item moves: from a task to a task, from a task to a buffer, or from a buffer to a
/// task.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemMove {
    /// Its name in the model.
    pub name: String,
    /// Its rate as long as there is an item to move and a place to move it to. If it takes no time, its
    /// weight among all that take none.
    pub rate: Ratio,
    /// Whether it takes no time.
    pub is_immediate: bool,
    /// The buffer that the item comes from, in the place of a sender.
    pub from_buffer: Option<usize>,
    /// The buffer that the item goes to, in the place of a receiver.
    pub to_buffer: Option<usize>,
}

impl System {
    /// How its items move.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{farm, pipe, task, Skeleton};
    /// let system = pipe((task(1.0), farm(2, 1.0))).communicating(10.0).lower()?;
    /// let items = system.item_flow();
    /// assert_eq!((items.tasks.len(), items.moves.len(), &items.replicas[..]), (3, 2, &[vec![vec![1], vec![2]]][..]));
    /// // The first task begins items, and a worker finishes its item when it has computed it.
    /// assert!(items.tasks[0].states.iter().flat_map(|state| &state.activities).any(|activity| activity.begins));
    /// assert!(items.tasks[1].states.iter().flat_map(|state| &state.activities).any(|activity| activity.finishes));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn item_flow(&self) -> ItemFlow {
        let mut replicas = Vec::new();
        collect(self.graph().composition(), &mut replicas);
        ItemFlow {
            tasks: (0..self.graph().tasks() as u32).map(|task| self.item_task(task)).collect(),
            moves: self.item_moves(),
            buffers: self.parts.moves.buffers.iter().map(|buffer| buffer.capacity).collect(),
            replicas,
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn item_moves(&self) -> Vec<ItemMove> {
        let moves = &self.parts.moves;
        let buffer = |is_it: &dyn Fn(usize) -> bool| (0..moves.buffers.len()).find(|&number| is_it(number));
        let of_action = |(number, (action, rate)): (u32, (&_, &Ratio))| {
            let action: &crate::skeleton::lowering::moves::MoveAction = action;
            ItemMove {
                name: action.name.clone(),
                rate: rate.clone(),
                is_immediate: action.is_immediate(),
                from_buffer: buffer(&|buffer| moves.buffers[buffer].get == number),
                to_buffer: buffer(&|buffer| moves.buffers[buffer].put == number),
            }
        };
        (0..).zip(moves.actions.iter().zip(&self.parts.rates)).map(of_action).collect()
    }

    #[cfg_attr(debug_assertions, inline)]
    fn item_task(&self, task: u32) -> ItemTask {
        let first = self.parts.first_copies[task as usize];
        let occupations = self.occupations_of(task);
        let number = |id: LocalStateId| {
            let place = occupations.iter().position(|(other, _)| *other == id);
            place.expect("a task stays within its local states")
        };
        let states = occupations.iter().map(|(id, here)| ItemState {
            has_item: here.has_item,
            activities: self
                .item_activities(task, *id, &|to| (number(to), occupations[number(to)].1.has_item)),
        });
        let initial = self.model().local_state_named(&process_name(first, 0));
        ItemTask {
            initial: initial.map(number).expect("a task begins in a local state"),
            states: states.collect(),
        }
    }

    /// What a task can do in a local state; `leads_to` has the number of a local state, and whether the task
    /// holds an item there.
    #[cfg_attr(debug_assertions, inline)]
    fn item_activities(
        &self,
        task: u32,
        here: LocalStateId,
        leads_to: &dyn Fn(LocalStateId) -> (usize, bool),
    ) -> Vec<ItemActivity> {
        let first = self.parts.first_copies[task as usize];
        let (graph, moves) = (self.graph(), &self.parts.moves);
        let [sends, receives] = [moves.sends(graph, first), moves.receives(graph, first)];
        let had_item = leads_to(here).1;
        let activity = |activity: &crate::model::Activity| {
            let among = |numbers: &[u32]| {
                let is_it = |number: &&u32| self.moves()[**number as usize] == activity.action;
                numbers.iter().find(is_it).copied()
            };
            let value = &self.model().rates()[activity.rate.index()].value;
            let weight = || value.magnitude().clone();
            let (sent, received) = (among(&sends), among(&receives));
            let by = match (sent, received, value) {
                (Some(number), ..) => ItemStep::Sends(number, weight()),
                (_, Some(number), _) => ItemStep::Receives(number, weight()),
                (.., ActivityRate::Active(rate)) => ItemStep::Alone(rate.clone()),
                // The processor of the task sets the rate.
                (.., ActivityRate::Passive(_)) => ItemStep::Alone(self.rates()[task as usize].clone()),
            };
            let (to, has_item) = leads_to(activity.target);
            let finishes = sends.is_empty() && activity.action == self.computation(task);
            let begins = receives.is_empty() && has_item && (finishes || sent.is_some() || !had_item);
            ItemActivity { by, to, finishes, begins }
        };
        self.model().local_state(here).activities.iter().map(activity).collect()
    }
}

/// The replicas of all deals and farms, inner ones first.
#[cfg_attr(debug_assertions, inline)]
fn collect(composition: &Composition, replicas: &mut Vec<Vec<Vec<u32>>>) {
    match composition {
        Composition::Task(_) => {}
        Composition::Pipe(parts, _) => parts.iter().for_each(|part| collect(part, replicas)),
        Composition::Replicas(parts) => {
            parts.iter().for_each(|part| collect(part, replicas));
            replicas.push(parts.iter().map(tasks_of).collect());
        }
    }
}

#[cfg_attr(debug_assertions, inline)]
fn tasks_of(composition: &Composition) -> Vec<u32> {
    match composition {
        Composition::Task(task) => vec![*task],
        Composition::Pipe(parts, _) | Composition::Replicas(parts) => {
            parts.iter().flat_map(tasks_of).collect()
        }
    }
}
