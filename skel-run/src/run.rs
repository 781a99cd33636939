//! A skeleton with all its functions, ready to run.

use skel_core::skeleton::Program;

/// A program with a function for each of its tasks.
#[derive(Debug)]
pub struct Run<S, C> {
    program: Program<S>,
    functions: C,
}

impl<S, C> Run<S, C> {
    /// A program with its functions. Generated code calls it.
    #[doc(hidden)]
    pub fn from_generated_code(program: Program<S>, functions: C) -> Self {
        Run { program, functions }
    }
}
