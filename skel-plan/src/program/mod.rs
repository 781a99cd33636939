//! The program apart from any machine, its mappings, and the rates that follow from a mapping.

mod application;
mod mapping;
mod model;
mod phases;
mod pipeline;
mod rates;
mod service;
mod skeleton;
mod task;

pub(crate) use application::Move;
pub use application::{Application, Endpoint};
pub use mapping::Mapping;
pub(crate) use model::ProgramModel;
pub(crate) use pipeline::states_of_pipeline;
pub use pipeline::{MOST_STAGES, Stage};
pub use rates::{Formula, Rates};
pub(crate) use skeleton::unmapped_teams;
pub(crate) use task::Partners;
