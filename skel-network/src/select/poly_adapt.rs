//! Poly-adapt: which model and which algorithm, by a base of experiments.

use std::fmt;

use crate::collective::{Algorithm, Collective, CollectiveError, Predicted};
use crate::file::Experiment;
use crate::model::{Kind, Model};
use crate::quantity::{Bytes, Time};

/// What was chosen for an operation, and what it was chosen from.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The operation.
    pub collective: Collective,
    /// What the choice goes by.
    pub basis: Basis,
    /// The algorithms that were compared, each with its model; that which ends first is the first. There is
    /// at least one.
    pub cases: Vec<Case>,
    /// Algorithms that have no prediction, and why.
    pub unpredicted: Vec<(Algorithm, String)>,
    /// Algorithms of which the base has no run. They were not compared.
    pub not_covered: Vec<Algorithm>,
}

/// What a choice goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// So many runs of the operation.
    Experiments(usize),
    /// Single messages, by which the model was chosen: no run of the operation.
    Messages,
    /// A model that was given and compared with nothing.
    Given,
}

/// An algorithm with the model that predicts it best.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The algorithm, its segments and its predicted time.
    pub predicted: Predicted,
    /// The model of the prediction.
    pub model: Kind,
    /// The mean relative error of each model over the runs of this algorithm, in the order of the models;
    /// those that have no prediction are left out. It is empty if there are no runs.
    pub errors: Vec<(Kind, f64)>,
    /// How many runs there are.
    pub runs: usize,
}

/// That a base has no run of an operation with so many processes and this size.
#[derive(Clone, Debug, PartialEq)]
pub struct NotCovered {
    /// The operation that was asked for.
    pub collective: Collective,
    /// The sizes that the base has for this operation and number of processes.
    pub sizes: Vec<Bytes>,
}

impl Selection {
    /// The algorithm that ends first.
    #[must_use]
    pub fn best(&self) -> &Case {
        &self.cases[0]
    }

    /// By how much later an algorithm ends than the best one: 0.1 for 10 %.
    #[must_use]
    pub fn loss(&self, case: &Case) -> f64 {
        let (time, best) = (case.predicted.time, self.best().predicted.time);
        // Equal times may differ by rounding.
        if time <= best { 0.0 } else { time / best - 1.0 }
    }

    /// The choice where all algorithms have one model: that which ends first under it.
    ///
    /// A chain is left out under Hockney's model. That knows no cost of a single message, so the best
    /// segments would be single bytes, and nothing that was timed supports this.
    ///
    /// # Errors
    /// No algorithm has a prediction.
    pub fn under(collective: &Collective, model: &Model, basis: Basis) -> Result<Selection, CollectiveError> {
        let ranking = collective.fastest(model)?;
        let mut unpredicted: Vec<(Algorithm, String)> =
            ranking.unpredicted.iter().map(|error| (error.algorithm, error.problem.to_string())).collect();
        let (mut cases, has_others) = (Vec::new(), ranking.predictions.len() > 1);
        for predicted in ranking.predictions {
            if predicted.algorithm == Algorithm::Chain && model.kind() == Kind::Hockney && has_others {
                let why = "Hockney's model has no cost of a single message, so that nothing says how large segments should be";
                unpredicted.push((Algorithm::Chain, why.into()));
            } else {
                cases.push(Case { predicted, model: model.kind(), errors: Vec::new(), runs: 0 });
            }
        }
        cases.sort_by_key(|case| case.predicted.algorithm);
        let cases = fastest_first(cases);
        Ok(Selection { collective: *collective, basis, cases, unpredicted, not_covered: Vec::new() })
    }
}

impl Case {
    /// The error of the model that was chosen.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        self.errors.iter().find(|(kind, _)| *kind == self.model).map(|(_, error)| *error)
    }

    /// By how much the error of the next best model is larger.
    #[must_use]
    pub fn margin(&self) -> Option<f64> {
        let others = self.errors.iter().filter(|(kind, _)| *kind != self.model).map(|(_, error)| *error);
        Some(others.reduce(f64::min)? - self.error()?)
    }
}

/// Chooses a model and an algorithm by timed runs of the operation, in two steps:
///
/// 1. *Poly-adapt-1*: each algorithm (with each size of segment that was run) is predicted by the model with
///    the least mean of `|predicted - measured| / measured` over its runs. Ties go to the earlier of Hockney,
///    LogP, LogGP, LoGPC and pLogP.
/// 2. *Poly-adapt-2*: the algorithm is chosen that ends first, each under its own model. Ties go to the first
///    in the order of [`Algorithm`], and to the larger segment.
///
/// Only runs of this operation with as many processes and this size count. Algorithms without such a run are
/// named, not guessed.
///
/// Reference: W. Nasri, L. A. Steffenel and D. Trystram, *Adaptive performance modeling on hierarchical grid
/// computing environments*, CCGrid 2007, section 4.2 and 4.3.
///
/// # Errors
/// There is no such run, or no model predicts any of them.
///
/// # Examples
/// ```
/// use skel_network::collective::{Algorithm, Collective, Operation};
/// use skel_network::file::Experiment;
/// use skel_network::select::poly_adapt;
/// use skel_network::{Bytes, Hockney, Kind, LogGp, Time};
/// let us = Time::microseconds;
/// let models = [Hockney::new(us(60.0), 105.0)?.into(), LogGp::new(us(38.0), us(5.0), us(14.0), us(0.0089))?.into()];
/// let run = |algorithm, microseconds| Experiment {
///     operation: Operation::Broadcast, algorithm, processes: 20, size: Bytes::new(8192), segment: None,
///     time: us(microseconds), at: None,
/// };
/// let base = [run(Algorithm::Flat, 1697.0), run(Algorithm::Flat, 1750.0), run(Algorithm::Binomial, 575.0)];
/// let broadcast = Collective::new(Operation::Broadcast, 20, Bytes::new(8192))?;
/// let selection = poly_adapt(&broadcast, &models, &base)?;
/// assert_eq!(selection.best().predicted.algorithm, Algorithm::Binomial);
/// assert_eq!(selection.best().model, Kind::LogGp);
/// assert_eq!(selection.not_covered, [Algorithm::Chain, Algorithm::Binary]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn poly_adapt<'e>(
    collective: &Collective,
    models: &[Model],
    base: impl IntoIterator<Item = &'e Experiment>,
) -> Result<Selection, NotCovered> {
    let mut sizes: Vec<Bytes> = Vec::new();
    let mut runs: Vec<&Experiment> = Vec::new();
    for run in base {
        if run.operation == collective.operation() && run.processes == collective.processes() {
            sizes.push(run.size);
            runs.extend((run.size == collective.size()).then_some(run));
        }
    }
    let mut models: Vec<&Model> = models.iter().collect();
    models.sort_by_key(|model| model.kind());
    // The larger segment first, so that ties go to it.
    let case = |run: &Experiment| (run.algorithm, std::cmp::Reverse(run.segment));
    runs.sort_by_key(|run| case(run));
    let (mut cases, mut unpredicted) = (Vec::new(), Vec::new());
    for runs in runs.chunk_by(|one, next| case(one) == case(next)) {
        match self::case(collective, &models, runs) {
            Ok(case) => cases.push(case),
            Err(why) => unpredicted.push((runs[0].algorithm, why)),
        }
    }
    if cases.is_empty() {
        sizes.sort_unstable();
        sizes.dedup();
        return Err(NotCovered { collective: *collective, sizes });
    }
    let has_run = |algorithm: &Algorithm| runs.iter().any(|run| run.algorithm == *algorithm);
    let not_covered = collective.algorithms().filter(|algorithm| !has_run(algorithm)).collect();
    Ok(Selection {
        collective: *collective,
        basis: Basis::Experiments(runs.len()),
        cases: fastest_first(cases),
        unpredicted,
        not_covered,
    })
}

/// Cases in the order of their times. Times that differ by rounding alone are equal, and stay in the order in
/// which they are given.
fn fastest_first(mut left: Vec<Case>) -> Vec<Case> {
    const ROUNDING: f64 = 1e-12;
    let mut sorted = Vec::with_capacity(left.len());
    while let Some(least) = left.iter().map(|case| case.predicted.time).reduce(Time::min) {
        let is_least = |case: &Case| case.predicted.time <= least * (1.0 + ROUNDING);
        let first = left.iter().position(is_least).unwrap_or_default();
        sorted.push(left.remove(first));
    }
    sorted
}

/// One algorithm, with the model that is nearest to its runs.
fn case(collective: &Collective, models: &[&Model], runs: &[&Experiment]) -> Result<Case, String> {
    let Experiment { algorithm, segment, .. } = *runs[0];
    let mut why = String::from("there is no model");
    let mut predictions: Vec<(Kind, Predicted)> = Vec::new();
    for model in models {
        let predicted = match segment {
            Some(segment) => collective.time_with_segment(algorithm, *model, segment),
            None => collective.time(algorithm, *model),
        };
        match predicted {
            Ok(predicted) => predictions.push((model.kind(), predicted)),
            Err(error) => why = error.problem.to_string(),
        }
    }
    let errors: Vec<(Kind, f64)> =
        predictions.iter().map(|(kind, predicted)| (*kind, mean_error(predicted.time, runs))).collect();
    let best = errors.iter().copied().reduce(|best, next| if next.1 < best.1 { next } else { best });
    let (model, _) = best.ok_or(why)?;
    let predicted = predictions.into_iter().find(|(kind, _)| *kind == model).map(|(_, predicted)| predicted);
    let predicted = predicted.expect("each error is that of a prediction");
    Ok(Case { predicted, model, errors, runs: runs.len() })
}

fn mean_error(predicted: Time, runs: &[&Experiment]) -> f64 {
    let errors = runs.iter().map(|run| ((predicted - run.time) / run.time).abs());
    errors.sum::<f64>() / runs.len() as f64
}

impl fmt::Display for NotCovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 8;
        let (operation, size) = (self.collective.operation(), self.collective.size());
        let processes = self.collective.processes();
        write!(f, "the experiments have no {operation} of {} bytes over {processes} processes", size.get())?;
        if self.sizes.contains(&size) {
            return write!(f, " that a model predicts");
        }
        let shown: Vec<String> = self.sizes.iter().take(MOST).map(|size| size.get().to_string()).collect();
        match (shown.is_empty(), self.sizes.len().saturating_sub(MOST)) {
            (true, _) => Ok(()),
            (false, 0) => write!(f, "; they have {} bytes", shown.join(", ")),
            (false, more) => write!(f, "; they have {} bytes and {more} more sizes", shown.join(", ")),
        }
    }
}

impl std::error::Error for NotCovered {}
