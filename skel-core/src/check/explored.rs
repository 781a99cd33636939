//! Checks on request: `check(deadlock_free, irreducible, max_states = 10_000)`, by exploring.

use super::findings::Findings;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::graph::{StronglyConnected, strongly_connected};
use crate::model::Model;
use crate::semantics::explore::{DerivationGraph, Interrupted, display_way, explore};
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
            .help(format!(
                "raise `max_states` above {max_states}, or leave the check to `skel solve`, which explores far more"
            )),
        ),
        Err(Interrupted::NotWellDefined { problem, state, path }) => {
            let message = format!("{}: {}", problem.describe(model), display_way(model, &path, &state));
            findings.push(Diagnostic::new(Code::NotWellDefined, request.0, message).help(problem.advice()));
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
        1 => ", and in one more state".into(),
        more => format!(", and in {more} more states"),
    };
    let message = format!(
        "the model deadlocks {}{more}",
        display_way(model, &graph.path_to(first), &graph.states[first])
    );
    findings.push(
        Diagnostic::new(Code::Deadlock, at, message).help(
            "each component waits there for partners that cannot join it: look at the cooperation sets",
        ),
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
    let ends = recurrent(&parts, graph);
    let left = graph.states.len() - ends.iter().map(|class| class.len()).sum::<usize>();
    let verb = if left == 1 { "is" } else { "are" };
    let left = format!("{left} of {} states {verb} left for ever", graph.states.len());
    let place = |class: &[u32]| {
        let state = class[0] as usize;
        display_way(model, &graph.path_to(state), &graph.states[state])
    };
    let (message, help) = match ends.as_slice() {
        [end] => (
            format!("{left}: {}, a run can no longer come back to the initial one", place(end)),
            "steady state measures then describe the end of a run, not its beginning",
        ),
        _ => (
            format!("{left}, and runs end in {} recurrent classes: {}", ends.len(), listed(&ends, place)),
            "a steady state needs one set of states in which every run ends: give the others a way out",
        ),
    };
    findings.push(Diagnostic::new(Code::Reducible, at, message).help(help));
}

/// The sets of states that a run never leaves, in the order of their first states.
fn recurrent<'p>(parts: &'p StronglyConnected, graph: &DerivationGraph<f64>) -> Vec<&'p [u32]> {
    let inside = |&state: &u32| {
        let own = parts.component_of[state as usize];
        let mut targets = graph.transitions[state as usize].iter().map(|(_, _, target)| *target);
        targets.all(|target| parts.component_of[target as usize] == own)
    };
    let class_of = |state: usize| parts.components[parts.component_of[state] as usize].as_slice();
    let firsts = (0..graph.states.len()).filter(|&state| class_of(state)[0] as usize == state);
    firsts.map(class_of).filter(|class| class.iter().all(inside)).collect()
}

/// The ways into the first few classes.
fn listed(classes: &[&[u32]], place: impl Fn(&[u32]) -> String) -> String {
    const MOST: usize = 4;
    let mut places: Vec<String> = classes.iter().take(MOST).map(|class| place(class)).collect();
    if classes.len() > MOST {
        places.push(format!("and {} more", classes.len() - MOST));
    }
    places.join("; ")
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            (
                "// skel: check(deadlock_free)\nP = (a, 1).(b, 1).P; Q = (b, 1).(a, 1).Q; P <a, b> Q",
                &["deadlock `deadlock_free`: the model deadlocks in the initial state `P || Q`"],
            ),
            ("// skel: check(deadlock_free)\nP = (a, 1).P; P", &[]),
            (
                "// skel: check(irreducible)\nP = (a, 1).Q; Q = (b, 1).Q; P",
                &[
                    "reducible `irreducible`: 1 of 2 states is left for ever: after `a`, in the state `Q`, a run can no longer come back to the initial one",
                ],
            ),
            (
                "// skel: check(irreducible)\nP = (a, 1).Q + (a, 1).R; Q = (b, 1).Q; R = (c, 1).R; P",
                &[
                    "reducible `irreducible`: 1 of 3 states is left for ever, and runs end in 2 recurrent classes: after `a`, in the state `Q`; after `a`, in the state `R`",
                ],
            ),
            (
                "// skel: check(max_states = 2)\nP = (a, 1).Q; Q = (b, 1).P; P || P",
                &["too_many_states `max_states`: the model has more than 2 states"],
            ),
            ("// skel: check(deadlock_free)\nP = (a, 1).Q; Q = (a, infty).P; R = (a, 1).R; P <a> R", &[]),
            (
                "// skel: check(deadlock_free)\nP = (a, 1).Q; Q = (a, infty).P; P",
                &["never_driven `a, infty`: nothing ever drives the passive activity `a`"],
            ),
        ]);
    }
}
