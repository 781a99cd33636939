//! Why messages could not be timed.

use std::fmt;
use std::io;
use std::time::Duration;

/// Why messages could not be timed: what happened, and what to do about it.
#[derive(Debug)]
#[non_exhaustive]
pub enum MeasureError {
    /// An address that cannot be read, or a name that nobody knows.
    Address {
        /// As it was given.
        address: String,
        /// Why.
        why: String,
    },
    /// Nobody answers at an address, or it cannot be listened at.
    Unreachable {
        /// The address.
        address: String,
        /// Whether this process was to listen there.
        is_own: bool,
        /// What the system says.
        source: io::Error,
    },
    /// Somebody answers who does not speak this protocol.
    WrongPeer {
        /// The address.
        address: String,
    },
    /// The other side speaks another version of the protocol.
    Version {
        /// The address.
        address: String,
        /// Its version.
        theirs: u16,
        /// The version of this side.
        ours: u16,
    },
    /// The other side is in a session with somebody else.
    Busy {
        /// The address.
        address: String,
    },
    /// The other side refuses what it was asked for.
    Refused {
        /// Its name.
        peer: String,
        /// What it says.
        why: String,
    },
    /// The other side does not answer any more.
    Silent {
        /// Its name.
        peer: String,
        /// For how long.
        after: Duration,
    },
    /// The other side has closed the connection, or the connection has broken.
    Gone {
        /// Its name.
        peer: String,
    },
    /// The other side sent something that the protocol does not have there.
    Garbled {
        /// Its name.
        peer: String,
    },
    /// The caller stopped it.
    Stopped,
}

impl MeasureError {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            MeasureError::Address { .. } => "write a host and a port, as `node2:7600` or `127.0.0.1:7600`".into(),
            MeasureError::Unreachable { is_own: true, .. } => {
                "choose an address of this machine and a port that is free; with port 0 the system chooses one".into()
            }
            MeasureError::Unreachable { address, .. } => {
                format!("start `skel network measure --listen {address}` there first, and look whether a firewall is between")
            }
            MeasureError::WrongPeer { .. } => {
                "something else has this port: give the one that `skel network measure --listen` prints".into()
            }
            MeasureError::Version { .. } => "use the same release of skel on both sides".into(),
            MeasureError::Busy { .. } => "wait until the other session is over: two at once would disturb each other".into(),
            MeasureError::Refused { .. } => "ask for less, or start the other side with other limits".into(),
            MeasureError::Silent { .. } => "look at the other side; give a slow network more time with `--timeout`".into(),
            MeasureError::Gone { .. } => "look at the other side: it may have been stopped, or its session took too long".into(),
            MeasureError::Garbled { .. } => "use the same release of skel on both sides, with nothing between that changes data".into(),
            MeasureError::Stopped => "nothing is written".into(),
        }
    }
}

impl fmt::Display for MeasureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeasureError::Address { address, why } => write!(f, "`{address}` is not an address: {why}"),
            MeasureError::Unreachable { address, is_own: true, source } => {
                write!(f, "cannot listen at `{address}`: {source}")
            }
            MeasureError::Unreachable { address, source, .. } => {
                write!(f, "nobody answers at `{address}`: {source}")
            }
            MeasureError::WrongPeer { address } => {
                write!(f, "whoever answers at `{address}` is not `skel network measure --listen`")
            }
            MeasureError::Version { address, theirs, ours } => {
                write!(f, "`{address}` speaks version {theirs} of the protocol, and this is version {ours}")
            }
            MeasureError::Busy { address } => write!(f, "`{address}` is in a session with somebody else"),
            MeasureError::Refused { peer, why } => write!(f, "`{peer}` refuses: {why}"),
            MeasureError::Silent { peer, after } => {
                write!(f, "`{peer}` has not answered for {} s", after.as_secs_f64())
            }
            MeasureError::Gone { peer } => write!(f, "`{peer}` has closed the connection"),
            MeasureError::Garbled { peer } => {
                write!(f, "`{peer}` sent something that the protocol does not have there")
            }
            MeasureError::Stopped => f.write_str("stopped before all messages were timed"),
        }
    }
}

impl std::error::Error for MeasureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            MeasureError::Unreachable { source, .. } => Some(source),
            _ => None,
        }
    }
}
