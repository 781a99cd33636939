//! Measured times: the mean and the variation of a column of numbers.

/// What is wrong with a file of measured times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredError {
    /// What is wrong, with the name of the file and the place in it.
    pub message: String,
    /// What to do about it.
    pub help: String,
}
