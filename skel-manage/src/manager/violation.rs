//! Contracts that cannot be kept: each obstacle is reported once.

use super::facts::Look;
use crate::model::Obstacle;

/// By which part an obstacle has to change, and by how many standard errors, before it is another one.
const CHANGED: (f64, f64) = (0.1, 3.0);

/// What was reported.
#[derive(Clone, Debug)]
pub(super) struct Reported {
    obstacle: Obstacle,
    /// How long what stands in the way takes, in seconds, and the standard error of that, relative to it.
    time: f64,
    error: f64,
}

impl Reported {
    pub(super) fn of(obstacle: &Obstacle, look: &Look<'_>) -> Self {
        let (time, error) = seen(obstacle, look);
        Reported { obstacle: obstacle.clone(), time, error }
    }

    /// Whether it stands in the way as it did, as far as can be told.
    pub(super) fn stands(&self, look: &Look<'_>) -> bool {
        let (change, noise) = self.change_to(&self.obstacle, look);
        change.abs() <= noise
    }

    /// By what part another obstacle, or this one, takes longer now than what was reported, and what may be
    /// chance.
    fn change_to(&self, obstacle: &Obstacle, look: &Look<'_>) -> (f64, f64) {
        let (time, error) = seen(obstacle, look);
        ((time / self.time).ln(), CHANGED.0.max(CHANGED.1 * self.error.hypot(error)))
    }

    /// Whether nothing new would be said by reporting this one: it is the same, or no worse. Where a source
    /// and a task are about as slow, noise decides which of them seems to be slower.
    pub(super) fn covers(&self, obstacle: &Obstacle, look: &Look<'_>) -> bool {
        let (change, noise) = self.change_to(obstacle, look);
        self.is_same(obstacle) || change <= noise
    }

    fn is_same(&self, obstacle: &Obstacle) -> bool {
        match (&self.obstacle, obstacle) {
            (Obstacle::Task { name, .. }, Obstacle::Task { name: other, .. }) => name == other,
            (Obstacle::Neighbours { names, .. }, Obstacle::Neighbours { names: others, .. }) => {
                names == others
            }
            (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
        }
    }
}

/// How long what stands in the way takes now, and the relative standard error.
fn seen(obstacle: &Obstacle, look: &Look<'_>) -> (f64, f64) {
    let measures = &look.measures;
    let whole = (measures.service_time.seconds(), measures.error);
    let of = |time: Option<crate::quantity::ServiceTime>| {
        time.map_or(whole, |time| (time.seconds(), measures.error))
    };
    match obstacle {
        Obstacle::Task { name, .. } => match measures.stages.iter().find(|stage| stage.name == *name) {
            Some(stage) => (stage.time, (stage.scv.unwrap_or(1.0) / stage.services.max(1) as f64).sqrt()),
            None => whole,
        },
        Obstacle::Arrival(_) => of(measures.arrival_time),
        Obstacle::Output(_) => of(measures.output_time),
        Obstacle::Neighbours { .. } | Obstacle::TooMany { .. } => whole,
    }
}
