//! Lumps states during exploration: of equivalent states only one is stored.
//!
//! Interchangeable components that do not synchronise with each other are *counted*: a state tells how many
//! of them are in each local state. Other interchangeable blocks are *sorted*.

use skel_core::model::{ActionId, ActionSet, Model, Node, Position};

use crate::state::layout::{Field, Layout};
use crate::state::local_numbers::LocalNumbers;
use crate::state::local_numbers::actions_at;
use crate::symmetry::arrangements::Arrangements;
use crate::symmetry::automorphism::{Group, Symmetry};
use crate::symmetry::sorted::{SortBuffer, SortedGroup};
use crate::symmetry::told_apart::ToldApart;

/// How the states of a space were lumped, and how many states and transitions they represent.
///
/// # Examples
/// ```
/// use skel_solve::Explore;
/// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P[10]").into_model().unwrap();
/// let space = model.explorer().lumped().explore().unwrap();
/// assert_eq!(space.states(), 11);
/// let lumping = space.lumping().unwrap();
/// assert_eq!((lumping.states(), lumping.transitions()), (Some(1024), Some(10240)));
/// ```
#[derive(Clone, Debug)]
pub struct Lumping {
    symmetry: Symmetry,
    /// The groups that are sorted, inner ones first.
    sorted: Vec<SortedGroup>,
    states: Option<u128>,
    transitions: Option<u128>,
    action_orbit_sizes: Vec<u32>,
    /// For each position that is the least of its orbit, the positions of the orbit.
    orbits: Vec<Vec<u32>>,
}

impl Lumping {
    /// The number of states that the lumped ones represent; `None` if it exceeds 128 bits.
    #[must_use]
    pub fn states(&self) -> Option<u128> {
        self.states
    }

    /// The number of distinct transitions (state, action, state) that the lumped ones represent; `None` if it
    /// exceeds 128 bits, or if moves take no time, since what they lead to is then followed with lumping
    /// alone.
    #[must_use]
    pub fn transitions(&self) -> Option<u128> {
        self.transitions
    }

    /// The groups of interchangeable parts: the number of parts, and the number of components of each part.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = (usize, usize)> {
        self.symmetry.groups.iter().map(|group| (group.len(), group[0].len()))
    }

    /// The lumping of a model and the layout of its states; `None` if the model has no parts that may be
    /// exchanged.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn find(
        model: &Model,
        numbers: &LocalNumbers,
        told_apart: &ToldApart,
    ) -> Option<(Lumping, Layout)> {
        let symmetry = Symmetry::find(model, numbers, told_apart)?;
        let mut action_orbit_sizes = vec![0; symmetry.action_orbit.len()];
        symmetry.action_orbit.iter().for_each(|&orbit| action_orbit_sizes[orbit as usize] += 1);
        let mut orbits = vec![Vec::new(); symmetry.position_orbit.len()];
        for (position, &orbit) in symmetry.position_orbit.iter().enumerate() {
            orbits[orbit as usize].push(position as u32);
        }
        let sets = sets_around(model);
        let (counted, to_sort): (Vec<&Group>, Vec<&Group>) =
            symmetry.groups.iter().partition(|group| is_countable(model, &sets, group));
        let counted: Vec<Vec<u32>> = counted.into_iter().map(|group| group.concat()).collect();
        let layout = Layout::new(model, &counted);
        let fields = |block: &Vec<u32>| fields_of(&layout, block);
        let sorted = |group: &Group| {
            let blocks: Vec<Vec<Field>> = group.iter().map(fields).collect();
            SortedGroup::new(&blocks, layout.words())
        };
        let sorted = to_sort.into_iter().map(sorted).collect();
        let (states, transitions) = (Some(0), Some(0));
        let lumping = Lumping { symmetry, sorted, states, transitions, action_orbit_sizes, orbits };
        Some((lumping, layout))
    }

    /// Whether the parts are also interchangeable in another model, which may differ from the first one in
    /// its rates only.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn holds_for(&self, model: &Model, numbers: &LocalNumbers) -> bool {
        self.symmetry.holds_for(model, numbers)
    }

    /// The action that represents all actions equivalent to this one.
    pub(crate) fn representative(&self, action: ActionId) -> ActionId {
        ActionId(self.symmetry.action_orbit[action.index()])
    }

    /// The number of actions that are equivalent to this one, itself included.
    pub(crate) fn equivalent_actions(&self, action: ActionId) -> u32 {
        self.action_orbit_sizes[self.representative(action).index()]
    }

    /// The positions that are equivalent to this one, itself included.
    pub(crate) fn equivalent_positions(&self, position: usize) -> &[u32] {
        &self.orbits[self.symmetry.position_orbit[position] as usize]
    }

    /// Whether a question has an answer: nothing that it tells apart is exchanged.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn keeps(&self, told_apart: &ToldApart, model: &Model, numbers: &LocalNumbers) -> bool {
        told_apart.is_kept_by((&self.orbits, &self.symmetry.action_orbit), model, numbers)
    }

    /// Replaces a state by the one that represents its class.
    pub(crate) fn canonicalise(&self, state: &mut [u64], blocks: &mut SortBuffer) {
        for group in &self.sorted {
            group.sort(state, blocks);
        }
    }

    /// The number of states that this one represents; `None` if it exceeds 128 bits.
    pub(crate) fn orbit(&self, layout: &Layout, state: &[u64], blocks: &mut SortBuffer) -> Option<u128> {
        let mut orbit = Some(1_u128);
        for slot in layout.slots().iter().filter(|slot| slot.is_counted()) {
            let mut arrangements = Arrangements::default();
            for field in slot.fields() {
                arrangements.add(layout.field(field).get(state));
            }
            orbit = orbit.and_then(|orbit| orbit.checked_mul(arrangements.ways?));
        }
        for group in &self.sorted {
            let arrangements = group.arrangements(state, blocks);
            orbit = orbit.and_then(|orbit| orbit.checked_mul(arrangements?));
        }
        orbit
    }

    /// As [`Self::canonicalise`], for a state that was reached from a canonical one.
    pub(crate) fn canonicalise_after(&self, before: &[u64], state: &mut [u64], blocks: &mut SortBuffer) {
        for group in &self.sorted {
            group.sort_after(before, state, blocks);
        }
    }

    /// Adds to the numbers of states and of distinct transitions that the lumped states represent.
    pub(crate) fn count(&mut self, states: Option<u128>, transitions: Option<u128>) {
        let plus = |sum: Option<u128>, more: Option<u128>| sum?.checked_add(more?);
        self.states = plus(self.states, states);
        self.transitions = plus(self.transitions, transitions);
    }
}

/// For each position the cooperation set of the cooperation of which it is a direct operand.
#[cfg_attr(debug_assertions, inline)]
fn sets_around(model: &Model) -> Vec<Option<&ActionSet>> {
    let mut sets = vec![None; model.positions()];
    for node in model.nodes() {
        let Node::Cooperation { left, right, set } = node else { continue };
        for child in [left, right] {
            if let Node::Leaf(position) = model.nodes()[child.index()] {
                sets[position.index()] = Some(set);
            }
        }
    }
    sets
}

/// Whether a group can be counted: it consists of copies of one component, no two of them synchronise, and
/// the counts take at most about twice the bits of sorted copies.
#[cfg_attr(debug_assertions, inline)]
fn is_countable(model: &Model, sets: &[Option<&ActionSet>], group: &Group) -> bool {
    const FEW_BITS: u64 = 32;
    let component = model.component_at(Position(group[0][0]));
    let is_alike = |block: &Vec<u32>| block.len() == 1 && model.component_at(Position(block[0])) == component;
    let is_apart = |block: &Vec<u32>| {
        let actions = actions_at(model, Position(block[0]));
        sets[block[0] as usize].is_none_or(|set| !actions.iter().any(|&action| set.contains(action)))
    };
    let local_states = model.component(component).local_states.len() as u32;
    let (counted, sorted) = Layout::bits_of_copies(local_states, group.len() as u32);
    group.iter().all(is_alike) && is_apart(&group[0]) && counted <= FEW_BITS.max(2 * sorted)
}

/// The fields of a block: those of its positions. If it contains counted copies, their fields belong to the
/// first copy.
#[cfg_attr(debug_assertions, inline)]
fn fields_of(layout: &Layout, block: &[u32]) -> Vec<Field> {
    let of_position = |&at: &u32| {
        let slot = &layout.slots()[layout.slot_of(at as usize) as usize];
        let fields = if slot.positions[0] == at { slot.fields() } else { 0..0 };
        fields.map(|field| layout.field(field))
    };
    block.iter().flat_map(of_position).collect()
}
