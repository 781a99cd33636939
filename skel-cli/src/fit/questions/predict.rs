//! Predictions at the places of `--predict`.

use super::place::Place;
use super::subject::Subject;
use crate::arguments::FitArguments;
use crate::errors::Problem;
use crate::fit::model::Estimate;

/// The seconds of one subject at one place.
pub(in crate::fit) struct Predicted {
    /// The place of the subject among all.
    pub(in crate::fit) subject: usize,
    pub(in crate::fit) place: Place,
    pub(in crate::fit) estimate: Estimate,
}

/// The places of all `--predict`, with the parameters of `--set`, each of them once.
pub(in crate::fit) fn places(arguments: &FitArguments) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for point in arguments.predict.iter().flat_map(|points| &points.0) {
        let mut place = Place(point.clone());
        let others = arguments.set.iter().filter(|(name, _)| place.value(name).is_none()).cloned();
        let others: Vec<(String, f64)> = others.collect();
        place.0.extend(others);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// The predictions of all subjects, and why some have none.
pub(in crate::fit) fn predictions(
    subjects: &[Subject<'_>],
    places: &[Place],
    probability: f64,
) -> (Vec<Predicted>, Vec<Problem>) {
    let (mut predicted, mut problems) = (Vec::new(), unknown_names(subjects, places));
    for (number, subject) in subjects.iter().enumerate() {
        for place in places {
            match subject.estimate(place, probability) {
                Ok(estimate) => predicted.push(Predicted { subject: number, place: place.clone(), estimate }),
                Err(why) => problems.extend(of_lines(&why)),
            }
        }
    }
    (predicted, distinct(problems))
}

/// Each problem once, though many places may have it.
pub(super) fn distinct(problems: Vec<Problem>) -> Vec<Problem> {
    problems.into_iter().fold(Vec::new(), |mut known: Vec<Problem>, problem| {
        if known.iter().all(|other| other.message != problem.message) {
            known.push(problem);
        }
        known
    })
}

/// A problem for each line.
pub(super) fn of_lines(why: &str) -> Vec<Problem> {
    let problem = |line: &str| match line.split_once("; help: ") {
        Some((message, help)) => Problem::error("no_value", message).help(help),
        None => Problem::error("no_value", line),
    };
    why.lines().map(problem).collect()
}

/// Names of values that nothing has.
fn unknown_names(subjects: &[Subject<'_>], places: &[Place]) -> Vec<Problem> {
    let mut known = vec!["n", "p"];
    for subject in subjects {
        if let Subject::Program(program) = subject {
            known.extend(program.graph.parameters());
        }
    }
    let mut problems: Vec<Problem> = Vec::new();
    for (name, _) in places.iter().flat_map(|place| &place.0) {
        let is_known = known.iter().any(|known| known.eq_ignore_ascii_case(name));
        let message = format!("no model and no graph has `{name}`");
        if !is_known && problems.iter().all(|problem| problem.message != message) {
            problems.push(
                Problem::error("unknown_name", message)
                    .help("models have n and p, and a graph has its parameters"),
            );
        }
    }
    problems
}
