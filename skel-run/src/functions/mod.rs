//! The functions of a skeleton's tasks, one behind the other in the order in which items meet them.

mod cause;
mod chain;
mod leaf;

#[doc(hidden)]
pub use crate::engine::{Line, Pass, Plan};
pub use cause::Cause;
pub use chain::{Chain, Traits};
#[doc(hidden)]
pub use chain::{Placed, Supplied};
pub use leaf::{Alone, AloneWith, Fallible, Leaf, Plain, Shared, SharedWith};

/// No function yet.
#[derive(Debug)]
pub struct Start;

/// The functions of some tasks, and that of the task behind them.
#[derive(Debug)]
pub struct Then<P, L: Leaf> {
    before: P,
    leaf: L,
    policy: Policy<L::In>,
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
}

impl Start {
    /// The function of the first task.
    pub fn then<L: Leaf>(self, leaf: L) -> Then<Start, L> {
        Then { before: self, leaf, policy: Policy::stop() }
    }
}

impl<P, L: Leaf> Then<P, L> {
    /// The function of the next task, which takes what this one makes.
    pub fn then<M: Leaf<In = L::Out>>(self, leaf: M) -> Then<Self, M> {
        Then { before: self, leaf, policy: Policy::stop() }
    }

    /// Tries an item that the last task cannot serve so many times again.
    pub fn retry(mut self, times: u32) -> Self
    where
        L::In: Clone,
    {
        self.policy.retries = times;
        self.policy.copy = Some(L::In::clone);
        self
    }

    /// Leaves out, and counts, items that the last task cannot serve.
    pub fn skip_failures(mut self) -> Self {
        self.policy.skips = true;
        self
    }
}
