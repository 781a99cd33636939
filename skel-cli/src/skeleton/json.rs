//! The one object of `skel skeleton --solve --json`: that of `skel solve --json`, with what is asked of a
//! skeleton.

use serde_json::{Map, Value, json};
use skel::Error;
use skel::number::Number;
use skel::performance::Gain;

use super::answer::{BufferFigures, Gains, Shares, Solved, StageFigures, TaskFigures};
use super::text::obstacle;
use crate::report::figure::entries;
use crate::solve::json as solve;

/// The whole object; `warnings` is a list.
pub(super) fn object(solved: &Solved, gains: Option<&Gains>, warnings: &Value) -> Map<String, Value> {
    let mut object = solve::object(&solved.chain, &solved.answer, warnings);
    let tasks = solved.tasks.iter().enumerate().map(|(number, one)| task(number, one));
    let stages = solved.stages.iter().enumerate().map(|(number, one)| stage(number, one));
    object.extend(entries(json!({
        "assumptions": solved.assumptions,
        "throughput_of_the_whole": solved.throughput.to_json(),
        "items_inside": solved.items_inside.to_json(),
        "response_time": solved.response_time.to_json(),
        "buffers": solved.buffers.iter().map(buffer).collect::<Value>(),
        "bottleneck": task(solved.bottleneck, solved.bottleneck()),
        "stages": stages.collect::<Value>(),
        "tasks": tasks.collect::<Value>(),
    })));
    if let Some(gains) = gains {
        object.insert("gains".into(), gains.iter().map(gain).collect());
    }
    object
}

fn stage(number: usize, one: &StageFigures) -> Value {
    let stage = json!({
        "stage": number,
        "name": one.name,
        "throughput": one.throughput.to_json(),
    });
    with_shares(stage, &one.shares)
}

/// An object with the parts of the time; those for which workers wait for each other only where there are
/// such workers.
fn with_shares(mut object: Value, shares: &Shares) -> Value {
    let three = [("busy", &shares.busy), ("starved", &shares.starved), ("blocked", &shares.blocked)];
    for (name, share) in three.into_iter().chain(shares.waiting.iter().map(|share| ("waiting", share))) {
        object[name] = share.to_json();
    }
    object
}

fn task(number: usize, one: &TaskFigures) -> Value {
    let task = json!({
        "task": number,
        "name": one.name,
        "stage": one.stage,
        "rate": one.rate.to_float(),
        "throughput": one.throughput.to_json(),
    });
    with_shares(task, &one.shares)
}

fn buffer(one: &BufferFigures) -> Value {
    json!({
        "senders": one.senders,
        "receivers": one.receivers,
        "capacity": one.capacity,
        "items": one.items.to_json(),
    })
}

/// One more replica; `null` where a kind was not tried or a solution has no answer, and then why not.
fn gain(one: &Gain) -> Value {
    let figure =
        |tried: &Option<Result<f64, Error>>| tried.as_ref().and_then(|figure| figure.as_ref().ok().copied());
    let why_not = [("deal", &one.as_deal), ("farm", &one.as_farm)].into_iter();
    let why_not = why_not.filter_map(|(kind, tried)| {
        let error = tried.as_ref()?.as_ref().err()?;
        Some(json!({ "kind": kind, "code": obstacle(error).1, "message": error.to_string() }))
    });
    json!({
        "place": one.path,
        "name": one.name,
        "throughput": one.now,
        "as_deal": figure(&one.as_deal),
        "as_farm": figure(&one.as_farm),
        "best_gain": one.best(),
        "errors": why_not.collect::<Value>(),
    })
}
