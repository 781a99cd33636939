//! Figures at moments as curves over time: a panel for each kind.

use super::answer::{Answer, At, Figures, Kind};
use super::text::columns;
use crate::chart::panels::{self, Content, Curve, Curves, Direction, Panel, pieces};
use crate::errors::Failure;
use crate::report::table::printable;

/// More curves than this in a panel cannot be told apart.
const MOST_CURVES: usize = 8;

/// The whole figure as the text of an SVG file.
pub(super) fn svg(answer: &Answer) -> Result<String, Failure> {
    let mut panels = of_figures(answer, "", |at| Some(&at.now));
    if answer.over {
        panels.extend(of_figures(answer, ", added up", |at| at.integral.as_ref()));
    }
    panels::svg(&panels, "ask for a throughput, a result line or a population with `--keep`")
}

fn of_figures(answer: &Answer, part: &str, of: impl Fn(&At) -> Option<&Figures>) -> Vec<Panel> {
    let mut panels = Vec::new();
    for (kind, name) in [
        (Kind::Throughput, "throughput (per unit of time)"),
        (Kind::Result, "result"),
        (Kind::Population, "population (mean number)"),
    ] {
        let places: Vec<usize> =
            columns(answer).into_iter().filter(|column| column.0 == kind).map(|column| column.1).collect();
        for places in places.chunks(MOST_CURVES) {
            let curve = |&place: &usize| Curve {
                name: printable(&answer.names.of(kind)[place]),
                pieces: pieces(
                    answer.points.iter().map(|at| (at.time, of(at).map(|figures| figures.of(kind)[place]))),
                ),
            };
            let curves = Curves { title: None, curves: places.iter().map(curve).collect() };
            let y_name = if part.is_empty() { name.to_owned() } else { format!("{}{part}", kind_of(name)) };
            panels.push(Panel { x: time(answer), y_name, content: Content::Curves(curves) });
        }
    }
    panels
}

/// A kind without its unit, which is another where it is added up.
fn kind_of(name: &str) -> &str {
    name.split(" (").next().unwrap_or(name)
}

/// The axis of time, which is logarithmic where moments are.
fn time(answer: &Answer) -> Direction {
    const FAR_APART: f64 = 1000.0;
    let times: Vec<f64> = answer.points.iter().map(|at| at.time).collect();
    let ends = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
    let is_logarithmic = ends.0 > 0.0 && ends.1 >= FAR_APART * ends.0;
    let is_whole = times.iter().all(|time| time.fract() == 0.0);
    Direction { name: "time (units of time)".to_owned(), is_logarithmic, ends, is_whole }
}
