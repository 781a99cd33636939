//! Checks on request: `check(deadlock_free, irreducible, max_states = 10_000)`, by exploring.

use super::Findings;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::explore::{DerivationGraph, Interrupted, display_path, explore};
use crate::graph::strongly_connected;
use crate::model::Model;
use crate::syntax::directive::{DEFAULT_MAX_STATES, Requests};

pub(super) fn check<S: Span>(model: &Model, requests: &Requests<S>, findings: &mut Findings<'_, S>) {
    let first_request = requests.deadlock_free.or(requests.irreducible).or(requests.bounded);
    let Some(request) = first_request else { return };
    let max_states = requests.max_states.unwrap_or(DEFAULT_MAX_STATES);
    match explore::<f64>(model, max_states) {
        Ok(graph) => {
            if let Some(at) = requests.deadlock_free {
                check_deadlocks(model, &graph, at.0, findings);
            }
            if let Some(at) = requests.irreducible {
                check_irreducible(model, &graph, at.0, findings);
            }
        }
        Err(Interrupted::TooManyStates) => findings.push(
            Diagnostic::new(
                Code::TooManyStates,
                requests.bounded.unwrap_or(request).0,
                format!("the model has more than {max_states} states"),
            )
            .help("raise `max_states`, or leave the check to `skel solve`, which explores far more"),
        ),
        Err(Interrupted::NotWellDefined { problem, state, path }) => {
            findings.push(Diagnostic::new(Code::NotWellDefined, request.0, problem.describe(model)).help(
                format!("{}, in the state `{}`", display_path(model, &path), model.display_state(&state)),
            ));
        }
    }
}

fn check_deadlocks<S: Span>(
    model: &Model,
    graph: &DerivationGraph<f64>,
    at: S,
    findings: &mut Findings<'_, S>,
) {
    let mut deadlocks = (0..graph.states.len()).filter(|&state| graph.transitions[state].is_empty());
    let Some(first) = deadlocks.next() else { return };
    let more = match deadlocks.count() {
        0 => String::new(),
        1 => ", and one more".into(),
        more => format!(", and {more} more"),
    };
    let message = format!(
        "the model deadlocks {}, in the state `{}`{more}",
        display_path(model, &graph.path_to(first)),
        model.display_state(&graph.states[first])
    );
    findings.push(
        Diagnostic::new(Code::Deadlock, at, message)
            .help("no component can do anything there that its partners join: look at the cooperation sets"),
    );
}

fn check_irreducible<S: Span>(
    model: &Model,
    graph: &DerivationGraph<f64>,
    at: S,
    findings: &mut Findings<'_, S>,
) {
    let parts = strongly_connected(&graph.adjacency());
    if parts.components.len() == 1 {
        return;
    }
    // A component comes after all that it leads to, so the first is one that is never left.
    let end = parts.components[0][0] as usize;
    let left = graph.states.len() - parts.components[parts.component_of[end] as usize].len();
    let message = format!(
        "{left} of {} states are left for ever: {} a run is in the state `{}` and never comes back to the initial one",
        graph.states.len(),
        display_path(model, &graph.path_to(end)),
        model.display_state(&graph.states[end])
    );
    findings.push(
        Diagnostic::new(Code::Reducible, at, message)
            .help("steady state measures then describe the end of a run, not its beginning"),
    );
}
