//! The predicted times of the algorithms of an operation.

use super::error::CollectiveError;
use super::operation::Algorithm;
use crate::quantity::{Bytes, Time};

/// The predicted time of an operation by an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predicted {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// From the start until the last process has everything.
    pub time: Time,
    /// The size of the segments of a chain. Other algorithms send whole messages.
    pub segment: Option<Bytes>,
}

/// The predicted times of all algorithms of an operation. See
/// [`Collective::fastest`](super::Collective::fastest).
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The algorithms whose time is known, the fastest first. There is at least one.
    pub predictions: Vec<Predicted>,
    /// Why the others have no prediction, in the order of [`Algorithm`].
    pub unpredicted: Vec<CollectiveError>,
}

impl Ranking {
    /// The algorithm that ends first.
    #[must_use]
    pub fn best(&self) -> &Predicted {
        &self.predictions[0]
    }

    /// Predictions in the order of the algorithms; an error if there is none.
    pub(super) fn of(
        predictions: impl Iterator<Item = Result<Predicted, CollectiveError>>,
    ) -> Result<Ranking, CollectiveError> {
        let mut ranking = Ranking { predictions: Vec::new(), unpredicted: Vec::new() };
        for prediction in predictions {
            match prediction {
                Ok(predicted) => ranking.predictions.push(predicted),
                Err(error) => ranking.unpredicted.push(error),
            }
        }
        if ranking.predictions.is_empty() {
            return Err(ranking.unpredicted.swap_remove(0));
        }
        // The sort is stable, so ties stay in the order of the algorithms.
        ranking.predictions.sort_by(|a, b| a.time.total_cmp(&b.time));
        Ok(ranking)
    }
}
