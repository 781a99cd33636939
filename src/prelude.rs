//! What most programs need: `use skel::prelude::*;`.

pub use skel_core::model::Model;
pub use skel_core::model::handle::Modelled;
pub use skel_core::model::image::Template;
pub use skel_core::number::{Ratio, ratio};
pub use skel_core::rate::Rate;
pub use skel_core::skeleton::{
    Communication, Deal, Farm, FaultTolerant, Map, MapWithState, Pipe, Processors, Program, Skeleton,
    StageOf, Structured, Task, Timing, deterministic, erlang, exponential, fitted, hyperexponential,
    lognormal, measured, phases, uniform, weibull,
};
pub use skel_core::time::{MeanTime, TimeUnits, every, mean};
#[cfg(feature = "manage")]
pub use skel_manage::{Contract, Manage};
#[cfg(feature = "run")]
pub use skel_run::Execute;
#[cfg(feature = "run")]
#[doc(hidden)]
pub use skel_run::Unfinished as _;
pub use skel_solve::{Dimensioned, Explore, Limits, Perform, StateSpace, SteadyState, Sweep, Target};

#[cfg(feature = "over-time")]
pub use crate::csl;
pub use crate::{deal, farm, fault_tolerant, include_pepa, map, map_with_state, pepa, pipe, task};
