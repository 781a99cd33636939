//! The one object of `skel map --json`.

use serde_json::{Map, Value, json};
use skel::limits::Limit;
use skel::number::Number;
use skel::plan::{Ranked, Resource, SearchResult};
use skel::time::ServiceTime;

use super::answer::{Answer, Explained};
use crate::arguments::FormulaArgument;
use crate::report::figure::{count, entries};

/// The whole object.
pub(super) fn object(answer: &Answer<'_>, formula: FormulaArgument) -> Map<String, Value> {
    let formula = match formula {
        FormulaArgument::Divided => "divided",
        FormulaArgument::Printed => "printed",
    };
    let best = answer.shown.first().map(mapping);
    entries(json!({
        "mappings": answer.shown.iter().map(mapping).collect::<Value>(),
        "best": best,
        "ties": answer.ties,
        "compared": count(answer.mappings),
        "rates": formula,
        "times": times(answer),
        "search": answer.found.as_ref().map(search),
        "why": answer.explained.iter().map(why).collect::<Value>(),
        "unexplained": answer.unexplained,
        "warnings": [],
    }))
}

/// The tasks of a skeleton have the key `stages`, and its input and output are at the places of the first and
/// the last task.
fn mapping(ranked: &Ranked) -> Value {
    let numbers = ranked.mapping.processors().iter().map(|id| id.number());
    json!({
        "input": ranked.mapping.input().number(),
        "stages": numbers.collect::<Value>(),
        "output": ranked.mapping.output().number(),
        "throughput": ranked.throughput.value(),
    })
}

/// The times that are not exponential, each with its tasks.
fn times(answer: &Answer<'_>) -> Value {
    let time = |(tasks, time): (String, &ServiceTime)| {
        json!({
            "tasks": tasks,
            "time": time.to_string(),
            "mean": time.mean().to_float(),
            "scv": time.scv().to_float(),
        })
    };
    answer.names.times().into_iter().map(time).collect()
}

fn search(found: &SearchResult) -> Value {
    let stopped = found.stopped.as_ref().map(|limit| match limit {
        Limit::Cancelled => "cancelled",
        _ => "time",
    });
    json!({
        "solved": found.solved,
        "proved": found.is_proved,
        "bound": found.bound.value(),
        "gap": found.gap(),
        "stopped": stopped,
    })
}

/// What is busy in one mapping.
fn why(one: &Explained) -> Value {
    let uses = one.uses.iter().map(|used| {
        let figures = [
            ("utilisation", used.utilisation),
            ("derivative", used.derivative),
            ("elasticity", used.elasticity),
        ];
        let of_latency = used.of_latency.map(|part| ("of_latency", part));
        figures
            .into_iter()
            .chain(of_latency)
            .fold(resource(used.resource), |object, (key, value)| with(object, key, json!(value)))
    });
    let (busiest, what, busy) = &one.bottleneck;
    let bottleneck = with(resource(*busiest), "busy", json!(busy));
    json!({
        "mapping": mapping(&one.ranked),
        "bottleneck": with(bottleneck, "with", json!(what)),
        "resources": uses.collect::<Value>(),
    })
}

/// `{ "processor": 1 }` or `{ "from": 1, "to": 2 }`
fn resource(resource: Resource) -> Value {
    match resource {
        Resource::Processor(id) => json!({ "processor": id.number() }),
        Resource::Link(from, to) => json!({ "from": from.number(), "to": to.number() }),
        other => json!({ "resource": other.to_string() }),
    }
}

fn with(object: Value, key: &str, value: Value) -> Value {
    let mut entries = entries(object);
    entries.insert(key.into(), value);
    Value::Object(entries)
}
