//! What varies in a sweep.

use std::fmt;
use std::marker::PhantomData;

use skel_core::model::ParameterId;
use skel_core::model::handle::RateOf;
use skel_core::skeleton::{StageId, StageOf, Tree};

use crate::performance::Performance;
use crate::steady::SteadyState;

/// What varies, without a type. To add a kind, say in `subject` what a value of it changes, and in `problems`
/// what it can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// A rate or size of a model, or a number of a `.skel` text, by its name.
    Named(String),
    /// A named rate or size of a model.
    Parameter(ParameterId),
    /// The rate of a task.
    Rate(StageId),
    /// The number of replicas of a deal or a farm.
    Replicas(StageId),
    /// The capacity of all buffers of which nothing narrower is said.
    Buffers,
    /// The capacity of the buffer before a stage.
    BufferBefore(StageId),
}

/// Something that can vary in a sweep whose points have answers of the type `A`.
///
/// - In a model it is a named rate or a size: the handle of a rate, or a name.
/// - In a skeleton it is the rate of a task, a number of replicas or the capacity of a buffer: [`rate_of`],
///   [`replicas_of`] or [`buffer_before`] a handle, or all [`buffers`].
/// - In a `.skel` text it is a number that the text names.
pub struct Varied<A> {
    pub(super) quantity: Quantity,
    answer: PhantomData<fn() -> A>,
}

impl<A> Varied<A> {
    fn new(quantity: Quantity) -> Self {
        Varied { quantity, answer: PhantomData }
    }
}

impl<A> Clone for Varied<A> {
    fn clone(&self) -> Self {
        Varied::new(self.quantity.clone())
    }
}

impl<A> fmt::Debug for Varied<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Varied({:?})", self.quantity)
    }
}

impl<A> From<&str> for Varied<A> {
    fn from(name: &str) -> Self {
        Varied::new(Quantity::Named(name.to_owned()))
    }
}

impl<M: ?Sized> From<RateOf<M>> for Varied<SteadyState<M, f64>> {
    fn from(rate: RateOf<M>) -> Self {
        Varied::new(Quantity::Parameter(rate.id()))
    }
}

/// The rate of a task, in items per unit of time. Of a task that is replicated, all replicas have this rate.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::sweep::rate_of;
/// let program = pipe!(task(1.0), task(2.0)).communicating(10.0);
/// let second = program.skeleton().stage::<1>();
/// let sweep = Sweep::of_program(&program)?.vary(rate_of(second), [1.0, 2.0, 4.0]);
/// let throughputs: Vec<f64> = sweep.points()?.map(|point| Ok(*point.answer?.throughput())).collect::<skel::Result<_>>()?;
/// assert!(throughputs[0] < throughputs[1] && throughputs[1] < throughputs[2]);
/// # Ok::<(), skel::Error>(())
/// ```
pub fn rate_of<S, H>(task: StageOf<S, H>) -> Varied<Performance<S, f64>> {
    Varied::new(Quantity::Rate(task.id()))
}

/// The number of replicas of a deal or a farm: of the stage itself, or of the stage whose worker it is.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::sweep::replicas_of;
/// pipe! { skeleton Images { task("read", 20.0), farm(1, "sharpen", 5.0), task("write", 30.0) } }
/// let program = Images::new().communicating(100.0);
/// let sweep = Sweep::of_program(&program)?.vary(replicas_of(Images::sharpen), 1..=6);
/// // The first number of workers that makes ten images per second.
/// let enough = sweep.points()?.find(|point| point.answer.as_ref().is_ok_and(|found| *found.throughput() > 10.0));
/// assert_eq!(enough.unwrap().values, [ratio(3, 1)]);
/// # Ok::<(), skel::Error>(())
/// ```
pub fn replicas_of<S, H>(stage: StageOf<S, H>) -> Varied<Performance<S, f64>> {
    Varied::new(Quantity::Replicas(stage.id()))
}

/// The capacity of the buffer before a stage, in items; see
/// [`Program::buffer_before`](skel_core::skeleton::Program::buffer_before).
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::sweep::buffer_before;
/// pipe! { skeleton Images { task("read", 20.0), farm(3, "sharpen", 5.0), task("write", 30.0) } }
/// let program = Images::new().communicating(Communication::negligible());
/// let sweep = Sweep::of_program(&program)?.vary(buffer_before(Images::sharpen), [0, 4, 16]);
/// let throughputs: Vec<f64> = sweep.points()?.map(|point| Ok(*point.answer?.throughput())).collect::<skel::Result<_>>()?;
/// assert!(throughputs[0] < throughputs[1] && throughputs[1] < throughputs[2]);
/// # Ok::<(), skel::Error>(())
/// ```
pub fn buffer_before<S, H>(stage: StageOf<S, H>) -> Varied<Performance<S, f64>> {
    Varied::new(Quantity::BufferBefore(stage.id()))
}

/// The capacity of all buffers of which the program says nothing narrower, in items.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::sweep::buffers;
/// let program = pipe!(task(1.0), task(1.0)).communicating(Communication::negligible());
/// let sweep = Sweep::of_program(&program)?.vary(buffers(), 0..=2);
/// let throughputs: Vec<f64> = sweep.points()?.map(|point| Ok(*point.answer?.throughput())).collect::<skel::Result<_>>()?;
/// // With a buffer of c items, c + 2 of c + 3.
/// assert!(throughputs.iter().zip([2.0 / 3.0, 3.0 / 4.0, 4.0 / 5.0]).all(|(one, other)| (one - other).abs() < 1e-12));
/// # Ok::<(), skel::Error>(())
/// ```
#[must_use]
pub fn buffers<S>() -> Varied<Performance<S, f64>> {
    Varied::new(Quantity::Buffers)
}

/// As [`rate_of`], for a node of a tree.
#[must_use]
pub fn rate_at(task: StageId) -> Varied<Performance<Tree, f64>> {
    Varied::new(Quantity::Rate(task))
}

/// As [`replicas_of`], for a node of a tree.
#[must_use]
pub fn replicas_at(stage: StageId) -> Varied<Performance<Tree, f64>> {
    Varied::new(Quantity::Replicas(stage))
}
