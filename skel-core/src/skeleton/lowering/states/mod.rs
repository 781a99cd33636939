//! What the tasks and the buffers of a system are doing, by the local states of its model.

pub(in crate::skeleton) mod items;

use std::ops::Range;

use crate::model::{ActionId, LocalStateId};
use crate::number::{Ratio, ratio};
use crate::skeleton::lowering::composition::Parts;
use crate::skeleton::lowering::moves::Buffer;
use crate::skeleton::lowering::process::process_name;
use crate::skeleton::lowering::system::System;
use crate::skeleton::lowering::team::{Place, Stands};
use crate::skeleton::tree::{Stage, StageId};

/// What a task is doing. At any time it is one of the three. Workers that serve one item together count as
/// one task here: it is blocked while its item is complete, starved while it can receive one, and else busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskState {
    /// It computes.
    Busy,
    /// It has no item, and waits for one or receives it.
    Starved,
    /// It has computed an item, and waits until it can send it, or sends it.
    Blocked,
}

/// What a task is doing in one of its local states. Of workers that serve one item together it says which
/// part of them does what.
#[derive(Clone, Debug, PartialEq)]
pub struct Occupation {
    /// Computes.
    pub busy: Ratio,
    /// Has no item, and waits for one or receives it.
    pub starved: Ratio,
    /// Has computed an item, and waits until it can be sent, or sends it.
    pub blocked: Ratio,
    /// Is done with its part of an item or with its state, and waits for the other workers.
    pub waiting: Ratio,
    /// Whether there is an item.
    pub has_item: bool,
}

impl Occupation {
    fn of_task(state: TaskState) -> Occupation {
        let whole = |one| ratio(i64::from(state == one), 1);
        Occupation {
            busy: whole(TaskState::Busy),
            starved: whole(TaskState::Starved),
            blocked: whole(TaskState::Blocked),
            waiting: ratio(0, 1),
            has_item: state != TaskState::Starved,
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn of_team(workers: u32, place: &Place) -> Occupation {
        let part = |count: u32| Ratio::new(count.into(), workers.into());
        let others = |stands: &[Stands]| match stands.contains(&place.stands) {
            true => part(workers - place.working),
            false => part(0),
        };
        Occupation {
            busy: part(place.working),
            starved: others(&[Stands::Ready]),
            blocked: others(&[Stands::Complete]),
            waiting: others(&[Stands::Serving, Stands::Renewing]),
            has_item: matches!(place.stands, Stands::Serving | Stands::Complete),
        }
    }
}

/// A buffer of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferPlaces {
    /// The stage that the items enter: a stage of a pipe.
    pub into: StageId,
    /// The tasks that put items into it.
    pub senders: Vec<u32>,
    /// The tasks that get items from it.
    pub receivers: Vec<u32>,
    /// How many items it can hold.
    pub capacity: u32,
    /// The local state of a place that holds an item.
    pub full: LocalStateId,
}

impl System {
    /// The equal workers that are one array together with a task: the task alone if it is in none. The model
    /// has the local states and the computation of all of them as one.
    ///
    /// # Panics
    /// If there is no such task.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn equal_workers(&self, task: u32) -> Range<u32> {
        let first_copies = &self.parts.first_copies;
        let first = first_copies[task as usize];
        let copies = first_copies[first as usize..].iter().take_while(|&&other| other == first).count();
        first..first + copies as u32
    }

    /// The local states of a task, and what it is doing in each.
    ///
    /// # Panics
    /// If there is no such task.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{pipe, task, Skeleton, TaskState};
    /// let system = pipe((task(1.0), task(2.0))).communicating(10.0).lower()?;
    /// let states: Vec<_> = system.states_of(1).into_iter().map(|(_, state)| state).collect();
    /// assert_eq!(states, [TaskState::Starved, TaskState::Busy]);
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn states_of(&self, task: u32) -> Vec<(LocalStateId, TaskState)> {
        let first = self.parts.first_copies[task as usize];
        if let Some(places) = self.team_places(first) {
            let state = |stands| match stands {
                Stands::Ready => TaskState::Starved,
                Stands::Complete => TaskState::Blocked,
                Stands::Serving | Stands::Renewing => TaskState::Busy,
            };
            return places.into_iter().map(|(id, _, place)| (id, state(place.stands))).collect();
        }
        let Parts { graph, moves, .. } = &self.parts;
        let sends = self.ids(moves.sends(graph, first));
        let receives = self.ids(moves.receives(graph, first));
        let state = |id: LocalStateId| match self.model().local_state(id).activities.first() {
            Some(activity) if receives.contains(&activity.action) => TaskState::Starved,
            Some(activity) if sends.contains(&activity.action) => TaskState::Blocked,
            _ => TaskState::Busy,
        };
        self.local_states(&process_name(first, 0)).iter().map(|&id| (id, state(id))).collect()
    }

    /// The local states of a task, and what it is doing in each; of workers that serve one item together,
    /// which part of them does what.
    ///
    /// # Panics
    /// If there is no such task.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::{map, pipe, task, Skeleton}};
    /// let system = pipe((task(1.0), map(3, 2.0))).communicating(10.0).lower()?;
    /// let waiting: Vec<_> = system.occupations_of(1).into_iter().map(|(_, part)| part.waiting).collect();
    /// assert_eq!(waiting, [ratio(0, 1), ratio(0, 1), ratio(1, 3), ratio(2, 3)]);
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn occupations_of(&self, task: u32) -> Vec<(LocalStateId, Occupation)> {
        match self.team_places(self.parts.first_copies[task as usize]) {
            None => {
                let states = self.states_of(task).into_iter();
                states.map(|(id, state)| (id, Occupation::of_task(state))).collect()
            }
            Some(places) => places
                .into_iter()
                .map(|(id, workers, place)| (id, Occupation::of_team(workers, place)))
                .collect(),
        }
    }

    /// Whether a task stands for workers that serve one item together.
    ///
    /// # Panics
    /// If there is no such task.
    #[must_use]
    pub fn is_team(&self, task: u32) -> bool {
        matches!(self.tree().stage(self.graph().flow(task).stage), Stage::Team(_))
    }

    /// Of workers that serve one item together: each local state with their number and the place of their
    /// component.
    #[cfg_attr(debug_assertions, inline)]
    fn team_places(&self, first: u32) -> Option<Vec<(LocalStateId, u32, &Place)>> {
        let (workers, places) = self.parts.processes[first as usize].team_places()?;
        let state = |(number, place)| {
            let name = process_name(first, number);
            let id = self.model().local_state_named(&name).expect("each place is a local state");
            (id, workers, place)
        };
        Some((0..).zip(places).map(state).collect())
    }

    /// The buffers with at least one place.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{deal, pipe, task, Skeleton};
    /// let program = pipe((task(1.0), deal(2, 1.0), task(1.0))).communicating(10.0).buffers(4);
    /// // One before and one behind each worker of the deal.
    /// let buffers = program.lower()?.buffers();
    /// assert_eq!(buffers.len(), 4);
    /// assert_eq!((&buffers[0].receivers[..], buffers[0].capacity), (&[1][..], 4));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn buffers(&self) -> Vec<BufferPlaces> {
        let places = |buffer: &Buffer| {
            let channel = &self.graph().channels()[buffer.channel];
            let states = self.local_states(&buffer.name);
            let get = self.moves()[buffer.get as usize];
            let is_full = |id: &&LocalStateId| self.model().local_state(**id).activities[0].action == get;
            BufferPlaces {
                into: channel.into_stage(),
                senders: channel.senders().to_vec(),
                receivers: channel.receivers().to_vec(),
                capacity: buffer.capacity,
                full: *states.iter().find(is_full).expect("a place that an item has been put into"),
            }
        };
        self.parts.moves.buffers.iter().map(places).collect()
    }

    fn ids(&self, actions: Vec<u32>) -> Vec<ActionId> {
        actions.into_iter().map(|number| self.moves()[number as usize]).collect()
    }

    /// The local states of the component that begins in one.
    fn local_states(&self, initial: &str) -> &[LocalStateId] {
        let initial = self.model().local_state_named(initial);
        let component = self.model().components().iter().find(|component| Some(component.initial) == initial);
        component.map_or(&[], |component| &component.local_states)
    }
}
