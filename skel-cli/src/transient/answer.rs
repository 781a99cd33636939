//! Figures at moments.

use std::collections::BTreeMap;

use skel::Error;
use skel::measure::Probabilities;
use skel::model::Model;
use skel::transient::Report;

use crate::solve::answer::Chain;

/// What is answered, by name.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) actions: Vec<String>,
    pub(super) results: Vec<String>,
    pub(super) local_states: Vec<String>,
    /// Whether these names were asked for.
    pub(super) is_kept: bool,
}

/// All answers.
pub(super) struct Answer {
    pub(super) chain: Chain,
    pub(super) names: Names,
    pub(super) points: Vec<At>,
    pub(super) report: Report,
    /// Whether integrals were asked for.
    pub(super) over: bool,
}

/// The answers at a moment.
pub(super) struct At {
    pub(super) time: f64,
    pub(super) now: Figures,
    pub(super) integral: Option<Figures>,
    pub(super) average: Option<Figures>,
}

/// Numbers in the order of their names.
pub(super) struct Figures {
    pub(super) throughput: Vec<f64>,
    pub(super) results: Vec<f64>,
    pub(super) population: Vec<f64>,
}

/// A kind of figures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Throughput,
    Result,
    Population,
}

impl Figures {
    pub(super) fn of(&self, kind: Kind) -> &[f64] {
        match kind {
            Kind::Throughput => &self.throughput,
            Kind::Result => &self.results,
            Kind::Population => &self.population,
        }
    }
}

impl Names {
    pub(super) fn of(&self, kind: Kind) -> &[String] {
        match kind {
            Kind::Throughput => &self.actions,
            Kind::Result => &self.results,
            Kind::Population => &self.local_states,
        }
    }
}

impl Answer {
    /// The error of all numbers: an integral may be off by the error of a figure for each unit of time.
    pub(super) fn error(&self) -> f64 {
        let longest = self.points.last().map_or(0.0, |point| point.time);
        if self.over { self.report.error * longest.max(1.0) } else { self.report.error }
    }
}

/// The figures of a distribution, times a factor.
pub(super) fn figures(
    distribution: &Probabilities<Model, f64>,
    names: &Names,
    factor: f64,
) -> Result<Figures, Error> {
    let throughput = names.actions.iter().map(|name| Ok(factor * distribution.throughput_named(name)?));
    let results = names.results.iter().map(|name| Ok(factor * distribution.result_named(name)?));
    Ok(Figures {
        throughput: throughput.collect::<Result<_, Error>>()?,
        results: results.collect::<Result<_, Error>>()?,
        population: populations(distribution, &names.local_states, factor)?,
    })
}

/// The population of each local state. One pass finds those of all components, so it is for many.
fn populations(
    distribution: &Probabilities<Model, f64>,
    names: &[String],
    factor: f64,
) -> Result<Vec<f64>, Error> {
    const FEW: usize = 2;
    if names.len() <= FEW {
        return names.iter().map(|name| Ok(factor * distribution.population_named(name)?)).collect();
    }
    let mut known: BTreeMap<String, f64> = BTreeMap::new();
    for component in distribution.utilisations() {
        let copies = component.positions.len() as f64;
        for (name, utilisation) in component.local_states {
            *known.entry(name).or_default() += copies * utilisation;
        }
    }
    Ok(names.iter().map(|name| factor * known.get(name).copied().unwrap_or(0.0)).collect())
}
