//! Models of links for tests: the conventions of pLogP, without anything that is measured or fitted.

use skel_network::{Bytes, CommunicationModel, OutsideTable, Time};

/// A latency, and gaps that are linear between knots.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) latency: f64,
    pub(crate) gaps: Vec<(f64, f64)>,
}

impl Link {
    /// A gap of a start-up and a time for each byte, for any size.
    pub(crate) fn affine(latency: f64, startup: f64, per_byte: f64) -> Link {
        let gap = |bytes: f64| (bytes, startup + bytes * per_byte);
        Link { latency, gaps: vec![gap(0.0), gap(u64::MAX as f64)] }
    }
}

impl CommunicationModel for Link {
    fn name(&self) -> &'static str {
        "pLogP"
    }

    fn time(&self, size: Bytes) -> Result<Time, OutsideTable> {
        Ok(self.gap(size)? + Time::microseconds(self.latency))
    }

    fn gap(&self, size: Bytes) -> Result<Time, OutsideTable> {
        let bytes = size.as_f64();
        let above = self.gaps.partition_point(|(knot, _)| *knot < bytes);
        let bound = |knot: &(f64, f64)| Bytes::new(knot.0 as u64);
        let outside = || OutsideTable {
            size,
            least: bound(&self.gaps[0]),
            most: bound(&self.gaps[self.gaps.len() - 1]),
        };
        let (right, high) = *self.gaps.get(above).ok_or_else(outside)?;
        if right == bytes {
            return Ok(Time::microseconds(high));
        }
        let (left, low) = above.checked_sub(1).map(|below| self.gaps[below]).ok_or_else(outside)?;
        Ok(Time::microseconds(low + (high - low) * (bytes - left) / (right - left)))
    }

    fn latency(&self, _: Bytes) -> Result<Time, OutsideTable> {
        Ok(Time::microseconds(self.latency))
    }

    fn sender_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.gap(size)
    }

    fn receiver_busy(&self, size: Bytes) -> Result<Time, OutsideTable> {
        self.gap(size)
    }
}
