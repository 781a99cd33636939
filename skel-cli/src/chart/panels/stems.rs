//! Draws single values as vertical lines on an axis, under a title.

use plotters::prelude::*;
use skel::run::monitor::axes::{Area, COLOURS, Drawn};

use super::curves::axes;
use super::panel::{Panel, Stems};
use super::scale::{fine, font, padded, thick, upwards};

pub(super) fn draw(area: &Area<'_>, panel: &Panel, stems: &Stems) -> Drawn {
    let (least, most) = padded(&panel.x);
    // The first and the last stand beside the ends of the axis.
    let room = 0.02 * (most - least);
    let y = upwards(stems.points.iter().map(|&(_, y)| y));
    let mut chart = axes(area, panel, least - room..most + room, y, 38)?;
    let colour = COLOURS[0];
    chart.draw_series(
        stems
            .points
            .iter()
            .map(|&(x, y)| PathElement::new([(x, 0.0), (x, y)], colour.stroke_width(thick(2)))),
    )?;
    if stems.points.len() <= MOST_MARKS {
        let marks = stems.points.iter().map(|&point| Circle::new(point, fine(4), colour.filled()));
        chart.draw_series(marks)?;
    }
    area.draw(&Text::new(shortened(&stems.title), (fine(90), fine(12)), font(15)))?;
    Ok(())
}

/// More values than this are not marked.
const MOST_MARKS: usize = 100;

/// A title that fits into a line.
fn shortened(title: &str) -> String {
    const MOST: usize = 100;
    match title.chars().count() {
        0..=MOST => title.to_owned(),
        _ => title.chars().take(MOST - 1).chain(['…']).collect(),
    }
}
