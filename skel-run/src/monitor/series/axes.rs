//! What figures over time have in common: their size, their colours, and their axes.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

/// A part of a figure.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A system of axes in a part of a figure.
pub type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Whether it could be drawn.
pub type Drawn<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Colours that people with any kind of sight tell apart (Okabe and Ito).
pub const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(150, 150, 150),
];

/// The width of a figure.
pub const WIDTH: u32 = 860;

/// The width of the column of names.
pub const NAMES: i32 = 170;

/// A figure over time, or over another number.
#[derive(Clone, Copy, Debug)]
pub struct Axes<'n> {
    /// From where to where the horizontal axis goes.
    pub x: (f64, f64),
    /// What is on it.
    pub x_name: &'n str,
    /// Where the vertical axis begins: 0 where nothing is negative.
    pub bottom: f64,
    /// Where it ends.
    pub top: f64,
    /// What is on it.
    pub y_name: &'n str,
}

impl Axes<'_> {
    /// Draws them, with numbers and a grid of horizontal and vertical lines.
    ///
    /// # Errors
    /// What the backend says.
    pub fn draw<'a>(&self, area: &Area<'a>) -> Drawn<Chart<'a>> {
        let (from, to) = self.x;
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_right(16)
            .x_label_area_size(40)
            .y_label_area_size(78)
            .build_cartesian_2d(from..to.max(from + 1e-9), self.bottom..self.top)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(225, 225, 225))
            .axis_style(RGBColor(90, 90, 90))
            .x_labels(11)
            .y_labels(6)
            .x_desc(self.x_name)
            .y_desc(self.y_name)
            .axis_desc_style(("sans-serif", 15))
            .label_style(("sans-serif", 13))
            .x_label_formatter(&|value| number(*value))
            .y_label_formatter(&|value| number(*value))
            .draw()?;
        Ok(chart)
    }
}

/// A name that fits into the column.
#[must_use]
pub fn shortened(name: &str) -> String {
    const MOST: usize = 18;
    match name.chars().count() {
        0..=MOST => name.to_owned(),
        _ => name.chars().take(MOST - 1).chain(['…']).collect(),
    }
}

/// A number beside an axis: four digits at most. Steps are added up, so that what should be 0 may be
/// nearly 0.
fn number(value: f64) -> String {
    if value.abs() < 1e-9 {
        "0".to_owned()
    } else {
        format!("{value:.3e}").parse::<f64>().unwrap_or(value).to_string()
    }
}
