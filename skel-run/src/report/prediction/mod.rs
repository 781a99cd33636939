//! The prediction of a run by its measured times.

mod assumptions;
mod chain;
mod extrapolation;
mod limiting;
mod shares;
mod solution;
mod source;

use std::fmt;

use skel_core::skeleton::StageId;
use skel_solve::error::Stopped;
use skel_solve::{Error, Limits};

use super::Report;
use super::calibration::fits::Reason;
use super::calibration::{Calibrated, NotMeasured};
use super::ending::Execution;
use assumptions::Told;
use chain::NoSolution;
use solution::Solution;

pub(super) use chain::default_limits;
pub use shares::Shares;

/// How a prediction was made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// By the steady state of the program's Markov chain.
    Chain,
    /// By the steady states of two chains whose times vary more than was measured, since the chain itself is
    /// beyond the limits.
    Extrapolated,
    /// By the paper's formula, since all times vary too little for a chain.
    Steady,
    /// By the paper's formula, since the chain is beyond this limit.
    BeyondLimit(Stopped),
    /// For `k` threads that each take an item through all tasks: the least of `k` over the sum of all times,
    /// and of the rate of each task outside of farms, which one thread serves at a time.
    Pull(usize),
}

/// What a model with the measured times predicts for a run.
///
/// Rates are in items per second, also where items travel in batches.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Prediction {
    /// How it was made.
    pub method: Method,
    /// Items per second.
    pub throughput: f64,
    /// Items per second by the paper's formula, which leaves variation out: no run with these times is
    /// faster.
    pub formula: f64,
    /// What each task does, in the order of the skeleton.
    pub tasks: Vec<Shares>,
    /// What it rests on, a sentence each.
    pub assumptions: Vec<String>,
    /// What makes it doubtful, a sentence each.
    pub warnings: Vec<String>,
}

/// Why there is no prediction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NoPrediction {
    /// Some tasks have no measured time.
    NotMeasured(NotMeasured),
    /// The model has no solution, or finding it was cancelled.
    NotSolved(Error),
}

impl From<NotMeasured> for NoPrediction {
    fn from(error: NotMeasured) -> Self {
        NoPrediction::NotMeasured(error)
    }
}

impl fmt::Display for NoPrediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoPrediction::NotMeasured(error) => write!(f, "there is no prediction: {error}"),
            NoPrediction::NotSolved(error) => write!(f, "there is no prediction: {error}"),
        }
    }
}

impl std::error::Error for NoPrediction {}

impl Prediction {
    /// What a task is predicted to do.
    ///
    /// # Panics
    /// If there is no such task.
    #[must_use]
    pub fn task_at(&self, id: StageId) -> &Shares {
        let task = self.tasks.iter().find(|task| task.id == id);
        task.expect("the node is a task of this skeleton")
    }
}

/// The prediction for a run, from a chain within these limits.
pub(super) fn predict<S>(report: &Report<S>, limits: &Limits) -> Result<Prediction, NoPrediction> {
    let measured = report.calibrated()?;
    let source = match report.ran.execution {
        // The workers of a team wait for the source together, which is not what longer services of each are.
        Execution::Threads if report.first_is_team() => None,
        Execution::Threads => source::noticeable(&report.tasks),
        // There a thread is starved of items for one task while it serves another.
        Execution::Pull(_) => None,
    };
    let calibrated = source.map_or_else(|| measured.clone(), |source| source.added_to(&measured));
    let answer = answer(&calibrated, report.ran.execution, limits)?;
    let items = report.items_in_a_parcel();
    let formula = match report.ran.execution {
        Execution::Threads => limiting::throughput(&calibrated),
        Execution::Pull(threads) => limiting::fused_throughput(&calibrated, threads),
    };
    let mut tasks = answer.shares;
    if let (Some(source), Some(first)) = (source, tasks.first_mut()) {
        *first = source.told_apart(*first);
    }
    let predicted = answer.throughput * items;
    let told = Told {
        report,
        calibrated: &measured,
        source,
        method: &answer.method,
        chain: answer.chain,
        predicted,
    };
    Ok(Prediction {
        assumptions: assumptions::assumptions(&told),
        warnings: assumptions::warnings(&told),
        throughput: predicted,
        formula: formula * items,
        tasks,
        method: answer.method,
    })
}

/// What a method answers, in parcels per second.
struct Answer {
    method: Method,
    throughput: f64,
    shares: Vec<Shares>,
    chain: Option<Solution>,
}

fn answer(calibrated: &Calibrated, execution: Execution, limits: &Limits) -> Result<Answer, NoPrediction> {
    let by_formula = |method| Answer {
        method,
        throughput: limiting::throughput(calibrated),
        shares: limiting::shares(calibrated),
        chain: None,
    };
    if let Execution::Pull(threads) = execution {
        return Ok(Answer {
            method: Method::Pull(threads),
            throughput: limiting::fused_throughput(calibrated, threads),
            shares: limiting::fused_shares(calibrated, threads),
            chain: None,
        });
    }
    if calibrated.tasks.iter().all(|task| task.fitted.reason == Reason::Steady) {
        return Ok(by_formula(Method::Steady));
    }
    match chain::solve(calibrated, limits) {
        Ok(solution) => Ok(Answer {
            method: if solution.extrapolation.is_some() { Method::Extrapolated } else { Method::Chain },
            throughput: solution.throughput,
            shares: solution.shares.clone(),
            chain: Some(solution),
        }),
        Err(NoSolution::TooLarge(stopped)) => Ok(by_formula(Method::BeyondLimit(stopped))),
        Err(NoSolution::Failed(error)) => Err(NoPrediction::NotSolved(error)),
    }
}
