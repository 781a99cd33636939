//! A graph as a figure, in the symbols of the paper.

use std::fmt::Write;

use super::{Block, Graph, Process, Segment, SegmentKind, Statement};

/// The height of a line of text with its space, in pixels.
const LINE: f64 = 18.0;

/// The width of a letter of 12 pixels, and a little more.
const LETTER: f64 = 7.0;

/// The space around things.
const SPACE: f64 = 12.0;

/// Shapes on an area.
#[derive(Default)]
struct Drawing {
    width: f64,
    height: f64,
    shapes: Vec<Shape>,
}

/// A shape with its upper left corner.
struct Shape {
    x: f64,
    y: f64,
    look: Look,
}

enum Look {
    /// A rectangle of a size, in a class of the style sheet.
    Box { width: f64, height: f64, class: &'static str },
    /// A triangle in a square of a line.
    Triangle,
    /// A text on its baseline.
    Text(String),
}

pub(super) fn svg(graph: &Graph) -> String {
    let title = format!("{}({})", graph.name, graph.parameters.join(", "));
    let whole = below([text(&title), block(&graph.body)]).with_margin();
    let (width, height) = (whole.width.ceil(), whole.height.ceil());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>text {{ font: 12px sans-serif; fill: black }} .comp {{ fill: #d0d0d0; stroke: black }} \
         .loop {{ fill: none; stroke: black; stroke-dasharray: 2 3 }} .par {{ fill: none; stroke: black }} \
         .choice {{ fill: none; stroke: #0072b2; stroke-dasharray: 8 3 }} .overlap {{ fill: none; stroke: #d55e00 }}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for shape in &whole.shapes {
        shape.write(&mut svg);
    }
    svg + "</svg>\n"
}

fn block(block: &Block) -> Drawing {
    match block.is_empty() {
        true => text("(nothing)"),
        false => below(block.iter().map(statement)),
    }
}

fn statement(statement: &Statement) -> Drawing {
    match statement {
        Statement::Segment(segment) => of_segment(segment),
        Statement::Loop { times, body } => {
            below([text(&format!("{times} times")), block(body)]).framed("loop")
        }
        Statement::Parallel(processes) => beside(processes.iter().map(column)),
        Statement::Overlap { part, one, other } => {
            let title = part.as_ref().map_or("overlap".into(), |part| format!("overlap {part}"));
            below([text(&title), beside([block(one), block(other)])]).framed("overlap")
        }
        Statement::Choice { branches, .. } => {
            let branches = branches
                .iter()
                .map(|(probability, body)| below([text(&probability.to_string()), block(body)]));
            below([text("choice"), beside(branches)]).framed("choice")
        }
    }
}

fn column(process: &Process) -> Drawing {
    let title = match &process.copies {
        Some(copies) => format!("{} x {copies}", process.name),
        None => process.name.clone(),
    };
    below([text(&title), block(&process.body)]).framed("par")
}

/// A grey rectangle around the name of a computation, or a triangle before that of a communication.
fn of_segment(segment: &Segment) -> Drawing {
    if segment.kind == SegmentKind::Computation {
        return text(&segment.name).framed("comp");
    }
    let bytes = segment.bytes.as_ref().map_or(String::new(), |bytes| format!(" [{bytes}]"));
    let name = text(&format!("{} {}{bytes}", segment.kind.word(), segment.name));
    let triangle =
        Drawing { width: LINE, height: LINE, shapes: vec![Shape { x: 0.0, y: 0.0, look: Look::Triangle }] };
    let mut both = Drawing::default();
    both.put(triangle, 0.0, 0.0);
    both.put(name, LINE + SPACE / 2.0, 0.0);
    both
}

fn text(text: &str) -> Drawing {
    Drawing {
        width: text.chars().count() as f64 * LETTER,
        height: LINE,
        shapes: vec![Shape { x: 0.0, y: LINE * 0.75, look: Look::Text(text.to_owned()) }],
    }
}

fn below(parts: impl IntoIterator<Item = Drawing>) -> Drawing {
    let mut whole = Drawing::default();
    for part in parts {
        let space = if whole.shapes.is_empty() { 0.0 } else { SPACE / 2.0 };
        let y = whole.height + space;
        whole.put(part, 0.0, y);
    }
    whole
}

fn beside(parts: impl IntoIterator<Item = Drawing>) -> Drawing {
    let mut whole = Drawing::default();
    for part in parts {
        let space = if whole.shapes.is_empty() { 0.0 } else { SPACE };
        let x = whole.width + space;
        whole.put(part, x, 0.0);
    }
    whole
}

impl Drawing {
    /// Takes the shapes of another drawing in, at a place.
    fn put(&mut self, other: Drawing, x: f64, y: f64) {
        self.width = self.width.max(x + other.width);
        self.height = self.height.max(y + other.height);
        self.shapes.extend(other.shapes.into_iter().map(|shape| Shape {
            x: shape.x + x,
            y: shape.y + y,
            ..shape
        }));
    }

    fn with_margin(self) -> Drawing {
        let mut whole = Drawing::default();
        whole.put(self, SPACE, SPACE);
        whole.width += SPACE;
        whole.height += SPACE;
        whole
    }

    /// The same with a box of a class around it.
    fn framed(self, class: &'static str) -> Drawing {
        let inner =
            Drawing { height: self.height + SPACE, width: self.width + SPACE * 2.0, ..Drawing::default() };
        let look = Look::Box { width: inner.width, height: inner.height, class };
        let mut whole = Drawing { shapes: vec![Shape { x: 0.0, y: 0.0, look }], ..inner };
        whole.put(self, SPACE, SPACE / 2.0);
        whole
    }
}

impl Shape {
    fn write(&self, svg: &mut String) {
        let Shape { x, y, look } = self;
        let written = match look {
            Look::Box { width, height, class } => {
                writeln!(
                    svg,
                    "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
                )
            }
            Look::Triangle => {
                let (right, middle, bottom) = (x + LINE - 2.0, x + (LINE - 2.0) / 2.0, y + LINE - 2.0);
                writeln!(svg, "<path class=\"comm\" d=\"M {x} {y} L {right} {y} L {middle} {bottom} Z\"/>")
            }
            Look::Text(text) => writeln!(svg, "<text x=\"{x}\" y=\"{y}\">{}</text>", escaped(text)),
        };
        written.expect("a string takes all that is written");
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
