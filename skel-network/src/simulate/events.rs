//! The events of a plan, in the order of time.

use std::collections::{BinaryHeap, HashMap};

use super::plan::{Message, Plan};
use super::ports::{Event, Links, Receiver, Step};
use crate::collective::{Cost, CostError};
use crate::model::CommunicationModel;
use crate::quantity::{Bytes, Time};

/// What happened to a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// The message.
    pub message: Message,
    /// When its sender began to send it.
    pub start: Time,
    /// When the sending port was free again.
    pub sender_free: Time,
    /// When its last byte was received.
    pub received: Time,
    /// When it was combined with what the receiver had. The same as `received` where that takes no time.
    pub combined: Time,
}

/// Plays the messages of a plan. What happened to each is in the order of the plan.
///
/// # Errors
/// The model does not say what a message costs.
pub fn run(plan: &Plan, model: &dyn CommunicationModel) -> Result<Vec<Transfer>, CostError> {
    let mut run = Run::new(plan, costs(plan, model)?);
    while let Some(event) = run.events.pop() {
        match event.step {
            Step::Sent => run.send(event.message, event.time),
            Step::Arrived => run.receive(event.message),
        }
    }
    Ok(run.transfers)
}

/// When the last message was received and combined. A plan without messages ends at 0.
#[must_use]
pub fn end(transfers: &[Transfer]) -> Time {
    transfers.iter().map(|transfer| transfer.combined).fold(Time::ZERO, Time::max)
}

/// What each message costs. The model is asked once for each size.
fn costs(plan: &Plan, model: &dyn CommunicationModel) -> Result<Vec<Cost>, CostError> {
    let mut known: HashMap<Bytes, Cost> = HashMap::new();
    let mut cost = |size| match known.get(&size) {
        Some(cost) => Ok(*cost),
        None => Cost::of(model, size).inspect(|cost| {
            known.insert(size, *cost);
        }),
    };
    plan.messages().iter().map(|message| cost(message.size)).collect()
}

/// What a message still waits for, and who waits for it.
#[derive(Clone, Debug, Default)]
struct Waiting {
    /// How many messages, its predecessor at the sending port among them.
    for_messages: usize,
    /// When those that are done were.
    until: Time,
    /// The next message of the same sender.
    next_to_send: Option<usize>,
    /// The messages that wait until it is received.
    waited_for_by: Vec<usize>,
}

struct Run {
    costs: Vec<Cost>,
    waiting: Vec<Waiting>,
    events: BinaryHeap<Event>,
    found: u64,
    receivers: HashMap<u32, Receiver>,
    links: Links,
    transfers: Vec<Transfer>,
}

impl Run {
    fn new(plan: &Plan, costs: Vec<Cost>) -> Run {
        let untouched = |message: &Message| Transfer {
            message: *message,
            start: Time::ZERO,
            sender_free: Time::ZERO,
            received: Time::ZERO,
            combined: Time::ZERO,
        };
        let mut run = Run {
            costs,
            waiting: waiting(plan),
            events: BinaryHeap::new(),
            found: 0,
            receivers: HashMap::new(),
            links: Links::default(),
            transfers: plan.messages().iter().map(untouched).collect(),
        };
        let first = |index: &usize| run.waiting[*index].for_messages == 0;
        for index in (0..run.waiting.len()).filter(first).collect::<Vec<_>>() {
            run.push(index, Step::Sent, Time::ZERO);
        }
        run
    }

    fn push(&mut self, message: usize, step: Step, time: Time) {
        self.found += 1;
        self.events.push(Event { time, number: self.found, message, step });
    }

    /// The sender begins to send a message: its port will be free, and the message will arrive.
    fn send(&mut self, index: usize, now: Time) {
        let cost = self.costs[index];
        let transfer = &mut self.transfers[index];
        transfer.start = now;
        transfer.sender_free = now + cost.gap;
        let Message { from, to, .. } = transfer.message;
        let free = transfer.sender_free;
        let arrival = self.links.arrival(from, to, cost.arrival(now));
        self.push(index, Step::Arrived, arrival);
        if let Some(next) = self.waiting[index].next_to_send {
            self.waits_no_more(next, free);
        }
    }

    /// A message arrives behind those that arrived before it; so it is known when it will be received and
    /// combined.
    fn receive(&mut self, index: usize) {
        let transfer = &mut self.transfers[index];
        let receiver = self.receivers.entry(transfer.message.to).or_default();
        receiver.port_free = self.costs[index].received(transfer.start, receiver.port_free);
        receiver.combined = receiver.combined.max(receiver.port_free) + transfer.message.combining;
        transfer.received = receiver.port_free;
        transfer.combined = receiver.combined;
        let combined = receiver.combined;
        for next in std::mem::take(&mut self.waiting[index].waited_for_by) {
            self.waits_no_more(next, combined);
        }
    }

    /// A message does not wait any longer for one of those that it waited for.
    fn waits_no_more(&mut self, index: usize, since: Time) {
        let waiting = &mut self.waiting[index];
        waiting.for_messages -= 1;
        waiting.until = waiting.until.max(since);
        if waiting.for_messages == 0 {
            let until = waiting.until;
            self.push(index, Step::Sent, until);
        }
    }
}

fn waiting(plan: &Plan) -> Vec<Waiting> {
    let mut waiting = vec![Waiting::default(); plan.messages().len()];
    let mut last_sent: HashMap<u32, usize> = HashMap::new();
    for (index, message) in plan.messages().iter().enumerate() {
        waiting[index].for_messages = plan.awaited_by(index).len();
        for awaited in plan.awaited_by(index) {
            waiting[awaited.index()].waited_for_by.push(index);
        }
        if let Some(before) = last_sent.insert(message.from, index) {
            waiting[before].next_to_send = Some(index);
            waiting[index].for_messages += 1;
        }
    }
    waiting
}
