//! One link that several senders share: the machine-repairman queue.

use skel_core::model::BuildErrors;

use crate::model::LogGp;
use crate::model::check::Faults;
use crate::quantity::{Bytes, Time};

/// The most senders of one link. The exact wait takes a step for each of them.
pub const MOST_SENDERS: u32 = 1_000_000;

/// Senders that each think for a while, then use one link for a while, first come first served.
///
/// With a mean time `Z` between the end of a transfer and the next, and a mean time `S` of a transfer, both
/// exponential, this is the machine-repairman queue. For LogGP, `S = (m-1) G`, and the wait is added to the
/// time of a message: [`SharedLink::time`].
///
/// | | the time `R` at the link, with the wait | cost |
/// |---|---|---|
/// | [`exact`](SharedLink::exact) | mean value analysis: `R(n) = S (1 + Q(n-1))`, `X = n / (Z + R)`, `Q = X R` for `n = 1..N` | a step for each sender |
/// | [`schweitzer`](SharedLink::schweitzer) | `R = S (1 + (N-1) R / (Z + R))` | a formula |
/// | [`bard`](SharedLink::bard) | `R = S (1 + N R / (Z + R))` | a formula |
///
/// Bard's approximation lets a sender wait for itself. It is of no use for few senders, and is here for
/// comparison. Reference: M. Reiser and S. Lavenberg, *Mean-value analysis of closed multichain queuing
/// networks*, Journal of the ACM 27, 1980; P. Schweitzer, *Approximate analysis of multiclass closed networks
/// of queues*, 1979; Y. Bard, *Some extensions to multiclass queueing network analysis*, 1979.
///
/// # Examples
/// ```
/// use skel_network::{SharedLink, Time};
/// let us = Time::microseconds;
/// let link = SharedLink::new(2, us(100.0), us(50.0))?;
/// let waits = [link.exact(), link.schweitzer(), link.bard()].map(|wait| format!("{:.2}", wait.wait));
/// assert_eq!(waits, ["16.67 us", "20.71 us", "50.00 us"]);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedLink {
    senders: u32,
    think: Time,
    transfer: Time,
}

/// How long a sender waits for a shared link, on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wait {
    /// From wanting to send to the start of the transfer.
    pub wait: Time,
    /// From one message of a sender to its next: thinking, waiting and transferring.
    pub cycle: Time,
}

impl SharedLink {
    /// The number of senders `N`, the mean time `Z` that each thinks, and the mean time `S` of a transfer.
    ///
    /// # Errors
    /// No sender, or more than [`MOST_SENDERS`]; a time that is negative or not a number; a cycle that takes
    /// no time.
    pub fn new(senders: u32, think: Time, transfer: Time) -> Result<SharedLink, BuildErrors> {
        let mut faults = Faults::default();
        if !(1..=MOST_SENDERS).contains(&senders) {
            faults.quantity(
                format!("the number of senders is {senders}"),
                format!("it must be from 1 to {MOST_SENDERS}"),
            );
        }
        faults.time("the time Z between two transfers", think);
        faults.time("the time S of a transfer", transfer);
        if [think, transfer] == [Time::ZERO; 2] {
            faults.quantity(
                "Z and S are both 0, so a cycle takes no time".into(),
                "make one of them more than 0".into(),
            );
        }
        faults.none_or(SharedLink { senders, think, transfer })
    }

    /// The link of a LogGP model, for messages of one size: `S = (m-1) G`.
    ///
    /// # Errors
    /// As [`new`](SharedLink::new). A message of one byte takes no time on the link, and so needs some time
    /// to think.
    pub fn of(model: &LogGp, size: Bytes, senders: u32, think: Time) -> Result<SharedLink, BuildErrors> {
        SharedLink::new(senders, think, model.transfer(size))
    }

    /// The time of a message with the wait for the link: `L + 2o + (m-1) G` and the exact wait.
    ///
    /// # Errors
    /// As [`of`](SharedLink::of).
    ///
    /// # Examples
    /// ```
    /// use skel_network::{Bytes, CommunicationModel, LogGp, SharedLink, Time};
    /// let us = Time::microseconds;
    /// let alone = LogGp::new(us(41.0), us(4.5), us(7.25), us(0.05))?;
    /// // The transfer takes 50 us, as above.
    /// let time = SharedLink::time(&alone, Bytes::new(1001), 2, us(100.0))?;
    /// assert_eq!(format!("{time:.2}"), "116.67 us");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    pub fn time(model: &LogGp, size: Bytes, senders: u32, think: Time) -> Result<Time, BuildErrors> {
        let wait = SharedLink::of(model, size, senders, think)?.exact().wait;
        Ok(model.l() + model.o() * 2.0 + model.transfer(size) + wait)
    }

    /// The exact mean value analysis.
    #[must_use]
    pub fn exact(&self) -> Wait {
        let mut queued = 0.0;
        let mut at_link = self.transfer;
        for senders in 1..=self.senders {
            at_link = self.transfer * (1.0 + queued);
            queued = f64::from(senders) * (at_link / (self.think + at_link));
        }
        self.with(at_link)
    }

    /// Bard's approximation: a message finds all messages queued, its own sender's among them.
    #[must_use]
    pub fn bard(&self) -> Wait {
        self.approximation(f64::from(self.senders))
    }

    /// Schweitzer's approximation: a message finds the messages of the others, each queued as often as its
    /// own.
    #[must_use]
    pub fn schweitzer(&self) -> Wait {
        self.approximation(f64::from(self.senders - 1))
    }

    /// The positive root of `R = S (1 + n R / (Z + R))`, which is `R^2 + (Z - S - n S) R - S Z = 0`.
    fn approximation(&self, others: f64) -> Wait {
        let (s, z) = (self.transfer.as_microseconds(), self.think.as_microseconds());
        let half = (z - s - others * s) / 2.0;
        let root = half.hypot((s * z).sqrt());
        // Of the two forms of the root, the one that does not subtract.
        let at_link = if half > 0.0 { s * z / (half + root) } else { root - half };
        self.with(Time::microseconds(at_link))
    }

    fn with(&self, at_link: Time) -> Wait {
        // Rounding must not make a wait negative.
        Wait { wait: (at_link - self.transfer).max(Time::ZERO), cycle: self.think + at_link }
    }
}
