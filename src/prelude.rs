//! What most programs need: `use skel::prelude::*;`.

pub use skel_core::handle::Modelled;
pub use skel_core::image::Template;
pub use skel_core::model::Model;
pub use skel_core::number::{Ratio, ratio};
pub use skel_core::rate::Rate;
pub use skel_solve::{Explore, Limits, StateSpace, SteadyState};

pub use crate::{include_pepa, pepa};
