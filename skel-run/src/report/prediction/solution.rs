//! A solution of the chain of a calibrated program, and how much of the variation of the times it keeps.

use skel_core::number::Number;
use skel_core::time::ServiceTime;
use skel_solve::error::Stopped;

use super::shares::Shares;

/// A solution of the chain, or what follows from those of two.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    /// Parcels per second.
    pub(super) throughput: f64,
    /// What each task does.
    pub(super) shares: Vec<Shares>,
    /// What the model assumes, a sentence each.
    pub(super) assumptions: Vec<String>,
    /// The variation that was kept.
    pub(super) grain: Grain,
    /// The limit that a chain with all variation reached.
    pub(super) coarser_because: Option<Stopped>,
    /// What it was extrapolated from.
    pub(super) extrapolation: Option<Extrapolation>,
}

/// How much of the variation of the times a chain keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Grain {
    /// Times that need more phases than this have so many.
    Phases(u32),
    /// All times are exponential.
    Exponential,
}

impl Grain {
    /// The time as it is in a chain of this grain.
    pub(super) fn of(self, time: &ServiceTime) -> ServiceTime {
        match self {
            Grain::Exponential | Grain::Phases(1) if time.scv().to_float() < 1.0 => time.as_exponential(),
            Grain::Exponential => time.as_exponential(),
            Grain::Phases(phases) if time.scv().to_float() < f64::from(phases).recip() => {
                time.as_erlang(phases)
            }
            Grain::Phases(_) => time.clone(),
        }
    }

    /// The least scv of a time in such a chain.
    pub(super) fn least_variation(self) -> f64 {
        match self {
            Grain::Exponential => 1.0,
            Grain::Phases(phases) => f64::from(phases).recip(),
        }
    }
}

/// What a prediction is extrapolated from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extrapolation {
    /// The least scv of times in the finer chain, and its throughput in parcels per second.
    pub(super) fine: (f64, f64),
    /// The same of the coarser chain.
    pub(super) coarse: (f64, f64),
}
