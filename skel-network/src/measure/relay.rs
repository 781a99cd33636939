//! Links between two other processes: one of them is asked to time messages to the other, and says what it
//! found.

use std::time::{Duration, Instant};

use super::answer::{Bounds, Ended};
use super::control::{Control, Progress};
use super::error::MeasureError;
use super::peer::{Peer, go_on};
use super::plan::Plan;
use super::protocol::port::{Lost, Port};
use super::protocol::wire::{Answer, LONGEST_TEXT, Request, What};
use super::rounds::time_link;
use super::series::Series;
use crate::measurement::Measured;
use crate::quantity::{Bytes, Time};

/// How long the process between may be silent. It says after each batch how far it is.
const PATIENCE: Duration = Duration::from_secs(120);

/// The most series that one link can have.
const MOST_SERIES: usize = 1000;

const PLAN: usize = 20;
const FRAME: usize = 40;

/// What the process between says.
enum Frame {
    Progress(Progress),
    Series(Series),
    Done,
    /// Why there is nothing, in so many bytes of text that follow.
    Failed(usize),
}

/// Times messages from one process that listens to another one.
///
/// # Errors
/// As [`Peer::connect`] and [`Peer::measure`] for the first process, or what it says of the other one.
pub fn between_peers(
    from: &str,
    to: &str,
    plan: &Plan,
    control: &Control,
) -> Result<Vec<Series>, MeasureError> {
    let mut session = Peer::connect(from, plan, control)?.into_session();
    let number = u32::try_from(to.len()).ok().filter(|length| *length as usize <= LONGEST_TEXT);
    let number = number.ok_or_else(|| MeasureError::Address {
        address: to.to_owned(),
        why: format!("it is longer than {LONGEST_TEXT} bytes"),
    })?;
    session.announce(&Request {
        what: What::Relay,
        number,
        size: plan.largest.get(),
        wait: Duration::ZERO,
    })?;
    let until = session.until();
    let payload = [&plan_bytes(plan)[..], to.as_bytes()].concat();
    session.port.send(&payload, until).map_err(|lost| session.lost(lost))?;
    session.agreed()?;
    let mut all = Vec::new();
    loop {
        let mut bytes = [0; FRAME];
        let until = Instant::now() + PATIENCE;
        session.port.receive(&mut bytes, until).map_err(|lost| session.lost(lost))?;
        match frame(&bytes).ok_or_else(|| session.garbled())? {
            Frame::Progress(progress) => go_on(progress, control)?,
            Frame::Series(series) if all.len() < MOST_SERIES => all.push(series),
            Frame::Series(_) => return Err(session.garbled()),
            Frame::Done => {
                session.end();
                return Ok(all);
            }
            Frame::Failed(length) => {
                let mut text = vec![0; length];
                session.port.receive(&mut text, until).map_err(|lost| session.lost(lost))?;
                let peer = session.peer.clone();
                session.end();
                return Err(MeasureError::Refused { peer, why: printable(&text) });
            }
        }
    }
}

/// The text of a stranger, without what a terminal would obey.
fn printable(text: &[u8]) -> String {
    let kept = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    String::from_utf8_lossy(text).chars().map(kept).collect()
}

/// Does what [`between_peers`] asks for, as the process between. `is_allowed` says whether it may connect to
/// an address.
pub(super) fn relay(
    port: &mut impl Port,
    request: &Request,
    bounds: Bounds,
    control: &Control,
    is_allowed: &dyn Fn(&str) -> bool,
) -> Result<(), Ended> {
    let length = request.number as usize;
    if length > LONGEST_TEXT {
        return refuse(port, bounds, Answer::TooMany);
    }
    let (mut plan, mut address) = ([0; PLAN], vec![0; length]);
    port.receive(&mut plan, bounds.until())?;
    port.receive(&mut address, bounds.until())?;
    let Some(plan) = plan_of(&plan, request.size) else { return Err(Ended::Garbled) };
    let address = String::from_utf8(address).map_err(|_| Ended::Garbled)?;
    if !is_allowed(&address) {
        return refuse(port, bounds, Answer::NotAllowed);
    }
    Answer::Go.send(port, bounds.until())?;
    match timed(port, &address, &plan, bounds, control) {
        Ok(all) => {
            for series in all {
                port.send(&bytes_of(&Frame::Series(series)), bounds.until())?;
            }
            port.send(&bytes_of(&Frame::Done), bounds.until())?;
        }
        Err(error) => {
            let mut text = error.to_string();
            while text.len() > LONGEST_TEXT {
                text.pop();
            }
            port.send(&bytes_of(&Frame::Failed(text.len())), bounds.until())?;
            port.send(text.as_bytes(), bounds.until())?;
        }
    }
    Ok(())
}

fn refuse(port: &mut impl Port, bounds: Bounds, answer: Answer) -> Result<(), Ended> {
    answer.send(port, bounds.until())?;
    Err(Ended::Refused(answer))
}

/// Times messages to an address, and says on the port how far it is.
fn timed(
    port: &mut impl Port,
    address: &str,
    plan: &Plan,
    bounds: Bounds,
    control: &Control,
) -> Result<Vec<Series>, MeasureError> {
    let (stop, end) = (control.clone(), bounds.end);
    let control = Control::default().stopping_when(move || stop.is_stopped() || Instant::now() >= end);
    let peer = Peer::connect(address, plan, &control)?;
    time_link(peer.into_session(), plan, &mut |progress| {
        let said = port.send(&bytes_of(&Frame::Progress(progress)), bounds.until());
        said.map_err(|lost| match lost {
            Lost::Stopped => MeasureError::Stopped,
            Lost::Closed | Lost::Late => MeasureError::Gone { peer: "whoever asked".into() },
        })
    })
}

fn plan_bytes(plan: &Plan) -> [u8; PLAN] {
    let timeout = u32::try_from(plan.timeout.as_millis()).unwrap_or(u32::MAX);
    let mut bytes = [0; PLAN];
    let numbers = [plan.rounds, plan.repetitions, plan.warm_up, timeout, plan.is_between.into()];
    for (at, number) in numbers.into_iter().enumerate() {
        bytes[4 * at..4 * at + 4].copy_from_slice(&number.to_le_bytes());
    }
    bytes
}

/// The plan of a request, if it is within the bounds of plans.
fn plan_of(bytes: &[u8; PLAN], largest: u64) -> Option<Plan> {
    let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[4 * at + byte]));
    let plan = Plan::default().up_to(Bytes::new(largest)).ok()?;
    let plan = plan.repeated(number(1), number(0)).ok()?.warmed_up_by(number(2)).ok()?;
    let plan = plan.waiting_for(Duration::from_millis(number(3).into())).ok()?;
    match number(4) {
        0 => Some(plan),
        1 => Some(plan.between_sizes()),
        _ => None,
    }
}

/// What is timed, by the numbers of the protocol. The number of messages of a burst is beside it.
fn measured_of(number: u8, messages: u32) -> Option<Measured> {
    Some(match number {
        0 => Measured::HalfRoundTrip,
        1 => Measured::EmptyReply,
        2 => Measured::SendOverhead,
        3 => Measured::ReceiveOverhead,
        4 => Measured::Burst { messages },
        5 => Measured::Gap,
        _ => return None,
    })
}

fn number_of(measured: Measured) -> (u8, u32) {
    match measured {
        Measured::HalfRoundTrip => (0, 0),
        Measured::EmptyReply => (1, 0),
        Measured::SendOverhead => (2, 0),
        Measured::ReceiveOverhead => (3, 0),
        Measured::Burst { messages } => (4, messages),
        Measured::Gap => (5, 0),
    }
}

fn bytes_of(frame: &Frame) -> [u8; FRAME] {
    let mut bytes = [0; FRAME];
    let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
    match frame {
        Frame::Progress(Progress { done, total }) => {
            put(4, &done.to_le_bytes());
            put(8, &u64::from(*total).to_le_bytes());
        }
        Frame::Series(series) => {
            let (number, messages) = number_of(series.measured);
            put(0, &[1, number]);
            put(4, &messages.to_le_bytes());
            put(8, &series.size.get().to_le_bytes());
            put(16, &series.median.as_microseconds().to_le_bytes());
            put(24, &series.deviation.as_microseconds().to_le_bytes());
            put(32, &series.repetitions.to_le_bytes());
        }
        Frame::Done => put(0, &[2]),
        Frame::Failed(length) => {
            put(0, &[3]);
            put(8, &(*length as u64).to_le_bytes());
        }
    }
    bytes
}

/// What a frame says, if it says something that makes sense.
fn frame(bytes: &[u8; FRAME]) -> Option<Frame> {
    let short = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
    let long = |at: usize| std::array::from_fn(|byte| bytes[at + byte]);
    let time = |at: usize| {
        let microseconds = f64::from_le_bytes(long(at));
        (microseconds.is_finite() && microseconds >= 0.0).then(|| Time::microseconds(microseconds))
    };
    let size = u64::from_le_bytes(long(8));
    match bytes[0] {
        0 => Some(Frame::Progress(Progress { done: short(4), total: u32::try_from(size).ok()? })),
        1 => Some(Frame::Series(Series {
            measured: measured_of(bytes[1], short(4))?,
            size: Bytes::new(size),
            median: time(16).filter(|time| *time > Time::ZERO)?,
            deviation: time(24)?,
            repetitions: short(32),
        })),
        2 => Some(Frame::Done),
        3 => usize::try_from(size).ok().filter(|length| *length <= LONGEST_TEXT).map(Frame::Failed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_what_was_sent() {
        let series = Series {
            measured: Measured::Burst { messages: 16 },
            size: Bytes::new(1 << 40),
            median: Time::microseconds(12.5),
            deviation: Time::microseconds(0.25),
            repetitions: 77,
        };
        match frame(&bytes_of(&Frame::Series(series))) {
            Some(Frame::Series(read)) => assert_eq!(read, series),
            _ => panic!("a series is sent"),
        }
        let nothing = Series { median: Time::ZERO, ..series };
        assert!(frame(&bytes_of(&Frame::Series(nothing))).is_none());
        let nan = Series { deviation: Time::microseconds(f64::NAN), ..series };
        assert!(frame(&bytes_of(&Frame::Series(nan))).is_none());
        assert!(frame(&bytes_of(&Frame::Failed(256))).is_none());
        assert!(frame(&[9; FRAME]).is_none());
    }

    #[test]
    fn plans_are_what_was_sent() {
        let plan = Plan::default().up_to(Bytes::new(77)).unwrap().repeated(9, 3).unwrap();
        assert_eq!(plan_of(&plan_bytes(&plan), 77), Some(plan));
        let between = plan.between_sizes();
        assert_eq!(plan_of(&plan_bytes(&between), 77), Some(between));
        assert_eq!(plan_of(&plan_bytes(&plan), 0), None);
        assert_eq!(plan_of(&[255; PLAN], 77), None);
    }
}
