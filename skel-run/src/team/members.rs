//! Workers that all have to be done before the next item begins.

use std::any::Any;
use std::thread::Result as Attempt;

use crate::monitor::MemberWatch;
use crate::parcel::drop_safely;
use crate::queue::{Receiver, Sender, ring, shared};
use crate::team::bench::{Bench, Duty};
use crate::team::hands::Hands;
use crate::team::shares::Shares;

/// The workers, as their leader has them. It is the first of them. The threads of the others end when this is
/// dropped.
pub struct Members<'a, D: Duty + 'a> {
    duty: &'a D,
    /// None of a leader without a run: it is alone.
    hands: Option<Hands<'a>>,
    own: Bench<'a, D>,
    /// Equal parts for those that are there, where there are fewer than there should be.
    equal: Shares,
    others: Vec<Sender<Order<D::Part>>>,
    /// The end of the replies that new workers get a copy of.
    to_leader: Sender<Reply<D::Reply>>,
    replies: Receiver<Reply<D::Reply>>,
    round: u64,
}

/// What a worker is given.
struct Order<P> {
    round: u64,
    part: P,
}

/// What a worker answers; nothing if its thread ended before it could.
struct Reply<R> {
    round: u64,
    number: usize,
    made: Option<Attempt<R>>,
}

/// Replies that the leader has not looked at yet. It looks at them whenever it waits, so this is no bound for
/// the number of workers.
const REPLIES: usize = 64;

impl<'a, D: Duty + 'a> Members<'a, D> {
    /// The leader alone, on this thread.
    pub(crate) fn new(duty: &'a D, hands: Option<Hands<'a>>) -> Self {
        let watch = hands.as_ref().map(Hands::leader_watch);
        let own = Bench::new(duty, 0, watch);
        let (to_leader, replies) = shared(REPLIES);
        Members {
            duty,
            hands,
            own,
            equal: Shares::equal(1),
            others: Vec::new(),
            to_leader,
            replies,
            round: 0,
        }
    }

    /// The parts of the workers that are there for the next item. New ones begin and others leave, if that is
    /// asked for.
    pub(crate) fn muster(&mut self) -> &Shares {
        self.hands.iter_mut().for_each(Hands::look);
        let wanted = self.hands.as_ref().map_or(1, |hands| hands.shares().workers());
        self.others.truncate(wanted - 1);
        while self.others.len() + 1 < wanted && self.hire().is_some() {}
        let there = self.others.len() + 1;
        match &self.hands {
            Some(hands) if there == wanted => hands.shares(),
            _ => {
                self.equal = Shares::equal(there);
                &self.equal
            }
        }
    }

    fn hire(&mut self) -> Option<()> {
        let (order, orders) = ring(1);
        let to_leader = self.to_leader.another()?;
        let (duty, number) = (self.duty, self.others.len() + 1);
        let hands = self.hands.as_ref()?;
        let is_hired = hands.hire(number, move |watch| attend(duty, number, watch, orders, to_leader));
        is_hired.then(|| self.others.push(order))
    }

    /// Has each worker serve its part, and waits for all. There is a part for each worker, and the replies
    /// are in their order.
    pub(crate) fn serve(&mut self, parts: Vec<D::Part>) -> Vec<Attempt<D::Reply>> {
        self.round += 1;
        let round = self.round;
        let mut parts = parts.into_iter();
        let own = parts.next();
        let mut made: Vec<Option<Attempt<D::Reply>>> = Vec::new();
        made.resize_with(self.others.len() + 1, || None);
        let mut missing = 0;
        for (order, part) in self.others.iter_mut().zip(parts) {
            match order.send(Order { round, part }) {
                Ok(_) => missing += 1,
                // A worker whose thread has ended gives no reply.
                Err(unwanted) => drop_safely(unwanted),
            }
        }
        made[0] = own.map(|part| self.own.serve(part));
        while missing > 0 {
            let Some((reply, _)) = self.replies.recv() else { break };
            if reply.round == round {
                missing -= 1;
                made[reply.number] = reply.made;
            } else {
                drop_safely(reply);
            }
        }
        let lost = || Err(Box::new("its thread has ended") as Box<dyn Any + Send>);
        made.into_iter().map(|made| made.unwrap_or_else(lost)).collect()
    }
}

/// The work of one of the others, until the leader lets it go.
fn attend<D: Duty>(
    duty: &D,
    number: usize,
    watch: MemberWatch,
    mut orders: Receiver<Order<D::Part>>,
    mut to_leader: Sender<Reply<D::Reply>>,
) {
    let mut bench = Bench::new(duty, number, Some(watch));
    while let Some((Order { round, part }, _)) = orders.recv() {
        let mut answer = Answer { to_leader: &mut to_leader, round, number, made: None };
        answer.made = Some(bench.serve(part));
    }
    drop_safely(bench);
}

/// Sends a reply when it is dropped, whatever happens until then.
struct Answer<'t, R: Send> {
    to_leader: &'t mut Sender<Reply<R>>,
    round: u64,
    number: usize,
    made: Option<Attempt<R>>,
}

impl<R: Send> Drop for Answer<'_, R> {
    fn drop(&mut self) {
        let Answer { round, number, .. } = *self;
        // The leader has gone if nobody takes it.
        drop_safely(self.to_leader.send(Reply { round, number, made: self.made.take() }));
    }
}
