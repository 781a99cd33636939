//! The one object of `skel passage --json`.

use serde_json::{Map, Value, json};

use super::answer::Answer;
use crate::random_time::json::of_time;
use crate::report::figure::entries;
use crate::solve::json::of_chain;

/// The whole object; `warnings` is a list.
pub(super) fn object(answer: &Answer, warnings: &Value) -> Map<String, Value> {
    let mut object = of_chain(&answer.chain);
    object.extend(entries(json!({
        "from": answer.from,
        "to": answer.to,
        "way": answer.way.word(),
        "definition": answer.way.to_string(),
        "states_before_the_end": answer.states,
    })));
    object.extend(of_time(&answer.time));
    object.extend(entries(json!({
        "seconds": { "explore": answer.chain.explored_in.as_secs_f64(), "solve": answer.solved_in },
        "warnings": warnings,
    })));
    object
}
