//! Workers that need not all be done before the next item begins.
//!
//! The leader does not serve. It puts an item on a board, from which each worker takes it that is free. As
//! soon as enough have replied, the item is taken from the board. A worker that has not replied by then goes
//! on with the item that it has. When it is done it takes what is on the board at that time, and so leaves
//! out what came and went meanwhile.

use std::thread::Result as Attempt;

use crate::monitor::MemberWatch;
use crate::parcel::drop_safely;
use crate::sync::{Arc, AtomicBool, Condvar, Mutex, Ordering, lock, wait};
use crate::team::bench::{Bench, Duty};
use crate::team::hands::Hands;

/// The workers, as their leader has them. Their threads end when this is dropped, each as soon as it is done
/// with what it has.
pub struct Panel<'a, D: Duty + 'a> {
    duty: &'a D,
    hands: Hands<'a>,
    board: Arc<Board<D::Part, D::Reply>>,
    /// How to tell each worker that it has to leave.
    members: Vec<Arc<AtomicBool>>,
}

struct Board<P, R> {
    state: Mutex<State<P, R>>,
    /// There is another item, or someone has to leave.
    changed: Condvar,
    /// There is another reply.
    replied: Condvar,
}

struct State<P, R> {
    round: u64,
    /// The item, until enough have replied.
    part: Option<P>,
    /// Replies to this item that the leader has not looked at.
    replies: Vec<(usize, Attempt<R>)>,
}

impl<'a, D> Panel<'a, D>
where
    D: Duty<Part: Clone> + 'a,
{
    /// No workers yet.
    pub(crate) fn new(duty: &'a D, hands: Hands<'a>) -> Self {
        let state = State { round: 0, part: None, replies: Vec::new() };
        let board = Board { state: Mutex::new(state), changed: Condvar::new(), replied: Condvar::new() };
        Panel { duty, hands, board: Arc::new(board), members: Vec::new() }
    }

    /// How many workers there are for the next item. New ones begin and others leave, if that is asked for.
    pub(crate) fn muster(&mut self) -> usize {
        self.hands.look();
        let wanted = self.hands.shares().workers();
        while self.members.len() < wanted && self.hire() {}
        self.dismiss_from(wanted);
        assert!(!self.members.is_empty(), "the system has no thread for a worker");
        self.members.len()
    }

    /// Whether the system had a thread for another one.
    fn hire(&mut self) -> bool {
        let leave = Arc::new(AtomicBool::new(false));
        let (duty, number) = (self.duty, self.members.len());
        let (board, has_to_leave) = (Arc::clone(&self.board), Arc::clone(&leave));
        let is_hired =
            self.hands.hire(number, move |watch| attend(duty, number, watch, &board, &has_to_leave));
        if is_hired {
            self.members.push(leave);
        }
        is_hired
    }

    fn dismiss_from(&mut self, members: usize) {
        let leaving = self.members.drain(members.min(self.members.len())..);
        if leaving.len() > 0 {
            // With the lock, since a worker looks with it before it waits.
            let _state = lock(&self.board.state);
            leaving.for_each(|leave| leave.store(true, Ordering::Release));
            self.board.changed.notify_all();
        }
    }

    /// Has the workers serve an item, until `decide` has an answer. It is given the replies as they come,
    /// each with the worker's number.
    pub(crate) fn serve<T>(
        &mut self,
        part: D::Part,
        mut decide: impl FnMut(usize, Attempt<D::Reply>) -> Option<T>,
    ) -> T {
        self.publish(part);
        loop {
            let mut replies = self.replies().into_iter();
            let answer = replies.by_ref().find_map(|(number, reply)| decide(number, reply));
            if let Some(answer) = answer {
                self.withdraw();
                replies.for_each(drop_safely);
                return answer;
            }
        }
    }

    fn publish(&self, part: D::Part) {
        let mut state = lock(&self.board.state);
        state.round += 1;
        let before = (state.part.replace(part), std::mem::take(&mut state.replies));
        self.board.changed.notify_all();
        drop(state);
        drop_item(before);
    }

    fn replies(&self) -> Vec<(usize, Attempt<D::Reply>)> {
        let mut state = lock(&self.board.state);
        while state.replies.is_empty() {
            state = wait(&self.board.replied, state);
        }
        std::mem::take(&mut state.replies)
    }

    fn withdraw(&self) {
        let mut state = lock(&self.board.state);
        let old = (state.part.take(), std::mem::take(&mut state.replies));
        drop(state);
        drop_item(old);
    }
}

impl<'a, D: Duty + 'a> Drop for Panel<'a, D> {
    fn drop(&mut self) {
        let mut state = lock(&self.board.state);
        self.members.iter().for_each(|leave| leave.store(true, Ordering::Release));
        let old = (state.part.take(), std::mem::take(&mut state.replies));
        self.board.changed.notify_all();
        drop(state);
        drop_item(old);
    }
}

/// Drops an item and the replies to it. The lock is free meanwhile, since they are of the user's types.
fn drop_item<P, R>((part, replies): (Option<P>, Vec<(usize, Attempt<R>)>)) {
    drop_safely(part);
    replies.into_iter().for_each(drop_safely);
}

impl<P: Clone, R> Board<P, R> {
    /// The item that is on the board after this round, as soon as there is one. None if the worker has to
    /// leave.
    fn next(&self, after: u64, has_to_leave: &AtomicBool) -> Option<(u64, P)> {
        let mut state = lock(&self.state);
        loop {
            if has_to_leave.load(Ordering::Acquire) {
                return None;
            }
            match &state.part {
                Some(part) if state.round > after => return Some((state.round, part.clone())),
                _ => state = wait(&self.changed, state),
            }
        }
    }

    /// The reply is the answer, unless it comes too late.
    fn reply(&self, round: u64, number: usize, reply: Attempt<R>, has_to_leave: &AtomicBool) {
        let mut state = lock(&self.state);
        if state.round == round && state.part.is_some() && !has_to_leave.load(Ordering::Acquire) {
            state.replies.push((number, reply));
            self.replied.notify_one();
        } else {
            drop(state);
            drop_safely(reply);
        }
    }
}

/// The work of one worker, until it has to leave.
fn attend<D: Duty<Part: Clone>>(
    duty: &D,
    number: usize,
    watch: MemberWatch,
    board: &Board<D::Part, D::Reply>,
    has_to_leave: &AtomicBool,
) {
    let mut bench = Bench::new(duty, number, Some(watch));
    let mut seen = 0;
    while let Some((round, part)) = board.next(seen, has_to_leave) {
        seen = round;
        let reply = bench.serve(part);
        board.reply(round, number, reply, has_to_leave);
    }
    drop_safely(bench);
}
