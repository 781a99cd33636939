//! Draws curves in a panel, with their names beside it.

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use skel::run::monitor::axes::{Area, COLOURS, Drawn, NAMES};

use super::panel::{Curve, Curves, Direction, Panel};
use super::scale::{fine, font, number, padded, thick, upwards};

pub(super) fn draw(area: &Area<'_>, panel: &Panel, curves: &Curves) -> Drawn {
    let (width, _) = area.dim_in_pixel();
    let (plot, names) = area.split_horizontally(width as i32 - fine(NAMES));
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
    let mut chart = axes(area, panel, range, y, 12)?;
    for (curve, colour) in curves.curves.iter().zip(COLOURS.iter().cycle()) {
        for piece in &curve.pieces {
            chart.draw_series(LineSeries::new(piece.iter().copied(), colour.stroke_width(thick(2))))?;
        }
        let marks = curve.pieces.iter().flatten().map(|&point| Circle::new(point, fine(3), colour.filled()));
        if marks.clone().count() <= MOST_MARKS {
            chart.draw_series(marks)?;
        }
    }
    Ok(())
}

/// Axes with their numbers and names, with so much room above.
pub(super) fn axes<'a, X>(
    area: &Area<'a>,
    panel: &Panel,
    range: X,
    y: (f64, f64),
    above: i32,
) -> Drawn<ChartContext<'a, SVGBackend<'a>, Cartesian2d<X::CoordDescType, RangedCoordf64>>>
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
{
    let mut chart = ChartBuilder::on(area)
        .margin(fine(12))
        .margin_right(fine(16))
        .margin_top(fine(above))
        .x_label_area_size(fine(46))
        .y_label_area_size(fine(78))
        .build_cartesian_2d(range, y.0..y.1)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225).stroke_width(thick(1)))
        .axis_style(RGBColor(90, 90, 90).stroke_width(thick(1)))
        .set_all_tick_mark_size(fine(5))
        .x_labels(labels(&panel.x))
        .y_labels(8)
        .x_desc(panel.x.name.clone())
        .y_desc(panel.y_name.clone())
        .axis_desc_style(font(15))
        .label_style(font(13))
        .x_label_formatter(&|value| number(*value))
        .y_label_formatter(&|value| number(*value))
        .draw()?;
    Ok(chart)
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
    let line: i32 = fine(20);
    let mut y: i32 = fine(22);
    if let Some(title) = &curves.title {
        area.draw(&Text::new(shortened(title), (fine(4), y - fine(7)), font(14)))?;
        y += line;
    }
    for (Curve { name, .. }, colour) in curves.curves.iter().zip(COLOURS.iter().cycle()) {
        area.draw(&PathElement::new(vec![(fine(4), y), (fine(28), y)], colour.stroke_width(thick(2))))?;
        area.draw(&Circle::new((fine(16), y), fine(3), colour.filled()))?;
        area.draw(&Text::new(shortened(name), (fine(34), y - fine(6)), font(13)))?;
        y += line;
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
