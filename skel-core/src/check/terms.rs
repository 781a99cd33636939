//! Sequential components: from process definitions to local states and their activities.
//!
//! A local state is a *term*: a constant, or what follows an activity. Equal terms are one local state, so
//! terms are interned. The activities of a constant are those of its body; a constant that comes back to
//! itself without an activity in between is reported as unguarded.

use std::collections::HashMap;
use std::ops::Range;

use super::findings::Findings;
use super::names::{Names, ProcessBody, Symbol};
use super::values::rates::Rates;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::graph::{Adjacency, strongly_connected};
use crate::model::{ActionId, Activity, LocalStateId, RateId};
use crate::syntax::ast::{Body, Name, PrefixActivity, Process};
use crate::syntax::name::quote_name;
use crate::syntax::outline::{Operand, Outline, with_room};
use crate::table::Table;

/// The most activities that all definitions together may have, and all components.
pub(crate) const MOST_ACTIVITIES: usize = 10_000_000;

/// The most definitions of which the trees are made again for what is wrong with them.
const MOST_REREAD: usize = 1000;

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
            match names.body(id) {
                ProcessBody::Tree(body) if terms.is_composition[id] => {
                    terms.check_operands(id, body, names, &mut growth, findings);
                }
                ProcessBody::Tree(body) => terms.body(id, body, names, &mut growth, findings),
                ProcessBody::Code(code) => terms.coded_body(id, code, names, &mut growth, findings),
            }
            terms.bodies.push(start..terms.in_bodies.len() as u32);
        }
        terms.resolve_constants(names, findings);
        terms
    }

    /// Adds the operands of a body that is a choice, or else the body.
    fn body(
        &mut self,
        id: usize,
        body: &Process<S>,
        names: &Names<'_, S>,
        growth: &mut Growth,
        findings: &mut Findings<'_, S>,
    ) {
        let operands = match body {
            Process::Choice(operands) => operands.as_slice(),
            body => std::slice::from_ref(body),
        };
        for operand in operands {
            let term = self.sequential(id, operand, names, growth, findings);
            self.in_bodies.push(term);
        }
    }

    /// As [`Self::body`], for a body that the outline keeps. What is wrong with it is reported from its tree.
    fn coded_body(
        &mut self,
        id: usize,
        code: u32,
        names: &Names<'_, S>,
        growth: &mut Growth,
        findings: &mut Findings<'_, S>,
    ) {
        let is_sound = self.outline.operands(code).all(|operand| self.is_sound(operand, names));
        if is_sound {
            let outline = self.outline;
            for operand in outline.operands(code) {
                let term = self.coded(id, operand, names, findings);
                self.in_bodies.push(term);
            }
            return;
        }
        self.reread += 1;
        let tree = (self.reread <= MOST_REREAD)
            .then(|| self.outline.kept_tree(names.process_name(id).at.0))
            .flatten();
        match tree.as_deref().map(|definition| &definition.body) {
            Some(Body::Process(body) | Body::Undecided(body)) => self.body(id, body, names, growth, findings),
            Some(Body::Rate(_)) | None => {
                let term = self.broken(id);
                self.in_bodies.push(term);
            }
        }
    }

    /// Whether nothing is to be reported of an operand that the outline keeps.
    fn is_sound(&mut self, operand: Operand<'_>, names: &Names<'_, S>) -> bool {
        let Some(Symbol::Process(constant)) = names.numbered(operand.constant) else { return false };
        !self.is_composition[constant]
            && operand.activities.chunks(2).all(|activity| self.is_sound_rate(activity[1], names))
    }

    fn is_sound_rate(&mut self, rate: u32, names: &Names<'_, S>) -> bool {
        let known = self.coded_rates[rate as usize].is_some();
        known || self.rates.is_sound(&self.outline.rates[rate as usize], names)
    }

    /// The term of an operand that the outline keeps, in the definition of a process.
    fn coded(
        &mut self,
        within: usize,
        operand: Operand<'_>,
        names: &Names<'_, S>,
        findings: &mut Findings<'_, S>,
    ) -> LocalStateId {
        let mut term = match names.numbered(operand.constant) {
            Some(Symbol::Process(id)) => self.constant_term(id),
            _ => unreachable!("a sound operand ends in a process"),
        };
        for written in operand.activities.chunks(2).rev() {
            let action = self.coded_action(written[0]);
            let rate = match self.coded_rates[written[1] as usize] {
                Some(rate) => rate,
                None => {
                    let rate = self.rates.activity(&self.outline.rates[written[1] as usize], names, findings);
                    *self.coded_rates[written[1] as usize].insert(rate)
                }
            };
            term = self.prefix(Activity { action, rate, target: term });
            if let place @ Place::Nowhere = &mut self.places[term.index()] {
                *place = Place::Within(within as u32);
            }
        }
        term
    }

    fn coded_action(&mut self, name: u32) -> ActionId {
        if let Some(action) = self.coded_actions[name as usize] {
            return action;
        }
        let action = self.action(self.outline.names.list[name as usize]);
        *self.coded_actions[name as usize].insert(action)
    }

    /// The term of a process in a sequential position of definition `within`.
    fn sequential(
        &mut self,
        within: usize,
        process: &Process<S>,
        names: &Names<'_, S>,
        growth: &mut Growth,
        findings: &mut Findings<'_, S>,
    ) -> LocalStateId {
        match process {
            Process::Constant(name) => match names.process(name, findings) {
                Some(id) if self.is_composition[id] => {
                    self.not_sequential(within, process, names, growth, findings)
                }
                Some(id) => self.constant_term(id),
                None => self.broken(within),
            },
            Process::Prefix { activities, then } => {
                let rates_before = self.rates.entries.len();
                let mut term = self.sequential(within, then, names, growth, findings);
                for written in activities.iter().rev() {
                    let action = self.action(&written.action.text);
                    let known = rates_before..self.rates.entries.len();
                    let rate = self.rates.activity(&written.rate, names, findings);
                    // The last activity is read first, so one with the same rate stands behind this one.
                    if known.contains(&rate.index()) {
                        self.rates.set_first_place(rate, &written.rate);
                    }
                    term = self.prefix(Activity { action, rate, target: term });
                    if let place @ Place::Nowhere = &mut self.places[term.index()] {
                        *place = Place::Known(self.known_places.len() as u32);
                        self.known_places.push(written.span());
                    }
                }
                term
            }
            Process::Choice(operands) => {
                let operands = operands
                    .iter()
                    .map(|operand| self.sequential(within, operand, names, growth, findings))
                    .collect();
                self.choice(operands)
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
        let term = self.sequential(usize::MAX, process, names, &mut Growth::Nothing, findings);
        self.leaves.insert(address, term);
        term
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

    /// Walks a composed definition down to its sequential parts, for what is wrong with them.
    fn check_operands(
        &mut self,
        within: usize,
        process: &Process<S>,
        names: &Names<'_, S>,
        growth: &mut Growth,
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
        growth: &mut Growth,
        findings: &mut Findings<'_, S>,
    ) -> LocalStateId {
        let mut inside = Vec::new();
        process.for_each_constant(&mut |name| {
            if let Some(Symbol::Process(id)) = names.get(&name.text) {
                inside.push(id);
            }
        });
        let grows = inside.iter().any(|&id| growth.returns(id, within, names));
        let composed = match process {
            Process::Constant(name) => format!("`{}`, which composes components,", name.text),
            Process::Hiding { .. } => "a component with hidden actions".into(),
            Process::Array { .. } => "an array of components".into(),
            _ => "a composition of components".into(),
        };
        let diagnostic = if grows {
            let name = names.process_name(within).text;
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
                Symbol::Process(id) => Some(names.process_name(id).at.0),
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

    /// Finds unguarded circles and gives every constant the activities of its body.
    fn resolve_constants(&mut self, names: &Names<'_, S>, findings: &mut Findings<'_, S>) {
        let is_prefix = |term: &LocalStateId| matches!(self.terms[term.index()], Term::Prefix(_));
        if self.in_bodies.iter().all(is_prefix) && self.in_bodies.len() <= MOST_ACTIVITIES {
            return;
        }
        let mut graph = Adjacency::new();
        for id in 0..self.bodies.len() {
            let mut constants = Vec::new();
            for &term in self.body_of(id) {
                self.for_each_unguarded(term, &mut |id| constants.push(id as u32));
            }
            graph.push(constants);
        }
        let circles = strongly_connected(&graph);
        let written = std::mem::take(&mut self.in_bodies);
        let bodies = self.bodies.clone();
        self.bodies.fill(0..0);
        for component in &circles.components {
            let first = component[0] as usize;
            if circles.is_on_cycle(first, &graph) {
                for &id in component {
                    self.is_broken[id as usize] = true;
                }
                findings.push(unguarded(component, names));
                continue;
            }
            let start = self.in_bodies.len();
            for &term in &written[bodies[first].start as usize..bodies[first].end as usize] {
                self.add_prefixes(term);
            }
            if self.in_bodies.len() > MOST_ACTIVITIES && !self.is_full {
                self.is_full = true;
                self.is_broken[first] = true;
                self.in_bodies.truncate(start);
                let name = names.process_name(first);
                findings.push(too_many_activities(name.text, name.at.0));
            }
            self.bodies[first] = start as u32..self.in_bodies.len() as u32;
        }
    }

    fn for_each_unguarded(&self, term: LocalStateId, visit: &mut impl FnMut(usize)) {
        match self.terms[term.index()] {
            Term::Constant(id) => visit(id as usize),
            Term::Choice(choice) => {
                let operands = &self.choices[choice as usize];
                operands.iter().for_each(|&operand| self.for_each_unguarded(operand, visit));
            }
            Term::Prefix(_) | Term::Broken => {}
        }
    }

    /// Adds the prefixes that a term enables to the body that is resolved, as far as there may be so many
    /// activities.
    fn add_prefixes(&mut self, term: LocalStateId) {
        if self.is_full || self.in_bodies.len() > MOST_ACTIVITIES {
            return;
        }
        match self.terms[term.index()] {
            Term::Constant(id) => {
                let Range { start, end } = self.bodies[id as usize];
                self.in_bodies.extend_from_within(start as usize..end as usize);
            }
            Term::Prefix(_) => self.in_bodies.push(term),
            Term::Choice(choice) => {
                for at in 0..self.choices[choice as usize].len() {
                    self.add_prefixes(self.choices[choice as usize][at]);
                }
            }
            Term::Broken => {}
        }
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

    /// Where the activity of a prefix is written.
    pub(super) fn place(&self, prefix: LocalStateId, names: &Names<'_, S>) -> Option<S> {
        match self.places[prefix.index()] {
            Place::Nowhere => None,
            Place::Known(number) => Some(self.known_places[number as usize]),
            Place::Within(process) => {
                let tree = self.outline.tree(names.process_name(process as usize).at.0)?;
                let mut place = None;
                if let Body::Process(body) = &tree.body {
                    for_each_activity(body, &mut |written, behind| {
                        if place.is_none() && self.is_written(prefix, written, behind, names) {
                            place = Some(written[0].span());
                        }
                    });
                }
                place
            }
        }
    }

    /// Whether a prefix is the term of these activities and the constant behind them.
    fn is_written(
        &self,
        prefix: LocalStateId,
        written: &[PrefixActivity<S>],
        behind: &Name<S>,
        names: &Names<'_, S>,
    ) -> bool {
        let mut term = prefix;
        for one in written {
            let Term::Prefix(activity) = self.terms[term.index()] else { return false };
            let rate = self.outline.rate_number(&one.rate).and_then(|rate| self.coded_rates[rate as usize]);
            if self.actions[activity.action.index()] != one.action.text || rate != Some(activity.rate) {
                return false;
            }
            term = activity.target;
        }
        match (self.terms[term.index()], names.get(&behind.text)) {
            (Term::Constant(found), Some(Symbol::Process(id))) => found as usize == id,
            _ => false,
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

    /// The constant's name or, where it has none, the term as one writes it; very long ones are cut and told
    /// apart by their number.
    pub(super) fn name(&self, term: LocalStateId) -> String {
        const LONGEST: usize = 240;
        if let Some(id) = self.constant(term) {
            return self.constant_names[id].to_owned();
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
            match self.terms[term.index()] {
                Term::Constant(id) => {
                    return name.push_str(&quote_name(self.constant_names[id as usize]));
                }
                Term::Prefix(activity) => {
                    let action = quote_name(&self.actions[activity.action.index()]);
                    name.push_str(&format!("({action}, {}).", self.rates.written(activity.rate)));
                    term = activity.target;
                    if matches!(self.terms[term.index()], Term::Choice(_)) {
                        return self.write_name(term, true, name, longest);
                    }
                }
                Term::Choice(choice) => {
                    if in_brackets {
                        name.push('(');
                    }
                    for (index, &operand) in self.choices[choice as usize].iter().enumerate() {
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

/// That a definition passes the limit.
pub(crate) fn too_many_activities<S>(name: &str, at: S) -> Diagnostic<S> {
    let message = format!("`{name}` brings the model to more than {MOST_ACTIVITIES} activities");
    Diagnostic::new(Code::SystemTooLarge, at, message)
        .help("a choice of equal activities is one activity with the sum of their rates")
}

fn unguarded<S: Span>(component: &[u32], names: &Names<'_, S>) -> Diagnostic<S> {
    let name = |id: u32| names.process_name(id as usize);
    let first = name(component[0]);
    let message = match component {
        [_] => format!("`{}` comes back to itself without an activity", first.text),
        _ => {
            let circle: Vec<&str> = component.iter().map(|&id| name(id).text).collect();
            format!("`{}` come back to one another without an activity", circle.join("`, `"))
        }
    };
    let mut diagnostic = Diagnostic::new(Code::UnguardedRecursion, first.at.0, message).help(format!(
        "put an activity before the return: `{0} = (action, rate).{0};`",
        quote_name(first.text)
    ));
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
        .map(|definition| {
            let composes = |body: &Process<S>| !matches!(body, Process::Choice(_)) && body.is_composition();
            definition.tree.is_some_and(composes)
        })
        .collect();
    if !is_composition.contains(&true) {
        return is_composition;
    }
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); is_composition.len()];
    for (id, definition) in names.processes.iter().enumerate() {
        if let Some(Process::Constant(name)) = definition.tree
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

/// Which definitions use one another in a circle, by any path. A composition behind an activity grows without
/// end only on such a circle; anywhere else it is merely misplaced.
enum Growth {
    /// Not asked for yet.
    Unknown,
    /// Nothing is in a definition.
    Nothing,
    /// The part of the graph of definitions that each is in.
    Parts(Vec<u32>),
}

impl Growth {
    fn of_definitions<S: Span>(names: &Names<'_, S>) -> Self {
        let mut graph = Adjacency::new();
        for id in 0..names.processes.len() {
            let mut used = Vec::new();
            names.for_each_used(id, &mut |other| used.push(other as u32));
            graph.push(used);
        }
        Growth::Parts(strongly_connected(&graph).component_of)
    }

    fn returns<S: Span>(&mut self, from: usize, to: usize, names: &Names<'_, S>) -> bool {
        if let Growth::Unknown = self {
            *self = Growth::of_definitions(names);
        }
        let Growth::Parts(part_of) = self else { return false };
        matches!((part_of.get(from), part_of.get(to)), (Some(a), Some(b)) if a == b)
    }
}

/// Every row of activities of a process that ends in a constant, from each of its activities on.
fn for_each_activity<S>(process: &Process<S>, visit: &mut impl FnMut(&[PrefixActivity<S>], &Name<S>)) {
    match process {
        Process::Choice(operands) => operands.iter().for_each(|operand| for_each_activity(operand, visit)),
        Process::Prefix { activities, then } => {
            if let Process::Constant(constant) = &**then {
                (0..activities.len()).rev().for_each(|first| visit(&activities[first..], constant));
            }
        }
        _ => {}
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
