//! Where to run a parallel program: its stages mapped to processors, compared and searched.
//!
//! ```text
//! Application (work, data) --\
//!                             Mapping -> Rates -> Planner (one model, explored once) -> Evaluation -> Ranking
//! Platform (power, links)  --/
//! ```
//!
//! A program and the machines that it runs on are described apart from each other. A mapping says which task
//! runs on which processor. Each mapping is a PEPA model of stages that receive, compute and send, and its
//! steady state gives the throughput of the program. The models of two mappings differ in nothing but their
//! rates. So one model is built and explored, and every mapping is solved on its states.
//!
//! ```
//! use skel_plan::*;
//!
//! // Two fast processors and a slow one, with links of 10 items a second.
//! let processors = [10, 10, 1].map(|power| Processor::new(Power::per_second(power)));
//! let bandwidth = Bandwidth::bytes_per_second;
//! let platform = Platform::new(processors, &Links::everywhere(bandwidth(10)).within(bandwidth(10_000)))?;
//! let stages = [1, 1, 1].map(|work| Stage::new(Work::units(work)));
//! let planner = Planner::new(Application::pipeline(stages, Data::bytes(1))?, platform);
//!
//! let candidates = [[1, 1, 1], [1, 1, 2], [1, 2, 1], [1, 2, 3]].map(Mapping::new);
//! let ranking = planner.rank(&candidates)?;
//! assert_eq!(ranking.best().mapping, Mapping::new([1, 1, 2]));
//! assert_eq!(format!("{:.5}", ranking.best().throughput.value()), "2.59914");
//! # Ok::<(), skel_solve::Error>(())
//! ```
//!
//! Reference: A. Benoit, M. Cole, S. Gilmore and J. Hillston, *Evaluating the performance of
//! pipeline-structured parallel programs with skeletons and process algebra*, Scalable Computing: Practice
//! and Experience 6(4), 2005.

mod decide;
pub mod description;
mod evaluate;
mod platform;
mod program;
mod quantity;

pub use decide::{
    Activity, Ends, Explanation, Migration, Reassessment, Replanner, Resource, Search, SearchMethod,
    SearchResult, Sensitivity,
};
pub use description::Description;
pub use evaluate::{Evaluation, Planner, Progress, Ranked, Ranking};
pub use platform::{Link, Links, MOST_PROCESSORS, Platform, Processor, ProcessorId};
pub use program::{Application, Endpoint, Formula, MOST_STAGES, Mapping, Rates, Stage};
pub use quantity::{Availability, Bandwidth, Data, Power, Seconds, Throughput, Work};
