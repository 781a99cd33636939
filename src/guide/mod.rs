//! The guide has fourteen chapters. All of its examples run as tests.
//!
//! 1. [`models`]: how to write a PEPA model in Rust or in a file, what the compiler checks, and which
//!    questions a model answers.
//! 2. [`skeletons`]: how to write the structure of a parallel program, what is assumed, where the bottleneck
//!    is, and how many replicas are enough.
//! 3. [`dimensioning`]: from measured milliseconds to a configuration. How many workers, where, what each
//!    assumption costs.
//! 4. [`trust`]: how good an answer is. Exact and approximate answers, deadlocks, limits, large models.
//! 5. `mappings`, with the feature `plan`: which processor should run which stage, why, and when to move a
//!    program.
//! 6. `distributing`, with the feature `distribute`: how much of the work each of several unequal machines
//!    gets, and in which pieces.
//! 7. `fitting`, with the feature `fit`: from timed runs to formulas, their predictions, and where one
//!    program overtakes another.
//! 8. `networks`, with the feature `network`: what a message costs, which machines belong together, and which
//!    algorithm an operation should take.
//! 9. `running`, with the feature `run`: from a model to a running program, which is measured and predicted
//!    again with the measured times.
//! 10. `over_time`, with the feature `over-time`: figures at moments, before the steady state, and what has
//!     happened until then.
//! 11. `passage`, with the feature `over-time`: how long it takes from one event or state to another, and
//!     which passages count.
//! 12. `response`, with the feature `over-time`: how long an item takes through a skeleton, and how many
//!     replicas keep a promise about it.
//! 13. `csl`, with the feature `over-time`: properties, how probable something is within a time, and whether
//!     it is within bounds.
//! 14. `managing`, with the feature `manage`: from a contract to a log. A manager keeps a service time while
//!     the program runs.

#[doc = include_str!("models.md")]
pub mod models {}

#[doc = include_str!("skeletons.md")]
pub mod skeletons {}

#[doc = include_str!("dimensioning.md")]
///
#[doc = include_str!("orders.svg")]
///
#[doc = include_str!("dimensioning_end.md")]
pub mod dimensioning {}

#[doc = include_str!("trust.md")]
pub mod trust {}

#[cfg(feature = "over-time")]
#[doc = include_str!("passage.md")]
pub mod passage {}

#[cfg(feature = "over-time")]
#[doc = include_str!("response.md")]
pub mod response {}

#[cfg(feature = "plan")]
#[doc = include_str!("mappings.md")]
pub mod mappings {}

#[cfg(feature = "distribute")]
#[doc = include_str!("distributing.md")]
pub mod distributing {}

#[cfg(feature = "fit")]
#[doc = include_str!("fitting.md")]
pub mod fitting {}

#[cfg(feature = "network")]
#[doc = include_str!("networks.md")]
pub mod networks {}

#[cfg(feature = "run")]
#[doc = include_str!("running.md")]
pub mod running {}

#[cfg(feature = "manage")]
#[doc = include_str!("managing.md")]
///
#[doc = include_str!("behaviours.md")]
pub mod managing {}

#[cfg(feature = "over-time")]
#[doc = include_str!("over_time.md")]
pub mod over_time {}

#[cfg(feature = "over-time")]
#[doc = include_str!("csl.md")]
pub mod csl {}
