//! Reports of progress.

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// States found, and of these explored.
    Exploring {
        /// Found so far.
        found: u64,
        /// Explored so far.
        explored: u64,
    },
    /// An iterative method.
    Iterating {
        /// Iterations so far.
        iterations: u64,
        /// The relative residual now.
        residual: f64,
    },
    /// States are being parted, for a quotient.
    Refining {
        /// Blocks so far.
        blocks: u64,
        /// States in all.
        states: u64,
    },
    /// The equations are being set up.
    Preparing,
    /// An elimination.
    Eliminating {
        /// States eliminated.
        done: u64,
        /// States in all.
        of: u64,
    },
    /// Steps through time.
    Stepping {
        /// Steps done.
        steps: u64,
        /// Steps in all, unless a limit is reached before.
        of: u64,
    },
    /// Exact fractions are being found, digit by digit.
    Lifting {
        /// Decimal digits that a numerator and its denominator may have together by now.
        digits: u64,
    },
}
