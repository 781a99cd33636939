//! Functions that tasks are made with, `task("read", 20.0, |path| load(path))`, and the leaves that they
//! become.
//!
//! A program may be copied, and closures often cannot. So a task shares its function with its copies.

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

use skel_core::skeleton::Task;

use super::cause::Cause;
use super::leaf::{Leaf, Signature};
use super::named::{AnyItem, Gives, Made};
use super::words::Item;
use crate::sync::{Arc, Mutex, MutexGuard, lock};

/// The function of a task outside of farms and deals: it may change what it captures.
pub struct Own<A, B, F> {
    function: Arc<Mutex<F>>,
    types: PhantomData<fn(A) -> B>,
}

/// The function that the workers of a farm or a deal share.
pub struct Common<A, B, F> {
    function: Arc<F>,
    types: PhantomData<fn(A) -> B>,
}

/// What is known of the stage before, while the tasks of a skeleton are made.
#[derive(Debug)]
pub struct Witness<X>(PhantomData<fn() -> X>);

impl Witness<AnyItem> {
    /// Nothing is before.
    pub fn start() -> Self {
        Witness(PhantomData)
    }

    /// What is before is a value whose tasks were made elsewhere.
    pub fn unknown<X>(_: Witness<X>) -> Self {
        Witness(PhantomData)
    }
}

impl<X> Witness<X> {
    /// An `X` is made.
    pub(super) fn behind() -> Self {
        Witness(PhantomData)
    }
}

/// A task with its function, and what is known behind it.
pub type Behind<B, F> = (Witness<Made<B>>, Task<F>);

/// A task on one thread, made with its function. The macros call it.
pub fn alone<X, A: Item, B: Item, F>(_: Witness<X>, task: Task, function: F) -> Behind<B, Own<A, B, F>>
where
    X: Gives<A>,
    F: FnMut(A) -> B + Send,
{
    let function = Own { function: Arc::new(Mutex::new(function)), types: PhantomData };
    (Witness::behind(), task.with_function(function))
}

/// The task of workers, made with the function that they share. The macros call it.
pub fn shared<X, A: Item, B: Item, F>(_: Witness<X>, task: Task, function: F) -> Behind<B, Common<A, B, F>>
where
    X: Gives<A>,
    F: Fn(A) -> B + Send + Sync,
{
    let function = Common { function: Arc::new(function), types: PhantomData };
    (Witness::behind(), task.with_function(function))
}

macro_rules! functions {
    ($($function:ident)*) => {$(
        impl<A, B, F> Clone for $function<A, B, F> {
            fn clone(&self) -> Self {
                $function { function: Arc::clone(&self.function), types: PhantomData }
            }
        }

        impl<A, B, F> fmt::Debug for $function<A, B, F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "fn({}) -> {}", type_name::<A>(), type_name::<B>())
            }
        }
    )*};
}
functions! { Own Common }

impl<A, B, F> Own<A, B, F> {
    /// The leaf of the task. A function that no copy of the task has needs to be locked only once in a run.
    pub(super) fn leaf(&self) -> OwnLeaf<A, B, F> {
        let is_sole = Arc::strong_count(&self.function) == 1;
        OwnLeaf { function: self.clone(), is_sole }
    }
}

/// A task outside of farms and deals, with the function that it was made with.
#[derive(Debug)]
pub struct OwnLeaf<A, B, F> {
    function: Own<A, B, F>,
    is_sole: bool,
}

impl<A, B, F> Signature for OwnLeaf<A, B, F> {
    type In = A;
    type Out = B;
}

impl<A: Send, B: Send, F: FnMut(A) -> B + Send> Leaf for OwnLeaf<A, B, F> {
    type Worker<'a>
        = Option<MutexGuard<'a, F>>
    where
        Self: 'a;
    const IS_ALONE: bool = true;

    fn worker(&self) -> Self::Worker<'_> {
        self.is_sole.then(|| lock(&self.function.function))
    }

    fn serve<'a>(&'a self, worker: &mut Self::Worker<'a>, item: A) -> Result<Option<B>, Cause> {
        Ok(Some(match worker {
            Some(function) => function(item),
            None => lock(&self.function.function)(item),
        }))
    }
}

impl<A, B, F> Signature for Common<A, B, F> {
    type In = A;
    type Out = B;
}

impl<A: Send, B: Send, F: Fn(A) -> B + Send + Sync> Leaf for Common<A, B, F> {
    type Worker<'a>
        = ()
    where
        Self: 'a;

    fn worker(&self) {}

    fn serve(&self, (): &mut (), item: A) -> Result<Option<B>, Cause> {
        Ok(Some((self.function)(item)))
    }
}
