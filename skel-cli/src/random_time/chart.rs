//! The distribution of a random time and its density, as curves over time.

use skel::passage::Point;

use super::RandomTime;
use crate::chart::panels::{self, Content, Curve, Curves, Direction, Panel, pieces};
use crate::errors::Failure;
use crate::report::table::printable;

/// The whole figure as the text of an SVG file. `name` says which time it is, and `ended` what the
/// distribution function is the probability of.
pub(crate) fn svg(time: &RandomTime, name: &str, ended: &str) -> Result<String, Failure> {
    let points = if time.points.is_empty() { &time.drawn } else { &time.points };
    let panel = |y_name: &str, of: &dyn Fn(&Point) -> f64| {
        let values = points.iter().map(|point| (point.time, Some(of(point))));
        let curves =
            Curves { title: None, curves: vec![Curve { name: printable(name), pieces: pieces(values) }] };
        Panel { x: axis(points), y_name: y_name.to_owned(), content: Content::Curves(curves) }
    };
    let panels = match points.is_empty() {
        true => Vec::new(),
        false => vec![
            panel(ended, &|point| point.probability.value),
            panel("density (per unit of time)", &|point| point.density.value),
        ],
    };
    panels::svg(&panels, "say with `--at` at which moments")
}

/// The axis of time, which is logarithmic where moments are.
fn axis(points: &[Point]) -> Direction {
    const FAR_APART: f64 = 1000.0;
    let ends = points
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(least, most), point| (least.min(point.time), most.max(point.time)));
    let is_logarithmic = ends.0 > 0.0 && ends.1 >= FAR_APART * ends.0;
    let is_whole = points.iter().all(|point| point.time.fract() == 0.0);
    Direction { name: "time (units of time)".to_owned(), is_logarithmic, ends, is_whole }
}
