//! Which schedules there are, and which parameters they may have.

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};

/// A schedule with its parameters. The table of the [module](super) has the definitions and their sources.
///
/// It prints as its usual name, and reads from it.
///
/// # Examples
/// ```
/// use skel_distribute::Schedule;
/// assert_eq!(Schedule::VrpSelfScheduling { phases: 10 }.to_string(), "VRP-SS(10)");
/// assert_eq!("css(20)".parse(), Ok(Schedule::Chunked { items: 20 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// VRP: every machine gets its whole share at its first request. The fewest chunks, and no answer to a
    /// machine that slows down.
    Vrp,
    /// SS: an item at a time. The machines end within one item of each other, and the overhead of a chunk is
    /// paid for every item.
    SelfScheduling,
    /// CSS: a fixed number of items at a time.
    Chunked {
        /// How many items are in a chunk, at least 1.
        items: u64,
    },
    /// GSS: an even share of what is left.
    Guided {
        /// The smallest chunk but for the last, at least 1.
        least: u64,
    },
    /// TSS: chunks that get smaller by the same number of items each time.
    Trapezoid {
        /// The first and the last chunk, of which the last is at least 1 and not larger than the first;
        /// `ceil(N/2P)` and 1 if `None`.
        ends: Option<(u64, u64)>,
    },
    /// FAC2: batches of equal chunks, each batch half of what is left.
    Factoring,
    /// WF2: half of what is left, in proportion to the relative performance. What is left is looked at anew
    /// for each request; the authors of weighted factoring look at it once in a batch.
    WeightedFactoring,
    /// AWF-B: factoring with measured weights, by batches.
    AdaptiveBatch,
    /// AWF-C: factoring with measured weights, where each chunk is a batch of its own.
    AdaptiveChunk,
    /// VRP-SS: each request is answered with the machine's share of one of K phases.
    VrpSelfScheduling {
        /// The number of phases K, at least 1.
        phases: u64,
    },
    /// A schedule as a library has it.
    OfLibrary(LibraryVariant),
}

/// Schedules of libraries whose chunks differ from those of the schedule with the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LibraryVariant {
    /// `guided` of the OpenMP library of LLVM: half of GSS while enough is left, then the least chunk.
    LlvmGuided {
        /// The smallest chunk but for the last, at least 1.
        least: u64,
    },
    /// The trapezoid of the OpenMP library of LLVM: the first chunk is rounded down.
    LlvmTrapezoid,
    /// mFAC2 of LB4OMP: half of the last batch's chunk, rounded up.
    HalvedFactoring,
    /// FAC2 of LB4OMP: the chunk by a formula of the number of the batch.
    FactoringByFormula,
}

impl Schedule {
    /// One of each kind without a parameter, in the order of the table of the [module](super): `VRP`, `SS`,
    /// `GSS`, `TSS`, `FAC2`, `WF2`, `AWF-B` and `AWF-C`. `CSS` and `VRP-SS` need a parameter.
    pub const PLAIN: [Schedule; 8] = [
        Schedule::Vrp,
        Schedule::SelfScheduling,
        Schedule::Guided { least: 1 },
        Schedule::Trapezoid { ends: None },
        Schedule::Factoring,
        Schedule::WeightedFactoring,
        Schedule::AdaptiveBatch,
        Schedule::AdaptiveChunk,
    ];

    /// Whether its parameters can be.
    ///
    /// # Errors
    /// If k or K is 0, or the last chunk of a trapezoid is 0 or larger than the first.
    ///
    /// # Examples
    /// ```
    /// use skel_distribute::Schedule;
    /// let errors = Schedule::Chunked { items: 0 }.check().unwrap_err();
    /// assert_eq!(errors.0[0].message, "`CSS(0)` gives out chunks of 0 items");
    /// ```
    pub fn check(&self) -> Result<(), BuildErrors> {
        let (message, help) = match *self {
            Schedule::Chunked { items: 0 } => {
                (format!("`{self}` gives out chunks of 0 items"), "a chunk has at least one item: `CSS(1)`")
            }
            Schedule::Guided { least: 0 } | Schedule::OfLibrary(LibraryVariant::LlvmGuided { least: 0 }) => (
                format!("the smallest chunk of `{self}` has 0 items"),
                "a chunk has at least one item; leave the number out for one",
            ),
            Schedule::VrpSelfScheduling { phases: 0 } => {
                (format!("`{self}` has 0 phases"), "there is at least one phase: `VRP-SS(1)`")
            }
            Schedule::Trapezoid { ends: Some((_, 0)) } => (
                format!("the last chunk of `{self}` has 0 items"),
                "a chunk has at least one item: `TSS(100, 1)`, say",
            ),
            Schedule::Trapezoid { ends: Some((first, last)) } if first < last => (
                format!("the chunks of `{self}` would grow"),
                "the first chunk is the larger one: write it first",
            ),
            _ => return Ok(()),
        };
        Err(BuildErrors(vec![BuildError { code: Code::OutOfRange, message, help: help.to_owned() }]))
    }
}
