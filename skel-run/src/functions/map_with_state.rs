//! The function of a map with state: each worker keeps its part of a state, and makes something of every item
//! with it.

use std::marker::PhantomData;

use super::cause::Cause;
use super::leaf::{Answer, Form, Leaf, Signature};
use super::map::{Maps, scattered};
use super::returns::{Returns, all};
use super::scatter::Scatter;
use crate::parcel::drop_safely;
use crate::team::{Duty, Hands, Members, SharedItem};

/// What a map with state takes: now and then a state, and items in between.
///
/// Items before a state are served with the state before, those behind it with the new one. A state makes no
/// result.
///
/// # Examples
/// ```
/// use skel::prelude::*;
/// use skel::run::StateOr;
///
/// pipe! { skeleton Search { map_with_state(3, "find", 1e6, state(1e5, 100)) } }
///
/// let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
/// let inputs = [
///     StateOr::State(names(&["Ada", "Grace", "Barbara", "Edsger"])),
///     StateOr::Item("Grace"),
///     StateOr::State(names(&["Alan", "Kurt"])),
///     StateOr::Item("Grace"),
/// ];
/// let (found, report) = Search::new().run()
///     .find(|part: &Vec<String>, name: &&str| part.iter().any(|known| known == name))
///     .reduce(|one, other| one || other)
///     .collect(inputs)?;
/// assert_eq!((found, report.states()), (vec![true, false], 2));
/// # Ok::<(), skel::run::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateOr<S, T> {
    /// A state, which is scattered over the workers. It replaces the one before.
    State(S),
    /// An item, which all workers are shown.
    Item(T),
}

/// A function of a worker's part of the state and of an item. The map makes the results of all workers, in
/// their order.
#[derive(Debug)]
pub struct MapWithState<S, T, R, M, F> {
    make: M,
    function: F,
    types: PhantomData<fn(S, T) -> R>,
}

/// What a worker keeps of its part of a state.
pub trait Keep<P>: Sync {
    /// What it keeps.
    type Kept;

    /// Makes it of the part, on the worker's thread.
    fn keep(&self, part: P) -> Self::Kept;
}

/// A worker keeps its part as it is.
#[derive(Clone, Copy, Debug)]
pub struct AsItIs;

/// A worker keeps what this function makes of its part, such as an index.
#[derive(Clone, Copy, Debug)]
pub struct Built<M>(M);

impl<P> Keep<P> for AsItIs {
    type Kept = P;

    fn keep(&self, part: P) -> P {
        part
    }
}

impl<P, W, M: Fn(P) -> W + Sync> Keep<P> for Built<M> {
    type Kept = W;

    fn keep(&self, part: P) -> W {
        self.0(part)
    }
}

impl<S, T, R, F> MapWithState<S, T, R, AsItIs, F> {
    /// Workers that keep their parts of the state.
    pub fn new(function: F) -> Self {
        MapWithState { make: AsItIs, function, types: PhantomData }
    }
}

impl<S, T, R, M, F> MapWithState<S, T, R, Built<M>, F> {
    /// Workers that keep what `make` makes of their parts of the state.
    pub fn with(make: M, function: F) -> Self {
        MapWithState { make: Built(make), function, types: PhantomData }
    }
}

impl<S, T, R: Answer, M, F> Maps for MapWithState<S, T, R, M, F> {
    type Each = R::Made;
}

impl<S, T, R: Answer, M, F> Signature for MapWithState<S, T, R, M, F> {
    type In = StateOr<S, T>;
    type Out = Vec<R::Made>;
}

impl<S, T, R, M, F> Duty for MapWithState<S, T, R, M, F>
where
    S: Scatter,
    T: Send + Sync,
    R: Returns,
    M: Keep<S::Part>,
    F: Fn(&M::Kept, &T) -> R::Returned + Sync,
{
    type Part = StateOr<S::Part, SharedItem<T>>;
    /// Nothing for a state.
    type Reply = Result<Option<R::Made>, Cause>;
    type State = Option<M::Kept>;

    fn state(&self) -> Option<M::Kept> {
        None
    }

    fn serve(&self, kept: &mut Option<M::Kept>, _: usize, part: Self::Part) -> Self::Reply {
        match (part, kept) {
            (StateOr::State(part), kept) => {
                // The old state goes first, so that there are never two.
                drop_safely(kept.take());
                *kept = Some(self.make.keep(part));
                Ok(None)
            }
            (StateOr::Item(item), Some(kept)) => R::value((self.function)(kept, &item)).map(Some),
            (StateOr::Item(_), None) => Ok(None),
        }
    }

    /// An item only reads the state, so a panic leaves it as it was.
    fn renew(&self, _: &mut Option<M::Kept>) {}

    fn is_state(part: &Self::Part) -> bool {
        matches!(part, StateOr::State(_))
    }
}

/// The workers of a map with state.
pub struct Keepers<'a, D: Duty + 'a> {
    members: Members<'a, D>,
    has: Has,
}

/// Which state the workers have.
enum Has {
    /// There was none yet.
    NoneYet,
    /// All have their part, so many workers.
    Parts(usize),
    /// Some could not take their part of the last one.
    NoneAnyMore,
}

impl Has {
    /// How many workers have the state.
    fn workers(&self) -> Result<usize, Cause> {
        let message = match self {
            Has::Parts(workers) => return Ok(*workers),
            Has::NoneYet => {
                "there is no state yet: a map with state takes one, `StateOr::State(..)`, before its first item"
            }
            Has::NoneAnyMore => {
                "there is no state: the last one could not be taken, and there was none since"
            }
        };
        Err(Cause::Error(message.into()))
    }
}

impl<S, T, R, M, F> Leaf for MapWithState<S, T, R, M, F>
where
    S: Scatter + Send,
    T: Send + Sync,
    R: Returns,
    M: Keep<S::Part>,
    F: Fn(&M::Kept, &T) -> R::Returned + Sync,
{
    type Worker<'a>
        = Keepers<'a, Self>
    where
        Self: 'a;

    fn worker(&self) -> Keepers<'_, Self> {
        Keepers { members: Members::new(self, None), has: Has::NoneYet }
    }

    fn lead<'a>(&'a self, hands: Hands<'a>) -> Keepers<'a, Self> {
        Keepers { members: Members::new(self, Some(hands)), has: Has::NoneYet }
    }

    fn form(&self) -> Form {
        Form::MapWithState
    }

    fn serve<'a>(
        &'a self,
        keepers: &mut Keepers<'a, Self>,
        input: StateOr<S, T>,
    ) -> Result<Option<Self::Out>, Cause> {
        match input {
            StateOr::State(state) => {
                keepers.has = Has::NoneAnyMore;
                // Workers come and go with a state, which is scattered over those that there are then.
                let parts = scattered(state, keepers.members.muster())?;
                let workers = parts.len();
                all(keepers.members.serve(parts.into_iter().map(StateOr::State).collect()))?;
                keepers.has = Has::Parts(workers);
                Ok(None)
            }
            StateOr::Item(item) => {
                let item = SharedItem::new(item);
                let parts = (0..keepers.has.workers()?).map(|_| StateOr::Item(item.clone())).collect();
                let made = all(keepers.members.serve(parts))?;
                Ok(Some(made.into_iter().flatten().collect()))
            }
        }
    }
}
