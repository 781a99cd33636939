//! Collective operations, and the algorithms that carry them out.

use std::fmt;

/// What a group of processes does together.
///
/// # Examples
/// ```
/// use skel_network::collective::{Algorithm, Operation};
/// assert_eq!(Operation::Reduce.algorithms(), [Algorithm::Flat, Algorithm::Binomial]);
/// assert_eq!(Operation::named("all-gather"), Some(Operation::AllGather));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// The root sends the same message to all others (`MPI_Bcast`).
    Broadcast,
    /// The root sends each process a block of its own (`MPI_Scatter`).
    Scatter,
    /// The root receives a block of each process (`MPI_Gather`).
    Gather,
    /// Every process receives a block of each process (`MPI_Allgather`).
    AllGather,
    /// The root receives the combination of a message of each process, such as their sum (`MPI_Reduce`).
    Reduce,
}

impl Operation {
    /// All operations.
    pub const ALL: [Operation; 5] = [
        Operation::Broadcast,
        Operation::Scatter,
        Operation::Gather,
        Operation::AllGather,
        Operation::Reduce,
    ];

    /// The algorithms that carry it out, in the order in which ties between them are decided.
    #[must_use]
    pub const fn algorithms(self) -> &'static [Algorithm] {
        use Algorithm::{Binary, Binomial, Bruck, Chain, Flat, RecursiveDoubling, Ring};
        match self {
            Operation::Broadcast => &[Flat, Chain, Binary, Binomial],
            Operation::Scatter | Operation::Gather | Operation::Reduce => &[Flat, Binomial],
            Operation::AllGather => &[Ring, RecursiveDoubling, Bruck],
        }
    }

    /// Its name in files: `broadcast`, `scatter`, `gather`, `all-gather` or `reduce`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Operation::Broadcast => "broadcast",
            Operation::Scatter => "scatter",
            Operation::Gather => "gather",
            Operation::AllGather => "all-gather",
            Operation::Reduce => "reduce",
        }
    }

    /// The operation of a name. `allgather`, as MPI spells it, is understood too.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = if name == "allgather" { "all-gather" } else { name };
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Who sends to whom in a collective operation.
///
/// The order of the variants decides ties between algorithms that end at the same time.
///
/// # Examples
/// ```
/// use skel_network::collective::Algorithm;
/// assert_eq!(Algorithm::named("binomial"), Some(Algorithm::Binomial));
/// assert_eq!(Algorithm::RecursiveDoubling.to_string(), "recursive-doubling");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// The root exchanges a message with each of the others, one after the other (also called linear).
    Flat,
    /// Each process sends to the next, in segments, so that all links are busy at once (also called
    /// pipeline).
    Chain,
    /// Process `r` sends to `2r + 1` and then to `2r + 2`.
    Binary,
    /// Process `r`, counted from the root, exchanges messages with `r + 2^i` for each `2^i` below the lowest
    /// bit of `r`; downwards the largest `2^i` is first, as in MPICH.
    Binomial,
    /// Each process sends to the next what it received from the one before, in `P - 1` rounds.
    Ring,
    /// Processes whose ranks differ in one bit exchange all that they have, bit by bit. It needs a power of
    /// two of processes.
    RecursiveDoubling,
    /// As recursive doubling for any number of processes: process `r` sends to `r - 2^i` all that it has, or
    /// what is still missing there.
    Bruck,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Algorithm; 7] = [
        Algorithm::Flat,
        Algorithm::Chain,
        Algorithm::Binary,
        Algorithm::Binomial,
        Algorithm::Ring,
        Algorithm::RecursiveDoubling,
        Algorithm::Bruck,
    ];

    /// Its name in files: `flat`, `chain`, `binary`, `binomial`, `ring`, `recursive-doubling` or `bruck`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Flat => "flat",
            Algorithm::Chain => "chain",
            Algorithm::Binary => "binary",
            Algorithm::Binomial => "binomial",
            Algorithm::Ring => "ring",
            Algorithm::RecursiveDoubling => "recursive-doubling",
            Algorithm::Bruck => "bruck",
        }
    }

    /// The algorithm of a name. `linear` and `pipeline`, the other names of the flat tree and the chain, are
    /// understood too.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = match name {
            "linear" => "flat",
            "pipeline" => "chain",
            name => name,
        };
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
