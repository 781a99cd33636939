//! From a state space and a steady state to plain figures, the same whether they are exact or not.

use std::collections::BTreeMap;
use std::time::Duration;

use skel::brief::brief_state;
use skel::chain::Classification;
use skel::measure::ComponentUse;
use skel::model::{ActionId, Model, Position};
use skel::number::{Number, Ratio};
use skel::space::Storage;
use skel::steady::Report;
use skel::{Error, StateSpace, SteadyState};

use super::states::States;
use super::visible::visible_actions;
use crate::report::figure::{Figure, Figures};

/// The size and the shape of a chain, as it was explored.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) states: usize,
    pub(crate) transitions: usize,
    /// What they stand for, where equal parts were lumped.
    pub(crate) unlumped: Option<Unlumped>,
    /// Unless it was not worth the time to find out.
    pub(crate) shape: Option<Shape>,
    pub(crate) storage: Storage,
    pub(crate) explored_in: Duration,
    /// The quotient that was solved in its place, if one was.
    pub(crate) quotient: Option<QuotientSize>,
}

/// The size of a chain without lumping; none beyond 128 bits.
#[derive(Clone, Debug)]
pub(crate) struct Unlumped {
    pub(crate) states: Option<u128>,
    pub(crate) transitions: Option<u128>,
    /// Whether transitions were counted. They are not where moves take no time.
    pub(crate) counts_transitions: bool,
}

/// What becomes of runs.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) deadlocks: usize,
    pub(crate) recurrent_classes: usize,
    pub(crate) transient_states: usize,
    /// What the transient states stand for, where equal parts were lumped; none beyond 128 bits.
    pub(crate) unlumped_transient_states: Option<u128>,
}

/// The size of a quotient.
#[derive(Clone, Debug)]
pub(crate) struct QuotientSize {
    pub(crate) states: usize,
    pub(crate) refined_in: Duration,
}

impl Chain {
    /// What there is to say about a space that has been classified.
    pub(crate) fn of(space: &StateSpace<Model>, classification: &Classification) -> Chain {
        Chain { shape: Some(Shape::of(space, classification)), ..Chain::of_space(space) }
    }

    /// What there is to say about a space as such.
    pub(crate) fn of_space(space: &StateSpace<Model>) -> Chain {
        let unlumped = space.lumping().map(|lumping| Unlumped {
            states: lumping.states(),
            transitions: lumping.transitions(),
            counts_transitions: !space.has_immediate_actions(),
        });
        Chain {
            states: space.states(),
            transitions: space.transitions(),
            unlumped,
            shape: None,
            storage: space.storage(),
            explored_in: space.explored_in(),
            quotient: None,
        }
    }
}

impl Shape {
    fn of(space: &StateSpace<Model>, classification: &Classification) -> Shape {
        let Classification { recurrent, transient, deadlocks, .. } = classification;
        Shape {
            deadlocks: deadlocks.len(),
            recurrent_classes: recurrent.len(),
            transient_states: *transient,
            unlumped_transient_states: unlumped_transient_states(space, classification),
        }
    }
}

/// All that stand behind a lumped space but those behind its recurrent states.
fn unlumped_transient_states(space: &StateSpace<Model>, classification: &Classification) -> Option<u128> {
    let lumping = match (space.lumping(), classification.transient) {
        (Some(lumping), 1..) => lumping,
        (_, transient) => return Some(transient as u128),
    };
    let mut recurrent = classification.recurrent.iter().flatten();
    recurrent.try_fold(lumping.states()?, |left, &state| left.checked_sub(space.stands_for(state as usize)?))
}

/// What the steady state says.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// How it was obtained.
    pub(crate) report: Report,
    /// Per action that the system shows.
    pub(crate) throughput: Figures,
    /// The actions that are hidden wherever they are done: they are counted under `tau`.
    pub(crate) hidden: Vec<String>,
    /// Per local state that was to be kept.
    pub(crate) population: Figures,
    /// The result lines of the file.
    pub(crate) results: Figures,
    /// Per component, the copies of an array taken together.
    pub(crate) utilisation: Vec<Utilisation>,
    /// Per recurrent class, where there are several.
    pub(crate) ends: Vec<End>,
    /// The probabilities of states, where they are asked for.
    pub(crate) states: Option<States>,
}

/// A recurrent class, in which a run may end.
#[derive(Clone, Debug)]
pub(crate) struct End {
    /// How many states it has.
    pub(crate) states: usize,
    /// The first of them that a run comes to.
    pub(crate) first: String,
    /// The same with equal copies counted, for people.
    pub(crate) first_in_brief: String,
    /// The actions of a shortest way there.
    pub(crate) path: Vec<String>,
    /// The probability that a run ends here.
    pub(crate) probability: Figure,
}

/// How the local states of a component are occupied.
#[derive(Clone, Debug)]
pub(crate) struct Utilisation {
    /// The component's name.
    pub(crate) component: String,
    /// Where its copies stand in a state, from 0.
    pub(crate) positions: Vec<usize>,
    /// Its local states.
    pub(crate) local_states: Vec<Occupation>,
}

/// How a local state is occupied.
#[derive(Clone, Debug)]
pub(crate) struct Occupation {
    pub(crate) name: String,
    /// The probability that one copy is in it.
    pub(crate) utilisation: Figure,
    /// How many copies are in it, on average.
    pub(crate) population: Figure,
}

impl Answer {
    /// Asks a steady state everything.
    pub(crate) fn of<N: Number>(solution: &SteadyState<Model, N>) -> Result<Answer, Error> {
        let model = solution.space().model();
        let utilisations = solution.utilisations().into_iter();
        let (throughput, hidden) = throughputs(solution);
        Ok(Answer {
            report: solution.report().clone(),
            throughput,
            hidden,
            population: Figures::new(),
            results: figures(&solution.results()?),
            utilisation: utilisations.map(|one| utilisation(model, one)).collect(),
            ends: ends(solution),
            states: None,
        })
    }

    /// All numbers of the answer but those of states.
    pub(super) fn figures(&self) -> impl Iterator<Item = &Figure> {
        let lists = [&self.throughput, &self.population, &self.results].into_iter().flatten();
        let occupations = self.utilisation.iter().flat_map(|one| &one.local_states);
        lists.map(|(_, figure)| figure).chain(occupations.map(|state| &state.utilisation))
    }
}

/// The throughputs of the actions that the system shows, in alphabetical order, and the actions that it
/// hides.
fn throughputs<N: Number>(solution: &SteadyState<Model, N>) -> (Figures, Vec<String>) {
    let model = solution.space().model();
    let visible = visible_actions(model);
    let done: BTreeMap<&str, N> = solution.throughputs().into_iter().collect();
    let mut actions: Vec<(&str, bool)> =
        model.actions().map(|(id, name)| (name, visible.get(id.index()) == Some(&true))).collect();
    actions.sort_unstable();
    let (shown, hidden): (Vec<_>, Vec<_>) = actions.into_iter().partition(|(_, is_visible)| *is_visible);
    let of_zero = |name| done.get(name).map_or_else(|| Figure::of(&N::zero()), Figure::of);
    let hidden = hidden.into_iter().filter(|(name, _)| *name != model.action(ActionId::TAU));
    (
        shown.into_iter().map(|(name, _)| (name.to_owned(), of_zero(name))).collect(),
        hidden.map(|(name, _)| name.to_owned()).collect(),
    )
}

fn utilisation<N: Number>(model: &Model, one: ComponentUse<N>) -> Utilisation {
    let copies = N::from_ratio(&Ratio::from_integer(one.positions.len().into()));
    let occupation = |(name, utilisation): (String, N)| Occupation {
        name,
        utilisation: Figure::of(&utilisation),
        population: Figure::of(&(utilisation * copies.clone())),
    };
    // A component may have a million local states, whose list is not to be copied as it grows.
    let mut local_states = Vec::with_capacity(one.local_states.len());
    local_states.extend(in_order_of_life(model, one.positions[0], one.local_states).map(occupation));
    Utilisation {
        local_states,
        component: one.component,
        positions: one.positions.iter().map(|position| position.index()).collect(),
    }
}

fn ends<N: Number>(solution: &SteadyState<Model, N>) -> Vec<End> {
    let space = solution.space();
    let classes = &solution.classification().recurrent;
    if classes.len() == 1 {
        return Vec::new();
    }
    let end = |(states, probability): (&Vec<u32>, N)| {
        let first = states[0] as usize;
        let path = space.path_to(first).into_iter().map(|action| space.model().action(action).to_owned());
        End {
            states: states.len(),
            first: space.display_state(first),
            first_in_brief: brief_state(space.model(), &space.state(first)),
            path: path.collect(),
            probability: Figure::of(&probability),
        }
    };
    classes.iter().zip(solution.class_probabilities()).map(end).collect()
}

fn figures<N: Number>(numbers: &[(impl AsRef<str>, N)]) -> Figures {
    numbers.iter().map(|(name, number)| (name.as_ref().to_owned(), Figure::of(number))).collect()
}

/// The local states in the order in which a run comes to them, the initial one first: breadth first.
fn in_order_of_life<N: Number>(
    model: &Model,
    position: Position,
    mut numbers: Vec<(String, N)>,
) -> impl Iterator<Item = (String, N)> {
    let component = model.component(model.component_at(position));
    let least = component.local_states.first().map_or(0, |state| state.index());
    let most = component.local_states.last().map_or(0, |state| state.index());
    // Where each is in the list, until it is listed.
    let mut places: Vec<Option<u32>> = vec![None; most - least + 1];
    for (at, state) in component.local_states.iter().enumerate() {
        places[state.index() - least] = Some(at as u32);
    }
    let mut order: Vec<u32> = places[component.initial.index() - least].take().into_iter().collect();
    let mut next = 0;
    while let Some(&at) = order.get(next) {
        let targets = model.local_state(component.local_states[at as usize]).activities.iter();
        order.extend(targets.filter_map(|activity| places[activity.target.index() - least].take()));
        next += 1;
    }
    order.into_iter().filter_map(move |at| {
        numbers.get_mut(at as usize).map(|(name, number)| (std::mem::take(name), number.clone()))
    })
}
