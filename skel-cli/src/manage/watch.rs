//! A manager that looks at a simulated program, or at a recorded run.

use std::time::Duration;

use skel::manage::simulate::Simulation;
use skel::manage::{Actuators, Log, Manager, Recording, Replay, Settings};
use skel::run::monitor::Series;
use skel::skeleton::{Program, Tree};

use super::answer::{Answer, Watched};
use super::load::{Loaded, Target};
use crate::arguments::ManageArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::session::Session;

/// How often a manager looks at a simulated program.
const TICK: Duration = Duration::from_millis(200);

/// What a manager saw and decided.
struct Seen {
    log: Log,
    series: Series,
    program: Program<Tree>,
}

/// Lets the manager look, until the end or until somebody cancels it.
pub(super) fn watch(
    loaded: &Loaded,
    arguments: &ManageArguments,
    session: &Session,
) -> Result<Answer, Failure> {
    let contract = arguments.contract.tolerance(arguments.tolerance);
    let settings = settings(arguments);
    let (seen, watched) = match &loaded.target {
        Target::Simulated(simulation) => {
            let manager = Manager::new(contract, loaded.rules.clone(), settings);
            let seen = simulate((**simulation).clone(), manager, arguments.span, session);
            (seen, Watched::Simulated { seed: arguments.seed })
        }
        Target::Recorded(recording) => {
            let replay = Replay::of(recording, contract).rules(loaded.rules.clone()).settings(settings);
            (replayed(recording, replay, session)?, Watched::Recorded)
        }
    };
    Ok(Answer {
        name: loaded.name.clone(),
        watched,
        contract,
        consult: arguments.consult,
        rules: loaded.rules.rules().iter().map(|rule| rule.name.clone()).collect(),
        program: seen.program,
        series: seen.series,
        log: seen.log,
        was_cancelled: session.limits.cancellation.is_cancelled(),
    })
}

fn settings(arguments: &ManageArguments) -> Settings {
    let settings = Settings::default()
        .consult(arguments.consult.into())
        .services(arguments.services)
        .most_workers(arguments.max_workers);
    if arguments.dry_run { settings.dry_run() } else { settings }
}

fn simulate(mut simulation: Simulation, mut manager: Manager, span: Duration, session: &Session) -> Seen {
    let (mut snapshots, mut at) = (vec![simulation.snapshot()], Duration::ZERO);
    while at < span && !session.limits.cancellation.is_cancelled() {
        at = (at + TICK).min(span);
        simulation.run_until(at);
        let snapshot = simulation.snapshot();
        manager.observe(&snapshot, &mut simulation);
        snapshots.push(snapshot);
        session.say_time("simulating", at, span);
    }
    Seen { log: manager.log().clone(), series: Series::of(snapshots), program: simulation.program() }
}

fn replayed(recording: &Recording, replay: Replay<'_>, session: &Session) -> Result<Seen, Failure> {
    let steps = replay.steps().map_err(|not| {
        let problems = not.problems().iter().map(|problem| Problem::error("not_replayed", problem.clone()));
        Failure {
            problems: problems.collect(),
            ..Failure::new(Exit::Model, Problem::error("not_replayed", ""))
        }
    })?;
    let (snapshots, mut log) = (recording.series.snapshots(), Log::default());
    let end = snapshots.last().map_or(Duration::ZERO, |last| last.at);
    let mut steps = steps.zip(snapshots);
    while !session.limits.cancellation.is_cancelled() {
        let Some((events, snapshot)) = steps.next() else { break };
        log.events.extend(events);
        session.say_time("replaying", snapshot.at, end);
    }
    let mut recorded = skel::manage::Recorded::of(recording.program.as_ref().expect("it was completed"));
    snapshots.iter().for_each(|snapshot| recorded.look_at(snapshot));
    Ok(Seen { log, series: recording.series.clone(), program: recorded.program() })
}
