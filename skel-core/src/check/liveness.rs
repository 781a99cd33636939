//! Local states that no run can enter, and components that can come to a stop.
//!
//! An activity is blocked for ever if some cooperation on its action has a partner that can never do it.
//! Without blocked activities fewer local states can be reached, so fewer actions can be done, so more are
//! blocked: the fixed point is what cooperation sets alone can tell. (Exploration tells more, at its cost.)
//!
//! The cause is always a cooperation set with an action that one side cannot do. If that set was reported,
//! its consequences are not reported as well; if it is allowed, they are.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use super::findings::Findings;
use super::system::{Origin, System};
use super::terms::Terms;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::model::{ActionSet, ComponentId, LocalStateId, Node};

/// Rounds of the fixed point; stopping early only means fewer warnings.
const MOST_ROUNDS: usize = 8;

pub(super) fn check<S: Span>(system: &System<'_, S>, terms: &Terms<'_, S>, findings: &mut Findings<'_, S>) {
    let is_cause = |code| matches!(code, Code::BlockedAction | Code::NeitherSide);
    let was_reported = findings.list.iter().any(|found| is_cause(found.code));
    // No partner is waited for where components do not cooperate.
    let cooperates = |node: &Node| matches!(node, Node::Cooperation { set, .. } if !set.is_empty());
    if was_reported
        || !system.nodes.iter().any(cooperates)
        || system.is_broken.last().copied().unwrap_or(true)
    {
        return;
    }
    let mut reachable: Vec<Vec<LocalStateId>> = system
        .leaves
        .iter()
        .map(|component| system.components[component.index()].local_states.clone())
        .collect();
    let mut blocked = blocked_at_leaves(system, terms, &reachable);
    if blocked.iter().all(FixedBitSet::is_clear) {
        return;
    }
    for _ in 0..MOST_ROUNDS {
        let next: Vec<Vec<LocalStateId>> = (0..system.leaves.len())
            .map(|position| unblocked_states(system, terms, position, &blocked[position]))
            .collect();
        if next == reachable {
            break;
        }
        reachable = next;
        blocked = blocked_at_leaves(system, terms, &reachable);
    }
    let mut reported: Vec<Vec<&[LocalStateId]>> = vec![Vec::new(); system.components.len()];
    for (index, node) in system.nodes.iter().enumerate() {
        let (Node::Leaf(position), Origin::Leaf(span)) = (node, system.origins[index]) else { continue };
        let component = system.leaves[position.index()];
        let reachable = reachable[position.index()].as_slice();
        if !reported[component.index()].contains(&reachable) {
            reported[component.index()].push(reachable);
            let place = Place { component, span, reachable };
            report(system, terms, &place, &blocked[position.index()], findings);
        }
    }
}

struct Place<'r, S> {
    component: ComponentId,
    span: S,
    reachable: &'r [LocalStateId],
}

fn report<S: Span>(
    system: &System<'_, S>,
    terms: &Terms<'_, S>,
    place: &Place<'_, S>,
    blocked: &FixedBitSet,
    findings: &mut Findings<'_, S>,
) {
    let component = &system.components[place.component.index()];
    let name = terms.name(component.initial);
    for &state in &component.local_states {
        let shown = terms.name(state);
        if place.reachable.binary_search(&state).is_err() {
            let message = format!("`{name}` can never enter its local state `{shown}`");
            findings.push(
                Diagnostic::new(Code::UnreachableLocalState, place.span, message)
                    .help("every way there has an activity that is blocked for ever"),
            );
            continue;
        }
        let enabled = terms.enabled(state);
        let stops = enabled.iter().all(|&prefix| blocked.contains(terms.activity(prefix).action.index()));
        if stops {
            let actions: ActionSet = enabled.iter().map(|&prefix| terms.activity(prefix).action).collect();
            let actions: Vec<&str> =
                actions.iter().map(|action| terms.actions[action.index()].as_str()).collect();
            let message = format!("`{name}` stops for ever in its local state `{shown}`");
            findings.push(Diagnostic::new(Code::ComponentCanStop, place.span, message).help(format!(
                "no partner can ever join it in `{}`: see the cooperation sets around it",
                actions.join("`, `")
            )));
        }
    }
}

/// Per position the actions that are blocked for ever, given the local states that can be reached.
fn blocked_at_leaves<S: Span>(
    system: &System<'_, S>,
    terms: &Terms<'_, S>,
    reachable: &[Vec<LocalStateId>],
) -> Vec<FixedBitSet> {
    let none = FixedBitSet::with_capacity(terms.actions.len());
    let mut can: Vec<FixedBitSet> = Vec::with_capacity(system.nodes.len());
    for node in &system.nodes {
        can.push(match node {
            Node::Leaf(position) => {
                let mut actions = none.clone();
                for &state in &reachable[position.index()] {
                    terms.for_each_enabled(state, &mut |prefix| {
                        actions.insert(terms.activity(prefix).action.index());
                    });
                }
                actions
            }
            Node::Hiding { of, set } => {
                let mut actions = can[of.index()].clone();
                set.iter().for_each(|action| actions.set(action.index(), false));
                actions
            }
            Node::Cooperation { left, right, set } => {
                let (left, right) = (&can[left.index()], &can[right.index()]);
                let mut actions = left | right;
                for action in set.iter() {
                    let at = action.index();
                    actions.set(at, left.contains(at) && right.contains(at));
                }
                actions
            }
        });
    }
    let mut blocked = vec![none; system.nodes.len()];
    let mut at_leaves = vec![FixedBitSet::new(); system.leaves.len()];
    for index in (0..system.nodes.len()).rev() {
        let here = std::mem::take(&mut blocked[index]);
        match &system.nodes[index] {
            Node::Leaf(position) => at_leaves[position.index()] = here,
            Node::Hiding { of, set } => {
                let mut inside = here;
                set.iter().for_each(|action| inside.set(action.index(), false));
                blocked[of.index()] = inside;
            }
            Node::Cooperation { left, right, set } => {
                for (child, partner) in [(left, right), (right, left)] {
                    let mut inside = here.clone();
                    for action in set.iter() {
                        if !can[partner.index()].contains(action.index()) {
                            inside.insert(action.index());
                        }
                    }
                    blocked[child.index()] = inside;
                }
            }
        }
    }
    at_leaves
}

fn unblocked_states<S: Span>(
    system: &System<'_, S>,
    terms: &Terms<'_, S>,
    position: usize,
    blocked: &FixedBitSet,
) -> Vec<LocalStateId> {
    let initial = system.components[system.leaves[position].index()].initial;
    let mut seen = BTreeSet::new();
    seen.insert(initial);
    let mut work = vec![initial];
    while let Some(state) = work.pop() {
        for prefix in terms.enabled(state) {
            let activity = terms.activity(prefix);
            if !blocked.contains(activity.action.index()) && seen.insert(activity.target) {
                work.push(activity.target);
            }
        }
    }
    seen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            (
                "// skel: allow(blocked_action)\nP = (a, 1).P; Q = (b, 1).Q; P <a> Q",
                &["component_can_stop `P`: `P` stops for ever in its local state `P`"],
            ),
            (
                "// skel: allow(blocked_action)\nP = (a, 1).R; R = (b, 1).P; Q = (c, 1).Q; P <a> Q",
                &[
                    "unreachable_local_state `P`: `P` can never enter its local state `R`",
                    "component_can_stop `P`: `P` stops for ever in its local state `P`",
                ],
            ),
            (
                "P = (a, 1).P; Q = (b, 1).Q; P <a> Q",
                &[
                    "blocked_action `a`: `Q`, on the right, can never do `a`, so `P` is blocked on it for ever",
                ],
            ),
            (
                "// skel: allow(blocked_action)\nP = (a, 1).R + (b, 1).P; R = (c, 1).P; Q = (d, 1).Q; P <a> Q",
                &["unreachable_local_state `P`: `P` can never enter its local state `R`"],
            ),
        ]);
    }
}
