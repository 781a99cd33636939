//! LogP: latency, overhead, gap; and packets for messages that are longer than one.

use std::fmt;

use skel_core::model::BuildErrors;

use super::check::Faults;
use super::display::write_model;
use super::{CommunicationModel, Kind, OutsideTable};
use crate::quantity::{Bytes, Time};

/// A short message takes `L + 2o`; a longer one is sent in `n = max(1, ceil(m / w))` packets of `w` bytes.
///
/// | | |
/// |---|---|
/// | time `T(m)` | `L + 2o + (n-1) max(g, o)` |
/// | gap `g(m)` | `n max(g, o)` |
/// | sender and receiver busy | `n o` |
///
/// Reference: D. Culler and others, *LogP: a practical model of parallel computation*, Communications of the
/// ACM 39, 1996. It has messages of one packet only; the packets are the usual way to apply it to others.
///
/// # Examples
/// ```
/// use skel_network::{Bytes, CommunicationModel, LogP, Time};
/// let us = Time::microseconds;
/// let link = LogP::new(us(40.0), us(4.5), us(9.0), Bytes::new(1024))?;
/// assert_eq!(link.time(Bytes::new(1024))?, us(49.0));
/// assert_eq!(link.time(Bytes::new(1025))?, us(58.0));
/// assert_eq!(link.most_in_flight(), Some(5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogP {
    l: Time,
    o: Time,
    g: Time,
    w: Bytes,
}

impl LogP {
    /// The latency `L` of the wire, the overhead `o` of a processor for a packet, the gap `g` between
    /// packets, and the size `w` of a packet.
    ///
    /// # Errors
    /// A time that is negative or not a number; a packet of no bytes.
    pub fn new(l: Time, o: Time, g: Time, w: Bytes) -> Result<LogP, BuildErrors> {
        let mut faults = Faults::default();
        faults.time("the latency L", l);
        faults.time("the overhead o", o);
        faults.time("the gap g", g);
        if w == Bytes::new(0) {
            faults.quantity("the size w of a packet is 0 bytes".into(), "it must be 1 byte or more".into());
        }
        faults.none_or(LogP { l, o, g, w })
    }

    /// The latency `L` of the wire.
    #[must_use]
    pub fn l(&self) -> Time {
        self.l
    }

    /// The overhead `o` of either processor for a packet.
    #[must_use]
    pub fn o(&self) -> Time {
        self.o
    }

    /// The gap `g` between packets.
    #[must_use]
    pub fn g(&self) -> Time {
        self.g
    }

    /// The size `w` of a packet.
    #[must_use]
    pub fn w(&self) -> Bytes {
        self.w
    }

    /// How many packets a message takes: `max(1, ceil(m / w))`.
    #[must_use]
    pub fn packets(&self, size: Bytes) -> u64 {
        size.get().div_ceil(self.w.get()).max(1)
    }

    /// The most packets that can be on their way between two processors at once, `ceil(L / g)`. There is no
    /// bound if there is no gap.
    #[must_use]
    pub fn most_in_flight(&self) -> Option<u64> {
        (self.g > Time::ZERO).then(|| (self.l / self.g).ceil() as u64)
    }

    fn between_packets(&self) -> Time {
        self.g.max(self.o)
    }
}

impl CommunicationModel for LogP {
    fn name(&self) -> &'static str {
        Kind::LogP.name()
    }

    fn time(&self, size: Bytes) -> Result<Time, OutsideTable> {
        let others = (self.packets(size) - 1) as f64;
        Ok(self.l + self.o * 2.0 + self.between_packets() * others)
    }

    fn gap(&self, size: Bytes) -> Result<Time, OutsideTable> {
        Ok(self.between_packets() * self.packets(size) as f64)
    }

    fn sender_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        Ok(self.o * self.packets(size) as f64)
    }

    fn receiver_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.sender_busy(size)
    }

    fn latency(&self, _: Bytes) -> Result<Time, OutsideTable> {
        Ok(self.l + self.o * 2.0 - self.between_packets())
    }
}

impl fmt::Display for LogP {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LogP { l, o, g, w } = self;
        write_model(f, self.name(), &[("L", l, ""), ("o", o, ""), ("g", g, ""), ("w", w, "")])
    }
}
