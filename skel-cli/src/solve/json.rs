//! The one object of `skel solve --json`.

use serde_json::{Map, Value, json};

use super::answer::{Answer, Chain, End, Figure, Figures, Utilisation};
use crate::load::Loaded;

/// The chain's part of the object: all that is known where there is no steady state.
pub(super) fn of_chain(chain: &Chain) -> Map<String, Value> {
    entries(json!({
        "states": chain.states,
        "transitions": chain.transitions,
        "deadlocks": chain.deadlocks,
        "recurrent_classes": chain.recurrent_classes,
        "transient_states": chain.transient_states,
    }))
}

/// The whole object.
pub(super) fn object(chain: &Chain, answer: &Answer, loaded: &Loaded) -> Map<String, Value> {
    let warnings = loaded.warnings.iter().map(|warning| warning.to_json(Some(&loaded.source)));
    let mut object = of_chain(chain);
    object.extend(entries(json!({
        "method": answer.report.method,
        "iterations": answer.report.iterations,
        "residual": answer.report.residual,
        "handed_over": answer.report.handed_over,
        "seconds": {
            "explore": chain.explored_in.as_secs_f64(),
            "solve": answer.report.solved_in.as_secs_f64(),
        },
        "throughput": figures(&answer.throughput),
        "results": figures(&answer.results),
        "utilisation": answer.utilisation.iter().map(utilisation).collect::<Value>(),
        "warnings": warnings.collect::<Value>(),
    })));
    if !answer.ends.is_empty() {
        object.insert("ends".into(), answer.ends.iter().map(end).collect());
    }
    object
}

fn end(one: &End) -> Value {
    json!({
        "states": one.states,
        "first_state": one.first,
        "path": one.path,
        "probability": figure(&one.probability),
    })
}

fn utilisation(one: &Utilisation) -> Value {
    json!({
        "component": one.component,
        "copies": one.positions.len(),
        "positions": one.positions,
        "local_states": figures(&one.local_states),
    })
}

fn figures(figures: &Figures) -> Value {
    Value::Object(figures.iter().map(|(name, one)| (name.clone(), figure(one))).collect())
}

fn figure(figure: &Figure) -> Value {
    json!({ "value": figure.value, "exact": figure.exact })
}

fn entries(object: Value) -> Map<String, Value> {
    if let Value::Object(entries) = object { entries } else { Map::new() }
}
