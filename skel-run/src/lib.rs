//! Skeletons as running programs.

mod control;
mod engine;
mod error;
mod execution;
pub mod functions;
pub mod monitor;
mod network;
mod parcel;
mod progress;
mod queue;
pub mod report;
mod results;
mod run;
mod runnable;
mod running;
mod settings;
mod source;
mod sync;
mod tuning;
mod unfinished;

pub use control::Control;
#[doc(hidden)]
pub use engine::Traits;
pub use engine::{Chain, Refused};
pub use error::Error;
pub use report::{Failure, Report};
pub use results::Results;
pub use run::Run;
pub use runnable::{Execute, Runnable, of_skeleton};
pub use running::Running;
#[doc(hidden)]
pub use unfinished::{Functions, Unfinished};

pub use settings::Engine;
pub use source::{FromChannel, Items, Iterated, Source, from_channel};
#[cfg(feature = "stream")]
pub use source::{FromStream, from_stream};
