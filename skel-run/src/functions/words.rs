//! What the compiler says, in our words, of functions that cannot be run.
//!
//! Each trait here holds for whatever has the trait of the standard library that it is named after. The compiler would report that one,
//! which says what is missing but not why a program needs it.

use std::error::Error;

use super::leaf::Signature;
use super::{Policy, Then};

/// What moves from task to task.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot move from one task to the next",
    label = "this takes or makes a `{Self}`",
    note = "tasks run on threads of their own, so what moves between them has to be `Send`: an `Arc` is, an `Rc` is not"
)]
pub trait Item: Send {}

#[diagnostic::do_not_recommend]
impl<A: Send> Item for A {}

/// What a task keeps from item to item.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the state of a task",
    label = "this makes a `{Self}`",
    note = "a task runs on a thread of its own, so its state has to be `Send`: an `Arc` is, an `Rc` is not"
)]
pub trait State: Send {}

#[diagnostic::do_not_recommend]
impl<S: Send> State for S {}

/// What a function may fail with.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an error that a task can fail with",
    label = "this fails with a `{Self}`",
    note = "an error is a type that is `std::error::Error + Send + Sync`, a `String`, or a `&str`"
)]
pub trait Failing: Into<Box<dyn Error + Send + Sync>> {}

#[diagnostic::do_not_recommend]
impl<E: Into<Box<dyn Error + Send + Sync>>> Failing for E {}

/// An item that a task can be given again.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be tried again, since it is not `Clone`",
    label = "a copy of each item is kept, to try again with",
    note = "derive `Clone` for `{Self}`, or say `.skip_failures()` instead"
)]
pub trait Repeatable: Clone {}

#[diagnostic::do_not_recommend]
impl<A: Clone> Repeatable for A {}

/// The functions of at least one task, of which the last takes an `A`.
#[diagnostic::on_unimplemented(
    message = "no task has a function yet",
    label = "this is said behind the function of the task that it is about"
)]
pub trait LastTakes<A> {
    /// What happens to an item that the last task cannot serve.
    #[doc(hidden)]
    fn policy(&mut self) -> &mut Policy<A>;
}

impl<P, L: Signature> LastTakes<L::In> for Then<P, L> {
    fn policy(&mut self) -> &mut Policy<L::In> {
        &mut self.policy
    }
}
