//! The one object of `skel distribute --json`.

use serde_json::{Map, Value, json};

use super::answer::{Answer, Row};
use crate::report::figure::entries;

/// The whole object.
pub(super) fn object(answer: &Answer, warnings: &Value) -> Map<String, Value> {
    let first = answer.rows.first();
    let unfinished = answer.unfinished.iter().map(|(schedule, why)| {
        json!({ "schedule": schedule.to_string(), "family": schedule.family(), "why": why })
    });
    entries(json!({
        "items": answer.items,
        "machines": answer.names,
        "bound": answer.bound.to_json(),
        "best": first.map(|row| whole(answer, row)),
        "ahead": ahead(answer),
        "schedules": answer.rows.iter().map(|row| Value::Object(brief(answer, row))).collect::<Value>(),
        "unfinished": unfinished.collect::<Value>(),
        "warnings": warnings,
    }))
}

/// By how much the first schedule is ahead of the best of another family.
fn ahead(answer: &Answer) -> Value {
    let families = answer.best_of_families();
    let [(best, _), (next, _), ..] = families.as_slice() else { return Value::Null };
    let (first, second) = (best.makespan.value, next.makespan.value);
    json!({
        "of": next.schedule.to_string(),
        "seconds": second - first,
        "part": second / first - 1.0,
    })
}

fn brief(answer: &Answer, row: &Row) -> Map<String, Value> {
    entries(json!({
        "schedule": row.schedule.to_string(),
        "family": row.schedule.family(),
        "makespan": row.makespan.to_json(),
        "above_bound": answer.above_bound(row),
        "chunks": row.chunks,
        "items_given": row.items_given,
        "idle": row.idle(),
    }))
}

/// A schedule with what each machine did.
fn whole(answer: &Answer, row: &Row) -> Value {
    let machines = answer.names.iter().zip(&row.machines).map(|(name, machine)| {
        json!({
            "name": name,
            "items": machine.items,
            "chunks": machine.chunks,
            "busy": machine.busy.to_json(),
            "idle": machine.idle.to_json(),
            "lost": machine.is_lost,
        })
    });
    let mut object = brief(answer, row);
    object.insert("machines".into(), machines.collect());
    Value::Object(object)
}
