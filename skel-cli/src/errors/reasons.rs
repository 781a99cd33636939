//! What the library says went wrong, in the words and with the advice of the command line.

use serde_json::{Map, Value, json};
use skel::Error;
use skel::diagnostic::{Code, TextSpan};
use skel::error::{Deadlock, NotConverged, Reached, Stopped};
use skel::limits::Limit;
use skel::model::BuildErrors;
use skel::transient::Refused;

use super::failure::{Exit, Failure};
use super::problem::Problem;
use crate::report::figure::count;

impl Failure {
    /// Why exploring or solving gave no answer. `system` is the place of the system equation.
    pub(crate) fn of_error(error: &Error, system: TextSpan) -> Failure {
        let message = error.to_string();
        match error {
            Error::NotBuilt(errors) => Failure::of_rates(errors),
            Error::NotWellDefined(_) => {
                let problem = Problem::error(Code::NotWellDefined.word(), message);
                Failure::new(Exit::Model, problem.at(system, "in this system"))
            }
            Error::Stopped(stopped) => Failure::of_limit(stopped, message),
            Error::SeveralRecurrentClasses(classes) => {
                let problem = Problem::error("several_recurrent_classes", classes.explanation()).help(
                    "give all but one a way out, or ask with `--long-run` for the average over where runs end",
                );
                Failure::new(Exit::Model, problem)
            }
            Error::Deadlock(deadlock) => {
                let problem = Problem::error(Code::Deadlock.word(), deadlock.explanation());
                Failure::new(Exit::Model, problem.at(system, "").help(deadlock_help(deadlock)))
            }
            Error::NotIrreducible(failure) => {
                let code = if failure.is_deadlock { Code::Deadlock } else { Code::Reducible };
                Failure::new(Exit::Model, Problem::error(code.word(), message).at(system, ""))
            }
            Error::NotConverged(failure) => {
                let problem =
                    Problem::error("not_converged", message).help(not_converged_help(failure, false));
                Failure::new(Exit::Limit, problem)
            }
            Error::OverTime(refused) => {
                let (code, help) = match refused {
                    Refused::TooManySteps { .. } => {
                        ("too_many_steps", "raise `--max-steps`, or ask for earlier moments")
                    }
                    _ => (
                        "unattainable_error",
                        "allow a larger error with `--tolerance`, or ask for earlier moments",
                    ),
                };
                Failure::new(Exit::Limit, Problem::error(code, message).help(help))
            }
            // The names asked for are the model's own; what is left are results whose factor, with the rates
            // given by `--set`, is divided by zero.
            _ => Failure::new(Exit::CommandLine, Problem::error("no_value", message)),
        }
    }

    /// The rates that `--set` leaves without a usable value.
    pub(crate) fn of_rates(errors: &BuildErrors) -> Failure {
        let problems = errors.0.iter();
        let problems = problems
            .map(|error| Problem::error(error.code.word(), error.message.clone()).help(error.help.clone()));
        Failure { exit: Exit::CommandLine, source: None, problems: problems.collect(), known: Map::new() }
    }

    fn of_limit(stopped: &Stopped, message: String) -> Failure {
        let mut problem = Problem::error("limit_reached", message);
        let option = option_of(stopped.limit);
        problem.help = option.map(|option| format!("raise `{option}`, or make the model smaller"));
        let mut failure = Failure::new(Exit::Limit, problem);
        failure.known.insert("reached".into(), reached(stopped));
        failure
    }
}

/// What to do where no method is certain of its answer, for subcommands with `--exact` or without.
pub(crate) fn not_converged_help(failure: &NotConverged, has_exact: bool) -> String {
    let memory = if failure.lacked_memory() { "more memory with `--max-memory`, or " } else { "" };
    let exact = if has_exact { "solve exactly with `--exact`, " } else { "" };
    format!(
        "allow {memory}a larger relative error with `--tolerance`, {exact}or make the model smaller or its rates less far apart"
    )
}

/// What to do about deadlocks in which every run ends; of several, only the long run is known.
fn deadlock_help(deadlock: &Deadlock) -> String {
    let figures = match deadlock.count() {
        Some(1) => {
            "the figures of the state in which every run ends, ask with `--long-run` or `--allow deadlock`"
        }
        _ => "figures over the states in which runs end, ask with `--long-run`",
    };
    format!(
        "each component waits there for partners that cannot join it: look at the cooperation sets; for {figures}"
    )
}

/// The option that raises a limit.
pub(crate) fn option_of(limit: Limit) -> Option<&'static str> {
    match limit {
        Limit::States(_) => Some("--max-states"),
        Limit::Memory(_) => Some("--max-memory"),
        Limit::Time(_) => Some("--max-time"),
        _ => None,
    }
}

/// The limit and how far the work came, for `--json`.
fn reached(stopped: &Stopped) -> Value {
    let limit = match stopped.limit {
        Limit::States(_) => "states",
        Limit::Memory(_) => "memory",
        Limit::Time(_) => "time",
        Limit::Cancelled => "cancelled",
        _ => "other",
    };
    match stopped.reached {
        Reached::Exploring { states, transitions, waiting, unlumped } => json!({
            "limit": limit, "while": "exploring",
            "states": states, "transitions": transitions, "states_to_explore": waiting,
            "unlumped_states": count(unlumped),
        }),
        Reached::Foreseen { states } => json!({
            "limit": limit, "while": "foreseeing", "states": count(Some(states)),
        }),
        Reached::Refining { blocks, states } => json!({
            "limit": limit, "while": "refining", "blocks": blocks, "states": states,
        }),
        Reached::Eliminating { done, of } => json!({
            "limit": limit, "while": "eliminating", "states_eliminated": done, "states": of,
        }),
        Reached::TooDense { states } => json!({ "limit": limit, "while": "eliminating", "states": states }),
        Reached::Stepping { steps, of } => {
            json!({ "limit": limit, "while": "stepping", "steps": steps, "of": of })
        }
        Reached::Lifting { digits } => json!({ "limit": limit, "while": "lifting", "digits": digits }),
        Reached::Iterating { iterations, residual } => json!({
            "limit": limit, "while": "iterating", "iterations": iterations, "residual": residual,
        }),
        Reached::Preparing => json!({ "limit": limit, "while": "preparing" }),
        Reached::Solving { solved } => json!({ "limit": limit, "while": "solving", "solved": solved }),
    }
}

#[cfg(test)]
mod tests {
    use skel::error::NotConverged;

    use super::not_converged_help;

    #[test]
    fn more_memory_is_advised_where_a_method_lacked_it() {
        let help = |tried: &str, has_exact: bool| {
            let failure = NotConverged { tolerance: 1e-10, tried: vec![tried.to_owned()] };
            not_converged_help(&failure, has_exact)
        };
        assert_eq!(
            help("BiCGSTAB with DILU would take more memory than is allowed", true),
            "allow more memory with `--max-memory`, or a larger relative error with `--tolerance`, solve exactly with `--exact`, or make the model smaller or its rates less far apart"
        );
        assert_eq!(
            help("damped Gauss-Seidel reached the limit of 9 iterations at the defect 1.0e-3", false),
            "allow a larger relative error with `--tolerance`, or make the model smaller or its rates less far apart"
        );
    }
}
