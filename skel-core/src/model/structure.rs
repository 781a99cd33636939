//! Whether two models differ in their rates alone.
//!
//! Rates are positive, so they do not decide which states can be reached. Two models with the same
//! components, the same activities and the same system equation have the same states and the same
//! transitions, only at other rates.

use crate::model::{LocalState, Model};

impl Model {
    /// Whether another model has the same structure, so that the two differ in nothing but rates, names of
    /// rates and result lines. They then have the same states and transitions. The comparison takes time in
    /// proportion to the size of the models.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// let model = |text| Model::from_text(text);
    /// let queue = model("E = (arrive, 1).F; F = (serve, 3).E; E[2]")?;
    /// assert!(queue.has_structure_of(&model("mu = 4; E = (arrive, 2).F; F = (serve, mu).E; E[2]")?));
    /// assert!(!queue.has_structure_of(&model("E = (arrive, 1).F; F = (serve, 3).E; E[3]")?));
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn has_structure_of(&self, other: &Model) -> bool {
        self.leaves == other.leaves
            && self.nodes == other.nodes
            && self.arrays == other.arrays
            && self.components == other.components
            && self.actions == other.actions
            && self.local_states.len() == other.local_states.len()
            && self
                .local_states
                .iter()
                .zip(other.local_states.iter())
                .all(|(one, another)| self.activities_of(one).eq(other.activities_of(another)))
    }

    /// The action and the target of each activity of a local state, and whether it is passive.
    #[cfg_attr(debug_assertions, inline)]
    fn activities_of<'m>(&'m self, state: &'m LocalState) -> impl Iterator<Item = (u32, u32, bool)> + 'm {
        state.activities.iter().map(|activity| {
            let is_passive = self.rates[activity.rate.index()].value.is_passive();
            (activity.action.0, activity.target.0, is_passive)
        })
    }
}
