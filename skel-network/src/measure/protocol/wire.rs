//! What goes over a port: greetings, requests, answers, and messages with their envelopes. All numbers have
//! their least byte first.
//!
//! ```text
//! asks                                        answers
//! greeting: magic, version             ->
//!                                      <-     welcome: magic, version, status, length of the name, name
//! request: what, number, size, wait    ->
//!                                      <-     answer: one byte, 0 if it goes on
//! ... what was asked for ...
//! request: end                         ->
//!                                             closes the connection
//! ```

use std::time::{Duration, Instant};

use super::port::{Lost, Port};

/// The first bytes of both sides.
pub(in crate::measure) const MAGIC: [u8; 8] = *b"skel-net";

/// The version of the protocol. It changes with every change that the other side can see.
pub(in crate::measure) const VERSION: u16 = 1;

/// The most bytes of a name, an address or a reason.
pub(in crate::measure) const LONGEST_TEXT: usize = 255;

/// The most messages of one request.
pub(in crate::measure) const MOST_MESSAGES: u32 = 1 << 16;

/// The longest wait before a message is received.
pub(in crate::measure) const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The bytes of a greeting, and of a welcome without the name.
pub(in crate::measure) const GREETING: usize = 16;

/// How a welcome begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::measure) enum Status {
    Welcome,
    Busy,
    OtherVersion,
}

const STATUSES: [Status; 3] = [Status::Welcome, Status::Busy, Status::OtherVersion];

/// The greeting of the side that asks.
pub(in crate::measure) fn greeting() -> [u8; GREETING] {
    let mut bytes = [0; GREETING];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    bytes
}

/// The version of a greeting or a welcome, if it is one.
pub(in crate::measure) fn version_of(bytes: &[u8; GREETING]) -> Option<u16> {
    bytes.starts_with(&MAGIC).then(|| u16::from_le_bytes([bytes[8], bytes[9]]))
}

/// The welcome of the side that answers.
pub(in crate::measure) fn welcome(status: Status, name: &str) -> Vec<u8> {
    let mut bytes = greeting().to_vec();
    bytes[10] = STATUSES.iter().position(|known| *known == status).unwrap_or_default() as u8;
    bytes[11] = name.len() as u8;
    bytes.extend_from_slice(name.as_bytes());
    bytes
}

/// The status of a welcome, and the length of the name behind it.
pub(in crate::measure) fn status_of(bytes: &[u8; GREETING]) -> Option<(Status, usize)> {
    Some((*STATUSES.get(usize::from(bytes[10]))?, bytes[11].into()))
}

/// Whether a text can be the name of a machine: not empty, not too long, without blanks around it and without
/// control characters.
pub(in crate::measure) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= LONGEST_TEXT
        && text.trim() == text
        && !text.chars().any(char::is_control)
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::measure) enum What {
    /// That the session ends.
    End,
    /// Each message back.
    Echo,
    /// An empty message for each message.
    Acknowledge,
    /// An empty message behind the last message.
    Burst,
    /// How long the call takes that receives each message, made after a wait.
    Receive,
    /// To time messages to another one, whose address follows.
    Relay,
}

const WHATS: [What; 6] = [What::End, What::Echo, What::Acknowledge, What::Burst, What::Receive, What::Relay];

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::measure) struct Request {
    pub(in crate::measure) what: What,
    /// How many messages, or how many bytes of text follow.
    pub(in crate::measure) number: u32,
    /// The size of each message.
    pub(in crate::measure) size: u64,
    /// How long to wait before each message is received.
    pub(in crate::measure) wait: Duration,
}

const REQUEST: usize = 24;

impl Request {
    pub(in crate::measure) fn end() -> Request {
        Request { what: What::End, number: 0, size: 0, wait: Duration::ZERO }
    }

    pub(in crate::measure) fn send(&self, port: &mut impl Port, until: Instant) -> Result<(), Lost> {
        let mut bytes = [0; REQUEST];
        bytes[0] = WHATS.iter().position(|known| *known == self.what).unwrap_or_default() as u8;
        bytes[4..8].copy_from_slice(&self.number.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.size.to_le_bytes());
        let wait = u64::try_from(self.wait.as_nanos()).unwrap_or(u64::MAX);
        bytes[16..].copy_from_slice(&wait.to_le_bytes());
        port.send(&bytes, until)
    }

    /// The next request. It is `None` if there is no such request.
    pub(in crate::measure) fn receive(port: &mut impl Port, until: Instant) -> Result<Option<Request>, Lost> {
        let mut bytes = [0; REQUEST];
        port.receive(&mut bytes, until)?;
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        let number = u32::from_le_bytes(std::array::from_fn(|byte| bytes[4 + byte]));
        Ok(WHATS.get(usize::from(bytes[0])).map(|&what| Request {
            what,
            number,
            size: long(8),
            wait: Duration::from_nanos(long(16)),
        }))
    }
}

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::measure) enum Answer {
    /// It goes on.
    Go,
    /// The messages are too large.
    TooLarge,
    /// There are too many messages, or the wait is too long.
    TooMany,
    /// There is no such request.
    Unknown,
    /// It does not connect to others on behalf of strangers.
    NotAllowed,
}

impl Answer {
    const ALL: [Answer; 5] =
        [Answer::Go, Answer::TooLarge, Answer::TooMany, Answer::Unknown, Answer::NotAllowed];

    pub(in crate::measure) fn send(self, port: &mut impl Port, until: Instant) -> Result<(), Lost> {
        let byte = Answer::ALL.iter().position(|known| *known == self).unwrap_or_default() as u8;
        port.send(&[byte], until)
    }

    /// The next answer. It is `None` if there is no such answer.
    pub(in crate::measure) fn receive(port: &mut impl Port, until: Instant) -> Result<Option<Answer>, Lost> {
        let mut byte = [0];
        port.receive(&mut byte, until)?;
        Ok(Answer::ALL.get(usize::from(byte[0])).copied())
    }

    /// Why it does not go on, in words.
    pub(in crate::measure) fn reason(self) -> &'static str {
        match self {
            Answer::Go => "it does not",
            Answer::TooLarge => "the messages are larger than it allows; start it with a larger `--largest`",
            Answer::TooMany => "there are more messages at once than it allows, or it would wait longer",
            Answer::Unknown => "it does not know what it is asked for",
            Answer::NotAllowed => {
                "it connects to others only if they are allowed; start it with `--allow HOST:PORT`"
            }
        }
    }
}

/// The space for messages, with an envelope of one byte before the data.
#[derive(Debug, Default)]
pub(in crate::measure) struct Letter(Vec<u8>);

/// A message with another number than the one that is due.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::measure) struct OutOfTurn;

impl Letter {
    /// The space for a message of so many bytes. All of it has been written to, so the first use is like all
    /// others.
    pub(in crate::measure) fn of(&mut self, size: u64, number: u32) -> &mut [u8] {
        let length = usize::try_from(size).unwrap_or(usize::MAX).saturating_add(1);
        if self.0.len() < length {
            self.0 = (0..length).map(|at| at as u8).collect();
        }
        self.0[0] = number as u8;
        &mut self.0[..length]
    }

    /// Whether the message that was received last is the one that is due.
    pub(in crate::measure) fn check(&self, number: u32) -> Result<(), OutOfTurn> {
        if self.0.first() == Some(&(number as u8)) { Ok(()) } else { Err(OutOfTurn) }
    }
}
