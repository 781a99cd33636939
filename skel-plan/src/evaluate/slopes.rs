//! How much the throughput changes with each rate.

/// The throughput, and its derivatives by the rates of the tasks and then of the moves.
pub(crate) struct Slopes<N> {
    pub(crate) throughput: N,
    pub(crate) by_rate: Vec<N>,
}
