//! The one object of `skel solve --json`.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use skel::space::Storage;
use skel::steady::Certified;

use super::answer::{Answer, Chain, End, Shape, Utilisation};
use super::states::StateFigure;
use crate::report::figure::{Figure, by_name, count, entries};
use crate::report::object;

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
    let mut object = before_utilisation(chain, answer);
    object.insert("utilisation".into(), answer.utilisation.iter().map(utilisation).collect());
    object.extend(behind_utilisation(chain, answer, warnings));
    object
}

/// Writes the whole object, without a tree of its figures.
pub(super) fn write(
    out: &mut impl Write,
    chain: &Chain,
    answer: &Answer,
    warnings: &Value,
) -> io::Result<()> {
    object::write(out, |entries| {
        entries.values(&before_utilisation(chain, answer))?;
        entries.objects("utilisation", &answer.utilisation, |entries, one| {
            entries.values(&copies(one))?;
            entries.figures("local_states", utilisations(one))?;
            entries.figures("population", populations(one))
        })?;
        entries.values(&behind_utilisation(chain, answer, warnings))
    })
}

fn before_utilisation(chain: &Chain, answer: &Answer) -> Map<String, Value> {
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
    })));
    if let Some(quotient) = &chain.quotient {
        object["seconds"]["refine"] = quotient.refined_in.as_secs_f64().into();
    }
    object
}

fn behind_utilisation(chain: &Chain, answer: &Answer, warnings: &Value) -> Map<String, Value> {
    let mut object = entries(json!({ "warnings": warnings }));
    if let Some(quotient) = &chain.quotient {
        object.insert("population".into(), by_name(&answer.population));
        object.insert("lumped_states".into(), quotient.states.into());
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
    let mut object = copies(one);
    object.insert("local_states".into(), of_states(utilisations(one)));
    object.insert("population".into(), of_states(populations(one)));
    Value::Object(object)
}

fn copies(one: &Utilisation) -> Map<String, Value> {
    entries(json!({
        "component": one.component,
        "copies": one.positions.len(),
        "positions": one.positions,
    }))
}

fn utilisations(one: &Utilisation) -> impl Iterator<Item = (&str, &Figure)> {
    one.local_states.iter().map(|state| (state.name.as_str(), &state.utilisation))
}

fn populations(one: &Utilisation) -> impl Iterator<Item = (&str, &Figure)> {
    one.local_states.iter().map(|state| (state.name.as_str(), &state.population))
}

fn of_states<'f>(figures: impl Iterator<Item = (&'f str, &'f Figure)>) -> Value {
    Value::Object(figures.map(|(name, figure)| (name.to_owned(), figure.to_json())).collect())
}

fn state(one: &StateFigure) -> Value {
    json!({
        "state": one.number,
        "local_states": one.local_states,
        "stands_for": one.stands_for.map(count),
        "probability": one.probability.to_json(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use skel::Explore;
    use skel::model::Model;

    use super::{object, write};
    use crate::solve::answer::{Answer, Chain};

    #[test]
    fn what_is_written_is_the_object() {
        for text in
            ["P = (a, 1).Q; Q = (b, 3).P; P[3] || Q/{b}", "P = (a, 1).Q; Q = (b, 2).P; P; x = 2 * {P};"]
        {
            let model = Model::from_text(text).unwrap();
            let solution = model.explore().unwrap().steady_state().unwrap();
            let chain = Chain::of(solution.space(), solution.classification());
            let (answer, warnings) = (Answer::of(&solution).unwrap(), json!([{ "code": "unused_rate" }]));
            let mut written = Vec::new();
            write(&mut written, &chain, &answer, &warnings).unwrap();
            let object = Value::Object(object(&chain, &answer, &warnings));
            assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string_pretty(&object).unwrap());
        }
    }
}
