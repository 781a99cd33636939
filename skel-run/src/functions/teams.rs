//! Functions that maps, fault-tolerant stages and maps with state are made with,
//! `map(3, "count", 1.0, |part| part.len())`.
//!
//! All workers share what such a stage is made with, and so do the copies of the stage.

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

use skel_core::skeleton::Task;

use super::cause::Cause;
use super::inline::{Behind, Witness};
use super::leaf::{Form, Leaf, Plain, Signature};
use super::map::Map;
use super::map_with_state::{AsItIs, MapWithState, StateOr};
use super::named::Gives;
use super::scatter::Scatter;
use super::vote::{Vote, Voters};
use super::words::{Compared, Item, Shown};
use crate::sync::Arc;
use crate::team::Hands;

/// What the workers of a stage do with an item, which they serve together.
pub struct OfTeam<L> {
    leaf: Arc<L>,
}

type Mapping<A, B, F> = OfTeam<Map<A, Plain<B>, F>>;
type MappingWithState<S, T, B, F> = OfTeam<MapWithState<S, T, Plain<B>, AsItIs, F>>;

/// The function of a stage whose workers serve an item together, where `K` is the stage without its function.
#[diagnostic::on_unimplemented(
    message = "this skeleton has a map, a fault-tolerant stage or a map with state whose workers have no function",
    label = "without one, this skeleton cannot run",
    note = "make the stage with its function as its last argument: `map(3, \"count\", 1.0, |part| ..)`, \
            `fault_tolerant(3, \"vote\", 1.0, (|item| .., |item| .., |item| ..))`, \
            `map_with_state(3, \"find\", 1.0, state(2.0, 10), |part, item| ..)`"
)]
pub trait FunctionOf<K> {
    /// What it becomes.
    type Leaf: Signature;

    /// Makes that.
    fn leaf(&self) -> Self::Leaf;
}

/// Stages without their functions, as types.
pub(super) mod kind {
    /// A map.
    #[derive(Debug)]
    pub struct OfMap;
    /// A fault-tolerant stage.
    #[derive(Debug)]
    pub struct OfFaultTolerant;
    /// A map with state.
    #[derive(Debug)]
    pub struct OfMapWithState;
}

macro_rules! functions {
    ($([$($parameter:ident),*] $kind:ident $leaf:ty;)*) => {$(
        impl<$($parameter),*> FunctionOf<kind::$kind> for OfTeam<$leaf> {
            type Leaf = Self;

            fn leaf(&self) -> Self {
                self.clone()
            }
        }
    )*};
}
functions! {
    [A, B, F] OfMap Map<A, Plain<B>, F>;
    [A, B, V] OfFaultTolerant Vote<A, Plain<B>, V>;
    [S, T, B, F] OfMapWithState MapWithState<S, T, Plain<B>, AsItIs, F>;
}

/// The task of the workers of a map, made with the function of a part of an item. The macros call it.
pub fn in_parts<X, A, B, F>(_: Witness<X>, task: Task, function: F) -> Behind<Vec<B>, Mapping<A, B, F>>
where
    X: Gives<A>,
    A: Item + Scatter,
    B: Item,
    F: Fn(A::Part) -> B + Send + Sync,
{
    behind(task, Map::new(function))
}

/// The task of the workers of a map with state, made with the function of a part of a state and of an item.
/// The macros call it.
pub fn with_state<X, S, T, B, F>(
    _: Witness<X>,
    task: Task,
    function: F,
) -> Behind<Vec<B>, MappingWithState<S, T, B, F>>
where
    X: Gives<StateOr<S, T>>,
    S: Item + Scatter,
    T: Item + Shown,
    B: Item,
    F: Fn(&S::Part, &T) -> B + Send + Sync,
{
    behind(task, MapWithState::new(function))
}

/// What workers vote on: the result of type `B` of an item of type `A`. It makes closures of one tuple agree
/// on both.
#[derive(Debug)]
pub struct Voting<A, B>(PhantomData<fn(A) -> B>);

impl<A, B> Voting<A, B> {
    /// On what the stage before makes.
    pub fn on<X: Gives<A>>(_: &Witness<X>) -> Self {
        Voting(PhantomData)
    }

    /// The function of one worker.
    pub fn by<F: Fn(&A) -> B + Send + Sync>(&self, function: F) -> F {
        function
    }
}

/// The task of the workers of a fault-tolerant stage, made with a function for each of them. The macros call
/// it.
pub fn by_majority<X, A, B, V>(
    _: &Voting<A, B>,
    _: Witness<X>,
    task: Task,
    functions: V,
) -> Behind<B, OfTeam<Vote<A, Plain<B>, V>>>
where
    X: Gives<A>,
    A: Item + Shown,
    B: Item + Compared,
    V: Voters<A, Plain<B>> + Send,
{
    behind(task, Vote::new(functions))
}

fn behind<L: Signature>(task: Task, leaf: L) -> Behind<L::Out, OfTeam<L>> {
    (Witness::behind(), task.with_function(OfTeam { leaf: Arc::new(leaf) }))
}

impl<L> Clone for OfTeam<L> {
    fn clone(&self) -> Self {
        OfTeam { leaf: Arc::clone(&self.leaf) }
    }
}

impl<L: Signature> fmt::Debug for OfTeam<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fn({}) -> {}", type_name::<L::In>(), type_name::<L::Out>())
    }
}

impl<L: Signature> Signature for OfTeam<L> {
    type In = L::In;
    type Out = L::Out;
}

impl<L: Leaf + Send> Leaf for OfTeam<L> {
    type Worker<'a>
        = L::Worker<'a>
    where
        Self: 'a;

    fn worker(&self) -> L::Worker<'_> {
        self.leaf.worker()
    }

    fn lead<'a>(&'a self, hands: Hands<'a>) -> L::Worker<'a> {
        self.leaf.lead(hands)
    }

    fn form(&self) -> Form {
        self.leaf.form()
    }

    fn serve<'a>(&'a self, worker: &mut L::Worker<'a>, item: L::In) -> Result<Option<L::Out>, Cause> {
        self.leaf.serve(worker, item)
    }

    fn renew<'a>(&'a self, worker: &mut L::Worker<'a>) {
        self.leaf.renew(worker);
    }
}
