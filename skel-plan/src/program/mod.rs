//! The program apart from any machine, its mappings, and the rates that follow from a mapping.

mod application;
mod mapping;
mod model;
mod pipeline;
mod rates;
mod skeleton;

pub(crate) use application::Partners;
pub use application::{Application, Endpoint};
pub use mapping::Mapping;
pub(crate) use model::ProgramModel;
pub use pipeline::{MOST_STAGES, Stage};
pub use rates::{Formula, Rates};
