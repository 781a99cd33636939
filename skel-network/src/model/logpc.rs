//! LoGPC as far as it can be had: LogGP with a measured contention factor.

use std::fmt;

use skel_core::model::BuildErrors;

use super::check::Faults;
use super::display::write_model;
use super::loggp::LogGp;
use super::{CommunicationModel, Kind, OutsideTable};
use crate::quantity::{Bytes, Time};

/// LogGP whose gap for each byte is `gamma G`, where `gamma` is measured while as many transfers share the
/// network as will in use.
///
/// C. Moritz and M. Frank, *LoGPC: Modeling Network Contention in Message-Passing Programs*, IEEE
/// Transactions on Parallel and Distributed Systems 12, 2001, derive the contention from the network and the
/// program. Their equations are not implemented here; a factor takes their place. [`LoGpc::fit`](LoGpc::fit)
/// finds it from timed runs, and [`SharedLink`](crate::SharedLink) predicts the wait at one shared link.
///
/// # Examples
/// ```
/// use skel_network::{Bytes, CommunicationModel, LoGpc, LogGp, Time};
/// let us = Time::microseconds;
/// let alone = LogGp::new(us(41.0), us(4.5), us(7.25), us(0.01))?;
/// let crowded = LoGpc::new(alone, 1.5)?;
/// assert_eq!(crowded.time(Bytes::new(1))?, us(50.0));
/// assert_eq!(crowded.time(Bytes::new(1001))?, us(65.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoGpc {
    base: LogGp,
    gamma: f64,
    contended: LogGp,
}

impl LoGpc {
    /// The model of a link without contention, and the contention factor `gamma`.
    ///
    /// # Errors
    /// A factor that is not above zero, or too large.
    pub fn new(base: LogGp, gamma: f64) -> Result<LoGpc, BuildErrors> {
        let mut faults = Faults::default();
        faults.positive("the contention factor gamma", gamma, "");
        faults.none_or(())?;
        let contended = LogGp::new(base.l(), base.o(), base.g(), base.gap_per_byte() * gamma)?;
        Ok(LoGpc { base, gamma, contended })
    }

    /// The model of the link without contention.
    #[must_use]
    pub fn base(&self) -> &LogGp {
        &self.base
    }

    /// The contention factor `gamma`: how many times as long each byte takes.
    #[must_use]
    pub fn gamma(&self) -> f64 {
        self.gamma
    }
}

impl CommunicationModel for LoGpc {
    fn name(&self) -> &'static str {
        Kind::LoGpc.name()
    }

    fn time(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.contended.time(size)
    }

    fn gap(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.contended.gap(size)
    }

    fn sender_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.contended.sender_busy(size)
    }

    fn receiver_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.contended.receiver_busy(size)
    }
}

impl fmt::Display for LoGpc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (l, o, g) = (self.base.l(), self.base.o(), self.base.g());
        let parameters: [(&str, &dyn fmt::Display, &str); 5] = [
            ("L", &l, ""),
            ("o", &o, ""),
            ("g", &g, ""),
            ("G", &self.base.gap_per_byte(), "/byte"),
            ("gamma", &self.gamma, ""),
        ];
        write_model(f, self.name(), &parameters)
    }
}
