//! The transition relation, compiled once per action from the cooperation tree.
//!
//! For each action (and each place where it is hidden) there is a small program over the positions that can do
//! it; positions and cooperations that cannot take part are pruned. A program runs on a stack: a leaf pushes the
//! local activities of its position, `Interleave` joins two lists, `Synchronise` multiplies them out by the rule
//! of shared activities. It is generic over the number: the same programs run in `f64` and in rationals.
//!
//! In a state only the programs run whose action some local state enables: a model may have as many actions as
//! states, and few are enabled at a time.

use skel_core::model::{ActionId, Model, Node, NodeId, Position};
use skel_core::number::Number;
use skel_core::rate::ActivityRate;
use skel_core::semantics::NotWellDefined;

use super::layout::{Layout, LocalNumbers};
use super::symmetry::actions_at;

/// One step of an action's program.
#[derive(Clone, Copy, Debug)]
enum Step {
    Leaf(u32),
    Interleave,
    Synchronise,
}

/// The program of one action.
#[derive(Clone, Debug)]
struct Program {
    /// What the action does in components.
    action: ActionId,
    /// What it is called at the top: itself, or `tau`.
    label: ActionId,
    steps: Vec<Step>,
}

/// `(rate, target)` of the activities of one action in one local state.
type LocalActivities<N> = Vec<(ActivityRate<N>, u32)>;

/// What a local state can do, by action in ascending order.
type ByAction<N> = Vec<(ActionId, LocalActivities<N>)>;

/// A model whose transitions can be enumerated fast.
#[derive(Clone, Debug)]
pub(crate) struct Compiled<N> {
    programs: Vec<Program>,
    /// Per position: the programs that it takes part in, by action in ascending order.
    programs_at: Vec<Vec<(ActionId, u32)>>,
    /// Per component, per local state.
    activities: Vec<Vec<ByAction<N>>>,
    component_of: Vec<usize>,
}

/// An activity that a part of the system enables.
#[derive(Clone, Debug)]
struct Enabled<N> {
    rate: ActivityRate<N>,
    /// Its local moves, a range of [`Buffers::moves`].
    start: usize,
    end: usize,
}

/// Why the transitions of a state cannot be listed.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// An activity has no rate.
    NotWellDefined(NotWellDefined),
    /// So many activities of one action come together that the buffers would pass their bound.
    TooMany,
}

impl From<NotWellDefined> for Refusal {
    fn from(problem: NotWellDefined) -> Self {
        Refusal::NotWellDefined(problem)
    }
}

/// Memory that is used again for every state.
#[derive(Debug)]
pub(crate) struct Buffers<N> {
    enabled: Vec<Enabled<N>>,
    moves: Vec<(u32, u32)>,
    frames: Vec<usize>,
    target: Vec<u64>,
    /// The programs to run in a state, and per program whether it is among them.
    due: Vec<u32>,
    is_due: Vec<bool>,
    /// The most bytes that they may take.
    pub(crate) most: u64,
}

impl<N> Buffers<N> {
    pub(crate) fn new(layout: &Layout) -> Self {
        Buffers {
            enabled: Vec::new(),
            moves: Vec::new(),
            frames: Vec::new(),
            target: vec![0; layout.words()],
            due: Vec::new(),
            is_due: Vec::new(),
            most: u64::MAX,
        }
    }

    /// The bytes that they take.
    pub(crate) fn memory(&self) -> u64 {
        let moves = self.moves.capacity() * size_of::<(u32, u32)>();
        (self.enabled.capacity() * size_of::<Enabled<N>>() + moves) as u64
    }

    /// Makes room for the pairs of two lists and for their moves: `k` partners with `n` alternatives each have
    /// `n^k` pairs, which no model's size bounds.
    fn make_room(&mut self, pairs: usize, moves: usize) -> Result<(), Refusal> {
        let enabled = self.enabled.len().saturating_add(pairs);
        let moves = self.moves.len().saturating_add(moves);
        let bytes = enabled.saturating_mul(size_of::<Enabled<N>>());
        if bytes.saturating_add(moves.saturating_mul(size_of::<(u32, u32)>())) as u64 > self.most {
            return Err(Refusal::TooMany);
        }
        self.enabled.reserve_exact(pairs);
        self.moves.reserve_exact(moves - self.moves.len());
        Ok(())
    }
}

impl<N: Number> Compiled<N> {
    pub(crate) fn of(model: &Model, numbers: &LocalNumbers) -> Self {
        let rates: Vec<ActivityRate<N>> =
            model.rates().iter().map(|entry| entry.value.map(N::from_ratio)).collect();
        let activities = (0..model.components().len())
            .map(|component| {
                let id = skel_core::model::ComponentId::at(component);
                numbers
                    .in_order(id)
                    .iter()
                    .map(|&state| {
                        let mut by_action: ByAction<N> = Vec::new();
                        for activity in &model.local_state(state).activities {
                            let rate = rates[activity.rate.index()].clone();
                            let target = numbers.get(id, activity.target).unwrap_or_default();
                            match by_action.binary_search_by_key(&activity.action, |(action, _)| *action) {
                                Ok(at) => by_action[at].1.push((rate, target)),
                                Err(at) => by_action.insert(at, (activity.action, vec![(rate, target)])),
                            }
                        }
                        by_action
                    })
                    .collect()
            })
            .collect();
        let component_of =
            (0..model.positions()).map(|at| model.component_at(Position::at(at)).index()).collect();
        let programs = programs(model);
        let mut programs_at = vec![Vec::new(); model.positions()];
        for (number, program) in programs.iter().enumerate() {
            for step in &program.steps {
                if let Step::Leaf(position) = *step {
                    programs_at[position as usize].push((program.action, number as u32));
                }
            }
        }
        programs_at.iter_mut().for_each(|programs| programs.sort_unstable());
        Compiled { programs, programs_at, activities, component_of }
    }

    /// Calls `found` with every transition of a state: its label, its rate and its packed target.
    pub(crate) fn for_each_transition(
        &self,
        layout: &Layout,
        state: &[u64],
        buffers: &mut Buffers<N>,
        mut found: impl FnMut(ActionId, &N, &[u64]),
    ) -> Result<(), Refusal> {
        self.list_due(layout, state, buffers);
        for at in 0..buffers.due.len() {
            let program = &self.programs[buffers.due[at] as usize];
            self.run(program, layout, state, buffers)?;
            for enabled in &buffers.enabled {
                let ActivityRate::Active(rate) = &enabled.rate else {
                    return Err(NotWellDefined::Passive(program.label).into());
                };
                buffers.target.copy_from_slice(state);
                for &(position, local) in &buffers.moves[enabled.start..enabled.end] {
                    layout.set(&mut buffers.target, position as usize, local);
                }
                found(program.label, rate, &buffers.target);
            }
        }
        Ok(())
    }

    /// Leaves the programs whose actions are enabled by some local state in the buffers, in their order.
    fn list_due(&self, layout: &Layout, state: &[u64], buffers: &mut Buffers<N>) {
        buffers.is_due.resize(self.programs.len(), false);
        buffers.due.clear();
        for (position, &component) in self.component_of.iter().enumerate() {
            let by_action = &self.activities[component][layout.get(state, position) as usize];
            let programs = &self.programs_at[position];
            for (action, _) in by_action {
                let Ok(at) = programs.binary_search_by_key(action, |(action, _)| *action) else { continue };
                let program = programs[at].1;
                if !std::mem::replace(&mut buffers.is_due[program as usize], true) {
                    buffers.due.push(program);
                }
            }
        }
        buffers.due.sort_unstable();
        for &program in &buffers.due {
            buffers.is_due[program as usize] = false;
        }
    }

    /// Leaves the enabled activities of one program in the buffers.
    fn run(
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
                Step::Leaf(position) => {
                    buffers.frames.push(buffers.enabled.len());
                    let local = layout.get(state, position as usize);
                    let component = self.component_of[position as usize];
                    let by_action = &self.activities[component][local as usize];
                    let Ok(at) = by_action.binary_search_by_key(&program.action, |(action, _)| *action)
                    else {
                        continue;
                    };
                    for (rate, target) in &by_action[at].1 {
                        let start = buffers.moves.len();
                        buffers.moves.push((position, *target));
                        buffers.enabled.push(Enabled { rate: rate.clone(), start, end: start + 1 });
                    }
                }
                Step::Interleave => {
                    buffers.frames.pop();
                }
                Step::Synchronise => synchronise(program.action, buffers)?,
            }
        }
        Ok(())
    }
}

/// Replaces the two topmost lists by their shared activities.
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
        _ if of_left.magnitude() <= of_right.magnitude() => of_left.clone(),
        _ => of_right.clone(),
    };
    let moves = |range: std::ops::Range<usize>| {
        buffers.enabled[range].iter().map(|enabled| enabled.end - enabled.start).sum::<usize>()
    };
    let (of_one, of_other) = (right - left, end - right);
    let moves =
        moves(left..right).saturating_mul(of_other).saturating_add(moves(right..end).saturating_mul(of_one));
    buffers.make_room(of_one.saturating_mul(of_other), moves)?;
    for one in left..right {
        for other in right..end {
            let (one, other) = (&buffers.enabled[one], &buffers.enabled[other]);
            let share = one.rate.magnitude().clone() / of_left.magnitude().clone()
                * (other.rate.magnitude().clone() / of_right.magnitude().clone());
            let rate = together.map(|magnitude| share * magnitude.clone());
            let start = buffers.moves.len();
            let (one, other) = (one.start..one.end, other.start..other.end);
            buffers.moves.extend_from_within(one);
            buffers.moves.extend_from_within(other);
            buffers.enabled.push(Enabled { rate, start, end: buffers.moves.len() });
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

/// The programs of all actions: at each node the programs that are still open, pruned as they grow.
fn programs(model: &Model) -> Vec<Program> {
    let mut finished = Vec::new();
    let mut open: Vec<Vec<Program>> = Vec::with_capacity(model.nodes().len());
    let take = |open: &mut Vec<Vec<Program>>, node: NodeId| std::mem::take(&mut open[node.index()]);
    for node in model.nodes() {
        let here = match node {
            Node::Leaf(position) => leaf_programs(model, *position),
            Node::Hiding { of, set } => {
                let (hidden, kept) =
                    take(&mut open, *of).into_iter().partition(|program| set.contains(program.action));
                let hidden: Vec<Program> = hidden;
                finished
                    .extend(hidden.into_iter().map(|program| Program { label: ActionId::TAU, ..program }));
                kept
            }
            Node::Cooperation { left, right, set } => {
                let left = take(&mut open, *left);
                let mut right = take(&mut open, *right).into_iter().peekable();
                let mut joined = Vec::new();
                // Both lists are in the order of their actions.
                for mut program in left {
                    let synchronises = set.contains(program.action);
                    while let Some(other) = right.next_if(|other| other.action < program.action) {
                        joined.extend((!set.contains(other.action)).then_some(other));
                    }
                    match right.next_if(|other| other.action == program.action) {
                        Some(partner) => {
                            program.steps.extend(partner.steps);
                            program.steps.push(if synchronises {
                                Step::Synchronise
                            } else {
                                Step::Interleave
                            });
                            joined.push(program);
                        }
                        None if synchronises => {}
                        None => joined.push(program),
                    }
                }
                joined.extend(right.filter(|program| !set.contains(program.action)));
                joined
            }
        };
        open.push(here);
    }
    finished.extend(open.pop().unwrap_or_default());
    finished.sort_by_key(|program| (program.label, program.action));
    finished
}

fn leaf_programs(model: &Model, position: Position) -> Vec<Program> {
    actions_at(model, position)
        .into_iter()
        .map(|action| Program { action, label: action, steps: vec![Step::Leaf(position.0)] })
        .collect()
}
