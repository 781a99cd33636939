//! What a question tells apart, so that lumping must not exchange it.

use std::collections::BTreeSet;

use skel_core::model::{ActionId, LocalStateId, Model, Position};

use crate::state::local_numbers::LocalNumbers;

/// What a question tells apart: some components by their positions, the local states whose populations it
/// needs, and the actions that it names.
///
/// Lumping treats equal parts of a model as one, so a question about a single one of them has no answer in a
/// lumped space. An [exploration](crate::space::Explorer::telling_apart) that knows the question keeps this
/// part distinct, and lumps the others: if a question is about one of a hundred clients, the other
/// ninety-nine are still counted.
///
/// # Examples
/// ```
/// use skel_core::model::{Model, Position};
/// use skel_solve::{Explore, space::ToldApart};
/// let model = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P[10]")?;
/// assert_eq!(model.explorer().lumped().explore()?.states(), 11);
/// let first = ToldApart::default().position(Position::at(0));
/// assert_eq!(model.explorer().lumped().telling_apart(&first).explore()?.states(), 20);
/// # Ok::<(), skel_solve::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldApart {
    positions: BTreeSet<u32>,
    populations: BTreeSet<LocalStateId>,
    /// Exchanges may rename the actions of a set among each other.
    actions: Vec<BTreeSet<ActionId>>,
}

impl ToldApart {
    /// Also tells the component at a position apart from all others.
    #[must_use]
    pub fn position(mut self, position: Position) -> Self {
        self.positions.insert(position.index() as u32);
        self
    }

    /// Also tells apart each component for which a pattern names a local state.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn pattern(mut self, pattern: &[Option<LocalStateId>]) -> Self {
        let named = pattern.iter().enumerate().filter(|(_, state)| state.is_some());
        self.positions.extend(named.map(|(position, _)| position as u32));
        self
    }

    /// Makes the population of a local state countable: a component that has this local state is not
    /// exchanged with one that has another in its place.
    #[must_use]
    pub fn population(mut self, state: LocalStateId) -> Self {
        self.populations.insert(state);
        self
    }

    /// Also tells some actions apart from all others. Among each other they may be exchanged, since they are
    /// asked for together.
    #[must_use]
    pub fn actions(mut self, together: impl IntoIterator<Item = ActionId>) -> Self {
        self.actions.push(together.into_iter().collect());
        self
    }

    /// Also tells apart everything that another question tells apart.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn and(mut self, other: &ToldApart) -> Self {
        self.positions.extend(&other.positions);
        self.populations.extend(&other.populations);
        self.actions.extend(other.actions.iter().cloned());
        self
    }

    /// Whether the component at a position is told apart from all others.
    pub(crate) fn is_position(&self, position: u32) -> bool {
        self.positions.contains(&position)
    }

    /// Whether the components at two positions may be exchanged.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn allows_exchange(
        &self,
        (one, other): (u32, u32),
        model: &Model,
        numbers: &LocalNumbers,
    ) -> bool {
        let number = |at: u32, state| numbers.get(model.component_at(Position::at(at as usize)), state);
        let is_alike = |&state: &LocalStateId| number(one, state) == number(other, state);
        one == other
            || !self.is_position(one) && !self.is_position(other) && self.populations.iter().all(is_alike)
    }

    /// Whether two actions may be renamed into one another.
    pub(crate) fn allows_renaming(&self, (one, other): (ActionId, ActionId)) -> bool {
        self.actions.iter().all(|set| set.contains(&one) == set.contains(&other))
    }

    /// Whether all equivalent components and actions are alike to the question. `orbits` are the positions of
    /// equivalent components, and `representatives` has for each action an equivalent one.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn is_kept_by(
        &self,
        (orbits, representatives): (&[Vec<u32>], &[u32]),
        model: &Model,
        numbers: &LocalNumbers,
    ) -> bool {
        let mut pairs = orbits.iter().flat_map(|orbit| orbit.iter().map(|&position| (orbit[0], position)));
        let mut renamings = representatives.iter().enumerate();
        pairs.all(|pair| self.allows_exchange(pair, model, numbers))
            && renamings
                .all(|(action, &other)| self.allows_renaming((ActionId(action as u32), ActionId(other))))
    }
}
