//! Sequential components: from process definitions to local states and their activities.
//!
//! A local state is a *term*: a constant, or what follows an activity. Equal terms are one local state, so
//! terms are interned. The activities of a constant are those of its body; a constant that comes back to itself
//! without an activity in between is reported as unguarded.

use std::collections::{BTreeSet, HashMap};

use super::findings::Findings;
use super::names::{Names, Symbol};
use super::values::rates::Rates;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::graph::{Adjacency, strongly_connected};
use crate::model::{ActionId, Activity, LocalStateId};
use crate::syntax::ast::{Name, Process};

/// The most activities that all definitions together may have, and all components.
pub(super) const MOST_ACTIVITIES: usize = 1_000_000;

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Term {
    Constant(usize),
    /// The activity that the term starts with; its target is what follows.
    Prefix(Activity),
    Choice(Vec<LocalStateId>),
    /// Something that was reported; it does nothing.
    Broken,
}

/// The local states of a model while it is checked. Ids of local states are ids of terms here.
pub(super) struct Terms<S> {
    pub(super) rates: Rates<S>,
    pub(super) actions: Vec<String>,
    action_index: HashMap<String, ActionId>,
    terms: Vec<Term>,
    index: HashMap<Term, LocalStateId>,
    /// Per term: where the activity of a prefix is written first.
    places: Vec<Option<S>>,
    /// Per process definition: its body as a term, if it is sequential.
    bodies: Vec<Option<LocalStateId>>,
    /// Per process definition: the activities of its body, with the prefixes they come from.
    of_constant: Vec<Vec<LocalStateId>>,
    /// Per process definition: whether it composes components.
    pub(super) is_composition: Vec<bool>,
    /// Per process definition: whether something was wrong with it.
    pub(super) is_broken: Vec<bool>,
    pub(super) constant_names: Vec<String>,
    /// The terms of the leaves of compositions, by the address of what was written: a composition may be
    /// used many times, and what is wrong with it is reported once.
    leaves: HashMap<usize, LocalStateId>,
    is_full: bool,
}

impl<S: Span> Terms<S> {
    /// Lowers every sequential definition.
    pub(super) fn from_definitions<'a>(
        names: &Names<'a, S>,
        rates: Rates<S>,
        findings: &mut Findings<'_, S>,
    ) -> Self {
        let count = names.processes.len();
        let mut terms = Terms {
            rates,
            actions: vec!["tau".into()],
            action_index: HashMap::from([("tau".into(), ActionId::TAU)]),
            terms: Vec::new(),
            index: HashMap::new(),
            places: Vec::new(),
            bodies: vec![None; count],
            of_constant: vec![Vec::new(); count],
            is_composition: find_compositions(names),
            is_broken: vec![false; count],
            constant_names: names.processes.iter().map(|process| process.name.text.clone()).collect(),
            leaves: HashMap::new(),
            is_full: false,
        };
        let growth = Growth::of_definitions(names);
        for (id, definition) in names.processes.iter().enumerate() {
            if terms.is_composition[id] {
                terms.check_operands(id, definition.body, names, &growth, findings);
            } else {
                terms.bodies[id] = Some(terms.sequential(id, definition.body, names, &growth, findings));
            }
        }
        terms.resolve_constants(names, findings);
        terms
    }

    /// The term of a process in a sequential position of definition `within`.
    fn sequential(
        &mut self,
        within: usize,
        process: &Process<S>,
        names: &Names<'_, S>,
        growth: &Growth,
        findings: &mut Findings<'_, S>,
    ) -> LocalStateId {
        match process {
            Process::Constant(name) => match names.process(name, findings) {
                Some(id) if self.is_composition[id] => {
                    self.not_sequential(within, process, names, growth, findings)
                }
                Some(id) => self.intern(Term::Constant(id)),
                None => self.broken(within),
            },
            Process::Prefix { activities, then } => {
                let mut term = self.sequential(within, then, names, growth, findings);
                for written in activities.iter().rev() {
                    let action = self.action(&written.action.text);
                    let rate = self.rates.activity(&written.rate, names, findings);
                    term = self.intern(Term::Prefix(Activity { action, rate, target: term }));
                    self.places[term.index()].get_or_insert(written.span());
                }
                term
            }
            Process::Choice(operands) => {
                let operands = operands
                    .iter()
                    .map(|operand| self.sequential(within, operand, names, growth, findings))
                    .collect();
                self.intern(Term::Choice(operands))
            }
            _ => self.not_sequential(within, process, names, growth, findings),
        }
    }

    /// The term of a leaf of the system equation, or of an entry of a pattern.
    pub(super) fn leaf(
        &mut self,
        process: &Process<S>,
        names: &Names<'_, S>,
        findings: &mut Findings<'_, S>,
    ) -> LocalStateId {
        let address = std::ptr::from_ref(process).addr();
        if let Some(&term) = self.leaves.get(&address) {
            return term;
        }
        let term = self.sequential(usize::MAX, process, names, &Growth::nothing(), findings);
        self.leaves.insert(address, term);
        term
    }

    /// The term of a sequential constant.
    pub(super) fn constant_term(&mut self, id: usize) -> LocalStateId {
        self.intern(Term::Constant(id))
    }

    /// Walks a composed definition down to its sequential parts, for what is wrong with them.
    fn check_operands(
        &mut self,
        within: usize,
        process: &Process<S>,
        names: &Names<'_, S>,
        growth: &Growth,
        findings: &mut Findings<'_, S>,
    ) {
        match process {
            Process::Constant(_) | Process::Array { .. } | Process::Anything(_) => {}
            Process::Prefix { .. } | Process::Choice(_) => {
                let term = self.sequential(within, process, names, growth, findings);
                self.leaves.insert(std::ptr::from_ref(process).addr(), term);
            }
            Process::Cooperation { first, rest } => {
                self.check_operands(within, first, names, growth, findings);
                for (_, operand) in rest {
                    self.check_operands(within, operand, names, growth, findings);
                }
            }
            Process::Hiding { of, .. } => self.check_operands(within, of, names, growth, findings),
        }
    }

    /// The term that stands in for something that was reported.
    pub(super) fn broken_term(&mut self) -> LocalStateId {
        self.intern(Term::Broken)
    }

    fn broken(&mut self, within: usize) -> LocalStateId {
        if let Some(flag) = self.is_broken.get_mut(within) {
            *flag = true;
        }
        self.intern(Term::Broken)
    }

    fn not_sequential(
        &mut self,
        within: usize,
        process: &Process<S>,
        names: &Names<'_, S>,
        growth: &Growth,
        findings: &mut Findings<'_, S>,
    ) -> LocalStateId {
        let mut inside = Vec::new();
        for_each_constant(process, &mut |name| {
            if let Some(Symbol::Process(id)) = names.get(&name.text) {
                inside.push(id);
            }
        });
        let grows = inside.iter().any(|&id| growth.returns(id, within));
        let composed = match process {
            Process::Constant(name) => format!("`{}`, which composes components,", name.text),
            Process::Hiding { .. } => "a component with hidden actions".into(),
            Process::Array { .. } => "an array of components".into(),
            _ => "a composition of components".into(),
        };
        let diagnostic = if grows {
            let name = &names.processes[within].name.text;
            Diagnostic::new(
                Code::UnboundedGrowth,
                process.span(),
                format!("`{name}` grows without end: {composed} stands behind an activity or in a choice, and comes back to `{name}`"),
            )
            .help("each round would wrap the component once more; compose and hide in the system equation instead")
        } else {
            Diagnostic::new(
                Code::NotSequential,
                process.span(),
                format!("{composed} stands behind an activity or in a choice"),
            )
            .help("only sequential processes (activities, `+` and their names) may stand there; compose in the system equation")
        };
        let related = match process {
            Process::Constant(name) => names.get(&name.text).and_then(|symbol| match symbol {
                Symbol::Process(id) => Some(names.processes[id].name.at.0),
                Symbol::Rate(_) => None,
            }),
            _ => None,
        };
        findings.push(match related {
            Some(place) => diagnostic.related(place, "defined as a composition here"),
            None => diagnostic,
        });
        self.broken(within)
    }

    fn action(&mut self, name: &str) -> ActionId {
        if let Some(&id) = self.action_index.get(name) {
            return id;
        }
        let id = ActionId::at(self.actions.len());
        self.actions.push(name.to_owned());
        self.action_index.insert(name.to_owned(), id);
        id
    }

    /// The action of a name, if something does it.
    pub(super) fn action_named(&self, name: &str) -> Option<ActionId> {
        self.action_index.get(name).copied()
    }

    fn intern(&mut self, term: Term) -> LocalStateId {
        if let Some(&id) = self.index.get(&term) {
            return id;
        }
        let id = LocalStateId::at(self.terms.len());
        self.terms.push(term.clone());
        self.places.push(None);
        self.index.insert(term, id);
        id
    }

    /// The number of terms so far.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Finds unguarded circles and gives every constant the activities of its body.
    fn resolve_constants(&mut self, names: &Names<'_, S>, findings: &mut Findings<'_, S>) {
        let mut graph = Adjacency::new();
        for body in &self.bodies {
            let mut constants = Vec::new();
            if let Some(body) = *body {
                self.for_each_unguarded(body, &mut |id| constants.push(id as u32));
            }
            graph.push(constants);
        }
        let circles = strongly_connected(&graph);
        let mut total = 0;
        for component in &circles.components {
            let first = component[0] as usize;
            if circles.is_on_cycle(first, &graph) {
                for &id in component {
                    self.is_broken[id as usize] = true;
                }
                findings.push(unguarded(component, names));
                continue;
            }
            let Some(body) = self.bodies[first] else { continue };
            let mut prefixes = Vec::new();
            self.collect_prefixes(body, &mut prefixes);
            self.of_constant[first] = prefixes;
            total += self.of_constant[first].len();
            if total > MOST_ACTIVITIES && !self.is_full {
                self.is_full = true;
                self.is_broken[first] = true;
                self.of_constant[first] = Vec::new();
                let name = names.processes[first].name;
                let message =
                    format!("`{}` brings the model to more than {MOST_ACTIVITIES} activities", name.text);
                findings.push(
                    Diagnostic::new(Code::SystemTooLarge, name.at.0, message)
                        .help("a choice of equal activities is one activity with the sum of their rates"),
                );
            }
        }
    }

    fn for_each_unguarded(&self, term: LocalStateId, visit: &mut impl FnMut(usize)) {
        match &self.terms[term.index()] {
            Term::Constant(id) => visit(*id),
            Term::Choice(operands) => {
                operands.iter().for_each(|&operand| self.for_each_unguarded(operand, visit));
            }
            Term::Prefix(_) | Term::Broken => {}
        }
    }

    fn collect_prefixes(&self, term: LocalStateId, prefixes: &mut Vec<LocalStateId>) {
        if prefixes.len() > MOST_ACTIVITIES || self.is_full {
            return;
        }
        match &self.terms[term.index()] {
            Term::Constant(id) => prefixes.extend(&self.of_constant[*id]),
            Term::Prefix(_) => prefixes.push(term),
            Term::Choice(operands) => {
                operands.iter().for_each(|&operand| self.collect_prefixes(operand, prefixes));
            }
            Term::Broken => {}
        }
    }

    /// The prefixes that a local state enables, a multiset.
    pub(super) fn enabled(&self, term: LocalStateId) -> Vec<LocalStateId> {
        let mut prefixes = Vec::new();
        self.collect_prefixes(term, &mut prefixes);
        prefixes
    }

    /// The local states that can be reached from one of them, in ascending order, unless they and their
    /// activities are more than `budget`.
    pub(super) fn reachable(&self, initial: LocalStateId, budget: &mut usize) -> Option<Vec<LocalStateId>> {
        let mut seen = BTreeSet::new();
        seen.insert(initial);
        let mut work = vec![initial];
        while let Some(state) = work.pop() {
            let enabled = self.enabled(state);
            *budget = budget.checked_sub(enabled.len() + 1)?;
            for prefix in enabled {
                let target = self.activity(prefix).target;
                if seen.insert(target) {
                    work.push(target);
                }
            }
        }
        Some(seen.into_iter().collect())
    }

    /// The activity of a prefix term.
    pub(super) fn activity(&self, prefix: LocalStateId) -> Activity {
        match &self.terms[prefix.index()] {
            Term::Prefix(activity) => *activity,
            _ => unreachable!("only prefixes are enabled"),
        }
    }

    /// Where the activity of a prefix is written.
    pub(super) fn place(&self, prefix: LocalStateId) -> Option<S> {
        self.places[prefix.index()]
    }

    /// Whether the term, or a constant that it is made of, was reported.
    pub(super) fn touches_broken(&self, term: LocalStateId) -> bool {
        match &self.terms[term.index()] {
            Term::Constant(id) => self.is_broken[*id],
            Term::Prefix(activity) => matches!(self.terms[activity.target.index()], Term::Broken),
            Term::Choice(operands) => operands.iter().any(|&operand| self.touches_broken(operand)),
            Term::Broken => true,
        }
    }

    /// The constant that a term is, if it is one.
    pub(super) fn constant(&self, term: LocalStateId) -> Option<usize> {
        match &self.terms[term.index()] {
            Term::Constant(id) => Some(*id),
            _ => None,
        }
    }

    /// The constant's name or, where it has none, the term as one writes it; very long ones are cut and told
    /// apart by their number.
    pub(super) fn name(&self, term: LocalStateId) -> String {
        const LONGEST: usize = 240;
        if let Some(id) = self.constant(term) {
            return self.constant_names[id].clone();
        }
        let mut name = String::new();
        self.write_name(term, false, &mut name, LONGEST);
        if name.len() > LONGEST {
            let cut = (0..=LONGEST).rev().find(|&at| name.is_char_boundary(at)).unwrap_or(0);
            name.truncate(cut);
            name.push_str(&format!("... #{}", term.0));
        }
        name
    }

    fn write_name(&self, term: LocalStateId, in_brackets: bool, name: &mut String, longest: usize) {
        let mut term = term;
        while name.len() <= longest {
            match &self.terms[term.index()] {
                Term::Constant(id) => {
                    return name.push_str(&crate::syntax::name::quote_name(&self.constant_names[*id]));
                }
                Term::Prefix(activity) => {
                    let action = crate::syntax::name::quote_name(&self.actions[activity.action.index()]);
                    name.push_str(&format!("({action}, {}).", self.rates.written(activity.rate)));
                    term = activity.target;
                    if matches!(self.terms[term.index()], Term::Choice(_)) {
                        return self.write_name(term, true, name, longest);
                    }
                }
                Term::Choice(operands) => {
                    if in_brackets {
                        name.push('(');
                    }
                    for (index, &operand) in operands.iter().enumerate() {
                        if name.len() > longest {
                            return;
                        }
                        name.push_str(if index == 0 { "" } else { " + " });
                        self.write_name(operand, true, name, longest);
                    }
                    if in_brackets {
                        name.push(')');
                    }
                    return;
                }
                Term::Broken => return name.push('?'),
            }
        }
    }
}

fn unguarded<S: Span>(component: &[u32], names: &Names<'_, S>) -> Diagnostic<S> {
    let name = |id: u32| names.processes[id as usize].name;
    let first = name(component[0]);
    let message = match component {
        [_] => format!("`{}` comes back to itself without an activity", first.text),
        _ => {
            let circle: Vec<&str> = component.iter().map(|&id| name(id).text.as_str()).collect();
            format!("`{}` come back to one another without an activity", circle.join("`, `"))
        }
    };
    let mut diagnostic = Diagnostic::new(Code::UnguardedRecursion, first.at.0, message)
        .help(format!("put an activity before the return: `{first} = (action, rate).{first};`"));
    for &other in &component[1..] {
        diagnostic = diagnostic.related(name(other).at.0, "and here");
    }
    diagnostic
}

/// Which definitions compose components: those that say so, and names of such.
fn find_compositions<S: Span>(names: &Names<'_, S>) -> Vec<bool> {
    let mut is_composition: Vec<bool> = names
        .processes
        .iter()
        .map(|definition| !matches!(definition.body, Process::Choice(_)) && definition.body.is_composition())
        .collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); is_composition.len()];
    for (id, definition) in names.processes.iter().enumerate() {
        if let Process::Constant(name) = definition.body
            && let Some(Symbol::Process(used)) = names.get(&name.text)
        {
            users[used].push(id);
        }
    }
    let mut work: Vec<usize> = (0..is_composition.len()).filter(|&id| is_composition[id]).collect();
    while let Some(id) = work.pop() {
        for &user in &users[id] {
            if !is_composition[user] {
                is_composition[user] = true;
                work.push(user);
            }
        }
    }
    is_composition
}

/// Which definitions use one another in a circle, by any path. A composition behind an activity grows without end only on such a circle;
/// anywhere else it is merely misplaced.
struct Growth {
    component_of: Vec<u32>,
}

impl Growth {
    fn nothing() -> Self {
        Growth { component_of: Vec::new() }
    }

    fn of_definitions<S: Span>(names: &Names<'_, S>) -> Self {
        let mut graph = Adjacency::new();
        for definition in &names.processes {
            let mut used = Vec::new();
            for_each_constant(definition.body, &mut |name| {
                if let Some(Symbol::Process(id)) = names.get(&name.text) {
                    used.push(id as u32);
                }
            });
            graph.push(used);
        }
        Growth { component_of: strongly_connected(&graph).component_of }
    }

    fn returns(&self, from: usize, to: usize) -> bool {
        matches!((self.component_of.get(from), self.component_of.get(to)), (Some(a), Some(b)) if a == b)
    }
}

/// Every constant of a process, guarded or not.
pub(super) fn for_each_constant<'a, S>(process: &'a Process<S>, visit: &mut impl FnMut(&'a Name<S>)) {
    match process {
        Process::Constant(name) => visit(name),
        Process::Array { of, .. } => visit(of),
        Process::Anything(_) => {}
        Process::Prefix { then, .. } => for_each_constant(then, visit),
        Process::Choice(operands) => operands.iter().for_each(|operand| for_each_constant(operand, visit)),
        Process::Cooperation { first, rest } => {
            for_each_constant(first, visit);
            rest.iter().for_each(|(_, operand)| for_each_constant(operand, visit));
        }
        Process::Hiding { of, .. } => for_each_constant(of, visit),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            ("P = P; P", &["unguarded_recursion `P`: `P` comes back to itself without an activity"]),
            (
                "P = Q + (a, 1).P; Q = P + (b, 1).Q; P",
                &["unguarded_recursion `P`: `P`, `Q` come back to one another without an activity"],
            ),
            (
                "P = (a, 1).(P || P); P",
                &[
                    "unbounded_growth `P || P`: `P` grows without end: a composition of components stands behind an activity or in a choice, and comes back to `P`",
                ],
            ),
            (
                "P = (a, 1).P; Q = (b, 1).(P || P); Q",
                &[
                    "not_sequential `P || P`: a composition of components stands behind an activity or in a choice",
                ],
            ),
            (
                "P = (a, 1).P; S = P || P; Q = (b, 1).S; Q",
                &[
                    "not_sequential `S`: `S`, which composes components, stands behind an activity or in a choice",
                ],
            ),
            ("P = (a, 1).P; Q = (b, 1).P/{a}; Q", &[]),
            (
                "P = (a, 1).P; Q = (b, 1).P[3]; Q",
                &["not_sequential `P[3]`: an array of components stands behind an activity or in a choice"],
            ),
            (
                "P = (a, 1).P; Q = P + (P || P); Q",
                &[
                    "not_sequential `P || P`: a composition of components stands behind an activity or in a choice",
                ],
            ),
            ("P = (a, 1).(b, 2).P + (c, 3).P; P", &[]),
        ]);
    }
}
