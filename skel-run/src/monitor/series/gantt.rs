//! A Gantt chart: a line for each machine or worker, with a bar for each chunk of work from its beginning to
//! its end, as SVG.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axes::{Area, COLOURS, Drawn, NAMES, WIDTH, shortened};

/// What a bar shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bar {
    /// Work whose results count.
    Work,
    /// Work that was lost.
    Lost,
    /// A request that waits for the master, or is served.
    Waiting,
}

/// A bar in a line. Several are joined where they could not be told apart.
#[derive(Clone, Copy, Debug)]
struct Drawing {
    kind: Bar,
    from: f64,
    to: f64,
    /// How much of it is what it shows.
    filled: f64,
    /// Whether it is too narrow to be told apart from its neighbours, or made of such.
    is_narrow: bool,
}

/// The colours of a kind, and its name.
const KINDS: [(Bar, RGBColor, &str); 3] = [
    (Bar::Work, COLOURS[0], "work"),
    (Bar::Waiting, COLOURS[7], "waits for master"),
    (Bar::Lost, COLOURS[1], "lost work"),
];

const BOUND: RGBColor = COLOURS[6];

/// The width of the names beside the lines.
const LABELS: u32 = 130;

/// A Gantt chart: lines with names, to which bars are added in the order of their times.
#[derive(Clone, Debug)]
pub struct Gantt {
    names: Vec<String>,
    lines: Vec<Line>,
    end: f64,
}

/// The line of a machine or worker.
#[derive(Clone, Debug)]
struct Line {
    bars: Vec<Drawing>,
    /// What is about a point of the figure, in seconds.
    point: f64,
}

impl Gantt {
    /// A chart without bars from 0 to an end, in seconds.
    #[must_use]
    pub fn new(names: Vec<String>, end: f64) -> Gantt {
        let width = f64::from(WIDTH - LABELS) - f64::from(NAMES);
        let line = Line { bars: Vec::new(), point: end / width };
        Gantt { lines: vec![line; names.len()], names, end }
    }

    /// Adds a bar to a line.
    pub fn add(&mut self, line: usize, kind: Bar, from: f64, to: f64) {
        self.lines[line].join(kind, from, to);
    }

    /// The figure as the text of an SVG file, with a title, and a mark at the time before which the work
    /// cannot end, if there is one.
    ///
    /// # Errors
    /// What the backend says.
    pub fn to_svg(&self, title: &str, bound: Option<f64>) -> Drawn<String> {
        const AROUND: f64 = 100.0;
        let mut text = String::new();
        let height = AROUND + self.height_of_line() * self.lines.len() as f64;
        let root = SVGBackend::with_string(&mut text, (WIDTH, height as u32)).into_drawing_area();
        root.fill(&WHITE)?;
        let (plot, names) = root.split_horizontally(WIDTH as i32 - NAMES);
        self.in_axes(&plot, title, bound)?;
        self.legend(&names, bound)?;
        root.present()?;
        drop((plot, names, root));
        Ok(text)
    }

    /// The height of a line, less where there are many.
    fn height_of_line(&self) -> f64 {
        (1200.0 / self.lines.len() as f64).clamp(3.0, 24.0)
    }

    fn in_axes(&self, area: &Area<'_>, title: &str, bound: Option<f64>) -> Drawn {
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
                let bars = line.bars.iter().filter(|bar| (bar.kind == Bar::Waiting) == is_waiting);
                chart.draw_series(bars.map(|bar| rectangle(bar, place as f64)))?;
            }
        }
        if let Some(bound) = bound {
            let bound = [(bound, 0.0), (bound, count)];
            chart.draw_series(DashedLineSeries::new(bound, 6, 4, BOUND.stroke_width(2)))?;
        }
        let origin = area.get_base_pixel();
        for (place, name) in self.shown_names() {
            let (x, y) = chart.backend_coord(&(0.0, place as f64 + 0.5));
            let style = label(13).pos(Pos::new(HPos::Right, VPos::Center));
            area.draw(&Text::new(shortened(name), (x - origin.0 - 8, y - origin.1), style))?;
        }
        area.draw(&Text::new(title.to_owned(), (LABELS as i32 + 10, 10), label(15)))?;
        Ok(())
    }

    /// The names that have room.
    fn shown_names(&self) -> impl Iterator<Item = (usize, &String)> {
        let every = (14.0 / self.height_of_line()).ceil() as usize;
        self.names.iter().enumerate().step_by(every)
    }

    /// What the colours are.
    fn legend(&self, area: &Area<'_>, bound: Option<f64>) -> Drawn {
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
        if let Some(bound) = bound {
            for from in [4, 14, 24] {
                area.draw(&PathElement::new(vec![(from, y), (from + 6, y)], BOUND.stroke_width(2)))?;
            }
            area.draw(&Text::new(format!("bound, {} s", number(bound)), (34, y - 6), label(13)))?;
        }
        Ok(())
    }
}

impl Line {
    /// Whether some bar stands for many chunks.
    fn has_joined(&self) -> bool {
        self.bars.iter().any(|bar| bar.kind == Bar::Work && bar.filled < 0.99)
    }

    /// Adds a bar. One that is too narrow is joined with such a one close before it.
    fn join(&mut self, kind: Bar, from: f64, to: f64) {
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
            _ => self.bars.push(Drawing { kind, from, to, filled: 1.0, is_narrow }),
        }
    }
}

/// A bar, lighter where it is work only in part. A white edge sets it off from the next.
fn rectangle(bar: &Drawing, place: f64) -> Rectangle<(f64, f64)> {
    let (_, colour, _) = KINDS.into_iter().find(|(kind, ..)| *kind == bar.kind).unwrap_or(KINDS[0]);
    let colour = lighter(colour, bar.filled);
    let inset = if bar.kind == Bar::Waiting { 0.4 } else { 0.12 };
    let mut rectangle =
        Rectangle::new([(bar.from, place + inset), (bar.to, place + 1.0 - inset)], colour.filled());
    if bar.kind != Bar::Waiting && !bar.is_narrow {
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
pub(crate) fn number(value: f64) -> String {
    format!("{value:.4e}").parse().unwrap_or(value).to_string()
}
