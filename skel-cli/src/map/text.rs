//! What `skel map` prints: a report with the mappings and why the best one is the best, or the mappings as
//! comma-separated values.

use std::fmt::Write as _;

use skel::limits::Limit;
use skel::plan::{Mapping, Resource, SearchResult};

use super::answer::{Answer, Explained};
use crate::report::table::{decimal, lines, table};
use crate::report::words::counted;

/// The whole report.
pub(super) fn report(answer: &Answer<'_>, name: &str) -> String {
    let noun = if answer.names.are_stages() { "stage" } else { "task" };
    let (tasks, processors) = (counted(answer.tasks, noun), counted(answer.processors, "processor"));
    let mappings = match answer.mappings {
        Some(mappings) => counted(mappings, "mapping"),
        None => "more mappings than can be counted".into(),
    };
    let mut text = format!("{name}: {mappings} of {tasks} to {processors}\n");
    if !answer.names.are_stages() {
        let _ = writeln!(text, "tasks: {}", answer.names.legend());
    }
    text += &times(answer);
    if let Some(found) = &answer.found {
        text += &searched(found);
    }
    let mut shown = table(&["mapping", "items per second"], &[1]);
    for ranked in &answer.shown {
        shown.add_row([answer.names.mapping(&ranked.mapping), decimal(ranked.throughput.value())]);
    }
    let _ = write!(text, "\n{}\n{}", lines(&shown), verdict(answer));
    if let Some(why) = &answer.unexplained {
        let _ = writeln!(text, "not explained further: {why}");
    }
    text + &uses(&answer.explained)
}

/// The times that are not exponential, a line for each.
fn times(answer: &Answer<'_>) -> String {
    const MOST: usize = 12;
    let times = answer.names.times();
    if times.is_empty() {
        return String::new();
    }
    let mut text = String::from("times on a processor of power 1, where they are not exponential:\n");
    for (tasks, time) in times.iter().take(MOST) {
        let _ = writeln!(text, "  {tasks}: {}", time.in_words());
    }
    if times.len() > MOST {
        let _ = writeln!(text, "  and {} more", times.len() - MOST);
    }
    text
}

fn searched(found: &SearchResult) -> String {
    let until = match found.stopped {
        None => "",
        Some(Limit::Cancelled) => " when it was cancelled",
        Some(_) => " when the time was over",
    };
    let solved = format!("searched: {} solved{until}", counted(found.solved, "mapping"));
    if found.is_proved {
        return format!("{solved}; no other mapping is among the best\n");
    }
    let (bound, gap) = (decimal(found.bound.value()), percent(found.gap()));
    format!(
        "{solved}; not proved: no mapping is above {bound} items per second, {gap} more than the best found\n"
    )
}

/// The best mapping, how far it is ahead of the runner-up, its bottleneck and what to buy first.
fn verdict(answer: &Answer<'_>) -> String {
    let Some(best) = answer.shown.first() else { return String::new() };
    let ties = match answer.ties {
        1 => String::new(),
        ties => format!(", as good as {}", counted(ties - 1, "other")),
    };
    let mut text = format!(
        "best: {}, {} items per second{ties}\n",
        answer.names.mapping(&best.mapping),
        decimal(best.throughput.value())
    );
    let Some(best) = answer.explained.first() else { return text };
    if let Some(next) = answer.explained.get(1) {
        let ahead = best.ranked.throughput.value() / next.ranked.throughput.value() - 1.0;
        let _ = writeln!(
            text,
            "runner-up: {}, which the best is ahead of by {}",
            answer.names.mapping(&next.ranked.mapping),
            percent(ahead)
        );
    }
    let (resource, what, busy) = &best.bottleneck;
    let _ = writeln!(text, "bottleneck: {resource}, busy with {what} for {} of the time", percent(*busy));
    if let Some(first) = best.uses.first() {
        let (brings, resource) = (first.elasticity, first.resource);
        let _ = match first.of_latency {
            None => {
                writeln!(text, "to buy first: {resource}; 1 % more of it brings {brings:.3} % more items")
            }
            Some(of_latency) => writeln!(
                text,
                "to buy first: {resource}; a link that is 1 % faster brings {brings:.3} % more items, \
                 {of_latency:.3} % by less latency and {:.3} % by more bandwidth",
                brings - of_latency
            ),
        };
    }
    text
}

/// How busy each processor and link is under the best mapping and under the runner-up, and what one percent
/// more of it brings.
fn uses(explained: &[Explained]) -> String {
    if explained.is_empty() {
        return String::new();
    }
    let mut resources: Vec<Resource> =
        explained.iter().flat_map(|one| one.uses.iter().map(|used| used.resource)).collect();
    resources.sort_unstable();
    resources.dedup();
    let headings = ["", "best: busy", "1 % more brings", "runner-up: busy", "1 % more brings"];
    let columns = 2 * explained.len();
    let mut busy = table(&headings[..=columns], &[1, 2, 3, 4][..columns]);
    for resource in resources {
        let cells = explained.iter().flat_map(|one| {
            let used = one.uses.iter().find(|used| used.resource == resource);
            let cell = |value: Option<String>| value.unwrap_or_default();
            let brings = used.map(|used| format!("{:.3} %", used.elasticity));
            [cell(used.map(|used| percent(used.utilisation))), cell(brings)]
        });
        busy.add_row(std::iter::once(resource.to_string()).chain(cells));
    }
    format!("\n{}", lines(&busy))
}

fn percent(part: f64) -> String {
    format!("{:.2} %", 100.0 * part)
}

/// `input,stages,output,throughput`, the stages with blanks between.
pub(super) fn csv(answer: &Answer<'_>) -> String {
    let mut text = String::from("input,stages,output,throughput\n");
    for ranked in &answer.shown {
        let (mapping, throughput) = (&ranked.mapping, ranked.throughput.value());
        let _ = writeln!(text, "{},{},{},{throughput}", mapping.input(), stages(mapping), mapping.output());
    }
    text
}

fn stages(mapping: &Mapping) -> String {
    mapping.processors().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
