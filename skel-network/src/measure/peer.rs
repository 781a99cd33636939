//! The links that this process times: to another process by TCP, and between two of its own threads.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use super::answer::{Bounds, Ended, answer};
use super::ask::Session;
use super::control::{Control, Progress};
use super::error::MeasureError;
use super::plan::{LARGEST, Plan};
use super::protocol::port::{Lost, Port, TcpPort, ThreadPort};
use super::protocol::wire::{GREETING, Status, VERSION, greeting, is_name, status_of, version_of};
use super::rounds::time_link;
use super::series::Series;

/// How long two sides may take to get to know each other.
pub(super) const GREETING_TIME: Duration = Duration::from_secs(2);

/// A process on the other side of a TCP connection, which [listens](super::Listener).
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use skel_network::measure::{Control, Listener, Peer, Plan};
/// use skel_network::{Bytes, Measured};
///
/// // The other side is a thread of this process here.
/// let listener = Listener::bind("127.0.0.1:0", "there")?;
/// let address = listener.address().to_string();
/// let is_over = Arc::new(AtomicBool::new(false));
/// let over = Arc::clone(&is_over);
/// let control = Control::default().stopping_when(move || over.load(Ordering::Relaxed));
/// let other = std::thread::spawn(move || listener.serve(&control, &|_| {}));
///
/// let plan = Plan::default().up_to(Bytes::new(1024))?.repeated(10, 2)?;
/// let peer = Peer::connect(&address, &plan, &Control::default())?;
/// assert_eq!(peer.name(), "there");
/// let series = peer.measure(&plan, &Control::default())?;
/// let of_1024 = series.iter().find(|one| one.measured == Measured::HalfRoundTrip && one.size == Bytes::new(1024));
/// println!("1 KiB takes {}", of_1024.unwrap().median);
///
/// is_over.store(true, Ordering::Relaxed);
/// other.join().unwrap()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Peer {
    session: Session<TcpPort>,
}

impl Peer {
    /// Connects to a process that listens.
    ///
    /// # Errors
    /// The address cannot be read, nobody answers there, or whoever does is no such process, has another
    /// version, or is busy.
    pub fn connect(address: &str, plan: &Plan, control: &Control) -> Result<Peer, MeasureError> {
        let stream = connected(address, plan.timeout)?;
        let unreachable =
            |source| MeasureError::Unreachable { address: address.to_owned(), is_own: false, source };
        let mut port = TcpPort::new(stream, control.clone()).map_err(unreachable)?;
        let until = Instant::now() + GREETING_TIME.max(plan.timeout.min(Duration::from_secs(30)));
        let name = greet(&mut port, address, until)?;
        Ok(Peer { session: Session::new(port, name, plan.timeout) })
    }

    /// The name by which the other side calls itself.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.session.peer
    }

    pub(super) fn into_session(self) -> Session<TcpPort> {
        self.session
    }

    /// Times everything that a plan has, and ends the session.
    ///
    /// # Errors
    /// The other side refuses, is gone, does not answer in time or does not keep to the protocol; or the
    /// caller stopped it.
    pub fn measure(self, plan: &Plan, control: &Control) -> Result<Vec<Series>, MeasureError> {
        time_link(self.session, plan, &mut |progress| go_on(progress, control))
    }

    /// Times messages between two threads of this process, in the same way: what a message within this
    /// machine costs.
    ///
    /// # Errors
    /// The caller stopped it.
    ///
    /// # Examples
    /// ```
    /// use skel_network::Bytes;
    /// use skel_network::measure::{Control, Peer, Plan};
    /// let plan = Plan::default().up_to(Bytes::new(64))?.repeated(5, 1)?;
    /// let series = Peer::between_threads(&plan, &Control::default())?;
    /// assert!(series.iter().any(|one| one.size == Bytes::new(64)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between_threads(plan: &Plan, control: &Control) -> Result<Vec<Series>, MeasureError> {
        let [here, mut there] = ThreadPort::pair(control);
        const A_DAY: Duration = Duration::from_secs(24 * 3600);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let bounds = Bounds { largest: LARGEST.get(), end: Instant::now() + A_DAY };
                answer(&mut there, bounds, &mut |_, _| Err(Ended::Garbled))
            });
            let session = Session::new(here, "the other thread".into(), plan.timeout);
            time_link(session, plan, &mut |progress| go_on(progress, control))
        })
    }
}

pub(super) fn go_on(progress: Progress, control: &Control) -> Result<(), MeasureError> {
    control.report(progress);
    if control.is_stopped() { Err(MeasureError::Stopped) } else { Ok(()) }
}

/// The addresses that a text stands for.
pub(super) fn resolved(address: &str) -> Result<Vec<SocketAddr>, MeasureError> {
    let wrong = |why: String| MeasureError::Address { address: address.to_owned(), why };
    let all: Vec<SocketAddr> = address.to_socket_addrs().map_err(|error| wrong(error.to_string()))?.collect();
    if all.is_empty() { Err(wrong("nobody has this name".into())) } else { Ok(all) }
}

fn connected(address: &str, timeout: Duration) -> Result<TcpStream, MeasureError> {
    let mut last = None;
    for one in resolved(address)? {
        match TcpStream::connect_timeout(&one, timeout) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Some(error),
        }
    }
    let source = last.unwrap_or_else(|| std::io::ErrorKind::NotFound.into());
    Err(MeasureError::Unreachable { address: address.to_owned(), is_own: false, source })
}

/// Exchanges greetings. Returns the name of the other side.
fn greet(port: &mut impl Port, address: &str, until: Instant) -> Result<String, MeasureError> {
    let address = || address.to_owned();
    let wrong = |lost: Lost| match lost {
        Lost::Stopped => MeasureError::Stopped,
        Lost::Closed | Lost::Late => MeasureError::WrongPeer { address: address() },
    };
    let mut bytes = [0; GREETING];
    port.send(&greeting(), until).map_err(wrong)?;
    port.receive(&mut bytes, until).map_err(wrong)?;
    let theirs = version_of(&bytes).ok_or_else(|| wrong(Lost::Closed))?;
    match status_of(&bytes) {
        _ if theirs != VERSION => Err(MeasureError::Version { address: address(), theirs, ours: VERSION }),
        Some((Status::Busy, _)) => Err(MeasureError::Busy { address: address() }),
        Some((Status::Welcome, length)) => {
            let mut name = vec![0; length];
            port.receive(&mut name, until).map_err(wrong)?;
            let name = String::from_utf8(name).ok().filter(|name| is_name(name));
            name.ok_or_else(|| MeasureError::Garbled { peer: address() })
        }
        _ => Err(MeasureError::Garbled { peer: address() }),
    }
}
