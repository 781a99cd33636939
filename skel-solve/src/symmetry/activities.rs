//! The activities of components, sorted so that they can be compared.

use skel_core::model::{ActionId, Activity, Component, ComponentId, LocalStateId, Model};
use skel_core::number::Ratio;
use skel_core::rate::ActivityRate;

/// For each component its activities, sorted by action and then by all else. Two components are compared by
/// the few actions that matter, while a network may have a hundred thousand actions.
pub(crate) struct SortedActivities<'m>(Vec<Vec<ActivityKey<'m>>>);

/// An action, and the source, target and rate of an activity of it.
pub(crate) type ActivityKey<'m> = (ActionId, (LocalStateId, LocalStateId, &'m ActivityRate<Ratio>));

impl<'m> SortedActivities<'m> {
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn new(model: &'m Model) -> Self {
        let key = |from: LocalStateId, activity: &Activity| {
            (activity.action, (from, activity.target, &model.rates()[activity.rate.index()].value))
        };
        let of_component = |component: &Component| {
            let states = component.local_states.iter();
            let mut keys: Vec<ActivityKey<'m>> = states
                .flat_map(|&from| model.local_state(from).activities.iter().map(move |it| key(from, it)))
                .collect();
            keys.sort_by(compare);
            keys
        };
        SortedActivities(model.components().iter().map(of_component).collect())
    }

    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn of_action(
        &self,
        component: ComponentId,
        action: ActionId,
    ) -> impl Iterator<Item = &ActivityKey<'m>> {
        let all = &self.0[component.index()];
        let start = all.partition_point(|key| key.0 < action);
        all[start..].iter().take_while(move |key| key.0 == action)
    }
}

#[cfg_attr(debug_assertions, inline)]
fn compare(left: &ActivityKey<'_>, right: &ActivityKey<'_>) -> std::cmp::Ordering {
    let kind = |&(action, (from, to, rate)): &ActivityKey<'_>| (action, from, to, rate.is_passive());
    kind(left).cmp(&kind(right)).then_with(|| left.1.2.magnitude().cmp(right.1.2.magnitude()))
}
