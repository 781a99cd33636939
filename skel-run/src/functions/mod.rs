//! The functions of a skeleton's tasks, one behind the other in the order in which items meet them.

mod attach;
mod cause;
mod inline;
mod leaf;
mod map;
mod map_with_state;
mod named;
mod returns;
mod scatter;
mod teams;
mod vote;
mod words;

#[doc(hidden)]
pub use crate::team::Hands;
pub use crate::team::Shares;
pub use attach::{At, Attach, Follows, Inside, MayChange, Outside};
pub use cause::Cause;
#[doc(hidden)]
pub use inline::{Behind, Common, Own, OwnLeaf, Witness, alone, shared};
pub use leaf::{Alone, AloneWith, Answer, Fallible, Form, Leaf, Plain, Shared, SharedWith, Signature};
pub use map::{Map, MapWith, Maps, Reduced};
pub use map_with_state::{AsItIs, Built, Keep, MapWithState, StateOr};
#[doc(hidden)]
pub use named::{AnyItem, Complete, Gives, HasKnownName, HasName, Made, Next, Tasks};
pub use returns::Returns;
pub use scatter::Scatter;
#[doc(hidden)]
pub use teams::{FunctionOf, OfTeam, Voting, by_majority, in_parts, with_state};
pub use vote::{NoMajority, Vote, Voters};
pub use words::{Compared, Failing, Item, LastIsMap, LastTakes, Repeatable, Shown, State};

/// No function yet.
#[derive(Debug)]
pub struct Start;

/// The functions of some tasks, and that of the task behind them.
#[derive(Debug)]
pub struct Then<P, L: Signature> {
    pub(crate) before: P,
    pub(crate) leaf: L,
    pub(crate) policy: Policy<L::In>,
}

/// What happens to an item that a task cannot serve.
#[derive(Debug)]
pub struct Policy<A> {
    /// How often it is tried again.
    pub(crate) retries: u32,
    /// What copies it before an attempt, so that there is something to try again with.
    pub(crate) copy: Option<fn(&A) -> A>,
    /// Whether it is left out in the end, rather than ending the run.
    pub(crate) skips: bool,
}

impl<A> Policy<A> {
    /// The run ends.
    fn stop() -> Self {
        Policy { retries: 0, copy: None, skips: false }
    }

    /// It is tried so many times again.
    pub(crate) fn retry(&mut self, times: u32)
    where
        A: Clone,
    {
        self.retries = times;
        self.copy = Some(A::clone);
    }

    /// It is left out and counted.
    pub(crate) fn skip(&mut self) {
        self.skips = true;
    }
}

impl Start {
    /// The function of the first task.
    pub fn then<L: Leaf>(self, leaf: L) -> Then<Start, L> {
        Then::behind(self, leaf)
    }
}

impl<P, L: Signature> Then<P, L> {
    /// The function of the next task, which takes what this one makes.
    pub fn then<M: Leaf<In = L::Out>>(self, leaf: M) -> Then<Self, M> {
        Then::behind(self, leaf)
    }

    /// A function behind others, which are those of the tasks before.
    pub(crate) fn behind(before: P, leaf: L) -> Self {
        Then { before, leaf, policy: Policy::stop() }
    }

    /// Tries an item that the last task cannot serve so many times again.
    pub fn retry(mut self, times: u32) -> Self
    where
        L::In: Clone,
    {
        self.policy.retry(times);
        self
    }

    /// Leaves out, and counts, items that the last task cannot serve.
    pub fn skip_failures(mut self) -> Self {
        self.policy.skip();
        self
    }
}
