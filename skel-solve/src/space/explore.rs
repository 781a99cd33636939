//! Breadth-first exploration within limits.

use std::marker::PhantomData;
use std::sync::Arc;

use skel_core::handle::Modelled;
use skel_core::model::{ActionId, Model, Position};
use skel_core::semantics::NotWellDefined;

use super::compile::{Buffers, Compiled, Refusal};
use super::layout::{Layout, LocalNumbers};
use super::lumping::{Blocks, Lumping};
use super::room::make_room;
use super::store::Store;
use super::{Inner, StateSpace};
use crate::error::{Error, IllDefinedState, Reached, Stopped};
use crate::limits::{Limit, Limits, Progress, Watch};

/// Exploring, for everything that stands for a model.
pub trait Explore: Modelled {
    /// All reachable states, within the default [`Limits`].
    ///
    /// # Errors
    /// A rate that is not positive, a state without rates, or a limit.
    fn explore(&self) -> Result<StateSpace<Self>, Error> {
        self.explore_within(&Limits::default())
    }

    /// All reachable states, within limits. Time and memory grow with the transitions: about 16 bytes each, and
    /// for a state some 14 and 8 for every 64 bits of its local states.
    ///
    /// # Errors
    /// As [`Explore::explore`].
    fn explore_within(&self, limits: &Limits) -> Result<StateSpace<Self>, Error> {
        Ok(StateSpace { inner: Arc::new(explore(self.build()?, limits, false)?), model: PhantomData })
    }

    /// As [`Explore::explore`], with one state for all that differ only in which of several interchangeable parts,
    /// copies of an array or workers of a farm, is in which local state.
    ///
    /// Throughputs, utilisations and populations are the same as without lumping, while there may be many
    /// fewer states. Equivalent actions count under the first of them, and a state's components are those of one
    /// arrangement. Recurrent classes that differ only in such an exchange are one, so there may be fewer of them than
    /// without lumping. Where nothing is interchangeable, nothing is lumped; see [`StateSpace::lumping`].
    ///
    /// # Errors
    /// As [`Explore::explore`].
    fn explore_lumped(&self) -> Result<StateSpace<Self>, Error> {
        self.explore_lumped_within(&Limits::default())
    }

    /// As [`Explore::explore_lumped`], within limits.
    ///
    /// # Errors
    /// As [`Explore::explore`].
    fn explore_lumped_within(&self, limits: &Limits) -> Result<StateSpace<Self>, Error> {
        Ok(StateSpace { inner: Arc::new(explore(self.build()?, limits, true)?), model: PhantomData })
    }
}

impl<M: Modelled + ?Sized> Explore for M {}

/// States and transitions between two looks at the clock.
const BETWEEN_CHECKS: usize = 2048;

/// More states than a 32-bit number can tell apart are refused whatever the limits say.
const MOST_STATES: u64 = u32::MAX as u64;

/// A transition as it is found: target, action, rate.
type Found = (u32, ActionId, f64);

/// Memory that is used again for every state.
struct Scratch {
    state: Vec<u64>,
    row: Vec<Found>,
    buffers: Buffers<f64>,
    lumped: Lumped,
}

/// What lumping needs for a state.
#[derive(Default)]
struct Lumped {
    blocks: Blocks,
    target: Vec<u64>,
    /// The transitions before lumping, each once.
    distinct: Vec<ActionId>,
    targets: Vec<u64>,
}

impl Lumped {
    fn clear(&mut self) {
        self.distinct.clear();
        self.targets.clear();
    }

    /// Keeps a transition, unless there is an equal one. Those of one action come one after another.
    fn keep(&mut self, action: ActionId, target: &[u64]) {
        let earlier = self.distinct.iter().rev().zip(self.targets.rchunks_exact(target.len()));
        let mut alike = earlier.take_while(|(other, _)| **other == action);
        if alike.all(|(_, other)| other != target) {
            self.distinct.push(action);
            self.targets.extend_from_slice(target);
        }
    }
}

fn explore(model: Model, limits: &Limits, is_lumped: bool) -> Result<Inner, Error> {
    let mut watch = Watch::start(limits);
    let layout = Layout::of(&model);
    let numbers = LocalNumbers::of(&model);
    let compiled = Compiled::<f64>::of(&model, &numbers);
    let lumping = if is_lumped { Lumping::of(&model, &numbers) } else { None };
    let mut scratch = Scratch {
        state: Vec::new(),
        row: Vec::new(),
        buffers: Buffers::new(&layout),
        lumped: Lumped::default(),
    };
    let mut inner = Inner {
        store: Store::new(layout.words()),
        offsets: vec![0],
        targets: Vec::new(),
        actions: Vec::new(),
        rates: Vec::new(),
        explored_in: watch.elapsed(),
        model,
        layout,
        numbers,
        lumping,
    };
    let mut initial = initial_state(&inner);
    if let Some(lumping) = &inner.lumping {
        lumping.canonise(&inner.layout, &mut initial, &mut Blocks::default());
    }
    inner.store.insert(&initial);
    let mut since_check = BETWEEN_CHECKS;
    while inner.offsets.len() <= inner.store.len() {
        let at = inner.offsets.len() - 1;
        if since_check >= BETWEEN_CHECKS {
            since_check = 0;
            let progress = || Progress::Exploring { found: inner.store.len() as u64, explored: at as u64 };
            watch.check(progress).map_err(|limit| stopped(limit, &inner))?;
        }
        let full = expand(at, &compiled, &mut inner, &mut scratch, limits)?;
        since_check += 1 + scratch.row.len();
        append(&mut scratch.row, &mut inner, limits)?;
        if let Some(limit) = full {
            return Err(stopped(limit, &inner));
        }
        inner.offsets.push(inner.targets.len());
    }
    inner.explored_in = watch.elapsed();
    Ok(inner)
}

/// Finds the transitions of a state, and the states that are new. Where a limit is reached, it is returned, and
/// the row is not complete.
fn expand(
    at: usize,
    compiled: &Compiled<f64>,
    inner: &mut Inner,
    scratch: &mut Scratch,
    limits: &Limits,
) -> Result<Option<Limit>, Error> {
    let most_states = limits.states.min(MOST_STATES);
    let no_memory = Limit::Memory(limits.memory);
    let of_row = |row: &Vec<Found>| (row.capacity() * size_of::<Found>()) as u64;
    let Scratch { state, row, buffers, lumped } = scratch;
    let held = inner.memory() + buffers.memory() + of_row(row);
    let Some(left) = limits.memory.checked_sub(held) else { return Ok(Some(no_memory)) };
    // A quarter is for the activities of this state alone, the rest for what is found.
    buffers.most = buffers.memory() + left / 4;
    let for_found = inner.store.memory() + of_row(row) + (left - left / 4);
    state.clear();
    state.extend_from_slice(inner.store.get(at));
    lumped.clear();
    let Inner { store, layout, lumping, .. } = &mut *inner;
    let mut full = None;
    let outcome = compiled.for_each_transition(layout, state, buffers, |action, &rate, target| {
        if full.is_some() {
            return;
        }
        let (action, target) = match lumping {
            None => (action, target),
            Some(lumping) => {
                lumped.keep(action, target);
                lumped.target.clear();
                lumped.target.extend_from_slice(target);
                lumping.canonise(layout, &mut lumped.target, &mut lumped.blocks);
                (lumping.representative(action), lumped.target.as_slice())
            }
        };
        let number = match store.find(target) {
            Some(known) => known,
            None if store.len() as u64 >= most_states => return full = Some(Limit::States(most_states)),
            None if !store.make_room(for_found.saturating_sub(of_row(row))) => return full = Some(no_memory),
            None => store.insert(target),
        };
        if !make_room(row, 1, for_found.saturating_sub(store.memory() + of_row(row))) {
            return full = Some(no_memory);
        }
        row.push((number, action, rate));
    });
    if let (Some(lumping), None) = (lumping, full) {
        lumping.count(layout, state, lumped.distinct.len(), &mut lumped.blocks);
    }
    match outcome {
        Ok(()) => Ok(full),
        Err(Refusal::TooMany) => Ok(Some(no_memory)),
        Err(Refusal::NotWellDefined(problem)) => Err(ill_defined(problem, at, inner)),
    }
}

/// Adds a row to the transitions, those of the same action to the same target as one, and empties it.
fn append(row: &mut Vec<Found>, inner: &mut Inner, limits: &Limits) -> Result<(), Error> {
    row.sort_by_key(|&(target, action, _)| (target, action));
    let left = limits.memory.saturating_sub(inner.memory());
    let has_room = make_room(&mut inner.targets, row.len(), left / 4)
        && make_room(&mut inner.actions, row.len(), left / 4)
        && make_room(&mut inner.rates, row.len(), left / 2);
    let left = limits.memory.saturating_sub(inner.memory());
    if !has_room || !make_room(&mut inner.offsets, 1, left) {
        return Err(stopped(Limit::Memory(limits.memory), inner));
    }
    let start = inner.targets.len();
    for (target, action, rate) in row.drain(..) {
        let is_first = inner.targets.len() == start;
        if !is_first && inner.targets.last() == Some(&target) && inner.actions.last() == Some(&action.0) {
            if let Some(sum) = inner.rates.last_mut() {
                *sum += rate;
            }
            continue;
        }
        inner.targets.push(target);
        inner.actions.push(action.0);
        inner.rates.push(rate);
    }
    Ok(())
}

/// The initial state as the model has it, not lumped.
pub(super) fn initial_state(inner: &Inner) -> Vec<u64> {
    let mut packed = vec![0; inner.layout.words()];
    for (position, &local) in inner.model.initial_state().iter().enumerate() {
        let component = inner.model.component_at(Position::at(position));
        let number = inner.numbers.get(component, local).unwrap_or_default();
        inner.layout.set(&mut packed, position, number);
    }
    packed
}

fn stopped(limit: Limit, inner: &Inner) -> Error {
    let states = inner.store.len() as u64;
    let reached = Reached::Exploring {
        states,
        transitions: inner.targets.len() as u64,
        waiting: states - (inner.offsets.len() as u64 - 1),
        unlumped: inner.lumping.as_ref().and_then(Lumping::states),
    };
    Error::Stopped(Stopped { limit, reached })
}

/// The way to a state without rates, over what has been explored so far.
fn ill_defined(problem: NotWellDefined, at: usize, inner: &Inner) -> Error {
    let mut parents = vec![None; inner.store.len()];
    for state in 0..inner.offsets.len() - 1 {
        for transition in inner.offsets[state]..inner.offsets[state + 1] {
            let target = inner.targets[transition] as usize;
            if target > state && parents[target].is_none() {
                parents[target] = Some((state, ActionId(inner.actions[transition])));
            }
        }
    }
    let mut path = Vec::new();
    let mut state = at;
    while let Some((parent, action)) = parents[state] {
        path.push(action);
        state = parent;
    }
    path.reverse();
    let packed = inner.store.get(at);
    let locals: Vec<_> = (0..inner.model.positions())
        .map(|position| {
            let component = inner.model.component_at(Position::at(position));
            inner.numbers.in_order(component)[inner.layout.get(packed, position) as usize]
        })
        .collect();
    Error::NotWellDefined(IllDefinedState::new(
        &inner.model,
        problem,
        &path,
        &inner.model.display_state(&locals),
    ))
}
