//! The end of a connection to which a thread gives parcels.

use crate::network::region::Region;
use crate::network::shared_queue::SharedSender;
use crate::network::turns::{Schedule, Turns};
use crate::parcel::Parcel;
use crate::queue::{Closed, Sender, Waited};
use crate::sync::{Arc, AtomicU64, Mutex, Ordering, lock};

/// Where a thread gives parcels.
pub(crate) enum Outlet<T> {
    /// To one other thread.
    Ring(Sender<Parcel<T>>),
    /// Into a queue that others give to as well.
    Shared(SharedSender<T>),
    /// To the members of a deal, in turn.
    InTurn(Dealer<T>),
    /// Into a region, at whose end order is restored.
    Entering(Arc<Region>, Box<Outlet<T>>),
}

impl<T: Send> Outlet<T> {
    /// Waits for room, and gives the parcel. What goes through a ring stays in registers, see
    /// [`Parcel::by_parts`].
    #[inline(always)]
    pub(crate) fn give(&mut self, parcel: Parcel<T>) -> Result<Waited, Closed<Parcel<T>>> {
        #[cfg(not(shuttle))]
        if let Outlet::Ring(sender) = self
            && let Some(ring) = sender.as_ring()
        {
            return ring.send(parcel);
        }
        self.give_elsewhere(parcel.by_parts())
    }

    #[inline(never)]
    fn give_elsewhere(&mut self, mut parcel: Parcel<T>) -> Result<Waited, Closed<Parcel<T>>> {
        match self {
            Outlet::Ring(sender) => sender.send(parcel),
            Outlet::Shared(sender) => sender.end.send(parcel),
            Outlet::InTurn(dealer) => dealer.give(parcel),
            Outlet::Entering(region, outlet) => {
                let waited = region.enter(&mut parcel.number);
                Ok(outlet.give(parcel)?.or(waited))
            }
        }
    }
}

/// The members of a deal, as those who join and dismiss them and the one who hands out to them see them.
pub(crate) struct Branches<T> {
    /// How many changes there have been.
    changes: AtomicU64,
    state: Mutex<Pending<T>>,
}

struct Pending<T> {
    arriving: Vec<(u32, Outlet<T>)>,
    leaving: Vec<u32>,
    has_ended: bool,
}

impl<T> Branches<T> {
    /// No members yet.
    pub(crate) fn new() -> Arc<Self> {
        let state = Mutex::new(Pending { arriving: Vec::new(), leaving: Vec::new(), has_ended: false });
        Arc::new(Branches { changes: AtomicU64::new(0), state })
    }

    /// One more member. Whether it is not too late.
    pub(crate) fn join(&self, member: u32, outlet: Outlet<T>) -> bool {
        let mut state = lock(&self.state);
        if state.has_ended {
            return false;
        }
        state.arriving.push((member, outlet));
        self.changes.fetch_add(1, Ordering::Release);
        true
    }

    /// One member less.
    pub(crate) fn dismiss(&self, member: u32) {
        lock(&self.state).leaving.push(member);
        self.changes.fetch_add(1, Ordering::Release);
    }

    /// Whether the one who hands out has ended.
    pub(crate) fn have_ended(&self) -> bool {
        lock(&self.state).has_ended
    }
}

/// Hands out to the members of a deal in turn.
pub(crate) struct Dealer<T> {
    branches: Arc<Branches<T>>,
    /// How many changes of the branches were followed.
    seen: u64,
    /// The members with their outlets, in the order of their turns.
    members: Vec<(u32, Outlet<T>)>,
    turns: Turns,
    schedule: Arc<Schedule>,
}

impl<T: Send> Dealer<T> {
    /// To these branches.
    pub(crate) fn new(branches: Arc<Branches<T>>, turns: Turns, schedule: Arc<Schedule>) -> Self {
        Dealer { branches, seen: 0, members: Vec::new(), turns, schedule }
    }

    fn give(&mut self, parcel: Parcel<T>) -> Result<Waited, Closed<Parcel<T>>> {
        if self.branches.changes.load(Ordering::Acquire) != self.seen {
            self.follow();
        }
        let turn = self.turns.next();
        let Some((_, outlet)) = self.members.iter_mut().find(|(member, _)| *member == turn) else {
            return Err(Closed(parcel));
        };
        self.turns.advance();
        outlet.give(parcel)
    }

    /// Lets members in and out.
    fn follow(&mut self) {
        let mut state = lock(&self.branches.state);
        self.seen = self.branches.changes.load(Ordering::Acquire);
        let (arriving, leaving) = (std::mem::take(&mut state.arriving), std::mem::take(&mut state.leaving));
        drop(state);
        self.members.extend(arriving);
        self.members.sort_by_key(|(member, _)| *member);
        let remains = |member: &u32| !leaving.contains(member);
        let members: Vec<u32> = self.members.iter().map(|(member, _)| *member).filter(remains).collect();
        if members != self.turns.members() {
            self.turns.decide(members, &self.schedule);
        }
        self.members.retain(|(member, _)| remains(member));
    }
}

impl<T> Drop for Dealer<T> {
    fn drop(&mut self) {
        let mut state = lock(&self.branches.state);
        state.has_ended = true;
        let arriving = std::mem::take(&mut state.arriving);
        drop(state);
        drop(arriving);
    }
}
