//! Draws a map of colours in a panel, with a scale of the colours beside it.

use plotters::prelude::*;
use skel::run::monitor::axes::{Area, Drawn};

use super::panel::{Map, Panel};
use super::scale::{fine, font, thick};
use crate::report::table::rounded;

/// The digits of numbers: there is little room.
const DIGITS: usize = 4;

/// The width of the scale of colours.
const SCALE: i32 = 130;

pub(super) fn draw(area: &Area<'_>, panel: &Panel, map: &Map) -> Drawn {
    let (width, _) = area.dim_in_pixel();
    let (plot, scale) = area.split_horizontally(width as i32 - fine(SCALE));
    let (columns, rows) = (map.xs.len(), map.ys.len());
    let ends = map.cells.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &(_, _, value)| {
        (least.min(value), most.max(value))
    });
    let mut chart = ChartBuilder::on(&plot)
        .margin(fine(12))
        .margin_top(fine(34))
        .x_label_area_size(fine(46))
        .y_label_area_size(fine(78))
        .build_cartesian_2d(0.0..columns as f64, 0.0..rows as f64)?;
    // The squares are numbered, and stand for the values of an axis in their order.
    chart
        .configure_mesh()
        .disable_mesh()
        .axis_style(RGBColor(90, 90, 90).stroke_width(thick(1)))
        .x_labels(0)
        .y_labels(0)
        .x_desc(panel.x.name.clone())
        .y_desc(panel.y_name.clone())
        .axis_desc_style(font(15))
        .draw()?;
    chart.draw_series(map.cells.iter().map(|&(x, y, value)| {
        let square = [(x as f64, y as f64), (x as f64 + 1.0, y as f64 + 1.0)];
        Rectangle::new(square, colour(value, ends).filled())
    }))?;
    let at = |x: f64, y: f64| chart.backend_coord(&(x, y));
    let origin = plot.get_base_pixel();
    for (place, value) in ticks(&map.xs) {
        let (x, y) = at(place as f64 + 0.5, 0.0);
        let style = label(12).pos(plotters::style::text_anchor::Pos::new(
            plotters::style::text_anchor::HPos::Center,
            plotters::style::text_anchor::VPos::Top,
        ));
        plot.draw(&Text::new(rounded(value, DIGITS), (x - origin.0, y - origin.1 + fine(6)), style))?;
    }
    for (place, value) in ticks(&map.ys) {
        let (x, y) = at(0.0, place as f64 + 0.5);
        let style = label(12).pos(plotters::style::text_anchor::Pos::new(
            plotters::style::text_anchor::HPos::Right,
            plotters::style::text_anchor::VPos::Center,
        ));
        plot.draw(&Text::new(rounded(value, DIGITS), (x - origin.0 - fine(6), y - origin.1), style))?;
    }
    plot.draw(&Text::new(map.name.clone(), (fine(90), fine(12)), label(15)))?;
    colours(&scale, ends)
}

fn label(size: i32) -> TextStyle<'static> {
    TextStyle::from(font(size).into_font())
}

/// The values that stand beside an axis: all, or every so many.
fn ticks(values: &[f64]) -> Vec<(usize, f64)> {
    const MOST: usize = 12;
    let every = values.len().div_ceil(MOST).max(1);
    values.iter().copied().enumerate().step_by(every).collect()
}

/// A colour between those of the least and of the largest value.
fn colour(value: f64, (least, most): (f64, f64)) -> RGBColor {
    blended(if most > least { (value - least) / (most - least) } else { 0.5 })
}

/// Nine colours of the scale viridis (S. van der Walt and N. Smith), whose lightness grows evenly.
const VIRIDIS: [(u8, u8, u8); 9] = [
    (68, 1, 84),
    (71, 44, 122),
    (59, 81, 139),
    (44, 113, 142),
    (33, 144, 141),
    (39, 173, 129),
    (92, 200, 99),
    (170, 220, 50),
    (253, 231, 37),
];

/// A colour of the scale, from 0 to 1: between two of the nine a mixture.
fn blended(part: f64) -> RGBColor {
    let at = part.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let below = (at as usize).min(VIRIDIS.len() - 2);
    let (low, high, share) = (VIRIDIS[below], VIRIDIS[below + 1], at - below as f64);
    let mixed =
        |low: u8, high: u8| (f64::from(low) + (f64::from(high) - f64::from(low)) * share).round() as u8;
    RGBColor(mixed(low.0, high.0), mixed(low.1, high.1), mixed(low.2, high.2))
}

/// The colours with their numbers.
fn colours(area: &Area<'_>, (least, most): (f64, f64)) -> Drawn {
    const STEPS: i32 = 60;
    const NUMBERS: i32 = 5;
    let (_, height) = area.dim_in_pixel();
    let (top, bottom) = (fine(34), height as i32 - fine(60));
    let at = |step: i32, of: i32| bottom - (bottom - top) * step / of;
    for step in 0..STEPS {
        let part = (f64::from(step) + 0.5) / f64::from(STEPS);
        let filled = blended(part).filled();
        area.draw(&Rectangle::new([(fine(8), at(step + 1, STEPS)), (fine(28), at(step, STEPS))], filled))?;
    }
    for step in 0..=NUMBERS {
        let value = least + (most - least) * f64::from(step) / f64::from(NUMBERS);
        area.draw(&Text::new(rounded(value, DIGITS), (fine(34), at(step, NUMBERS) - fine(6)), label(12)))?;
    }
    Ok(())
}
