//! LogGP: LogP with a gap for each byte of a long message.

use std::fmt;

use skel_core::model::BuildErrors;

use super::check::Faults;
use super::display::write_model;
use super::{CommunicationModel, Kind, OutsideTable};
use crate::quantity::{Bytes, Time};

/// A message of `m` bytes takes `L + 2o + (m-1) G`.
///
/// | | |
/// |---|---|
/// | time `T(m)` | `L + 2o + (m-1) G` |
/// | gap `g(m)` | `max(o, g + (m-1) G)` |
/// | sender and receiver busy | `o` |
///
/// A message of no bytes costs what one of a single byte does.
///
/// Reference: A. Alexandrov, M. Ionescu, K. Schauser and C. Scheiman, *LogGP: incorporating long messages
/// into the LogP model*, SPAA 1995.
///
/// # Examples
/// ```
/// use skel_network::{Bytes, CommunicationModel, LogGp, Time};
/// let us = Time::microseconds;
/// let link = LogGp::new(us(41.0), us(4.5), us(7.25), us(0.01))?;
/// assert_eq!(link.time(Bytes::new(1))?, us(50.0));
/// assert_eq!(link.gap(Bytes::new(101))?, us(8.25));
/// assert!(link.time(Bytes::new(1001))? == us(60.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogGp {
    l: Time,
    o: Time,
    g: Time,
    gap_per_byte: Time,
}

impl LogGp {
    /// The latency `L` of the wire, the overhead `o` of a processor, the gap `g` between messages, and the
    /// gap `G` for each byte.
    ///
    /// # Errors
    /// A time that is negative or not a number.
    pub fn new(l: Time, o: Time, g: Time, gap_per_byte: Time) -> Result<LogGp, BuildErrors> {
        let mut faults = Faults::default();
        faults.time("the latency L", l);
        faults.time("the overhead o", o);
        faults.time("the gap g", g);
        faults.time("the gap G for each byte", gap_per_byte);
        faults.none_or(LogGp { l, o, g, gap_per_byte })
    }

    /// The latency `L` of the wire.
    #[must_use]
    pub fn l(&self) -> Time {
        self.l
    }

    /// The overhead `o` of either processor for a message.
    #[must_use]
    pub fn o(&self) -> Time {
        self.o
    }

    /// The gap `g` between messages.
    #[must_use]
    pub fn g(&self) -> Time {
        self.g
    }

    /// The gap `G` for each byte.
    #[must_use]
    pub fn gap_per_byte(&self) -> Time {
        self.gap_per_byte
    }

    /// How long the bytes behind the first take on the link, `(m-1) G`.
    #[must_use]
    pub fn transfer(&self, size: Bytes) -> Time {
        self.gap_per_byte * size.get().saturating_sub(1) as f64
    }
}

impl CommunicationModel for LogGp {
    fn name(&self) -> &'static str {
        Kind::LogGp.name()
    }

    fn time(&self, size: Bytes) -> Result<Time, OutsideTable> {
        Ok(self.l + self.o * 2.0 + self.transfer(size))
    }

    fn gap(&self, size: Bytes) -> Result<Time, OutsideTable> {
        Ok(self.o.max(self.g + self.transfer(size)))
    }

    fn sender_busy(&self, _: Bytes) -> Result<Time, OutsideTable> {
        Ok(self.o)
    }

    fn receiver_busy(&self, _: Bytes) -> Result<Time, OutsideTable> {
        Ok(self.o)
    }
}

impl fmt::Display for LogGp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LogGp { l, o, g, gap_per_byte } = self;
        let parameters: [(&str, &dyn fmt::Display, &str); 4] =
            [("L", l, ""), ("o", o, ""), ("g", g, ""), ("G", gap_per_byte, "/byte")];
        write_model(f, self.name(), &parameters)
    }
}
