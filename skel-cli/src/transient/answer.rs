//! Figures at moments.

use skel::Error;
use skel::transient::{Report, Series};

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

/// The figures at one of the times, times a factor.
pub(super) fn figures(series: &Series, place: usize, names: &Names, factor: f64) -> Result<Figures, Error> {
    let of = |names: &[String], values: &dyn Fn(&str) -> Result<f64, Error>| {
        names.iter().map(|name| Ok(factor * values(name)?)).collect::<Result<Vec<f64>, Error>>()
    };
    Ok(Figures {
        throughput: of(&names.actions, &|name| Ok(series.throughput_named(name)?[place]))?,
        results: of(&names.results, &|name| Ok(series.result_named(name)?[place]))?,
        population: of(&names.local_states, &|name| Ok(series.population_named(name)?[place]))?,
    })
}
