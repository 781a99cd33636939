//! What an exploration with a bitset results in, and how far it has come.

use crate::space::bitset::Bitset;

/// An explored space as a bitset, and the number of its distinct transitions.
pub(crate) struct ExploredBitset {
    pub(crate) bitset: Bitset,
    pub(crate) transitions: u64,
}

/// How far an exploration has come.
pub(crate) struct ExplorationProgress {
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    pub(crate) waiting: u64,
}
