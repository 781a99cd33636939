//! The part of an object of `--json` that is the same for every random time.

use serde_json::{Map, Value, json};
use skel::passage::{Figure, Point, Quantile};

use super::{Known, RandomTime};
use crate::report::figure::entries;

/// The entries.
pub(crate) fn of_time(time: &RandomTime) -> Map<String, Value> {
    // Without the condition that it ends, its moments are infinite where it may not.
    let (moments, given) = if time.is_sure { (Some(time), None) } else { (None, Some(time)) };
    let mut object = entries(json!({
        "ends": known(&time.ends),
        "mean": moments.map(|time| known(&time.mean)),
        "variance": moments.map(|time| known(&time.variance)),
        "moments": moments.map(of_moments),
        "throughput": time.throughput.as_ref().map(known),
        "cdf": time.points.iter().map(point).collect::<Value>(),
        "quantiles": time.quantiles.iter().map(quantile).collect::<Value>(),
        "error": time.error(),
    }));
    if let Some(time) = given {
        let given = json!({
            "mean": known(&time.mean),
            "variance": known(&time.variance),
            "moments": of_moments(time),
        });
        object.insert("given_it_ends".into(), given);
    }
    object
}

fn of_moments(time: &RandomTime) -> Value {
    time.moments.iter().map(known).collect()
}

/// A figure with its error and, where it is exact, its fraction.
pub(crate) fn known(known: &Known) -> Value {
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
