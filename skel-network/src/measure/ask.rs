//! The side that asks: it times single batches of messages.

use std::time::{Duration, Instant};

use super::error::MeasureError;
use super::protocol::port::{Lost, Port};
use super::protocol::wire::{Answer, Letter, Request, What};
use crate::quantity::Time;

/// A session with another side, as the one that asks.
#[derive(Debug)]
pub(super) struct Session<P> {
    pub(super) port: P,
    /// The name of the other side.
    pub(super) peer: String,
    letter: Letter,
    timeout: Duration,
}

/// A message that was answered by an empty one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acknowledged {
    /// Until the answer.
    pub(super) round_trip: Time,
    /// Until the call that sends had returned.
    pub(super) sending: Time,
}

fn time(taken: Duration) -> Time {
    Time::seconds(taken.as_secs_f64())
}

impl<P: Port> Session<P> {
    pub(super) fn new(port: P, peer: String, timeout: Duration) -> Session<P> {
        Session { port, peer, letter: Letter::default(), timeout }
    }

    pub(super) fn until(&self) -> Instant {
        Instant::now() + self.timeout
    }

    /// What is wrong with the other side.
    pub(super) fn lost(&self, lost: Lost) -> MeasureError {
        let peer = self.peer.clone();
        match lost {
            Lost::Closed => MeasureError::Gone { peer },
            Lost::Late => MeasureError::Silent { peer, after: self.timeout },
            Lost::Stopped => MeasureError::Stopped,
        }
    }

    pub(super) fn garbled(&self) -> MeasureError {
        MeasureError::Garbled { peer: self.peer.clone() }
    }

    /// Asks for something, and waits until the other side is ready.
    pub(super) fn ask(&mut self, request: &Request) -> Result<(), MeasureError> {
        self.announce(request)?;
        self.agreed()
    }

    /// Sends a request without waiting for the answer.
    pub(super) fn announce(&mut self, request: &Request) -> Result<(), MeasureError> {
        let until = self.until();
        request.send(&mut self.port, until).map_err(|lost| self.lost(lost))
    }

    /// Waits for the answer to a request.
    pub(super) fn agreed(&mut self) -> Result<(), MeasureError> {
        let until = self.until();
        match Answer::receive(&mut self.port, until).map_err(|lost| self.lost(lost))? {
            Some(Answer::Go) => Ok(()),
            Some(other) => {
                Err(MeasureError::Refused { peer: self.peer.clone(), why: other.reason().to_owned() })
            }
            None => Err(self.garbled()),
        }
    }

    /// The times there and back of messages that come back as they are.
    pub(super) fn echoes(&mut self, size: u64, number: u32) -> Result<Vec<Time>, MeasureError> {
        self.ask(&Request { what: What::Echo, number, size, wait: Duration::ZERO })?;
        (0..number).map(|number| self.echo(size, number)).collect()
    }

    fn echo(&mut self, size: u64, number: u32) -> Result<Time, MeasureError> {
        let until = self.until();
        let space = self.letter.of(size, number);
        let started = Instant::now();
        let outcome = self.port.send(space, until).and_then(|()| self.port.receive(space, until));
        let taken = started.elapsed();
        outcome.map_err(|lost| self.lost(lost))?;
        self.letter.check(number).map_err(|_| self.garbled())?;
        Ok(time(taken))
    }

    /// Messages that are answered by empty ones.
    pub(super) fn acknowledged(&mut self, size: u64, number: u32) -> Result<Vec<Acknowledged>, MeasureError> {
        self.ask(&Request { what: What::Acknowledge, number, size, wait: Duration::ZERO })?;
        (0..number).map(|number| self.acknowledge(size, number)).collect()
    }

    fn acknowledge(&mut self, size: u64, number: u32) -> Result<Acknowledged, MeasureError> {
        let (until, mut reply) = (self.until(), [0]);
        let space = self.letter.of(size, number);
        let started = Instant::now();
        let sent = self.port.send(space, until);
        let sending = started.elapsed();
        let outcome = sent.and_then(|()| self.port.receive(&mut reply, until));
        let round_trip = started.elapsed();
        outcome.map_err(|lost| self.lost(lost))?;
        self.expect(reply, number)?;
        Ok(Acknowledged { round_trip: time(round_trip), sending: time(sending) })
    }

    /// The time of messages in a row, until an empty message is back behind the last of them.
    pub(super) fn burst(&mut self, size: u64, messages: u32) -> Result<Time, MeasureError> {
        self.ask(&Request { what: What::Burst, number: messages, size, wait: Duration::ZERO })?;
        let (mut until, mut reply) = (self.until(), [0]);
        let started = Instant::now();
        for number in 0..messages {
            let space = self.letter.of(size, number);
            self.port.send(space, until).map_err(|lost| self.lost(lost))?;
            if number % 16 == 15 {
                until = self.until();
            }
        }
        let outcome = self.port.receive(&mut reply, until);
        let taken = started.elapsed();
        outcome.map_err(|lost| self.lost(lost))?;
        self.expect(reply, messages)?;
        Ok(time(taken))
    }

    /// The times of the calls by which the other side receives messages that have had so much time to arrive.
    pub(super) fn receiving(
        &mut self,
        size: u64,
        number: u32,
        wait: Duration,
    ) -> Result<Vec<Time>, MeasureError> {
        self.ask(&Request { what: What::Receive, number, size, wait })?;
        (0..number).map(|number| self.received(size, number)).collect()
    }

    fn received(&mut self, size: u64, number: u32) -> Result<Time, MeasureError> {
        let (until, mut ready, mut taken) = (self.until(), [0], [0; 8]);
        self.port.receive(&mut ready, until).map_err(|lost| self.lost(lost))?;
        self.expect(ready, number)?;
        let space = self.letter.of(size, number);
        let outcome = self.port.send(space, until).and_then(|()| self.port.receive(&mut taken, until));
        outcome.map_err(|lost| self.lost(lost))?;
        Ok(time(Duration::from_nanos(u64::from_le_bytes(taken))))
    }

    fn expect(&self, reply: [u8; 1], number: u32) -> Result<(), MeasureError> {
        if reply == [number as u8] { Ok(()) } else { Err(self.garbled()) }
    }

    /// Ends the session, and waits until the other side has closed it, so that it is free for the next one.
    pub(super) fn end(mut self) {
        let until = self.until();
        if Request::end().send(&mut self.port, until).is_ok() {
            // Any outcome is the end.
            let _ = self.port.receive(&mut [0], until);
        }
    }
}
