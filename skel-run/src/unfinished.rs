//! A program some of whose tasks have functions: what the types are made of that
//! `pipe! { skeleton Name { .. } }` makes.

use std::marker::PhantomData;

use skel_core::skeleton::Program;

use crate::functions::{AnyItem, Complete, LastIsMap, LastTakes, Made, Repeatable, Signature, Start, Then};
use crate::run::Run;

/// A program of which some tasks have their functions, `C`. The next task is `N`, and is given an `X`.
#[derive(Debug)]
pub struct Functions<S, C, N, X> {
    program: Program<S>,
    functions: C,
    next: PhantomData<fn() -> (N, X)>,
}

impl<S, N> Functions<S, Start, N, AnyItem> {
    /// No task has a function yet.
    pub fn none(program: Program<S>) -> Self {
        Functions { program, functions: Start, next: PhantomData }
    }
}

impl<S, C, N, X> Functions<S, C, N, X> {
    /// The function of the next task, behind which there is another.
    pub fn then<L: Signature, M>(self, leaf: L) -> Functions<S, Then<C, L>, M, Made<L::Out>> {
        Functions { program: self.program, functions: Then::behind(self.functions, leaf), next: PhantomData }
    }

    /// The function of the last task.
    pub fn last<L: Signature>(self, leaf: L) -> Run<S, Then<C, L>> {
        Run::from_generated_code(self.program, Then::behind(self.functions, leaf))
    }

    /// Tries an item that the last of these tasks cannot serve so many times again.
    pub fn retry<A: Repeatable>(mut self, times: u32) -> Self
    where
        C: LastTakes<A>,
    {
        self.functions.policy().retry(times);
        self
    }

    /// Makes one result of those of the workers of the last of these tasks, which is a map.
    pub fn reduce<B, G, D>(self, function: G) -> Functions<S, D, N, Made<B>>
    where
        C: LastIsMap<B, G, D>,
    {
        Functions { program: self.program, functions: self.functions.reduce(function), next: PhantomData }
    }

    /// Leaves out, and counts, items that the last of these tasks cannot serve.
    pub fn skip_failures<A>(mut self) -> Self
    where
        C: LastTakes<A>,
    {
        self.functions.policy().skip();
        self
    }
}

macro_rules! unfinished {
    ($($word:ident($($argument:ident),*))*) => {
        /// What is asked of a program that has all its functions. Where a function is missing, the compiler
        /// says so by these methods, and no call of them compiles.
        #[doc(hidden)]
        pub trait Unfinished: Sized {
            /// The next task.
            type Next;

            $(
                fn $word<R, $($argument),*>(self, $(_: $argument),*) -> R
                where
                    Self::Next: Complete,
                {
                    unreachable!("a program without a function for one of its tasks does not compile")
                }
            )*
        }
    };
}
unfinished! {
    over(I) collect(I) for_each(I, F) results(I, F) send_to(I, F) start(I)
    engine(I) batch(I) unordered(I) window(I) controlled_by(I) contract(I)
}
