//! The process that listens: whoever connects may time messages to it, one after the other.

use std::fmt;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Scope, scope};
use std::time::{Duration, Instant};

use super::answer::{Bounds, Ended, answer};
use super::control::Control;
use super::error::MeasureError;
use super::peer::{GREETING_TIME, resolved};
use super::protocol::port::{Lost, Port, TcpPort};
use super::protocol::wire::{Status, VERSION, greeting, is_name, version_of, welcome};
use super::relay::relay;
use crate::quantity::Bytes;

/// How often it is looked whether somebody has connected.
const LOOK: Duration = Duration::from_millis(20);

/// The most connections at a time, most of which have not greeted or are told that this process is busy.
const MOST_CONNECTIONS: usize = 16;

/// What whoever connects may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest message.
    pub largest: Bytes,
    /// The longest session.
    pub session: Duration,
}

impl Default for Limits {
    /// Messages of up to 16 MiB, and sessions of up to 15 minutes.
    fn default() -> Self {
        Limits { largest: Bytes::new(16 << 20), session: Duration::from_secs(900) }
    }
}

/// What happened at a process that listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A session has begun.
    Begun(SocketAddr),
    /// A session has ended as its other side wished.
    Ended(SocketAddr),
    /// A session was broken off: the other side is gone or late, or did not keep to the protocol or to the
    /// limits.
    BrokenOff(SocketAddr),
    /// Somebody was turned away: a stranger to the protocol, another version, or one too many.
    TurnedAway(SocketAddr),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Begun(from) => write!(f, "{from}: a session has begun"),
            Event::Ended(from) => write!(f, "{from}: the session is over"),
            Event::BrokenOff(from) => write!(f, "{from}: the session was broken off"),
            Event::TurnedAway(from) => write!(f, "{from}: turned away"),
        }
    }
}

/// A process that answers whoever times messages to it. See [`Peer`](super::Peer) for an example.
#[derive(Debug)]
pub struct Listener {
    listener: TcpListener,
    address: SocketAddr,
    name: String,
    limits: Limits,
    allowed: Vec<String>,
}

impl Listener {
    /// Listens at an address, as a machine of this name. With port 0 the system chooses a port.
    ///
    /// # Errors
    /// The address cannot be read or is not free, or the name is empty, too long, or has blanks around it or
    /// control characters.
    pub fn bind(address: &str, name: &str) -> Result<Listener, MeasureError> {
        if !is_name(name) {
            let why = format!("{name:?} is no name of a machine");
            return Err(MeasureError::Address { address: address.to_owned(), why });
        }
        let unreachable =
            |source| MeasureError::Unreachable { address: address.to_owned(), is_own: true, source };
        let listener = TcpListener::bind(&resolved(address)?[..]).map_err(unreachable)?;
        listener.set_nonblocking(true).map_err(unreachable)?;
        let own = listener.local_addr().map_err(unreachable)?;
        let (limits, allowed) = (Limits::default(), Vec::new());
        Ok(Listener { listener, address: own, name: name.to_owned(), limits, allowed })
    }

    /// The same with other limits.
    #[must_use]
    pub fn within(self, limits: Limits) -> Self {
        Listener { limits, ..self }
    }

    /// The same, which also times messages to this address if it is asked to. Between addresses of this
    /// machine that is always allowed.
    #[must_use]
    pub fn allowing(mut self, address: impl Into<String>) -> Self {
        self.allowed.push(address.into());
        self
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until it is stopped. `report` hears what happens.
    ///
    /// # Errors
    /// The system does not let it listen any more.
    pub fn serve(&self, control: &Control, report: &(dyn Fn(Event) + Sync)) -> Result<(), MeasureError> {
        let desk =
            Desk { own: self, control, report, is_busy: AtomicBool::new(false), open: AtomicUsize::new(0) };
        scope(|scope| {
            while !control.is_stopped() {
                match self.listener.accept() {
                    Ok((stream, from)) => desk.accept(scope, stream, from),
                    Err(error) if is_passing(error.kind()) => std::thread::sleep(LOOK),
                    Err(source) => {
                        let address = self.address.to_string();
                        return Err(MeasureError::Unreachable { address, is_own: true, source });
                    }
                }
            }
            Ok(())
        })
    }

    /// Whether it may connect to an address for somebody who is connected to `own`, an address of this
    /// machine.
    fn may_connect(&self, own: Option<SocketAddr>, to: &str) -> bool {
        let is_here = |address: &SocketAddr| address.ip().is_loopback();
        let both_here =
            || own.as_ref().is_some_and(is_here) && resolved(to).is_ok_and(|all| all.iter().all(is_here));
        self.allowed.iter().any(|allowed| allowed == to) || both_here()
    }
}

/// Whether an error says no more than that nobody has connected, or that somebody is gone already.
fn is_passing(kind: std::io::ErrorKind) -> bool {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted, TimedOut, WouldBlock};
    matches!(kind, WouldBlock | Interrupted | ConnectionAborted | ConnectionReset | TimedOut)
}

/// What the connections of a listener share.
struct Desk<'l> {
    own: &'l Listener,
    control: &'l Control,
    report: &'l (dyn Fn(Event) + Sync),
    is_busy: AtomicBool,
    open: AtomicUsize,
}

impl Desk<'_> {
    fn accept<'s, 'e>(&'e self, scope: &'s Scope<'s, 'e>, stream: TcpStream, from: SocketAddr) {
        if self.open.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
            self.open.fetch_sub(1, Ordering::SeqCst);
            return (self.report)(Event::TurnedAway(from));
        }
        scope.spawn(move || {
            self.receive(stream, from);
            self.open.fetch_sub(1, Ordering::SeqCst);
        });
    }

    /// Greets whoever has connected, and answers if nobody else is in a session.
    fn receive(&self, stream: TcpStream, from: SocketAddr) {
        let own = stream.local_addr().ok();
        let turned_away = || (self.report)(Event::TurnedAway(from));
        let Ok(mut port) = TcpPort::new(stream, self.control.clone()) else { return turned_away() };
        let until = Instant::now() + GREETING_TIME;
        match self.status(&mut port, until) {
            Ok(Status::Welcome) => {}
            Ok(status) => {
                // Whether it hears that or not, there is no session.
                let _ = port.send(&welcome(status, ""), until);
                return turned_away();
            }
            Err(_) => return turned_away(),
        }
        (self.report)(Event::Begun(from));
        let ended = self.session(&mut port, own);
        // A new session may begin as soon as the other side sees that this one is closed.
        self.is_busy.store(false, Ordering::SeqCst);
        drop(port);
        (self.report)(if ended == Ended::Done { Event::Ended(from) } else { Event::BrokenOff(from) });
    }

    /// What to say to whoever has connected. After a welcome this process is busy.
    fn status(&self, port: &mut impl Port, until: Instant) -> Result<Status, Lost> {
        let mut bytes = greeting();
        port.receive(&mut bytes, until)?;
        match version_of(&bytes) {
            None => Err(Lost::Closed),
            Some(VERSION) if self.is_busy.swap(true, Ordering::SeqCst) => Ok(Status::Busy),
            Some(VERSION) => Ok(Status::Welcome),
            Some(_) => Ok(Status::OtherVersion),
        }
    }

    fn session(&self, port: &mut TcpPort, own: Option<SocketAddr>) -> Ended {
        let Limits { largest, session } = self.own.limits;
        let bounds = Bounds { largest: largest.get(), end: Instant::now() + session };
        if let Err(lost) = port.send(&welcome(Status::Welcome, &self.own.name), bounds.until()) {
            return Ended::Lost(lost);
        }
        answer(port, bounds, &mut |port, request| {
            relay(port, request, bounds, self.control, &|to| self.own.may_connect(own, to))
        })
    }
}
