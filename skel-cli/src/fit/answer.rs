//! The answer of `skel fit`: models, and what follows from them.

use skel::fit::graph::{Graph, Times};

use super::load::Loaded;
use super::model::Model;
use super::questions::compare::{Compared, comparisons};
use super::questions::overtake::{Overtaking, overtaking};
use super::questions::place::Place;
use super::questions::predict::{Predicted, places, predictions};
use super::questions::shares::{Shared, shares};
use super::questions::subject::{Subject, subjects};
use crate::arguments::FitArguments;
use crate::errors::Problem;

/// The whole answer. Times are in seconds.
pub(super) struct Answer<'a> {
    pub(super) models: &'a [Model],
    pub(super) graph: Option<&'a Graph>,
    /// The file of the runs and how many runs were taken from it.
    pub(super) timed: Option<(&'a str, usize)>,
    /// The file of the measured runs.
    pub(super) measured: Option<&'a str>,
    /// Of intervals.
    pub(super) probability: f64,
    /// The models, and the programs of the graph.
    pub(super) subjects: Vec<Subject<'a>>,
    pub(super) predicted: Vec<Predicted>,
    /// The parts of the programs at each place.
    pub(super) programs: Vec<Parts>,
    pub(super) compared: Vec<Compared>,
    pub(super) overtaking: Option<Overtaking>,
    pub(super) items: u64,
    pub(super) shares: Vec<Shared>,
}

/// The times of the segments of a program.
pub(super) struct Parts {
    /// The place of the program among the subjects.
    pub(super) subject: usize,
    pub(super) place: Place,
    pub(super) times: Times,
}

impl<'a> Answer<'a> {
    /// Answers all questions. What has no answer is among the problems.
    pub(super) fn new(
        loaded: &'a Loaded,
        models: &'a [Model],
        arguments: &FitArguments,
    ) -> (Answer<'a>, Vec<Problem>) {
        let subjects = subjects(models, loaded.graph.as_ref());
        let probability = arguments.probability;
        let mut places = places(arguments);
        if places.is_empty() && loaded.graph.as_ref().is_some_and(|graph| has_all(graph, &arguments.set)) {
            places.push(Place(arguments.set.clone()));
        }
        let (predicted, mut problems) = match arguments.predict.is_empty() {
            true => (Vec::new(), Vec::new()),
            false => predictions(&subjects, &places, probability),
        };
        let (compared, more) = match &loaded.measured {
            Some(measured) => comparisons(&subjects, &measured.points, &arguments.set, probability),
            None => (Vec::new(), Vec::new()),
        };
        problems.extend(more);
        let overtaking =
            match arguments.crossovers.map(|range| overtaking(models, range, arguments.processes)) {
                Some(Ok(overtaking)) => Some(overtaking),
                Some(Err(mut more)) => {
                    problems.append(&mut more);
                    None
                }
                None => None,
            };
        let (shares, more) = shares(models, &places, arguments);
        problems.extend(more);
        let answer = Answer {
            models,
            graph: loaded.graph.as_ref(),
            timed: loaded.timed.as_ref().map(|timed| (timed.name.as_str(), timed.runs)),
            measured: loaded.measured.as_ref().map(|timed| timed.name.as_str()),
            probability,
            programs: programs(&subjects, &places),
            subjects,
            predicted,
            compared,
            overtaking,
            items: arguments.items.unwrap_or(0),
            shares,
        };
        (answer, problems)
    }
}

/// Whether all parameters of a graph are given without a prediction.
fn has_all(graph: &Graph, given: &[(String, f64)]) -> bool {
    graph.parameters().all(|name| given.iter().any(|(known, _)| known == name))
}

fn programs(subjects: &[Subject<'_>], places: &[Place]) -> Vec<Parts> {
    let mut all = Vec::new();
    for (number, subject) in subjects.iter().enumerate() {
        let Subject::Program(program) = subject else { continue };
        let parts = places.iter().filter_map(|place| {
            Some(Parts { subject: number, place: place.clone(), times: program.times(place).ok()? })
        });
        all.extend(parts);
    }
    all
}
