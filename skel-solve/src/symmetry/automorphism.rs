//! Finds the symmetry of a model: parts that can be exchanged without any change to the model.
//!
//! Copies of a component, the elements of an array or the workers of a farm often differ only in the names of
//! their actions. If exchanging two of them, together with those names, leaves the model as it was, the
//! exchange is an *automorphism* of the Markov chain. States that such exchanges transform into one another
//! are equivalent, and the chain can be *lumped*: one state represents each class (ordinary lumpability;
//! Buchholz 1994).
//!
//! Candidates are the operands of chains `P <L> Q <L> ...` with one cooperation set. An exchange is accepted
//! only after it has been verified on the whole model, so that the lumping is correct however the model was
//! made:
//! - The two parts are equal position by position: their local states, rates and targets agree, activity by
//!   activity, after their actions have been renamed, and the renaming is its own inverse.
//! - Every other component has in each local state the same activities after the renaming as before, or it
//!   has a counterpart with which it is exchanged too, like the processors of two workers.
//! - Every action is composed, over the exchanged positions, in the same way as the action that it is renamed
//!   to.
//! - `tau` keeps its name, since other hidden activities have this name too.
//!
//! A group may lie within the blocks of another group. Then each of those blocks has a corresponding group,
//! and sorting first the inner and then the outer groups gives all equivalent states the same form. The
//! search is not complete: it misses parts whose activities are written in different orders.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use skel_core::model::{
    ActionId, ActionSet, ComponentId, LocalStateId, Model, Node, NodeId, Position, RateId,
};

use crate::disjoint_sets::DisjointSets;
use crate::sorted_list::entry;
use crate::state::local_numbers::LocalNumbers;
use crate::state::local_numbers::actions_at;
use crate::symmetry::activities::SortedActivities;
use crate::symmetry::composition::{ActionCompositions, compositions, sorted};
use crate::symmetry::told_apart::ToldApart;

/// Interchangeable blocks of equal length, at least two: the positions of each block in corresponding order.
pub(crate) type Group = Vec<Vec<u32>>;

/// All groups of a model, inner ones before those that contain them, and the equivalences that they imply.
#[derive(Clone, Debug)]
pub(crate) struct Symmetry {
    pub(crate) groups: Vec<Group>,
    /// For each action the least action of its orbit.
    pub(crate) action_orbit: Vec<u32>,
    /// For each position the least position of its orbit.
    pub(crate) position_orbit: Vec<u32>,
}

impl Symmetry {
    /// Finds the symmetry of a model, without the exchanges of what is told apart; `None` where no two parts
    /// may be exchanged. The cost is about that of composing every action once for each block.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn find(model: &Model, numbers: &LocalNumbers, told_apart: &ToldApart) -> Option<Symmetry> {
        let mut chains = candidates(model);
        // A single component may have a million activities, which are not to be sorted for nothing.
        if chains.is_empty() {
            return None;
        }
        let mut finder = Finder::new(model, numbers, told_apart);
        let mut groups = Vec::new();
        chains.iter_mut().for_each(|blocks| finder.equal_groups(blocks, &mut groups));
        chains.into_iter().for_each(|blocks| finder.renamed_groups(blocks, &mut groups));
        let (action_orbit, position_orbit) = (finder.actions.least(), finder.positions.least());
        (!groups.is_empty()).then_some(Symmetry { groups, action_orbit, position_orbit })
    }

    /// Whether every exchange also leaves another model unchanged, which may differ from the first one in its
    /// rates only. The cost is about that of finding the symmetry.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn holds_for(&self, model: &Model, numbers: &LocalNumbers) -> bool {
        let nothing = ToldApart::default();
        let finder = Finder::new(model, numbers, &nothing);
        let exchanges = |group: &Group| group[1..].iter().all(|other| finder.is_exchange(&group[0], other));
        self.groups.iter().all(exchanges)
    }
}

/// An operand of a chain: its positions, and whether it is a single component.
#[derive(Clone)]
struct Operand {
    range: Range<usize>,
    is_leaf: bool,
}

/// The operands of chains with one cooperation set, grouped by the sizes of their components.
#[cfg_attr(debug_assertions, inline)]
fn candidates(model: &Model) -> Vec<Vec<Operand>> {
    let ranges = model.position_ranges();
    let nodes = model.nodes();
    let mut is_inside = vec![false; nodes.len()];
    for node in nodes {
        let Node::Cooperation { left, right, set } = node else { continue };
        for child in [left, right] {
            is_inside[child.index()] = set_of(&nodes[child.index()]) == Some(set);
        }
    }
    let mut all = Vec::new();
    for (top, node) in nodes.iter().enumerate() {
        let (Some(set), false) = (set_of(node), is_inside[top]) else { continue };
        let mut by_size: Vec<(Vec<usize>, Vec<Operand>)> = Vec::new();
        for operand in operands(nodes, NodeId::at(top), set) {
            let range = ranges[operand.index()].clone();
            let size = |at| model.component(model.component_at(Position::at(at))).local_states.len();
            let is_leaf = matches!(nodes[operand.index()], Node::Leaf(_));
            let sizes = range.clone().map(size).collect();
            entry(&mut by_size, sizes).push(Operand { range, is_leaf });
        }
        all.extend(by_size.into_iter().map(|(_, blocks)| blocks).filter(|blocks| blocks.len() > 1));
    }
    all
}

fn set_of(node: &Node) -> Option<&ActionSet> {
    match node {
        Node::Cooperation { set, .. } => Some(set),
        _ => None,
    }
}

/// The operands of a chain, from left to right.
#[cfg_attr(debug_assertions, inline)]
fn operands(nodes: &[Node], top: NodeId, set: &ActionSet) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut stack = vec![top];
    while let Some(id) = stack.pop() {
        match &nodes[id.index()] {
            Node::Cooperation { left, right, set: other } if other == set => stack.extend([*right, *left]),
            _ => found.push(id),
        }
    }
    found
}

/// For each action the positions whose components do it, in ascending order.
#[cfg_attr(debug_assertions, inline)]
fn done_by(model: &Model) -> Vec<Vec<u32>> {
    let mut done_by = vec![Vec::new(); model.actions().len()];
    for at in 0..model.positions() {
        for action in actions_at(model, Position::at(at)) {
            done_by[action.index()].push(at as u32);
        }
    }
    done_by
}

/// The largest number of pairs of local states that are compared for one chain, which takes about a second.
/// It suffices for a few hundred different blocks of about fifty local states each.
const MOST_COMPARED: usize = 5_000_000;

/// The new name of each action that is renamed.
type Renaming = HashMap<ActionId, ActionId>;

/// Two lists of positions that are exchanged one by one, and the renaming of actions that goes with it.
struct Exchange {
    one: Vec<u32>,
    other: Vec<u32>,
    renaming: Renaming,
}

impl Exchange {
    fn renamed(&self, action: ActionId) -> ActionId {
        self.renaming.get(&action).copied().unwrap_or(action)
    }
}

struct Finder<'m> {
    model: &'m Model,
    numbers: &'m LocalNumbers,
    told_apart: &'m ToldApart,
    /// What exchanges of different components are verified by, from the first of them on: copies of one
    /// component are equal anyway, and may be millions.
    lists: OnceCell<Lists<'m>>,
    actions: DisjointSets,
    positions: DisjointSets,
}

/// What the components of a model do.
struct Lists<'m> {
    compositions: Vec<ActionCompositions>,
    /// For each action the positions whose components do it, in ascending order.
    done_by: Vec<Vec<u32>>,
    activities: SortedActivities<'m>,
}

impl<'m> Finder<'m> {
    #[cfg_attr(debug_assertions, inline)]
    fn new(model: &'m Model, numbers: &'m LocalNumbers, told_apart: &'m ToldApart) -> Self {
        Finder {
            model,
            numbers,
            told_apart,
            lists: OnceCell::new(),
            actions: DisjointSets::new(model.actions().len()),
            positions: DisjointSets::new(model.positions()),
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn lists(&self) -> &Lists<'m> {
        let model = self.model;
        self.lists.get_or_init(|| Lists {
            compositions: compositions(model),
            done_by: done_by(model),
            activities: SortedActivities::new(model),
        })
    }

    /// Whether exchanging two lists of positions leaves the model unchanged.
    #[cfg_attr(debug_assertions, inline)]
    fn is_exchange(&self, one: &[u32], other: &[u32]) -> bool {
        let mut renaming = Renaming::new();
        let mut pairs = one.iter().zip(other);
        if !pairs.all(|(&one, &other)| self.matches(one, other, &mut renaming)) {
            return false;
        }
        self.is_invariant(&Exchange { one: one.to_vec(), other: other.to_vec(), renaming })
    }

    /// Takes the copies of one component from a chain, and adds their groups.
    #[cfg_attr(debug_assertions, inline)]
    fn equal_groups(&mut self, blocks: &mut Vec<Operand>, groups: &mut Vec<Group>) {
        let mut by_component: Vec<(ComponentId, Group)> = Vec::new();
        let may_move = |block: &Operand| !self.told_apart.is_position(block.range.start as u32);
        for block in blocks.iter().filter(|block| block.is_leaf && may_move(block)) {
            let component = self.model.component_at(Position::at(block.range.start));
            entry(&mut by_component, component).push(vec![block.range.start as u32]);
        }
        by_component.retain(|(_, group)| group.len() > 1);
        let is_taken = |block: &Operand| {
            let component = self.model.component_at(Position::at(block.range.start));
            block.is_leaf
                && may_move(block)
                && by_component.binary_search_by_key(&component, |(known, _)| *known).is_ok()
        };
        blocks.retain(|block| !is_taken(block));
        for (_, group) in by_component {
            group[1..].iter().for_each(|other| self.accept(&group[0], other, &Renaming::new()));
            groups.push(group);
        }
    }

    /// Adds the groups of those blocks of a chain that are equal after their actions have been renamed.
    #[cfg_attr(debug_assertions, inline)]
    fn renamed_groups(&mut self, mut blocks: Vec<Operand>, groups: &mut Vec<Group>) {
        let mut compared = 0;
        while blocks.len() > 1 && compared < MOST_COMPARED {
            let first = blocks.remove(0);
            let of_position = |at| self.model.component(self.model.component_at(Position::at(at)));
            let count: usize = first.range.clone().map(|at| of_position(at).local_states.len()).sum();
            compared += blocks.len() * count;
            self.renamed_group(&first, &mut blocks, groups);
        }
    }

    /// Adds the group of a block and of the blocks that equal it after a renaming, and removes these from the
    /// rest.
    #[cfg_attr(debug_assertions, inline)]
    fn renamed_group(&mut self, first: &Operand, rest: &mut Vec<Operand>, groups: &mut Vec<Group>) {
        let mut group: Group = Vec::new();
        let mut renamings = Vec::new();
        rest.retain(|block| {
            let Some(exchange) = self.exchange(first, block) else { return true };
            if group.is_empty() {
                group.push(exchange.one.clone());
            }
            let overlaps = group.iter().flatten().any(|at| exchange.other.contains(at));
            if overlaps || group[0] != exchange.one {
                return true;
            }
            group.push(exchange.other);
            renamings.push(exchange.renaming);
            false
        });
        if group.len() > 1 && fits(groups, &group, self.model.positions()) {
            let pairs = group[1..].iter().zip(&renamings);
            pairs.for_each(|(other, renaming)| self.accept(&group[0], other, renaming));
            groups.push(group);
        }
    }

    /// The exchange of two blocks, if it leaves the model unchanged.
    #[cfg_attr(debug_assertions, inline)]
    fn exchange(&self, one: &Operand, other: &Operand) -> Option<Exchange> {
        let positions = |block: &Operand| block.range.clone().map(|at| at as u32).collect();
        let mut exchange =
            Exchange { one: positions(one), other: positions(other), renaming: HashMap::new() };
        let pairs =
            || one.range.clone().zip(other.range.clone()).map(|(one, other)| (one as u32, other as u32));
        // The workers of a deal are equal, and only their producer distinguishes them. It is faster to find
        // that out before all of their local states are compared.
        let begin = |(one, other)| self.matches_up_to(1, one, other, &mut exchange.renaming);
        (pairs().all(begin) && self.may_have_counterparts(&exchange)).then_some(())?;
        pairs().all(|(one, other)| self.matches(one, other, &mut exchange.renaming)).then_some(())?;
        self.add_counterparts(&mut exchange).then_some(())?;
        (self.is_allowed(&exchange) && self.is_invariant(&exchange)).then_some(exchange)
    }

    /// Whether an exchange leaves alone what is told apart.
    #[cfg_attr(debug_assertions, inline)]
    fn is_allowed(&self, exchange: &Exchange) -> bool {
        let mut pairs = exchange.one.iter().copied().zip(exchange.other.iter().copied());
        let mut renamings = exchange.renaming.iter().map(|(&one, &other)| (one, other));
        pairs.all(|pair| self.told_apart.allows_exchange(pair, self.model, self.numbers))
            && renamings.all(|renaming| self.told_apart.allows_renaming(renaming))
    }

    /// Records that corresponding positions of two blocks, and the actions that the renaming exchanges, are
    /// equivalent.
    #[cfg_attr(debug_assertions, inline)]
    fn accept(&mut self, one: &[u32], other: &[u32], renaming: &Renaming) {
        for (&one, &other) in one.iter().zip(other) {
            self.positions.join(one as usize, other as usize);
        }
        for (one, other) in renaming.iter() {
            self.actions.join(one.index(), other.index());
        }
    }

    /// Whether the components at two positions are equal after their actions have been renamed.
    #[cfg_attr(debug_assertions, inline)]
    fn matches(&self, one: u32, other: u32, renaming: &mut Renaming) -> bool {
        self.matches_up_to(usize::MAX, one, other, renaming)
    }

    /// Like [`Self::matches`], but compares only the first `most` local states.
    #[cfg_attr(debug_assertions, inline)]
    fn matches_up_to(&self, most: usize, one: u32, other: u32, renaming: &mut Renaming) -> bool {
        let (one, other) = (self.model.component_at(Position(one)), self.model.component_at(Position(other)));
        let (states, others) = (self.numbers.in_order(one), self.numbers.in_order(other));
        states.len() == others.len()
            && states
                .iter()
                .zip(others)
                .take(most)
                .all(|(&state, &with)| self.activities_match((one, state), (other, with), renaming))
    }

    /// Whether each other component that the renaming changes has a possible counterpart of its size.
    #[cfg_attr(debug_assertions, inline)]
    fn may_have_counterparts(&self, exchange: &Exchange) -> bool {
        let size = |at: u32| self.numbers.in_order(self.model.component_at(Position(at))).len();
        exchange.renaming.iter().all(|(&action, &partner)| {
            let candidates = &self.lists().done_by[partner.index()];
            self.lists().done_by[action.index()].iter().all(|&at| {
                self.is_unchanged(at, action, partner)
                    || exchange.one.contains(&at)
                    || exchange.other.contains(&at)
                    || candidates.iter().any(|&other| other != at && size(other) == size(at))
            })
        })
    }

    /// Adds the other components that have to be exchanged too. Returns `false` if one of them has no
    /// counterpart.
    #[cfg_attr(debug_assertions, inline)]
    fn add_counterparts(&self, exchange: &mut Exchange) -> bool {
        let mut actions: Vec<ActionId> =
            exchange.one.iter().flat_map(|&at| actions_at(self.model, Position(at))).collect();
        actions.sort_unstable();
        actions.dedup();
        let mut done: HashSet<u32> = exchange.one.iter().chain(&exchange.other).copied().collect();
        for action in actions {
            let partner = exchange.renamed(action);
            for &at in &self.lists().done_by[action.index()] {
                if done.contains(&at) || self.is_unchanged(at, action, partner) {
                    continue;
                }
                let candidates = self.lists().done_by[partner.index()].iter();
                let mut free = candidates.filter(|&&candidate| candidate != at && !done.contains(&candidate));
                let Some(&counterpart) = free.next() else { return false };
                if !self.matches(at, counterpart, &mut exchange.renaming) {
                    return false;
                }
                done.extend([at, counterpart]);
                exchange.one.push(at);
                exchange.other.push(counterpart);
            }
        }
        true
    }

    #[cfg_attr(debug_assertions, inline)]
    fn activities_match(
        &self,
        one: (ComponentId, LocalStateId),
        other: (ComponentId, LocalStateId),
        renaming: &mut Renaming,
    ) -> bool {
        let rate = |id: RateId| &self.model.rates()[id.index()].value;
        let activities = &self.model.local_state(one.1).activities;
        let others = &self.model.local_state(other.1).activities;
        activities.len() == others.len()
            && activities.iter().zip(others).all(|(activity, with)| {
                self.numbers.get(one.0, activity.target) == self.numbers.get(other.0, with.target)
                    && rate(activity.rate) == rate(with.rate)
                    && rename(renaming, activity.action, with.action)
            })
    }

    /// Whether the rest of the model is unchanged after the exchange and the renaming.
    #[cfg_attr(debug_assertions, inline)]
    fn is_invariant(&self, exchange: &Exchange) -> bool {
        let pairs = || exchange.one.iter().zip(&exchange.other);
        let moves: HashMap<u32, u32> =
            pairs().flat_map(|(&one, &other)| [(one, other), (other, one)]).collect();
        let exchanged = |at: u32| moves.get(&at).copied().unwrap_or(at);
        exchange.renaming.iter().all(|(&action, &partner)| {
            let (compositions, partners) =
                (&self.lists().compositions[action.index()], &self.lists().compositions[partner.index()]);
            let mut elsewhere =
                self.lists().done_by[action.index()].iter().filter(|at| !moves.contains_key(at));
            sorted(&compositions.visible, &exchanged) == partners.visible
                && sorted(&compositions.hidden, &exchanged) == partners.hidden
                && elsewhere.all(|&at| self.is_unchanged(at, action, partner))
        })
    }

    /// Whether a component has the same activities after two actions exchange their names.
    #[cfg_attr(debug_assertions, inline)]
    fn is_unchanged(&self, position: u32, action: ActionId, renamed: ActionId) -> bool {
        let of =
            |action| self.lists().activities.of_action(self.model.component_at(Position(position)), action);
        action == renamed || of(action).map(|key| key.1).eq(of(renamed).map(|key| key.1))
    }
}

/// Whether a group can be sorted after the known ones. Each known group must either share no position with
/// it, or lie within one of its blocks and have a corresponding group in every other block.
#[cfg_attr(debug_assertions, inline)]
fn fits(known: &[Group], new: &Group, positions: usize) -> bool {
    let mut places = vec![None; positions];
    for (number, block) in new.iter().enumerate() {
        block.iter().enumerate().for_each(|(place, &at)| places[at as usize] = Some((number, place)));
    }
    let number_of = |at: &u32| places[*at as usize].map(|(number, _)| number);
    let touches = |group: &&Group| group.iter().flatten().any(|at| number_of(at).is_some());
    let touching: Vec<&Group> = known.iter().filter(touches).collect();
    let mut in_first = Vec::new();
    for group in &touching {
        let number = number_of(&group[0][0]);
        if group.iter().flatten().any(|at| number_of(at) != number) {
            return false;
        }
        if number == Some(0) {
            in_first.push(*group);
        }
    }
    let like_in = |group: &Group, block: &[u32]| -> Group {
        let moved = |at: &u32| block[places[*at as usize].map_or(0, |(_, place)| place)];
        group.iter().map(|part| part.iter().map(moved).collect()).collect()
    };
    let has_its_like = |group: &&Group| new.iter().all(|block| touching.contains(&&like_in(group, block)));
    touching.len() == in_first.len() * new.len() && in_first.iter().all(has_its_like)
}

/// Adds an exchange of two actions to a renaming. Returns `false` if one of them is exchanged with another
/// action already, or is `tau`.
#[cfg_attr(debug_assertions, inline)]
fn rename(renaming: &mut Renaming, one: ActionId, other: ActionId) -> bool {
    if one != other && (one == ActionId::TAU || other == ActionId::TAU) {
        return false;
    }
    let forth = *renaming.entry(one).or_insert(other) == other;
    let back = *renaming.entry(other).or_insert(one) == one;
    forth && back
}

#[cfg(test)]
mod tests {
    use skel_core::model::{Model, Position};

    use super::{LocalNumbers, Symmetry, ToldApart};

    fn groups(text: &str) -> Vec<Vec<Vec<u32>>> {
        groups_but_for(text, |_, nothing| nothing)
    }

    fn groups_but_for(text: &str, told_apart: impl Fn(&Model, ToldApart) -> ToldApart) -> Vec<Vec<Vec<u32>>> {
        let model = skel_core::text::parse(text).into_model().expect("a model");
        let told_apart = told_apart(&model, ToldApart::default());
        let found = Symmetry::find(&model, &LocalNumbers::new(&model), &told_apart);
        found.map_or(Vec::new(), |symmetry| symmetry.groups)
    }

    #[test]
    fn copies_of_one_component_are_interchangeable() {
        assert_eq!(groups("P = (a, 1).Q; Q = (b, 2).P; P || P || P"), [[[0], [1], [2]]]);
        assert_eq!(groups("P = (a, 1).Q; Q = (b, 2).P; P[3, {a}]"), [[[0], [1], [2]]]);
    }

    #[test]
    fn arrays_of_pairs_are_blocks() {
        let text = "P = (a, 1).P; Q = (a, 2).R; R = (b, 1).Q; S = P <a> Q; S || S";
        assert_eq!(groups(text), [[[0, 1], [2, 3]]]);
    }

    #[test]
    fn workers_with_actions_of_their_own_are_interchangeable() {
        let text = "S = (m1, 1).S + (m2, 1).S; P = (m1, infty).(c1, 2).P; Q = (m2, infty).(c2, 2).Q; \
                    S <m1, m2> (P || Q)";
        assert_eq!(groups(text), [[[1], [2]]]);
    }

    #[test]
    fn what_serves_one_worker_alone_changes_places_with_it() {
        let text = "P = (c1, infty).P; Q = (c2, infty).Q; M = (c1, 3).M; N = (c2, 3).N; \
                    (P || Q) <c1, c2> (M || N)";
        assert_eq!(groups(text), [[[0, 2], [1, 3]]]);
        assert_eq!(groups(&text.replace("(c2, 3)", "(c2, 4)")), Vec::<Vec<Vec<u32>>>::new());
    }

    #[test]
    fn another_rate_or_a_partner_that_remembers_breaks_the_symmetry() {
        let rates = "S = (m1, 1).S + (m2, 3).S; P = (m1, infty).P; Q = (m2, infty).Q; S <m1, m2> (P || Q)";
        assert!(groups(rates).is_empty());
        let turns = "S = (m1, 1).(m2, 1).S; P = (m1, infty).P; Q = (m2, infty).Q; S <m1, m2> (P || Q)";
        assert!(groups(turns).is_empty());
        let partners = "P = (m, infty).P; S = (m, 1).S; S || (P <m> S)";
        assert!(groups(partners).is_empty());
    }

    #[test]
    fn what_is_told_apart_is_not_exchanged() {
        let copies = "P = (a, 1).Q; Q = (b, 2).P; P || P || P || P";
        let second = |_: &Model, told: ToldApart| told.position(Position(1));
        assert_eq!(groups_but_for(copies, second), [[[0], [2], [3]]]);
        // The pairs without the component still change places, and so do the two copies beside it.
        let pairs = "P = (a, 1).Q; Q = (b, 2).P; (P || P) <b> (P || P) <b> (P || P)";
        assert_eq!(groups(pairs).len(), 4);
        let of_pairs = groups_but_for(pairs, second);
        assert_eq!(of_pairs.last(), Some(&vec![vec![2, 3], vec![4, 5]]));
        assert_eq!(of_pairs.len(), 3);
    }

    #[test]
    fn actions_are_told_apart_alone_or_together() {
        let workers = "S = (m1, 1).S + (m2, 1).S; P = (m1, infty).(c1, 2).P; Q = (m2, infty).(c2, 2).Q; \
                       S <m1, m2> (P || Q)";
        let ids = |model: &Model, names: &[&str]| -> Vec<_> {
            names.iter().map(|name| model.action_named(name).expect("an action")).collect()
        };
        let one = |model: &Model, told: ToldApart| told.actions(ids(model, &["c1"]));
        let both = |model: &Model, told: ToldApart| told.actions(ids(model, &["c1", "c2"]));
        let crossed = |model: &Model, told: ToldApart| told.actions(ids(model, &["m1", "c2"]));
        assert!(groups_but_for(workers, one).is_empty());
        assert_eq!(groups_but_for(workers, both), [[[1], [2]]]);
        assert!(groups_but_for(workers, crossed).is_empty());
        let population = |model: &Model, told: ToldApart| {
            told.population(model.local_state_named("P").expect("a local state"))
        };
        assert!(groups_but_for(workers, population).is_empty());
    }

    #[test]
    fn several_kinds_side_by_side_are_several_groups() {
        let text = "P = (a, 1).P; Q = (b, 1).Q; P || Q || P || Q";
        assert_eq!(groups(text), [[[0], [2]], [[1], [3]]]);
    }
}
