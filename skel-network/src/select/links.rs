//! What is known of some links: the models that are given or fitted, and which of them is nearest to timed
//! messages.

use std::collections::BTreeSet;
use std::fmt;

use crate::fit::{Fit, FitError};
use crate::measurement::{Measured, Measurement};
use crate::model::{CommunicationModel, Kind, Model, OutsideTable};
use crate::quantity::{Bytes, Time};

/// A model that some links may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The model.
    pub model: Model,
    /// The fit that it comes from. Without one, it was given.
    pub fit: Option<Fit<Model>>,
}

/// The links inside of a cluster, or those between two clusters: the models that they may have.
///
/// # Which model is chosen for a size
/// A fitted model is asked for times that it has not seen: at each measured size between the smallest and the
/// largest, all runs of this size are left out, the model is fitted again, and its error is the mean of
/// `|predicted - measured| / measured` over the runs of that size: single messages, gaps and bursts, of which
/// an operation is made. (If what is left does not suffice to fit it, it is asked all the same.) A given
/// model is asked as it is. For a message of some size the errors at the next measured sizes below and above
/// count, and the model with the least mean of these is chosen; ties go to the earlier of Hockney, LogP,
/// LogGP, LoGPC and pLogP, the order of how much has to be measured. A model with a table is not chosen for a
/// size that its table does not cover.
///
/// Where fewer than three sizes were measured, all sizes count and nothing is left out. Without timed
/// messages, the first model is chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Links {
    latency: Option<Time>,
    candidates: Vec<Candidate>,
    unfitted: Vec<(Kind, FitError)>,
    checks: Vec<Check>,
    remarks: Vec<String>,
}

/// The errors of the models at one measured size.
#[derive(Clone, Debug, PartialEq)]
struct Check {
    size: Bytes,
    errors: Vec<(Kind, f64)>,
}

/// The model that was chosen for a size of message.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen<'l> {
    /// The model.
    pub candidate: &'l Candidate,
    /// The mean relative error of each model, in the order of the models. It is empty if no message was
    /// timed.
    pub errors: Vec<(Kind, f64)>,
}

/// Why there is no model for a message.
#[derive(Clone, Debug, PartialEq)]
pub enum NoModel {
    /// No model is given, and none could be fitted; with the reasons for the models that were tried.
    NothingKnown(Vec<(Kind, FitError)>),
    /// The size is outside of the tables of all models.
    Outside(OutsideTable),
}

impl Links {
    /// Links of some latency, with models that are given for them and messages that were timed on them. A
    /// given model takes the place of a fitted one of its kind.
    #[must_use]
    pub fn new(latency: Option<Time>, given: Vec<Model>, measurements: &[Measurement]) -> Links {
        let mut candidates: Vec<Candidate> =
            given.into_iter().map(|model| Candidate { model, fit: None }).collect();
        let mut unfitted = Vec::new();
        if !measurements.is_empty() {
            for (kind, fit) in Model::fit_all(measurements) {
                match fit {
                    _ if candidates.iter().any(|known| known.model.kind() == kind) => {}
                    Ok(fit) => candidates.push(Candidate { model: fit.model.clone(), fit: Some(fit) }),
                    Err(error) => unfitted.push((kind, error)),
                }
            }
        }
        candidates.sort_by_key(|candidate| candidate.model.kind());
        let checks = checks(&candidates, measurements);
        Links { latency, candidates, unfitted, checks, remarks: Vec::new() }
    }

    /// The same with something that the reader should know.
    pub(super) fn with_remarks(self, remarks: Vec<String>) -> Links {
        Links { remarks, ..self }
    }

    /// The mean latency of the links, if it is known.
    #[must_use]
    pub fn latency(&self) -> Option<Time> {
        self.latency
    }

    /// The models that the links may have, in the order of [`Kind`].
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The models that could not be fitted to the timed messages, and why.
    #[must_use]
    pub fn unfitted(&self) -> &[(Kind, FitError)] {
        &self.unfitted
    }

    /// What else the reader should know: what was given twice, say.
    #[must_use]
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The model for messages of a size; see [`Links`] for how it is chosen.
    ///
    /// # Errors
    /// There is no model, or none that covers the size.
    pub fn model(&self, size: Bytes) -> Result<Chosen<'_>, NoModel> {
        let covering = self.candidates.iter().map(|candidate| (candidate, candidate.model.time(size)));
        let mut outside = None;
        let mut eligible = Vec::new();
        for (candidate, time) in covering {
            match time {
                Ok(_) => eligible.push(candidate),
                Err(error) => outside = Some(error),
            }
        }
        let Some(&first) = eligible.first() else {
            return Err(match outside {
                Some(outside) => NoModel::Outside(outside),
                None => NoModel::NothingKnown(self.unfitted.clone()),
            });
        };
        let errors: Vec<(Kind, f64)> = eligible
            .iter()
            .filter_map(|candidate| Some((candidate.model.kind(), self.error(candidate.model.kind(), size)?)))
            .collect();
        // Of equal errors the first is the least.
        let best = errors.iter().copied().reduce(|best, next| if next.1 < best.1 { next } else { best });
        let chosen = best.and_then(|(kind, _)| eligible.iter().find(|one| one.model.kind() == kind));
        Ok(Chosen { candidate: chosen.unwrap_or(&first), errors })
    }

    /// The mean error of a model at the measured sizes next to this one.
    fn error(&self, kind: Kind, size: Bytes) -> Option<f64> {
        let next = self.checks.partition_point(|check| check.size < size);
        let above = self.checks.get(next);
        let is_exact = above.is_some_and(|check| check.size == size);
        let below = next.checked_sub(1).filter(|_| !is_exact).map(|before| &self.checks[before]);
        let errors = [below, above].into_iter().flatten();
        let errors: Vec<f64> = errors
            .filter_map(|check| check.errors.iter().find(|(of, _)| *of == kind).map(|(_, error)| *error))
            .collect();
        mean(&errors)
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The errors of all models at the sizes that are compared.
fn checks(candidates: &[Candidate], measurements: &[Measurement]) -> Vec<Check> {
    let sizes: BTreeSet<Bytes> =
        measurements.iter().filter(|one| is_compared(one)).map(|one| one.size).collect();
    let sizes: Vec<Bytes> = sizes.into_iter().collect();
    match sizes.as_slice() {
        [_, inner @ .., _] if !inner.is_empty() => inner
            .iter()
            .map(|&size| {
                let others: Vec<Measurement> =
                    measurements.iter().filter(|one| one.size != size).cloned().collect();
                let again = Model::fit_all(&others);
                let asked = |candidate: &Candidate| {
                    let kind = candidate.model.kind();
                    let fits = again.iter().find(|(of, _)| *of == kind && candidate.fit.is_some());
                    match fits {
                        Some((_, Ok(fit))) => fit.model.clone(),
                        _ => candidate.model.clone(),
                    }
                };
                check(size, candidates.iter().map(asked), measurements)
            })
            .collect(),
        few => few
            .iter()
            .map(|&size| check(size, candidates.iter().map(|one| one.model.clone()), measurements))
            .collect(),
    }
}

/// The errors of some models at one size.
fn check(size: Bytes, models: impl Iterator<Item = Model>, measurements: &[Measurement]) -> Check {
    let runs: Vec<&Measurement> =
        measurements.iter().filter(|one| one.size == size && is_compared(one)).collect();
    let error = |model: &Model| {
        let errors: Result<Vec<f64>, OutsideTable> =
            runs.iter().map(|run| Ok(((predicted(model, run)? - run.time) / run.time).abs())).collect();
        mean(&errors.ok()?)
    };
    Check { size, errors: models.filter_map(|model| Some((model.kind(), error(&model)?))).collect() }
}

/// Whether every model says how long such a run takes. Hockney's model knows no overheads.
fn is_compared(run: &Measurement) -> bool {
    !matches!(run.measured, Measured::SendOverhead | Measured::ReceiveOverhead)
}

/// How long a run takes by a model.
fn predicted(model: &Model, run: &Measurement) -> Result<Time, OutsideTable> {
    match run.measured {
        Measured::HalfRoundTrip => model.time(run.size),
        Measured::EmptyReply => Ok(model.time(run.size)? + model.time(Bytes::new(0))?),
        Measured::SendOverhead => model.sender_busy(run.size),
        Measured::ReceiveOverhead => model.receiver_busy(run.size),
        Measured::Burst { messages } => model.train(run.size, messages),
        Measured::Gap => model.gap(run.size),
    }
}

impl fmt::Display for NoModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoModel::NothingKnown(tried) if tried.is_empty() => {
                write!(f, "no model is given for these links, and no message was timed on them")
            }
            NoModel::NothingKnown(tried) => {
                write!(f, "no model is given for these links, and none fits the timed messages")?;
                tried.iter().try_for_each(|(_, error)| write!(f, "\n  {error}"))
            }
            NoModel::Outside(outside) => outside.fmt(f),
        }
    }
}

impl std::error::Error for NoModel {}
