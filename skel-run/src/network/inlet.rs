//! The end of a connection from which a thread takes parcels.

use std::collections::HashMap;

use crate::network::junction::Seat;
use crate::network::region::Reorder;
use crate::network::shared_queue::SharedReceiver;
use crate::network::turns::{Schedule, Turns};
use crate::parcel::Parcel;
use crate::queue::{Leave, Receiver, Waited};
use crate::sync::{Arc, Mutex, lock};

/// Where the items of a run come from.
pub(crate) trait Supply<T>: Send {
    /// The next parcel. None at the end, which may be asked for.
    fn next(&mut self) -> Option<Parcel<T>>;
}

/// Where a thread takes parcels.
pub(crate) enum Inlet<'env, T> {
    /// From the source itself.
    Supply(Box<dyn Supply<T> + 'env>),
    /// From one other thread.
    Ring(Receiver<Parcel<T>>),
    /// From a queue that others take from as well.
    Shared(SharedReceiver<T>, Leave),
    /// From the members of a deal, in turn.
    InTurn(Gather<T>),
    /// In order, where parcels may have overtaken each other.
    Ordered(Box<Inlet<'env, T>>, Reorder<T>),
    /// From the one place where they come in order, which others take from as well.
    Junction(Seat<'env, T>),
}

impl<T: Send> Inlet<'_, T> {
    /// Waits for the next parcel. None at the end of the stream, and if the thread is asked to leave.
    pub(crate) fn take(&mut self) -> Option<(Parcel<T>, Waited)> {
        match self {
            // The thread that takes from the source waits for the source.
            Inlet::Supply(supply) => Some((supply.next()?, Waited::Yes)),
            Inlet::Ring(receiver) => receiver.recv(),
            Inlet::Shared(receiver, leave) => receiver.end.recv_unless(leave),
            Inlet::InTurn(gather) => gather.take(),
            Inlet::Ordered(inlet, reorder) => take_in_order(inlet, reorder),
            Inlet::Junction(seat) => seat.take(),
        }
    }
}

fn take_in_order<T: Send>(inlet: &mut Inlet<'_, T>, reorder: &mut Reorder<T>) -> Option<(Parcel<T>, Waited)> {
    let mut has_waited = Waited::No;
    loop {
        if let Some(parcel) = reorder.next() {
            return Some((parcel, has_waited));
        }
        let (parcel, waited) = inlet.take()?;
        if parcel.is_marker() {
            return Some((parcel, waited));
        }
        has_waited = has_waited.or(waited);
        reorder.hold(parcel);
    }
}

/// The queues behind the members of a deal that nobody reads from yet, by member.
pub(crate) type Arrivals<T> = Arc<Mutex<HashMap<u32, Receiver<Parcel<T>>>>>;

/// Takes from the members of a deal in turn.
pub(crate) struct Gather<T> {
    arrivals: Arrivals<T>,
    open: HashMap<u32, Receiver<Parcel<T>>>,
    turns: Turns,
    schedule: Arc<Schedule>,
}

impl<T: Send> Gather<T> {
    /// From these members, which change as the schedule says.
    pub(crate) fn new(arrivals: Arrivals<T>, turns: Turns, schedule: Arc<Schedule>) -> Self {
        Gather { arrivals, open: HashMap::new(), turns, schedule }
    }

    fn take(&mut self) -> Option<(Parcel<T>, Waited)> {
        loop {
            if self.turns.follow(&self.schedule) {
                let members = self.turns.members();
                self.open.retain(|member, _| members.contains(member));
            }
            let (parcel, waited) = self.receiver(self.turns.next())?.recv()?;
            if parcel.marks(self.schedule.deal) {
                continue;
            }
            if !parcel.is_marker() {
                self.turns.advance();
            }
            return Some((parcel, waited));
        }
    }

    fn receiver(&mut self, member: u32) -> Option<&mut Receiver<Parcel<T>>> {
        if !self.open.contains_key(&member) {
            let receiver = lock(&self.arrivals).remove(&member)?;
            self.open.insert(member, receiver);
        }
        self.open.get_mut(&member)
    }
}
