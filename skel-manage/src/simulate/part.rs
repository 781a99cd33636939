//! The buffers between two tasks, in one replica of what is around both, and those who wait at them.

use std::collections::{BTreeMap, VecDeque};

use super::layout::Entry;

/// Whose turn it is among the replicas of a deal, and in which order they got the items that are inside.
#[derive(Clone, Debug, Default)]
pub(super) struct Deal {
    pub(super) members: Vec<u32>,
    next: usize,
    /// Whose the items inside are, in the order in which they came in. Kept only if they are collected in
    /// that order.
    pub(super) order: Option<VecDeque<u32>>,
    /// The lane of each replica, or the deal that hands out further.
    pub(super) below: BTreeMap<u32, Below>,
}

/// What a replica of a deal leads to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Below {
    Lane(usize),
    Deal(usize),
}

impl Deal {
    pub(super) fn new(order: Option<VecDeque<u32>>) -> Self {
        Deal { order, ..Deal::default() }
    }

    pub(super) fn turn(&self) -> Option<u32> {
        self.members.get(self.next).copied()
    }

    /// Its replica whose turn it was got an item.
    pub(super) fn advance(&mut self) {
        if let (Some(turn), Some(order)) = (self.turn(), &mut self.order) {
            order.push_back(turn);
        }
        self.next = (self.next + 1) % self.members.len().max(1);
    }

    pub(super) fn remove(&mut self, member: u32) {
        let Some(place) = self.members.iter().position(|&other| other == member) else { return };
        self.members.remove(place);
        if place < self.next {
            self.next -= 1;
        }
        if self.next >= self.members.len() {
            self.next = 0;
        }
    }
}

/// A buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffer {
    pub(super) items: usize,
    /// Those who wait for room in it, with an item in hand.
    pub(super) blocked: VecDeque<usize>,
}

/// The buffers between two tasks.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The place behind it.
    pub(super) place: usize,
    pub(super) capacity: usize,
    pub(super) entry: Entry,
    /// There is always an item.
    pub(super) is_endless: bool,
    pub(super) buffers: Vec<Buffer>,
    /// Those who wait for an item: one queue for all, or one for each buffer where the sender hands items
    /// out.
    pub(super) starved: Vec<VecDeque<usize>>,
    /// The deal that hands items out to the buffers.
    pub(super) handed_out: Option<usize>,
    /// The deal whose replicas' buffers are emptied in its order, and the buffer of each.
    pub(super) gathered: Option<usize>,
    pub(super) buffer_of: BTreeMap<u32, usize>,
    /// How many replicas before it have not left.
    pub(super) senders: usize,
}

impl Part {
    pub(super) fn new(place: usize, capacity: usize, entry: Entry, is_endless: bool) -> Self {
        let count = usize::from(!matches!(entry, Entry::HandedOut(_)));
        Part {
            place,
            capacity,
            entry,
            is_endless,
            buffers: vec![Buffer::default(); count],
            starved: vec![VecDeque::new(); count],
            handed_out: None,
            gathered: None,
            buffer_of: BTreeMap::new(),
            senders: 0,
        }
    }

    /// Another buffer, with a queue of its own for those who wait for its items.
    pub(super) fn add_lane(&mut self) -> usize {
        self.buffers.push(Buffer::default());
        self.starved.push(VecDeque::new());
        self.buffers.len() - 1
    }

    /// The buffer behind a replica of the deal that is gathered. The first one has the buffer that is there.
    pub(super) fn buffer_behind(&mut self, member: u32) -> usize {
        if let Some(&buffer) = self.buffer_of.get(&member) {
            return buffer;
        }
        if !self.buffer_of.is_empty() {
            self.buffers.push(Buffer::default());
        }
        let buffer = self.buffers.len() - 1;
        self.buffer_of.insert(member, buffer);
        buffer
    }

    /// The buffer from which those of a lane take now.
    pub(super) fn source_of(&self, lane: usize, deals: &[Deal]) -> Option<usize> {
        match (self.entry, self.gathered) {
            (Entry::HandedOut(_), _) => Some(lane),
            (_, Some(deal)) => {
                let member = deals[deal].order.as_ref()?.front()?;
                self.buffer_of.get(member).copied()
            }
            _ => Some(0),
        }
    }

    /// Whether somebody can take from a buffer.
    pub(super) fn has_item(&self, buffer: usize) -> bool {
        self.is_endless || self.buffers[buffer].items > 0 || !self.buffers[buffer].blocked.is_empty()
    }

    /// Whether nothing is in it, and nothing will come.
    pub(super) fn has_ended(&self) -> bool {
        !self.is_endless
            && self.senders == 0
            && self.buffers.iter().all(|buffer| buffer.items == 0 && buffer.blocked.is_empty())
    }
}
