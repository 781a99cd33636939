//! How long collective operations take, by algorithm, for any [`CommunicationModel`].
//!
//! # What is assumed
//! Each process has two ports, one that sends and one that receives. A message of `m` bytes that is sent from
//! `t` on holds the sending port over `[t, t + g(m))`. Its first byte is at the receiver at `t + L`. The
//! receiving port takes messages in order of arrival, and holds each for `g(m)`. A process sends on what it
//! received when the whole message is in. So a message that nothing hinders takes `g + L`.
//! [`simulate`](crate::simulate) plays the same messages one by one, and tests hold every time here to be its
//! time to 12 digits.
//!
//! # What the times are
//! With `P` processes and messages (or blocks) of `m` bytes; `T = g + L`. All are 0 for one process.
//!
//! | operation | algorithm | exact time ([`Collective::time`]) | as the paper prints it ([`Collective::time_as_printed`]) |
//! |---|---|---|---|
//! | broadcast | flat | `L + (P-1) g(m)` | the same |
//! | | chain, `k` segments of `s` bytes, the last of `l` | `(P-1)(g(s)+L) + (k-2) g(s) + g(l)` | `(P-1)(g(s)+L) + (k-1) g(s)` |
//! | | binary | the most `d (g+L) + j g` of all processes, at depth `d` with `j` second children on the way | at most `ceil(log2 P)(2 g(m) + L)` |
//! | | binomial | `ceil(log2 P) g(m) + floor(log2 P) L` | `ceil(log2 P) L + floor(log2 P) g(m)` |
//! | scatter | flat | `L + (P-1) g(m)` | |
//! | | binomial | as the broadcast, with `n-h` blocks in the message to a subtree of `n-h` | |
//! | gather | flat | `L + (P-1) g(m)` | |
//! | | binomial | the tree upwards, each port in order of arrival | |
//! | all-gather | ring | `(P-1)(g(m)+L)` | |
//! | | recursive doubling, Bruck | the sum of `g(b m) + L` for `b = min(d, P-d)`, `d = 1, 2, 4, .. < P` | |
//! | reduce | flat | `T + c + (P-2) max(g, c)`, `c` the time to combine two messages | |
//! | | binomial | the tree upwards; combining is serial, in order of arrival, and beside receiving | |
//!
//! These forms are for a latency that is the same for all sizes and not below 0, as pLogP has it. The
//! functions also follow a latency that depends on the size or is below 0 (where a gap is longer than a
//! message, as LogP can have it).
//!
//! ## The printed form of the binomial tree
//! It has the two roundings exchanged. A binomial tree of `n` processes is one of `h`, the largest power of
//! two below `n`, whose root first sends to a tree of the `n - h` others. So its time is
//! `T(n) = max(g+L + T(n-h), g + T(h))`, which is `k (g + L)` for `n = 2^k`, and `(k+1) g + k L` between
//! `2^k` and `2^(k+1)`: the first message to the further subtree delays all others by a gap, but no way is
//! longer than `k` messages. For powers of two, both forms are equal. For other numbers, the printed form is
//! too low by `g - L` where `g > L`, and too high by `L - g` where `L > g`: with 20 processes, `g` = 4204.3
//! us and `L` = 48.39 us it says 17059 us where the messages take 21215 us.
//!
//! ## Segments of the chain
//! The powers of two and the size itself are tried, and ties go to the largest. Between two powers of two
//! there can be a better segment: on the reference networks, with up to 300 processes, the best of all
//! segments was at most 1.6 % faster. The cost of a prediction does not depend on the number of segments.
//! Segments that the model's table does not cover are left out.
//!
//! [`Hockney`](crate::Hockney)'s model knows no cost of a message to a port but that of its bytes, so by it
//! segments of 1 byte are the best for more than two processes. For chains, use a model with a gap or an
//! overhead for each message.
//!
//! # Sources
//! - W. Nasri, L. A. Steffenel and D. Trystram, *Adaptive performance modeling on hierarchical grid computing
//!   environments*, CCGrid 2007: the four broadcasts, and the printed forms.
//! - R. Thakur, R. Rabenseifner and W. Gropp, *Optimization of collective communication operations in MPICH*,
//!   International Journal of High Performance Computing Applications 19, 2005: the binomial trees, the ring,
//!   recursive doubling and Bruck's algorithm as MPICH has them. What MPICH does with long messages in
//!   broadcasts and reductions is not here: it scatters their parts and gathers them again.
//! - J. Bruck and others, *Efficient algorithms for all-to-all communications in multiport message-passing
//!   systems*, IEEE Transactions on Parallel and Distributed Systems 8, 1997.

mod all_gather;
mod chain;
mod cost;
mod downward;
mod error;
mod message;
mod operation;
mod prediction;
mod printed;
mod tree;
mod upward;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};

use self::message::Messages;
use crate::model::CommunicationModel;
use crate::quantity::{Bytes, Time};

pub(crate) use self::all_gather::{blocks_at, distances};
pub(crate) use self::chain::Cut;
pub use self::cost::CostError;
pub(crate) use self::cost::{Cost, NEVER_BUSY, is_time};
pub use self::error::{CollectiveError, Problem};
pub(crate) use self::message::bytes_of_blocks;
pub use self::operation::{Algorithm, Operation};
pub use self::prediction::{Predicted, Ranking};

/// An operation, with what it needs to be predicted: how many processes take part, and how large a message
/// is.
///
/// The size is that of the message of a broadcast or a reduction, and that of one process's block for the
/// others. A message of 0 bytes is a message like others, if the model knows what it costs. One process alone
/// needs no message: its time is 0, and the model is not asked.
///
/// # Examples
/// ```
/// use skel_network::collective::{Algorithm, Collective, Operation};
/// use skel_network::{Bytes, GapTable, PLogP, Time};
///
/// // A latency of 48.39 us, and a gap of 10 us and 1 us for each 125 bytes.
/// let us = Time::microseconds;
/// let gap = GapTable::new([(Bytes::new(0), us(10.0)), (Bytes::new(1_000_000), us(8010.0))])?;
/// let link = PLogP::new(us(48.39), gap)?;
///
/// let broadcast = Collective::new(Operation::Broadcast, 20, Bytes::new(512 << 10))?;
/// let exact = broadcast.time(Algorithm::Binomial, &link)?;
/// let printed = broadcast.time_as_printed(Algorithm::Binomial, &link)?;
/// assert_eq!(exact.time.as_microseconds().round(), 21215.0);
/// assert_eq!(printed.time.as_microseconds().round(), 17059.0);
///
/// let fastest = broadcast.fastest(&link)?;
/// assert_eq!(fastest.best().algorithm, Algorithm::Chain);
/// assert_eq!(fastest.best().segment, Some(Bytes::new(8 << 10)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collective {
    operation: Operation,
    processes: u32,
    size: Bytes,
    combining: Time,
}

impl Collective {
    /// An operation of so many processes, the root included, with messages or blocks of a size.
    ///
    /// # Errors
    /// There is no process.
    pub fn new(operation: Operation, processes: u32, size: Bytes) -> Result<Self, BuildErrors> {
        if processes == 0 {
            return Err(not_positive(
                format!("{operation} over 0 processes"),
                "at least 1 process takes part",
            ));
        }
        Ok(Collective { operation, processes, size, combining: Time::ZERO })
    }

    /// The same, where combining two messages of a reduction takes some time for each byte. Without it,
    /// combining takes no time.
    ///
    /// # Errors
    /// The time is below 0, infinite or not a number.
    ///
    /// # Examples
    /// ```
    /// use skel_network::collective::{Collective, Operation};
    /// use skel_network::{Bytes, Time};
    /// let sum = Collective::new(Operation::Reduce, 20, Bytes::new(1000)).unwrap();
    /// assert!(sum.combining(Time::microseconds(0.0008)).is_ok());
    /// assert!(sum.combining(Time::microseconds(-1.0)).is_err());
    /// ```
    pub fn combining(self, time_per_byte: Time) -> Result<Self, BuildErrors> {
        if !cost::is_time(time_per_byte) {
            let message = format!("combining takes {time_per_byte} for each byte");
            return Err(not_positive(message, "a time is a number that is not below 0"));
        }
        Ok(Collective { combining: time_per_byte, ..self })
    }

    /// The operation.
    #[must_use]
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// How many processes take part, the root included.
    #[must_use]
    pub fn processes(&self) -> u32 {
        self.processes
    }

    /// The size of a message, or of one process's block.
    #[must_use]
    pub fn size(&self) -> Bytes {
        self.size
    }

    /// How long it takes to combine two messages of a reduction.
    #[must_use]
    pub fn combining_time(&self) -> Time {
        self.combining * self.size.as_f64()
    }

    /// The algorithms that carry it out: those of the operation, without recursive doubling where the number
    /// of processes is not a power of two, for which MPICH takes Bruck's algorithm.
    pub fn algorithms(&self) -> impl Iterator<Item = Algorithm> {
        let doubling = self.processes.is_power_of_two();
        let all = self.operation.algorithms().iter().copied();
        all.filter(move |algorithm| doubling || *algorithm != Algorithm::RecursiveDoubling)
    }

    /// The exact time by an algorithm. A chain has the best of the segments that are tried (see the
    /// [module](self)).
    ///
    /// # Errors
    /// The algorithm does not carry out the operation; recursive doubling over a number of processes that is
    /// no power of two; a message that the model's table does not cover (of a chain: no segment that is
    /// tried); a message of more than 2^64 bytes; a model that answers with what is no time. The error says
    /// what was asked.
    pub fn time(
        &self,
        algorithm: Algorithm,
        model: &dyn CommunicationModel,
    ) -> Result<Predicted, CollectiveError> {
        self.answer(algorithm, self.exact(algorithm, self.messages(model)))
    }

    /// The time of a broadcast as the paper prints it (see the [module](self) for where it differs from the
    /// exact time).
    ///
    /// # Errors
    /// As [`Collective::time`], and operations other than the broadcast.
    pub fn time_as_printed(
        &self,
        algorithm: Algorithm,
        model: &dyn CommunicationModel,
    ) -> Result<Predicted, CollectiveError> {
        self.answer(algorithm, self.printed(algorithm, self.messages(model)))
    }

    /// The exact time of a broadcast by a chain with segments of a size.
    ///
    /// # Errors
    /// As [`Collective::time`]; a segment of 0 bytes, or one that is larger than the message; an algorithm
    /// without segments.
    ///
    /// # Examples
    /// ```
    /// use skel_network::collective::{Algorithm, Collective, Operation};
    /// use skel_network::{Bytes, Hockney, Time};
    /// let link = Hockney::new(Time::microseconds(50.0), 100.0)?;
    /// let broadcast = Collective::new(Operation::Broadcast, 20, Bytes::new(1000))?;
    /// let halves = broadcast.time_with_segment(Algorithm::Chain, &link, Bytes::new(500))?;
    /// // The first half takes 55 us on each of 19 links, and the second ends 5 us later.
    /// assert_eq!(halves.time, Time::microseconds(1050.0));
    ///
    /// let error = broadcast.time_with_segment(Algorithm::Chain, &link, Bytes::new(2000)).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "broadcast of 1000 B over 20 processes by chain: a segment of 2000 B, which is larger than the message; \
    ///      help: a segment has at least 1 byte, and at most those of the message"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn time_with_segment(
        &self,
        algorithm: Algorithm,
        model: &dyn CommunicationModel,
        segment: Bytes,
    ) -> Result<Predicted, CollectiveError> {
        self.answer(algorithm, self.segmented(algorithm, self.messages(model), segment))
    }

    /// The exact times of all algorithms, the fastest first; ties are in the order of [`Algorithm`].
    ///
    /// An algorithm without a prediction, since one of its messages is outside of the model's table, is
    /// listed with the reason. So look at [`Ranking::unpredicted`] before you call the best of the others the
    /// best of all.
    ///
    /// # Errors
    /// No algorithm has a prediction; the error is that of the first.
    pub fn fastest(&self, model: &dyn CommunicationModel) -> Result<Ranking, CollectiveError> {
        Ranking::of(self.algorithms().map(|algorithm| self.time(algorithm, model)))
    }

    fn messages<'m>(&self, model: &'m dyn CommunicationModel) -> Messages<'m> {
        Messages { model, size: self.size }
    }

    fn exact(&self, algorithm: Algorithm, messages: Messages<'_>) -> Result<Answer, Problem> {
        use {Algorithm as A, Operation as O};
        let processes = self.processes;
        self.check(algorithm)?;
        if processes == 1 {
            return Ok(self.alone(algorithm));
        }
        let time = match (self.operation, algorithm) {
            (O::Broadcast, A::Chain) => {
                let with = |cut| chain::time(processes, messages, cut);
                return chain::best(self.size, &with).map(|(segment, time)| (time, Some(segment)));
            }
            (O::Broadcast | O::Scatter | O::Gather, A::Flat) => downward::flat(processes, messages),
            (O::Broadcast, A::Binary) => downward::binary(processes, messages),
            (O::Broadcast, A::Binomial) => downward::binomial(processes, messages),
            (O::Scatter, A::Binomial) => downward::binomial_scatter(processes, messages),
            (O::Gather, A::Binomial) => upward::binomial_gather(processes, messages),
            (O::AllGather, A::Ring) => all_gather::ring(processes, messages),
            (O::AllGather, A::RecursiveDoubling | A::Bruck) => all_gather::doubling(processes, messages),
            (O::Reduce, A::Flat) => upward::flat_reduce(processes, messages, self.combining_time()),
            (O::Reduce, A::Binomial) => upward::binomial_reduce(processes, messages, self.combining_time()),
            _ => Err(Problem::WrongAlgorithm),
        };
        Ok((time?, None))
    }

    fn printed(&self, algorithm: Algorithm, messages: Messages<'_>) -> Result<Answer, Problem> {
        self.check(algorithm)?;
        if self.operation != Operation::Broadcast {
            return Err(Problem::NotPrinted);
        }
        if self.processes == 1 {
            return Ok(self.alone(algorithm));
        }
        match algorithm {
            Algorithm::Flat => Ok((printed::flat(self.processes, messages)?, None)),
            Algorithm::Chain => {
                printed::chain(self.processes, messages).map(|(segment, time)| (time, Some(segment)))
            }
            Algorithm::Binary => Ok((printed::binary(self.processes, messages)?, None)),
            Algorithm::Binomial => Ok((printed::binomial(self.processes, messages)?, None)),
            Algorithm::Ring | Algorithm::RecursiveDoubling | Algorithm::Bruck => Err(Problem::WrongAlgorithm),
        }
    }

    fn segmented(
        &self,
        algorithm: Algorithm,
        messages: Messages<'_>,
        segment: Bytes,
    ) -> Result<Answer, Problem> {
        self.check(algorithm)?;
        if algorithm != Algorithm::Chain {
            return Err(Problem::Unsegmented);
        }
        let cut = chain::Cut::checked(self.size, segment)?;
        let time = if self.processes == 1 { Time::ZERO } else { chain::time(self.processes, messages, cut)? };
        Ok((time, Some(segment)))
    }

    /// Whether the algorithm carries out the operation with so many processes.
    pub(crate) fn check(&self, algorithm: Algorithm) -> Result<(), Problem> {
        if !self.operation.algorithms().contains(&algorithm) {
            return Err(Problem::WrongAlgorithm);
        }
        if algorithm == Algorithm::RecursiveDoubling && !self.processes.is_power_of_two() {
            return Err(Problem::NotAPowerOfTwo);
        }
        Ok(())
    }

    /// One process has everything from the start. A chain has one segment then.
    fn alone(&self, algorithm: Algorithm) -> Answer {
        (Time::ZERO, (algorithm == Algorithm::Chain).then_some(self.size))
    }

    fn answer(
        &self,
        algorithm: Algorithm,
        answer: Result<Answer, Problem>,
    ) -> Result<Predicted, CollectiveError> {
        match answer {
            Ok((time, _)) if !cost::is_time(time) => Err(self.error(algorithm, Problem::TooLong)),
            Ok((time, segment)) => Ok(Predicted { algorithm, time, segment }),
            Err(problem) => Err(self.error(algorithm, problem)),
        }
    }

    pub(crate) fn error(&self, algorithm: Algorithm, problem: Problem) -> CollectiveError {
        let Collective { operation, processes, size, .. } = *self;
        CollectiveError { operation, processes, size, algorithm, problem }
    }
}

fn not_positive(message: String, help: &str) -> BuildErrors {
    BuildErrors(vec![BuildError { code: Code::QuantityNotPositive, message, help: help.to_owned() }])
}

/// A time, and the segment of a chain.
type Answer = (Time, Option<Bytes>);
