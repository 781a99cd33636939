//! Functions that are given one after the other, by the names of the tasks: what `pipe! { skeleton Name { .. } }` is made with.
//!
//! The macro makes a type with a method for each task. Which task is next is a type parameter, and so is what the task before makes. A method
//! asks for both by one bound, `N: Next<..>`, with its item as a parameter of its own: then the compiler takes the type of a closure's argument
//! from the task before and, where the order is wrong, reports the bound alone, in the words of the macro. An associated type in the
//! signature, or a bound on the whole `impl`, would make "no method found" of it.

use std::marker::PhantomData;

use skel_core::skeleton::Program;

use super::leaf::Signature;
use super::words::{LastTakes, Repeatable};
use super::{Start, Then};
use crate::run::Run;

/// A program of which some tasks have their functions, `C`. The next task is `N`, and is given an `X`.
#[derive(Debug)]
pub struct Functions<S, C, N, X> {
    program: Program<S>,
    functions: C,
    next: PhantomData<fn() -> (N, X)>,
}

/// The task `T` is next and takes an `A`, where the task before makes an `X`. The macro says for each task what is reported otherwise.
pub trait Next<T, X, A> {}

/// What is asked for as the next task where there should be none.
#[derive(Debug)]
pub struct NoNextStage;

/// What the first task takes.
#[derive(Debug)]
pub struct AnyItem;

/// What the task before makes: a `B`.
#[derive(Debug)]
pub struct Made<B>(PhantomData<fn() -> B>);

/// What can be taken as an `A`: what the task before makes or, at the start, anything.
pub trait Gives<A> {}

impl<A> Gives<A> for AnyItem {}

impl<A> Gives<A> for Made<A> {}

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
        /// What is asked of a program that has all its functions. Where a function is missing, the compiler says so by these methods, and no
        /// call of them compiles.
        #[doc(hidden)]
        pub trait Unfinished: Sized {
            /// The next task.
            type Next;

            /// What it is given.
            type Given;

            $(
                fn $word<R, $($argument),*>(self, $(_: $argument),*) -> R
                where
                    Self::Next: Next<NoNextStage, Self::Given, ()>,
                {
                    unreachable!("a program without a function for one of its tasks does not compile")
                }
            )*
        }
    };
}
unfinished! {
    over(I) collect(I) for_each(I, F) results(I, F) send_to(I, F) start(I)
    engine(I) batch(I) unordered(I) window(I) controlled_by(I)
}
