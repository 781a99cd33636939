//! A sweep as a figure: panels of curves below one another, or maps of colours, as SVG.
//!
//! One thing varies: a panel for each kind of measure, and a curve for each measure. Two vary: a panel for each measure, with a curve
//! for each value of the one that has fewer; where both have many, a map of colours.

mod curves;
mod heat;
mod layout;
mod scale;

use plotters::prelude::*;

use super::answer::Answer;
use crate::errors::{Exit, Failure, Problem};
use layout::{Content, Panel, panels};

/// The whole figure as the text of an SVG file.
pub(super) fn svg(answer: &Answer) -> Result<String, Failure> {
    let panels = panels(answer);
    if panels.is_empty() {
        let problem = Problem::error("nothing_to_draw", "`--svg`: no point has a number to draw")
            .help("keep a measure that is a number, as `throughput`, at points that have an answer");
        return Err(Failure::new(Exit::Limit, problem));
    }
    draw(&panels).map_err(|why| {
        let problem =
            Problem::error("unwritable_file", format!("`--svg`: the figure cannot be drawn: {why}"));
        Failure::new(Exit::CommandLine, problem)
    })
}

const WIDTH: u32 = 860;
const HEIGHT_OF_PANEL: u32 = 380;

fn draw(panels: &[Panel]) -> Result<String, String> {
    let mut text = String::new();
    let height = HEIGHT_OF_PANEL * u32::try_from(panels.len()).unwrap_or(u32::MAX);
    let root = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE).map_err(|error| error.to_string())?;
    for (panel, area) in panels.iter().zip(root.split_evenly((panels.len(), 1))) {
        let drawn = match &panel.content {
            Content::Curves(curves) => curves::draw(&area, panel, curves),
            Content::Heat(map) => heat::draw(&area, panel, map),
        };
        drawn.map_err(|error| error.to_string())?;
    }
    root.present().map_err(|error| error.to_string())?;
    drop(root);
    Ok(text)
}
