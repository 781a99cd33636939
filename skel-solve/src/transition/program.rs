//! Turns the cooperation tree into programs that enumerate transitions, one or more for each action.
//!
//! An action, and each place where it is hidden, has a small program over the slots that can do it.
//! Components and cooperations that cannot take part are left out. A program runs on a stack: `Leaf` pushes
//! the local activities of a slot, `Interleave` concatenates two lists, and `Synchronise` combines two lists
//! pairwise by the rule of shared activities. A program whose last step is an `Interleave` is split into two,
//! one for each operand. Of the others, `Another` is a `Leaf` with the `Interleave` behind it, so that the
//! slots of an array follow one another.

use skel_core::model::{ActionId, Model, Node, NodeId, Position};

use crate::state::layout::{Field, Layout};
use crate::state::local_numbers::actions_at;

/// One step of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Pushes the activities of a slot, given by its number.
    Leaf(u32),
    /// Adds the activities of a slot to the list on top.
    Another(u32),
    Interleave,
    Synchronise,
}

/// A program for one action.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The action that the components do.
    pub(crate) action: ActionId,
    /// The action that the whole system shows: the same one, or `tau` where it is hidden.
    pub(crate) label: ActionId,
    pub(crate) steps: Vec<Step>,
    /// For each slot of the steps where its local state is found, and with it what it enables; nothing if
    /// some slot has no such place.
    pub(crate) places: Vec<Place>,
}

impl Program {
    /// Whether some slots have to do the action together.
    pub(crate) fn synchronises(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Synchronise))
    }

    /// The slots that can take part.
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> {
        self.steps.iter().filter_map(|step| match step {
            Step::Leaf(slot) | Step::Another(slot) => Some(*slot),
            Step::Interleave | Step::Synchronise => None,
        })
    }

    /// The part of the program that some slots run by themselves. They synchronise with none of the others.
    /// `None` if none of them can take part.
    pub(crate) fn of_slots(self, is_kept: &dyn Fn(u32) -> bool) -> Option<Program> {
        let kept: Vec<u32> = self.slots().filter(|&slot| is_kept(slot)).collect();
        let step = |(at, slot)| if at == 0 { Step::Leaf(slot) } else { Step::Another(slot) };
        match (kept.is_empty(), self.synchronises()) {
            (true, _) => None,
            (false, true) => Some(self),
            (false, false) => {
                Some(Program { steps: kept.into_iter().enumerate().map(step).collect(), ..self })
            }
        }
    }
}

/// Where the local state of a slot is found, and what it enables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) field: Field,
    pub(crate) component: u32,
    /// Local state `i` enables the activities of the range with the number `first + i`.
    pub(crate) first: u32,
}

/// The programs of a model.
pub(crate) fn programs(model: &Model, layout: &Layout) -> Vec<Program> {
    let mut apart = Vec::new();
    for program in whole_programs(model, layout) {
        take_apart(&program, &mut apart);
    }
    apart
}

/// The programs of all actions, before they are split. Each node of the tree has a list of the programs that
/// may still grow.
fn whole_programs(model: &Model, layout: &Layout) -> Vec<Program> {
    let mut finished = Vec::new();
    let mut open: Vec<Vec<Program>> = Vec::with_capacity(model.nodes().len());
    let take = |open: &mut Vec<Vec<Program>>, node: NodeId| std::mem::take(&mut open[node.index()]);
    for node in model.nodes() {
        let here = match node {
            Node::Leaf(position) => leaf_programs(model, layout, *position),
            Node::Hiding { of, set } => {
                let (hidden, kept): (Vec<Program>, _) =
                    take(&mut open, *of).into_iter().partition(|program| set.contains(program.action));
                finished
                    .extend(hidden.into_iter().map(|program| Program { label: ActionId::TAU, ..program }));
                kept
            }
            Node::Cooperation { left, right, set } => {
                let left = take(&mut open, *left);
                let mut right = take(&mut open, *right).into_iter().peekable();
                let mut joined = Vec::new();
                // Both lists are in the order of their actions.
                for program in left {
                    let synchronises = set.contains(program.action);
                    while let Some(other) = right.next_if(|other| other.action < program.action) {
                        joined.extend((!set.contains(other.action)).then_some(other));
                    }
                    match right.next_if(|other| other.action == program.action) {
                        Some(partner) => joined.push(join(program, partner, synchronises)),
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

fn join(mut left: Program, right: Program, synchronises: bool) -> Program {
    // A counted copy that another copy represents has no steps. Such copies never synchronise with one
    // another.
    if left.steps.is_empty() || right.steps.is_empty() {
        left.steps.extend(right.steps);
        return left;
    }
    left.steps.extend(right.steps);
    left.steps.push(if synchronises { Step::Synchronise } else { Step::Interleave });
    left
}

/// The programs of a single component. The first of several counted copies represents all of them.
fn leaf_programs(model: &Model, layout: &Layout, position: Position) -> Vec<Program> {
    let number = layout.slot_of(position.index());
    let is_first = layout.slots()[number as usize].positions[0] == position.0;
    let steps = if is_first { vec![Step::Leaf(number)] } else { Vec::new() };
    actions_at(model, position)
        .into_iter()
        .map(|action| Program { action, label: action, steps: steps.clone(), places: Vec::new() })
        .collect()
}

/// Splits a program at the `Interleave`s that end it, and adds the parts.
fn take_apart(program: &Program, apart: &mut Vec<Program>) {
    let starts = starts(&program.steps);
    let mut ends = vec![program.steps.len()];
    while let Some(end) = ends.pop() {
        match program.steps[..end].last() {
            None => {}
            Some(Step::Interleave) => ends.extend([end - 1, starts[end - 2]]),
            Some(_) => {
                let steps = gathered(&program.steps[starts[end - 1]..end]);
                let Program { action, label, .. } = *program;
                apart.push(Program { action, label, steps, places: Vec::new() });
            }
        }
    }
}

/// The same steps with `Another` in place of each `Leaf` that is interleaved with what is on the stack before
/// it.
fn gathered(steps: &[Step]) -> Vec<Step> {
    let mut gathered = Vec::with_capacity(steps.len());
    // For each list on the stack where it begins, if it is one of slots alone.
    let mut starts: Vec<Option<usize>> = Vec::new();
    for &step in steps {
        let of_slots = match step {
            Step::Leaf(_) => {
                starts.push(Some(gathered.len()));
                gathered.push(step);
                continue;
            }
            Step::Interleave | Step::Synchronise => starts.pop().flatten(),
            Step::Another(_) => None,
        };
        match (step, of_slots.map(|at| &mut gathered[at])) {
            (Step::Interleave, Some(first)) => {
                if let Step::Leaf(slot) = *first {
                    *first = Step::Another(slot);
                }
            }
            _ => {
                gathered.push(step);
                starts.last_mut().into_iter().for_each(|left| *left = None);
            }
        }
    }
    gathered
}

/// For each step the first step of the subprogram that it ends.
fn starts(steps: &[Step]) -> Vec<usize> {
    let mut stack: Vec<usize> = Vec::new();
    let start = |(at, step): (usize, &Step)| {
        match step {
            Step::Leaf(_) => stack.push(at),
            Step::Another(_) => {}
            Step::Interleave | Step::Synchronise => {
                stack.pop();
            }
        }
        stack.last().copied().unwrap_or_default()
    };
    steps.iter().enumerate().map(start).collect()
}
