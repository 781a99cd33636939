//! What a PEPA model *is*: syntax, static checks, exact rates and the reference semantics.
//!
//! ```text
//! text   -> syntax::lex  -\
//!                          syntax::parse -> ast -> check -> Model -> semantics: successors of a state
//! macros -> Rust tokens  -/
//! ```
//!
//! Each phase takes a whole value and returns a whole value and *all* diagnostics. Rates are the only numbers
//! here, since the macros depend on this crate, so that every user compiles it. Users depend on the facade
//! crate `skel`.
//!
//! Functions that print models or lower skeletons have the attribute `#[cfg_attr(debug_assertions, inline)]`,
//! although they are long. A debug build then makes code of them only in crates that call them, and a first
//! build that needs neither is shorter. A release build compiles them once.

pub mod check;
#[cfg(feature = "csl")]
pub mod csl;
pub mod diagnostic;
pub mod graph;
mod id;
pub mod model;
pub mod number;
pub mod rate;
pub mod semantics;
pub mod size;
pub mod skeleton;
pub mod syntax;
mod table;
#[cfg(test)]
mod testing;
pub mod text;
pub mod time;
