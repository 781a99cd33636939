//! One of the workers: what it does, its state, and its clock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::Result as Attempt;

use crate::monitor::MemberWatch;

/// What the workers do.
pub trait Duty: Sync {
    /// What one of them is given of an item.
    type Part: Send;

    /// What it makes of it.
    type Reply: Send;

    /// What it keeps from item to item, on its own thread.
    type State;

    /// The state of a worker in the beginning, and after a panic.
    fn state(&self) -> Self::State;

    /// Serves the part of worker `number`. It may panic.
    fn serve(&self, state: &mut Self::State, number: usize, part: Self::Part) -> Self::Reply;

    /// Whether a part is that of a state, so that there is no item meanwhile.
    fn is_state(_: &Self::Part) -> bool {
        false
    }

    /// The state after a panic.
    fn renew(&self, state: &mut Self::State) {
        *state = self.state();
    }
}

/// A worker on its thread.
pub(super) struct Bench<'a, D: Duty + 'a> {
    duty: &'a D,
    number: usize,
    state: D::State,
    watch: Option<MemberWatch>,
}

impl<'a, D: Duty + 'a> Bench<'a, D> {
    /// At the beginning. The leader without a run has no clock.
    pub(super) fn new(duty: &'a D, number: usize, watch: Option<MemberWatch>) -> Self {
        Bench { duty, number, state: duty.state(), watch }
    }

    /// Serves a part. A worker that panics is replaced.
    pub(super) fn serve(&mut self, part: D::Part) -> Attempt<D::Reply> {
        let is_state = D::is_state(&part);
        if let Some(watch) = &mut self.watch {
            watch.begins();
        }
        let attempt = catch_unwind(AssertUnwindSafe(|| self.duty.serve(&mut self.state, self.number, part)));
        if let Some(watch) = &mut self.watch {
            watch.ends(is_state);
        }
        attempt.inspect_err(|_| self.renew())
    }

    #[cold]
    fn renew(&mut self) {
        // The old state may panic once more, when it is dropped. The reply says already that it did.
        let _ = catch_unwind(AssertUnwindSafe(|| self.duty.renew(&mut self.state)));
        if let Some(watch) = &mut self.watch {
            watch.replaced();
        }
    }
}
