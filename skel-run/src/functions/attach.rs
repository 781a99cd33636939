//! From a skeleton whose tasks have functions to these functions alone, one behind the other.
//!
//! The stages of a pipe are asked one after the other, the worker of a farm or a deal once. Each adds its
//! functions behind those before.

use skel_core::skeleton::{Deal, Farm, FaultTolerant, Map, MapWithState, Pipe, Task};

use super::inline::{Common, Own, OwnLeaf};
use super::leaf::Signature;
use super::named::AnyItem;
use super::teams::{FunctionOf, kind};
use super::{Start, Then};

/// The functions so far, `C`, and what the last of them makes, an `X`.
#[derive(Debug)]
pub struct At<C, X> {
    functions: C,
    made: std::marker::PhantomData<fn() -> X>,
}

/// Outside of farms and deals: each task is on one thread.
#[derive(Debug)]
pub struct Outside;

/// Inside of a farm or a deal: workers share the functions.
#[derive(Debug)]
pub struct Inside;

/// Where a task's function may change what it captures.
#[diagnostic::on_unimplemented(
    message = "a task that was made outside of a farm or a deal is a worker of one",
    label = "the workers of this skeleton would share a function that may change what it captures",
    note = "make the task inside of the call, as in `farm(3, \"name\", 1.0, |item| ...)`: then its function may not change what it captures"
)]
pub trait MayChange {}

impl MayChange for Outside {}

/// A skeleton whose tasks all have functions, behind `From`, in the place `W`.
#[diagnostic::on_unimplemented(
    message = "a task of this skeleton has no function",
    label = "without one, this cannot run: `{Self}`",
    note = "give each task a function as its last argument: `task(\"read\", 20.0, |path| ...)`, `farm(3, \"sharpen\", 5.0, |picture| ...)`",
    note = "or give the skeleton a name, `pipe! {{ skeleton Images {{ ... }} }}`, and its functions behind `Images::new().run()`"
)]
pub trait Attach<From, W> {
    /// The functions with those of this skeleton.
    type To;

    /// Adds the functions of this skeleton.
    fn attach(&self, before: From) -> Self::To;
}

/// What is so far makes an `X`, and that can be taken as an `A`.
#[diagnostic::on_unimplemented(
    message = "a stage takes `{A}`, but the stage before makes `{X}`",
    label = "these two stages of the skeleton do not meet"
)]
pub trait Follows<X, A> {}

impl<A> Follows<AnyItem, A> for Start {}

impl<P, L: Signature, A> Follows<A, A> for Then<P, L> {}

impl At<Start, AnyItem> {
    /// No functions yet.
    pub(crate) fn start() -> Self {
        At { functions: Start, made: std::marker::PhantomData }
    }
}

impl<C, X> At<C, X> {
    fn then<L: Signature>(self, leaf: L) -> At<Then<C, L>, L::Out> {
        At { functions: Then::behind(self.functions, leaf), made: std::marker::PhantomData }
    }

    /// The functions.
    pub(crate) fn into_functions(self) -> C {
        self.functions
    }
}

impl<C: Follows<X, A>, X, A, B, F, W: MayChange> Attach<At<C, X>, W> for Task<Own<A, B, F>> {
    type To = At<Then<C, OwnLeaf<A, B, F>>, B>;

    fn attach(&self, before: At<C, X>) -> Self::To {
        before.then(self.function().leaf())
    }
}

impl<C: Follows<X, A>, X, A, B, F, W> Attach<At<C, X>, W> for Task<Common<A, B, F>> {
    type To = At<Then<C, Common<A, B, F>>, B>;

    fn attach(&self, before: At<C, X>) -> Self::To {
        before.then(self.function().clone())
    }
}

impl<From, W, T: Attach<From, W>> Attach<From, W> for Pipe<T> {
    type To = T::To;

    fn attach(&self, before: From) -> T::To {
        self.stages.attach(before)
    }
}

impl<From, W, T: Attach<From, Inside>> Attach<From, W> for Farm<T> {
    type To = T::To;

    fn attach(&self, before: From) -> T::To {
        self.worker.attach(before)
    }
}

impl<From, W, T: Attach<From, Inside>> Attach<From, W> for Deal<T> {
    type To = T::To;

    fn attach(&self, before: From) -> T::To {
        self.worker.attach(before)
    }
}

macro_rules! teams {
    ($($stage:ident $kind:ident)*) => {$(
        impl<C, X, F, W> Attach<At<C, X>, W> for $stage<Task<F>>
        where
            F: FunctionOf<kind::$kind>,
            C: Follows<X, <F::Leaf as Signature>::In>,
        {
            type To = At<Then<C, F::Leaf>, <F::Leaf as Signature>::Out>;

            fn attach(&self, before: At<C, X>) -> Self::To {
                before.then(self.worker.function().leaf())
            }
        }
    )*};
}
teams! { Map OfMap FaultTolerant OfFaultTolerant MapWithState OfMapWithState }

/// The stages of a pipe, by the types that stand for the functions behind each of them.
macro_rules! tuples {
    ($($stage:ident $to:ident $place:tt)*) => { tuples! { [] $($stage $to $place)* } };
    ([$($done:tt)*]) => {};
    ([$($done:tt)*] $stage:ident $to:ident $place:tt $($rest:tt)*) => {
        tuple! { [From] [] $($done)* $stage $to $place }
        tuples! { [$($done)* $stage $to $place] $($rest)* }
    };
}

macro_rules! tuple {
    ([$last:ident] [$([$stage:ident $before:ident $to:ident $place:tt])*]) => {
        impl<From, W, $($stage, $to),*> Attach<From, W> for ($($stage,)*)
        where
            $($stage: Attach<$before, W, To = $to>,)*
        {
            type To = $last;

            fn attach(&self, before: From) -> $last {
                $(let before = self.$place.attach(before);)*
                before
            }
        }
    };
    ([$before:ident] [$($all:tt)*] $stage:ident $to:ident $place:tt $($rest:tt)*) => {
        tuple! { [$to] [$($all)* [$stage $before $to $place]] $($rest)* }
    };
}
tuples! {
    A ToA 0 B ToB 1 C ToC 2 D ToD 3 E ToE 4 F ToF 5 G ToG 6 H ToH 7
    I ToI 8 J ToJ 9 K ToK 10 L ToL 11 M ToM 12 N ToN 13 O ToO 14 P ToP 15
}
