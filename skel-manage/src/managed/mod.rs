//! A running program that keeps a contract: what users write, and what they get.
//!
//! ```text
//! Run --contract--> Managed --over--> the run on its threads, and beside it a thread that manages:
//!                                         each tick: Control::snapshot -> Manager::observe -> Actuators for Control
//!                   ManagedReport <-- the run's report, the log, the recording
//! ```

mod actuators;
mod error;
mod keeper;
mod live;
mod program;
mod report;
mod running;

pub use error::Error;
pub use program::{IntoRules, Manage, Managed};
pub use report::ManagedReport;
pub use running::ManagedRunning;
