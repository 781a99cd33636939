//! The one object of `skel fit --json`.

use serde_json::{Map, Value, json};
use skel::fit::runs::{Interval, Point, Rule};
use skel::fit::{Function, Quality, TwoSteps};

use crate::fit::answer::{Answer, Parts};
use crate::fit::model::{Estimate, Fit, Model};
use crate::fit::questions::compare::Compared;
use crate::fit::questions::overtake::{Overtaking, Pair};
use crate::fit::questions::place::Place;
use crate::fit::questions::shares::Shared;
use crate::report::figure::entries;

/// The whole object.
pub(crate) fn object(answer: &Answer<'_>) -> Map<String, Value> {
    let predicted = answer.predicted.iter().map(|one| {
        let mut object = estimated(answer, one.subject, &one.estimate);
        object.insert("at".into(), place(&one.place));
        Value::Object(object)
    });
    entries(json!({
        "runs": answer.timed.map(|(_, runs)| runs),
        "probability": answer.probability,
        "models": answer.models.iter().map(|one| model(one, answer.probability)).collect::<Value>(),
        "predictions": predicted.collect::<Value>(),
        "programs": answer.programs.iter().map(|parts| program(answer, parts)).collect::<Value>(),
        "comparison": answer.compared.iter().map(|one| compared(answer, one)).collect::<Value>(),
        "crossovers": answer.overtaking.as_ref().map(|found| crossovers(found, answer.models)),
        "shares": answer.shares.iter().map(shared).collect::<Value>(),
        "warnings": [],
    }))
}

fn ends(interval: Option<&Interval>) -> Value {
    interval.map_or(Value::Null, |interval| json!([interval.low, interval.high]))
}

fn place(place: &Place) -> Value {
    Value::Object(place.0.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
}

/// The terms of a function with their coefficients.
fn terms(function: &Function<2>) -> Value {
    let term = |(powers, coefficient): ([skel::fit::Power; 2], f64)| json!({ "n": powers[0].of("n"), "p": powers[1].of("p"), "coefficient": coefficient });
    function.terms().map(term).collect()
}

fn model(model: &Model, probability: f64) -> Value {
    let errors = model.linear().and_then(|linear| {
        let errors = linear.standard_errors()?;
        let terms = linear.coefficients().zip(errors);
        Some(terms.map(|(([n, p], coefficient), error)| json!({ "n": n.of("n"), "p": p.of("p"), "coefficient": coefficient, "standard_error": error })).collect::<Value>())
    });
    let mut object = entries(json!({
        "name": model.name,
        "segment": model.segment,
        "machine": model.machine,
        "kind": kind(&model.fit),
        "formula": model.function().to_string(),
        "terms": terms(model.function()),
        "quality": model.quality().map(quality),
        "standard_errors": errors,
        "points": model.points.iter().map(|one| point(model, one, probability)).collect::<Value>(),
    }));
    match &model.fit {
        Fit::Searched(found) => {
            object.insert("left_out_error".into(), json!(found.left_out_error));
            let others = found
                .others
                .iter()
                .map(|(function, error)| json!({ "formula": function.to_string(), "left_out_error": error }));
            object.insert("next_best".into(), others.collect());
        }
        Fit::TwoSteps(steps) => {
            object.insert("two_steps".into(), two_steps(steps));
        }
        _ => {}
    }
    Value::Object(object)
}

fn kind(fit: &Fit) -> &'static str {
    match fit {
        Fit::Formula(_) => "formula",
        Fit::Searched(_) => "normal form",
        Fit::Linear(_) => "given terms",
        Fit::TwoSteps(_) => "two steps",
    }
}

fn quality(quality: &Quality) -> Value {
    json!({
        "r_squared": quality.r_squared,
        "smape": quality.smape,
        "degrees_of_freedom": quality.degrees_of_freedom,
    })
}

fn point(model: &Model, point: &Point, probability: f64) -> Value {
    let fitted = model.function().at_point([point.n, f64::from(point.p)]);
    let rejected = point
        .rejected
        .iter()
        .map(|run| json!({ "run": run.run, "seconds": run.seconds, "score": run.score }));
    let rule = match point.rule {
        Rule::MedianDeviation => json!("median absolute deviation"),
        Rule::MeanDeviation => json!("mean absolute deviation"),
        Rule::None => Value::Null,
    };
    json!({
        "n": point.n,
        "p": point.p,
        "runs": point.kept.len(),
        "mean": point.mean,
        "interval": ends(point.interval_of(probability).as_ref()),
        "rejected": rejected.collect::<Value>(),
        "rule": rule,
        "fitted": fitted,
        "residual": point.mean - fitted,
    })
}

fn two_steps(steps: &TwoSteps) -> Value {
    let first = steps.first.iter().map(|step| {
        let coefficients: Vec<f64> = step.model.coefficients().map(|(_, value)| value).collect();
        json!({ "p": step.p, "coefficients": coefficients, "quality": quality(&step.model.quality) })
    });
    let second = steps.second.iter().map(|step| {
        json!({ "term": step.term.of("n"), "constant": step.constant, "per_inverse_p": step.per_inverse_p, "quality": quality(&step.quality) })
    });
    json!({ "first": first.collect::<Value>(), "second": second.collect::<Value>(), "is_joint": steps.is_joint })
}

fn estimated(answer: &Answer<'_>, subject: usize, estimate: &Estimate) -> Map<String, Value> {
    let cautions: Vec<&str> = estimate.cautions.iter().map(|caution| caution.text.as_str()).collect();
    entries(json!({
        "name": answer.subjects[subject].name(),
        "seconds": estimate.seconds,
        "interval": ends(estimate.interval.as_ref()),
        "cautions": cautions,
    }))
}

fn program(answer: &Answer<'_>, parts: &Parts) -> Value {
    let each = parts.times.parts.iter().map(|part| {
        json!({
            "kind": part.kind.word(), "name": part.name, "once": part.once, "times": part.times, "is_decisive": part.is_decisive,
        })
    });
    json!({
        "name": answer.subjects[parts.subject].name(),
        "at": place(&parts.place),
        "seconds": parts.times.seconds,
        "parts": each.collect::<Value>(),
    })
}

fn compared(answer: &Answer<'_>, one: &Compared) -> Value {
    let mut object = estimated(answer, one.subject, &one.estimate);
    object.extend(entries(json!({
        "n": one.n,
        "p": one.p,
        "runs": one.runs,
        "measured": one.measured,
        "measured_interval": ends(one.interval.as_ref()),
        "error_percent": one.error_percent(),
    })));
    Value::Object(object)
}

fn crossovers(found: &Overtaking, models: &[Model]) -> Value {
    let name = |at: usize| models[at].name.as_str();
    let pair = |pair: &Pair| {
        let met = pair.crossings.iter().map(|met| {
            json!({ "n": met.n, "kind": met.kind.to_string(), "seconds": met.seconds, "is_extrapolated": met.is_extrapolated })
        });
        json!({ "models": pair.models.map(name), "are_identical": pair.are_identical, "crossovers": met.collect::<Value>() })
    };
    let cheapest = found
        .cheapest
        .iter()
        .map(|part| json!({ "from": part.from, "to": part.to, "model": name(part.function) }));
    let negative = found
        .negative
        .iter()
        .map(|part| json!({ "from": part.from, "to": part.to, "model": name(part.model) }));
    json!({
        "from": found.range.from,
        "to": found.range.to,
        "pairs": found.pairs.iter().map(pair).collect::<Value>(),
        "cheapest": cheapest.collect::<Value>(),
        "negative": negative.collect::<Value>(),
    })
}

fn shared(one: &Shared) -> Value {
    let types = one.types.iter().map(|of| {
        json!({
            "name": of.name,
            "machines": of.count,
            "seconds": of.seconds,
            "relative_performance": of.performance,
            "items": of.items,
        })
    });
    json!({
        "segment": one.segment,
        "n": one.n,
        "machines": one.machines,
        "types": types.collect::<Value>(),
        "ends": one.end,
        "ends_by_shares_of_first": one.end_if_fixed,
        "ends_by_equal_shares": one.end_if_equal,
        "cautions": one.cautions,
    })
}
