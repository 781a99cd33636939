//! A skeleton with all its functions, ready to run.

use skel_core::skeleton::Program;

use crate::functions::{LastTakes, Repeatable};

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

    /// Tries an item that the last task cannot serve so many times again. If that does not help, what is said of the task besides holds:
    /// the run ends or, with [`Self::skip_failures`], the item is left out.
    #[must_use]
    pub fn retry<A: Repeatable>(mut self, times: u32) -> Self
    where
        C: LastTakes<A>,
    {
        self.functions.policy().retry(times);
        self
    }

    /// Leaves out, and counts, items that the last task cannot serve. Otherwise the first of them ends the run.
    #[must_use]
    pub fn skip_failures<A>(mut self) -> Self
    where
        C: LastTakes<A>,
    {
        self.functions.policy().skip();
        self
    }
}
