//! What a passage is asked for, and the same in terms of a space.

use std::marker::PhantomData;

use skel_core::csl::Predicate;
use skel_core::model::handle::ActionOf;
use skel_core::model::{ActionId, Model};

use crate::error::Error;
use crate::limits::Watch;
use crate::over_time::states::states_of;
use crate::space::StateSpace;

/// An action of the model `M`, by its name or its handle.
#[derive(Clone, Debug)]
pub struct ActionRef<M: ?Sized> {
    kind: Named,
    model: PhantomData<fn() -> Box<M>>,
}

#[derive(Clone, Debug)]
enum Named {
    Id(ActionId),
    Text(String),
}

impl<M: ?Sized> std::convert::From<&str> for ActionRef<M> {
    fn from(name: &str) -> Self {
        ActionRef { kind: Named::Text(name.to_owned()), model: PhantomData }
    }
}

impl<M: ?Sized> std::convert::From<String> for ActionRef<M> {
    fn from(name: String) -> Self {
        ActionRef { kind: Named::Text(name), model: PhantomData }
    }
}

impl<M: ?Sized> std::convert::From<&String> for ActionRef<M> {
    fn from(name: &String) -> Self {
        ActionRef { kind: Named::Text(name.clone()), model: PhantomData }
    }
}

impl<M: ?Sized> std::convert::From<ActionOf<M>> for ActionRef<M> {
    fn from(action: ActionOf<M>) -> Self {
        ActionRef { kind: Named::Id(action.id()), model: PhantomData }
    }
}

/// Where a passage begins.
///
/// # Examples
/// ```
/// use skel::passage::{From, To};
/// use skel::prelude::*;
/// pepa! { model Queue { E = (arrive, 1).F; F = (serve, 3).E; E[2] } }
/// let space = Queue::new().explore()?;
/// let by_handle = space.passage(From::action(Queue::arrive), To::action(Queue::serve))?;
/// let by_name = space.passage(From::action("arrive"), To::action("serve"))?;
/// assert_eq!(by_handle.mean()?, by_name.mean()?);
/// # Ok::<(), skel::Error>(())
/// ```
pub struct From<M: ?Sized = Model> {
    pub(super) kind: Kind<M>,
}

/// Where a passage ends.
pub struct To<M: ?Sized = Model> {
    pub(super) kind: Kind<M>,
}

pub(super) enum Kind<M: ?Sized> {
    Initial,
    Actions(Vec<ActionRef<M>>),
    Text(String),
    Predicate(Predicate),
}

impl<M: ?Sized> From<M> {
    /// With an action, in the steady state.
    pub fn action(action: impl Into<ActionRef<M>>) -> Self {
        From { kind: Kind::Actions(vec![action.into()]) }
    }

    /// With any of some actions, in the steady state.
    pub fn actions<A: Into<ActionRef<M>>>(actions: impl IntoIterator<Item = A>) -> Self {
        From { kind: Kind::Actions(actions.into_iter().map(Into::into).collect()) }
    }

    /// By coming to a state in which a condition holds, in the steady state. The condition is the name of a
    /// result line or a local state, a pattern in braces, or a formula as in properties: `full`,
    /// `{(Wait || ** || **) <request, serve> **}`, `Busy >= 2 & !"down"`.
    pub fn pattern(condition: &str) -> Self {
        From { kind: Kind::Text(condition.to_owned()) }
    }

    /// By coming to a state in which a condition holds that was read before.
    pub fn states(condition: Predicate) -> Self {
        From { kind: Kind::Predicate(condition) }
    }

    /// In the initial state, at time zero.
    #[must_use]
    pub fn initial() -> Self {
        From { kind: Kind::Initial }
    }
}

impl<M: ?Sized> To<M> {
    /// With the next of an action.
    pub fn action(action: impl Into<ActionRef<M>>) -> Self {
        To { kind: Kind::Actions(vec![action.into()]) }
    }

    /// With the next of any of some actions.
    pub fn actions<A: Into<ActionRef<M>>>(actions: impl IntoIterator<Item = A>) -> Self {
        To { kind: Kind::Actions(actions.into_iter().map(Into::into).collect()) }
    }

    /// When a condition holds; see [`From::pattern`].
    pub fn pattern(condition: &str) -> Self {
        To { kind: Kind::Text(condition.to_owned()) }
    }

    /// When this condition holds, for instance one that was read from a text.
    pub fn states(condition: Predicate) -> Self {
        To { kind: Kind::Predicate(condition) }
    }
}

/// What begins or ends passages, in terms of a space.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    Initial,
    /// Per action, as transitions of the space name it, whether it does.
    Actions(Vec<bool>),
    /// Per state whether being there does.
    States(Vec<bool>),
}

impl Event {
    /// What something stands for in a space, and its text for answers.
    pub(super) fn of<M: ?Sized>(
        kind: &Kind<M>,
        space: &StateSpace,
        watch: &mut Watch<'_>,
    ) -> Result<(Event, String), Error> {
        match kind {
            Kind::Initial => Ok((Event::Initial, "initial".to_owned())),
            Kind::Actions(actions) => {
                let ids = actions.iter().map(|action| id(&action.kind, space.model()));
                let ids = ids.collect::<Result<Vec<_>, _>>()?;
                let names: Vec<&str> = ids.iter().map(|&id| space.model().action(id)).collect();
                Ok((Event::Actions(actions_of(&ids, space)?), names.join(",")))
            }
            Kind::Text(text) => {
                let condition = Predicate::parse(&quoted(text), space.model())?;
                let states = states_of(space, condition.condition(), watch)?;
                Ok((Event::States(states), condition.to_string()))
            }
            Kind::Predicate(condition) => {
                let states = states_of(space, condition.condition(), watch)?;
                Ok((Event::States(states), condition.to_string()))
            }
        }
    }

    pub(super) fn is_action(&self, action: ActionId) -> bool {
        matches!(self, Event::Actions(actions) if actions[action.index()])
    }

    pub(super) fn is_state(&self, state: usize) -> bool {
        matches!(self, Event::States(states) if states[state])
    }
}

/// A name alone stands for a result line or a local state.
fn quoted(text: &str) -> String {
    let is_name = |text: &str| text.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let is_word = matches!(text, "true" | "false") || text.is_empty();
    if is_name(text) && !is_word { format!("\"{text}\"") } else { text.to_owned() }
}

fn id(named: &Named, model: &Model) -> Result<ActionId, Error> {
    match named {
        Named::Id(id) => Ok(*id),
        Named::Text(name) => {
            let names = || model.actions().map(|(_, name)| name);
            model.action_named(name).ok_or_else(|| Error::unknown("action", name, &mut names()))
        }
    }
}

/// The actions as the transitions of a space name them. Lumping names equivalent actions alike, so all of
/// them or none may be asked for.
fn actions_of(ids: &[ActionId], space: &StateSpace) -> Result<Vec<bool>, Error> {
    let model = space.model();
    let mut wanted = vec![false; model.actions().len()];
    for &id in ids {
        if space.has_immediate_actions() && space.is_immediate(id) {
            let name = model.action(id);
            return Err(Error::Unknown(format!(
                "`{name}` takes no time, so no passage begins or ends with it"
            )));
        }
        let Some(lumping) = space.lumping() else {
            wanted[id.index()] = true;
            continue;
        };
        let own = lumping.representative(id);
        let asked = ids.iter().filter(|&&other| lumping.representative(other) == own);
        let mut asked: Vec<ActionId> = asked.copied().collect();
        asked.sort_unstable();
        asked.dedup();
        if asked.len() < lumping.equivalent_actions(id) as usize {
            let name = model.action(id);
            return Err(Error::Unknown(format!(
                "`{name}` tells apart components that were lumped; explore without lumping for it"
            )));
        }
        wanted[own.index()] = true;
    }
    Ok(wanted)
}
