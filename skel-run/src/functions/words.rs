//! What the compiler says, in our words, of functions that cannot be run.
//!
//! Each trait here holds for whatever has the trait of the standard library that it is named after. The
//! compiler would report that one, which says what is missing but not why a program needs it.

use std::error::Error;

use super::leaf::Signature;
use super::map::{Maps, Reduced};
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

/// An item that several workers are shown at a time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shown to several workers at a time",
    label = "each worker is shown this",
    note = "workers that serve an item together look at it at the same time, so it has to be `Sync`: a `Mutex` is, a `Cell` is not"
)]
pub trait Shown: Sync {}

#[diagnostic::do_not_recommend]
impl<A: Sync> Shown for A {}

/// A result that is compared with those of other workers.
#[diagnostic::on_unimplemented(
    message = "results of the type `{Self}` cannot be compared, since it is not `Eq`",
    label = "the majority of the workers decides what this makes",
    note = "derive `PartialEq` and `Eq` for `{Self}`; of floating-point numbers make whole numbers, such as by `to_bits` or by rounding"
)]
pub trait Compared: Eq {}

#[diagnostic::do_not_recommend]
impl<B: Eq> Compared for B {}

/// The functions of at least one task, of which the last is a map whose workers make a `B` each. With a `G`,
/// which makes one of two, they are `D`.
#[diagnostic::on_unimplemented(
    message = "the stage before is no map, so there is nothing to reduce",
    label = "this is said behind the function of a map or of a map with state"
)]
pub trait LastIsMap<B, G, D> {
    /// Reduces the results of the last task.
    #[doc(hidden)]
    fn reduce(self, function: G) -> D;
}

impl<B, G, P, L: Maps<Each = B>> LastIsMap<B, G, Then<P, Reduced<L, G>>> for Then<P, L> {
    fn reduce(self, function: G) -> Then<P, Reduced<L, G>> {
        Then { before: self.before, leaf: Reduced::new(self.leaf, function), policy: self.policy }
    }
}

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
