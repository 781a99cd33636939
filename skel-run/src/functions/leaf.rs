//! What a task does with an item: a function, in one of the forms that a user may give it.
//!
//! A task that runs on one thread may have a function that changes what it captures (`FnMut`). The workers of
//! a farm or a deal share one function (`Fn`), or share one function and each have a state of their own.

use std::error::Error;
use std::marker::PhantomData;

use super::cause::Cause;
use crate::sync::{Mutex, MutexGuard, lock};
use crate::team::Hands;

/// What a task takes and what it makes of it. Any leaf says so, whether or not its function can be called:
/// the compiler then tells what is wrong with the function once, where it is given.
pub trait Signature {
    /// What it takes.
    type In;

    /// What it makes of it.
    type Out;
}

/// What a task does with an item.
pub trait Leaf: Sync + Signature<In: Send, Out: Send> {
    /// What one worker keeps from item to item.
    type Worker<'a>
    where
        Self: 'a;

    /// Whether only one worker can be there at a time.
    const IS_ALONE: bool = false;

    /// A worker, made on the thread that it works on.
    fn worker(&self) -> Self::Worker<'_>;

    /// The worker that leads others, if several serve an item together; [`Self::worker`] is then alone.
    #[doc(hidden)]
    fn lead<'a>(&'a self, _: Hands<'a>) -> Self::Worker<'a> {
        self.worker()
    }

    /// What it asks of the skeleton's stage.
    #[doc(hidden)]
    fn form(&self) -> Form {
        Form::Task
    }

    /// Serves an item. None if it makes no result by itself, as the state of a map with state.
    ///
    /// # Errors
    /// What the function returned. A panic of the function is the caller's to catch.
    fn serve<'a>(&'a self, worker: &mut Self::Worker<'a>, item: Self::In)
    -> Result<Option<Self::Out>, Cause>;

    /// Makes a worker's state anew after a panic. Nothing where there is no state that could be made.
    fn renew<'a>(&'a self, _: &mut Self::Worker<'a>) {}
}

/// What a function asks of the stage that it is given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A task.
    Task,
    /// A map.
    Map,
    /// A fault-tolerant stage with this number of functions.
    FaultTolerant(usize),
    /// A map with state.
    MapWithState,
}

/// A function that returns what it makes.
#[derive(Debug)]
pub struct Plain<B>(PhantomData<fn() -> B>);

/// A function that returns what it makes, or an error.
#[derive(Debug)]
pub struct Fallible<B, E>(PhantomData<fn() -> (B, E)>);

/// The function of a task on one thread.
#[derive(Debug)]
pub struct Alone<A, R, F> {
    function: Mutex<F>,
    types: PhantomData<fn(A) -> R>,
}

/// The function of a task on one thread, with a state that is made anew after a panic.
#[derive(Debug)]
pub struct AloneWith<A, R, S, M, F> {
    make: M,
    state: Mutex<Option<S>>,
    function: F,
    types: PhantomData<fn(A) -> R>,
}

/// The function that all workers share.
#[derive(Debug)]
pub struct Shared<A, R, F> {
    function: F,
    types: PhantomData<fn(A) -> R>,
}

/// The function that all workers share, and what makes the state of each.
#[derive(Debug)]
pub struct SharedWith<A, R, S, M, F> {
    make: M,
    function: F,
    types: PhantomData<fn(A, S) -> R>,
}

impl<A, R, F> Alone<A, R, F> {
    /// A task on one thread.
    pub fn new(function: F) -> Self {
        Alone { function: Mutex::new(function), types: PhantomData }
    }
}

impl<A, R, S, M, F> AloneWith<A, R, S, M, F> {
    /// A task on one thread with a state.
    pub fn new(make: M, function: F) -> Self {
        AloneWith { make, state: Mutex::new(None), function, types: PhantomData }
    }
}

impl<A, R, F> Shared<A, R, F> {
    /// Workers that share a function.
    pub fn new(function: F) -> Self {
        Shared { function, types: PhantomData }
    }
}

impl<A, R, S, M, F> SharedWith<A, R, S, M, F> {
    /// Workers that share a function, each with a state.
    pub fn new(make: M, function: F) -> Self {
        SharedWith { make, function, types: PhantomData }
    }
}

/// What a function returns, as a type.
pub trait Answer {
    /// What goes to the next task.
    type Made;
}

impl<B> Answer for Plain<B> {
    type Made = B;
}

impl<B, E> Answer for Fallible<B, E> {
    type Made = B;
}

/// The types of every kind of leaf, whose parameters begin with what it takes and what its function returns.
macro_rules! signatures {
    ($([$($parameter:ident),*] $leaf:ident)*) => {$(
        impl<A, R: Answer, $($parameter),*> Signature for $leaf<A, R, $($parameter),*> {
            type In = A;
            type Out = R::Made;
        }
    )*};
}
signatures! { [F] Alone [S, M, F] AloneWith [F] Shared [S, M, F] SharedWith }

/// The functions of either kind of answer: `$answer` is what the function returns, and `$convert` makes a
/// result of it.
macro_rules! leaves {
    ($([$($error:ident)?] $kind:ty, $answer:ty, $convert:expr;)*) => {$(
        impl<A: Send, B: Send, $($error,)? F> Leaf for Alone<A, $kind, F>
        where
            F: FnMut(A) -> $answer + Send,
            $($error: Into<Box<dyn Error + Send + Sync>>,)?
        {
            type Worker<'a> = MutexGuard<'a, F> where Self: 'a;
            const IS_ALONE: bool = true;

            fn worker(&self) -> Self::Worker<'_> {
                lock(&self.function)
            }

            fn serve<'a>(&'a self, worker: &mut Self::Worker<'a>, item: A) -> Result<Option<B>, Cause> {
                $convert(worker(item))
            }
        }

        impl<A: Send, B: Send, $($error,)? S: Send, M, F> Leaf for AloneWith<A, $kind, S, M, F>
        where
            M: Fn() -> S + Sync,
            F: Fn(&mut S, A) -> $answer + Sync,
            $($error: Into<Box<dyn Error + Send + Sync>>,)?
        {
            type Worker<'a> = MutexGuard<'a, Option<S>> where Self: 'a;
            const IS_ALONE: bool = true;

            fn worker(&self) -> Self::Worker<'_> {
                lock(&self.state)
            }

            fn serve<'a>(&'a self, worker: &mut Self::Worker<'a>, item: A) -> Result<Option<B>, Cause> {
                $convert((self.function)(worker.get_or_insert_with(&self.make), item))
            }

            fn renew<'a>(&'a self, worker: &mut Self::Worker<'a>) {
                **worker = None;
            }
        }

        impl<A: Send, B: Send, $($error,)? F> Leaf for Shared<A, $kind, F>
        where
            F: Fn(A) -> $answer + Sync,
            $($error: Into<Box<dyn Error + Send + Sync>>,)?
        {
            type Worker<'a> = () where Self: 'a;

            fn worker(&self) {}

            fn serve(&self, (): &mut (), item: A) -> Result<Option<B>, Cause> {
                $convert((self.function)(item))
            }
        }

        impl<A: Send, B: Send, $($error,)? S, M, F> Leaf for SharedWith<A, $kind, S, M, F>
        where
            M: Fn() -> S + Sync,
            F: Fn(&mut S, A) -> $answer + Sync,
            $($error: Into<Box<dyn Error + Send + Sync>>,)?
        {
            type Worker<'a> = Option<S> where Self: 'a;

            fn worker(&self) -> Option<S> {
                None
            }

            fn serve(&self, worker: &mut Option<S>, item: A) -> Result<Option<B>, Cause> {
                $convert((self.function)(worker.get_or_insert_with(&self.make), item))
            }

            fn renew(&self, worker: &mut Option<S>) {
                *worker = None;
            }
        }
    )*};
}
leaves! {
    [] Plain<B>, B, made;
    [E] Fallible<B, E>, Result<B, E>, failed;
}

/// The error of a fallible function as a cause.
fn failed<B, E: Into<Box<dyn Error + Send + Sync>>>(answer: Result<B, E>) -> Result<Option<B>, Cause> {
    answer.map(Some).map_err(|error| Cause::Error(error.into()))
}

/// What a function made.
fn made<B>(answer: B) -> Result<Option<B>, Cause> {
    Ok(Some(answer))
}
