//! LoPC: LogP with contention for the processors, by mean value analysis.

use std::fmt;

use skel_core::model::BuildErrors;

use crate::model::check::Faults;
use crate::quantity::Time;

/// Processors that each do some work, send a request to any of the others, and wait for its reply.
///
/// A message is handled by the processor that it arrives at: handlers wait in one queue, first come first
/// served, and interrupt the work. With the mean time `W` of the work between two requests, the latency `L`
/// of the wire, the mean time `o` of a handler and the squared coefficient of variation `C2` of that time,
/// the mean times of a cycle are
///
/// | | | |
/// |---|---|---|
/// | cycle | `R` | `Rw + 2L + Rq + Ry` |
/// | work, with its interruptions | `Rw` | `(W + o Qq) / (1 - U)` |
/// | request, waiting and handled | `Rq` | `o (1 + Qq + Qy + (C2-1) U)` |
/// | reply, waiting and handled | `Ry` | `o (1 + Qq + (C2-1) U/2)` |
/// | requests, replies at a processor | `Qq`, `Qy` | `Rq / R`, `Ry / R` |
/// | part of its time for requests | `U` | `o / R` |
///
/// The number of processors does not occur. For any value of `R`, the equations of `Rq` and `Ry` are linear,
/// and what is left is one equation for `R`, whose left side less its right side grows with `R`. So it has
/// one root, which is found by bisection to the last digit of a float.
///
/// # Where the equations are from
/// M. Frank, A. Agarwal and M. Vernon, *LoPC: Modeling Contention in Parallel Algorithms*, PPoPP 1997, give
/// the model. Of that text only the abstract was at hand, and **the equations are a reconstruction**. Two
/// things speak for it. Without work, without latency and with constant handlers it gives `R = 3.452 o`,
/// close below the `3.46 o` in the rule of thumb of that paper, as it is remembered. And it is close to the
/// exact solution:
///
/// # How good it is
/// With exponential times (`C2 = 1`) the same system is a Markov chain. For 2, 3 and 4 processors it has 27,
/// 276 and 3873 states (7, 80 and 1036 without latency). On six sets of parameters, `R` was above the exact
/// value in every one: by 0.1 % where `W` is far above `o`, and by 6.8 % where it is below `o`. The test
/// `lopc_chain` solves these chains with the engine of this project and holds the figures. The order of the
/// queue counts: a processor that divides its time among its handlers would have an `R` up to 4.2 % lower.
///
/// # Examples
/// ```
/// use skel_network::{LoPc, Time};
/// let us = Time::microseconds;
/// let busy = LoPc::new(us(1000.0), us(40.0), us(200.0), 1.0)?;
/// let times = busy.solve();
/// assert_eq!(format!("{:.4}", times.cycle.as_microseconds()), "1729.9797");
/// assert_eq!(busy.without_contention(), us(1480.0));
/// assert_eq!(format!("{:.2}", times.contention.as_microseconds()), "249.98");
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoPc {
    work: Time,
    latency: Time,
    handler: Time,
    variation: f64,
}

/// The mean times of a cycle in [`LoPc`], and what a processor does on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoPcTimes {
    /// From one request to the next, `R`.
    pub cycle: Time,
    /// The work, with its interruptions, `Rw`.
    pub work: Time,
    /// From the arrival of a request to the end of its handler, `Rq`.
    pub request: Time,
    /// From the arrival of a reply to the end of its handler, `Ry`.
    pub reply: Time,
    /// How many requests are at a processor, `Qq`.
    pub requests_queued: f64,
    /// How many replies are at a processor, `Qy`.
    pub replies_queued: f64,
    /// The part of its time that a processor handles requests, `U`. It handles replies for as long again.
    pub utilisation: f64,
    /// How much longer the cycle is than without contention.
    pub contention: Time,
}

impl LoPc {
    /// The mean time `W` of the work between two requests, the latency `L`, the mean time `o` of a handler,
    /// and the squared coefficient of variation `C2` of that time: 0 if it is constant, 1 if it is
    /// exponential.
    ///
    /// # Errors
    /// A value that is negative or not a number; a cycle that takes no time.
    pub fn new(work: Time, latency: Time, handler: Time, variation: f64) -> Result<LoPc, BuildErrors> {
        let mut faults = Faults::default();
        faults.time("the work W between two requests", work);
        faults.time("the latency L", latency);
        faults.time("the time o of a handler", handler);
        faults.not_negative("the squared coefficient of variation C2 of a handler", variation);
        if [work, latency, handler] == [Time::ZERO; 3] {
            faults.quantity(
                "W, L and o are all 0, so a cycle takes no time".into(),
                "make one of them more than 0".into(),
            );
        }
        faults.none_or(LoPc { work, latency, handler, variation })
    }

    /// The cycle if nothing ever waited: `W + 2L + 2o`.
    #[must_use]
    pub fn without_contention(&self) -> Time {
        self.work + (self.latency + self.handler) * 2.0
    }

    /// The mean times of a cycle. It takes some sixty evaluations of the equations.
    #[must_use]
    pub fn solve(&self) -> LoPcTimes {
        let mut low = self.without_contention().as_microseconds();
        let mut high = low;
        // The right side tends to W + 2L + 2o, so that the doubling ends.
        while self.excess(high) < 0.0 {
            low = high;
            high *= 2.0;
        }
        loop {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                return self.at(high);
            }
            if self.excess(middle) < 0.0 { low = middle } else { high = middle }
        }
    }

    /// How far a cycle is above what the equations make of it.
    fn excess(&self, cycle: f64) -> f64 {
        let times = self.at(cycle);
        let parts = times.work + self.latency * 2.0 + times.request + times.reply;
        cycle - parts.as_microseconds()
    }

    /// What the equations make of a cycle.
    ///
    /// The cycle is at least `2o`, so `U <= 1/2` and `1 - U - U^2 >= 1/4`.
    fn at(&self, cycle: f64) -> LoPcTimes {
        let o = self.handler.as_microseconds();
        let u = o / cycle;
        let more = self.variation - 1.0;
        let (own, back) = (o * (1.0 + more * u), o * (1.0 + more * u / 2.0));
        let request = (own + u * back) / (1.0 - u - u * u);
        let reply = back + u * request;
        let work = (self.work.as_microseconds() + u * request) / (1.0 - u);
        LoPcTimes {
            cycle: Time::microseconds(cycle),
            work: Time::microseconds(work),
            request: Time::microseconds(request),
            reply: Time::microseconds(reply),
            requests_queued: request / cycle,
            replies_queued: reply / cycle,
            utilisation: u,
            contention: Time::microseconds(cycle) - self.without_contention(),
        }
    }
}

impl fmt::Display for LoPcTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "cycle          R   {:.4}", self.cycle)?;
        writeln!(f, "work           Rw  {:.4}", self.work)?;
        writeln!(f, "request        Rq  {:.4}", self.request)?;
        writeln!(f, "reply          Ry  {:.4}", self.reply)?;
        writeln!(f, "requests there Qq  {:.4}", self.requests_queued)?;
        writeln!(f, "replies there  Qy  {:.4}", self.replies_queued)?;
        writeln!(f, "utilisation    U   {:.4}", self.utilisation)?;
        write!(f, "contention         {:.4}", self.contention)
    }
}
