//! The one object of `skel response --json`.

use serde_json::{Map, Value, json};

use super::answer::Answer;
use crate::random_time::json::{known, of_time};
use crate::report::figure::entries;

/// The whole object; `warnings` is a list.
pub(super) fn object(answer: &Answer, warnings: &Value) -> Map<String, Value> {
    let mut object = entries(json!({
        "states": answer.states,
        "states_with_item": answer.states_with_item,
        "path": answer.path,
    }));
    object.extend(of_time(&answer.time));
    object.extend(entries(json!({
        "items_inside": answer.inside.as_ref().map(known),
        "assumptions": answer.assumptions,
        "seconds": { "solve": answer.solved_in },
        "warnings": warnings,
    })));
    object
}
