//! The one object of `skel network measure --json`.

use std::path::Path;

use serde_json::{Map, Value, json};
use skel::network::Measured;
use skel::network::file::word_of;
use skel::network::measure::Series;

use super::links::Link;
use crate::report::figure::entries;

/// The whole object.
pub(super) fn object(
    machines: &[String],
    links: &[Link],
    file: Option<&Path>,
    date: &str,
) -> Map<String, Value> {
    entries(json!({
        "machines": machines,
        "links": links.iter().map(link).collect::<Value>(),
        "file": file.map(|file| file.display().to_string()),
        "date": date,
        "warnings": [],
    }))
}

fn link(link: &Link) -> Value {
    json!({
        "from": link.from,
        "to": link.to,
        "series": link.series.iter().map(series).collect::<Value>(),
    })
}

fn series(one: &Series) -> Value {
    let messages = match one.measured {
        Measured::Burst { messages } => Some(messages),
        _ => None,
    };
    json!({
        "what": word_of(one.measured),
        "messages": messages,
        "bytes": one.size.get(),
        "us": one.median.as_microseconds(),
        "spread": one.deviation.as_microseconds(),
        "repetitions": one.repetitions,
    })
}
