//! Who sends what to whom, and when.

use std::fmt;

use crate::collective::is_time;
use crate::quantity::{Bytes, Time};

/// A message of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// The process that sends.
    pub from: u32,
    /// The process that receives.
    pub to: u32,
    /// How large it is.
    pub size: Bytes,
    /// How long the receiver combines it with what is there.
    pub combining: Time,
}

impl Message {
    /// A message that is not combined with others.
    #[must_use]
    pub fn new(from: u32, to: u32, size: Bytes) -> Message {
        Message { from, to, size, combining: Time::ZERO }
    }
}

/// A message of a plan, by its place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub(super) usize);

impl MessageId {
    /// Its place among the messages of the plan, from 0 on.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// Messages between processes, in an order in which they can be sent: what a message waits for is planned
/// before it.
///
/// # Examples
/// ```
/// use skel_network::Bytes;
/// use skel_network::simulate::{Message, Plan};
/// // Process 0 sends to 1, which sends on to 2 what it received.
/// let mut plan = Plan::new(3);
/// let first = plan.send(Message::new(0, 1, Bytes::new(100)), &[]).unwrap();
/// plan.send(Message::new(1, 2, Bytes::new(100)), &[first]).unwrap();
/// assert_eq!(plan.messages().len(), 2);
///
/// let error = plan.send(Message::new(0, 3, Bytes::new(100)), &[]).unwrap_err();
/// assert_eq!(error.to_string(), "there is no process 3: the plan has 3, from 0 on");
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    processes: u32,
    messages: Vec<Message>,
    /// What all messages wait for, one after the other.
    awaited: Vec<MessageId>,
    /// Where in `awaited` that of each message ends.
    ends: Vec<usize>,
}

impl Plan {
    /// A plan without messages. The processes are numbered from 0 on.
    #[must_use]
    pub fn new(processes: u32) -> Plan {
        Plan { processes, messages: Vec::new(), awaited: Vec::new(), ends: Vec::new() }
    }

    /// Adds a message that is sent when the messages it waits for have been received, and combined, by its
    /// sender.
    ///
    /// # Errors
    /// A process that there is not; a message of a process to itself; a wait for a message that is not
    /// planned yet, or that another process receives; a time to combine that is no time.
    pub fn send(&mut self, message: Message, after: &[MessageId]) -> Result<MessageId, PlanError> {
        let Message { from, to, combining, .. } = message;
        if let Some(process) = [from, to].into_iter().find(|process| *process >= self.processes) {
            return Err(PlanError::NoSuchProcess { process, processes: self.processes });
        }
        if from == to {
            return Err(PlanError::ToItself { process: from });
        }
        if !is_time(combining) {
            return Err(PlanError::NotATime { combining });
        }
        for awaited in after {
            match self.messages.get(awaited.0) {
                None => {
                    return Err(PlanError::NotPlanned { awaited: *awaited, messages: self.messages.len() });
                }
                Some(earlier) if earlier.to != from => {
                    return Err(PlanError::ReceivedElsewhere { awaited: *awaited, by: earlier.to, from });
                }
                Some(_) => {}
            }
        }
        self.messages.push(message);
        self.awaited.extend_from_slice(after);
        self.ends.push(self.awaited.len());
        Ok(MessageId(self.messages.len() - 1))
    }

    /// How many processes there are.
    #[must_use]
    pub fn processes(&self) -> u32 {
        self.processes
    }

    /// The messages, in the order in which they were planned.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What a message waits for.
    pub(super) fn awaited_by(&self, index: usize) -> &[MessageId] {
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.awaited[begin..self.ends[index]]
    }
}

/// Why a message cannot be planned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlanError {
    /// A process that the plan does not have.
    NoSuchProcess {
        /// Its number.
        process: u32,
        /// How many there are.
        processes: u32,
    },
    /// A message of a process to itself.
    ToItself {
        /// Its number.
        process: u32,
    },
    /// A wait for a message that is not planned yet.
    NotPlanned {
        /// The message.
        awaited: MessageId,
        /// How many are planned.
        messages: usize,
    },
    /// A wait for a message that another process receives.
    ReceivedElsewhere {
        /// The message.
        awaited: MessageId,
        /// The process that receives it.
        by: u32,
        /// The process that waits for it.
        from: u32,
    },
    /// The time to combine is below 0, infinite or not a number.
    NotATime {
        /// The value.
        combining: Time,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::NoSuchProcess { process, processes } => {
                write!(f, "there is no process {process}: the plan has {processes}, from 0 on")
            }
            PlanError::ToItself { process } => write!(f, "process {process} sends to itself"),
            PlanError::NotPlanned { awaited, messages } => {
                write!(f, "a wait for message {}, where {messages} are planned, from 0 on", awaited.0)
            }
            PlanError::ReceivedElsewhere { awaited, by, from } => {
                write!(f, "process {from} waits for message {}, which process {by} receives", awaited.0)
            }
            PlanError::NotATime { combining } => write!(f, "combining takes {combining}, which is no time"),
        }
    }
}

impl std::error::Error for PlanError {}
