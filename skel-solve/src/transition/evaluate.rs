//! Runs a program in a state, on a stack of lists of enabled activities.
//!
//! The evaluation is generic over the type of numbers, so the same programs run in `f64` and in rational numbers. Where
//! copies are counted, one activity of a local state stands for those of all copies in it, and has the sum of their
//! rates.

use skel_core::model::{ActionId, ComponentId, Model};
use skel_core::number::{Number, ratio};
use skel_core::rate::ActivityRate;
use skel_core::semantics::NotWellDefined;

use crate::state::layout::{Layout, Move};
use crate::state::local_numbers::LocalNumbers;
use crate::transition::program::{Program, Step};

/// Rate and target of each activity of one action in one local state.
type LocalActivities<N> = Vec<(ActivityRate<N>, u32)>;

/// The activities of one local state, by action in ascending order.
type ByAction<N> = Vec<(ActionId, LocalActivities<N>)>;

/// The activities of all components of a model.
#[derive(Clone, Debug)]
pub(crate) struct Activities<N> {
    /// For each component and each of its local states the activities.
    of_component: Vec<Vec<ByAction<N>>>,
    /// For each component its actions in ascending order, each with the local states that enable it, also ascending.
    enabling: Vec<Vec<(ActionId, Vec<u32>)>>,
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

    /// Reserves memory for all pairs of the activities of two lists and for their moves. If `k` partners have `n`
    /// alternatives each, there are `n^k` combinations, which the size of the model does not bound.
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
        let by_action = |component, &state: &_| {
            let mut by_action: ByAction<N> = Vec::new();
            for activity in &model.local_state(state).activities {
                let rate = rates[activity.rate.index()].clone();
                let target = numbers.get(component, activity.target).unwrap_or_default();
                match by_action.binary_search_by_key(&activity.action, |(action, _)| *action) {
                    Ok(at) => by_action[at].1.push((rate, target)),
                    Err(at) => by_action.insert(at, (activity.action, vec![(rate, target)])),
                }
            }
            by_action
        };
        let components = (0..model.components().len()).map(ComponentId::at);
        let of_component: Vec<Vec<ByAction<N>>> = components
            .map(|component| {
                numbers.in_order(component).iter().map(|state| by_action(component, state)).collect()
            })
            .collect();
        let enabling = of_component.iter().map(|local_states| enabling(local_states)).collect();
        let most = layout.slots().iter().map(|slot| slot.positions.len()).max().unwrap_or_default();
        let whole = (0..=most as i64).map(|count| N::from_ratio(&ratio(count, 1))).collect();
        Activities { of_component, enabling, whole }
    }

    /// The local states of a component that enable an action, in ascending order.
    pub(crate) fn enabling(&self, component: ComponentId, action: ActionId) -> &[u32] {
        let of_component = &self.enabling[component.index()];
        match of_component.binary_search_by_key(&action, |(action, _)| *action) {
            Ok(at) => &of_component[at].1,
            Err(_) => &[],
        }
    }

    /// The activities of one action in a local state of a component.
    pub(crate) fn of_action(
        &self,
        component: ComponentId,
        local: u32,
        action: ActionId,
    ) -> &[(ActivityRate<N>, u32)] {
        let by_action = &self.of_component[component.index()][local as usize];
        match by_action.binary_search_by_key(&action, |(action, _)| *action) {
            Ok(at) => &by_action[at].1,
            Err(_) => &[],
        }
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
        for step in &program.steps {
            match *step {
                Step::Leaf(slot) => {
                    buffers.frames.push(buffers.enabled.len());
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

/// The actions of a list of local states in ascending order, each with the local states that enable it, also ascending.
fn enabling<N>(local_states: &[ByAction<N>]) -> Vec<(ActionId, Vec<u32>)> {
    // The pairs are plain numbers, since other lists of this type are sorted too, and the code is shared.
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for (local, by_action) in local_states.iter().enumerate() {
        pairs.extend(by_action.iter().map(|&(action, _)| (action.0, local as u32)));
    }
    pairs.sort_unstable();
    let runs = pairs.chunk_by(|one, other| one.0 == other.0);
    runs.map(|run| (ActionId(run[0].0), run.iter().map(|&(_, local)| local).collect())).collect()
}

/// Replaces the two topmost lists of the stack by their shared activities, whose rates follow from the apparent rates.
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
    let moves = |range: std::ops::Range<usize>| {
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
            let (one, other) = (one.start..one.end, other.start..other.end);
            buffers.moves.extend_from_within(one);
            buffers.moves.extend_from_within(other);
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
