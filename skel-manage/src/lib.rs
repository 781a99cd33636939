//! Running skeletons that keep a promised service time.
//!
//! A *behavioural skeleton* is a skeleton with a [`Contract`], which is the service time that it should have,
//! and a manager that keeps the contract while the program runs: it measures, asks the model what other
//! numbers of workers would do, makes the least change that keeps the contract, and says why.
//!
//! ```text
//! snapshots of a run -> Measures (a window) -> Model (the program with measured times) -> Prediction, Plan
//!                            |                                                              |
//!                            +---> Rules: when .. then .. ----------------------------------+--> Action -> Actuators
//!                                                                                           +--> Decision -> log
//! ```
//!
//! Source: M. Danelutto and others, *Methodology to derive performance models for component and composite
//! components*, GridCOMP deliverable D.NFCF.03, 2008.

mod action;
pub mod behaviour;
#[cfg(feature = "chart")]
mod chart;
mod contract;
mod decision;
mod export;
mod managed;
mod manager;
mod measure;
mod model;
pub mod placement;
mod quantity;
mod recorded;
mod recording;
mod replay;
pub mod rule;
pub mod simulate;
mod stages;

pub use action::{Action, Actuators, Refusal};
#[cfg(feature = "chart")]
pub use chart::{Chart, NothingToDraw};
pub use contract::{Contract, ContractErrors, Part, Split};
pub use decision::{Decision, Event, Log, Outcome};
#[cfg(feature = "json")]
pub use export::{LogError, LogErrors};
pub use managed::{Error, IntoRules, Manage, Managed, ManagedReport, ManagedRunning};
pub use manager::{Manager, Settings};
pub use measure::{Measures, NoMeasures, StageMeasures, StateMeasures};
pub use model::{Consult, Goal, Method, Model, Obstacle, Plan, Prediction};
pub use quantity::{ServiceTime, Throughput};
pub use recorded::Recorded;
#[cfg(feature = "json")]
pub use recording::RecordingErrors;
pub use recording::{OtherTasks, Recording};
pub use replay::{NotReplayed, Replay};
