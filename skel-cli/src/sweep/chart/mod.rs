//! A sweep as a figure: panels of curves below one another, or maps of colours, as SVG.
//!
//! One thing varies: a panel for each kind of measure, and a curve for each measure. Two vary: a panel for
//! each measure, with a curve for each value of the one that has fewer; where both have many, a map of
//! colours.

mod layout;

use super::answer::Answer;
use crate::chart::panels;
use crate::errors::Failure;

/// The whole figure as the text of an SVG file.
pub(super) fn svg(answer: &Answer) -> Result<String, Failure> {
    panels::svg(
        &layout::panels(answer),
        "keep a measure that is a number, as `throughput`, at points that have an answer",
    )
}
