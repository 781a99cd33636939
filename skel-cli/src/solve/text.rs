//! What `skel solve` prints for people: two lines on the chain and its solution, then tables.

use std::collections::BTreeMap;
use std::time::Duration;

use comfy_table::Table;

use super::answer::{Answer, Chain, End, Figure, Figures, Utilisation};
use crate::console::counted;
use crate::table::{decimal, lines, printable, table};

/// The whole report.
pub(super) fn report(chain: &Chain, answer: &Answer, name: &str) -> String {
    let mut parts = vec![header(chain, answer, name)];
    parts.extend(figures("action", "throughput", &answer.throughput));
    parts.extend(figures("result", "value", &answer.results));
    parts.extend(utilisations(&answer.utilisation));
    parts.extend(ends(&answer.ends));
    parts.join("\n")
}

fn header(chain: &Chain, answer: &Answer, name: &str) -> String {
    let counts = [
        (chain.states, "state"),
        (chain.transitions, "transition"),
        (chain.recurrent_classes, "recurrent class"),
        (chain.transient_states, "transient state"),
        (chain.deadlocks, "deadlock"),
    ];
    let counts = counts.map(|(number, noun)| counted(number, noun)).join(", ");
    let report = &answer.report;
    let iterations = match report.iterations {
        0 => String::new(),
        more => format!("{more} iterations, "),
    };
    let residual = if report.residual == 0.0 { "0".into() } else { format!("{:.1e}", report.residual) };
    let handed_over: String =
        report.handed_over.iter().map(|tried| format!("before it, {tried}\n")).collect();
    format!(
        "{name}: {counts}\n{}: {iterations}residual {residual}, explored in {}, solved in {}\n{handed_over}",
        report.method,
        seconds(chain.explored_in),
        seconds(report.solved_in),
    )
}

/// A time, to a sensible number of digits.
fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 0.1 => format!("{:.2} ms", seconds * 1e3),
        seconds => format!("{seconds:.2} s"),
    }
}

fn figures(noun: &str, measure: &str, figures: &Figures) -> Option<String> {
    let has_exact = figures.first()?.1.exact.is_some();
    let mut table = table(&headings(&[noun, measure], has_exact), &[1]);
    let decimals = aligned(figures.iter().map(|(_, figure)| figure));
    for ((name, figure), decimal) in figures.iter().zip(decimals) {
        add_row(&mut table, vec![printable(name), decimal], figure);
    }
    Some(lines(&table))
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

/// The fraction comes last, since it may be long.
fn headings<'h>(headings: &[&'h str], has_exact: bool) -> Vec<&'h str> {
    headings.iter().copied().chain(has_exact.then_some("exact")).collect()
}

/// The numbers of a column, with the decimal points below one another.
fn aligned<'f>(figures: impl Iterator<Item = &'f Figure>) -> Vec<String> {
    let mut numbers: Vec<String> = figures.map(|figure| decimal(figure.value)).collect();
    let after_point = |number: &str| number.find('.').map_or(0, |point| number.len() - point);
    let most = numbers.iter().map(|number| after_point(number)).max().unwrap_or_default();
    for number in &mut numbers {
        let missing = most - after_point(number);
        number.extend(std::iter::repeat_n(' ', missing));
    }
    numbers
}

fn add_row(table: &mut Table, mut cells: Vec<String>, figure: &Figure) {
    cells.extend(figure.exact.clone());
    table.add_row(cells);
}
