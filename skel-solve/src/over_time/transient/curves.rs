//! Measures at many times, without the distributions.

use std::collections::BTreeMap;

use skel_core::model::{ActionId, LocalStateId, Model};

use super::Report;
use crate::error::Error;
use crate::limits::Watch;
use crate::measure::{Probabilities, factors};
use crate::space::StateSpace;

/// Measures at several times, and how they were found.
#[derive(Clone, Debug)]
pub struct Curves {
    pub(super) times: Vec<f64>,
    pub(super) now: Series,
    pub(super) average: Option<Series>,
    pub(super) report: Report,
}

impl Curves {
    /// The times, in their order.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The measures at the times.
    #[must_use]
    pub fn now(&self) -> &Series {
        &self.now
    }

    /// The averages over the time until each of the times, if
    /// [`TransientSolver::over`](super::TransientSolver::over) asked for them.
    #[must_use]
    pub fn average(&self) -> Option<&Series> {
        self.average.as_ref()
    }

    /// How they were found, and how good they are.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }
}

/// The values of measures, each at one time after the other.
#[derive(Clone, Debug)]
pub struct Series {
    values: Vec<(Measure, String, Vec<f64>)>,
}

impl Series {
    /// The throughput of an action at the times.
    ///
    /// # Errors
    /// It is not among the measures.
    pub fn throughput_named(&self, action: &str) -> Result<&[f64], Error> {
        self.named("action", action, |measure| matches!(measure, Measure::Throughput(_)))
    }

    /// The expected number of components in a local state at the times.
    ///
    /// # Errors
    /// It is not among the measures.
    pub fn population_named(&self, state: &str) -> Result<&[f64], Error> {
        self.named("local state", state, |measure| matches!(measure, Measure::Population(_)))
    }

    /// The value of a result line at the times.
    ///
    /// # Errors
    /// It is not among the measures.
    pub fn result_named(&self, name: &str) -> Result<&[f64], Error> {
        self.named("result", name, |measure| matches!(measure, Measure::Result(_)))
    }

    fn named(&self, what: &str, wanted: &str, is_kind: impl Fn(Measure) -> bool) -> Result<&[f64], Error> {
        let of_kind = || self.values.iter().filter(|(measure, ..)| is_kind(*measure));
        match of_kind().find(|(_, name, _)| name == wanted) {
            Some((.., values)) => Ok(values),
            None => Err(Error::unknown(what, wanted, &mut of_kind().map(|(_, name, _)| name.as_str()))),
        }
    }

    /// No values yet of some measures of a model.
    pub(super) fn new(model: &Model, measures: &[Measure]) -> Series {
        let named = |&measure: &Measure| (measure, measure.name(model).to_owned(), Vec::new());
        Series { values: measures.iter().map(named).collect() }
    }

    /// Adds the values of one more time.
    pub(super) fn push(&mut self, values: Vec<f64>) {
        self.values.iter_mut().zip(values).for_each(|((.., of_measure), value)| of_measure.push(value));
    }
}

/// A measure, by what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Throughput(ActionId),
    Population(LocalStateId),
    /// A result line, by its place among them.
    Result(usize),
}

impl Measure {
    /// The measures that the names stand for, or all. A name may stand for several.
    pub(super) fn kept(model: &Model, keep: Option<&[String]>) -> Vec<Measure> {
        let is_kept = |name: &str| keep.is_none_or(|keep| keep.iter().any(|kept| kept == name));
        let mut measures: Vec<Measure> = Vec::new();
        let actions = model.actions().filter(|(_, name)| is_kept(name));
        measures.extend(actions.map(|(action, _)| Measure::Throughput(action)));
        let states: BTreeMap<&str, LocalStateId> = model
            .local_states()
            .iter()
            .filter_map(|state| Some((state.name.as_str(), model.local_state_named(&state.name)?)))
            .collect();
        let states = states.into_iter().filter(|(name, _)| is_kept(name));
        measures.extend(states.map(|(_, state)| Measure::Population(state)));
        let lines = model.results().iter().enumerate().filter(|(_, line)| is_kept(&line.name));
        measures.extend(lines.map(|(place, _)| Measure::Result(place)));
        measures
    }

    fn name(self, model: &Model) -> &str {
        match self {
            Measure::Throughput(action) => model.action(action),
            Measure::Population(state) => &model.local_state(state).name,
            Measure::Result(place) => &model.results()[place].name,
        }
    }

    /// What each state adds to the measure.
    pub(super) fn factors(
        self,
        space: &StateSpace,
        bytes: u64,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<f64>, Error> {
        let pause = || Ok(watch.prepare()?);
        match self {
            Measure::Throughput(action) => factors::of_throughput(space, action, bytes, pause),
            Measure::Population(state) => factors::of_population(space, state, pause),
            Measure::Result(place) => factors::of_result(space, &space.model().results()[place]),
        }
    }
}

/// The values of measures under a distribution.
pub(super) fn values<M: ?Sized>(
    distribution: &Probabilities<M, f64>,
    model: &Model,
    measures: &[Measure],
) -> Result<Vec<f64>, Error> {
    const FEW: usize = 2;
    let populations = measures.iter().filter(|measure| matches!(measure, Measure::Population(_))).count();
    // One pass finds the populations of all local states, so it is for many.
    let mut known: BTreeMap<String, f64> = BTreeMap::new();
    if populations > FEW {
        for component in distribution.utilisations() {
            let copies = component.positions.len() as f64;
            for (name, utilisation) in component.local_states {
                *known.entry(name).or_default() += copies * utilisation;
            }
        }
    }
    let value = |measure: &Measure| {
        let name = measure.name(model);
        match measure {
            Measure::Throughput(_) => distribution.throughput_named(name),
            Measure::Population(_) if populations > FEW => Ok(known.get(name).copied().unwrap_or(0.0)),
            Measure::Population(_) => distribution.population_named(name),
            Measure::Result(_) => distribution.result_named(name),
        }
    };
    measures.iter().map(value).collect()
}
