//! Channels: the links between two stages, joined where an item may take one as well as another.
//!
//! Where a task hands items to whichever worker of a farm is free, all its links to them are one channel: the
//! items wait in one queue, and one sender serves it. Where tasks take turns, each link on which the order of
//! the items matters is a channel of its own, as every worker of a deal has a queue of its own.
//!
//! | senders | receivers | channels |
//! |---|---|---|
//! | choose | choose | one for all links (one for each pair, where each task has one partner) |
//! | take turns | choose | one for each receiver |
//! | choose | take turns | one for each sender |
//! | take turns | take turns | one for each link |
//!
//! A task with one partner counts as one that chooses.

use std::collections::HashMap;

use crate::skeleton::tree::StageId;

/// Links between two stages of which an item may take one as well as another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    into: StageId,
    senders: Vec<u32>,
    receivers: Vec<u32>,
}

impl Channel {
    /// The stage that the items enter: a stage of a pipe.
    #[must_use]
    pub fn into_stage(&self) -> StageId {
        self.into
    }

    /// The tasks that send, in ascending order.
    #[must_use]
    pub fn senders(&self) -> &[u32] {
        &self.senders
    }

    /// The tasks that receive, in ascending order.
    #[must_use]
    pub fn receivers(&self) -> &[u32] {
        &self.receivers
    }
}

/// Which of the two sides of a connection take turns. The others choose, or have one partner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub(super) senders_take_turns: bool,
    pub(super) receivers_take_turns: bool,
    /// Whether each task of either side has one partner.
    pub(super) is_in_pairs: bool,
}

/// The channels of a skeleton.
#[derive(Clone, Debug, Default)]
pub(super) struct Channels {
    all: Vec<Channel>,
    /// The number of the channel of each link, by sender and receiver.
    of_link: HashMap<(u32, u32), u32>,
}

impl Channels {
    /// The channels.
    pub(super) fn all(&self) -> &[Channel] {
        &self.all
    }

    /// The number of the channel of a link.
    pub(super) fn of_link(&self, from: u32, to: u32) -> u32 {
        self.of_link[&(from, to)]
    }

    /// Adds the channels of a connection; `links` has sender and receiver of each of its links.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn connect(&mut self, into: StageId, links: &[(u32, u32)], order: Order) {
        let first = self.all.len();
        let mut numbers = HashMap::new();
        for &(from, to) in links {
            // What tells the channel of a link from the others of its connection.
            let sender = (order.receivers_take_turns || order.is_in_pairs).then_some(from);
            let receiver = order.senders_take_turns.then_some(to);
            let number = *numbers.entry((sender, receiver)).or_insert_with(|| {
                self.all.push(Channel { into, senders: Vec::new(), receivers: Vec::new() });
                self.all.len() as u32 - 1
            });
            self.of_link.insert((from, to), number);
            let channel = &mut self.all[number as usize];
            channel.senders.push(from);
            channel.receivers.push(to);
        }
        for channel in &mut self.all[first..] {
            for tasks in [&mut channel.senders, &mut channel.receivers] {
                tasks.sort_unstable();
                tasks.dedup();
            }
        }
    }
}
