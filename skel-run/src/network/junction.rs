//! A junction: one place where parcels come in order, from which several threads take them, one at a time.

use std::collections::HashMap;

use skel_core::skeleton::{Replication, StageId};

use crate::network::inlet::Inlet;
use crate::network::region::Region;
use crate::network::turns::{Schedule, Turns};
use crate::parcel::Parcel;
use crate::queue::{Leave, Waited};
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, lock, wait};

/// A junction.
pub(crate) struct Junction<'env, T> {
    /// How each of the deals and farms behind it hands out, the outermost first.
    kinds: Vec<Replication>,
    /// What one thread at a time takes from, possibly for long. So nothing else is behind this lock.
    pull: Mutex<Pull<'env, T>>,
    has_ended: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

struct Pull<'env, T> {
    inlet: Inlet<'env, T>,
    /// The region that begins here.
    region: Option<Arc<Region>>,
}

/// Whose turn it is.
struct State {
    /// The deals behind the junction, by the replicas that each is in.
    deals: HashMap<Vec<u32>, Members>,
    /// Whether the one whose turn it is takes a parcel. The members stay as they are until it has it.
    is_pulling: bool,
    /// Changes for which it is not the time yet.
    pending: Vec<(Vec<u32>, Change)>,
    /// How many threads wait for their turn.
    waiting: usize,
}

/// The members of a deal behind a junction.
struct Members {
    turns: Turns,
    schedule: Arc<Schedule>,
    /// Those to which a marker is still due.
    due: Vec<u32>,
}

/// A change of the members of a deal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    /// This one joins, unless it is a member.
    Join(u32),
    /// This one is dismissed.
    Dismiss(u32),
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
        inlet: Inlet<'env, T>,
        kinds: Vec<Replication>,
        region: Option<Arc<Region>>,
    ) -> Arc<Self> {
        let state = State { deals: HashMap::new(), is_pulling: false, pending: Vec::new(), waiting: 0 };
        Arc::new(Junction {
            kinds,
            pull: Mutex::new(Pull { inlet, region }),
            has_ended: AtomicBool::new(false),
            state: Mutex::new(state),
            changed: Condvar::new(),
        })
    }

    /// A deal behind the junction, in these replicas, unless it is known.
    pub(crate) fn deal(&self, replicas: &[u32], make: impl FnOnce() -> (Turns, Arc<Schedule>)) {
        lock(&self.state).deals.entry(replicas.to_vec()).or_insert_with(|| {
            let (turns, schedule) = make();
            Members { turns, schedule, due: Vec::new() }
        });
    }

    /// Other members for a deal, from the next parcel on.
    pub(crate) fn change(&self, replicas: &[u32], change: Change) {
        let mut state = lock(&self.state);
        state.pending.push((replicas.to_vec(), change));
        if !state.is_pulling {
            state.make_changes();
        }
        self.changed.notify_all();
    }

    /// Whoever waits for a turn looks whether it is asked to leave.
    pub(crate) fn wake(&self) {
        let _guard = lock(&self.state);
        self.changed.notify_all();
    }

    /// Whether the stream has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    fn take(&self, seat: &Seat<'env, T>) -> Option<(Parcel<T>, Waited)> {
        if !self.kinds.contains(&Replication::Deal) {
            return self.pull(seat);
        }
        let has_waited = match self.await_turn(seat)? {
            Turned::Marker(marker) => return Some((marker, Waited::No)),
            Turned::Mine(has_waited) => has_waited,
        };
        let taken = self.pull(seat);
        let is_counted = taken.as_ref().is_some_and(|(parcel, _)| !parcel.is_marker());
        let mut state = lock(&self.state);
        state.is_pulling = false;
        if is_counted {
            state.advance(&self.kinds, &seat.replicas);
        }
        state.make_changes();
        if state.waiting > 0 {
            self.changed.notify_all();
        }
        taken.map(|(parcel, waited)| (parcel, waited.or(has_waited)))
    }

    /// Waits until it is the thread's turn, or until there is a marker for it. None if there will be no turn any more.
    fn await_turn(&self, seat: &Seat<'env, T>) -> Option<Turned<T>> {
        let mut state = lock(&self.state);
        let mut has_waited = Waited::No;
        loop {
            if let Some(deal) = state.marker_due(&self.kinds, &seat.replicas) {
                return Some(Turned::Marker(Parcel::marker(deal)));
            }
            if self.has_ended() || seat.leave.is_asked() {
                return None;
            }
            match state.turn(&self.kinds, &seat.replicas) {
                Turn::Mine if !state.is_pulling => break,
                Turn::Dismissed => return None,
                Turn::Mine | Turn::Other => {
                    state.waiting += 1;
                    state = wait(&self.changed, state);
                    state.waiting -= 1;
                    has_waited = Waited::Yes;
                }
            }
        }
        state.is_pulling = true;
        Some(Turned::Mine(has_waited))
    }

    /// Takes the next parcel, when no other thread does.
    fn pull(&self, seat: &Seat<'env, T>) -> Option<(Parcel<T>, Waited)> {
        let mut pull = lock(&self.pull);
        if self.has_ended() || seat.leave.is_asked() {
            return None;
        }
        let Some((mut parcel, waited)) = pull.inlet.take() else {
            self.has_ended.store(true, Ordering::Release);
            self.wake();
            return None;
        };
        let entered = pull.region.as_ref().map_or(Waited::No, |region| region.enter(&mut parcel));
        let entered =
            seat.entering.iter().fold(entered, |waited, region| waited.or(region.enter(&mut parcel)));
        Some((parcel, waited.or(entered)))
    }
}

/// What a thread waited for.
enum Turned<T> {
    Mine(Waited),
    Marker(Parcel<T>),
}

enum Turn {
    Mine,
    Other,
    /// The replica that the thread is in is no member any more.
    Dismissed,
}

impl State {
    fn make_changes(&mut self) {
        for (replicas, change) in std::mem::take(&mut self.pending) {
            if let Some(deal) = self.deals.get_mut(&replicas) {
                deal.change(change);
            }
        }
    }

    fn turn(&self, kinds: &[Replication], seat: &[u32]) -> Turn {
        let mut turn = Turn::Mine;
        for deal in deals(kinds) {
            let Some(members) = self.deals.get(&seat[..deal]) else { return Turn::Dismissed };
            let is_member = members.turns.members().contains(&seat[deal]);
            if !is_member && !self.is_joining(&seat[..deal], seat[deal]) {
                return Turn::Dismissed;
            }
            if members.turns.next() != seat[deal] {
                turn = Turn::Other;
            }
        }
        turn
    }

    /// Whether a replica is going to be a member.
    fn is_joining(&self, replicas: &[u32], member: u32) -> bool {
        let joins = |change: &Change| matches!(change, Change::Join(joining) if *joining == member);
        self.pending.iter().any(|(of, change)| of == replicas && joins(change))
    }

    fn advance(&mut self, kinds: &[Replication], seat: &[u32]) {
        for deal in deals(kinds) {
            if let Some(members) = self.deals.get_mut(&seat[..deal]) {
                members.turns.advance();
            }
        }
    }

    /// The marker of a deal that this replica of it has not passed on yet.
    fn marker_due(&mut self, kinds: &[Replication], seat: &[u32]) -> Option<StageId> {
        deals(kinds).find_map(|deal| {
            let members = self.deals.get_mut(&seat[..deal])?;
            let place = members.due.iter().position(|&member| member == seat[deal])?;
            members.due.swap_remove(place);
            Some(members.schedule.deal)
        })
    }
}

impl Members {
    fn change(&mut self, change: Change) {
        let before = self.turns.members().to_vec();
        let mut members = before.clone();
        match change {
            Change::Join(member) if before.contains(&member) => return,
            Change::Join(member) => members.push(member),
            Change::Dismiss(member) => members.retain(|&other| other != member),
        }
        self.turns.decide(members, &self.schedule);
        self.due.extend(before);
    }
}

/// The levels at which there are deals.
fn deals(kinds: &[Replication]) -> impl Iterator<Item = usize> + '_ {
    kinds.iter().enumerate().filter(|(_, kind)| **kind == Replication::Deal).map(|(level, _)| level)
}

impl<T: Send> Seat<'_, T> {
    /// The next parcel.
    pub(crate) fn take(&mut self) -> Option<(Parcel<T>, Waited)> {
        self.junction.take(self)
    }
}
