//! What a worker does with a parcel: it serves each item, as often as its policy says.

use std::mem::needs_drop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::functions::{Cause, Leaf, Policy};
use crate::monitor::Watch;
use crate::parcel::{Item, Items, Parcel};
use crate::progress::{FailedItem, Progress, Who};
use crate::sync::Arc;

/// A task with what is needed to serve items.
pub(crate) struct Station<'env, L: Leaf> {
    pub(crate) leaf: &'env L,
    pub(crate) policy: &'env Policy<L::In>,
    /// Its number.
    pub(crate) task: usize,
    pub(crate) progress: Arc<Progress>,
}

impl<'env, L: Leaf> Station<'env, L> {
    /// Serves the items of a parcel. Those that end here are not in the answer.
    pub(crate) fn serve(
        &self,
        worker: &mut L::Worker<'env>,
        parcel: Parcel<L::In>,
        watch: &mut Watch<'_>,
    ) -> Parcel<L::Out> {
        let items = match parcel.items {
            Items::One(item) => match self.serve_safely(worker, item, watch) {
                Some(item) => Items::One(item),
                None => Items::none(),
            },
            Items::Many(items) => {
                let served = items.into_iter().filter_map(|item| self.serve_safely(worker, item, watch));
                Items::Many(served.collect())
            }
        };
        Parcel { number: parcel.number, items }
    }

    /// As [`Self::serve_item`]. Items may also panic when they are dropped.
    fn serve_safely(
        &self,
        worker: &mut L::Worker<'env>,
        item: Item<L::In>,
        watch: &mut Watch<'_>,
    ) -> Option<Item<L::Out>> {
        if !needs_drop::<L::In>() {
            return self.serve_item(worker, item, watch);
        }
        let place = item.place;
        catch_unwind(AssertUnwindSafe(|| self.serve_item(worker, item, watch))).unwrap_or_else(|thrown| {
            self.give_up(place, Cause::of_panic(&*thrown), watch);
            None
        })
    }

    fn serve_item(
        &self,
        worker: &mut L::Worker<'env>,
        item: Item<L::In>,
        watch: &mut Watch<'_>,
    ) -> Option<Item<L::Out>> {
        let Item { place, mut value } = item;
        if self.progress.discards(place) {
            return None;
        }
        for left in (0..=self.policy.retries).rev() {
            let copy = if left > 0 { self.policy.copy.map(|copy| copy(&value)) } else { None };
            let cause = match self.attempt(worker, value) {
                Ok(value) => return Some(Item { place, value }),
                Err(cause) => cause,
            };
            if matches!(cause, Cause::Panic(_)) {
                self.leaf.renew(worker);
                watch.replaced();
            }
            let Some(copy) = copy else {
                self.give_up(place, cause, watch);
                return None;
            };
            watch.retried();
            value = copy;
        }
        None
    }

    fn attempt(&self, worker: &mut L::Worker<'env>, value: L::In) -> Result<L::Out, Cause> {
        // A worker that panicked is renewed before it serves another item.
        catch_unwind(AssertUnwindSafe(|| self.leaf.serve(worker, value)))
            .unwrap_or_else(|thrown| Err(Cause::of_panic(&*thrown)))
    }

    fn give_up(&self, place: u64, cause: Cause, watch: &mut Watch<'_>) {
        if self.policy.skips {
            watch.skipped();
        } else {
            self.progress.fail(FailedItem { who: Who::Task(self.task), place, cause });
        }
    }
}
