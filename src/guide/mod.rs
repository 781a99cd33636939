//! The guide: four chapters, every example of which runs as a test.
//!
//! 1. [`models`]: from a process to a figure. PEPA in Rust and in files, what the compiler checks, what one may ask.
//! 2. [`skeletons`]: from a drawing to an answer. Pipes, farms and deals, where the bottleneck is, what helps.
//! 3. [`trust`]: how good an answer is. Exact and fast, limits, deadlocks, large models.
//! 4. `mappings`, by the feature `plan`: from a program and machines to a decision. Which processor for which stage, why, and
//!    when to move.

#[doc = include_str!("models.md")]
pub mod models {}

#[doc = include_str!("skeletons.md")]
pub mod skeletons {}

#[doc = include_str!("trust.md")]
pub mod trust {}

#[cfg(feature = "plan")]
#[doc = include_str!("mappings.md")]
pub mod mappings {}
