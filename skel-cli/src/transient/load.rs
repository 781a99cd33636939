//! From the file and the flags to an answer.

use skel::csl::Predicate;
use skel::model::Model;
use skel::space::{self, ToldApart};
use skel::transient::{Curves, TransientSolver};
use skel::{Error, Explore, StateSpace};

use super::answer::{Answer, At, Names, figures};
use super::start::{Start, read_start};
use crate::arguments::TransientArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::input::load::{Loaded, load as load_model};
use crate::session::Session;
use crate::solve::answer::Chain;
use crate::solve::keep::{Kept, Kind};
use crate::solve::visible::visible_actions;

/// A question that can be answered.
pub(super) struct Prepared {
    pub(super) loaded: Loaded,
    names: Names,
    start: Start,
}

/// Reads and checks the file, what is asked, and where it begins.
pub(super) fn load(arguments: &TransientArguments) -> Result<Prepared, Failure> {
    let loaded = load_model(&arguments.file, &arguments.settings.set)?;
    match Failure::together(names(&loaded.model, arguments), read_start(arguments, &loaded.model)) {
        Ok((names, start)) => Ok(Prepared { loaded, names, start }),
        Err(failure) => Err(loaded.failure(failure)),
    }
}

/// What is answered: what is kept, or everything.
fn names(model: &Model, arguments: &TransientArguments) -> Result<Names, Failure> {
    let kept = Kept::of(&arguments.keep, model)?;
    if !kept.is_empty() {
        return Ok(Names {
            actions: kept.of_kind(Kind::Action),
            results: kept.of_kind(Kind::Result),
            local_states: kept.of_kind(Kind::LocalState),
            is_kept: true,
        });
    }
    let visible = visible_actions(model);
    let actions = model.actions().filter(|(action, _)| visible.get(action.index()) == Some(&true));
    let mut actions: Vec<String> = actions.map(|(_, name)| name.to_owned()).collect();
    actions.sort_unstable();
    let mut local_states: Vec<String> = model.local_states().iter().map(|state| state.name.clone()).collect();
    local_states.sort_unstable();
    local_states.dedup();
    let results = model.results().iter().map(|line| line.name.clone()).collect();
    Ok(Names { actions, results, local_states, is_kept: false })
}

/// Explores and solves. Equal parts are lumped, except those that the start or a result tells apart. Nothing
/// is lumped if a weight is given for each state.
pub(super) fn solve(
    prepared: &Prepared,
    arguments: &TransientArguments,
    session: &Session,
) -> Result<Answer, Failure> {
    let Prepared { loaded, names, start } = prepared;
    let of_error = |error: Error| Failure::of_error(&error, loaded.system);
    let keeps_results = !names.results.is_empty();
    let told_apart = match start {
        Start::Condition(predicate) => ToldApart::by_condition(predicate),
        Start::Initial | Start::Weights(_) => ToldApart::default(),
    };
    let is_lumped = !arguments.unlumped && !matches!(start, Start::Weights(_));
    let options = space::Options { is_lumped, keeps_results, told_apart, ..space::Options::default() };
    let explorer = loaded.model.explorer().options(&options).limits(&session.limits);
    let space = explorer.explore().map_err(of_error)?;
    let solver = begun(&space, start, arguments).map_err(|failure| *failure)?.limits(&session.limits);
    let curves = solver.curves().map_err(of_error)?;
    let points = points(&curves, names).map_err(of_error)?;
    let report = curves.report().clone();
    Ok(Answer { chain: Chain::of_space(&space), names: names.clone(), points, report, over: arguments.over })
}

/// A solver that begins where it should.
fn begun<'s>(
    space: &'s StateSpace<Model>,
    start: &Start,
    arguments: &TransientArguments,
) -> Result<TransientSolver<'s, Model>, Box<Failure>> {
    let mut solver = space.transient_solver(&arguments.at.0).method(arguments.method.into());
    if arguments.over {
        solver = solver.over();
    }
    if !arguments.keep.is_empty() {
        solver = solver.keep(&arguments.keep);
    }
    if let Some(tolerance) = arguments.tolerance {
        solver = solver.tolerance(tolerance);
    }
    if let Some(steps) = arguments.max_steps {
        solver = solver.most_steps(steps);
    }
    match start {
        Start::Initial => Ok(solver),
        Start::Condition(predicate) => {
            let states = beginnings(space, predicate)?;
            Ok(solver.from_states(&states))
        }
        Start::Weights(weights) if weights.len() == space.states() => Ok(solver.from_weights(weights)),
        Start::Weights(weights) => {
            let message = format!(
                "`--from-file`: {} weights are given, but the model has {} states",
                weights.len(),
                space.states()
            );
            let problem = Problem::error("wrong_weights", message);
            let problem = problem.help("write a line for each state, in the order of `skel derive`");
            Err(Box::new(Failure::new(Exit::CommandLine, problem)))
        }
    }
}

/// The states in which the condition holds.
fn beginnings(space: &StateSpace<Model>, predicate: &Predicate) -> Result<Vec<usize>, Box<Failure>> {
    let refused = |message: String, help: &str| {
        Box::new(Failure::new(Exit::Model, Problem::error("empty_start", message).help(help)))
    };
    let holds = space.holds_in(predicate).map_err(|error| {
        refused(format!("`--from`: {error}"), "write a condition that has a value in each state")
    })?;
    let states: Vec<usize> = (0..holds.len()).filter(|&state| holds[state]).collect();
    if states.is_empty() {
        let message =
            format!("`--from`: no reachable state satisfies `{predicate}`, so there is no beginning");
        return Err(refused(message, "`skel derive` lists the reachable states"));
    }
    Ok(states)
}

/// The figures at each moment.
fn points(curves: &Curves, names: &Names) -> Result<Vec<At>, Error> {
    let point = |(place, &time): (usize, &f64)| {
        let average = curves.average();
        Ok(At {
            time,
            now: figures(curves.now(), place, names, 1.0)?,
            integral: average.map(|average| figures(average, place, names, time)).transpose()?,
            average: average.map(|average| figures(average, place, names, 1.0)).transpose()?,
        })
    };
    curves.times().iter().enumerate().map(point).collect()
}
