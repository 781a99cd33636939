//! What every form of the printed graph has in common.

use std::io::{self, Write};

/// A way to write a graph down.
pub(super) trait Format {
    /// What comes before everything.
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()>;
    /// One state, given by the names of its local states.
    fn state(&mut self, out: &mut dyn Write, state: &State<'_>) -> io::Result<()>;
    /// What comes between states and transitions.
    fn middle(&mut self, out: &mut dyn Write) -> io::Result<()>;
    /// One transition.
    fn transition(&mut self, out: &mut dyn Write, transition: &Transition<'_>) -> io::Result<()>;
    /// What comes after everything.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// A state as it is printed.
pub(super) struct State<'m> {
    pub(super) number: usize,
    pub(super) local_states: Vec<&'m str>,
    pub(super) is_deadlock: bool,
    /// How many states without lumping it stands for, where some are lumped; none beyond 128 bits.
    pub(super) stands_for: Option<Option<u128>>,
}

/// A transition as it is printed.
pub(super) struct Transition<'m> {
    pub(super) from: usize,
    pub(super) action: &'m str,
    pub(super) rate: f64,
    pub(super) to: usize,
}

/// How many states one stands for.
pub(super) fn in_words(count: Option<u128>) -> String {
    count.map_or_else(|| "more than 2^128".into(), |count| count.to_string())
}
