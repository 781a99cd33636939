//! The one object of `skel solve --json`.

use serde_json::{Map, Value, json};

use super::answer::{Answer, Chain, End, Utilisation};
use crate::figure::{by_name, entries};

/// The chain's part of the object: all that is known where there is no steady state.
pub(crate) fn of_chain(chain: &Chain) -> Map<String, Value> {
    entries(json!({
        "states": chain.states,
        "transitions": chain.transitions,
        "deadlocks": chain.deadlocks,
        "recurrent_classes": chain.recurrent_classes,
        "transient_states": chain.transient_states,
    }))
}

/// The whole object; `warnings` is a list.
pub(crate) fn object(chain: &Chain, answer: &Answer, warnings: &Value) -> Map<String, Value> {
    let mut object = of_chain(chain);
    object.extend(entries(json!({
        "method": answer.report.method,
        "iterations": answer.report.iterations,
        "residual": answer.report.residual,
        "defect": answer.report.defect,
        "error": answer.report.error,
        "clipped": answer.report.clipped,
        "handed_over": answer.report.handed_over,
        "seconds": {
            "explore": chain.explored_in.as_secs_f64(),
            "solve": answer.report.solved_in.as_secs_f64(),
        },
        "throughput": by_name(&answer.throughput),
        "results": by_name(&answer.results),
        "utilisation": answer.utilisation.iter().map(utilisation).collect::<Value>(),
        "warnings": warnings,
    })));
    if let Some(lumped) = &chain.lumped {
        object.insert("population".into(), by_name(&answer.population));
        object.insert("lumped_states".into(), lumped.states.into());
        object["seconds"]["refine"] = lumped.refined_in.as_secs_f64().into();
    }
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
        "probability": one.probability.to_json(),
    })
}

fn utilisation(one: &Utilisation) -> Value {
    json!({
        "component": one.component,
        "copies": one.positions.len(),
        "positions": one.positions,
        "local_states": by_name(&one.local_states),
    })
}
