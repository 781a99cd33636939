//! Ports: two ends between which bytes go in both directions, over TCP or between two threads.
//!
//! Every wait has an end. It looks ten times a second whether it is to stop, so a peer that sends a byte now
//! and then delays nobody.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use crate::measure::control::Control;

/// How long a wait lasts before it looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Why there are no more bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::measure) enum Lost {
    /// The other end is closed, or the connection is broken.
    Closed,
    /// The time is over.
    Late,
    /// The caller stopped it.
    Stopped,
}

/// One of two ends.
pub(in crate::measure) trait Port {
    /// Sends all bytes.
    fn send(&mut self, data: &[u8], until: Instant) -> Result<(), Lost>;

    /// Receives so many bytes.
    fn receive(&mut self, into: &mut [u8], until: Instant) -> Result<(), Lost>;
}

/// Whether a wait goes on.
fn go_on(control: &Control, until: Instant) -> Result<(), Lost> {
    match control.is_stopped() {
        true => Err(Lost::Stopped),
        false if Instant::now() >= until => Err(Lost::Late),
        false => Ok(()),
    }
}

/// An end of a TCP connection.
#[derive(Debug)]
pub(in crate::measure) struct TcpPort {
    stream: TcpStream,
    control: Control,
}

impl TcpPort {
    /// Prepares a connection: small messages are sent at once, and waits end.
    pub(in crate::measure) fn new(stream: TcpStream, control: Control) -> io::Result<TcpPort> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(LOOK))?;
        stream.set_write_timeout(Some(LOOK))?;
        Ok(TcpPort { stream, control })
    }

    /// The result of a call that moved some bytes, or none.
    fn moved(&self, result: io::Result<usize>, until: Instant) -> Result<usize, Lost> {
        match result {
            Ok(0) => Err(Lost::Closed),
            Ok(moved) => Ok(moved),
            Err(error) if is_a_wait(&error) => go_on(&self.control, until).map(|()| 0),
            Err(_) => Err(Lost::Closed),
        }
    }
}

fn is_a_wait(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

impl Port for TcpPort {
    fn send(&mut self, mut data: &[u8], until: Instant) -> Result<(), Lost> {
        while !data.is_empty() {
            let result = self.stream.write(data);
            let sent = self.moved(result, until)?;
            data = &data[sent..];
            if !data.is_empty() && sent > 0 {
                go_on(&self.control, until)?;
            }
        }
        Ok(())
    }

    fn receive(&mut self, mut into: &mut [u8], until: Instant) -> Result<(), Lost> {
        while !into.is_empty() {
            let result = self.stream.read(into);
            let received = self.moved(result, until)?;
            into = &mut into[received..];
            if !into.is_empty() && received > 0 {
                go_on(&self.control, until)?;
            }
        }
        Ok(())
    }
}

/// An end between two threads. A buffer goes to the other end and comes back when it is read.
#[derive(Debug)]
pub(in crate::measure) struct ThreadPort {
    outgoing: Sender<Vec<u8>>,
    /// Buffers that the other end has read.
    returned: Receiver<Vec<u8>>,
    incoming: Receiver<Vec<u8>>,
    give_back: Sender<Vec<u8>>,
    /// What was received and how much of it is read.
    current: Vec<u8>,
    read: usize,
    control: Control,
}

impl ThreadPort {
    /// Two ends.
    pub(in crate::measure) fn pair(control: &Control) -> [ThreadPort; 2] {
        let (to_second, at_second) = channel();
        let (to_first, at_first) = channel();
        let (back_to_first, returned_to_first) = channel();
        let (back_to_second, returned_to_second) = channel();
        let end = |outgoing, returned, incoming, give_back| ThreadPort {
            outgoing,
            returned,
            incoming,
            give_back,
            current: Vec::new(),
            read: 0,
            control: control.clone(),
        };
        [
            end(to_second, returned_to_first, at_first, back_to_second),
            end(to_first, returned_to_second, at_second, back_to_first),
        ]
    }

    /// Takes the next buffer.
    fn next(&mut self, until: Instant) -> Result<(), Lost> {
        loop {
            match self.incoming.recv_timeout(LOOK) {
                Ok(buffer) => {
                    let old = std::mem::replace(&mut self.current, buffer);
                    self.read = 0;
                    if old.capacity() > 0 {
                        // Where the other end is gone, nobody wants the buffer.
                        let _ = self.give_back.send(old);
                    }
                    return Ok(());
                }
                Err(RecvTimeoutError::Timeout) => go_on(&self.control, until)?,
                Err(RecvTimeoutError::Disconnected) => return Err(Lost::Closed),
            }
        }
    }
}

impl Port for ThreadPort {
    fn send(&mut self, data: &[u8], _: Instant) -> Result<(), Lost> {
        let mut buffer = self.returned.try_recv().unwrap_or_default();
        buffer.clear();
        buffer.extend_from_slice(data);
        self.outgoing.send(buffer).map_err(|_| Lost::Closed)
    }

    fn receive(&mut self, mut into: &mut [u8], until: Instant) -> Result<(), Lost> {
        while !into.is_empty() {
            if self.read == self.current.len() {
                self.next(until)?;
            }
            let count = into.len().min(self.current.len() - self.read);
            into[..count].copy_from_slice(&self.current[self.read..self.read + count]);
            self.read += count;
            into = &mut into[count..];
        }
        Ok(())
    }
}
