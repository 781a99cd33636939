//! Draws seconds over n: measured points, curves with their prediction bands, and crossovers.

use plotters::prelude::*;
use skel::run::monitor::axes::{Area, Axes, COLOURS, Chart, Drawn, NAMES};

use super::series::{Figure, Series};
use crate::chart::legend::Legend;
use crate::chart::log_axes::{LogAxes, LogAxis, place};
use crate::fit::print::percent;
use crate::report::table::rounded;

/// The least y of a curve on a logarithmic axis, as a part of the largest: below it are curves that fall
/// to 0.
const LEAST_PART: f64 = 1e-5;

/// How opaque a band is.
const BAND: f64 = 0.16;

pub(super) fn draw(area: &Area<'_>, figure: &Figure) -> Drawn {
    let (width, _) = area.dim_in_pixel();
    let (plot, names) = area.split_horizontally(width as i32 - NAMES);
    let canvas = Canvas { figure, y: y_ends(figure) };
    let mut chart = canvas.axes(&plot)?;
    for (series, colour) in figure.series.iter().zip(COLOURS) {
        canvas.band(&mut chart, series, colour)?;
    }
    for (series, colour) in figure.series.iter().zip(COLOURS) {
        canvas.series(&mut chart, series, colour)?;
    }
    canvas.crossings(&mut chart)?;
    legend(&names, figure)
}

/// A figure with the ends of its vertical axis.
struct Canvas<'f> {
    figure: &'f Figure,
    y: (f64, f64),
}

/// The least and the largest y. Bands do not count: far from what was measured they may be as wide as one
/// likes.
fn y_ends(figure: &Figure) -> (f64, f64) {
    let is_shown = |y: &f64| *y > 0.0 && y.is_finite();
    let measured = figure.series.iter().flat_map(|series| series.fitted.iter().chain(&series.compared));
    let measured = measured.filter(|(x, _)| (figure.x.0..=figure.x.1).contains(x)).map(|point| point.1);
    let measured: Vec<f64> = measured.filter(is_shown).collect();
    let curves = figure.series.iter().flat_map(|series| &series.curve).map(|point| point.1);
    let curves: Vec<f64> = curves.filter(is_shown).collect();
    let most = measured.iter().chain(&curves).copied().fold(0.0, f64::max);
    if !figure.is_logarithmic {
        return (0.0, most * 1.08);
    }
    let of_curves = curves.iter().filter(|y| **y >= most * LEAST_PART);
    (measured.iter().chain(of_curves).copied().fold(most, f64::min), most)
}

impl Canvas<'_> {
    fn axes<'a>(&self, area: &Area<'a>) -> Drawn<Chart<'a>> {
        let Figure { x_name, x, is_logarithmic, .. } = self.figure;
        if *is_logarithmic {
            let y = LogAxis::of_numbers("seconds", self.y, 1.2);
            return LogAxes { title: "", x: LogAxis::of_numbers(x_name, *x, 1.0), y }.draw(area);
        }
        let room = (x.1 - x.0) * 0.02;
        let x = ((x.0 - room).max(0.0), x.1 + room);
        Axes { x, x_name, bottom: self.y.0, top: self.y.1, y_name: "seconds" }.draw(area)
    }

    /// Where a point is in the axes.
    fn at(&self, point: (f64, f64)) -> (f64, f64) {
        if self.figure.is_logarithmic { place(point) } else { point }
    }

    /// Whether a point is inside of the axes.
    fn holds(&self, (x, y): (f64, f64)) -> bool {
        const ROUNDING: f64 = 1e-9;
        let (least, most) = self.figure.x;
        (self.y.0..=self.y.1).contains(&y)
            && (least * (1.0 - ROUNDING)..=most * (1.0 + ROUNDING)).contains(&x)
    }

    fn band(&self, chart: &mut Chart<'_>, series: &Series, colour: RGBColor) -> Drawn {
        let (bottom, top) = self.y;
        // A part that lies below or above the axes as a whole leaves a gap.
        let inside = |&&(_, low, high): &&(f64, f64, f64)| {
            high > bottom && low < top && low.is_finite() && high.is_finite()
        };
        let shown: Vec<_> = series.band.iter().filter(inside).collect();
        let upper = shown.iter().map(|(x, _, high)| self.at((*x, high.clamp(bottom, top))));
        let lower = shown.iter().rev().map(|(x, low, _)| self.at((*x, low.clamp(bottom, top))));
        let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
        if !outline.is_empty() {
            chart.draw_series([Polygon::new(outline, colour.mix(BAND).filled())])?;
        }
        Ok(())
    }

    fn series(&self, chart: &mut Chart<'_>, series: &Series, colour: RGBColor) -> Drawn {
        for piece in series.curve.split(|point| !self.holds(*point)).filter(|piece| !piece.is_empty()) {
            chart.draw_series(LineSeries::new(
                piece.iter().map(|point| self.at(*point)),
                colour.stroke_width(2),
            ))?;
        }
        let shown = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
            points.iter().copied().filter(|point| self.holds(*point)).map(|point| self.at(point)).collect()
        };
        chart.draw_series(
            shown(&series.fitted).into_iter().map(|at| Circle::new(at, 4, colour.stroke_width(2))),
        )?;
        chart.draw_series(
            shown(&series.compared).into_iter().map(|at| TriangleMarker::new(at, 6, colour.filled())),
        )?;
        Ok(())
    }

    fn crossings(&self, chart: &mut Chart<'_>) -> Drawn {
        let shown = self
            .figure
            .crossings
            .iter()
            .map(|(n, seconds, _)| (*n, *seconds))
            .filter(|point| self.holds(*point));
        let shown: Vec<(f64, f64)> = shown.collect();
        for &(n, seconds) in &shown {
            let line = [self.at((n, self.y.0)), self.at((n, seconds))];
            chart.draw_series(DashedLineSeries::new(line, 3, 3, MARK.stroke_width(1)))?;
        }
        chart.draw_series(shown.into_iter().map(|point| Circle::new(self.at(point), 4, BLACK.filled())))?;
        Ok(())
    }
}

/// The colour of the lines from crossovers to their sizes.
const MARK: RGBColor = RGBColor(90, 90, 90);

fn legend(area: &Area<'_>, figure: &Figure) -> Drawn {
    let mut legend = Legend::new(area);
    for (series, colour) in figure.series.iter().zip(COLOURS) {
        legend.line(colour.stroke_width(2), None, &series.name)?;
    }
    if figure.left_out > 0 {
        legend.text(&format!("{} more left out", figure.left_out))?;
    }
    if figure.series.iter().any(|series| !series.fitted.is_empty()) {
        legend.ring(MARK.stroke_width(2), "fitted points")?;
    }
    if figure.series.iter().any(|series| !series.compared.is_empty()) {
        legend.triangle(MARK.filled(), "measured beside")?;
    }
    if figure.series.iter().any(|series| !series.band.is_empty()) {
        legend.bar(MARK.mix(BAND).filled(), &format!("{} of points", percent(figure.probability)))?;
    }
    for (place, (n, _, names)) in figure.crossings.iter().enumerate() {
        if place == 0 {
            legend.ring(BLACK.filled(), "crossovers")?;
        }
        if place == MOST_CROSSINGS {
            legend.text(&format!("and {} more", figure.crossings.len() - place))?;
            break;
        }
        legend.wide(&format!("{}: {names}", rounded(*n, 5)))?;
    }
    Ok(())
}

/// More crossovers than this are not listed beside the axes.
const MOST_CROSSINGS: usize = 9;
