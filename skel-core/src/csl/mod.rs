//! Properties in CSL, the continuous stochastic logic, in the syntax of PRISM.
//!
//! ```text
//! text -> parse -> tree: names as written -> check against a model -> formula: ids
//! ```
//!
//! `P=? [ F<=10 "full" ]` asks for the probability that the queue is full at some time up to 10, and
//! `S>=0.9 [ Busy >= 2 ]` whether at least two are busy for 90 % of the time in the long run. The chapter on
//! properties of the guide explains all operators; the module [`parse`](mod@parse) has the grammar. The logic
//! is that of Baier, Haverkort, Hermanns and Katoen (2003), with rewards.

mod check;
pub mod formula;
mod names;
pub mod parse;
mod predicate;
mod print;
#[cfg(test)]
mod tests;
pub mod tree;
mod typed;

pub use check::{resolve, resolve_all};
pub use formula::Query;
pub use names::{NameKind, is_ambiguous, is_known, names};
pub use parse::{Parsed, parse};
pub use predicate::Predicate;
pub use tree::Property;
pub use typed::{PropertyOf, of_literal};
