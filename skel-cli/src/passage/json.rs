//! The one object of `skel passage --json`.

use serde_json::{Map, Value, json};
use skel::passage::{Figure, Point, Quantile};

use super::answer::{Answer, Known};
use crate::report::figure::entries;
use crate::solve::json::of_chain;

/// The whole object; `warnings` is a list.
pub(super) fn object(answer: &Answer, warnings: &Value) -> Map<String, Value> {
    let mut object = of_chain(&answer.chain);
    // Without the condition that a passage ends, its moments are infinite where it may not.
    let (moments, given) = if answer.is_sure { (Some(answer), None) } else { (None, Some(answer)) };
    object.extend(entries(json!({
        "from": answer.from,
        "to": answer.to,
        "way": answer.way.word(),
        "definition": answer.way.to_string(),
        "states_before_the_end": answer.states,
        "ends": known(&answer.ends),
        "mean": moments.map(|answer| known(&answer.mean)),
        "variance": moments.map(|answer| known(&answer.variance)),
        "moments": moments.map(of_moments),
        "throughput": answer.throughput.as_ref().map(known),
        "cdf": answer.points.iter().map(point).collect::<Value>(),
        "quantiles": answer.quantiles.iter().map(quantile).collect::<Value>(),
        "error": answer.error(),
        "seconds": { "explore": answer.chain.explored_in.as_secs_f64(), "solve": answer.solved_in },
        "warnings": warnings,
    })));
    if let Some(answer) = given {
        let given = json!({
            "mean": known(&answer.mean),
            "variance": known(&answer.variance),
            "moments": of_moments(answer),
        });
        object.insert("given_it_ends".into(), given);
    }
    object
}

fn of_moments(answer: &Answer) -> Value {
    answer.moments.iter().map(known).collect()
}

fn known(known: &Known) -> Value {
    json!({ "value": known.figure.value, "error": known.figure.error, "exact": known.exact })
}

fn point(point: &Point) -> Value {
    let Point { time, probability, density } = point;
    json!({
        "t": time,
        "value": probability.value,
        "density": density.value,
        "error": probability.error,
        "density_error": density.error,
    })
}

/// A time that never comes is `null`.
fn quantile(quantile: &Quantile) -> Value {
    let time: Option<Figure> = quantile.time;
    json!({
        "probability": quantile.probability,
        "value": time.map(|time| time.value),
        "error": time.map(|time| time.error),
    })
}
