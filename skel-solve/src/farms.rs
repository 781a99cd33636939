//! The chain of a pipe of farms whose items move at once, by the counts of its workers in each phase.
//!
//! Moves take no time here. So what is between a stage and the next is one number `z`, the items that the
//! stage has completed and the next one has not begun, less its idle workers:
//!
//! ```text
//! z < 0        -z workers of the next stage are idle, and the buffer is empty
//! 0 <= z <= c  z items are in the buffer of c places
//! z > c        the buffer is full, and z - c workers of the stage wait to send
//! ```
//!
//! These numbers, and for each stage how many workers are in which phase of their service, are a state. No
//! state vanishes, workers that are alike are lumped from the start, and the number of states is known before
//! any is made (`states`). The model of the same program has the same states where times are exponential; a
//! search that solves many chains is faster with these.

use std::collections::HashMap;

use skel_core::number::Number;
use skel_core::time::PhaseType;

use crate::chain::{Generator, Matrix};
use crate::error::{Error, Stopped};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limit, Limits, Reached};
use crate::steady::{Options, of_generator};

/// A pipe of farms and tasks whose items move at once: a task is a farm of one worker.
///
/// The first stage always has an item, and the last one hands over at once.
///
/// # Examples
/// ```
/// use skel_core::{number::ratio, time::PhaseType};
/// use skel_solve::{Limits, farms::FarmPipe};
///
/// let exponential = |mean| PhaseType::exponential(&ratio(1, mean));
/// let pipe = FarmPipe::new(vec![(1, exponential(1)), (4, exponential(4)), (1, exponential(1))], vec![4, 4]);
/// assert_eq!(pipe.states(), 90);
/// let throughput = pipe.throughput(&Limits::default())?;
/// assert!((throughput - 0.8341429988953186).abs() < 1e-12);
/// # Ok::<(), skel_solve::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FarmPipe {
    stages: Vec<Farm>,
    /// The capacity of the buffer between each stage and the next.
    buffers: Vec<u32>,
}

/// Workers side by side.
#[derive(Clone, Debug)]
struct Farm {
    workers: u32,
    /// The phases in which a service begins, with their probabilities.
    begins: Vec<(usize, f64)>,
    /// For each phase where it leads, and at which rate; none where the service ends.
    steps: Vec<Vec<(Option<usize>, f64)>>,
    /// Where the counts of its phases begin in a state.
    at: usize,
}

/// For each stage how many workers are in each phase, and then `z` of each joint, plus the number of workers
/// behind it.
type State = Vec<u32>;

impl FarmPipe {
    /// Stages with their numbers of workers and their service times, and the capacity of the buffer between
    /// each and the next.
    ///
    /// # Panics
    /// If there is no stage, a stage without workers, or not one buffer fewer than stages.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn new(stages: Vec<(u32, PhaseType)>, buffers: Vec<u32>) -> Self {
        assert_eq!(stages.len(), buffers.len() + 1, "there is a buffer between two stages");
        assert!(stages.iter().all(|(workers, _)| *workers > 0), "a stage has a worker");
        let mut at = 0;
        let farm = |(workers, time): (u32, PhaseType)| {
            let farm = Farm::new(workers, &time, at);
            at += time.phases();
            farm
        };
        FarmPipe { stages: stages.into_iter().map(farm).collect(), buffers }
    }

    /// How many states the chain has; the largest number if there are more than that. It takes no longer than
    /// the squares of the numbers of workers.
    ///
    /// Each `z` leaves some workers of one of its two stages idle or waiting, and the others are in any of
    /// the phases. So the states to the left of a stage are counted for each number of its workers that are
    /// idle, from the first stage to the last.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn states(&self) -> u64 {
        let mut by_idle: Vec<u64> = vec![1];
        for (place, farm) in self.stages.iter().enumerate() {
            let workers = farm.workers as usize;
            let arrangements = farm.arrangements();
            let waiting = |waiting: usize| {
                let busy = |(idle, ways): (usize, &u64)| {
                    let busy = workers.checked_sub(idle + waiting)?;
                    Some(ways.saturating_mul(arrangements[busy]))
                };
                by_idle.iter().enumerate().filter_map(busy).fold(0, u64::saturating_add)
            };
            let none = waiting(0);
            let Some(next) = self.stages.get(place + 1) else { return none };
            let some = (1..=workers).map(waiting).fold(0, u64::saturating_add);
            let in_buffer = none.saturating_mul(u64::from(self.buffers[place]) + 1);
            let mut following = vec![none; next.workers as usize + 1];
            following[0] = in_buffer.saturating_add(some);
            by_idle = following;
        }
        0
    }

    /// How many items leave it for each unit of time, in the steady state.
    ///
    /// # Errors
    /// A limit of states or memory; a solution that does not converge within the iterations.
    #[cfg_attr(debug_assertions, inline)]
    pub fn throughput(&self, limits: &Limits) -> Result<f64, Error> {
        let found = self.states();
        if found > limits.states {
            let reached = Reached::Foreseen { states: found.into() };
            return Err(Error::Stopped(Stopped { limit: Limit::States(limits.states), reached }));
        }
        let (states, matrix) = self.explore(found as usize);
        let budget = MemoryBudget::new(limits).beside(states.len() as u64 * 8 * self.width() as u64);
        let pi = match states.len() {
            1 => vec![1.0],
            _ => of_generator::in_floats(&Generator::new(matrix), budget, limits, &Options::default())?.0,
        };
        let last = self.stages.last().expect("there is a stage");
        let ending = |state: &State| -> f64 {
            let steps = last.steps.iter().zip(&state[last.at..]);
            steps.map(|(steps, &count)| rate_of_ending(steps) * f64::from(count)).sum()
        };
        Ok(states.iter().zip(&pi).map(|(state, probability)| ending(state) * probability).sum())
    }

    /// The number of entries of a state.
    fn width(&self) -> usize {
        let last = self.stages.last().expect("there is a stage");
        last.at + last.steps.len() + self.buffers.len()
    }

    /// All states, and the generator matrix.
    #[cfg_attr(debug_assertions, inline)]
    fn explore(&self, expected: usize) -> (Vec<State>, Matrix<f64>) {
        let mut states = Vec::with_capacity(expected);
        let mut numbers: HashMap<State, u32> = HashMap::with_capacity(expected);
        states.push(self.initial());
        numbers.insert(self.initial(), 0);
        let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut row: Vec<(u32, f64)> = Vec::new();
        let mut transitions = Vec::new();
        for here in 0.. {
            let Some(state) = states.get(here) else { break };
            row.clear();
            self.transitions(state, &mut transitions);
            for (rate, next) in transitions.drain(..) {
                let number = *numbers.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    states.len() as u32 - 1
                });
                row.push((number, rate));
            }
            row.push((here as u32, -row.iter().map(|(_, rate)| rate).sum::<f64>()));
            row.sort_unstable_by_key(|(number, _)| *number);
            for same in row.chunk_by(|one, other| one.0 == other.0) {
                columns.push(same[0].0);
                values.push(same.iter().map(|(_, rate)| rate).sum());
            }
            offsets.push(columns.len());
        }
        (states, Matrix::new(offsets, columns, values))
    }

    /// All workers of the first stage are in one phase, and the others are idle.
    #[cfg_attr(debug_assertions, inline)]
    fn initial(&self) -> State {
        let mut state = vec![0; self.width()];
        let first = &self.stages[0];
        state[first.begins[0].0] = first.workers;
        state
    }

    /// The transitions of a state, those with the same end not joined.
    #[cfg_attr(debug_assertions, inline)]
    fn transitions(&self, state: &State, transitions: &mut Vec<(f64, State)>) {
        for (stage, farm) in self.stages.iter().enumerate() {
            for (phase, steps) in farm.steps.iter().enumerate() {
                let count = state[farm.at + phase];
                for &(to, rate) in steps.iter().filter(|_| count > 0) {
                    let rate = f64::from(count) * rate;
                    let mut next = state.clone();
                    next[farm.at + phase] -= 1;
                    if let Some(to) = to {
                        next[farm.at + to] += 1;
                        transitions.push((rate, next));
                    } else {
                        let begin = transitions.len();
                        transitions.push((rate, next));
                        self.send(stage, transitions, begin);
                    }
                }
            }
        }
    }

    /// A worker of a stage has completed an item, in the states from `begin` on.
    #[cfg_attr(debug_assertions, inline)]
    fn send(&self, stage: usize, states: &mut Vec<(f64, State)>, begin: usize) {
        let Some(&places) = self.buffers.get(stage) else {
            return self.release(stage, states, begin);
        };
        let (at, idle) = self.joint(stage);
        let before = states[begin].1[at];
        states[begin].1[at] += 1;
        if before < idle {
            self.begin(stage + 1, states, begin);
        }
        if before < idle + places {
            self.release(stage, states, begin);
        }
    }

    /// A worker of a stage takes its next item, in the states from `begin` on, which differ in phases alone.
    #[cfg_attr(debug_assertions, inline)]
    fn release(&self, stage: usize, states: &mut Vec<(f64, State)>, begin: usize) {
        let Some(before_it) = stage.checked_sub(1) else {
            return self.begin(stage, states, begin);
        };
        let (at, idle) = self.joint(before_it);
        let before = states[begin].1[at];
        states[begin..].iter_mut().for_each(|(_, state)| state[at] -= 1);
        if before > idle {
            self.begin(stage, states, begin);
        }
        if before > idle + self.buffers[before_it] {
            self.release(before_it, states, begin);
        }
    }

    /// A worker of a stage begins an item, in the states from `begin` on: in one of several phases.
    #[cfg_attr(debug_assertions, inline)]
    fn begin(&self, stage: usize, states: &mut Vec<(f64, State)>, begin: usize) {
        let farm = &self.stages[stage];
        let [(first, chance), others @ ..] = &farm.begins[..] else { return };
        for number in begin..states.len() {
            for (phase, chance) in others {
                let (rate, mut other) = states[number].clone();
                other[farm.at + phase] += 1;
                states.push((rate * chance, other));
            }
            states[number].0 *= chance;
            states[number].1[farm.at + first] += 1;
        }
    }

    /// Where the number of the joint behind a stage is in a state, and its value for `z = 0`.
    fn joint(&self, stage: usize) -> (usize, u32) {
        (self.width() - self.buffers.len() + stage, self.stages[stage + 1].workers)
    }
}

impl Farm {
    #[cfg_attr(debug_assertions, inline)]
    fn new(workers: u32, time: &PhaseType, at: usize) -> Farm {
        let begins = time.initial().iter().map(Number::to_float).enumerate();
        let mut steps: Vec<Vec<(Option<usize>, f64)>> = vec![Vec::new(); time.phases()];
        for (from, to, rate) in time.moves() {
            steps[from].push((Some(to), rate.to_float()));
        }
        for (phase, steps) in steps.iter_mut().enumerate() {
            let rate = time.exit(phase).to_float();
            steps.extend((rate > 0.0).then_some((None, rate)));
        }
        Farm { workers, begins: begins.filter(|(_, chance)| *chance > 0.0).collect(), steps, at }
    }

    /// In how many ways so many workers can be in the phases, from no worker on: each further phase adds any
    /// number of them.
    #[cfg_attr(debug_assertions, inline)]
    fn arrangements(&self) -> Vec<u64> {
        let mut ways = vec![1_u64; self.workers as usize + 1];
        for _ in 1..self.steps.len() {
            for workers in 1..ways.len() {
                ways[workers] = ways[workers].saturating_add(ways[workers - 1]);
            }
        }
        ways
    }
}

/// The rate at which a phase ends the service.
fn rate_of_ending(steps: &[(Option<usize>, f64)]) -> f64 {
    steps.iter().filter(|(to, _)| to.is_none()).map(|(_, rate)| rate).sum()
}

#[cfg(test)]
mod tests {
    use skel_core::number::ratio;
    use skel_core::skeleton::{Communication, Skeleton, text};
    use skel_core::time::PhaseType;

    use super::FarmPipe;
    use crate::{Limits, Perform};

    fn exponential(rate: i64) -> PhaseType {
        PhaseType::exponential(&ratio(1, rate))
    }

    /// The same from the model.
    fn of_model(text: &str, buffers: u32) -> f64 {
        let tree = text::parse(text).into_tree().unwrap();
        let program = tree.communicating(Communication::negligible()).buffers(buffers);
        *program.performance().unwrap().throughput()
    }

    #[test]
    fn throughputs_are_those_of_the_model() {
        let erlang = |mean| PhaseType::erlang(3, &ratio(mean, 1));
        let hyper = PhaseType::hyperexponential(&[ratio(1, 4), ratio(3, 4)], &[ratio(1, 2), ratio(3, 2)]);
        let mixture = PhaseType::erlang_mixture(3, &ratio(1, 3), &ratio(2, 1));
        let written = "phases([2/3, 1/3, 0], [[-2, 2, 0], [0, -2, 2], [0, 0, -2]])";
        for capacity in [0, 1, 3] {
            for (stages, text) in [
                (vec![(3, erlang(2))], "farm(3, erlang(3, 2));".to_owned()),
                (
                    vec![(1, exponential(1)), (3, erlang(4)), (2, exponential(2))],
                    "pipe(task(1), farm(3, erlang(3, 4)), farm(2, 1/2));".to_owned(),
                ),
                (
                    vec![(2, hyper.clone()), (1, erlang(1)), (1, exponential(1))],
                    "pipe(farm(2, hyperexponential([1/4, 3/4], [1/2, 3/2])), task(erlang(3, 1)), task(1));"
                        .to_owned(),
                ),
                (
                    vec![(2, mixture.clone()), (2, mixture.clone())],
                    format!("pipe(farm(2, {written}), farm(2, {written}));"),
                ),
            ] {
                let pipe = FarmPipe::new(stages.clone(), vec![capacity; stages.len() - 1]);
                let found = pipe.throughput(&Limits::default()).unwrap();
                let expected = of_model(&text, capacity);
                assert!((found / expected - 1.0).abs() < 1e-10, "{text} {capacity}: {found}, {expected}");
                assert_eq!(pipe.states(), pipe.explore(0).0.len() as u64, "{text} {capacity}");
            }
        }
    }

    #[test]
    fn states_are_counted_before_they_are_made() {
        let farm = |workers| {
            FarmPipe::new(
                vec![(1, exponential(1)), (workers, exponential(8)), (1, exponential(1))],
                vec![4, 4],
            )
        };
        assert_eq!(farm(64).states(), 2_820);
        assert_eq!(farm(1_000_000 / 64).states(), 122_250_036);
        let error = farm(64).throughput(&Limits { states: 2_819, ..Limits::default() }).unwrap_err();
        assert_eq!(error.to_string(), "stopped at the limit of 2819 states: the model has 2820 states");
    }
}
