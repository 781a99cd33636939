//! What a worker does with a parcel: it serves each item, as often as its policy says.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::functions::{Cause, Leaf, Policy};
use crate::monitor::Keeper;
use crate::parcel::{Item, Items, drop_safely};
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
        items: Items<L::In>,
        watch: &mut impl Keeper,
    ) -> Items<L::Out> {
        match items {
            Items::One(item) => self.serve_safely(worker, item, watch).map_or_else(Items::none, Items::One),
            Items::Many(items) if self.policy.retries == 0 => {
                Items::Many(self.serve_once(worker, items, watch))
            }
            Items::Many(items) => Items::Many(self.serve_each(worker, items, watch)),
        }
    }

    /// Each item has as many attempts as the policy says.
    #[inline(never)]
    fn serve_each(
        &self,
        worker: &mut L::Worker<'env>,
        items: Vec<Item<L::In>>,
        watch: &mut impl Keeper,
    ) -> Vec<Item<L::Out>> {
        items.into_iter().filter_map(|item| self.serve_safely(worker, item, watch)).collect()
    }

    /// Each item has one attempt. Panics are caught around all items in a row rather than around each, which
    /// makes a parcel of short tasks cheaper; after a panic it goes on with the item behind.
    #[inline(never)]
    fn serve_once(
        &self,
        worker: &mut L::Worker<'env>,
        items: Vec<Item<L::In>>,
        watch: &mut impl Keeper,
    ) -> Vec<Item<L::Out>> {
        let mut served = Vec::with_capacity(items.len());
        let mut items = items.into_iter();
        while items.len() > 0 {
            let mut at = 0;
            let row = catch_unwind(AssertUnwindSafe(|| {
                for Item { place, value } in items.by_ref() {
                    at = place;
                    if self.progress.discards(place) {
                        drop_safely(value);
                        continue;
                    }
                    match self.leaf.serve(worker, value) {
                        Ok(Some(value)) => served.push(Item { place, value }),
                        Ok(None) => watch.kept(),
                        Err(cause) => self.give_up(place, cause, watch),
                    }
                }
            }));
            if let Err(thrown) = row {
                let cause = self.renew(worker, thrown, watch);
                self.give_up(at, cause, watch);
            }
        }
        served
    }

    /// Serves an item, as often as the policy says. None if it ends here.
    #[inline(always)]
    pub(crate) fn serve_safely(
        &self,
        worker: &mut L::Worker<'env>,
        item: Item<L::In>,
        watch: &mut impl Keeper,
    ) -> Option<Item<L::Out>> {
        let Item { place, mut value } = item;
        if self.progress.discards(place) {
            drop_safely(value);
            return None;
        }
        for left in (0..=self.policy.retries).rev() {
            let mut copy = None;
            // A worker that panicked is renewed before it serves another item.
            let attempt = catch_unwind(AssertUnwindSafe(|| {
                copy = if left > 0 { self.policy.copy.map(|copy| copy(&value)) } else { None };
                self.leaf.serve(worker, value)
            }));
            let cause = match attempt {
                Ok(Ok(made)) => {
                    drop_safely(copy);
                    if made.is_none() {
                        watch.kept();
                    }
                    return made.map(|value| Item { place, value });
                }
                Ok(Err(cause)) => cause,
                Err(thrown) => self.renew(worker, thrown, watch),
            };
            let Some(copy) = copy else {
                self.give_up(place, cause, watch);
                return None;
            };
            drop_safely(cause);
            watch.retried();
            value = copy;
        }
        None
    }

    #[cold]
    fn renew(
        &self,
        worker: &mut L::Worker<'env>,
        thrown: Box<dyn Any + Send>,
        watch: &mut impl Keeper,
    ) -> Cause {
        let cause = Cause::of_panic(&*thrown);
        drop_safely(thrown);
        // The destructor of a worker's state may panic, too. The state is gone then.
        let _ = catch_unwind(AssertUnwindSafe(|| self.leaf.renew(worker)));
        watch.replaced();
        cause
    }

    #[cold]
    fn give_up(&self, place: u64, cause: Cause, watch: &mut impl Keeper) {
        if self.policy.skips {
            drop_safely(cause);
            watch.skipped();
        } else {
            self.progress.fail(FailedItem { who: Who::Task(self.task), place, cause });
        }
    }
}
