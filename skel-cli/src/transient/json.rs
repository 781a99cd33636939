//! The one object of `skel transient --json`.

use serde_json::{Map, Value, json};
use skel::transient::{Accuracy, Method};

use super::answer::{Answer, At, Figures, Kind, Names};
use crate::report::figure::entries;
use crate::solve::json::of_chain;

/// The whole object; `warnings` is a list.
pub(super) fn object(answer: &Answer, warnings: &Value) -> Map<String, Value> {
    let mut object = of_chain(&answer.chain);
    let report = &answer.report;
    object.extend(entries(json!({
        "method": word(report.method),
        "error": answer.error(),
        "accuracy": if report.accuracy == Accuracy::Bound { "bound" } else { "estimate" },
        "steps": report.steps,
        "planned_steps": report.planned,
        "settled_at": report.settled,
        "rate": report.rate,
        "seconds": {
            "explore": answer.chain.explored_in.as_secs_f64(),
            "solve": report.solved_in.as_secs_f64(),
        },
        "points": answer.points.iter().map(|at| point(at, answer)).collect::<Value>(),
        "warnings": warnings,
    })));
    object
}

/// The name of a method, as `--method` has it.
pub(super) fn word(method: Method) -> &'static str {
    match method {
        Method::Adaptive => "adaptive",
        Method::Squaring => "squaring",
        Method::Implicit => "implicit",
        _ => "uniformisation",
    }
}

fn point(at: &At, answer: &Answer) -> Value {
    let mut point = figures(&at.now, &answer.names);
    point.insert("t".into(), at.time.into());
    point.insert("error".into(), answer.report.error.into());
    if let Some(integral) = &at.integral {
        let mut over = figures(integral, &answer.names);
        over.insert("error".into(), (answer.report.error * at.time).into());
        point.insert("over".into(), over.into());
    }
    if let Some(average) = &at.average {
        point.insert("average".into(), figures(average, &answer.names).into());
    }
    point.into()
}

fn figures(figures: &Figures, names: &Names) -> Map<String, Value> {
    let of = |kind: Kind| -> Value {
        let named = names.of(kind).iter().zip(figures.of(kind));
        Value::Object(named.map(|(name, value)| (name.clone(), json!({ "value": value }))).collect())
    };
    entries(json!({
        "throughput": of(Kind::Throughput),
        "results": of(Kind::Result),
        "population": of(Kind::Population),
    }))
}
