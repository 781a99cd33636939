//! Panels of curves, of stems or of maps of colours below one another, as SVG, with linear axes or
//! logarithmic ones to the right.

mod curves;
mod heat;
mod panel;
mod scale;
mod stems;

use plotters::prelude::*;

use crate::errors::{Exit, Failure, Problem};
pub(crate) use panel::{Content, Curve, Curves, Direction, Map, Panel, Stems, pieces};
use scale::FINE;

/// The whole figure as the text of an SVG file; `help` says what to ask for where there is nothing to draw.
pub(crate) fn svg(panels: &[Panel], help: &str) -> Result<String, Failure> {
    if panels.is_empty() {
        let problem = Problem::error("nothing_to_draw", "`--svg`: no point has a number to draw").help(help);
        return Err(Failure::new(Exit::Limit, problem));
    }
    draw(panels).map_err(|why| {
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
    let drawn = (WIDTH * FINE, height.saturating_mul(FINE));
    let root = SVGBackend::with_string(&mut text, drawn).into_drawing_area();
    root.fill(&WHITE).map_err(|error| error.to_string())?;
    for (panel, area) in panels.iter().zip(root.split_evenly((panels.len(), 1))) {
        let drawn = match &panel.content {
            Content::Curves(curves) => curves::draw(&area, panel, curves),
            Content::Stems(stems) => stems::draw(&area, panel, stems),
            Content::Heat(map) => heat::draw(&area, panel, map),
        };
        drawn.map_err(|error| error.to_string())?;
    }
    root.present().map_err(|error| error.to_string())?;
    drop(root);
    // It is shown smaller than it is drawn.
    let size = |(width, height)| format!("width=\"{width}\" height=\"{height}\"");
    Ok(text.replacen(&size(drawn), &size((WIDTH, height)), 1))
}
