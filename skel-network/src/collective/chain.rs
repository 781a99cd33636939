//! The segmented chain, and the best of its segments.

use super::error::Problem;
use super::message::Messages;
use crate::quantity::{Bytes, Time};

/// How a message is cut into segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The size of all segments but the last.
    pub(crate) segment: Bytes,
    /// How many there are: `k`.
    pub(crate) segments: u64,
    /// The size of the last.
    pub(crate) last: Bytes,
}

impl Cut {
    /// A message cut into segments of a size. A message of 0 bytes is one segment of 0 bytes, which only the
    /// search asks for.
    pub(crate) fn new(message: Bytes, segment: Bytes) -> Cut {
        let segments = if message == segment { 1 } else { message.get().div_ceil(segment.get()) };
        let last = message.get() - segment.get() * (segments - 1);
        Cut { segment, segments, last: Bytes::new(last) }
    }

    /// A message cut into segments of a size that a user gives.
    pub(crate) fn checked(message: Bytes, segment: Bytes) -> Result<Cut, Problem> {
        if segment.get() == 0 || segment > message {
            return Err(Problem::BadSegment(segment));
        }
        Ok(Cut::new(message, segment))
    }
}

/// When the last process has the last segment. Needs two processes; the cost depends neither on their number
/// nor on the segments'.
///
/// The first `k - 1` segments flow at one a gap: the last of them is sent by process `i` at `i T + (k-2) g`,
/// with `T = g(s) + L(s)`. Let the last segment of `l` bytes be sent `b_i` later than `i T + (k-1) g`. It is
/// sent when it is in and the port is free, so that with `d = T(l) - T(s)` and `e = g(l) - g(s)`, `b_0 = 0`
/// and `b_i = max(0, b_(i-1) + d, e) = max(0, d, e) + (i-1) max(0, d)`. Process `P - 1` has it at
/// `(P-1) T + (k-1) g + max(b_(P-2) + d, e)`. Where the latency is the same for all sizes and the gap does
/// not decrease, `d = e <= 0`, and that is `(P-1)(g(s) + L) + (k-2) g(s) + g(l)`.
pub(super) fn time(processes: u32, messages: Messages<'_>, cut: Cut) -> Result<Time, Problem> {
    let links = f64::from(processes - 1);
    let cost = messages.of(cut.segment)?;
    if cut.segments == 1 {
        return Ok(cost.time() * links);
    }
    let last = messages.of(cut.last)?;
    let (later, busier) = (last.time() - cost.time(), last.gap - cost.gap);
    let delay = match processes.checked_sub(3) {
        None => Time::ZERO,
        Some(between) => later.max(busier).max(Time::ZERO) + later.max(Time::ZERO) * f64::from(between),
    };
    let flow = cost.time() * links + cost.gap * (cut.segments - 1) as f64;
    Ok(flow + busier.max(delay + later))
}

/// The segments that are tried for a message: the powers of two below its size, and the size itself, from the
/// smallest on.
pub(crate) fn candidates(message: Bytes) -> impl Iterator<Item = Bytes> {
    let powers = (0..u64::BITS).map(|bits| Bytes::new(1 << bits));
    powers.take_while(move |segment| *segment < message).chain([message])
}

/// The candidate with the least time, and that time; ties go to the largest. Segments that a table of the
/// model does not cover are left out, and where all are, the error is that of the whole message.
pub(super) fn best(
    message: Bytes,
    time_with: &dyn Fn(Cut) -> Result<Time, Problem>,
) -> Result<(Bytes, Time), Problem> {
    let mut best: Option<(Bytes, Time)> = None;
    let mut last_problem = None;
    for segment in candidates(message) {
        match time_with(Cut::new(message, segment)) {
            Ok(time) if best.is_none_or(|(_, least)| time <= least) => best = Some((segment, time)),
            Ok(_) => {}
            Err(problem) if problem.is_outside_of_a_table() => last_problem = Some(problem),
            Err(problem) => return Err(problem),
        }
    }
    best.ok_or_else(|| last_problem.expect("the size itself is a candidate"))
}
