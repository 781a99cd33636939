//! Draws curves in a panel, with their names beside it.

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use skel::run::monitor::axes::{Area, COLOURS, Drawn, NAMES};

use super::panel::{Curve, Curves, Direction, Panel};
use super::scale::{number, padded, upwards};

pub(super) fn draw(area: &Area<'_>, panel: &Panel, curves: &Curves) -> Drawn {
    let (width, _) = area.dim_in_pixel();
    let (plot, names) = area.split_horizontally(width as i32 - NAMES);
    let range = padded(&panel.x);
    match panel.x.is_logarithmic {
        true => in_axes(&plot, panel, curves, (range.0..range.1).log_scale())?,
        false => in_axes(&plot, panel, curves, range.0..range.1)?,
    }
    legend(&names, curves)
}

fn in_axes<X>(area: &Area<'_>, panel: &Panel, curves: &Curves, range: X) -> Drawn
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
{
    let points = || curves.curves.iter().flat_map(|curve| &curve.pieces).flatten();
    let y = upwards(points().map(|&(_, y)| y));
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .margin_right(16)
        .x_label_area_size(46)
        .y_label_area_size(78)
        .build_cartesian_2d(range, y.0..y.1)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225))
        .axis_style(RGBColor(90, 90, 90))
        .x_labels(labels(&panel.x))
        .y_labels(8)
        .x_desc(panel.x.name.clone())
        .y_desc(panel.y_name.clone())
        .axis_desc_style(("sans-serif", 15))
        .label_style(("sans-serif", 13))
        .x_label_formatter(&|value| number(*value))
        .y_label_formatter(&|value| number(*value))
        .draw()?;
    for (curve, colour) in curves.curves.iter().zip(COLOURS.iter().cycle()) {
        for piece in &curve.pieces {
            chart.draw_series(LineSeries::new(piece.iter().copied(), colour.stroke_width(2)))?;
        }
        let marks = curve.pieces.iter().flatten().map(|&point| Circle::new(point, 3, colour.filled()));
        if marks.clone().count() <= MOST_MARKS {
            chart.draw_series(marks)?;
        }
    }
    Ok(())
}

/// More points than this on a curve are not marked.
const MOST_MARKS: usize = 40;

/// How many numbers stand at the horizontal axis: of whole numbers none between them.
fn labels(x: &Direction) -> usize {
    const MOST: usize = 11;
    let whole = (x.ends.1 - x.ends.0) as usize + 1;
    if x.is_whole { whole.clamp(2, MOST) } else { MOST }
}

/// The names of the curves, one below the other.
fn legend(area: &Area<'_>, curves: &Curves) -> Drawn {
    const LINE: i32 = 20;
    let mut y = 22;
    if let Some(title) = &curves.title {
        area.draw(&Text::new(shortened(title), (4, y - 7), ("sans-serif", 14)))?;
        y += LINE;
    }
    for (Curve { name, .. }, colour) in curves.curves.iter().zip(COLOURS.iter().cycle()) {
        area.draw(&PathElement::new(vec![(4, y), (28, y)], colour.stroke_width(2)))?;
        area.draw(&Circle::new((16, y), 3, colour.filled()))?;
        area.draw(&Text::new(shortened(name), (34, y - 6), ("sans-serif", 13)))?;
        y += LINE;
    }
    Ok(())
}

/// A name that fits into the column.
fn shortened(name: &str) -> String {
    const MOST: usize = 18;
    match name.chars().count() {
        0..=MOST => name.to_owned(),
        _ => name.chars().take(MOST - 1).chain(['…']).collect(),
    }
}
