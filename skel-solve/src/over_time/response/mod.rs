//! The response time of an item.
#![allow(dead_code)]
mod exchange;
mod explore;
mod flow;
mod labelled;
mod path;
mod start;
#[cfg(test)]
mod tests;

pub use path::{ItemPath, PathFault, PathProblem};
