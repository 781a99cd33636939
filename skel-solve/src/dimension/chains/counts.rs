//! The chain of a pipe of farms by its counts: how many replicas of each stage compute and how many wait to
//! send, and how many items each buffer holds.
//!
//! These are the counts of `line`, made into a chain without the PEPA model. The model with equal workers
//! lumped has the same states; making them from the model takes several times as long as solving them, and a
//! search solves a hundred chains. Where moves take no time, a state is what is left when no item can move,
//! so that there are no vanishing states. Only exponential times are here; others have their chain from the
//! model. Tests hold both ways equal.

use std::collections::HashMap;

use crate::chain::{Generator, Matrix};
use crate::error::{Error, Stopped};
use crate::limits::memory::MemoryBudget;
use crate::limits::{BETWEEN_LOOKS, Limit, Limits, Progress, Reached, Watch};
use crate::steady::{Options, of_generator};

/// What a chain says.
#[derive(Clone, Copy, Debug)]
pub(in crate::dimension) struct Figures {
    pub(in crate::dimension) throughput: f64,
    pub(in crate::dimension) response_time: f64,
    /// The time within which a part of the items is through, if that was asked for.
    pub(in crate::dimension) quantile: Option<f64>,
}

impl Figures {
    /// The response time that was asked for.
    pub(in crate::dimension) fn time(&self) -> f64 {
        self.quantile.unwrap_or(self.response_time)
    }
}

/// A pipe of farms.
#[derive(Clone, Debug)]
pub(in crate::dimension) struct Counts {
    /// How many replicas each stage has, and the rate of each.
    pub(in crate::dimension) stages: Vec<(u32, f64)>,
    /// What is between each stage and the next.
    pub(in crate::dimension) joints: Vec<Joint>,
}

/// What is between two stages.
#[derive(Clone, Copy, Debug)]
pub(in crate::dimension) struct Joint {
    /// The rate of a move; none where it takes no time.
    pub(in crate::dimension) rate: Option<f64>,
    /// How many items the buffer holds.
    pub(in crate::dimension) places: u32,
    /// Whether one item moves at a time.
    pub(in crate::dimension) one_port: bool,
}

/// For each stage how many replicas compute and how many wait to send, then for each joint how many items
/// wait.
type State = Vec<u32>;

impl Counts {
    /// Solves the chain.
    #[cfg_attr(debug_assertions, inline)]
    pub(in crate::dimension) fn solve(&self, limits: &Limits, options: &Options) -> Result<Figures, Error> {
        let (states, matrix) = self.explore(limits)?;
        let kept = states.len() as u64 * (size_of::<State>() as u64 + 4 * self.initial().len() as u64);
        let budget = MemoryBudget::new(limits).beside(kept);
        let pi = match states.len() {
            1 => vec![1.0],
            _ => of_generator::in_floats(&Generator::new(matrix), budget, limits, options)?.0,
        };
        let last = self.stages.len() - 1;
        let expected = |value: &dyn Fn(&State) -> u32| -> f64 {
            states.iter().zip(&pi).map(|(state, probability)| f64::from(value(state)) * probability).sum()
        };
        let throughput = self.stages[last].1 * expected(&|state| state[2 * last]);
        let inside = expected(&|state| state.iter().sum());
        Ok(Figures { throughput, response_time: inside / throughput, quantile: None })
    }

    /// All states from the initial one, and the generator matrix.
    #[cfg_attr(debug_assertions, inline)]
    fn explore(&self, limits: &Limits) -> Result<(Vec<State>, Matrix<f64>), Stopped> {
        let (mut watch, budget) = (Watch::start(limits), MemoryBudget::new(limits));
        let mut states = vec![self.initial()];
        let mut numbers = HashMap::from([(self.initial(), 0_u32)]);
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut row: Vec<(u32, f64)> = Vec::new();
        while offsets.len() <= states.len() {
            let here = offsets.len() - 1;
            row.clear();
            for (rate, next) in self.transitions(&states[here]) {
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    states.len() as u32 - 1
                });
                row.push((number, rate));
            }
            row.push((here as u32, -row.iter().map(|(_, rate)| rate).sum::<f64>()));
            row.sort_unstable_by_key(|(number, _)| *number);
            for &(number, rate) in &row {
                match columns.last() {
                    Some(&last) if last == number && columns.len() > offsets[here] => {
                        *values.last_mut().expect("as many as columns") += rate;
                    }
                    _ => {
                        columns.push(number);
                        values.push(rate);
                    }
                }
            }
            offsets.push(columns.len());
            let found = states.len() as u64;
            let reached = Reached::Exploring {
                states: found,
                transitions: columns.len() as u64,
                waiting: (states.len() + 1 - offsets.len()) as u64,
                unlumped: None,
            };
            if found > limits.states {
                return Err(Stopped { limit: Limit::States(limits.states), reached });
            }
            if here % BETWEEN_LOOKS == 0 {
                let progress = || Progress::Exploring { found, explored: here as u64 };
                watch.check(progress).map_err(|limit| Stopped { limit, reached })?;
                let state = 2 * (size_of::<State>() + 4 * states[here].len()) + size_of::<u64>();
                budget.check(found * state as u64 + columns.len() as u64 * 12)?;
            }
        }
        Ok((states, Matrix::new(offsets, columns, values)))
    }

    /// All replicas of the first stage compute, and the others wait.
    #[cfg_attr(debug_assertions, inline)]
    fn initial(&self) -> State {
        let mut state = vec![0; 2 * self.stages.len() + self.joints.len()];
        state[0] = self.stages[0].0;
        state
    }

    /// The transitions of a state, those with the same end not joined.
    #[cfg_attr(debug_assertions, inline)]
    fn transitions(&self, state: &State) -> Vec<(f64, State)> {
        let mut transitions = Vec::new();
        let last = self.stages.len() - 1;
        for (stage, &(_, rate)) in self.stages.iter().enumerate() {
            if last > 0 && state[2 * stage] > 0 {
                let mut next = state.clone();
                next[2 * stage] -= 1;
                next[2 * stage + 1] += u32::from(stage < last);
                self.settle(&mut next);
                transitions.push((f64::from(state[2 * stage]) * rate, next));
            }
        }
        for (number, joint) in self.joints.iter().enumerate() {
            let Some(rate) = joint.rate else { continue };
            let (senders, receivers) = (state[2 * number + 1], self.idle(state, number + 1));
            let pairs = if joint.one_port { 1 } else { senders * receivers };
            let moves = if joint.places == 0 { [Move::Direct, Move::Direct] } else { [Move::Put, Move::Get] };
            for kind in moves.into_iter().take(if joint.places == 0 { 1 } else { 2 }) {
                let mut next = state.clone();
                if self.do_move(&mut next, number, kind) {
                    let links = if kind == Move::Direct { f64::from(pairs) } else { 1.0 };
                    transitions.push((rate * links, next));
                }
            }
        }
        transitions
    }

    /// Moves items that take no time to move until none can.
    #[cfg_attr(debug_assertions, inline)]
    fn settle(&self, state: &mut State) {
        let immediate = self.joints.iter().enumerate().filter(|(_, joint)| joint.rate.is_none());
        let immediate: Vec<usize> = immediate.map(|(number, _)| number).collect();
        let mut has_moved = true;
        while has_moved {
            has_moved = false;
            for &number in immediate.iter().rev() {
                let kinds = if self.joints[number].places == 0 {
                    &[Move::Direct][..]
                } else {
                    &[Move::Get, Move::Put]
                };
                for &kind in kinds {
                    while self.do_move(state, number, kind) {
                        has_moved = true;
                    }
                }
            }
        }
    }

    /// Makes a move, if it is possible.
    #[cfg_attr(debug_assertions, inline)]
    fn do_move(&self, state: &mut State, joint: usize, kind: Move) -> bool {
        let buffer = 2 * self.stages.len() + joint;
        let is_sent = matches!(kind, Move::Direct | Move::Put);
        let is_received = matches!(kind, Move::Direct | Move::Get);
        let is_possible = (!is_sent || state[2 * joint + 1] > 0)
            && (!is_received || self.idle(state, joint + 1) > 0)
            && (kind != Move::Put || state[buffer] < self.joints[joint].places)
            && (kind != Move::Get || state[buffer] > 0);
        if is_possible && is_sent {
            state[2 * joint + 1] -= 1;
            // A replica of the first stage begins its next item.
            state[2 * joint] += u32::from(joint == 0);
        }
        if is_possible && is_received {
            state[2 * joint + 2] += 1;
        }
        match kind {
            Move::Put if is_possible => state[buffer] += 1,
            Move::Get if is_possible => state[buffer] -= 1,
            _ => {}
        }
        is_possible
    }

    /// How many replicas of a stage wait to receive.
    fn idle(&self, state: &State, stage: usize) -> u32 {
        self.stages[stage].0 - state[2 * stage] - state[2 * stage + 1]
    }
}

/// A way in which an item moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    /// From a sender to a receiver.
    Direct,
    /// Into the buffer.
    Put,
    /// Out of the buffer.
    Get,
}
