//! The functions of a fault-tolerant stage: each worker computes the same from an item in another way, and
//! the majority decides.

mod majority;

use std::marker::PhantomData;
use std::thread::Result as Attempt;

use super::cause::Cause;
use super::leaf::{Answer, Form, Leaf, Signature};
use super::returns::{Returns, made};
use crate::parcel::drop_safely;
use crate::team::{Duty, Hands, Members, Panel, SharedItem};
use majority::Ballot;

pub use majority::NoMajority;

/// A function for each worker of a fault-tolerant stage. It makes what the majority of them return, by `Eq`.
///
/// A worker that panics or returns an error agrees with nobody.
///
/// # Examples
/// ```
/// use skel::prelude::*;
///
/// pipe! { skeleton Roots { fault_tolerant(3, "root", 1e6, early) } }
///
/// let (roots, _) = Roots::new().run()
///     .root(
///         |number: &u64| number.isqrt(),
///         |number| (1..).take_while(|root| root * root <= *number).count() as u64,
///         |number| if *number < 50 { number.isqrt() } else { panic!("too large for me") },
///     )
///     .collect([16, 49, 90])?;
/// assert_eq!(roots, [4, 7, 9]);
/// # Ok::<(), skel::run::Error>(())
/// ```
#[derive(Debug)]
pub struct Vote<A, R, V> {
    functions: V,
    types: PhantomData<fn(A) -> R>,
}

/// A function for each worker: an array or a `Vec` of functions of one type, or a tuple of 3, 5, 7 or 9
/// functions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not the functions of a fault-tolerant stage",
    label = "a function for each worker is expected here",
    note = "write a tuple of 3, 5, 7 or 9 functions of the same item, `(|item: &A| .., |item: &A| .., |item: &A| ..)`, or an array of them"
)]
pub trait Voters<A, R: Returns>: Sync {
    /// How many there are.
    fn number(&self) -> usize;

    /// Calls one of them.
    fn call(&self, number: usize, item: &A) -> R::Returned;
}

impl<A, R: Returns, F: Fn(&A) -> R::Returned + Sync, const N: usize> Voters<A, R> for [F; N] {
    fn number(&self) -> usize {
        N
    }

    fn call(&self, number: usize, item: &A) -> R::Returned {
        self[number](item)
    }
}

impl<A, R: Returns, F: Fn(&A) -> R::Returned + Sync> Voters<A, R> for Vec<F> {
    fn number(&self) -> usize {
        self.len()
    }

    fn call(&self, number: usize, item: &A) -> R::Returned {
        self[number](item)
    }
}

macro_rules! tuples {
    ($($number:literal: $($function:ident $place:tt)*;)*) => {$(
        impl<A, R: Returns, $($function: Fn(&A) -> R::Returned + Sync),*> Voters<A, R> for ($($function,)*) {
            fn number(&self) -> usize {
                $number
            }

            fn call(&self, number: usize, item: &A) -> R::Returned {
                let functions: [&dyn Fn(&A) -> R::Returned; $number] = [$(&self.$place),*];
                functions[number](item)
            }
        }
    )*};
}
tuples! {
    3: F0 0 F1 1 F2 2;
    5: F0 0 F1 1 F2 2 F3 3 F4 4;
    7: F0 0 F1 1 F2 2 F3 3 F4 4 F5 5 F6 6;
    9: F0 0 F1 1 F2 2 F3 3 F4 4 F5 5 F6 6 F7 7 F8 8;
}

impl<A, R, V> Vote<A, R, V> {
    /// These functions vote.
    pub fn new(functions: V) -> Self {
        Vote { functions, types: PhantomData }
    }
}

impl<A, R: Answer, V> Signature for Vote<A, R, V> {
    type In = A;
    type Out = R::Made;
}

impl<A: Send + Sync, R: Returns, V: Voters<A, R>> Duty for Vote<A, R, V> {
    type Part = SharedItem<A>;
    type Reply = Result<R::Made, Cause>;
    type State = ();

    fn state(&self) {}

    fn serve(&self, (): &mut (), number: usize, item: SharedItem<A>) -> Self::Reply {
        R::value(self.functions.call(number, &item))
    }
}

/// The workers that vote.
pub enum Panels<'a, D: Duty + 'a> {
    /// All replies are waited for.
    All(Members<'a, D>),
    /// Replies are waited for until they decide.
    Early(Panel<'a, D>),
}

impl<A: Send + Sync, R: Returns<Made: Eq>, V: Voters<A, R>> Leaf for Vote<A, R, V> {
    type Worker<'a>
        = Panels<'a, Self>
    where
        Self: 'a;

    fn worker(&self) -> Panels<'_, Self> {
        Panels::All(Members::new(self, None))
    }

    fn lead<'a>(&'a self, hands: Hands<'a>) -> Panels<'a, Self> {
        match hands.is_early {
            true => Panels::Early(Panel::new(self, hands)),
            false => Panels::All(Members::new(self, Some(hands))),
        }
    }

    fn form(&self) -> Form {
        Form::FaultTolerant(self.functions.number())
    }

    fn serve<'a>(&'a self, panels: &mut Panels<'a, Self>, item: A) -> Result<Option<R::Made>, Cause> {
        let item = SharedItem::new(item);
        let decision = match panels {
            Panels::All(members) => {
                let workers = members.muster().workers();
                let mut replies = members.serve(vec![item; workers]).into_iter().enumerate();
                let mut decide = decider(workers);
                let decision = replies.by_ref().find_map(|(number, reply)| decide(number, reply));
                replies.for_each(drop_safely);
                decision
            }
            Panels::Early(panel) => {
                let decide = decider(panel.muster());
                Some(panel.serve(item, decide))
            }
        };
        decision.transpose()
    }
}

/// Counts replies until they decide.
fn decider<B: Eq>(
    workers: usize,
) -> impl FnMut(usize, Attempt<Result<B, Cause>>) -> Option<Result<B, Cause>> {
    let mut ballot = Ballot::new(workers);
    move |number, reply| {
        let decision = ballot.add(number, made(reply))?;
        Some(decision.map_err(|error| Cause::Error(Box::new(error))))
    }
}
