//! Draws the errors of estimates over n, as the paper's Fig. 7 has them.

use plotters::prelude::*;
use skel::run::monitor::axes::{Area, Axes, COLOURS, Drawn, NAMES};

use crate::chart::legend::Legend;
use crate::fit::answer::Answer;
use crate::fit::questions::compare::Compared;
use crate::report::table::printable;

/// An error of this size, in percent, is marked: the paper counts those below it.
const MARKED: f64 = 10.0;

const MARK: RGBColor = RGBColor(90, 90, 90);

/// More lines than this cannot be told apart.
const MOST_LINES: usize = 8;

pub(super) fn draw(area: &Area<'_>, answer: &Answer<'_>) -> Drawn {
    let (width, _) = area.dim_in_pixel();
    let (plot, names) = area.split_horizontally(width as i32 - NAMES);
    let lines = lines(answer);
    let (x, (bottom, top)) = ends(&answer.compared);
    let mut chart = Axes { x, x_name: "n", bottom, top, y_name: "error of the estimate (%)" }.draw(&plot)?;
    for (height, pattern) in [(-MARKED, Some((6, 5))), (0.0, None), (MARKED, Some((6, 5)))] {
        let ends = [(x.0, height), (x.1, height)];
        match pattern {
            None => chart.draw_series([PathElement::new(ends, MARK.stroke_width(1))])?,
            Some((dash, gap)) => {
                chart.draw_series(DashedLineSeries::new(ends, dash, gap, MARK.stroke_width(1)))?
            }
        };
    }
    for (Line { points, .. }, colour) in lines.iter().zip(COLOURS).take(MOST_LINES) {
        chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 4, colour.filled())))?;
    }
    let mut legend = Legend::new(&names);
    for (line, colour) in lines.iter().zip(COLOURS).take(MOST_LINES) {
        legend.line(colour.stroke_width(2), None, &name(line, &lines, answer))?;
    }
    if lines.len() > MOST_LINES {
        legend.text(&format!("{} more left out", lines.len() - MOST_LINES))?;
    }
    legend.line(MARK.stroke_width(1), Some((6, 5)), "10 % too high, low")
}

/// The errors of a subject for one p.
struct Line {
    subject: usize,
    p: u32,
    points: Vec<(f64, f64)>,
}

/// The errors of each model, a line for each p.
fn lines(answer: &Answer<'_>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for one in &answer.compared {
        let point = (one.n, one.error_percent());
        match lines.iter_mut().find(|line| (line.subject, line.p) == (one.subject, one.p)) {
            Some(line) => line.points.push(point),
            None => lines.push(Line { subject: one.subject, p: one.p, points: vec![point] }),
        }
    }
    lines
}

/// What a line is called: as short as it can be told from the others.
fn name(line: &Line, all: &[Line], answer: &Answer<'_>) -> String {
    let subject = printable(answer.subjects[line.subject].name());
    let has_subjects = all.iter().any(|other| other.subject != line.subject);
    match (has_subjects, all.iter().any(|other| other.p != line.p)) {
        (_, false) => subject,
        (false, true) => format!("p = {}", line.p),
        (true, true) => format!("{subject}, p = {}", line.p),
    }
}

/// The ends of the axes, with room for the marked errors.
fn ends(compared: &[Compared]) -> ((f64, f64), (f64, f64)) {
    let of = |value: fn(&Compared) -> f64| {
        let values = compared.iter().map(value);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
            (least.min(value), most.max(value))
        })
    };
    let (x, y) = (of(|one| one.n), of(Compared::error_percent));
    let room = if x.0 < x.1 { (x.1 - x.0) * 0.03 } else { x.0 * 0.5 };
    ((x.0 - room, x.1 + room), (y.0.min(-MARKED) * 1.15, y.1.max(MARKED) * 1.15))
}
