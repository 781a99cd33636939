//! Which task is given its function next, where functions are given one after the other, by the names of the
//! tasks.
//!
//! `pipe! { skeleton Name { .. } }` makes a type with a method for each task. Which task is next is a type
//! parameter, and so is what the task before makes. A method asks for both by one bound, `N: Next<..>`, with
//! its item as a parameter of its own: then the compiler takes the type of a closure's argument from the task
//! before and, where the order is wrong, reports this bound alone, in the words that stand here. An
//! associated type in the signature, or a bound on the whole `impl`, would make "no method found" of it.

use std::marker::PhantomData;

/// The next task is the one whose method is called, and takes an `A` where the task before makes an `X`.
#[diagnostic::on_unimplemented(
    message = "the next stage is `{Self}`, not `{Called}`",
    label = "the stages are given their functions in their order: `{Self}` comes first"
)]
pub trait Next<Called, X, A> {}

impl<N, X: Gives<A>, A> Next<N, X, A> for N {}

/// No task is next. It is implemented by none, so that the compiler says which it is.
#[diagnostic::on_unimplemented(
    message = "the stage `{Self}` has no function yet",
    label = "give it one first: `.{Self}(|item| ...)`"
)]
pub trait Complete {}

/// A task of a skeleton that could not be given a function, by its number from 1. It is implemented by none.
#[diagnostic::on_unimplemented(
    message = "task {NUMBER} of `{Skeleton}` has no name by which it could be given a function",
    label = "a name is a text before the rate: `task(\"name\", 1.0)`, `farm(3, \"name\", 1.0)`"
)]
pub trait HasName<Skeleton, const NUMBER: usize> {}

/// A task whose name is not spelled out, by its number from 1. It is implemented by none.
#[diagnostic::on_unimplemented(
    message = "the name of task {NUMBER} of `{Skeleton}` is only known when the program runs",
    label = "functions are given by names that are spelled out: `task(\"name\", 1.0)`, `farm(3, \"name\", 1.0)`"
)]
pub trait HasKnownName<Skeleton, const NUMBER: usize> {}

/// What has no names. Its lifetime keeps the compiler from looking before it is asked.
#[derive(Debug)]
pub struct Tasks<'never>(PhantomData<&'never ()>);

/// What the first task takes.
#[derive(Debug)]
pub struct AnyItem;

/// What the task before makes: a `B`.
#[derive(Debug)]
pub struct Made<B>(PhantomData<fn() -> B>);

/// What can be taken as an `A`: what the task before makes or, at the start, anything.
#[diagnostic::on_unimplemented(
    message = "this stage takes `{A}`, and the stage before does not make that",
    label = "the stage before has `{Self}`"
)]
pub trait Gives<A> {}

impl<A> Gives<A> for AnyItem {}

impl<A> Gives<A> for Made<A> {}
