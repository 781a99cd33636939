//! The lines in their axes, with the names beside them.

use plotters::prelude::*;
use skel_run::monitor::axes::{Area, Axes, COLOURS, Chart, Drawn, NAMES, WIDTH, shortened};

use super::Mark;
use super::curves::{Curves, Line};

const HEIGHT_OF_PANEL: u32 = 240;
const HEIGHT_OF_TITLE: u32 = 34;
const LINE: i32 = 20;

/// What actions are marked with.
const MARK: RGBColor = RGBColor(60, 60, 60);
const BAND: RGBColor = RGBColor(205, 205, 205);

/// The width of each of several figures, without its names.
const NARROW: u32 = 470;

/// How long the dashes of a task's line are, and the gaps between them: of the first one there are none.
const PATTERNS: [Option<(i32, i32)>; 5] = [None, Some((9, 5)), Some((2, 4)), Some((16, 4)), Some((5, 9))];

/// The text of an SVG file with all of them beside each other, which are one at least.
pub(super) fn draw(all: &[Curves<'_>]) -> Drawn<String> {
    let columns = all.len() as u32;
    let plots = if columns == 1 { WIDTH - NAMES as u32 } else { NARROW * columns };
    let title = if all.iter().any(|curves| curves.chart.title.is_some()) { HEIGHT_OF_TITLE } else { 0 };
    let size = (plots + NAMES as u32, title + 3 * HEIGHT_OF_PANEL);
    let mut text = String::new();
    draw_on(&SVGBackend::with_string(&mut text, size).into_drawing_area(), plots, title, all)?;
    Ok(text)
}

/// The plots are so wide together, and titles so high.
fn draw_on(root: &Area<'_>, plots: u32, title: u32, all: &[Curves<'_>]) -> Drawn {
    root.fill(&WHITE)?;
    let (plots, names) = root.split_horizontally(plots as i32);
    let tops = Tops::of(all);
    for (curves, column) in all.iter().zip(plots.split_evenly((1, all.len()))) {
        let (head, body) = column.split_vertically(title as i32);
        if let Some(title) = &curves.chart.title {
            head.draw(&Text::new(title.clone(), (80, 12), ("sans-serif", 17)))?;
        }
        let panels = body.split_evenly((3, 1));
        throughput(&panels[0], curves, tops.throughput)?;
        let replicas = Axes { y_name: "replicas", ..axes(curves, tops.replicas) };
        lines(&panels[1], curves, &replicas, &curves.replicas)?;
        let times = Axes { y_name: "mean service time, ms", ..axes(curves, tops.times) };
        lines(&panels[2], curves, &times, &curves.times)?;
    }
    let (_, names) = names.split_vertically(title as i32);
    legends(&names.split_evenly((3, 1)), all)?;
    root.present()?;
    Ok(())
}

/// Where the vertical axes end: the same for all that stand beside each other.
struct Tops {
    throughput: f64,
    replicas: f64,
    times: f64,
}

impl Tops {
    fn of(all: &[Curves<'_>]) -> Self {
        let top = |least: f64, values: &mut dyn Iterator<Item = f64>| {
            let top = values.fold(least, f64::max);
            if top > 0.0 { 1.08 * top } else { 1.0 }
        };
        let of_lines = |lines: &[Line]| {
            lines.iter().flat_map(|line| line.points.iter().map(|point| point.1)).fold(0.0, f64::max)
        };
        // A short burst at the beginning may be far above the rest.
        let promised =
            all.iter().map(|curves| curves.chart.goal().throughput().per_second()).fold(0.0, f64::max);
        let measured =
            top(promised, &mut all.iter().flat_map(|curves| curves.throughput.iter().map(|point| point.1)));
        Tops {
            throughput: measured.min(3.0 * promised),
            replicas: top(2.0, &mut all.iter().map(|curves| of_lines(&curves.replicas))),
            times: top(0.0, &mut all.iter().map(|curves| of_lines(&curves.times))),
        }
    }
}

fn axes<'n>(curves: &Curves<'_>, top: f64) -> Axes<'n> {
    Axes { x: curves.span, x_name: "seconds", bottom: 0.0, top, y_name: "" }
}

/// The throughput with the band of the contract, and the numbers of the marks.
fn throughput(area: &Area<'_>, curves: &Curves<'_>, top: f64) -> Drawn {
    let name = format!("items per second, over {}", seconds(curves.window));
    let mut chart = Axes { y_name: &name, ..axes(curves, top) }.draw(area)?;
    let contract = &curves.chart.contract;
    let (goal, least) =
        (contract.goal().throughput().per_second(), contract.limit().throughput().per_second());
    let (from, to) = curves.span;
    chart.draw_series([Rectangle::new([(from, least), (to, goal)], BAND.filled())])?;
    chart.draw_series(LineSeries::new([(from, goal), (to, goal)], BLACK.stroke_width(1)))?;
    chart.draw_series(LineSeries::new(curves.throughput.iter().copied(), COLOURS[0].stroke_width(2)))?;
    marks(&mut chart, &curves.chart.marks, top)?;
    numbers(&mut chart, curves, top)
}

/// A line for each task, and the marks.
fn lines(area: &Area<'_>, curves: &Curves<'_>, axes: &Axes<'_>, lines: &[Line]) -> Drawn {
    let mut chart = axes.draw(area)?;
    marks(&mut chart, &curves.chart.marks, axes.top)?;
    for line in lines {
        draw_line(&mut chart, line)?;
    }
    Ok(())
}

fn draw_line(chart: &mut Chart<'_>, line: &Line) -> Drawn {
    let (style, pattern) = style(line.task);
    // Level from one snapshot to the next.
    let steps = line.points.windows(2).flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]);
    let steps: Vec<(f64, f64)> = steps.chain(line.points.last().copied()).collect();
    match pattern {
        None => chart.draw_series(LineSeries::new(steps, style))?,
        Some((dash, gap)) => chart.draw_series(DashedLineSeries::new(steps, dash, gap, style))?,
    };
    Ok(())
}

/// How the line of a task is drawn.
fn style(task: usize) -> (ShapeStyle, Option<(i32, i32)>) {
    (COLOURS[task % COLOURS.len()].stroke_width(2), PATTERNS[task % PATTERNS.len()])
}

/// A vertical line at each decision; those that did nothing are dotted.
fn marks(chart: &mut Chart<'_>, marks: &[Mark], top: f64) -> Drawn {
    for mark in marks {
        let (dash, gap) = if mark.is_idle { (1, 4) } else { (4, 3) };
        let ends = [(mark.at, 0.0), (mark.at, top)];
        chart.draw_series(DashedLineSeries::new(ends, dash, gap, MARK.stroke_width(1)))?;
    }
    Ok(())
}

/// The number of each mark, beside its upper end. Numbers that have no room are left out.
fn numbers(chart: &mut Chart<'_>, curves: &Curves<'_>, top: f64) -> Drawn {
    let room = (curves.span.1 - curves.span.0) / 28.0;
    let mut last = f64::NEG_INFINITY;
    for (number, mark) in (1..).zip(&curves.chart.marks) {
        if mark.at - last < room {
            continue;
        }
        last = mark.at;
        let label = Text::new(format!("{number}"), (mark.at + room / 10.0, 0.995 * top), ("sans-serif", 12));
        chart.draw_series([label])?;
    }
    Ok(())
}

/// What the lines of each panel are. Figures that stand beside each other are of the same program.
fn legends(areas: &[Area<'_>], all: &[Curves<'_>]) -> Drawn {
    let curves = &all[0];
    let has_mark =
        |is_idle| all.iter().flat_map(|curves| &curves.chart.marks).any(|mark| mark.is_idle == is_idle);
    let mut first = Legend { area: &areas[0], y: 22 };
    first.line(COLOURS[0].stroke_width(2), None, "measured")?;
    first.line(BLACK.stroke_width(1), None, &format!("contract {}", curves.chart.goal()))?;
    first.area.draw(&Rectangle::new([(4, first.y - 6), (28, first.y + 6)], BAND.filled()))?;
    first.text(&format!("{} % tolerated", curves.chart.contract.tolerated() * 100.0))?;
    if has_mark(false) {
        first.line(MARK.stroke_width(1), Some((4, 3)), "action")?;
    }
    if has_mark(true) {
        first.line(MARK.stroke_width(1), Some((1, 4)), "reported or noted")?;
    }
    for (area, lines) in areas[1..].iter().zip([&curves.replicas, &curves.times]) {
        let mut legend = Legend { area, y: 22 };
        for line in lines.iter().take((HEIGHT_OF_PANEL as i32 / LINE - 2) as usize) {
            let (style, pattern) = style(line.task);
            legend.line(style, pattern, &shortened(&line.name))?;
        }
    }
    Ok(())
}

/// Names one below the other.
struct Legend<'l, 'a> {
    area: &'l Area<'a>,
    y: i32,
}

impl Legend<'_, '_> {
    fn line(&mut self, style: ShapeStyle, pattern: Option<(i32, i32)>, name: &str) -> Drawn {
        let (dash, gap) = pattern.unwrap_or((24, 0));
        let mut x = 4;
        while x < 28 {
            self.area.draw(&PathElement::new(vec![(x, self.y), ((x + dash).min(28), self.y)], style))?;
            x += dash + gap;
        }
        self.text(name)
    }

    fn text(&mut self, name: &str) -> Drawn {
        self.area.draw(&Text::new(name.to_owned(), (34, self.y - 6), ("sans-serif", 13)))?;
        self.y += LINE;
        Ok(())
    }
}

/// A time with two digits.
fn seconds(time: f64) -> String {
    match time {
        time if time >= 10.0 => format!("{time:.0} s"),
        time if time >= 0.1 => format!("{time:.1} s"),
        time => format!("{:.0} ms", time * 1e3),
    }
}
