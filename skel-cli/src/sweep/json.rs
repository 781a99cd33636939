//! The one object of `skel sweep --json`.

use serde_json::{Map, Value, json};
use skel::limits::Limit;
use skel::number::{Number, Ratio, display_ratio};

use super::answer::{Answer, Row};
use super::measure::Cell;
use super::reasons::reason;
use crate::report::figure::entries;

/// The whole object; `warnings` is a list.
pub(super) fn object(answer: &Answer, warnings: &Value) -> Map<String, Value> {
    let names: Vec<&str> = answer.axes.iter().map(|axis| axis.name.as_str()).collect();
    let measures: Vec<&str> = answer.headings.iter().map(|heading| heading.name.as_str()).collect();
    entries(json!({
        "vary": names,
        "together": answer.is_together,
        "measures": measures,
        "points": answer.rows.iter().map(|row| point(answer, row)).collect::<Value>(),
        "solved": answer.solved(),
        "stopped": answer.stopped.map(limit),
        "warnings": warnings,
    }))
}

fn limit(limit: Limit) -> &'static str {
    match limit {
        Limit::Cancelled => "cancelled",
        _ => "time",
    }
}

/// A point: its values exactly and as floats, its figures, and where it has none the reason.
fn point(answer: &Answer, row: &Row) -> Value {
    let named = |value: &dyn Fn(&Ratio) -> Value| -> Map<String, Value> {
        let pairs = answer.axes.iter().zip(&row.values);
        pairs.map(|(axis, number)| (axis.name.clone(), value(number))).collect()
    };
    let error = row.outcome.as_ref().err().map(|error| {
        let problem = reason(error);
        json!({ "code": problem.code, "message": problem.message, "help": problem.help })
    });
    let figures: Map<String, Value> = match &row.outcome {
        Ok(found) => {
            let cells = answer.headings.iter().zip(&found.cells);
            cells.map(|(heading, cell)| (heading.name.clone(), figure(cell))).collect()
        }
        Err(_) => answer.headings.iter().map(|heading| (heading.name.clone(), Value::Null)).collect(),
    };
    let found = row.outcome.as_ref().ok();
    json!({
        "values": named(&|value| f64::from_ratio(value).into()),
        "exact_values": named(&|value| display_ratio(value).into()),
        "figures": figures,
        "states": found.map(|found| found.states),
        "relative_error": found.map(|found| found.error),
        "error": error,
    })
}

fn figure(cell: &Cell) -> Value {
    match cell {
        Cell::Number(number) => (*number).into(),
        Cell::Word(word) => word.as_str().into(),
    }
}
