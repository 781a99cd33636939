//! Sequential components: from process definitions to local states and their activities.
//!
//! A local state is a *term*: a constant, or what follows an activity. Equal terms are one local state, so
//! terms are interned. The activities of a constant are those of its body; a constant that comes back to
//! itself without an activity in between is reported as unguarded.
//!
//! Definitions are read from their trees (`written`) or from what the outline keeps of them (`coded`). Then
//! constants get their activities (`resolve`).

mod coded;
mod composition;
mod name;
mod places;
mod resolve;
mod written;

use std::collections::HashMap;
use std::ops::Range;

use super::findings::Findings;
use super::names::{Names, ProcessBody};
use super::values::rates::Rates;
use crate::diagnostic::Span;
use crate::model::{ActionId, Activity, LocalStateId, RateId};
use crate::syntax::outline::{Outline, with_room};
use crate::table::Table;
use composition::{Growth, find_compositions};
pub(crate) use resolve::too_many_activities;
use written::Within;

/// The most activities that all definitions together may have, and all components.
pub(crate) const MOST_ACTIVITIES: usize = 10_000_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Term {
    Constant(u32),
    /// The activity that the term starts with; its target is what follows.
    Prefix(Activity),
    /// The choice with this number.
    Choice(u32),
    /// Something that was reported; it does nothing.
    Broken,
}

/// Where the activity of a prefix is written first.
#[derive(Clone, Copy)]
enum Place {
    /// Nowhere: the term is no prefix.
    Nowhere,
    /// At the place with this number.
    Known(u32),
    /// In the definition of this process.
    Within(u32),
}

/// The prefixes that lead to a term, and the chain that the term is in itself.
#[derive(Clone, Copy)]
struct Chain {
    first: u32,
    next: u32,
}

impl Chain {
    const NONE: u32 = u32::MAX;
    const ALONE: Chain = Chain { first: Chain::NONE, next: Chain::NONE };

    /// The most prefixes in a chain: any others that lead to the same term are in the table.
    const LONGEST: usize = 8;
}

/// The local states of a model while it is checked. Ids of local states are ids of terms here.
pub(super) struct Terms<'a, S> {
    pub(super) rates: Rates<S>,
    outline: &'a Outline<'a, S>,
    pub(super) actions: Vec<String>,
    action_index: HashMap<String, ActionId>,
    terms: Vec<Term>,
    /// Per process definition the term of its constant, once it has one; the other terms are in the table.
    constants: Vec<Option<LocalStateId>>,
    /// The choices, and the prefixes that lead to terms to which many do.
    index: Table,
    /// Per term the other prefixes that lead to it: the first of them, and the next one behind the term
    /// itself.
    chains: Vec<Chain>,
    choices: Vec<Vec<LocalStateId>>,
    choice_index: HashMap<Vec<LocalStateId>, u32>,
    /// Per term where it is written, and the places that are known.
    places: Vec<Place>,
    known_places: Vec<S>,
    /// Per process definition: its body as a choice of terms, if it is sequential; then the prefixes that it
    /// can start with.
    bodies: Vec<Range<u32>>,
    /// The terms of all bodies.
    in_bodies: Vec<LocalStateId>,
    /// Per name of the outline the action, and per rate of it the rate of activities, once they have them.
    coded_actions: Vec<Option<ActionId>>,
    coded_rates: Vec<Option<RateId>>,
    /// How many definitions had to be read again.
    reread: usize,
    /// Per process definition: whether it composes components.
    pub(super) is_composition: Vec<bool>,
    /// Per process definition: whether something was wrong with it.
    pub(super) is_broken: Vec<bool>,
    constant_names: Vec<&'a str>,
    /// The terms of the leaves of compositions, by the address of what was written: a composition may be
    /// used many times, and what is wrong with it is reported once.
    leaves: HashMap<usize, LocalStateId>,
    is_full: bool,
}

impl<'a, S: Span> Terms<'a, S> {
    /// What a model is made from: the terms without what is needed only to find them, to add others, and to
    /// say where they are written. Where a text has many definitions, that makes room for the model.
    pub(super) fn for_model(self) -> Self {
        Terms {
            constants: Vec::new(),
            index: Table::new(),
            chains: Vec::new(),
            choice_index: HashMap::new(),
            places: Vec::new(),
            known_places: Vec::new(),
            ..self
        }
    }

    /// Lowers every sequential definition.
    pub(super) fn from_definitions(
        names: &Names<'a, S>,
        rates: Rates<S>,
        findings: &mut Findings<'_, S>,
    ) -> Self {
        let count = names.processes.len();
        // As many as there are if no two prefixes are the same.
        let most = count + names.outline.activities;
        let mut terms = Terms {
            rates,
            outline: names.outline,
            actions: vec!["tau".into()],
            action_index: HashMap::from([("tau".into(), ActionId::TAU)]),
            terms: with_room(most),
            constants: vec![None; count],
            index: Table::new(),
            chains: with_room(most),
            choices: Vec::new(),
            choice_index: HashMap::new(),
            places: with_room(most),
            known_places: Vec::new(),
            bodies: Vec::with_capacity(count),
            in_bodies: Vec::new(),
            coded_actions: vec![None; names.outline.names.list.len()],
            coded_rates: vec![None; names.outline.rates.len()],
            reread: 0,
            is_composition: find_compositions(names),
            is_broken: vec![false; count],
            constant_names: (0..count).map(|id| names.process_name(id).text).collect(),
            leaves: HashMap::new(),
            is_full: false,
        };
        let mut growth = Growth::Unknown;
        for id in 0..count {
            let start = terms.in_bodies.len() as u32;
            let mut within = Within { id, names, growth: &mut growth, findings: &mut *findings };
            match names.body(id) {
                ProcessBody::Tree(body) if terms.is_composition[id] => {
                    terms.check_operands(body, &mut within);
                }
                ProcessBody::Tree(body) => terms.body(body, &mut within),
                ProcessBody::Code(code) => terms.coded_body(code, &mut within),
            }
            terms.bodies.push(start..terms.in_bodies.len() as u32);
        }
        terms.resolve_constants(names, findings);
        terms
    }

    /// The term of a sequential constant.
    pub(super) fn constant_term(&mut self, id: usize) -> LocalStateId {
        if let Some(term) = self.constants[id] {
            return term;
        }
        let term = LocalStateId::at(self.terms.len());
        self.push(Term::Constant(id as u32));
        *self.constants[id].insert(term)
    }

    /// The term that stands in for something that was reported.
    pub(super) fn broken_term(&mut self) -> LocalStateId {
        self.intern(Term::Broken)
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
        let (number, is_new) = self.index.number(term, &mut self.terms);
        if is_new {
            self.note_new();
        }
        LocalStateId(number)
    }

    /// The term of an activity and what follows. Terms that follow one another in the text are close by in
    /// memory, so a short chain is found sooner than an entry of a large table.
    fn prefix(&mut self, activity: Activity) -> LocalStateId {
        let (target, term) = (activity.target.index(), Term::Prefix(activity));
        let (mut at, mut length) = (self.chains[target].first, 0);
        while at != Chain::NONE {
            if self.terms[at as usize] == term {
                return LocalStateId(at);
            }
            (at, length) = (self.chains[at as usize].next, length + 1);
        }
        if length == Chain::LONGEST {
            return self.intern(term);
        }
        let id = LocalStateId::at(self.terms.len());
        self.push(term);
        self.chains[id.index()].next = std::mem::replace(&mut self.chains[target].first, id.0);
        id
    }

    fn push(&mut self, term: Term) {
        self.terms.push(term);
        self.note_new();
    }

    /// Notes that there is a new term.
    fn note_new(&mut self) {
        self.places.push(Place::Nowhere);
        self.chains.push(Chain::ALONE);
    }

    fn choice(&mut self, operands: Vec<LocalStateId>) -> LocalStateId {
        let next = self.choices.len() as u32;
        let number = *self.choice_index.entry(operands.clone()).or_insert(next);
        if number == next {
            self.choices.push(operands);
        }
        self.intern(Term::Choice(number))
    }

    /// The terms that a choice or the body of a constant is made of.
    fn body_of(&self, constant: usize) -> &[LocalStateId] {
        let Range { start, end } = self.bodies[constant];
        &self.in_bodies[start as usize..end as usize]
    }

    /// The number of terms so far.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Calls `visit` with the prefixes that a local state enables, a multiset.
    pub(super) fn for_each_enabled(&self, term: LocalStateId, visit: &mut impl FnMut(LocalStateId)) {
        match self.terms[term.index()] {
            Term::Constant(id) => self.body_of(id as usize).iter().copied().for_each(visit),
            Term::Prefix(_) => visit(term),
            Term::Choice(choice) => {
                let operands = &self.choices[choice as usize];
                operands.iter().for_each(|&operand| self.for_each_enabled(operand, visit));
            }
            Term::Broken => {}
        }
    }

    /// The prefixes that a local state enables, a multiset.
    pub(super) fn enabled(&self, term: LocalStateId) -> Vec<LocalStateId> {
        let mut prefixes = Vec::new();
        self.for_each_enabled(term, &mut |prefix| prefixes.push(prefix));
        prefixes
    }

    /// The local states that can be reached from one of them, in ascending order, unless they and their
    /// activities are more than `budget`. `seen` says per term the last component that it was found in, and
    /// `component` is this one.
    pub(super) fn reachable(
        &self,
        initial: LocalStateId,
        budget: &mut usize,
        component: u32,
        seen: &mut Vec<u32>,
    ) -> Option<Vec<LocalStateId>> {
        seen.resize(self.terms.len(), u32::MAX);
        seen[initial.index()] = component;
        let mut found = vec![initial];
        let mut at = 0;
        while let Some(&state) = found.get(at) {
            at += 1;
            let mut count = 1;
            self.for_each_enabled(state, &mut |prefix| {
                count += 1;
                let target = self.activity(prefix).target;
                if std::mem::replace(&mut seen[target.index()], component) != component {
                    found.push(target);
                }
            });
            *budget = budget.checked_sub(count)?;
        }
        found.sort_unstable();
        Some(found)
    }

    /// The activity of a prefix term.
    pub(super) fn activity(&self, prefix: LocalStateId) -> Activity {
        match self.terms[prefix.index()] {
            Term::Prefix(activity) => activity,
            _ => unreachable!("only prefixes are enabled"),
        }
    }

    /// Whether the term, or a constant that it is made of, was reported.
    pub(super) fn touches_broken(&self, term: LocalStateId) -> bool {
        match self.terms[term.index()] {
            Term::Constant(id) => self.is_broken[id as usize],
            Term::Prefix(activity) => matches!(self.terms[activity.target.index()], Term::Broken),
            Term::Choice(choice) => {
                self.choices[choice as usize].iter().any(|&operand| self.touches_broken(operand))
            }
            Term::Broken => true,
        }
    }

    /// The constant that a term is, if it is one.
    pub(super) fn constant(&self, term: LocalStateId) -> Option<usize> {
        match self.terms[term.index()] {
            Term::Constant(id) => Some(id as usize),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::model::Model;
    use crate::testing::models;

    #[test]
    fn equal_terms_are_one_local_state_however_many_lead_to_the_same() {
        for actions in [1, 7, 8, 9, 50] {
            let ways: Vec<String> = (0..actions).map(|at| format!("(go, 1).(a{at}, 1).P")).collect();
            let text = format!("P = {0} + {0}; Q = {0}; P || Q", ways.join(" + "));
            let model = Model::from_text(&text).unwrap();
            assert_eq!(model.local_states().len(), actions + 2);
        }
    }

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
