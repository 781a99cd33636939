//! The one object of `skel solve --json`.

use serde_json::{Map, Value, json};

use skel::space::Storage;
use skel::steady::Certified;

use super::answer::{Answer, Chain, End, Occupation, Shape, Utilisation};
use super::states::StateFigure;
use crate::report::figure::{Figure, by_name, count, entries};

/// The chain's part of the object: all that is known where there is no steady state.
pub(crate) fn of_chain(chain: &Chain) -> Map<String, Value> {
    let mut object = entries(json!({
        "states": chain.states,
        "transitions": chain.transitions,
        "storage": match chain.storage {
            Storage::Bitset => "bits",
            _ => "list",
        },
    }));
    if let Some(Shape { deadlocks, recurrent_classes, transient_states, .. }) = chain.shape {
        object.extend(entries(json!({
            "deadlocks": deadlocks,
            "recurrent_classes": recurrent_classes,
            "transient_states": transient_states,
        })));
    }
    if let Some(unlumped) = &chain.unlumped {
        let transient = chain.shape.as_ref().and_then(|shape| shape.unlumped_transient_states);
        object.insert(
            "unlumped".into(),
            json!({
                "states": count(unlumped.states),
                "transitions": count(unlumped.transitions),
                "transient_states": count(transient),
            }),
        );
    }
    object
}

/// The whole object; `warnings` is a list.
pub(crate) fn object(chain: &Chain, answer: &Answer, warnings: &Value) -> Map<String, Value> {
    let mut object = of_chain(chain);
    object.extend(entries(json!({
        "method": answer.report.method.to_string(),
        "iterations": answer.report.iterations,
        "residual": answer.report.residual,
        "defect": answer.report.defect,
        "error": answer.report.error,
        "certified": match answer.report.certified {
            Certified::Sums => "sums",
            Certified::Probabilities => "probabilities",
        },
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
    if let Some(quotient) = &chain.quotient {
        object.insert("population".into(), by_name(&answer.population));
        object.insert("lumped_states".into(), quotient.states.into());
        object["seconds"]["refine"] = quotient.refined_in.as_secs_f64().into();
    }
    if !answer.ends.is_empty() {
        object.insert("ends".into(), answer.ends.iter().map(end).collect());
    }
    if !answer.hidden.is_empty() {
        object.insert("hidden".into(), json!(answer.hidden));
    }
    if let Some(states) = &answer.states {
        object.insert("probabilities".into(), states.shown.iter().map(state).collect());
        object.insert(
            "states_left_out".into(),
            json!({ "states": states.left_out, "probability": states.rest }),
        );
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
        "local_states": of_states(one, |state| &state.utilisation),
        "population": of_states(one, |state| &state.population),
    })
}

fn of_states(one: &Utilisation, figure: impl Fn(&Occupation) -> &Figure) -> Value {
    Value::Object(
        one.local_states.iter().map(|state| (state.name.clone(), figure(state).to_json())).collect(),
    )
}

fn state(one: &StateFigure) -> Value {
    json!({
        "state": one.number,
        "local_states": one.local_states,
        "stands_for": one.stands_for.map(count),
        "probability": one.probability.to_json(),
    })
}
