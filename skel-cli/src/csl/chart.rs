//! The values of states as a picture: a panel for each property that prints them, the states in their order.

use skel::csl::Value;

use super::answer::{Answered, Answers};
use crate::chart::panels::{self, Content, Direction, Panel, Stems};
use crate::errors::Failure;
use crate::report::table::printable;

/// The whole figure as the text of an SVG file.
pub(super) fn svg(answers: &Answers) -> Result<String, Failure> {
    let panels: Vec<Panel> = answers.answers.iter().filter_map(panel).collect();
    panels::svg(&panels, "ask for the values of states with `filter(print, P=? [ .. ])`")
}

fn panel(answered: &Answered) -> Option<Panel> {
    let states: Vec<usize> = answered.of_states().map(|(_, state, ..)| state).collect();
    let points: Vec<(f64, f64)> = answered
        .of_states()
        .filter_map(|(_, state, value, _)| match value {
            Value::Figure(figure) => {
                Some((state as f64, figure.value())).filter(|(_, value)| value.is_finite())
            }
            Value::Verdict(_) => None,
        })
        .collect();
    points.first()?;
    let x = Direction {
        name: "state (by number)".to_owned(),
        is_logarithmic: false,
        ends: (*states.first()? as f64, *states.last()? as f64),
        is_whole: true,
    };
    let title = printable(&answered.checked.name.clone().unwrap_or(answered.checked.property.clone()));
    Some(Panel { x, y_name: "value".to_owned(), content: Content::Stems(Stems { title, points }) })
}
