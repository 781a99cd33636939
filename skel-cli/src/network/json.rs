//! The one object of `skel network --json`. Times are in microseconds.

use serde_json::{Map, Value, json};
use skel::network::Time;
use skel::network::schedule::Schedule;
use skel::network::select::{Basis, Case, Cluster, Links, Selection};

use super::answer::{Answer, Question, Stopped};
use super::between::Between;
use super::choice::{basis_word, errors, printed};
use super::models::shown;

use crate::report::figure::entries;

/// The whole object.
pub(super) fn object(answer: &Answer<'_>) -> Map<String, Value> {
    let clusters = answer.clusters;
    let all = clusters.all();
    let names: Vec<&str> = clusters.network().machines().collect();
    let latencies = (0..all.len()).map(|one| -> Value {
        (0..all.len()).map(|other| clusters.latency(one, other).map(Time::as_microseconds)).collect()
    });
    entries(json!({
        "machines": names,
        "rho": clusters.levels()[0].rho.get(),
        "clusters": all.iter().map(|one| cluster(one, &names)).collect::<Value>(),
        "latency_us": latencies.collect::<Value>(),
        "levels": clusters.levels().iter().map(|level| json!(level.machines())).collect::<Value>(),
        "root": names[answer.root],
        "models": shown(clusters).iter().map(|one| links(&one.name, one.links)).collect::<Value>(),
        "latencies_alone": answer.latencies_alone.as_ref().map(between),
        "questions": answer.questions.iter().map(|one| question(answer, one)).collect::<Value>(),
        "stopped": answer.stopped.map(|why| match why {
            Stopped::Cancelled => "cancelled",
            Stopped::Time(_) => "time",
        }),
        "warnings": [],
    }))
}

fn cluster(cluster: &Cluster, names: &[&str]) -> Value {
    let machines: Vec<&str> = cluster.machines.iter().map(|&machine| names[machine]).collect();
    let latency = cluster.latency.map(|spread| {
        json!({
            "least": spread.least.as_microseconds(),
            "mean": spread.mean.as_microseconds(),
            "most": spread.most.as_microseconds(),
        })
    });
    json!({ "name": cluster.name, "machines": machines, "latency_us": latency })
}

fn links(name: &str, links: &Links) -> Value {
    let model = |candidate: &skel::network::select::Candidate| {
        let fit = candidate.fit.as_ref().map(|fit| {
            let parameters = fit.parameters.iter().map(|parameter| {
                json!({
                    "name": parameter.name,
                    "value": parameter.value,
                    "standard_error": parameter.standard_error,
                    "unit": parameter.unit.trim(),
                })
            });
            json!({
                "runs": fit.residuals.len(),
                "median_error": fit.median_error(),
                "outliers": fit.outliers,
                "parameters": parameters.collect::<Value>(),
                "remarks": fit.remarks,
            })
        });
        json!({ "kind": candidate.model.kind().name(), "model": candidate.model.to_string(), "fit": fit })
    };
    let unfitted = links.unfitted().iter();
    let unfitted = unfitted.map(|(kind, error)| json!({ "kind": kind.name(), "why": error.to_string() }));
    json!({
        "links": name,
        "latency_us": links.latency().map(Time::as_microseconds),
        "models": links.candidates().iter().map(model).collect::<Value>(),
        "not_fitted": unfitted.collect::<Value>(),
        "remarks": links.remarks(),
    })
}

fn question(answer: &Answer<'_>, question: &Question) -> Value {
    let inside = answer.clusters.all().iter().zip(&question.inside).map(|(cluster, chosen)| match chosen {
        Ok(Some(selection)) => selected(selection, cluster),
        Ok(None) => json!({ "cluster": cluster.name, "chosen": null, "us": 0.0 }),
        Err(none) => json!({ "cluster": cluster.name, "chosen": null, "why": none.to_string() }),
    });
    let (between, why) = match &question.between {
        Some(Ok(schedules)) => (Some(between(schedules)), None),
        Some(Err(why)) => (None, Some(why.clone())),
        None => (None, None),
    };
    json!({
        "operation": question.operation.name(),
        "bytes": question.size.get(),
        "inside": inside.collect::<Value>(),
        "between": between,
        "not_scheduled": why,
    })
}

fn selected(selection: &Selection, cluster: &Cluster) -> Value {
    let cases: Vec<Value> = selection.cases.iter().map(|one| case(selection, one, cluster)).collect();
    let unpredicted = selection.unpredicted.iter();
    let unpredicted =
        unpredicted.map(|(algorithm, why)| json!({ "algorithm": algorithm.name(), "why": why }));
    let runs = match selection.basis {
        Basis::Experiments(runs) => Some(runs),
        Basis::Messages | Basis::Given => None,
    };
    json!({
        "cluster": cluster.name,
        "processes": selection.collective.processes(),
        "basis": basis_word(selection.basis),
        "runs": runs,
        "chosen": cases.first(),
        "model_errors": of_kinds(&errors(selection, cluster)),
        "algorithms": cases,
        "not_covered": selection.not_covered.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>(),
        "unpredicted": unpredicted.collect::<Value>(),
    })
}

fn case(selection: &Selection, case: &Case, cluster: &Cluster) -> Value {
    json!({
        "algorithm": case.predicted.algorithm.name(),
        "segment": case.predicted.segment.map(skel::network::Bytes::get),
        "model": case.model.name(),
        "us": case.predicted.time.as_microseconds(),
        "as_printed_us": printed(selection, case, cluster).map(Time::as_microseconds),
        "later_by": selection.loss(case),
        "errors": of_kinds(&case.errors),
        "margin": case.margin(),
        "runs": case.runs,
    })
}

fn of_kinds(errors: &[(skel::network::Kind, f64)]) -> Value {
    Value::Object(errors.iter().map(|(kind, error)| (kind.name().to_owned(), json!(error))).collect())
}

fn between(between: &Between) -> Value {
    let schedules =
        between.schedules.iter().map(|(name, schedule)| self::schedule(name, schedule, &between.names));
    json!({
        "chosen": between.best().0,
        "schedules": schedules.collect::<Value>(),
        "not_searched": between.unsearched,
        "grid_unaware_us": between.grid_unaware.map(Time::as_microseconds),
    })
}

fn schedule(name: &str, schedule: &Schedule, names: &[String]) -> Value {
    let transfers = schedule.transfers.iter().map(|transfer| {
        json!({
            "from": names[transfer.from],
            "to": names[transfer.to],
            "start_us": transfer.start.as_microseconds(),
            "sender_free_us": transfer.sender_free.as_microseconds(),
            "arrival_us": transfer.arrival.as_microseconds(),
        })
    });
    json!({
        "name": name,
        "last_arrival_us": schedule.last_arrival.as_microseconds(),
        "completion_us": schedule.completion.as_microseconds(),
        "transfers": transfers.collect::<Value>(),
    })
}
