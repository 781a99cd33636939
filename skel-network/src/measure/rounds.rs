//! All times of one link: rounds through all sizes, with a few batches of messages for each.

use std::time::Duration;

use super::ask::Session;
use super::control::Progress;
use super::error::MeasureError;
use super::plan::Plan;
use super::protocol::port::Port;
use super::series::Series;
use crate::measurement::Measured;
use crate::quantity::{Bytes, Time, median};

/// About how long a batch lasts, if a few messages take no longer.
const BATCH: Time = Time::microseconds(50_000.0);

/// The fewest messages of a batch.
const FEWEST: u32 = 3;

/// How many messages a burst has, if so many take no more than [`LONGEST_BURST`].
const BURST: u32 = 16;
const LONGEST_BURST: Time = Time::microseconds(500_000.0);

/// With how many messages the search for the gap begins, and where it ends at the latest.
const FIRST_OF_GAP: u32 = 8;
const MOST_OF_GAP: u32 = 1024;
const MOST_BYTES_OF_GAP: u64 = 16 << 20;

/// By which part the gap may change with twice as many messages when the network is busy all the time.
const SATURATED: f64 = 0.01;

/// All times of one size.
struct Size {
    bytes: u64,
    half: Vec<Time>,
    empty: Vec<Time>,
    send: Vec<Time>,
    receive: Vec<Time>,
    /// The times of bursts, with the way of the empty reply.
    burst: Vec<Time>,
    burst_messages: u32,
    gap: Vec<Time>,
    gap_messages: u32,
}

impl Size {
    fn new(size: Bytes) -> Size {
        let none = Vec::new;
        Size {
            bytes: size.get(),
            half: none(),
            empty: none(),
            send: none(),
            receive: none(),
            burst: none(),
            burst_messages: 0,
            gap: none(),
            gap_messages: 0,
        }
    }
}

/// Times everything that a plan has, and ends the session. `every` hears how far it is.
pub(super) fn time_link<P: Port>(
    mut session: Session<P>,
    plan: &Plan,
    every: &mut dyn FnMut(Progress) -> Result<(), MeasureError>,
) -> Result<Vec<Series>, MeasureError> {
    let mut sizes: Vec<Size> = plan.sizes().map(Size::new).collect();
    let count = sizes.len();
    let total = plan.rounds.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX));
    let mut done = 0;
    for round in 0..plan.rounds {
        for step in 0..count {
            // What grows while a round lasts falls on the small sizes of one round, and on the large ones of
            // the next.
            let at = if round % 2 == 0 { step } else { count - 1 - step };
            let empty = median(sizes[0].empty.clone()).unwrap_or(Time::ZERO);
            batches(&mut session, plan, &mut sizes[at], empty)?;
            done += 1;
            every(Progress { done, total })?;
        }
    }
    session.end();
    Ok(series(&sizes))
}

/// The batches of one size in one round. `empty` is the time there and back of empty messages, if it is
/// known.
fn batches<P: Port>(
    session: &mut Session<P>,
    plan: &Plan,
    size: &mut Size,
    empty: Time,
) -> Result<(), MeasureError> {
    let round_trip = warm_up(session, plan, size.bytes)?;
    let number = in_batch(round_trip, plan.each_round());
    size.half.extend(session.echoes(size.bytes, number)?.into_iter().map(|time| time / 2.0));
    for one in session.acknowledged(size.bytes, number)? {
        size.empty.push(one.round_trip);
        size.send.push(one.sending);
    }
    // Until the message has arrived, and the sender sleeps.
    let wait = round_trip * 2.0 + Time::microseconds(100.0);
    let wait = Duration::from_secs_f64(wait.as_seconds().min(1.0));
    let few = in_batch(Time::seconds(wait.as_secs_f64()), plan.each_round().div_ceil(2));
    size.receive.extend(session.receiving(size.bytes, few, wait)?);
    bursts(session, plan, size, round_trip)?;
    gaps(session, plan, size, if empty > Time::ZERO { empty } else { round_trip })
}

/// Messages that are not counted. Returns the least of their times, there and back.
fn warm_up<P: Port>(session: &mut Session<P>, plan: &Plan, size: u64) -> Result<Time, MeasureError> {
    let first = session.echoes(size, 1)?;
    let others = if first[0] < BATCH { session.echoes(size, plan.warm_up)? } else { Vec::new() };
    Ok(first.into_iter().chain(others).fold(Time::microseconds(f64::INFINITY), Time::min))
}

/// How many messages of such a time are in a batch.
fn in_batch(each: Time, wanted: u32) -> u32 {
    let fitting = (BATCH / each.max(Time::microseconds(0.1))) as u32;
    wanted.min(fitting.max(FEWEST))
}

fn bursts<P: Port>(
    session: &mut Session<P>,
    plan: &Plan,
    size: &mut Size,
    round_trip: Time,
) -> Result<(), MeasureError> {
    if size.burst_messages == 0 {
        let fitting = (LONGEST_BURST / round_trip.max(Time::microseconds(0.1))) as u32;
        size.burst_messages = fitting.clamp(2, BURST);
    }
    let expected = round_trip * f64::from(size.burst_messages);
    for _ in 0..in_batch(expected, plan.each_round().div_ceil(2)) {
        size.burst.push(session.burst(size.bytes, size.burst_messages)?);
    }
    Ok(())
}

/// The time of each of many messages in a row. How many keep the network busy all the time is found out in
/// the first round.
fn gaps<P: Port>(
    session: &mut Session<P>,
    plan: &Plan,
    size: &mut Size,
    empty: Time,
) -> Result<(), MeasureError> {
    let mut messages = size.gap_messages.max(FIRST_OF_GAP);
    let mut times = long_bursts(session, plan, size.bytes, messages)?;
    let is_known = size.gap_messages > 0;
    while !is_known && may_double(size.bytes, messages, &times) {
        let next = long_bursts(session, plan, size.bytes, 2 * messages)?;
        let [before, after] = [(&times, messages), (&next, 2 * messages)]
            .map(|(times, messages)| median(times.clone()).map(|time| gap(time, empty, messages)));
        (times, messages) = (next, 2 * messages);
        let change = before
            .zip(after)
            .map(|(before, after)| (before - after).as_microseconds().abs() / after.as_microseconds());
        if change.is_some_and(|change| change < SATURATED) {
            break;
        }
    }
    size.gap_messages = messages;
    size.gap.extend(times.into_iter().map(|time| gap(time, empty, messages)));
    Ok(())
}

/// The gap of messages in a row that took so long, an empty reply included.
fn gap(time: Time, empty: Time, messages: u32) -> Time {
    (time - empty) / f64::from(messages)
}

fn may_double(size: u64, messages: u32, times: &[Time]) -> bool {
    let bytes = size.saturating_mul(2 * u64::from(messages));
    let is_short = times.iter().all(|time| *time < LONGEST_BURST);
    is_short && 2 * messages <= MOST_OF_GAP && bytes <= MOST_BYTES_OF_GAP.max(size.saturating_mul(16))
}

fn long_bursts<P: Port>(
    session: &mut Session<P>,
    plan: &Plan,
    size: u64,
    messages: u32,
) -> Result<Vec<Time>, MeasureError> {
    let first = session.burst(size, messages)?;
    let others = in_batch(first, plan.each_round().div_ceil(2)).saturating_sub(1);
    let mut times = vec![first];
    for _ in 0..others {
        times.push(session.burst(size, messages)?);
    }
    Ok(times)
}

/// The series of all kinds and sizes.
fn series(sizes: &[Size]) -> Vec<Series> {
    let reply = sizes.first().and_then(|size| median(size.half.clone())).unwrap_or(Time::ZERO);
    let mut all = Vec::new();
    for size in sizes {
        let burst = size.burst.iter().map(|&time| time - reply).collect();
        let kinds = [
            (Measured::HalfRoundTrip, size.half.clone()),
            (Measured::EmptyReply, size.empty.clone()),
            (Measured::SendOverhead, size.send.clone()),
            (Measured::ReceiveOverhead, size.receive.clone()),
            (Measured::Burst { messages: size.burst_messages }, burst),
            (Measured::Gap, size.gap.clone()),
        ];
        let of_size = |(measured, times)| Series::of(measured, Bytes::new(size.bytes), times);
        all.extend(kinds.into_iter().filter_map(of_size));
    }
    all
}
