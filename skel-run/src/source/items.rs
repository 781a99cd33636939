//! What a run can take its items from.

use std::time::Duration;

/// How often a source that waits asks whether the run is to end.
pub(super) const PATIENCE: Duration = Duration::from_millis(20);

/// Something that a run can take its items from: anything that is `IntoIterator`, a channel
/// ([`from_channel`](super::from_channel)), or with the feature `stream` a stream.
#[diagnostic::on_unimplemented(
    message = "a run cannot take its items from `{Self}`",
    note = "give an iterator or a collection whose items can be sent to another thread, or `skel::run::from_channel(receiver)`"
)]
pub trait Items {
    /// An item.
    type Item: Send;

    /// What gives one item after the other.
    type Source: Source<Item = Self::Item>;

    /// The source.
    fn into_source(self) -> Self::Source;
}

/// Gives one item after the other, to whichever thread needs the next.
pub trait Source: Send {
    /// An item.
    type Item: Send;

    /// The next item; none at the end. A source that waits asks now and then whether the run `is_ending`, and
    /// then gives none.
    fn next(&mut self, is_ending: &dyn Fn() -> bool) -> Option<Self::Item>;
}

/// An iterator as a source. It cannot be interrupted while it makes its next item.
pub struct Iterated<I>(I);

impl<I: Iterator + Send> Source for Iterated<I>
where
    I::Item: Send,
{
    type Item = I::Item;

    fn next(&mut self, _: &dyn Fn() -> bool) -> Option<I::Item> {
        self.0.next()
    }
}

impl<I: IntoIterator> Items for I
where
    I::IntoIter: Send,
    I::Item: Send,
{
    type Item = I::Item;
    type Source = Iterated<I::IntoIter>;

    fn into_source(self) -> Self::Source {
        Iterated(self.into_iter())
    }
}
