//! Checks properties in CSL on a state space.
//!
//! | part | what it does |
//! |---|---|
//! | `chain` | the graph and the rates, and systems of equations on some of the states |
//! | `values` | sets that are known in part, numbers that are known up to an error, and their comparisons |
//! | `until`, `long_run`, `reward` | the value of one operator in every state |
//! | `forwards` | the value of one state over time |
//! | `evaluate` | formulas inside one another, with a second try where a comparison is not decided |
//! | `filter`, `sum`, `witness`, `answer` | what is said in the end |
//!
//! Every number lies for certain between two others, from which verdicts follow: a bound between them is not
//! decided. With a bound on time they come from uniformisation, else from systems of equations whose
//! solutions have a proved error, or from fractions.
//!
//! # Cost
//! A formula with a bound `t` on time takes about `q t` products with the rates, `q` the largest exit rate,
//! and others a system of equations each. Values of all states keep the graph, 8 bytes for a transition, and
//! the rates by source. The value of a single state over time keeps neither: it takes the products of the
//! steady state, and a few vectors.

mod answer;
mod chain;
mod check;
mod evaluate;
mod filter;
mod forwards;
mod long_run;
mod reward;
mod sum;
mod until;
mod values;
mod witness;

pub use answer::{Answer, Checked, Figure, OfState, Value, Verdict, Witness};
pub use check::{AsProperty, Checker, Fractions};
