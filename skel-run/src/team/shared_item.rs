//! An item that several workers look at.

use std::ops::Deref;

use crate::parcel::drop_safely;
use crate::sync::Arc;

/// An item that several workers look at, of whom some may be late. Whoever has it last drops it. If its
/// destructor panics, that is no failure of the worker which happens to be the last.
#[derive(Debug)]
pub struct SharedItem<T>(Option<Arc<T>>);

impl<T> SharedItem<T> {
    pub(crate) fn new(item: T) -> Self {
        SharedItem(Some(Arc::new(item)))
    }
}

// Not derived: `T` need not be `Clone`.
impl<T> Clone for SharedItem<T> {
    fn clone(&self) -> Self {
        SharedItem(self.0.clone())
    }
}

impl<T> Deref for SharedItem<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().expect("it is there until it is dropped")
    }
}

impl<T> Drop for SharedItem<T> {
    fn drop(&mut self) {
        drop_safely(self.0.take());
    }
}
