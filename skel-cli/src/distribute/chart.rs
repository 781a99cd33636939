//! A schedule as a Gantt chart: a line for each machine, with a bar for each chunk from its beginning to its end, as SVG.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use skel::distribute::Schedule;
use skel::distribute::description::Description;
use skel::distribute::simulate::Piece;
use skel::run::monitor::axes::{Area, COLOURS, Drawn, NAMES, WIDTH, shortened};

use crate::report::table::{printable, rounded};

/// What a bar shows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Work,
    /// Work that was lost.
    Lost,
    /// The request waits for the master, or is served.
    Waiting,
}

/// A bar in the line of a machine. Several are joined where they could not be told apart.
#[derive(Clone, Copy, Debug)]
struct Bar {
    kind: Kind,
    from: f64,
    to: f64,
    /// How much of it is what it shows.
    filled: f64,
    /// Whether it is too narrow to be told apart from its neighbours, or made of such.
    is_narrow: bool,
}

/// The colours of a kind, and its name.
const KINDS: [(Kind, RGBColor, &str); 3] = [
    (Kind::Work, COLOURS[0], "work"),
    (Kind::Waiting, COLOURS[7], "waits for master"),
    (Kind::Lost, COLOURS[1], "lost work"),
];

const BOUND: RGBColor = COLOURS[6];

/// The figure as the text of an SVG file, for a schedule that ends.
pub(super) fn svg(description: &Description, schedule: Schedule, bound: f64) -> Result<String, String> {
    let machines = description.names().len();
    let scenario = description.scenario();
    let end = *scenario.simulate(&schedule).map_err(|why| why.to_string())?.makespan();
    let mut lines: Vec<Line> = (0..machines).map(|_| Line::new(end)).collect();
    scenario
        .observe::<f64>(&schedule, |piece| lines[piece.machine].add(piece))
        .map_err(|why| why.to_string())?;
    let picture = Picture { names: description.names(), lines, end, bound, schedule };
    picture.draw().map_err(|why| why.to_string())
}

/// The width of the names beside the lines.
const LABELS: u32 = 130;

/// The line of a machine.
struct Line {
    bars: Vec<Bar>,
    /// What is about a point of the figure, in seconds.
    point: f64,
}

impl Line {
    fn new(end: f64) -> Line {
        let width = f64::from(WIDTH - LABELS) - f64::from(NAMES);
        Line { bars: Vec::new(), point: end / width }
    }

    fn add(&mut self, piece: &Piece) {
        let kind = if piece.is_finished { Kind::Work } else { Kind::Lost };
        self.join(Kind::Waiting, piece.asked, piece.started);
        self.join(kind, piece.started, piece.ended);
    }

    /// Whether some bar stands for many chunks.
    fn has_joined(&self) -> bool {
        self.bars.iter().any(|bar| bar.kind == Kind::Work && bar.filled < 0.99)
    }

    /// Adds a bar. One that is too narrow is joined with such a one close before it.
    fn join(&mut self, kind: Kind, from: f64, to: f64) {
        const NARROW: f64 = 3.0;
        const CLOSE: f64 = 6.0;
        if to <= from {
            return;
        }
        let is_narrow = to - from < NARROW * self.point;
        let before = self.bars.iter_mut().rev().take(2).find(|bar| bar.kind == kind);
        match before {
            Some(bar) if is_narrow && bar.is_narrow && from - bar.to < CLOSE * self.point => {
                let filled = bar.filled * (bar.to - bar.from) + (to - from);
                bar.to = to;
                bar.filled = filled / (bar.to - bar.from);
            }
            _ => self.bars.push(Bar { kind, from, to, filled: 1.0, is_narrow }),
        }
    }
}

struct Picture<'d> {
    names: &'d [String],
    lines: Vec<Line>,
    end: f64,
    bound: f64,
    schedule: Schedule,
}

impl Picture<'_> {
    /// The height of a line, less where there are many.
    fn height_of_line(&self) -> f64 {
        (1200.0 / self.lines.len() as f64).clamp(3.0, 24.0)
    }

    fn draw(&self) -> Drawn<String> {
        const AROUND: f64 = 100.0;
        let mut text = String::new();
        let height = AROUND + self.height_of_line() * self.lines.len() as f64;
        let root = SVGBackend::with_string(&mut text, (WIDTH, height as u32)).into_drawing_area();
        root.fill(&WHITE)?;
        let (plot, names) = root.split_horizontally(WIDTH as i32 - NAMES);
        self.in_axes(&plot)?;
        self.legend(&names)?;
        root.present()?;
        drop((plot, names, root));
        Ok(text)
    }

    fn in_axes(&self, area: &Area<'_>) -> Drawn {
        let count = self.lines.len() as f64;
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_top(34)
            .x_label_area_size(46)
            .y_label_area_size(LABELS)
            .build_cartesian_2d(0.0..self.end, count..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(225, 225, 225))
            .axis_style(RGBColor(90, 90, 90))
            .x_labels(9)
            .y_labels(0)
            .x_desc("seconds")
            .axis_desc_style(("sans-serif", 15))
            .label_style(("sans-serif", 13))
            .x_label_formatter(&|value| number(*value))
            .draw()?;
        for (place, line) in self.lines.iter().enumerate() {
            // Waiting is drawn last: it is also within a bar that stands for many short chunks.
            for is_waiting in [false, true] {
                let bars = line.bars.iter().filter(|bar| (bar.kind == Kind::Waiting) == is_waiting);
                chart.draw_series(bars.map(|bar| rectangle(bar, place as f64)))?;
            }
        }
        let bound = [(self.bound, 0.0), (self.bound, count)];
        chart.draw_series(DashedLineSeries::new(bound, 6, 4, BOUND.stroke_width(2)))?;
        let origin = area.get_base_pixel();
        for (place, name) in self.shown_names() {
            let (x, y) = chart.backend_coord(&(0.0, place as f64 + 0.5));
            let style = label(13).pos(Pos::new(HPos::Right, VPos::Center));
            area.draw(&Text::new(shortened(&printable(name)), (x - origin.0 - 8, y - origin.1), style))?;
        }
        let title = format!("{}: ends after {} s", self.schedule, number(self.end));
        area.draw(&Text::new(title, (LABELS as i32 + 10, 10), label(15)))?;
        Ok(())
    }

    /// The names that have room.
    fn shown_names(&self) -> impl Iterator<Item = (usize, &String)> {
        let every = (14.0 / self.height_of_line()).ceil() as usize;
        self.names.iter().enumerate().step_by(every)
    }

    /// What the colours are.
    fn legend(&self, area: &Area<'_>) -> Drawn {
        const LINE: i32 = 20;
        let has = |kind| self.lines.iter().any(|line| line.bars.iter().any(|bar| bar.kind == kind));
        let mut y = 44;
        for (_, colour, name) in KINDS.into_iter().filter(|(kind, ..)| has(*kind)) {
            area.draw(&Rectangle::new([(4, y - 5), (28, y + 5)], colour.filled()))?;
            area.draw(&Text::new(name, (34, y - 6), label(13)))?;
            y += LINE;
        }
        if self.lines.iter().any(Line::has_joined) {
            area.draw(&Rectangle::new([(4, y - 5), (28, y + 5)], lighter(COLOURS[0], 0.4).filled()))?;
            area.draw(&Text::new("many short chunks", (34, y - 6), label(13)))?;
            y += LINE;
        }
        for from in [4, 14, 24] {
            area.draw(&PathElement::new(vec![(from, y), (from + 6, y)], BOUND.stroke_width(2)))?;
        }
        area.draw(&Text::new(format!("bound, {} s", number(self.bound)), (34, y - 6), label(13)))?;
        Ok(())
    }
}

/// A bar, lighter where it is work only in part. A white edge sets it off from the next.
fn rectangle(bar: &Bar, place: f64) -> Rectangle<(f64, f64)> {
    let (_, colour, _) = KINDS.into_iter().find(|(kind, ..)| *kind == bar.kind).unwrap_or(KINDS[0]);
    let colour = lighter(colour, bar.filled);
    let inset = if bar.kind == Kind::Waiting { 0.4 } else { 0.12 };
    let mut rectangle =
        Rectangle::new([(bar.from, place + inset), (bar.to, place + 1.0 - inset)], colour.filled());
    if bar.kind != Kind::Waiting && !bar.is_narrow {
        rectangle.set_margin(0, 0, 0, 1);
    }
    rectangle
}

/// A colour mixed with white: so much of it is left.
fn lighter(colour: RGBColor, left: f64) -> RGBColor {
    let mixed = |part: u8| (255.0 - (255.0 - f64::from(part)) * left).round() as u8;
    RGBColor(mixed(colour.0), mixed(colour.1), mixed(colour.2))
}

fn label(size: i32) -> TextStyle<'static> {
    TextStyle::from(("sans-serif", size).into_font())
}

/// A number with five digits at most.
fn number(value: f64) -> String {
    rounded(value, 5)
}
