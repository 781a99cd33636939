//! The one object of `skel csl --json`.

use serde_json::{Map, Value as Json, json};
use skel::csl::{Answer, Figure, Value};

use super::answer::{Answered, Answers};
use crate::report::figure::{count, entries};

/// The whole object; `warnings` is a list.
pub(super) fn object(answers: &Answers, warnings: &Json) -> Map<String, Json> {
    entries(json!({
        "properties": answers.answers.iter().map(property).collect::<Json>(),
        "warnings": warnings,
    }))
}

fn property(answered: &Answered) -> Json {
    let checked = &answered.checked;
    let mut object = entries(json!({ "name": checked.name, "property": checked.property }));
    object.extend(match &checked.answer {
        Answer::One(value) => of_value(value),
        Answer::Count(least, most) => entries(json!({
            "count": if least == most { count(Some(*least)) } else { Json::Null },
            "at_least": count(Some(*least)),
            "at_most": count(Some(*most)),
        })),
        Answer::Range(least, largest) => {
            entries(json!({ "least": of_figure(least), "largest": of_figure(largest) }))
        }
        _ => entries(json!({ "states": answered.of_states().map(state).collect::<Json>() })),
    });
    if checked.decided_in_fractions {
        object.insert("decided_in_fractions".into(), true.into());
    }
    if let Some(witness) = &checked.witness {
        object.insert("witness".into(), json!({ "path": witness.path, "state": witness.state }));
    }
    Json::Object(object)
}

fn state((shown, number, value, is_certain): (&super::answer::Shown, usize, &Value, bool)) -> Json {
    let mut object = entries(json!({
        "state": number,
        "local_states": shown.name,
        "stands_for": count(shown.stands_for),
    }));
    object.extend(of_value(value));
    if !is_certain {
        object.insert("is_certain".into(), false.into());
    }
    Json::Object(object)
}

fn of_value(value: &Value) -> Map<String, Json> {
    match value {
        Value::Verdict(verdict) => entries(json!({ "verdict": verdict.word() })),
        Value::Figure(figure) => of_figure(figure),
    }
}

/// A number with its error; an infinite one is `null`, since JSON has none.
fn of_figure(figure: &Figure) -> Map<String, Json> {
    let is_infinite = figure.value().is_infinite();
    let mut object = entries(json!({
        "value": figure.value(),
        "error": figure.error(),
        "exact": figure.exact().map(ToString::to_string),
    }));
    if is_infinite {
        object.insert("is_infinite".into(), true.into());
        object.insert("at_least".into(), json!(figure.at_least()));
    }
    object
}
