//! Networks: figures of schedules between clusters, of gaps of messages, and of times of operations.

#[cfg_attr(not(test), allow(dead_code, reason = "the subcommand that draws them is being written"))]
mod chart;
