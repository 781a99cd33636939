//! Cooperation sets, and passive activities: who can do what, and who drives whom.
//!
//! Alphabets are what components can do in *some* local state, so these checks never explore. What depends on
//! the state (an action that is passive now and active later) is left to the semantics, which refuses it.

use std::collections::{HashMap, HashSet};

use fixedbitset::FixedBitSet;

use super::findings::Findings;
use super::names::Names;
use super::system::{Alphabet, Origin, System};
use super::terms::Terms;
use crate::diagnostic::{Code, Diagnostic, Span, did_you_mean};
use crate::model::{ActionId, LocalStateId, Node, NodeId};
use crate::syntax::ast::{CooperationSet, Name, Process, SetKind};

pub(super) fn check<S: Span>(
    system: &System<'_, S>,
    terms: &Terms<'_, S>,
    names: &Names<'_, S>,
    findings: &mut Findings<'_, S>,
) {
    check_local_states(system, terms, names, findings);
    for (index, node) in system.nodes.iter().enumerate() {
        match (node, system.origins[index]) {
            (Node::Cooperation { left, right, .. }, Origin::Cooperation(set)) => {
                if let SetKind::Named(names) = &set.kind {
                    check_set(system, terms, *left, *right, names, findings);
                }
            }
            (Node::Cooperation { left, right, .. }, Origin::Copies(names)) => {
                check_set(system, terms, *left, *right, names, findings);
            }
            (Node::Hiding { of, .. }, Origin::Hiding(names)) if !system.is_broken[of.index()] => {
                check_hidden(&system.alphabets[of.index()], terms, names, findings);
            }
            _ => {}
        }
    }
    for &(copy, names) in &system.single_copies {
        check_set(system, terms, copy, copy, names, findings);
    }
    let surroundings = Surroundings::from_system(system);
    check_driven(system, terms, names, &surroundings, findings);
    check_compositions(system, terms, &surroundings, findings);
}

/// Repeated names and `tau`, in every set that is written, used or not.
pub(super) fn check_written_sets<S: Span>(process: &Process<S>, findings: &mut Findings<'_, S>) {
    match process {
        Process::Constant(_) | Process::Anything(_) => {}
        Process::Prefix { then, .. } => check_written_sets(then, findings),
        Process::Choice(operands) => {
            operands.iter().for_each(|operand| check_written_sets(operand, findings));
        }
        Process::Cooperation { first, rest } => {
            check_written_sets(first, findings);
            for (set, operand) in rest {
                if let SetKind::Named(names) = &set.kind {
                    check_written_set(names, "a cooperation set", findings);
                }
                check_written_sets(operand, findings);
            }
        }
        Process::Hiding { of, set } => {
            check_written_sets(of, findings);
            check_repeated(set, "a hiding set", findings);
        }
        Process::Array { set, .. } => check_written_set(set, "the cooperation set of an array", findings),
    }
}

fn check_written_set<S: Span>(names: &[Name<S>], what: &str, findings: &mut Findings<'_, S>) {
    for name in names.iter().filter(|name| name.text == "tau") {
        findings.push(
            Diagnostic::new(Code::TauInSet, name.at.0, format!("`tau` cannot be in {what}"))
                .help("`tau` is hidden and never synchronises; remove it, or give the action a name"),
        );
    }
    check_repeated(names, what, findings);
}

fn check_repeated<S: Span>(names: &[Name<S>], what: &str, findings: &mut Findings<'_, S>) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (at, name) in names.iter().enumerate().filter(|(_, name)| name.text != "tau") {
        if let Some(first) = seen.insert(&name.text, at) {
            let message = format!("{what} names `{}` twice", name.text);
            findings.push(
                Diagnostic::new(Code::RepeatedAction, name.at.0, message)
                    .related(names[first].at.0, "first here")
                    .help("remove one of the two"),
            );
        }
    }
}

/// Active and passive activities of one action in one local state have no common apparent rate.
fn check_local_states<S: Span>(
    system: &System<'_, S>,
    terms: &Terms<'_, S>,
    names: &Names<'_, S>,
    findings: &mut Findings<'_, S>,
) {
    let mut reported = HashSet::new();
    for state in system.local_states(terms) {
        let (mut passive, mut all) = (0, 0);
        terms.for_each_enabled(state, &mut |prefix| {
            passive += usize::from(is_passive(terms, prefix));
            all += 1;
        });
        if passive == 0 || passive == all {
            continue;
        }
        let mut first_of: HashMap<usize, LocalStateId> = HashMap::new();
        for prefix in terms.enabled(state) {
            let activity = terms.activity(prefix);
            let passive = is_passive(terms, prefix);
            let first = *first_of.entry(activity.action.index()).or_insert(prefix);
            if is_passive(terms, first) != passive && reported.insert((first.index(), prefix.index())) {
                let places = (terms.place(prefix, names), terms.place(first, names));
                let (Some(place), Some(first_place)) = places else { continue };
                let action = &terms.actions[activity.action.index()];
                let (now, before) = if passive { ("passive", "active") } else { ("active", "passive") };
                let message = format!(
                    "`{action}` is {now} here and {before} elsewhere in the same choice of activities"
                );
                findings.push(
                    Diagnostic::new(Code::MixedActivePassive, place, message)
                        .related(first_place, format!("{before} here"))
                        .help("an apparent rate is active or passive: give both a rate, or both `infty`"),
                );
            }
        }
    }
}

fn is_passive<S: Span>(terms: &Terms<'_, S>, prefix: LocalStateId) -> bool {
    terms.rates.entries[terms.activity(prefix).rate.index()].expression.is_passive()
}

fn check_set<S: Span>(
    system: &System<'_, S>,
    terms: &Terms<'_, S>,
    left: NodeId,
    right: NodeId,
    names: &[Name<S>],
    findings: &mut Findings<'_, S>,
) {
    if system.is_broken[left.index()] || system.is_broken[right.index()] {
        return check_spelling(terms, names, findings);
    }
    let alphabets = [left, right].map(|side| &system.alphabets[side.index()]);
    for name in names.iter().filter(|name| name.text != "tau") {
        let action = terms.action_named(&name.text);
        let [in_left, in_right] = alphabets.map(|alphabet| action.is_some_and(|action| alphabet.can(action)));
        match (in_left, in_right) {
            (true, true) => {}
            (false, false) => {
                findings.push_once(name, || neither_side(terms, alphabets, (name, action)));
            }
            (true, false) => {
                findings.push_once(name, || blocked((system, terms), (left, right, "right"), (name, action)));
            }
            (false, true) => {
                findings.push_once(name, || blocked((system, terms), (right, left, "left"), (name, action)));
            }
        }
    }
}

/// No side can ever do an action of the set.
fn neither_side<S: Span>(
    terms: &Terms<'_, S>,
    alphabets: [&Alphabet; 2],
    (name, action): (&Name<S>, Option<ActionId>),
) -> Diagnostic<S> {
    let hides = |action: ActionId| alphabets.iter().any(|alphabet| alphabet.hidden.contains(action.index()));
    let nearby = &alphabets[0].all() | &alphabets[1].all();
    let candidates = nearby.ones().map(|index| terms.actions[index].as_str());
    let help = match did_you_mean(&name.text, candidates) {
        _ if action.is_some_and(hides) => {
            "it is hidden there: hide it after the cooperation, or remove it from the set".into()
        }
        Some(near) => format!("did you mean `{near}`?"),
        None => "remove it from the set".into(),
    };
    let message = format!("neither side of this cooperation can ever do `{}`", name.text);
    Diagnostic::new(Code::NeitherSide, name.at.0, message).help(help)
}

/// One side does an action of the set, and the other one, which is named, never can.
fn blocked<S: Span>(
    (system, terms): (&System<'_, S>, &Terms<'_, S>),
    (doer, other, side): (NodeId, NodeId, &str),
    (name, action): (&Name<S>, Option<ActionId>),
) -> Diagnostic<S> {
    let alphabet = &system.alphabets[other.index()];
    let (who, whom) = (describe(system, terms, doer), describe(system, terms, other));
    if action.is_some_and(|action| alphabet.hidden.contains(action.index())) {
        let message =
            format!("{whom}, on the {side}, hides its `{}`, so {who} is blocked on it for ever", name.text);
        return Diagnostic::new(Code::BlockedAction, name.at.0, message)
            .warning()
            .help("hide it after the cooperation instead, or remove it from the set");
    }
    let candidates: Vec<&str> = alphabet.all().ones().map(|index| terms.actions[index].as_str()).collect();
    let help = match did_you_mean(&name.text, candidates.iter().copied()) {
        Some(near) => {
            format!("did {whom} mean `{0}` where it says `{near}`? else remove `{0}` from the set", name.text)
        }
        None => format!(
            "remove `{}` from the set; if the blocking is meant, say `allow(blocked_action)`",
            name.text
        ),
    };
    let message =
        format!("{whom}, on the {side}, can never do `{}`, so {who} is blocked on it for ever", name.text);
    Diagnostic::new(Code::BlockedAction, name.at.0, message).help(help)
}

/// Names of a set that nothing does, where an action has almost the same name. That much is known even where
/// a side of the cooperation has an error.
fn check_spelling<S: Span>(terms: &Terms<'_, S>, names: &[Name<S>], findings: &mut Findings<'_, S>) {
    if !findings.is_whole {
        return;
    }
    for name in names.iter().filter(|name| terms.action_named(&name.text).is_none()) {
        let Some(near) = did_you_mean(&name.text, terms.actions.iter().map(String::as_str)) else { continue };
        findings.push_once(name, || {
            let message = format!("the action `{}` is not defined: nothing does it", name.text);
            Diagnostic::new(Code::UndefinedAction, name.at.0, message).help(format!("did you mean `{near}`?"))
        });
    }
}

/// A node in words: its component, or that it is several.
fn describe<S: Span>(system: &System<'_, S>, terms: &Terms<'_, S>, node: NodeId) -> String {
    let mut node = node;
    loop {
        match &system.nodes[node.index()] {
            Node::Leaf(position) => {
                let component = system.leaves[position.index()];
                return format!("`{}`", terms.name(system.components[component.index()].initial));
            }
            Node::Hiding { of, .. } => node = *of,
            Node::Cooperation { .. } => return "the composition".into(),
        }
    }
}

fn check_hidden<S: Span>(
    alphabet: &Alphabet,
    terms: &Terms<'_, S>,
    names: &[Name<S>],
    findings: &mut Findings<'_, S>,
) {
    for name in names {
        let action = terms.action_named(&name.text);
        if action.is_some_and(|action| action == ActionId::TAU || alphabet.can(action)) {
            continue;
        }
        findings.push_once(name, || {
            let all = alphabet.all();
            let candidates = all.ones().map(|index| terms.actions[index].as_str());
            let help = match did_you_mean(&name.text, candidates) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "remove it from the set".into(),
            };
            let message = format!("`{}` is hidden here, but nothing here does it", name.text);
            Diagnostic::new(Code::HiddenNeverDone, name.at.0, message).help(help)
        });
    }
}

/// What the surroundings of a node do with its actions.
struct Surroundings {
    /// Per node the actions that stay passive if they are passive there.
    undriven: Vec<FixedBitSet>,
    /// Per node the actions that a cooperation further up synchronises.
    synchronised: Vec<FixedBitSet>,
    /// Per node the actions that are hidden further up.
    hidden: Vec<FixedBitSet>,
}

impl Surroundings {
    fn from_system<S: Span>(system: &System<'_, S>) -> Surroundings {
        let width = system.alphabets.first().map_or(0, |alphabet| alphabet.active.len());
        let none = FixedBitSet::with_capacity(width);
        let mut surroundings = Surroundings {
            undriven: vec![none.clone(); system.nodes.len()],
            synchronised: vec![none.clone(); system.nodes.len()],
            hidden: vec![none; system.nodes.len()],
        };
        if let Some(root) = surroundings.undriven.last_mut() {
            root.insert_range(..);
        }
        for index in (0..system.nodes.len()).rev() {
            match &system.nodes[index] {
                Node::Leaf(_) => {}
                Node::Hiding { of, set } => {
                    surroundings.inherit(index, *of);
                    for action in set.iter() {
                        surroundings.undriven[of.index()].insert(action.index());
                        surroundings.hidden[of.index()].insert(action.index());
                        surroundings.synchronised[of.index()].set(action.index(), false);
                    }
                }
                Node::Cooperation { left, right, set } => {
                    for (child, partner) in [(*left, *right), (*right, *left)] {
                        surroundings.inherit(index, child);
                        let partner = &system.alphabets[partner.index()];
                        for action in set.iter() {
                            let at = action.index();
                            surroundings.synchronised[child.index()].insert(at);
                            if partner.active.contains(at) || !partner.can(action) {
                                surroundings.undriven[child.index()].set(at, false);
                            }
                        }
                    }
                }
            }
        }
        surroundings
    }

    fn inherit(&mut self, parent: usize, child: NodeId) {
        self.undriven[child.index()] = self.undriven[parent].clone();
        self.synchronised[child.index()] = self.synchronised[parent].clone();
        self.hidden[child.index()] = self.hidden[parent].clone();
    }
}

/// Passive activities that stay passive up to the top, or that are hidden while passive.
fn check_driven<S: Span>(
    system: &System<'_, S>,
    terms: &Terms<'_, S>,
    names: &Names<'_, S>,
    surroundings: &Surroundings,
    findings: &mut Findings<'_, S>,
) {
    if system.is_broken.last().copied().unwrap_or(true) {
        return;
    }
    let mut reported = FixedBitSet::with_capacity(terms.len());
    for (index, node) in system.nodes.iter().enumerate() {
        let Node::Leaf(position) = node else { continue };
        let component = &system.components[system.leaves[position.index()].index()];
        let undriven = &surroundings.undriven[index];
        if undriven.is_disjoint(&system.alphabets[index].passive) {
            continue;
        }
        for &state in &component.local_states {
            for prefix in terms.enabled(state) {
                let action = terms.activity(prefix).action;
                let is_undriven = is_passive(terms, prefix) && undriven.contains(action.index());
                if !is_undriven || reported.put(prefix.index()) {
                    continue;
                }
                let Some(place) = terms.place(prefix, names) else { continue };
                findings.push(undriven_activity(system, terms, surroundings, index, action, place));
            }
        }
    }
}

fn undriven_activity<S: Span>(
    system: &System<'_, S>,
    terms: &Terms<'_, S>,
    surroundings: &Surroundings,
    leaf: usize,
    action: ActionId,
    place: S,
) -> Diagnostic<S> {
    let name = &terms.actions[action.index()];
    let message = format!("nothing ever drives the passive activity `{name}`");
    let help = if action == ActionId::TAU {
        "`tau` never synchronises, so it needs a rate of its own".into()
    } else if surroundings.hidden[leaf].contains(action.index()) {
        format!("`{name}` is hidden before an active partner could drive it: hide it after the cooperation")
    } else if surroundings.synchronised[leaf].contains(action.index()) {
        format!("every partner in its cooperations is passive on `{name}` too: one of them needs a rate")
    } else {
        format!(
            "compose it with a partner that does `{name}` at a rate, `... <{name}> Partner`, or give it a rate"
        )
    };
    let diagnostic = Diagnostic::new(Code::NeverDriven, place, message).help(help);
    match system.origins[leaf] {
        Origin::Leaf(span) => diagnostic.related(span, "in this component"),
        _ => diagnostic,
    }
}

/// Cooperations that leave out an action of both sides: where one side does it at a rate and the other
/// passively they have no common apparent rate, and elsewhere the action was perhaps forgotten.
fn check_compositions<S: Span>(
    system: &System<'_, S>,
    terms: &Terms<'_, S>,
    surroundings: &Surroundings,
    findings: &mut Findings<'_, S>,
) {
    let below = ComponentsBelow::from_system(system);
    // What is written once may stand in the system many times.
    let mut reported = HashSet::new();
    for (index, node) in system.nodes.iter().enumerate() {
        let (Node::Cooperation { left, right, set }, Origin::Cooperation(written)) =
            (node, system.origins[index])
        else {
            continue;
        };
        if system.is_broken[left.index()] || system.is_broken[right.index()] {
            continue;
        }
        let (l, r) = (&system.alphabets[left.index()], &system.alphabets[right.index()]);
        let both = &l.all() & &r.all();
        let apart: Vec<ActionId> = both
            .ones()
            .map(ActionId::at)
            .filter(|&action| action != ActionId::TAU && !set.contains(action))
            .collect();
        for action in apart {
            let at = action.index();
            let name = &terms.actions[at];
            let crosswise = |active: &Alphabet, passive: &Alphabet| {
                active.active.contains(at)
                    && !active.passive.contains(at)
                    && passive.passive.contains(at)
                    && !passive.active.contains(at)
            };
            let mixed = crosswise(l, r) || crosswise(r, l);
            let finding = if mixed && !surroundings.undriven[index].contains(at) {
                let message =
                    format!("one side does `{name}` at a rate and the other passively, but not together");
                Diagnostic::new(Code::MixedActivePassive, written.at.0, message)
                    .help(format!("their common apparent rate has no value: synchronise them with `<{name}>`, or give both a rate, or both `infty`"))
            } else if !mixed
                && leaves_out_by_oversight(written)
                && !surroundings.synchronised[index].contains(at)
                && !below.share(system, *left, *right, action)
            {
                let message = format!("both sides do `{name}`, but this cooperation set leaves it out");
                Diagnostic::new(Code::UnsynchronisedAction, written.at.0, message)
                    .help(format!("add `{name}` to the set if they do it together; else rename one of the two, or say `allow(unsynchronised_action)`"))
            } else {
                continue;
            };
            if reported.insert((std::ptr::from_ref(written).addr(), action.index())) {
                findings.push(finding);
            }
        }
    }
}

/// Whether an action may be missing from a set by oversight. `||` and `<>` say in so many words that the two
/// sides do nothing together, and `<*>` that they do everything together. A set that names other actions may
/// have been meant to name this one too.
fn leaves_out_by_oversight<S>(written: &CooperationSet<S>) -> bool {
    matches!(&written.kind, SetKind::Named(names) if !names.is_empty())
}

/// Per node the components that stand below it.
struct ComponentsBelow {
    components: Vec<FixedBitSet>,
}

impl ComponentsBelow {
    fn from_system<S: Span>(system: &System<'_, S>) -> ComponentsBelow {
        let none = FixedBitSet::with_capacity(system.components.len());
        let mut components: Vec<FixedBitSet> = Vec::with_capacity(system.nodes.len());
        for node in &system.nodes {
            components.push(match node {
                Node::Leaf(position) => {
                    let mut alone = none.clone();
                    alone.insert(system.leaves[position.index()].index());
                    alone
                }
                Node::Cooperation { left, right, .. } => {
                    &components[left.index()] | &components[right.index()]
                }
                Node::Hiding { of, .. } => components[of.index()].clone(),
            });
        }
        ComponentsBelow { components }
    }

    /// Whether a component that does the action stands on both sides: copies compete, they don't meet.
    fn share<S: Span>(&self, system: &System<'_, S>, left: NodeId, right: NodeId, action: ActionId) -> bool {
        let both = &self.components[left.index()] & &self.components[right.index()];
        both.ones().any(|component| system.component_alphabets[component].can(action))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            ("P = (a, 1).P; P <a, a> P", &["repeated_action `a`: a cooperation set names `a` twice"]),
            ("P = (a, 1).P; P/{a, a}", &["repeated_action `a`: a hiding set names `a` twice"]),
            ("P = (a, 1).P; P <tau> P", &["tau_in_set `tau`: `tau` cannot be in a cooperation set"]),
            (
                "P = (a, 1).P; P[2, {tau}]",
                &["tau_in_set `tau`: `tau` cannot be in the cooperation set of an array"],
            ),
            (
                "P = (a, 1).P + (a, infty).P; P",
                &[
                    "mixed_active_passive `a, infty`: `a` is passive here and active elsewhere in the same choice of activities",
                    "never_driven `a, infty`: nothing ever drives the passive activity `a`",
                ],
            ),
            (
                "P = (a, 1).P; P <b> P",
                &["neither_side `b`: neither side of this cooperation can ever do `b`"],
            ),
            (
                "P = (start, 1).P; P <satrt> P",
                &["neither_side `satrt`: neither side of this cooperation can ever do `satrt`"],
            ),
            (
                "P = (a, 1).P; P/{a} <a> P/{a}",
                &["neither_side `a`: neither side of this cooperation can ever do `a`"],
            ),
            (
                "P = (a, 1).P; Q = (b, 1).Q; P <a> Q",
                &[
                    "blocked_action `a`: `Q`, on the right, can never do `a`, so `P` is blocked on it for ever",
                ],
            ),
            (
                "P = (serve, 1).P; Q = (sevre, 1).Q; P <serve> Q",
                &[
                    "blocked_action `serve`: `Q`, on the right, can never do `serve`, so `P` is blocked on it for ever",
                ],
            ),
            (
                "P = (a, 1).P; P <a> P/{a}",
                &["blocked_action `a`: `P`, on the right, hides its `a`, so `P` is blocked on it for ever"],
            ),
            ("P = (a, 1).P; P/{b}", &["hidden_never_done `b`: `b` is hidden here, but nothing here does it"]),
            (
                "P = (a, infty).P; P",
                &["never_driven `a, infty`: nothing ever drives the passive activity `a`"],
            ),
            (
                "P = (a, infty).P; P <a> P",
                &["never_driven `a, infty`: nothing ever drives the passive activity `a`"],
            ),
            (
                "P = (a, infty).P; Q = (a, 1).Q; P/{a} || Q",
                &["never_driven `a, infty`: nothing ever drives the passive activity `a`"],
            ),
            (
                "P = (tau, infty).P; P",
                &["never_driven `tau, infty`: nothing ever drives the passive activity `tau`"],
            ),
            (
                "P = (a, infty).P; Q = (a, 1).Q; R = (a, 2).R; (P || Q) <a> R",
                &[
                    "mixed_active_passive `||`: one side does `a` at a rate and the other passively, but not together",
                ],
            ),
            ("P = (a, 1).P; Q = (a, 2).Q; P || Q", &[]),
            ("P = (a, 1).(b, 1).P; Q = (a, 2).(b, 1).Q; P <*> Q", &[]),
            (
                "Start = (arrive, 1).Strt; Start <arive> Start",
                &[
                    "undefined_process `Strt`: the process `Strt` is not defined",
                    "undefined_action `arive`: the action `arive` is not defined: nothing does it",
                ],
            ),
            ("P = (a, 1).P; Q = (a, 2).Q; P <> Q", &[]),
            (
                "P = (a, 1).(b, 1).P; Q = (a, 2).(b, 1).Q; P <a> Q",
                &["unsynchronised_action `<a>`: both sides do `b`, but this cooperation set leaves it out"],
            ),
            ("P = (a, 1).P; P || P", &[]),
            ("P = (a, 1).P; Q = (a, 2).Q; R = (a, 3).R; (P || Q) <a> R", &[]),
        ]);
    }
}
