//! The program, apart from any machine, and its mappings.

mod application;
mod mapping;
mod offers;
mod pipeline;
mod rates;
mod skeleton;

pub use application::{Application, Endpoint};
pub(crate) use application::{Move, Partners};
pub use mapping::Mapping;
pub(crate) use offers::{rate_of_move, rate_of_task};
pub use pipeline::{MOST_STAGES, Stage};
pub use rates::{Formula, Rates};
