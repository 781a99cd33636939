//! The chain of a program that is no line of farms: from its PEPA model.

use std::collections::HashMap;

use skel_core::number::{Ratio, ratio};
use skel_core::rate::Rate;
use skel_core::skeleton::{Communication, Processors, Program, Reading, Stage, StageId, StateInput, Tree};
use skel_core::time::ServiceTime;
use skel_run::report::time_of;
use skel_solve::{Limits, Perform};

use super::leaf::{Kind, Leaf};
use super::numbers::Numbers;
use super::team::Moments;

/// The most tasks of a program whose model is made: making it takes longer than solving a chain of counts.
const MOST_TASKS: u64 = 24;

/// The program with these numbers and the times of its leaves; `time` makes them.
pub(super) fn program(
    program: &Program<Tree>,
    leaves: &[Leaf],
    numbers: &Numbers,
    time: &dyn Fn(f64, f64, &Leaf) -> ServiceTime,
) -> Program<Tree> {
    let places: Vec<StageId> = super::numbers::places(program.skeleton()).collect();
    let numbers_of_places = numbers.of_places(&places);
    let is_team = |id: StageId| matches!(program.skeleton().stage(id), Stage::Team(_));
    let (teams, replicated): (Vec<_>, Vec<_>) =
        numbers_of_places.into_iter().partition(|&(id, _)| is_team(id));
    let by_id: HashMap<StageId, &Leaf> = leaves.iter().map(|leaf| (leaf.id, leaf)).collect();
    let program = program.with_replicas(&replicated);
    let tree = program.skeleton().with_workers(&teams);
    let tree = tree.with_times(&|id, written| match by_id.get(&id) {
        Some(leaf) => {
            let times = leaf.times_of(numbers.at(id));
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            let own = Moments { mean, scv: leaf.scv }.plus(Moments { mean: leaf.wait, scv: 1.0 });
            time(own.mean, own.scv, leaf)
        }
        None => written.clone(),
    });
    let states = leaves.iter().filter_map(|leaf| match leaf.kind {
        Kind::Map(Some(state)) => Some((leaf, state)),
        _ => None,
    });
    let tree = states.fold(tree, |tree, (leaf, state)| {
        let mean = state.time * leaf.factor(numbers.at(leaf.id));
        tree.with_state(leaf.id, StateInput { time: time_of(mean, None, 1), items: exact(state.items) })
    });
    program
        .with_skeleton(tree)
        .with_communication(Communication::negligible())
        .with_processors(Processors::one_each())
        .with_reading(Reading::Corrected)
}

/// A number to six digits.
fn exact(value: f64) -> Ratio {
    let digits = format!("{value:.5e}").parse::<f64>().unwrap_or(1.0);
    Rate::from(digits).exact().cloned().unwrap_or_else(|| ratio(1, 1))
}

/// The service time by the chain of a program, within so many states.
pub(super) fn service_time(program: &Program<Tree>, most_states: u64) -> Option<f64> {
    if program.skeleton().task_count() > MOST_TASKS {
        return None;
    }
    let limits = Limits { states: most_states, ..Limits::default() };
    let performance = program.evaluator().limits(&limits).evaluate().ok()?;
    Some(1.0 / performance.throughput())
}
