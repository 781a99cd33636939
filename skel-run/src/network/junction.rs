//! A junction: one place where parcels come in order, from which several threads take them, one at a time.

use std::collections::HashMap;

use skel_core::skeleton::Replication;

use crate::network::inlet::Inlet;
use crate::network::region::Region;
use crate::network::turns::{Schedule, Turns};
use crate::parcel::Parcel;
use crate::queue::{Leave, Waited};
use crate::sync::{Arc, Condvar, Mutex, lock, wait};

/// A junction.
pub(crate) struct Junction<'env, T> {
    /// How each of the deals and farms behind it hands out, the outermost first.
    kinds: Vec<Replication>,
    state: Mutex<State<'env, T>>,
    changed: Condvar,
}

struct State<'env, T> {
    inlet: Inlet<'env, T>,
    has_ended: bool,
    /// The region that begins here.
    region: Option<Arc<Region>>,
    /// The deals behind the junction, by the replicas that each is in.
    deals: HashMap<Vec<u32>, Members>,
    /// How many threads wait for their turn.
    waiting: usize,
}

/// The members of a deal behind a junction.
pub(crate) struct Members {
    turns: Turns,
    schedule: Arc<Schedule>,
    /// Those to which a marker is still due.
    due: Vec<u32>,
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
        let state = State { inlet, has_ended: false, region, deals: HashMap::new(), waiting: 0 };
        Arc::new(Junction { kinds, state: Mutex::new(state), changed: Condvar::new() })
    }

    /// A deal behind the junction, in these replicas, unless it is known.
    pub(crate) fn deal(&self, replicas: &[u32], make: impl FnOnce() -> (Turns, Arc<Schedule>)) {
        lock(&self.state).deals.entry(replicas.to_vec()).or_insert_with(|| {
            let (turns, schedule) = make();
            Members { turns, schedule, due: Vec::new() }
        });
    }

    /// Other members for a deal.
    pub(crate) fn change(&self, replicas: &[u32], change: impl FnOnce(&mut Vec<u32>)) {
        let mut state = lock(&self.state);
        if let Some(deal) = state.deals.get_mut(replicas) {
            let before = deal.turns.members().to_vec();
            let mut members = before.clone();
            change(&mut members);
            if members != before {
                deal.turns.decide(members, &deal.schedule);
                deal.due.extend(before);
            }
        }
        self.changed.notify_all();
    }

    /// Whoever waits for a turn looks whether it is asked to leave. A thread that takes a parcel at this moment wakes the others when it has it.
    pub(crate) fn wake(&self) {
        if let Ok(_guard) = self.state.try_lock() {
            self.changed.notify_all();
        }
    }

    /// Whether the stream has ended.
    pub(crate) fn has_ended(&self) -> bool {
        lock(&self.state).has_ended
    }

    fn take(&self, seat: &[u32], leave: &Leave, entering: &[Arc<Region>]) -> Option<(Parcel<T>, Waited)> {
        let mut state = lock(&self.state);
        let mut has_waited = Waited::No;
        loop {
            if let Some(marker) = state.marker_due(&self.kinds, seat) {
                return Some((marker, has_waited));
            }
            if state.has_ended || leave.is_asked() {
                return None;
            }
            match state.turn(&self.kinds, seat) {
                Turn::Mine => break,
                Turn::Dismissed => return None,
                Turn::Other => {
                    state.waiting += 1;
                    state = wait(&self.changed, state);
                    state.waiting -= 1;
                    has_waited = Waited::Yes;
                }
            }
        }
        let taken = state.inlet.take();
        let Some((mut parcel, waited)) = taken else {
            state.has_ended = true;
            self.changed.notify_all();
            return None;
        };
        if parcel.is_marker() {
            return Some((parcel, waited));
        }
        let entered = state.region.as_ref().map_or(Waited::No, |region| region.enter(&mut parcel));
        let entered = entering.iter().fold(entered, |waited, region| waited.or(region.enter(&mut parcel)));
        state.advance(&self.kinds, seat);
        if state.waiting > 0 {
            self.changed.notify_all();
        }
        Some((parcel, has_waited.or(waited).or(entered)))
    }
}

enum Turn {
    Mine,
    Other,
    /// The replica that the thread is in is no member any more.
    Dismissed,
}

impl<T> State<'_, T> {
    fn turn(&self, kinds: &[Replication], seat: &[u32]) -> Turn {
        let mut turn = Turn::Mine;
        for deal in deals(kinds) {
            let Some(members) = self.deals.get(&seat[..deal]) else { return Turn::Dismissed };
            if !members.turns.members().contains(&seat[deal]) {
                return Turn::Dismissed;
            }
            if members.turns.next() != seat[deal] {
                turn = Turn::Other;
            }
        }
        turn
    }

    fn advance(&mut self, kinds: &[Replication], seat: &[u32]) {
        for deal in deals(kinds) {
            if let Some(members) = self.deals.get_mut(&seat[..deal]) {
                members.turns.advance();
            }
        }
    }

    /// The marker of a deal that this replica of it has not passed on yet.
    fn marker_due(&mut self, kinds: &[Replication], seat: &[u32]) -> Option<Parcel<T>> {
        deals(kinds).find_map(|deal| {
            let members = self.deals.get_mut(&seat[..deal])?;
            let place = members.due.iter().position(|&member| member == seat[deal])?;
            members.due.swap_remove(place);
            Some(Parcel::marker(members.schedule.deal))
        })
    }
}

/// The levels at which there are deals.
fn deals(kinds: &[Replication]) -> impl Iterator<Item = usize> + '_ {
    kinds.iter().enumerate().filter(|(_, kind)| **kind == Replication::Deal).map(|(level, _)| level)
}

impl<T: Send> Seat<'_, T> {
    /// The next parcel.
    pub(crate) fn take(&mut self) -> Option<(Parcel<T>, Waited)> {
        self.junction.take(&self.replicas, &self.leave, &self.entering)
    }
}
