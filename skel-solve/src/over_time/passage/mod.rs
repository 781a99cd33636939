//! Passage times: how long it takes from one event or state to another.
//!
//! A passage begins and ends with an action, or by coming to a state. There are several ways to say which
//! runs count, and each gives another answer; the answer says which one it is.
//!
//! | question | a passage begins | weights |
//! |---|---|---|
//! | [`From::action`] | with the first of the actions after the passage before has ended; an observer, stopped or running, is part of the chain | flux of its starts in the steady state |
//! | the same with [`Passages::every`] | with each of the actions | flux of the actions, the Palm distribution |
//! | [`From::pattern`] | by coming to one of the states from outside | flux into them |
//! | the same with [`Passages::all_visits`] | by each visit to one of the states, moves among them included | visits of the chain of jumps |
//! | [`From::initial`] | at time zero, in the initial state | |
//!
//! It ends with the next [`To::action`], which a transition from a state to itself may do, or at once when
//! the run is in a state of [`To::pattern`]. An action that begins passages and ends them ends one and begins
//! the next.
//!
//! The first way is that of stochastic probes (J. T. Bradley, N. J. Dingle, S. T. Gilmore, W. J. Knottenbelt,
//! Derivation of passage-time densities in PEPA models using ipc, MASCOTS 2003; A. Argent-Katwala, J. T.
//! Bradley, N. J. Dingle, Expressing performance requirements using regular expressions to specify stochastic
//! probes over process algebra models, WOSP 2004). The PEPA plug-in for Eclipse begins in every *state* with
//! an incoming action of the first kind, by whatever action the run comes to it; its figures differ.

mod answer;
mod begin;
pub(crate) mod checks;
mod figure;
mod found;
mod observer;
mod question;
mod solver;
pub(crate) mod time_to_end;
mod way;

pub use answer::Passage;
pub use figure::{Figure, Moments, Point, Quantile};
pub use question::{ActionRef, From, To};
pub use solver::Passages;
pub use way::Way;
