//! What figures of several subcommands have in common: logarithmic axes, the names beside the axes, and
//! panels of curves and maps.

pub(crate) mod legend;
pub(crate) mod log_axes;
pub(crate) mod panels;
