//! Breadth-first exploration within limits.

use std::marker::PhantomData;
use std::sync::Arc;

use skel_core::handle::Modelled;
use skel_core::model::{ActionId, Model, Position};
use skel_core::semantics::NotWellDefined;

use super::compile::{Buffers, Compiled};
use super::layout::{Layout, LocalNumbers};
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

    /// All reachable states, within limits. Time and memory grow with the transitions: about 16 bytes each,
    /// and 8 to 20 for a state.
    ///
    /// # Errors
    /// As [`Explore::explore`].
    fn explore_within(&self, limits: &Limits) -> Result<StateSpace<Self>, Error> {
        Ok(StateSpace { inner: Arc::new(explore(self.build()?, limits)?), model: PhantomData })
    }
}

impl<M: Modelled + ?Sized> Explore for M {}

/// States between two looks at the clock.
const BETWEEN_CHECKS: usize = 256;

/// More states than a 32-bit number can tell apart are refused whatever the limits say.
const MOST_STATES: u64 = u32::MAX as u64;

fn explore(model: Model, limits: &Limits) -> Result<Inner, Error> {
    let mut watch = Watch::start(limits);
    let layout = Layout::of(&model);
    let numbers = LocalNumbers::of(&model);
    let compiled = Compiled::<f64>::of(&model, &numbers);
    let mut buffers = Buffers::new(&layout);
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
    };
    inner.store.insert(&initial_state(&inner));
    let most_states = limits.states.min(MOST_STATES);
    let mut state = Vec::new();
    let mut row: Vec<(u32, ActionId, f64)> = Vec::new();
    while inner.offsets.len() <= inner.store.len() {
        let at = inner.offsets.len() - 1;
        if at.is_multiple_of(BETWEEN_CHECKS) {
            let progress = || Progress::Exploring { found: inner.store.len() as u64, explored: at as u64 };
            watch.check(progress).map_err(|limit| stopped(limit, &inner))?;
            if memory(&inner) > limits.memory {
                return Err(stopped(Limit::Memory(limits.memory), &inner));
            }
        }
        state.clear();
        state.extend_from_slice(inner.store.get(at));
        row.clear();
        let mut is_full = false;
        let outcome =
            compiled.for_each_transition(&inner.layout, &state, &mut buffers, |action, &rate, target| {
                if is_full {
                    return;
                }
                if inner.store.len() as u64 >= most_states && inner.store.find(target).is_none() {
                    is_full = true;
                    return;
                }
                row.push((inner.store.insert(target).0, action, rate));
            });
        outcome.map_err(|problem| ill_defined(problem, at, &inner))?;
        row.sort_by_key(|&(target, action, _)| (target, action));
        for &(target, action, rate) in &row {
            let is_first = inner.targets.len() == *inner.offsets.last().unwrap_or(&0);
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
        if is_full {
            return Err(stopped(Limit::States(most_states), &inner));
        }
        inner.offsets.push(inner.targets.len());
    }
    inner.explored_in = watch.elapsed();
    Ok(inner)
}

fn initial_state(inner: &Inner) -> Vec<u64> {
    let mut packed = vec![0; inner.layout.words()];
    for (position, &local) in inner.model.initial_state().iter().enumerate() {
        let component = inner.model.component_at(Position::at(position));
        let number = inner.numbers.get(component, local).unwrap_or_default();
        inner.layout.set(&mut packed, position, number);
    }
    packed
}

fn memory(inner: &Inner) -> u64 {
    let per_transition = size_of::<u32>() * 2 + size_of::<f64>();
    let lists = inner.offsets.capacity() * size_of::<usize>() + inner.targets.capacity() * per_transition;
    inner.store.memory() + lists as u64
}

fn stopped(limit: Limit, inner: &Inner) -> Error {
    let states = inner.store.len() as u64;
    let reached = Reached::Exploring {
        states,
        transitions: inner.targets.len() as u64,
        waiting: states - (inner.offsets.len() as u64 - 1),
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
            let component = inner.model.component(inner.model.component_at(Position::at(position)));
            component.local_states[inner.layout.get(packed, position) as usize]
        })
        .collect();
    Error::NotWellDefined(IllDefinedState::new(
        &inner.model,
        problem,
        &path,
        &inner.model.display_state(&locals),
    ))
}
