//! Panels of curves over the size of messages, two beside each other, with the same names for all.

use plotters::prelude::*;
use skel::run::monitor::axes::{Area, COLOURS, Chart, Drawn, NAMES};

use crate::chart::legend::{Legend, Pattern};
use crate::chart::log_axes::{LogAxes, LogAxis, place};

/// Several panels with the same axes.
#[derive(Clone, Debug)]
pub(in crate::network) struct Curves {
    /// What is on the vertical axes, in microseconds, such as `time of a broadcast`.
    pub(in crate::network) y_name: String,
    pub(in crate::network) panels: Vec<Panel>,
}

/// One system of axes, such as that of an algorithm or of a cluster.
#[derive(Clone, Debug)]
pub(in crate::network) struct Panel {
    pub(in crate::network) title: String,
    pub(in crate::network) curves: Vec<Curve>,
}

/// Points with a name. Curves of one name and look are drawn alike in all panels.
#[derive(Clone, Debug)]
pub(in crate::network) struct Curve {
    pub(in crate::network) name: String,
    pub(in crate::network) look: Look,
    /// Bytes and microseconds, in the order of the bytes.
    pub(in crate::network) points: Vec<(f64, f64)>,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::network) enum Look {
    /// A line, in a colour and with dashes of its own: what a model says.
    Model,
    /// Rings without a line.
    Measured,
    /// A wide grey line below the others: the model that was chosen.
    Chosen,
    /// A wide dashed black line: the algorithm that was chosen.
    Fastest,
}

const HEIGHT_OF_PANEL: u32 = 320;

/// The dashes of the models, by the order of their names.
const PATTERNS: [Pattern; 5] = [None, Some((9, 5)), Some((2, 4)), Some((16, 4)), Some((5, 9))];

const CHOSEN: RGBColor = RGBColor(200, 200, 200);

impl Curves {
    /// What can be shown on logarithmic axes.
    pub(super) fn shown(&self) -> Curves {
        let is_shown = |&&(x, y): &&(f64, f64)| x > 0.0 && y > 0.0 && x.is_finite() && y.is_finite();
        let curve = |curve: &Curve| Curve {
            points: curve.points.iter().filter(is_shown).copied().collect(),
            ..curve.clone()
        };
        let panel = |panel: &Panel| Panel {
            title: panel.title.clone(),
            curves: panel.curves.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect(),
        };
        let panels = self.panels.iter().map(panel).filter(|panel| !panel.curves.is_empty()).collect();
        Curves { y_name: self.y_name.clone(), panels }
    }

    pub(super) fn height(&self) -> u32 {
        HEIGHT_OF_PANEL * u32::try_from(self.panels.len().div_ceil(self.columns())).unwrap_or(u32::MAX)
    }

    fn columns(&self) -> usize {
        self.panels.len().min(2)
    }

    /// There is a point.
    pub(super) fn draw(&self, area: &Area<'_>) -> Drawn {
        let (width, _) = area.dim_in_pixel();
        let (plots, names) = area.split_horizontally(width as i32 - NAMES);
        let points = || self.panels.iter().flat_map(|panel| &panel.curves).flat_map(|curve| &curve.points);
        let (x, y) = (ends(points().map(|point| point.0)), ends(points().map(|point| point.1)));
        let rows = self.panels.len().div_ceil(self.columns());
        let models = self.names(Look::Model);
        for (panel, area) in self.panels.iter().zip(plots.split_evenly((rows, self.columns()))) {
            let axes = LogAxes {
                title: &panel.title,
                x: LogAxis::of_sizes("size of a message", x),
                y: LogAxis::of_times(&self.y_name, y),
            };
            panel.draw(&mut axes.draw(&area)?, &models)?;
        }
        self.legend(&names, &models)
    }

    /// The names of all curves of a look, in the order in which they first appear.
    fn names(&self, look: Look) -> Vec<&str> {
        let mut names = Vec::new();
        for curve in self.panels.iter().flat_map(|panel| &panel.curves).filter(|curve| curve.look == look) {
            if !names.contains(&curve.name.as_str()) {
                names.push(curve.name.as_str());
            }
        }
        names
    }

    fn legend(&self, area: &Area<'_>, models: &[&str]) -> Drawn {
        let mut legend = Legend::new(area);
        for name in self.names(Look::Measured) {
            legend.ring(BLACK.stroke_width(1), name)?;
        }
        for name in models {
            let (style, pattern) = style(models, name);
            legend.line(style, pattern, name)?;
        }
        for name in self.names(Look::Chosen) {
            legend.line(CHOSEN.stroke_width(8), None, name)?;
        }
        for name in self.names(Look::Fastest) {
            legend.line(FASTEST.0, FASTEST.1, name)?;
        }
        Ok(())
    }
}

/// How the fastest algorithm is drawn.
const FASTEST: (ShapeStyle, Pattern) =
    (ShapeStyle { color: RGBAColor(0, 0, 0, 1.0), filled: false, stroke_width: 3 }, Some((3, 6)));

impl Panel {
    fn draw(&self, chart: &mut Chart<'_>, models: &[&str]) -> Drawn {
        let of = |look| self.curves.iter().filter(move |curve| curve.look == look);
        for curve in of(Look::Chosen) {
            chart.draw_series(LineSeries::new(curve.places(), CHOSEN.stroke_width(8)))?;
        }
        for curve in of(Look::Model) {
            let (style, pattern) = style(models, &curve.name);
            line(chart, curve, style, pattern)?;
        }
        for curve in of(Look::Fastest) {
            line(chart, curve, FASTEST.0, FASTEST.1)?;
        }
        for curve in of(Look::Measured) {
            chart.draw_series(curve.places().map(|at| Circle::new(at, 3, BLACK.stroke_width(1))))?;
        }
        Ok(())
    }
}

impl Curve {
    fn places(&self) -> impl Iterator<Item = (f64, f64)> + Clone {
        self.points.iter().copied().map(place)
    }
}

fn line(chart: &mut Chart<'_>, curve: &Curve, style: ShapeStyle, pattern: Pattern) -> Drawn {
    match pattern {
        None => chart.draw_series(LineSeries::new(curve.places(), style))?,
        Some((dash, gap)) => chart.draw_series(DashedLineSeries::new(curve.places(), dash, gap, style))?,
    };
    Ok(())
}

/// How the line of a model is drawn.
fn style(models: &[&str], name: &str) -> (ShapeStyle, Pattern) {
    let at = models.iter().position(|model| *model == name).unwrap_or_default();
    (COLOURS[at % COLOURS.len()].stroke_width(2), PATTERNS[at % PATTERNS.len()])
}

/// The least and the largest of some values.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, 0.0), |(least, most), value| (least.min(value), most.max(value)))
}
