//! The side that answers: it does what it is asked to, within its limits, until the session ends.

use std::time::{Duration, Instant};

use super::protocol::port::{Lost, Port};
use super::protocol::wire::{Answer, LONGEST_WAIT, Letter, MOST_MESSAGES, OutOfTurn, Request, What};

/// How long the other side may take for its next request, and for each message.
const PATIENCE: Duration = Duration::from_secs(30);

/// How a session ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The other side said so.
    Done,
    /// It was refused something.
    Refused(Answer),
    /// It did not keep to the protocol.
    Garbled,
    /// There are no more bytes.
    Lost(Lost),
}

impl From<Lost> for Ended {
    fn from(lost: Lost) -> Self {
        Ended::Lost(lost)
    }
}

impl From<OutOfTurn> for Ended {
    fn from(_: OutOfTurn) -> Self {
        Ended::Garbled
    }
}

/// What a session may ask for, and until when it lasts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) largest: u64,
    pub(super) end: Instant,
}

impl Bounds {
    /// Until when the next step may last.
    pub(super) fn until(&self) -> Instant {
        self.end.min(Instant::now() + PATIENCE)
    }

    fn check(&self, request: &Request) -> Answer {
        match request {
            Request { size, .. } if *size > self.largest => Answer::TooLarge,
            Request { number, wait, .. } if *number > MOST_MESSAGES || *wait > LONGEST_WAIT => {
                Answer::TooMany
            }
            _ => Answer::Go,
        }
    }
}

/// Answers until the session ends. `relay` times messages to others.
pub(super) fn answer<P: Port>(
    port: &mut P,
    bounds: Bounds,
    relay: &mut dyn FnMut(&mut P, &Request) -> Result<(), Ended>,
) -> Ended {
    let mut letter = Letter::default();
    loop {
        let next = next(port, bounds, &mut letter, relay);
        if let Err(ended) = next {
            return ended;
        }
    }
}

fn next<P: Port>(
    port: &mut P,
    bounds: Bounds,
    letter: &mut Letter,
    relay: &mut dyn FnMut(&mut P, &Request) -> Result<(), Ended>,
) -> Result<(), Ended> {
    let request = Request::receive(port, bounds.until())?;
    let answer = request.map_or(Answer::Unknown, |request| bounds.check(&request));
    let Some(request) = request.filter(|_| answer == Answer::Go) else {
        answer.send(port, bounds.until())?;
        return Err(Ended::Refused(answer));
    };
    match request.what {
        What::End => return Err(Ended::Done),
        What::Relay => return relay(port, &request),
        _ => {}
    }
    Answer::Go.send(port, bounds.until())?;
    match request.what {
        What::Echo => echo(port, bounds, letter, &request),
        What::Acknowledge => acknowledge(port, bounds, letter, &request),
        What::Burst => burst(port, bounds, letter, &request),
        _ => receive(port, bounds, letter, &request),
    }
}

fn echo(port: &mut impl Port, bounds: Bounds, letter: &mut Letter, request: &Request) -> Result<(), Ended> {
    for number in 0..request.number {
        let until = bounds.until();
        let space = letter.of(request.size, number);
        port.receive(space, until)?;
        port.send(space, until)?;
        letter.check(number)?;
    }
    Ok(())
}

fn acknowledge(
    port: &mut impl Port,
    bounds: Bounds,
    letter: &mut Letter,
    request: &Request,
) -> Result<(), Ended> {
    for number in 0..request.number {
        let until = bounds.until();
        port.receive(letter.of(request.size, number), until)?;
        port.send(&[number as u8], until)?;
        letter.check(number)?;
    }
    Ok(())
}

fn burst(port: &mut impl Port, bounds: Bounds, letter: &mut Letter, request: &Request) -> Result<(), Ended> {
    let mut until = bounds.until();
    for number in 0..request.number {
        port.receive(letter.of(request.size, number), until)?;
        letter.check(number)?;
        if number % 16 == 0 {
            until = bounds.until();
        }
    }
    port.send(&[request.number as u8], until)?;
    Ok(())
}

/// Says that it is ready, waits until the message must be there, and times the call that receives it.
fn receive(
    port: &mut impl Port,
    bounds: Bounds,
    letter: &mut Letter,
    request: &Request,
) -> Result<(), Ended> {
    for number in 0..request.number {
        let until = bounds.until();
        port.send(&[number as u8], until)?;
        std::thread::sleep(request.wait);
        let space = letter.of(request.size, number);
        let started = Instant::now();
        port.receive(space, until)?;
        let taken = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        port.send(&taken.to_le_bytes(), until)?;
        letter.check(number)?;
    }
    Ok(())
}
