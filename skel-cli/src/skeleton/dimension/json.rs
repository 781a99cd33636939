//! The one object of `skel skeleton --target --json`.

use serde_json::{Map, Value, json};
use skel::dimension::{
    Alternative, Asked, Configuration, Dimension, Known, Longer, Needs, Proof, Times, Variation, Verdict,
};

use crate::report::figure::entries;

/// The whole object; `warnings` is a list.
pub(super) fn object(answer: &Dimension, unit: &str, warnings: &Value) -> Map<String, Value> {
    let (asked, target) = match answer.asked {
        Asked::Throughput(target) => ("throughput", target),
        Asked::ResponseTime(target) => ("response_time", target),
        Asked::ResponseTimeOf { time, .. } => ("response_time_of_part", time),
    };
    let part = if let Asked::ResponseTimeOf { part, .. } = answer.asked { Some(part) } else { None };
    let best = answer.best.as_ref();
    let places = answer.places.iter().enumerate().map(|(number, place)| {
        json!({
            "name": place.name,
            "path": place.path,
            "kind": place.kind,
            "now": place.now,
            "replicas": best.map(|best| best.replicas[number]),
        })
    });
    let mut object = entries(json!({
        "asked": asked,
        "target": target,
        "unit_of_time": unit,
        "at_most": answer.at_most.0,
        "places": places.collect::<Value>(),
        "best": best.map(configuration),
        "equally_cheap": answer.ties.iter().map(alternative).collect::<Value>(),
        "next_cheaper": answer.next_cheaper.as_ref().map(configuration),
        "closest": answer.closest.as_ref().map(configuration),
        "variation": answer.robustness.variation.iter().map(variation).collect::<Value>(),
        "ten_percent_longer": answer.robustness.longer.iter().map(longer).collect::<Value>(),
        "chains_solved": answer.solved,
        "chains_of_neighbours_solved": answer.windows,
        "assumptions": answer.assumptions,
        "warnings": warnings,
    }));
    if let Some(part) = part {
        object.insert("part".into(), part.into());
    }
    object.extend(verdict(&answer.verdict));
    object
}

fn verdict(verdict: &Verdict) -> Map<String, Value> {
    entries(match verdict {
        Verdict::Cheapest(proof) => {
            let proof = match proof {
                Proof::Bounds => "bounds",
                Proof::Exhaustion => "exhaustion",
            };
            json!({ "verdict": "cheapest", "proof": proof })
        }
        Verdict::BestFound { least_cost, why } => {
            json!({ "verdict": "best_found", "least_cost": least_cost, "why": why.to_string() })
        }
        Verdict::Unreachable(obstacle) => json!({
            "verdict": "unreachable", "bound": obstacle.bound, "stage": obstacle.stage, "why": obstacle.reason,
        }),
        Verdict::NothingFound { least_cost, why } => {
            json!({ "verdict": "nothing_found", "least_cost": least_cost, "why": why.to_string() })
        }
    })
}

fn configuration(one: &Configuration) -> Value {
    let mut object = json!({
        "replicas": one.replicas,
        "cost": one.cost,
        "throughput": one.throughput,
        "response_time": one.response_time,
    });
    if let Some(quantile) = one.quantile {
        object["response_time_of_part"] = quantile.into();
    }
    object
}

fn alternative(one: &Alternative) -> Value {
    json!({ "replicas": one.replicas, "cost": one.cost, "figure": known(&one.figure) })
}

fn known(figure: &Known) -> Value {
    match figure {
        Known::Solved(value) => json!({ "value": value }),
        Known::Bound(bound) => json!({ "bound": bound }),
        Known::NotSolved(bound, why) => json!({ "bound": bound, "not_solved": why }),
    }
}

fn variation(row: &Variation) -> Value {
    let times = match row.times {
        Times::Constant => "constant".to_owned(),
        Times::Erlang(phases) => format!("erlang_{phases}"),
        Times::Exponential => "exponential".to_owned(),
        _ => "as_written".to_owned(),
    };
    json!({ "times": times, "needs": needs(&row.needs) })
}

fn longer(row: &Longer) -> Value {
    json!({ "name": row.name, "figure": known(&row.figure), "needs": row.needs.as_ref().map(needs) })
}

fn needs(needs: &Needs) -> Value {
    match needs {
        Needs::Configuration(found, is_proved) => {
            let mut object = entries(configuration(found));
            object.insert("is_proved".into(), (*is_proved).into());
            Value::Object(object)
        }
        Needs::Closed { replicas, cost, throughput } => {
            json!({ "replicas": replicas, "cost": cost, "throughput": throughput, "is_proved": true })
        }
        Needs::Between(least, most) => json!({ "least_cost": least, "most_cost": most }),
        Needs::Nothing => json!({ "least_cost": null }),
        Needs::NotKnown(why) => json!({ "not_known": why }),
    }
}
