//! The end of a connection from which a thread takes parcels.

use std::collections::HashMap;

use crate::network::in_order::InOrder;
use crate::network::junction::{Seat, Take};
use crate::network::shared_queue::SharedReceiver;
use crate::network::turns::{Schedule, Turns};
use crate::parcel::Parcel;
use crate::queue::{Leave, Receiver, Waited};
use crate::sync::{Arc, Mutex, lock};

/// Where the items of a run come from.
pub(crate) trait Supply<T>: Send {
    /// The next parcel. None at the end, which may be asked for.
    fn next(&mut self) -> Option<(Parcel<T>, Waited)>;
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
    InOrder(InOrder<T>),
    /// From the one place where they come in order, which others take from as well.
    Junction(Seat<'env, T>),
}

impl<T: Send> Inlet<'_, T> {
    /// Waits for the next parcel. None at the end of the stream, and if the thread is asked to leave.
    ///
    /// What comes through a ring stays in registers, see [`Parcel::by_parts`].
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Option<(Parcel<T>, Waited)> {
        #[cfg(not(shuttle))]
        if let Inlet::Ring(receiver) = self
            && let Some(ring) = receiver.as_ring()
        {
            return ring.recv();
        }
        let (parcel, waited) = match self {
            Inlet::Supply(supply) => supply.next()?,
            _ => self.take_elsewhere()?,
        };
        Some((parcel.by_parts(), waited))
    }

    #[inline(never)]
    fn take_elsewhere(&mut self) -> Option<(Parcel<T>, Waited)> {
        match self {
            Inlet::Supply(supply) => supply.next(),
            Inlet::Ring(receiver) => receiver.recv(),
            Inlet::Shared(receiver, leave) => receiver.end.recv_unless(leave),
            Inlet::InTurn(gather) => gather.take(),
            Inlet::InOrder(in_order) => in_order.take(),
            Inlet::Junction(seat) => seat.take(),
        }
    }
}

impl<T: Send> Take<T> for Inlet<'_, T> {
    fn take(&mut self) -> Option<(Parcel<T>, Waited)> {
        Inlet::take(self)
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
        self.follow();
        loop {
            let came = self.receiver(self.turns.next())?.recv();
            // Members may have changed while this thread waited.
            let has_changed = self.follow();
            if let Some((parcel, waited)) = came {
                // Whoever gave it is still a member, so it was and is its turn.
                self.turns.advance();
                return Some((parcel, waited));
            }
            if !has_changed {
                return None;
            }
        }
    }

    fn follow(&mut self) -> bool {
        let has_changed = self.turns.follow(&self.schedule);
        if has_changed {
            let members = self.turns.members();
            self.open.retain(|member, _| members.contains(member));
        }
        has_changed
    }

    fn receiver(&mut self, member: u32) -> Option<&mut Receiver<Parcel<T>>> {
        if !self.open.contains_key(&member) {
            let receiver = lock(&self.arrivals).remove(&member)?;
            self.open.insert(member, receiver);
        }
        self.open.get_mut(&member)
    }
}
