//! The loop on a clock of its own.
