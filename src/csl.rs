//! Properties in CSL: probabilities of what runs do, times and rewards, and whether they are within bounds.

pub use skel_core::csl::*;
pub use skel_solve::over_time::csl::*;
