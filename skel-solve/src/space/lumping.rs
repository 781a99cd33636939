//! Lumping while exploring: of equivalent states only one is kept, the one whose interchangeable blocks are sorted.

use std::cmp::Ordering;

use skel_core::model::{ActionId, Model};

use super::layout::{Layout, LocalNumbers};
use super::symmetry::{Group, Symmetry};

/// How the states of a space were lumped, and what they stand for.
///
/// # Examples
/// ```
/// use skel_solve::Explore;
/// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P[10]").into_model().unwrap();
/// let space = model.explore_lumped().unwrap();
/// assert_eq!(space.states(), 11);
/// let lumping = space.lumping().unwrap();
/// assert_eq!((lumping.states(), lumping.transitions()), (Some(1024), Some(10240)));
/// ```
#[derive(Clone, Debug)]
pub struct Lumping {
    symmetry: Symmetry,
    states: Option<u128>,
    transitions: Option<u128>,
    action_orbit_sizes: Vec<u32>,
    /// Per position the positions of its orbit, under its least member.
    orbits: Vec<Vec<u32>>,
}

impl Lumping {
    /// The states that the lumped ones stand for; none beyond 128 bits.
    #[must_use]
    pub fn states(&self) -> Option<u128> {
        self.states
    }

    /// The distinct transitions (state, action, state) that the lumped ones stand for; none beyond 128 bits.
    #[must_use]
    pub fn transitions(&self) -> Option<u128> {
        self.transitions
    }

    /// The groups of interchangeable parts: how many parts, and how many components each has.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = (usize, usize)> {
        self.symmetry.groups.iter().map(|group| (group.len(), group[0].len()))
    }

    /// The lumping of a model, unless nothing in it is interchangeable.
    pub(crate) fn of(model: &Model, numbers: &LocalNumbers) -> Option<Lumping> {
        let symmetry = Symmetry::of(model, numbers);
        if symmetry.groups.is_empty() {
            return None;
        }
        let mut action_orbit_sizes = vec![0; symmetry.action_orbit.len()];
        symmetry.action_orbit.iter().for_each(|&orbit| action_orbit_sizes[orbit as usize] += 1);
        let mut orbits = vec![Vec::new(); symmetry.position_orbit.len()];
        for (position, &orbit) in symmetry.position_orbit.iter().enumerate() {
            orbits[orbit as usize].push(position as u32);
        }
        Some(Lumping { symmetry, states: Some(0), transitions: Some(0), action_orbit_sizes, orbits })
    }

    /// The action that stands for all equivalent ones.
    pub(crate) fn representative(&self, action: ActionId) -> ActionId {
        ActionId(self.symmetry.action_orbit[action.index()])
    }

    /// How many actions are equivalent to one.
    pub(crate) fn equivalent_actions(&self, action: ActionId) -> u32 {
        self.action_orbit_sizes[self.representative(action).index()]
    }

    /// The positions that are equivalent to one, itself among them.
    pub(crate) fn equivalent_positions(&self, position: usize) -> &[u32] {
        &self.orbits[self.symmetry.position_orbit[position] as usize]
    }

    /// Turns a state into the one that stands for it.
    pub(crate) fn canonise(&self, layout: &Layout, state: &mut [u64], blocks: &mut Blocks) {
        for group in &self.symmetry.groups {
            blocks.read(layout, state, group);
            if blocks.sort() {
                blocks.write(layout, state, group);
            }
        }
    }

    /// Counts a state that stands for others, and the distinct transitions that leave it.
    pub(crate) fn count(&mut self, layout: &Layout, state: &[u64], transitions: usize, blocks: &mut Blocks) {
        let mut orbit = Some(1_u128);
        for group in &self.symmetry.groups {
            blocks.read(layout, state, group);
            orbit = orbit.and_then(|orbit| orbit.checked_mul(blocks.arrangements()?));
        }
        let plus = |sum: Option<u128>, more: Option<u128>| sum?.checked_add(more?);
        self.states = plus(self.states, orbit);
        self.transitions =
            plus(self.transitions, orbit.and_then(|orbit| orbit.checked_mul(transitions as u128)));
    }
}

/// The local states of a group's blocks; memory that is used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    width: usize,
    locals: Vec<u32>,
    order: Vec<u32>,
}

impl Blocks {
    fn read(&mut self, layout: &Layout, state: &[u64], group: &Group) {
        self.width = group[0].len();
        self.locals.clear();
        let positions = group.iter().flatten();
        self.locals.extend(positions.map(|&position| layout.get(state, position as usize)));
    }

    fn block(&self, number: u32) -> &[u32] {
        &self.locals[number as usize * self.width..(number as usize + 1) * self.width]
    }

    /// Sorts the blocks; `false` where they are sorted already.
    fn sort(&mut self) -> bool {
        let count = (self.locals.len() / self.width) as u32;
        if (1..count).all(|at| self.block(at - 1) <= self.block(at)) {
            return false;
        }
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..count);
        order.sort_by(|&left, &right| self.block(left).cmp(self.block(right)));
        self.order = order;
        true
    }

    fn write(&self, layout: &Layout, state: &mut [u64], group: &Group) {
        for (positions, &from) in group.iter().zip(&self.order) {
            for (&position, &local) in positions.iter().zip(self.block(from)) {
                layout.set(state, position as usize, local);
            }
        }
    }

    /// In how many ways sorted blocks can be arranged: a multinomial coefficient.
    fn arrangements(&self) -> Option<u128> {
        let count = (self.locals.len() / self.width) as u32;
        let mut ways = 1_u128;
        let mut run = 0;
        for at in 0..count {
            let is_same = at > 0 && self.block(at - 1).cmp(self.block(at)) == Ordering::Equal;
            run = if is_same { run + 1 } else { 1 };
            // (at + 1)! / (product of run!), one factor at a time: always a whole number.
            ways = ways.checked_mul(u128::from(at + 1))? / run;
        }
        Some(ways)
    }
}
