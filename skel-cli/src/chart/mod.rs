//! What figures of several subcommands have in common: logarithmic axes, and the names beside the axes.

pub(crate) mod legend;
pub(crate) mod log_axes;
