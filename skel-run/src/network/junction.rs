//! A junction: one place where parcels come in order, from which several threads take them, one at a time.
//!
//! Two locks keep two things apart. Whoever holds that of the inlet takes a parcel, and may wait for the
//! source or for room in a region. That of the turns is held for moments only, so that replicas can come and
//! go however long the source takes.

use std::collections::HashMap;

use skel_core::skeleton::Replication;

use crate::network::region::Region;
use crate::network::turns::{Schedule, Turns};
use crate::parcel::Parcel;
use crate::queue::{Leave, Waited};
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, lock, wait};

/// One parcel after the other, in order.
pub(crate) trait Take<T> {
    /// Waits for the next parcel. None at the end of the stream.
    fn take(&mut self) -> Option<(Parcel<T>, Waited)>;
}

/// A junction.
pub(crate) struct Junction<'env, T> {
    /// The levels at which there are deals, among the deals and farms behind it, the outermost first.
    deals: Vec<usize>,
    inlet: Mutex<Box<dyn Take<T> + Send + 'env>>,
    /// The region that begins here.
    region: Option<Arc<Region>>,
    has_ended: AtomicBool,
    /// Whose turn it is. Of no use where there are only farms.
    turns: Mutex<DealTurns>,
    changed: Condvar,
}

#[derive(Default)]
struct DealTurns {
    /// The deals behind the junction, by the replicas that each is in.
    deals: HashMap<Vec<u32>, (Turns, Arc<Schedule>)>,
    /// Whether the thread whose turn it is takes its parcel.
    is_taking: bool,
    /// Changes of members that wait until it has it.
    changes: Vec<(Vec<u32>, Change)>,
    /// How many threads wait for their turn.
    waiting: usize,
}

/// A change of the members of a deal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// This one joins, unless it is a member.
    Join(u32),
    /// This one leaves.
    Leave(u32),
}

/// The place of one thread at a junction.
pub(crate) struct Seat<'env, T> {
    pub(crate) junction: Arc<Junction<'env, T>>,
    /// The replica of each deal and farm behind the junction that the thread is in.
    pub(crate) replicas: Vec<u32>,
    pub(crate) leave: Leave,
    /// The regions that begin in the replicas of deals.
    pub(crate) entering: Vec<Arc<Region>>,
}

impl<'env, T: Send> Junction<'env, T> {
    /// A junction that takes from this inlet.
    pub(crate) fn new(
        inlet: Box<dyn Take<T> + Send + 'env>,
        kinds: &[Replication],
        region: Option<Arc<Region>>,
    ) -> Arc<Self> {
        let levels = kinds.iter().enumerate().filter(|(_, kind)| **kind == Replication::Deal);
        Arc::new(Junction {
            deals: levels.map(|(level, _)| level).collect(),
            inlet: Mutex::new(inlet),
            region,
            has_ended: AtomicBool::new(false),
            turns: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// A deal behind the junction, in these replicas, unless it is known.
    pub(crate) fn deal(&self, replicas: &[u32], make: impl FnOnce() -> (Turns, Arc<Schedule>)) {
        lock(&self.turns).deals.entry(replicas.to_vec()).or_insert_with(make);
    }

    /// Changes the members of a deal, from the next parcel on that no thread takes yet.
    pub(crate) fn change(&self, replicas: &[u32], change: Change) {
        let mut turns = lock(&self.turns);
        turns.changes.push((replicas.to_vec(), change));
        if !turns.is_taking {
            turns.follow();
        }
        self.changed.notify_all();
    }

    /// Whoever waits for a turn looks whether it is asked to leave.
    pub(crate) fn wake(&self) {
        let _turns = lock(&self.turns);
        self.changed.notify_all();
    }

    /// Whether the stream has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    fn take(&self, seat: &Seat<'env, T>) -> Option<(Parcel<T>, Waited)> {
        loop {
            let has_waited = self.wait_for_turn(seat)?;
            let mut inlet = lock(&self.inlet);
            if seat.leave.is_asked() || self.has_ended() {
                return None;
            }
            // Another thread of the same replica may have had the turn meanwhile.
            let Some(taking) = self.begin(seat) else { continue };
            let (parcel, waited) = taking.take(&mut **inlet)?;
            return Some((parcel, waited.or(has_waited)));
        }
    }

    /// None if the thread is to leave.
    fn wait_for_turn(&self, seat: &Seat<'env, T>) -> Option<Waited> {
        let mut has_waited = Waited::No;
        if self.deals.is_empty() {
            return Some(has_waited);
        }
        let mut turns = lock(&self.turns);
        loop {
            if self.has_ended() || seat.leave.is_asked() {
                return None;
            }
            match turns.turn(&self.deals, &seat.replicas) {
                Turn::Mine => return Some(has_waited),
                Turn::Dismissed => return None,
                Turn::Other => {}
            }
            turns.waiting += 1;
            turns = wait(&self.changed, turns);
            turns.waiting -= 1;
            has_waited = Waited::Yes;
        }
    }

    /// Begins to take a parcel, if it is the thread's turn.
    fn begin<'a>(&'a self, seat: &'a Seat<'env, T>) -> Option<Taking<'a, 'env, T>> {
        if !self.deals.is_empty() {
            let mut turns = lock(&self.turns);
            if !matches!(turns.turn(&self.deals, &seat.replicas), Turn::Mine) {
                return None;
            }
            turns.is_taking = true;
        }
        Some(Taking { junction: self, seat, has_parcel: false })
    }

    /// The thread has taken its parcel, or found the end.
    fn end(&self, replicas: &[u32], has_parcel: bool) {
        if !has_parcel {
            self.has_ended.store(true, Ordering::Release);
        }
        if self.deals.is_empty() {
            return;
        }
        let mut turns = lock(&self.turns);
        if has_parcel {
            turns.advance(&self.deals, replicas);
        }
        turns.is_taking = false;
        turns.follow();
        if turns.waiting > 0 {
            self.changed.notify_all();
        }
    }
}

/// A thread that takes a parcel from a junction.
struct Taking<'a, 'env, T: Send> {
    junction: &'a Junction<'env, T>,
    seat: &'a Seat<'env, T>,
    has_parcel: bool,
}

impl<'env, T: Send> Taking<'_, 'env, T> {
    fn take(mut self, inlet: &mut (dyn Take<T> + Send + 'env)) -> Option<(Parcel<T>, Waited)> {
        let (mut parcel, waited) = inlet.take()?;
        let regions = self.junction.region.iter().chain(&self.seat.entering);
        let waited = regions.fold(waited, |waited, region| waited.or(region.enter(&mut parcel.number)));
        self.has_parcel = true;
        Some((parcel, waited))
    }
}

impl<T: Send> Drop for Taking<'_, '_, T> {
    fn drop(&mut self) {
        self.junction.end(&self.seat.replicas, self.has_parcel);
    }
}

enum Turn {
    Mine,
    Other,
    /// The replica that the thread is in is no member any more.
    Dismissed,
}

impl DealTurns {
    fn turn(&self, deals: &[usize], replicas: &[u32]) -> Turn {
        if self.is_taking {
            // Who is a member will be known when the parcel is taken.
            return Turn::Other;
        }
        let mut turn = Turn::Mine;
        for &deal in deals {
            let Some((turns, _)) = self.deals.get(&replicas[..deal]) else { return Turn::Dismissed };
            if !turns.members().contains(&replicas[deal]) {
                return Turn::Dismissed;
            }
            if turns.next() != replicas[deal] {
                turn = Turn::Other;
            }
        }
        turn
    }

    fn advance(&mut self, deals: &[usize], replicas: &[u32]) {
        for &deal in deals {
            if let Some((turns, _)) = self.deals.get_mut(&replicas[..deal]) {
                turns.advance();
            }
        }
    }

    /// Makes the changes that were asked for.
    fn follow(&mut self) {
        for (replicas, change) in std::mem::take(&mut self.changes) {
            let Some((turns, schedule)) = self.deals.get_mut(&replicas) else { continue };
            let mut members = turns.members().to_vec();
            match change {
                Change::Join(member) => members.push(member),
                Change::Leave(member) => members.retain(|&known| known != member),
            }
            members.sort_unstable();
            members.dedup();
            if members != turns.members() {
                turns.decide(members, schedule);
            }
        }
    }
}

impl<T: Send> Seat<'_, T> {
    /// The next parcel.
    pub(crate) fn take(&mut self) -> Option<(Parcel<T>, Waited)> {
        self.junction.take(self)
    }
}
