//! pLogP, parameterised LogP: gap and overheads depend on the size of the message.

use std::fmt;

use skel_core::model::BuildErrors;

use super::check::Faults;
use super::display::write_model;
use super::table::GapTable;
use super::{CommunicationModel, Kind, OutsideTable};
use crate::quantity::{Bytes, Time};

/// A message of `m` bytes takes `L + g(m)`, with a measured gap for each size.
///
/// | | |
/// |---|---|
/// | time `T(m)` | `L + g(m)` |
/// | gap `g(m)` | its table |
/// | sender busy, receiver busy | `o_s(m)`, `o_r(m)`: their tables, or else `g(m)`, which neither exceeds in this model |
///
/// Reference: T. Kielmann and others, *Network performance-aware collective communication for clustered wide
/// area systems*, Parallel Computing 27, 2001.
///
/// # Examples
/// ```
/// use skel_network::{Bytes, CommunicationModel, GapTable, PLogP, Time};
/// let us = Time::microseconds;
/// let gap = GapTable::new([(Bytes::new(1), us(12.0)), (Bytes::new(1025), us(22.0))])?;
/// let link = PLogP::new(us(35.5), gap)?;
/// assert_eq!(link.time(Bytes::new(513))?, us(52.5));
/// let error = link.time(Bytes::new(4096)).unwrap_err();
/// assert_eq!(error.to_string(), "a message of 4096 bytes is outside of the table, which covers 1 to 1025 bytes");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PLogP {
    l: Time,
    g: GapTable,
    o_s: Option<GapTable>,
    o_r: Option<GapTable>,
}

impl PLogP {
    /// The latency `L`, and the table of the gap `g(m)`.
    ///
    /// # Errors
    /// A latency that is negative or not a number.
    pub fn new(l: Time, g: GapTable) -> Result<PLogP, BuildErrors> {
        let mut faults = Faults::default();
        faults.time("the latency L", l);
        faults.none_or(PLogP { l, g, o_s: None, o_r: None })
    }

    /// The same model with a table of the overhead of the sender, `o_s(m)`.
    #[must_use]
    pub fn with_sender_overhead(self, o_s: GapTable) -> PLogP {
        PLogP { o_s: Some(o_s), ..self }
    }

    /// The same model with a table of the overhead of the receiver, `o_r(m)`.
    #[must_use]
    pub fn with_receiver_overhead(self, o_r: GapTable) -> PLogP {
        PLogP { o_r: Some(o_r), ..self }
    }

    /// The latency `L`.
    #[must_use]
    pub fn l(&self) -> Time {
        self.l
    }

    /// The table of the gap.
    #[must_use]
    pub fn g(&self) -> &GapTable {
        &self.g
    }

    /// The table of the sender's overhead, if it was measured.
    #[must_use]
    pub fn o_s(&self) -> Option<&GapTable> {
        self.o_s.as_ref()
    }

    /// The table of the receiver's overhead, if it was measured.
    #[must_use]
    pub fn o_r(&self) -> Option<&GapTable> {
        self.o_r.as_ref()
    }
}

impl CommunicationModel for PLogP {
    fn name(&self) -> &'static str {
        Kind::PLogP.name()
    }

    fn time(&self, size: Bytes) -> Result<Time, OutsideTable> {
        Ok(self.l + self.g.at(size)?)
    }

    fn gap(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.g.at(size)
    }

    fn sender_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.o_s.as_ref().unwrap_or(&self.g).at(size)
    }

    fn receiver_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.o_r.as_ref().unwrap_or(&self.g).at(size)
    }

    fn latency(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.g.at(size).map(|_| self.l)
    }
}

impl fmt::Display for PLogP {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = self.g.range();
        let count = self.g.knots().len();
        let sizes = if count == 1 { "size" } else { "sizes" };
        write_model(f, self.name(), &[("L", &self.l, "")])?;
        write!(f, ", g(m) at {count} {sizes} from {least} to {most}")
    }
}
