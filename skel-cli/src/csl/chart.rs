//! The values of states as a picture: a panel for each property that prints them, the states in their order.

use skel::csl::Value;

use super::answer::{Answered, Answers};
use crate::chart::panels::{self, Content, Curve, Curves, Direction, Panel, pieces};
use crate::errors::Failure;
use crate::report::table::printable;

/// The whole figure as the text of an SVG file.
pub(super) fn svg(answers: &Answers) -> Result<String, Failure> {
    let panels: Vec<Panel> = answers.answers.iter().filter_map(panel).collect();
    panels::svg(&panels, "ask for the values of states with `filter(print, P=? [ .. ])`")
}

fn panel(answered: &Answered) -> Option<Panel> {
    let points: Vec<(f64, Option<f64>)> = answered
        .of_states()
        .map(|(_, state, value, _)| match value {
            Value::Figure(figure) => (state as f64, Some(figure.value()).filter(|value| value.is_finite())),
            Value::Verdict(_) => (state as f64, None),
        })
        .collect();
    let (first, last) = (points.first()?.0, points.last()?.0);
    points.iter().find(|(_, value)| value.is_some())?;
    let name = printable(&answered.checked.name.clone().unwrap_or(answered.checked.property.clone()));
    let curve = Curve { name, pieces: pieces(points.into_iter()) };
    let x = Direction {
        name: "state (by number)".to_owned(),
        is_logarithmic: false,
        ends: (first, last),
        is_whole: true,
    };
    Some(Panel {
        x,
        y_name: "value".to_owned(),
        content: Content::Curves(Curves { title: None, curves: vec![curve] }),
    })
}
