//! The services of an item alone, without any waiting: a lower bound on quantiles of its response time.

use skel_core::skeleton::{Stage, Tree};
use skel_core::time::PhaseType;

/// A lower bound on the time within which a part of the items is through, whatever the numbers of replicas
/// are.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn least_quantile(tree: &Tree, part: f64) -> f64 {
    let of_stage = |stage: &Stage| match stage {
        Stage::Task(task) => task.time.phase_type().ok(),
        // All replies are waited for, and so is the first worker's. Where the majority decide early, the
        // quickest may take as little as they like.
        Stage::Team(team) if team.replies() == team.workers => team.worker.time.phase_type().ok(),
        Stage::Team(_) | Stage::Pipe(_) | Stage::Replicated { .. } => None,
    };
    let services: Vec<PhaseType> = tree.leaves().filter_map(|leaf| of_stage(tree.stage(leaf))).collect();
    quantile(&services, part)
}

#[cfg(feature = "over-time")]
#[cfg_attr(debug_assertions, inline)]
fn quantile(services: &[PhaseType], part: f64) -> f64 {
    let time = crate::over_time::response::quantile_of_services(services, part);
    // Where there is no figure, nothing is ruled out.
    time.map_or(0.0, |time| (time.value - time.error).max(0.0))
}

/// Without answers over time nobody can ask for it.
#[cfg(not(feature = "over-time"))]
fn quantile(_: &[PhaseType], _: f64) -> f64 {
    0.0
}
