//! What `skel solve` prints for people: two lines on the chain and its solution, then tables.

use std::collections::BTreeMap;
use std::time::Duration;

use skel::space::Storage;
use skel::steady::Report;

use super::answer::{Answer, Chain, End, Utilisation};
use crate::report::figure::{add_row, aligned, headings, list};
use crate::report::table::{lines, printable, table};
use crate::report::words::counted;

/// The whole report.
pub(super) fn report(chain: &Chain, answer: &Answer, name: &str) -> String {
    let mut parts = vec![header(chain, answer, name)];
    parts.extend(list("action", "throughput", &answer.throughput));
    parts.extend(list("local state", "population", &answer.population));
    parts.extend(list("result", "value", &answer.results));
    parts.extend(utilisations(&answer.utilisation));
    parts.extend(ends(&answer.ends));
    parts.join("\n")
}

fn header(chain: &Chain, answer: &Answer, name: &str) -> String {
    let shape = chain.shape.as_ref().map_or_else(String::new, |shape| {
        let transient = standing_for(
            shape.transient_states,
            "transient state",
            chain.unlumped.is_some().then_some(shape.unlumped_transient_states),
        );
        let classes = counted(shape.recurrent_classes, "recurrent class");
        format!(", {classes}, {transient}, {}", counted(shape.deadlocks, "deadlock"))
    });
    let lumped = chain.quotient.as_ref().map_or_else(String::new, |quotient| {
        format!("lumped to {} in {}\n", counted(quotient.states, "state"), seconds(quotient.refined_in))
    });
    format!("{name}: {}{shape}\n{lumped}{}", size(chain), method(&answer.report, chain))
}

/// How many states and transitions there are, and what they stand for.
pub(crate) fn size(chain: &Chain) -> String {
    let unlumped = chain.unlumped.as_ref();
    let states = standing_for(chain.states, "state", unlumped.map(|unlumped| unlumped.states));
    let transitions =
        standing_for(chain.transitions, "transition", unlumped.map(|unlumped| unlumped.transitions));
    format!("{states}, {transitions}")
}

/// A number of things, and of how many without lumping, if these are others.
fn standing_for(number: usize, noun: &str, unlumped: Option<Option<u128>>) -> String {
    let lumped = counted(number, noun);
    match unlumped {
        None => lumped,
        Some(Some(unlumped)) if unlumped == number as u128 => lumped,
        Some(Some(unlumped)) => format!("{lumped} standing for {unlumped}"),
        Some(None) => format!("{lumped} standing for more than 2^128"),
    }
}

/// A line on how a solution was obtained, and one for each method that was tried before.
pub(crate) fn method(report: &Report, chain: &Chain) -> String {
    let iterations = match report.iterations {
        0 => String::new(),
        more => format!("{more} iterations, "),
    };
    let [residual, defect] = [report.residual, report.defect].map(magnitude);
    let error = match report.error {
        0.0 => String::new(),
        error => format!("error about {error:.0e}, "),
    };
    let clipped = match report.clipped {
        0.0 => String::new(),
        clipped => format!("negatives down to {:.0e} clipped, ", -clipped),
    };
    let handed_over: String =
        report.handed_over.iter().map(|tried| format!("before it, {tried}\n")).collect();
    format!(
        "{}: {iterations}residual {residual}, defect {defect}, {error}{clipped}explored{} in {}, solved in {}\n{handed_over}",
        report.method,
        if chain.storage == Storage::Bitset { " into bits" } else { "" },
        seconds(chain.explored_in),
        seconds(report.solved_in),
    )
}

/// An error, which is small or nothing.
fn magnitude(value: f64) -> String {
    if value == 0.0 { "0".into() } else { format!("{value:.1e}") }
}

/// A time, to a sensible number of digits.
fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 0.1 => format!("{:.2} ms", seconds * 1e3),
        seconds => format!("{seconds:.2} s"),
    }
}

fn utilisations(utilisation: &[Utilisation]) -> Option<String> {
    let has_exact = utilisation.first()?.local_states.first()?.1.exact.is_some();
    let headings = headings(&["component", "copies", "local state", "utilisation"], has_exact);
    let mut table = table(&headings, &[1, 3]);
    let all = utilisation.iter().flat_map(|one| &one.local_states);
    let mut decimals = aligned(all.map(|(_, figure)| figure)).into_iter();
    for (one, component) in utilisation.iter().zip(told_apart(utilisation)) {
        let mut first_cells = [component, one.positions.len().to_string()];
        for ((name, figure), decimal) in one.local_states.iter().zip(&mut decimals) {
            let [component, copies] = std::mem::take(&mut first_cells);
            add_row(&mut table, vec![component, copies, printable(name), decimal], figure);
        }
    }
    Some(lines(&table))
}

/// Where runs end, the first classes of many.
fn ends(ends: &[End]) -> Option<String> {
    const MOST: usize = 20;
    let has_exact = ends.first()?.probability.exact.is_some();
    let headings = headings(&["ends in", "states", "probability"], has_exact);
    let mut table = table(&headings, &[1, 2]);
    let shown = &ends[..ends.len().min(MOST)];
    let decimals = aligned(shown.iter().map(|end| &end.probability));
    for (end, decimal) in shown.iter().zip(decimals) {
        add_row(&mut table, vec![printable(&end.first), end.states.to_string(), decimal], &end.probability);
    }
    let more = match ends.len() - shown.len() {
        0 => String::new(),
        more => format!("and {}\n", counted(more, "more class")),
    };
    Some(lines(&table) + &more)
}

/// The names of the components, with a number where one name occurs more than once.
fn told_apart(utilisation: &[Utilisation]) -> Vec<String> {
    let mut total: BTreeMap<&str, usize> = BTreeMap::new();
    utilisation.iter().for_each(|one| *total.entry(&one.component).or_default() += 1);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let name = |one: &Utilisation| printable(&one.component);
    utilisation
        .iter()
        .map(|one| {
            let number = seen.entry(&one.component).or_default();
            *number += 1;
            if total[one.component.as_str()] == 1 { name(one) } else { format!("{} ({number})", name(one)) }
        })
        .collect()
}
