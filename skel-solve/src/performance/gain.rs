//! What one more replica would bring.

use skel_core::skeleton::{Replication, Stage, StageId};

use crate::error::Error;

/// In which kinds one more replica is tried.
///
/// The replicas of a farm are interchangeable and are lumped; those of a deal are not, since it matters whose
/// turn it is. So a larger deal often costs a thousand times what a larger farm does.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{pipe, task, Skeleton};
/// use skel_solve::{Perform, performance::Kinds};
/// let program = pipe((task(2.0), task(1.0))).communicating(10.0);
/// let gains = program.evaluator().kinds(Kinds::Both).gains()?;
/// let (as_deal, as_farm) = (gains[1].as_deal.clone(), gains[1].as_farm.clone());
/// assert!(as_deal.unwrap()? < as_farm.unwrap()?);
/// # Ok::<(), skel_solve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kinds {
    /// In the kind that the stage has: a deal becomes a larger deal, and keeps the order of the items. A farm
    /// becomes a larger farm, and a task a farm.
    #[default]
    Own,
    /// As a deal and as a farm, at each place.
    Both,
}

impl Kinds {
    /// Whether a replica of a stage is tried in a kind.
    pub(super) fn contain(self, kind: Replication, stage: &Stage) -> bool {
        let own = match stage {
            Stage::Replicated { replication, .. } => *replication,
            Stage::Task(_) | Stage::Team(_) | Stage::Pipe(_) => Replication::Farm,
        };
        self == Kinds::Both || kind == own
    }
}

/// What one more replica at one place would bring: throughputs of the whole.
#[derive(Debug)]
pub struct Gain {
    /// The place.
    pub stage: StageId,
    /// What is there.
    pub name: String,
    /// The way to the place, in words.
    pub path: String,
    /// The throughput as it is.
    pub now: f64,
    /// The throughput with one replica more, as a deal; none where that was not tried.
    pub as_deal: Option<Result<f64, Error>>,
    /// The throughput with one replica more, as a farm; none where that was not tried.
    pub as_farm: Option<Result<f64, Error>>,
}

impl Gain {
    /// The best that was tried, as a part of the throughput now: 0.25 for a quarter more. None where nothing
    /// has a figure.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn best(&self) -> Option<f64> {
        Some(self.best_throughput()?.1 / self.now - 1.0)
    }

    /// The kind of the best that was tried: a farm, if both bring the same.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn best_kind(&self) -> Option<Replication> {
        Some(self.best_throughput()?.0)
    }

    fn best_throughput(&self) -> Option<(Replication, f64)> {
        let tried = [(Replication::Farm, &self.as_farm), (Replication::Deal, &self.as_deal)];
        let known =
            tried.into_iter().filter_map(|(kind, figure)| Some((kind, *figure.as_ref()?.as_ref().ok()?)));
        known.reduce(|best, other| if other.1 > best.1 { other } else { best })
    }
}
