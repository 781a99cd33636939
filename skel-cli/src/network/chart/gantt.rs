//! A schedule over time: a row for each cluster, with what it sends, and with its local operation.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use skel::network::Time;
use skel::network::schedule::{Schedule, Transfer};
use skel::run::monitor::axes::{Area, COLOURS, Chart, Drawn, NAMES};

use crate::chart::legend::{Legend, Pattern, fitting};
use crate::report::table::rounded;

/// A schedule with the names of its clusters.
#[derive(Clone, Debug)]
pub(in crate::network) struct Gantt<'s> {
    /// What stands above, such as `broadcast of 8 KiB from C1, ECEF`.
    pub(in crate::network) title: &'s str,
    /// The clusters in the order of their numbers.
    pub(in crate::network) names: &'s [String],
    pub(in crate::network) schedule: &'s Schedule,
    /// When the same operation ends that knows nothing of clusters.
    pub(in crate::network) grid_unaware: Option<Time>,
}

const HEIGHT_OF_ROW: u32 = 34;
const HEIGHT_OF_TITLE: u32 = 34;

/// The width of the column of the clusters' names.
const LEFT: u32 = 130;

/// The numbers and the name of the horizontal axis, with the margins.
const HEIGHT_OF_AXIS: u32 = 62;

/// The names beside the axes need so many pixels.
const HEIGHT_OF_NAMES: u32 = 250;

const SENDS: RGBColor = COLOURS[0];
const INSIDE: RGBColor = COLOURS[2];
const MESSAGE: RGBColor = RGBColor(150, 150, 150);
const LAST: RGBColor = RGBColor(60, 60, 60);
const GRID_UNAWARE: RGBColor = COLOURS[1];

impl Gantt<'_> {
    pub(super) fn height(&self) -> u32 {
        let rows = u32::try_from(self.names.len()).unwrap_or(u32::MAX / HEIGHT_OF_ROW - 4);
        (HEIGHT_OF_TITLE + HEIGHT_OF_ROW * rows + HEIGHT_OF_AXIS).max(HEIGHT_OF_NAMES)
    }

    pub(super) fn draw(&self, area: &Area<'_>) -> Drawn {
        let (width, _) = area.dim_in_pixel();
        let (plot, names) = area.split_horizontally(width as i32 - NAMES);
        let (title, body) = plot.split_vertically(HEIGHT_OF_TITLE as i32);
        title.draw(&Text::new(self.title.to_owned(), (LEFT as i32 + 10, 14), ("sans-serif", 15)))?;
        let (body, _) =
            body.split_vertically((HEIGHT_OF_ROW as usize * self.names.len()) as i32 + HEIGHT_OF_AXIS as i32);
        let scale = Scale::of(self.end());
        let mut chart = self.axes(&body, &scale)?;
        for mark in self.marks() {
            mark.draw(&mut chart, self.names.len() as f64, &scale)?;
        }
        for transfer in &self.schedule.transfers {
            self.message(&mut chart, transfer, &scale)?;
        }
        for (row, span) in self.schedule.inside.iter().enumerate() {
            self.bar(&mut chart, row, [scale.at(span.start), scale.at(span.end)], INSIDE)?;
        }
        for transfer in &self.schedule.transfers {
            self.send(&mut chart, transfer, &scale)?;
        }
        let arrivals = self.schedule.transfers.iter().map(|transfer| self.arrival(transfer, &scale));
        chart.draw_series(arrivals.map(|at| Circle::new(at, 3, MESSAGE.filled())))?;
        self.legend(&names)
    }

    /// When the last thing ends that is shown.
    fn end(&self) -> Time {
        self.grid_unaware.map_or(self.schedule.completion, |time| time.max(self.schedule.completion))
    }

    /// A horizontal axis with the time, and the names of the clusters beside their rows.
    fn axes<'a>(&self, area: &Area<'a>, scale: &Scale) -> Drawn<Chart<'a>> {
        let (end, rows) = (scale.at(self.end()) * 1.03, self.names.len() as f64);
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_top(2)
            .margin_right(16)
            .x_label_area_size(46)
            .y_label_area_size(LEFT)
            .build_cartesian_2d(0.0..end.max(1e-9), 0.0..rows)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(225, 225, 225))
            .axis_style(RGBColor(90, 90, 90))
            .x_labels(11)
            .y_labels(0)
            .x_desc(format!("time ({})", scale.unit))
            .axis_desc_style(("sans-serif", 15))
            .label_style(("sans-serif", 13))
            .x_label_formatter(&|value| number(*value))
            .draw()?;
        for (row, name) in self.names.iter().enumerate() {
            let style =
                TextStyle::from(("sans-serif", 13).into_font()).pos(Pos::new(HPos::Right, VPos::Center));
            let label = Text::new(fitting(name, 18), (-8, 0), style);
            chart.draw_series([EmptyElement::at((0.0, self.middle(row))) + label])?;
        }
        Ok(chart)
    }

    /// How high the middle of a row is; the first is at the top.
    fn middle(&self, row: usize) -> f64 {
        (self.names.len() - row) as f64 - 0.5
    }

    fn edges(&self, row: usize) -> (f64, f64) {
        (self.middle(row) + 0.3, self.middle(row) - 0.3)
    }

    fn bar(&self, chart: &mut Chart<'_>, row: usize, [start, end]: [f64; 2], colour: RGBColor) -> Drawn {
        let (top, bottom) = self.edges(row);
        if end > start {
            chart.draw_series([Rectangle::new([(start, bottom), (end, top)], colour.filled())])?;
        }
        Ok(())
    }

    /// A bar while the port of the sender is busy, with a line at its start that tells it from the one
    /// before.
    fn send(&self, chart: &mut Chart<'_>, transfer: &Transfer, scale: &Scale) -> Drawn {
        let start = scale.at(transfer.start);
        self.bar(chart, transfer.from, [start, scale.at(transfer.sender_free)], SENDS)?;
        let (top, bottom) = self.edges(transfer.from);
        chart.draw_series([PathElement::new([(start, bottom), (start, top)], LAST.stroke_width(1))])?;
        Ok(())
    }

    /// A line from the end of sending to the arrival. It leaves the row of the sender on the side of the
    /// receiver.
    fn message(&self, chart: &mut Chart<'_>, transfer: &Transfer, scale: &Scale) -> Drawn {
        let (top, bottom) = self.edges(transfer.from);
        let from = (scale.at(transfer.sender_free), if transfer.to > transfer.from { bottom } else { top });
        let line = [from, self.arrival(transfer, scale)];
        chart.draw_series([PathElement::new(line, MESSAGE.stroke_width(1))])?;
        Ok(())
    }

    fn arrival(&self, transfer: &Transfer, scale: &Scale) -> (f64, f64) {
        (scale.at(transfer.arrival), self.middle(transfer.to))
    }

    /// The times that vertical lines are at.
    fn marks(&self) -> Vec<Mark> {
        let Schedule { last_arrival, completion, .. } = *self.schedule;
        let mut marks =
            vec![Mark { name: "last arrival", time: last_arrival, colour: LAST, pattern: Some((2, 4)) }];
        if completion > last_arrival {
            marks.push(Mark { name: "all are done", time: completion, colour: LAST, pattern: None });
        }
        let unaware =
            |time| Mark { name: "grid-unaware tree", time, colour: GRID_UNAWARE, pattern: Some((9, 5)) };
        marks.extend(self.grid_unaware.map(unaware));
        marks
    }

    fn legend(&self, area: &Area<'_>) -> Drawn {
        let (_, area) = area.split_vertically(HEIGHT_OF_TITLE as i32 - 10);
        let mut legend = Legend::new(&area);
        legend.bar(SENDS.filled(), "sends")?;
        legend.arrow(MESSAGE.stroke_width(1), "message")?;
        if self.schedule.inside.iter().any(|span| span.end > span.start) {
            legend.bar(INSIDE.filled(), "local operation")?;
        }
        for mark in self.marks() {
            legend.line(mark.colour.stroke_width(2), mark.pattern, mark.name)?;
            let scale = Scale::of(mark.time);
            legend.text(&format!("at {} {}", number(scale.at(mark.time)), scale.unit))?;
        }
        Ok(())
    }
}

/// A vertical line.
struct Mark {
    name: &'static str,
    time: Time,
    colour: RGBColor,
    pattern: Pattern,
}

impl Mark {
    fn draw(&self, chart: &mut Chart<'_>, top: f64, scale: &Scale) -> Drawn {
        let ends = [(scale.at(self.time), 0.0), (scale.at(self.time), top)];
        let style = self.colour.stroke_width(2);
        match self.pattern {
            None => chart.draw_series([PathElement::new(ends, style)])?,
            Some((dash, gap)) => chart.draw_series(DashedLineSeries::new(ends, dash, gap, style))?,
        };
        Ok(())
    }
}

/// The unit of times.
struct Scale {
    unit: &'static str,
    microseconds: f64,
}

impl Scale {
    /// The unit in which a time has at least one digit before the point.
    fn of(time: Time) -> Scale {
        let (unit, microseconds) = match time.as_microseconds() {
            time if time >= 1e6 => ("s", 1e6),
            time if time >= 1e3 => ("ms", 1e3),
            _ => ("us", 1.0),
        };
        Scale { unit, microseconds }
    }

    fn at(&self, time: Time) -> f64 {
        time.as_microseconds() / self.microseconds
    }
}

/// A number with four digits at most. Steps are added up, so that what should be 0 may be nearly 0.
fn number(value: f64) -> String {
    if value.abs() < 1e-9 { "0".to_owned() } else { rounded(value, 4) }
}
