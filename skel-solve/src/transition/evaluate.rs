//! Runs a program in a state, on a stack of lists of enabled activities.
//!
//! The evaluation is generic over the type of numbers, so the same programs run in `f64` and in rational
//! numbers. Where copies are counted, one activity of a local state stands for those of all copies in it, and
//! has the sum of their rates.

use std::collections::BTreeMap;
use std::ops::Range;

use skel_core::model::{ActionId, Activity, ComponentId, Model};
use skel_core::number::{Number, ratio};
use skel_core::rate::ActivityRate;
use skel_core::semantics::NotWellDefined;

use crate::state::layout::{Layout, Move};
use crate::state::local_numbers::LocalNumbers;
use crate::transition::program::{Place, Program, Step};

/// The activities of a component: those of one local state after those of the other, each by action in
/// ascending order. A component may have a million local states, so none has lists of its own.
#[derive(Clone, Debug)]
struct ByLocalState<N> {
    /// For each local state where its activities begin, and the end of all.
    starts: Vec<u32>,
    actions: Vec<ActionId>,
    /// Rate and target of each activity.
    activities: Vec<(ActivityRate<N>, u32)>,
}

/// The activities of all components of a model.
#[derive(Clone, Debug)]
pub(crate) struct Activities<N> {
    of_component: Vec<ByLocalState<N>>,
    /// For each component its actions in ascending order, each with the local states that enable it, also
    /// ascending.
    enabling: Vec<Vec<(ActionId, Vec<u32>)>>,
    /// For each component, for each of its actions, for each local state where its activities of that action
    /// are; nothing if that would be a long list.
    ranges: Vec<Vec<(u32, u32)>>,
    /// The integers from 0 to the largest number of counted copies, as numbers of this type.
    whole: Vec<N>,
}

/// An activity that a part of the system enables.
#[derive(Clone, Debug)]
pub(crate) struct Enabled<N> {
    pub(crate) rate: ActivityRate<N>,
    /// How many different activities of counted copies this one stands for, capped at `u64::MAX`.
    pub(crate) multiplicity: u64,
    /// The first of its moves in [`Buffers::moves`], and the end of them.
    start: usize,
    end: usize,
}

/// The reason why the transitions of a state cannot be listed.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// An activity has no well-defined rate.
    NotWellDefined(NotWellDefined),
    /// The combinations of activities of one action are so many that the buffers would exceed their limit.
    TooMany,
}

impl From<NotWellDefined> for Refusal {
    fn from(problem: NotWellDefined) -> Self {
        Refusal::NotWellDefined(problem)
    }
}

/// Memory that is reused for every program.
#[derive(Debug)]
pub(crate) struct Buffers<N> {
    pub(crate) enabled: Vec<Enabled<N>>,
    moves: Vec<Move>,
    frames: Vec<usize>,
    /// The largest number of bytes that the buffers may take.
    pub(crate) most: u64,
}

impl<N> Buffers<N> {
    pub(crate) fn new() -> Self {
        Buffers { enabled: Vec::new(), moves: Vec::new(), frames: Vec::new(), most: u64::MAX }
    }

    /// The number of bytes that the buffers take.
    pub(crate) fn memory(&self) -> u64 {
        let moves = self.moves.capacity() * size_of::<Move>();
        (self.enabled.capacity() * size_of::<Enabled<N>>() + moves) as u64
    }

    pub(crate) fn moves_of(&self, enabled: &Enabled<N>) -> &[Move] {
        &self.moves[enabled.start..enabled.end]
    }

    /// Reserves memory for all pairs of the activities of two lists and for their moves. If `k` partners have
    /// `n` alternatives each, there are `n^k` combinations, which the size of the model does not bound.
    fn make_room(&mut self, pairs: usize, moves: usize) -> Result<(), Refusal> {
        let enabled = self.enabled.len().saturating_add(pairs);
        let moves = self.moves.len().saturating_add(moves);
        let bytes = enabled.saturating_mul(size_of::<Enabled<N>>());
        if bytes.saturating_add(moves.saturating_mul(size_of::<Move>())) as u64 > self.most {
            return Err(Refusal::TooMany);
        }
        self.enabled.reserve_exact(pairs);
        self.moves.reserve_exact(moves - self.moves.len());
        Ok(())
    }
}

impl<N: Number> Activities<N> {
    pub(crate) fn new(
        rates: &[ActivityRate<N>],
        model: &Model,
        numbers: &LocalNumbers,
        layout: &Layout,
    ) -> Self {
        let components = (0..model.components().len()).map(ComponentId::at);
        let of_component: Vec<ByLocalState<N>> =
            components.map(|component| ByLocalState::new(rates, model, numbers, component)).collect();
        let enabling: Vec<_> = of_component.iter().map(enabling).collect();
        let both = of_component.iter().zip(&enabling);
        let ranges = both.map(|(of_component, enabling)| of_component.ranges(enabling)).collect();
        let most = layout.slots().iter().map(|slot| slot.positions.len()).max().unwrap_or_default();
        let whole = (0..=most as i64).map(|count| N::from_ratio(&ratio(count, 1))).collect();
        Activities { of_component, enabling, ranges, whole }
    }

    /// The local states of a component that enable an action, in ascending order.
    pub(crate) fn enabling(&self, component: ComponentId, action: ActionId) -> &[u32] {
        let of_component = &self.enabling[component.index()];
        match of_component.binary_search_by_key(&action, |(action, _)| *action) {
            Ok(at) => &of_component[at].1,
            Err(_) => &[],
        }
    }

    /// Whether two different activities of a state may lead to the same state under the same name, given
    /// which actions are hidden somewhere. If not, no component does anything without leaving its local
    /// state, so that activities of different components lead to different states, and none has two ways to
    /// one local state under one name.
    pub(crate) fn may_repeat(&self, is_hidden: impl Fn(ActionId) -> bool) -> bool {
        self.of_component.iter().any(|of_component| {
            (0..of_component.starts.len() - 1).any(|local| {
                let range = of_component.range(local);
                let (actions, activities) =
                    (&of_component.actions[range.clone()], &of_component.activities[range]);
                let is_same = |one: usize, other: usize| {
                    let [first, second] = [actions[one], actions[other]];
                    activities[one].1 == activities[other].1
                        && (first == second || is_hidden(first) && is_hidden(second))
                };
                // More are not compared in pairs.
                const MANY: usize = 64;
                actions.len() > MANY
                    || activities.iter().any(|&(_, target)| target as usize == local)
                    || (0..actions.len()).any(|one| (0..one).any(|other| is_same(one, other)))
            })
        })
    }

    /// The activities of one action in a local state of a component.
    pub(crate) fn of_action(
        &self,
        component: ComponentId,
        local: u32,
        action: ActionId,
    ) -> &[(ActivityRate<N>, u32)] {
        let of_component = &self.of_component[component.index()];
        &of_component.activities[of_component.range_of(local as usize, action)]
    }

    /// The places of the slots of a program. There are none where copies are counted, or local states are
    /// many.
    pub(crate) fn places(&self, program: &Program, layout: &Layout) -> Vec<Place> {
        let place = |number: u32| {
            let slot = &layout.slots()[number as usize];
            let component = slot.component().index();
            let actions = &self.enabling[component];
            let action = actions.binary_search_by_key(&program.action, |(action, _)| *action).ok()?;
            let has_place = !slot.is_counted() && !self.ranges[component].is_empty();
            has_place.then(|| Place {
                field: layout.field(slot.fields().start),
                component: component as u32,
                first: action as u32 * slot.local_states(),
            })
        };
        let slots = program.steps.iter().filter_map(|step| match *step {
            Step::Leaf(slot) | Step::Another(slot) => Some(slot),
            Step::Interleave | Step::Synchronise => None,
        });
        slots.map(place).collect::<Option<_>>().unwrap_or_default()
    }

    /// Runs a program. The activities that it enables are left in the buffers.
    pub(crate) fn run(
        &self,
        program: &Program,
        layout: &Layout,
        state: &[u64],
        buffers: &mut Buffers<N>,
    ) -> Result<(), Refusal> {
        buffers.enabled.clear();
        buffers.moves.clear();
        buffers.frames.clear();
        let (mut steps, mut places) = (&program.steps[..], &program.places[..]);
        while let Some((step, rest)) = steps.split_first() {
            steps = rest;
            if let Step::Leaf(_) = step {
                buffers.frames.push(buffers.enabled.len());
            }
            match *step {
                Step::Leaf(_) | Step::Another(_) if !places.is_empty() => {
                    let more = steps.iter().take_while(|step| matches!(step, Step::Another(_))).count();
                    self.push_places(&places[..=more], state, buffers);
                    (steps, places) = (&steps[more..], &places[more + 1..]);
                }
                Step::Leaf(slot) | Step::Another(slot) => {
                    self.push_leaf(slot, program.action, layout, state, buffers);
                }
                Step::Interleave => {
                    buffers.frames.pop();
                }
                Step::Synchronise => synchronise(program.action, buffers)?,
            }
        }
        match buffers.enabled.iter().any(|enabled| enabled.rate.is_passive()) {
            true => Err(NotWellDefined::Passive(program.label).into()),
            false => Ok(()),
        }
    }

    /// Pushes the activities of several slots.
    fn push_places(&self, places: &[Place], state: &[u64], buffers: &mut Buffers<N>) {
        const TOGETHER: usize = 16;
        for places in places.chunks(TOGETHER) {
            // No branch foretells which of them enable the action, so these are gathered before anything is
            // done with them.
            let (mut enabling, mut count) = ([(0, 0, (0, 0)); TOGETHER], 0);
            for (at, place) in places.iter().enumerate() {
                let local = place.field.get(state);
                let range = self.ranges[place.component as usize][(place.first + local) as usize];
                enabling[count] = (at, local, range);
                count += usize::from(range.0 < range.1);
            }
            for &(at, local, (first, end)) in &enabling[..count] {
                let Place { field, component, .. } = places[at];
                let activities = &self.of_component[component as usize].activities;
                for (rate, target) in &activities[first as usize..end as usize] {
                    let start = buffers.moves.len();
                    if *target != local {
                        buffers.moves.push(field.change(local, *target));
                    }
                    let end = buffers.moves.len();
                    buffers.enabled.push(Enabled { rate: rate.clone(), multiplicity: 1, start, end });
                }
            }
        }
    }

    fn push_leaf(
        &self,
        number: u32,
        action: ActionId,
        layout: &Layout,
        state: &[u64],
        buffers: &mut Buffers<N>,
    ) {
        let slot = &layout.slots()[number as usize];
        if !slot.is_counted() {
            let local = layout.field(slot.fields().start).get(state);
            for (rate, target) in self.of_action(slot.component(), local, action) {
                let start = buffers.moves.len();
                layout.moves(number, local, *target, &mut buffers.moves);
                let end = buffers.moves.len();
                buffers.enabled.push(Enabled { rate: rate.clone(), multiplicity: 1, start, end });
            }
            return;
        }
        for &local in self.enabling(slot.component(), action) {
            let count = layout.field(slot.fields().start + local).get(state);
            if count == 0 {
                continue;
            }
            for (rate, target) in self.of_action(slot.component(), local, action) {
                let start = buffers.moves.len();
                layout.moves(number, local, *target, &mut buffers.moves);
                let end = buffers.moves.len();
                let rate = rate.map(|rate| rate.clone() * self.whole[count as usize].clone());
                // Copies that stay in their local state change the state in the same way.
                let multiplicity = if start == end { 1 } else { u64::from(count) };
                buffers.enabled.push(Enabled { rate, multiplicity, start, end });
            }
        }
    }
}

impl<N: Number> ByLocalState<N> {
    fn new(rates: &[ActivityRate<N>], model: &Model, numbers: &LocalNumbers, component: ComponentId) -> Self {
        let states = numbers.in_order(component);
        let activities = |&state: &_| &model.local_state(state).activities[..];
        let count = states.iter().map(|state| activities(state).len()).sum();
        let mut by_local_state = ByLocalState {
            starts: Vec::with_capacity(states.len() + 1),
            actions: Vec::with_capacity(count),
            activities: Vec::with_capacity(count),
        };
        let mut by_action: Vec<&Activity> = Vec::new();
        for state in states {
            by_local_state.starts.push(by_local_state.actions.len() as u32);
            by_action.clear();
            by_action.extend(activities(state));
            by_action.sort_by_key(|activity| activity.action);
            for activity in &by_action {
                let target = numbers.get(component, activity.target).unwrap_or_default();
                by_local_state.actions.push(activity.action);
                by_local_state.activities.push((rates[activity.rate.index()].clone(), target));
            }
        }
        by_local_state.starts.push(by_local_state.actions.len() as u32);
        by_local_state
    }
}

impl<N> ByLocalState<N> {
    /// As [`Activities::ranges`], for the actions in this order.
    fn ranges(&self, enabling: &[(ActionId, Vec<u32>)]) -> Vec<(u32, u32)> {
        const MOST: usize = 1 << 12;
        let local_states = self.starts.len() - 1;
        if local_states.saturating_mul(enabling.len()) > MOST {
            return Vec::new();
        }
        let range = |local, action| {
            let Range { start, end } = self.range_of(local, action);
            (start as u32, end as u32)
        };
        enabling
            .iter()
            .flat_map(|&(action, _)| (0..local_states).map(move |local| range(local, action)))
            .collect()
    }

    /// Where the activities of one action in a local state are.
    fn range_of(&self, local: usize, action: ActionId) -> Range<usize> {
        let Range { start, end } = self.range(local);
        let actions = &self.actions[start..end];
        let first = start + actions.partition_point(|&known| known < action);
        let count = self.actions[first..end].iter().take_while(|&&known| known == action).count();
        first..first + count
    }

    /// Where the activities of a local state are.
    fn range(&self, local: usize) -> Range<usize> {
        self.starts[local] as usize..self.starts[local + 1] as usize
    }
}

/// The actions of a component in ascending order, each with the local states that enable it, also ascending.
fn enabling<N>(of_component: &ByLocalState<N>) -> Vec<(ActionId, Vec<u32>)> {
    let mut enabling: BTreeMap<ActionId, Vec<u32>> = BTreeMap::new();
    for local in 0..of_component.starts.len() - 1 {
        for actions in of_component.actions[of_component.range(local)].chunk_by(ActionId::eq) {
            enabling.entry(actions[0]).or_default().push(local as u32);
        }
    }
    enabling.into_iter().collect()
}

/// Replaces the two topmost lists of the stack by their shared activities, whose rates follow from the
/// apparent rates.
fn synchronise<N: Number>(action: ActionId, buffers: &mut Buffers<N>) -> Result<(), Refusal> {
    let right = buffers.frames.pop().unwrap_or_default();
    let left = buffers.frames.last().copied().unwrap_or_default();
    let end = buffers.enabled.len();
    let of_left = apparent(action, &buffers.enabled[left..right])?;
    let of_right = apparent(action, &buffers.enabled[right..end])?;
    let (Some(of_left), Some(of_right)) = (of_left, of_right) else {
        buffers.enabled.truncate(left);
        return Ok(());
    };
    let together = match (of_left.is_passive(), of_right.is_passive()) {
        (false, true) => of_left.clone(),
        (true, false) => of_right.clone(),
        _ => of_left.map(|left| left.lesser(of_right.magnitude())),
    };
    let moves = |range: Range<usize>| {
        buffers.enabled[range].iter().map(|enabled| enabled.end - enabled.start).sum::<usize>()
    };
    let (of_one, of_other) = (right - left, end - right);
    let moves =
        moves(left..right).saturating_mul(of_other).saturating_add(moves(right..end).saturating_mul(of_one));
    buffers.make_room(of_one.saturating_mul(of_other), moves)?;
    for one in left..right {
        let of_one = buffers.enabled[one].rate.magnitude().clone() / of_left.magnitude().clone();
        for other in right..end {
            let (one, other) = (&buffers.enabled[one], &buffers.enabled[other]);
            let of_other = other.rate.magnitude().clone() / of_right.magnitude().clone();
            let rate = together.map(|magnitude| of_one.clone() * of_other * magnitude.clone());
            let multiplicity = one.multiplicity.saturating_mul(other.multiplicity);
            let start = buffers.moves.len();
            // There is room for them, and they are few: a copy of a range would call a function.
            for at in (one.start..one.end).chain(other.start..other.end) {
                let made = buffers.moves[at];
                buffers.moves.push(made);
            }
            buffers.enabled.push(Enabled { rate, multiplicity, start, end: buffers.moves.len() });
        }
    }
    buffers.enabled.drain(left..end);
    Ok(())
}

fn apparent<N: Number>(
    action: ActionId,
    enabled: &[Enabled<N>],
) -> Result<Option<ActivityRate<N>>, NotWellDefined> {
    let Some((first, rest)) = enabled.split_first() else { return Ok(None) };
    let mut sum = first.rate.magnitude().clone();
    for other in rest {
        if other.rate.is_passive() != first.rate.is_passive() {
            return Err(NotWellDefined::Mixed(action));
        }
        sum = sum + other.rate.magnitude().clone();
    }
    Ok(Some(first.rate.map(|_| sum)))
}
