//! What a PEPA model *is*: syntax, static checks, exact rates and the reference semantics.
//!
//! ```text
//! text   -> syntax::lex  -\
//!                          syntax::parse -> ast -> check -> Model -> semantics: successors of a state
//! macros -> Rust tokens  -/
//! ```
//!
//! Each phase takes a whole value and returns a whole value and *all* diagnostics. There are no numerics here
//! beyond rates: the macros build this crate too, at every user's compile time. Use the facade crate `skel`.
//!
//! Where `#[cfg_attr(debug_assertions, inline)]` stands on cold functions, they are what solving a plain model does without: printing one, and skeletons. It
//! has them compiled where they are called, and not in everyone's first build.

pub mod brief;
pub mod check;
pub mod diagnostic;
mod display;
mod equation;
pub mod explore;
pub mod graph;
pub mod handle;
mod id;
pub mod image;
pub mod model;
pub mod number;
mod parameter;
mod pattern;
pub mod rate;
pub mod semantics;
pub mod size;
pub mod skeleton;
pub mod syntax;
#[cfg(test)]
mod testing;
pub mod text;
pub mod time;
