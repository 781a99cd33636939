//! What `skel solve` prints for people: two lines on the chain and its solution, then tables.

use std::collections::BTreeMap;
use std::time::Duration;

use skel::space::Storage;
use skel::steady::{Certified, Report};

use super::answer::{Answer, Chain, End, Utilisation};
use super::states::States;
use crate::report::figure::{add_row, aligned, headings, list};
use crate::report::table::{decimal, lines, printable, table};
use crate::report::words::counted;

/// The whole report.
pub(super) fn report(chain: &Chain, answer: &Answer, name: &str) -> String {
    let mut parts = vec![header(chain, answer, name)];
    parts.extend(list("action", "throughput", &answer.throughput).map(|table| table + &hidden(answer)));
    parts.extend(list("local state", "population", &answer.population));
    parts.extend(list("result", "value", &answer.results));
    parts.extend(utilisations(&answer.utilisation));
    parts.extend(ends(&answer.ends));
    parts.extend(answer.states.as_ref().map(states));
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
    let counted = unlumped.filter(|unlumped| unlumped.counts_transitions);
    let transitions =
        standing_for(chain.transitions, "transition", counted.map(|unlumped| unlumped.transitions));
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
        error if report.certified == Certified::Sums => format!(
            "error of throughputs, results and populations at most {error:.0e} (in populations below 0.001, at most {:.0e} absolute), of rare states unknown, ",
            error * 1e-3
        ),
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
    let has_exact = utilisation.first()?.local_states.first()?.utilisation.exact.is_some();
    let headings = headings(&["component", "copies", "local state", "population", "utilisation"], has_exact);
    let mut table = table(&headings, &[1, 3, 4]);
    let all = || utilisation.iter().flat_map(|one| &one.local_states);
    let populations = aligned(all().map(|state| &state.population));
    let mut decimals = populations.into_iter().zip(aligned(all().map(|state| &state.utilisation)));
    for (one, component) in utilisation.iter().zip(told_apart(utilisation)) {
        let mut first_cells = [component, one.positions.len().to_string()];
        for (state, (population, utilisation)) in one.local_states.iter().zip(&mut decimals) {
            let [component, copies] = std::mem::take(&mut first_cells);
            let cells = vec![component, copies, printable(&state.name), population, utilisation];
            add_row(&mut table, cells, &state.utilisation);
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
        add_row(
            &mut table,
            vec![printable(&end.first_in_brief), end.states.to_string(), decimal],
            &end.probability,
        );
    }
    let more = match ends.len() - shown.len() {
        0 => String::new(),
        more => format!("and {}\n", counted(more, "more class")),
    };
    Some(lines(&table) + &more)
}

/// A line on actions that have no throughput under their own name.
pub(super) fn hidden(answer: &Answer) -> String {
    if answer.hidden.is_empty() {
        return String::new();
    }
    let names: Vec<String> = answer.hidden.iter().map(|name| printable(name)).collect();
    format!("hidden, and counted under tau: {}\n", names.join(", "))
}

/// The probabilities of states, and of those that are left out.
fn states(states: &States) -> String {
    let first = states.shown.first();
    let has_exact = first.is_some_and(|first| first.probability.exact.is_some());
    let is_lumped = first.is_some_and(|first| first.stands_for.is_some());
    let mut columns = vec!["number", "state", "probability"];
    if is_lumped {
        columns.insert(2, "stands for");
    }
    let right = if is_lumped { &[0, 2, 3][..] } else { &[0, 2] };
    let mut table = table(&headings(&columns, has_exact), right);
    let decimals = aligned(states.shown.iter().map(|state| &state.probability));
    for (state, decimal) in states.shown.iter().zip(decimals) {
        let mut cells = vec![state.number.to_string(), printable(&state.in_brief)];
        cells.extend(
            state.stands_for.map(|count| count.map_or("more than 2^128".into(), |count| count.to_string())),
        );
        cells.push(decimal);
        add_row(&mut table, cells, &state.probability);
    }
    let more = match states.left_out {
        0 => String::new(),
        more => format!(
            "and {}, with the probability {} together\n",
            counted(more, "more state"),
            decimal(states.rest)
        ),
    };
    lines(&table) + &more
}

/// The names of the components, with a number where one name occurs more than once.
pub(super) fn told_apart(utilisation: &[Utilisation]) -> Vec<String> {
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
