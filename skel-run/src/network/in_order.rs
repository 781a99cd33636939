//! Parcels in order, taken from a queue in which they may have overtaken each other.
//!
//! A parcel that comes before its turn is put into a store. With each parcel that leaves the store one more
//! is taken from the queue, if one is there, so that the senders find room as often as they would without an
//! order. A receiver that took nothing as long as the store has its next parcel would let them wait: a farm
//! would then be up to a quarter slower than its model, in which the order of items does not matter. One that
//! put all into the store at once would take the bound away from the queue, and the farm would be faster than
//! its model.

use crate::network::region::{Region, Reorder};
use crate::network::shared_queue::SharedReceiver;
use crate::parcel::Parcel;
use crate::queue::Waited;
use crate::sync::Arc;

/// The receiver at the end of a region.
pub(crate) struct InOrder<T> {
    receiver: SharedReceiver<T>,
    reorder: Reorder<T>,
}

impl<T: Send> InOrder<T> {
    /// Takes from this queue the parcels of this region.
    pub(crate) fn new(receiver: SharedReceiver<T>, region: Arc<Region>) -> Self {
        InOrder { receiver, reorder: Reorder::new(region) }
    }

    /// Waits for the next parcel in order. None at the end of the stream.
    pub(crate) fn take(&mut self) -> Option<(Parcel<T>, Waited)> {
        if let Some(parcel) = self.reorder.next() {
            if let Some(other) = self.receiver.end.try_recv() {
                self.reorder.hold(other);
            }
            return Some((parcel, Waited::No));
        }
        let mut has_waited = Waited::No;
        loop {
            let (parcel, waited) = self.receiver.end.recv()?;
            has_waited = has_waited.or(waited);
            self.reorder.hold(parcel);
            if let Some(next) = self.reorder.next() {
                return Some((next, has_waited));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::InOrder;
    use crate::network::region::Region;
    use crate::network::shared_queue::SharedQueue;
    use crate::parcel::{Items, Parcel};
    use crate::sync::Arc;

    /// A farm is as fast as its model because its workers find room as soon as the receiver begins with its
    /// next parcel.
    #[test]
    fn each_parcel_makes_room_for_another() {
        let queue = SharedQueue::<()>::new(4);
        let (mut sender, receiver) = (queue.sender().unwrap(), queue.receiver().unwrap());
        let mut in_order = InOrder::new(receiver, Arc::new(Region::new(16, true)));
        let mut send = |number| {
            sender.end.send(Parcel { number, items: Items::none() }).unwrap();
        };
        let mut next = || in_order.take().map(|(parcel, _)| (parcel.number, waiting(&queue)));

        [1, 2, 0, 3].into_iter().for_each(&mut send);
        assert_eq!(next(), Some((0, vec![3])), "nothing is taken beyond the parcel whose turn it is");
        [5, 4, 6].into_iter().for_each(&mut send);
        assert_eq!(next(), Some((1, vec![5, 4, 6])));
        assert_eq!(next(), Some((2, vec![4, 6])));
        assert_eq!(next(), Some((3, vec![6])));
        assert_eq!(next(), Some((4, vec![])));
        assert_eq!(next(), Some((5, vec![])));
        assert_eq!(next(), Some((6, vec![])));
    }

    /// The numbers of the parcels in a queue, which stay there.
    fn waiting(queue: &Arc<SharedQueue<()>>) -> Vec<u64> {
        let (mut sender, mut receiver) = (queue.sender().unwrap(), queue.receiver().unwrap());
        let parcels: Vec<_> = std::iter::from_fn(|| receiver.end.try_recv()).collect();
        let numbers = parcels.iter().map(|parcel| parcel.number).collect();
        for parcel in parcels {
            sender.end.send(parcel).unwrap();
        }
        numbers
    }
}
