//! The function of a map: each worker makes something of its part of an item.

use std::marker::PhantomData;

use super::cause::Cause;
use super::leaf::{Answer, Form, Leaf, Signature};
use super::returns::{Returns, all};
use super::scatter::Scatter;
use crate::parcel::drop_safely;
use crate::team::{Duty, Hands, Members, Shares};

/// A function for a part of an item, which all workers of a map share. The map makes the results of the
/// parts, in the order of the workers.
///
/// # Examples
/// ```
/// use skel::prelude::*;
///
/// pipe! { skeleton Sums { task("read", 1e6), map(3, "square", 1e6), task("show", 1e6) } }
///
/// let (sums, _) = Sums::new().run()
///     .read(|length: u64| 0..length)
///     .square(|part| part.map(|number| number * number).sum::<u64>())
///     .reduce(|one, other| one + other)
///     .show(|sum| sum.to_string())
///     .collect([0, 4, 100])?;
/// assert_eq!(sums, ["0", "14", "328350"]);
/// # Ok::<(), skel::run::Error>(())
/// ```
#[derive(Debug)]
pub struct Map<A, R, F> {
    function: F,
    types: PhantomData<fn(A) -> R>,
}

/// As [`Map`], where each worker has a state of its own, which is made anew after a panic.
#[derive(Debug)]
pub struct MapWith<A, R, S, M, F> {
    make: M,
    function: F,
    types: PhantomData<fn(A, S) -> R>,
}

/// A map whose results are made one by an associative function, in the order of the workers.
#[derive(Debug)]
pub struct Reduced<L, G> {
    leaf: L,
    reduce: G,
}

impl<A, R, F> Map<A, R, F> {
    /// Workers that share a function.
    pub fn new(function: F) -> Self {
        Map { function, types: PhantomData }
    }
}

impl<A, R, S, M, F> MapWith<A, R, S, M, F> {
    /// Workers that share a function, each with a state.
    pub fn new(make: M, function: F) -> Self {
        MapWith { make, function, types: PhantomData }
    }
}

impl<L, G> Reduced<L, G> {
    /// The results of this map, made one.
    pub fn new(leaf: L, reduce: G) -> Self {
        Reduced { leaf, reduce }
    }
}

/// A map, with or without state, whose results are those of its workers.
#[diagnostic::on_unimplemented(
    message = "the stage before is no map, so there is nothing to reduce",
    label = "`reduce` is said behind the function of a map or of a map with state"
)]
pub trait Maps: Signature {
    /// What each of its workers makes.
    type Each;
}

impl<A, R: Answer, F> Maps for Map<A, R, F> {
    type Each = R::Made;
}

impl<A, R: Answer, S, M, F> Maps for MapWith<A, R, S, M, F> {
    type Each = R::Made;
}

impl<A, R: Answer, F> Signature for Map<A, R, F> {
    type In = A;
    type Out = Vec<R::Made>;
}

impl<A, R: Answer, S, M, F> Signature for MapWith<A, R, S, M, F> {
    type In = A;
    type Out = Vec<R::Made>;
}

impl<L: Maps, G> Signature for Reduced<L, G> {
    type In = L::In;
    type Out = L::Each;
}

impl<A: Scatter, R: Returns, F: Fn(A::Part) -> R::Returned + Sync> Duty for Map<A, R, F> {
    type Part = A::Part;
    type Reply = Result<R::Made, Cause>;
    type State = ();

    fn state(&self) {}

    fn serve(&self, (): &mut (), _: usize, part: A::Part) -> Self::Reply {
        R::value((self.function)(part))
    }
}

impl<A: Scatter, R: Returns, S, M, F> Duty for MapWith<A, R, S, M, F>
where
    M: Fn() -> S + Sync,
    F: Fn(&mut S, A::Part) -> R::Returned + Sync,
{
    type Part = A::Part;
    type Reply = Result<R::Made, Cause>;
    type State = Option<S>;

    fn state(&self) -> Option<S> {
        None
    }

    fn serve(&self, state: &mut Option<S>, _: usize, part: A::Part) -> Self::Reply {
        R::value((self.function)(state.get_or_insert_with(&self.make), part))
    }
}

impl<A: Scatter + Send, R: Returns, F: Fn(A::Part) -> R::Returned + Sync> Leaf for Map<A, R, F> {
    type Worker<'a>
        = Members<'a, Self>
    where
        Self: 'a;

    fn worker(&self) -> Members<'_, Self> {
        Members::new(self, None)
    }

    fn lead<'a>(&'a self, hands: Hands<'a>) -> Members<'a, Self> {
        Members::new(self, Some(hands))
    }

    fn form(&self) -> Form {
        Form::Map
    }

    fn serve<'a>(&'a self, members: &mut Members<'a, Self>, item: A) -> Result<Option<Self::Out>, Cause> {
        serve(members, item)
    }
}

impl<A: Scatter + Send, R: Returns, S, M, F> Leaf for MapWith<A, R, S, M, F>
where
    M: Fn() -> S + Sync,
    F: Fn(&mut S, A::Part) -> R::Returned + Sync,
{
    type Worker<'a>
        = Members<'a, Self>
    where
        Self: 'a;

    fn worker(&self) -> Members<'_, Self> {
        Members::new(self, None)
    }

    fn lead<'a>(&'a self, hands: Hands<'a>) -> Members<'a, Self> {
        Members::new(self, Some(hands))
    }

    fn form(&self) -> Form {
        Form::Map
    }

    fn serve<'a>(&'a self, members: &mut Members<'a, Self>, item: A) -> Result<Option<Self::Out>, Cause> {
        serve(members, item)
    }
}

/// Scatters an item, and gathers what the workers make of its parts.
fn serve<A, B, D>(members: &mut Members<'_, D>, item: A) -> Result<Option<Vec<B>>, Cause>
where
    A: Scatter,
    D: Duty<Part = A::Part, Reply = Result<B, Cause>>,
{
    let parts = scattered(item, members.muster())?;
    all(members.serve(parts)).map(Some)
}

/// The parts of an item, one for each worker.
pub(super) fn scattered<A: Scatter>(item: A, shares: &Shares) -> Result<Vec<A::Part>, Cause> {
    let workers = shares.workers();
    let parts = item.scatter(shares);
    match parts.len() == workers {
        true => Ok(parts),
        false => {
            let message = format!(
                "its item was scattered into {} parts for {workers} workers: `Scatter::scatter` makes a part for each share",
                parts.len()
            );
            parts.into_iter().for_each(drop_safely);
            Err(Cause::Error(message.into()))
        }
    }
}

impl<B: Send, L: Leaf<Out = Vec<B>> + Maps<Each = B>, G: Fn(B, B) -> B + Sync> Leaf for Reduced<L, G> {
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

    fn serve<'a>(&'a self, worker: &mut L::Worker<'a>, item: L::In) -> Result<Option<B>, Cause> {
        let made = self.leaf.serve(worker, item)?;
        Ok(made.and_then(|made| made.into_iter().reduce(&self.reduce)))
    }

    fn renew<'a>(&'a self, worker: &mut L::Worker<'a>) {
        self.leaf.renew(worker);
    }
}
