//! Links for tests.

use skel_network::{Bytes, GapTable, PLogP, Time};

/// A latency, and gaps by bytes, all in microseconds.
pub(crate) fn plogp(latency: f64, gaps: impl IntoIterator<Item = (u64, f64)>) -> PLogP {
    let knots = gaps.into_iter().map(|(bytes, gap)| (Bytes::new(bytes), Time::microseconds(gap)));
    PLogP::new(Time::microseconds(latency), GapTable::new(knots).unwrap()).unwrap()
}
