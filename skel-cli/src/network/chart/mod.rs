//! Networks as figures, as SVG: a schedule between clusters as a Gantt chart, and quantities over the size of
//! messages on logarithmic axes.
//!
//! ```text
//! Gantt  -> gantt --\
//!                    names beside the axes (crate::chart) -> SVG
//! Curves -> curves -/
//! ```
//!
//! What stands on the axes and beside them is given as plain numbers and names.

mod curves;
mod gantt;

use plotters::prelude::*;
use skel::run::monitor::axes::{Area, Drawn, WIDTH};

pub(super) use curves::{Curve, Curves, Look, Panel};
pub(super) use gantt::Gantt;

use crate::errors::{Exit, Failure, Problem};

/// A schedule as the text of an SVG file.
pub(super) fn schedule(gantt: &Gantt<'_>) -> Result<String, Failure> {
    drawn(gantt.height(), |area| gantt.draw(area))
}

/// Panels of curves over the size of messages as the text of an SVG file. A point that is not above 0 in both
/// directions has no place on logarithmic axes, and is left out.
pub(super) fn curves(curves: &Curves) -> Result<String, Failure> {
    let shown = curves.shown();
    if shown.panels.is_empty() {
        let problem = Problem::error("nothing_to_draw", "there is no time of a message to draw")
            .help("logarithmic axes show times above 0 of messages of at least 1 byte");
        return Err(Failure::new(Exit::Limit, problem));
    }
    drawn(shown.height(), |area| shown.draw(area))
}

/// A figure of this height.
fn drawn(height: u32, draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, Failure> {
    let mut text = String::new();
    let outcome = on(&SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area(), draw);
    match outcome {
        Ok(()) => Ok(text),
        Err(why) => {
            let problem = Problem::error("unwritable_file", format!("the figure cannot be drawn: {why}"));
            Err(Failure::new(Exit::CommandLine, problem))
        }
    }
}

fn on(root: &Area<'_>, draw: impl FnOnce(&Area<'_>) -> Drawn) -> Drawn {
    root.fill(&WHITE)?;
    draw(root)?;
    root.present()?;
    Ok(())
}

#[cfg(test)]
mod tests;
