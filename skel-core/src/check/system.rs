//! The system equation: from a process term to the tree of cooperations over positions.
//!
//! Names of compositions are replaced by what they stand for; arrays become their copies, composed as a
//! balanced tree (cooperation over one set is associative). Every node knows which actions it can do, and
//! how.

use std::collections::HashMap;
use std::ops::Range;

use fixedbitset::FixedBitSet;

use super::findings::Findings;
use super::names::Names;
use super::terms::{MOST_ACTIVITIES, Terms};
use super::values::sizes::{Count, Counts};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::graph::{Adjacency, strongly_connected};
use crate::model::{
    ActionId, ActionSet, Array, Component, ComponentId, LocalStateId, Node, NodeId, Position, SystemStep,
};
use crate::size::{MOST_CHECKED, MOST_COMPONENTS, MOST_IN_SMALL_ARRAY};
use crate::syntax::MAX_DEPTH;
use crate::syntax::ast::{CooperationSet, Name, Process, SetKind};

/// What a node can do, in some local states of its components, and how.
#[derive(Clone, Default)]
pub(super) struct Alphabet {
    pub(super) active: FixedBitSet,
    pub(super) passive: FixedBitSet,
    /// Actions that are done inside and hidden.
    pub(super) hidden: FixedBitSet,
}

impl Alphabet {
    fn new(actions: usize) -> Self {
        let none = FixedBitSet::with_capacity(actions);
        Alphabet { active: none.clone(), passive: none.clone(), hidden: none }
    }

    pub(super) fn can(&self, action: ActionId) -> bool {
        self.active.contains(action.index()) || self.passive.contains(action.index())
    }

    /// All actions that the node can do.
    pub(super) fn all(&self) -> FixedBitSet {
        &self.active | &self.passive
    }

    /// The same where some actions are hidden.
    fn hiding(&self, actions: &ActionSet) -> Alphabet {
        let mut alphabet = self.clone();
        for action in actions.iter() {
            if alphabet.active.contains(action.index()) {
                alphabet.active.insert(ActionId::TAU.index());
            }
            if alphabet.passive.contains(action.index()) {
                alphabet.passive.insert(ActionId::TAU.index());
            }
            alphabet.hidden.set(action.index(), alphabet.can(action));
            alphabet.active.set(action.index(), false);
            alphabet.passive.set(action.index(), false);
        }
        alphabet
    }
}

/// How the positions are grouped by the brackets of the system equation.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    One(Position),
    Group(Vec<Shape>),
    /// An array whose size has a name, so that a pattern cannot say which copy is meant.
    Variable(String),
    /// An array of so many copies that only two are checked.
    Large(String),
}

/// What a node was written as.
#[derive(Clone, Copy)]
pub(super) enum Origin<'a, S> {
    Leaf(S),
    Cooperation(&'a CooperationSet<S>),
    Hiding(&'a [Name<S>]),
    /// A cooperation between two copies of an array.
    Copies(&'a [Name<S>]),
}

/// An array of which only two copies are checked.
pub(super) struct LargeArray {
    /// The positions of the two.
    pub(super) here: Range<usize>,
    /// How many positions all of its copies have.
    pub(super) positions: usize,
}

/// The system while it is checked: per node its alphabet and its origin.
pub(super) struct System<'a, S> {
    /// The equation in postfix order, and for each step the number of copies if it is an array.
    pub(super) steps: Vec<SystemStep>,
    pub(super) copies: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    pub(super) alphabets: Vec<Alphabet>,
    pub(super) origins: Vec<Origin<'a, S>>,
    /// Per node whether something below was reported, so that its alphabet says nothing.
    pub(super) is_broken: Vec<bool>,
    /// Per position its component.
    pub(super) leaves: Vec<ComponentId>,
    pub(super) components: Vec<Component>,
    /// Per component what it can do.
    pub(super) component_alphabets: Vec<Alphabet>,
    pub(super) arrays: Vec<Array>,
    /// The arrays of which only two copies are here, those alone that are in no other, in ascending order.
    pub(super) large: Vec<LargeArray>,
    /// How many copies are here of each array: a number for each step.
    pub(super) copies_here: Vec<u32>,
    /// The one copy of an array that may come to have more, and the set on which these will cooperate.
    pub(super) single_copies: Vec<(NodeId, &'a [Name<S>])>,
    pub(super) shape: Shape,
}

impl<S: Span> System<'_, S> {
    /// The local states of all components, ascending, each once.
    pub(super) fn local_states(&self, terms: &Terms<'_, S>) -> Vec<LocalStateId> {
        let mut states = FixedBitSet::with_capacity(terms.len());
        for component in &self.components {
            component.local_states.iter().for_each(|state| states.insert(state.index()));
        }
        states.ones().map(LocalStateId::at).collect()
    }
}

/// Lowers the system equation.
pub(super) fn lower<'a, S: Span>(
    process: &'a Process<S>,
    names: &Names<'a, S>,
    counts: &Counts,
    terms: &mut Terms<'a, S>,
    findings: &mut Findings<'_, S>,
) -> System<'a, S> {
    report_circles(names, terms, findings);
    intern_leaves(process, names, terms, findings);
    let mut builder = Builder {
        system: System {
            steps: Vec::new(),
            copies: Vec::new(),
            nodes: Vec::new(),
            alphabets: Vec::new(),
            origins: Vec::new(),
            is_broken: Vec::new(),
            leaves: Vec::new(),
            components: Vec::new(),
            component_alphabets: Vec::new(),
            arrays: Vec::new(),
            large: Vec::new(),
            copies_here: Vec::new(),
            single_copies: Vec::new(),
            shape: Shape::Group(Vec::new()),
        },
        names,
        counts,
        terms,
        findings,
        component_of: HashMap::new(),
        component_is_broken: Vec::new(),
        positions: 0,
        budget: MOST_ACTIVITIES,
        seen: Vec::new(),
        is_full: false,
    };
    let (_, shape) = builder.node(process, 0);
    let mut system = builder.system;
    system.shape = shape;
    if builder.is_full {
        system.is_broken.fill(true);
    }
    system
}

/// Compositions that contain themselves outside any activity.
fn report_circles<S: Span>(names: &Names<'_, S>, terms: &mut Terms<S>, findings: &mut Findings<'_, S>) {
    if !terms.is_composition.contains(&true) {
        return;
    }
    let mut graph = Adjacency::new();
    for id in 0..names.processes.len() {
        let mut used = Vec::new();
        if terms.is_composition[id] {
            names.for_each_used(id, &mut |other| {
                if terms.is_composition[other] {
                    used.push(other as u32);
                }
            });
        }
        graph.push(used);
    }
    let circles = strongly_connected(&graph);
    for component in &circles.components {
        if !circles.is_on_cycle(component[0] as usize, &graph) {
            continue;
        }
        let was_reported = component.iter().any(|&id| terms.is_broken[id as usize]);
        for &id in component {
            terms.is_broken[id as usize] = true;
        }
        if was_reported {
            continue;
        }
        let name = |id: u32| names.process_name(id as usize);
        let circle: Vec<&str> = component.iter().map(|&id| name(id).text).collect();
        let message = match circle.as_slice() {
            [alone] => format!("the composition `{alone}` contains itself"),
            _ => format!("the compositions `{}` contain one another", circle.join("`, `")),
        };
        let mut diagnostic = Diagnostic::new(Code::CircularProcess, name(component[0]).at.0, message)
            .help("a system has finitely many components: write each of them out, or use an array `P[n]`");
        for &other in &component[1..] {
            diagnostic = diagnostic.related(name(other).at.0, "and here");
        }
        findings.push(diagnostic);
    }
}

/// Makes the terms of all leaves, so that every action has its number before sets are looked at.
fn intern_leaves<S: Span>(
    process: &Process<S>,
    names: &Names<'_, S>,
    terms: &mut Terms<'_, S>,
    findings: &mut Findings<'_, S>,
) {
    match process {
        Process::Constant(_) | Process::Array { .. } | Process::Anything(_) => {}
        Process::Prefix { .. } | Process::Choice(_) => {
            terms.leaf(process, names, findings);
        }
        Process::Cooperation { first, rest } => {
            intern_leaves(first, names, terms, findings);
            rest.iter().for_each(|(_, operand)| intern_leaves(operand, names, terms, findings));
        }
        Process::Hiding { of, .. } => intern_leaves(of, names, terms, findings),
    }
}

struct Builder<'b, 'a, 'f, S> {
    system: System<'a, S>,
    names: &'b Names<'a, S>,
    counts: &'b Counts,
    terms: &'b mut Terms<'a, S>,
    findings: &'b mut Findings<'f, S>,
    component_of: HashMap<LocalStateId, ComponentId>,
    component_is_broken: Vec<bool>,
    /// How many components there are so far, all copies counted.
    positions: u64,
    /// How many more local states and activities the components may have.
    budget: usize,
    /// Per term the last component that it was found in.
    seen: Vec<u32>,
    /// Whether a limit was passed and reported, so that the rest is left out.
    is_full: bool,
}

/// The copies of an array.
struct Copies {
    row: Vec<NodeId>,
    shapes: Vec<Shape>,
    /// How many there are.
    here: u32,
    /// Where the steps of the first one end.
    end: usize,
}

impl<'a, S: Span> Builder<'_, 'a, '_, S> {
    fn node(&mut self, process: &'a Process<S>, depth: usize) -> (NodeId, Shape) {
        if self.is_full {
            return (NodeId(0), Shape::Group(Vec::new()));
        }
        if depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} names and brackets inside one another");
            self.findings.push(
                Diagnostic::new(Code::NestingTooDeep, process.span(), message)
                    .help("write the system equation with fewer intermediate names"),
            );
            // The same nested names may stand in the system ten thousand times: they are reported once.
            let leaf = self.broken_leaf(process.span());
            self.is_full = true;
            return leaf;
        }
        match process {
            Process::Constant(name) => self.constant(name, name.at.0, depth),
            Process::Prefix { .. } | Process::Choice(_) => {
                let term = self.terms.leaf(process, self.names, self.findings);
                self.leaf(term, process.span())
            }
            Process::Cooperation { first, rest } => {
                let (mut node, shape) = self.node(first, depth + 1);
                let mut shapes = vec![shape];
                for (set, operand) in rest {
                    let (right, shape) = self.node(operand, depth + 1);
                    shapes.push(shape);
                    let actions = match &set.kind {
                        SetKind::Named(names) => self.set(names),
                        SetKind::Shared => self.shared(node, right),
                    };
                    self.step(SystemStep::Cooperation(actions.clone()), 0);
                    node = self.cooperation(node, right, actions, Origin::Cooperation(set));
                }
                (node, Shape::Group(shapes))
            }
            Process::Hiding { of, set } => {
                let (of, shape) = self.node(of, depth + 1);
                let actions = self.set(set);
                let alphabet = self.system.alphabets[of.index()].hiding(&actions);
                let is_broken = self.system.is_broken[of.index()];
                self.step(SystemStep::Hiding(actions.clone()), 0);
                let node = Node::Hiding { of, set: actions };
                (self.push(node, alphabet, Origin::Hiding(set), is_broken), shape)
            }
            Process::Array { of, count, set, at } => match self.counts.get(count).cloned() {
                Some(count) => self.array(of, count, set, at.0, depth),
                None => self.broken_leaf(of.at.0),
            },
            Process::Anything(at) => self.broken_leaf(at.0),
        }
    }

    /// What a name stands for; `span` is the name, or the array that it is copied in.
    fn constant(&mut self, name: &'a Name<S>, span: S, depth: usize) -> (NodeId, Shape) {
        match self.names.process(name, self.findings) {
            Some(id) if self.terms.is_composition[id] => {
                if self.terms.is_broken[id] {
                    return self.broken_leaf(span);
                }
                match self.names.processes[id].tree {
                    Some(body) => self.node(body, depth + 1),
                    None => self.broken_leaf(span),
                }
            }
            Some(id) => {
                let term = self.terms.constant_term(id);
                self.leaf(term, span)
            }
            None => self.broken_leaf(span),
        }
    }

    fn array(
        &mut self,
        of: &'a Name<S>,
        count: Count,
        set: &'a [Name<S>],
        span: S,
        depth: usize,
    ) -> (NodeId, Shape) {
        let first = Position::at(self.system.leaves.len());
        let (begin, before) = (self.system.steps.len(), self.positions);
        let Copies { row, mut shapes, here, end } = self.copies(of, &count, span, depth);
        let width = (self.system.leaves.len() - first.index()) / row.len();
        let actions = self.set(set);
        let node = self.in_cooperation(row, &actions, set);
        self.system.arrays.push(Array { node, first, copies: here, width: width as u32 });
        let is_large = here < count.copies;
        if is_large {
            self.system.large.retain(|inner| inner.here.start < first.index());
            let positions = (self.positions - before) as usize;
            let here = first.index()..self.system.leaves.len();
            self.system.large.push(LargeArray { here, positions });
        }
        let step = SystemStep::Array { steps: (end - begin) as u32, count: count.expression, set: actions };
        if step.is_variable() && count.copies == 1 {
            self.system.single_copies.push((node, set));
        }
        let shape = match shapes.len() {
            _ if step.is_variable() => Shape::Variable(format!("{of}[{}]", count.written)),
            _ if is_large => Shape::Large(format!("{of}[{}]", count.written)),
            1 => shapes.remove(0),
            _ => Shape::Group(shapes),
        };
        self.step(step, count.copies);
        self.system.copies_here.pop();
        self.system.copies_here.push(here);
        (node, shape)
    }

    /// Makes the copies of an array one by one: all of them, or two that stand for all if there are many.
    fn copies(&mut self, of: &'a Name<S>, count: &Count, span: S, depth: usize) -> Copies {
        let end = self.system.steps.len();
        let mut copies = Copies { row: Vec::new(), shapes: Vec::new(), here: count.copies, end };
        let before = self.positions;
        let mut all_positions = before;
        for copy in 0.. {
            if copy == copies.here {
                break;
            }
            let (node, shape) = self.constant(of, span, depth + 1);
            copies.row.push(node);
            copies.shapes.push(shape);
            if self.is_full {
                break;
            }
            // The equation says once what is copied.
            if copy == 0 {
                copies.end = self.system.steps.len();
                let width = self.positions - before;
                all_positions = before.saturating_add(width.saturating_mul(u64::from(count.copies)));
                if all_positions > MOST_COMPONENTS {
                    self.too_large(span);
                    break;
                }
                if all_positions - before > MOST_IN_SMALL_ARRAY {
                    copies.here = count.copies.min(2);
                }
            }
            self.system.steps.truncate(copies.end);
            self.system.copies.truncate(copies.end);
            self.system.copies_here.truncate(copies.end);
        }
        self.positions = all_positions.min(MOST_COMPONENTS + 1);
        copies
    }

    /// The cooperation of all copies, as a tree that is as flat as can be.
    fn in_cooperation(&mut self, mut row: Vec<NodeId>, actions: &ActionSet, set: &'a [Name<S>]) -> NodeId {
        while row.len() > 1 {
            let pairs = row.chunks(2).map(|pair| match *pair {
                [left, right] => self.cooperation(left, right, actions.clone(), Origin::Copies(set)),
                _ => pair[0],
            });
            row = pairs.collect();
        }
        row[0]
    }

    fn leaf(&mut self, term: LocalStateId, span: S) -> (NodeId, Shape) {
        let position = Position::at(self.system.leaves.len());
        if position.index() as u64 >= MOST_CHECKED {
            if !self.is_full {
                let message = format!(
                    "the system has more than {MOST_CHECKED} components outside of arrays of more than {MOST_IN_SMALL_ARRAY}"
                );
                self.findings.push(Diagnostic::new(Code::SystemTooLarge, span, message).help(format!(
                    "write equal components as one array, `P[n]`, which may have up to {MOST_COMPONENTS} copies"
                )));
            }
            self.is_full = true;
            return (NodeId(0), Shape::Group(Vec::new()));
        }
        self.positions += 1;
        if self.positions > MOST_COMPONENTS && !self.is_full {
            self.too_large(span);
        }
        let component = self.component(term, span);
        let alphabet = self.system.component_alphabets[component.index()].clone();
        let is_broken = self.component_is_broken[component.index()];
        self.step(SystemStep::Component(component), 0);
        self.system.leaves.push(component);
        let node = self.push(Node::Leaf(position), alphabet, Origin::Leaf(span), is_broken);
        (node, Shape::One(position))
    }

    /// Reports that there are more components than there may be, all copies counted.
    fn too_large(&mut self, span: S) {
        if std::mem::replace(&mut self.is_full, true) {
            return;
        }
        let message = format!("the system has more than {MOST_COMPONENTS} components");
        self.findings.push(
            Diagnostic::new(Code::SystemTooLarge, span, message)
                .help("use smaller arrays, or compose fewer components"),
        );
    }

    fn broken_leaf(&mut self, span: S) -> (NodeId, Shape) {
        let term = self.terms.broken_term();
        self.leaf(term, span)
    }

    /// The component that starts in a local state: all that can be reached from there.
    fn component(&mut self, initial: LocalStateId, span: S) -> ComponentId {
        if let Some(&known) = self.component_of.get(&initial) {
            return known;
        }
        let number = self.system.components.len() as u32;
        let local_states = self.terms.reachable(initial, &mut self.budget, number, &mut self.seen);
        let mut is_broken = local_states.is_none();
        if is_broken && !self.is_full {
            self.is_full = true;
            let message =
                format!("the components have more than {MOST_ACTIVITIES} local states and activities");
            self.findings.push(
                Diagnostic::new(Code::SystemTooLarge, span, message)
                    .help("compose fewer different components, or components with fewer activities"),
            );
        }
        let local_states = local_states.unwrap_or_else(|| vec![initial]);
        let mut alphabet = Alphabet::new(self.terms.actions.len());
        for &state in &local_states {
            is_broken |= self.terms.touches_broken(state);
            self.terms.for_each_enabled(state, &mut |prefix| {
                let activity = self.terms.activity(prefix);
                let kind = match self.terms.rates.entries[activity.rate.index()].expression.is_passive() {
                    true => &mut alphabet.passive,
                    false => &mut alphabet.active,
                };
                kind.insert(activity.action.index());
            });
        }
        let id = ComponentId::at(self.system.components.len());
        self.system.components.push(Component { initial, local_states });
        self.system.component_alphabets.push(alphabet);
        self.component_is_broken.push(is_broken);
        self.component_of.insert(initial, id);
        id
    }

    /// The actions of a set that something in the model does.
    fn set(&mut self, names: &[Name<S>]) -> ActionSet {
        names.iter().filter_map(|name| self.terms.action_named(&name.text)).collect()
    }

    fn shared(&self, left: NodeId, right: NodeId) -> ActionSet {
        let both = &self.system.alphabets[left.index()].all() & &self.system.alphabets[right.index()].all();
        both.ones().map(ActionId::at).filter(|&action| action != ActionId::TAU).collect()
    }

    /// A cooperation. An action of the set is blocked if one side cannot do it. If both can, the action is
    /// passive only if both sides are passive.
    fn cooperation(&mut self, left: NodeId, right: NodeId, set: ActionSet, origin: Origin<'a, S>) -> NodeId {
        let (l, r) = (&self.system.alphabets[left.index()], &self.system.alphabets[right.index()]);
        let mut alphabet = Alphabet {
            active: &l.active | &r.active,
            passive: &l.passive | &r.passive,
            hidden: &l.hidden | &r.hidden,
        };
        for action in set.iter() {
            let at = action.index();
            let both = l.can(action) && r.can(action);
            alphabet.active.set(at, both && (l.active.contains(at) || r.active.contains(at)));
            alphabet.passive.set(at, both && l.passive.contains(at) && r.passive.contains(at));
        }
        let is_broken = self.system.is_broken[left.index()] || self.system.is_broken[right.index()];
        self.push(Node::Cooperation { left, right, set }, alphabet, origin, is_broken)
    }

    fn step(&mut self, step: SystemStep, copies: u32) {
        self.system.steps.push(step);
        self.system.copies.push(copies);
        self.system.copies_here.push(copies);
    }

    fn push(&mut self, node: Node, alphabet: Alphabet, origin: Origin<'a, S>, is_broken: bool) -> NodeId {
        self.system.nodes.push(node);
        self.system.alphabets.push(alphabet);
        self.system.origins.push(origin);
        self.system.is_broken.push(is_broken);
        NodeId::at(self.system.nodes.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            ("S = S || S; S", &["circular_process `S`: the composition `S` contains itself"]),
            (
                "S = T || T; T = S; S",
                &["circular_process `S`: the compositions `S`, `T` contain one another"],
            ),
            ("P = (a, 1).P; P[0]", &["empty_array `0`: the array `P[0]` has no copies"]),
            (
                "P = (a, 1).P; P[2000001]",
                &["system_too_large `2000001`: the size is 2000001, more than the limit of 2000000"],
            ),
            (
                "P = (a, 1).P; S = P[0] || P[0]; S || S",
                &[
                    "empty_array `0`: the array `P[0]` has no copies",
                    "empty_array `0`: the array `P[0]` has no copies",
                ],
            ),
            (
                "P = (a, 1).P; Q = P[1000]; R = Q[1001]; R[2]",
                &["system_too_large `R[2]`: the system has more than 2000000 components"],
            ),
            ("P = (a, 1).P; P[3, {a}] || P[2]", &[]),
        ]);
    }
}
