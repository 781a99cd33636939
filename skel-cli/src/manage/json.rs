//! The one object of `skel manage --json`.

use serde_json::{Map, Value, json};

use super::answer::{Answer, Watched};
use crate::arguments::ConsultArgument;
use crate::report::figure::entries;

/// The whole object. Events have the fields of the lines that a log is written as.
pub(super) fn object(answer: &Answer, warnings: &Value) -> Map<String, Value> {
    let events = answer.log.events.iter().map(|event| {
        serde_json::from_str::<Value>(&event.to_json_line()).expect("an event is written as JSON")
    });
    let (decisions, done) = answer.decisions();
    let (watched, seed) = match answer.watched {
        Watched::Simulated { seed } => ("simulated", Some(seed)),
        Watched::Recorded => ("recorded", None),
    };
    entries(json!({
        "watched": watched,
        "seed": seed,
        "seconds": answer.span().as_secs_f64(),
        "delivered": answer.delivered(),
        "contract": {
            "service_time_s": answer.contract.goal().seconds(),
            "tolerance": answer.contract.tolerated(),
        },
        "consult": match answer.consult {
            ConsultArgument::Chain => "chain",
            ConsultArgument::Formula => "formula",
        },
        "rules": answer.rules,
        "program": answer.program.skeleton().to_string(),
        "decisions": decisions,
        "done": done,
        "events": events.collect::<Value>(),
        "warnings": warnings,
    }))
}
