//! What a message costs: measured, modelled, and used.
//!
//! ```text
//! timed messages -> fit -> CommunicationModel --\
//!                                                collective: time of an operation by an algorithm -> selection
//! latencies -> partition -> clusters -----------/                                                       |
//!                                                schedule between clusters  <---------------------------/
//! ```
//!
//! Times are [`Time`]s, in microseconds as in the literature, and sizes are [`Bytes`].
//!
//! Reference: W. Nasri, L. A. Steffenel and D. Trystram, *Adaptive performance modeling on hierarchical grid
//! computing environments*, CCGrid 2007.

pub mod collective;
pub mod contention;
pub mod file;
pub mod fit;
pub mod measure;
mod measurement;
pub mod model;
pub mod partition;
mod quantity;
pub mod schedule;
pub mod select;
pub mod simulate;
mod units;

pub use contention::{LoPc, SharedLink};
pub use file::Network;
pub use fit::{Fit, FitError, Weights};
pub use measurement::{Measured, Measurement};
pub use model::{
    CommunicationModel, GapTable, Hockney, Kind, KnowledgeTable, LoGpc, LogGp, LogP, Model, OutsideTable,
    PLogP, Properties,
};
pub use quantity::{Bytes, Time};
pub use units::BadQuantity;
