//! What `skel skeleton --solve` and `--gains` print for people: a summary, then tables.

use comfy_table::Table;
use skel::Error;
use skel::number::Number;
use skel::performance::Gain;

use super::answer::{Gains, Solved};
use crate::report::figure::{Figure, aligned, list};
use crate::report::table::{decimal, lines, printable, table};
use crate::solve::text::{method, size};

/// The whole report.
pub(super) fn report(solved: &Solved, name: &str) -> String {
    let mut parts = vec![header(solved, name), summary(solved), stages(solved), tasks(solved)];
    parts.extend(list("result", "value", &solved.answer.results));
    parts.push(assumptions(solved));
    parts.join("\n")
}

fn header(solved: &Solved, name: &str) -> String {
    let chain = &solved.chain;
    format!("{name}: {}\n{}", size(chain), method(&solved.answer.report, chain))
}

fn summary(solved: &Solved) -> String {
    let Figure { value, exact } = &solved.throughput;
    let exact = exact.as_ref().map(|exact| format!(" = {exact}")).unwrap_or_default();
    let busiest = solved.bottleneck();
    let as_busy = match solved.tasks.iter().filter(|task| solved.is_bottleneck(task)).count() {
        1 => String::new(),
        more => format!(", as {} {}", more - 1, if more == 2 { "other is" } else { "others are" }),
    };
    format!(
        "throughput of the whole: {}{exact}\nbottleneck: task {}, {}, in stage {}: busy {:.2} % of the time{as_busy}\n",
        decimal(*value),
        solved.bottleneck,
        printable(&busiest.name),
        busiest.stage,
        busiest.utilisation.value * 1e2,
    )
}

/// What the figures rest on.
fn assumptions(solved: &Solved) -> String {
    let lines = solved.assumptions.iter().map(|assumption| format!("  - {assumption}\n"));
    format!("assumed of the program:\n{}", lines.collect::<String>())
}

/// What stands beside a bottleneck.
const MARK: &str = "bottleneck";

fn stages(solved: &Solved) -> String {
    let is_exact = solved.throughput.exact.is_some();
    let mut table = table(&with_exact(&["stage", "name"], is_exact), &[0, 2, 3]);
    let throughputs = aligned(solved.stages.iter().map(|stage| &stage.throughput));
    let utilisations = aligned(solved.stages.iter().map(|stage| &stage.utilisation));
    let columns = throughputs.into_iter().zip(utilisations);
    for ((number, stage), (throughput, utilisation)) in solved.stages.iter().enumerate().zip(columns) {
        let mut inside = solved.tasks.iter().filter(|task| task.stage == number);
        let mark = if inside.any(|task| solved.is_bottleneck(task)) { MARK } else { "" };
        let cells = vec![number.to_string(), printable(&stage.name), throughput, utilisation, mark.into()];
        add(&mut table, cells, [&stage.throughput, &stage.utilisation]);
    }
    lines(&table)
}

fn tasks(solved: &Solved) -> String {
    let is_exact = solved.throughput.exact.is_some();
    let mut table = table(&with_exact(&["task", "stage", "name", "rate"], is_exact), &[0, 1, 3, 4, 5]);
    let throughputs = aligned(solved.tasks.iter().map(|task| &task.throughput));
    let utilisations = aligned(solved.tasks.iter().map(|task| &task.utilisation));
    let columns = throughputs.into_iter().zip(utilisations);
    for ((number, task), (throughput, utilisation)) in solved.tasks.iter().enumerate().zip(columns) {
        let mark = if solved.is_bottleneck(task) { MARK } else { "" };
        let cells = vec![
            number.to_string(),
            task.stage.to_string(),
            printable(&task.name),
            decimal(task.rate.to_float()),
            throughput,
            utilisation,
            mark.into(),
        ];
        add(&mut table, cells, [&task.throughput, &task.utilisation]);
    }
    lines(&table)
}

fn with_exact<'h>(first: &[&'h str], is_exact: bool) -> Vec<&'h str> {
    let exact = ["throughput, exact", "utilisation, exact"];
    let exact = if is_exact { &exact[..] } else { &[] };
    first.iter().chain(&["throughput", "utilisation", ""]).chain(exact).copied().collect()
}

fn add(table: &mut Table, mut cells: Vec<String>, figures: [&Figure; 2]) {
    cells.extend(figures.into_iter().filter_map(|figure| figure.exact.clone()));
    table.add_row(cells);
}

/// What one more replica would bring, with a column for each kind that was tried.
pub(super) fn gains(gains: &Gains) -> String {
    let kinds = [
        ("as a deal", column(gains, |gain| &gain.as_deal)),
        ("as a farm", column(gains, |gain| &gain.as_farm)),
    ];
    let tried: Vec<_> =
        kinds.into_iter().filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty())).collect();
    let mut headings = vec!["one more replica of", ""];
    headings.extend(tried.iter().map(|(heading, _)| *heading));
    headings.push(if tried.len() > 1 { "best" } else { "gain" });
    let right: Vec<usize> = (2..headings.len()).collect();
    let mut table = table(&headings, &right);
    for (number, gain) in gains.iter().enumerate() {
        let best = gain.best().map(|best| format!("{:+.2} %", best * 1e2)).unwrap_or_default();
        let place = if gain.path.is_empty() { "the whole" } else { gain.path.as_str() };
        let mut cells = vec![place.to_owned(), printable(&gain.name)];
        cells.extend(tried.iter().map(|(_, cells)| cells[number].clone()));
        cells.push(best);
        table.add_row(cells);
    }
    format!("\n{}", lines(&table))
}

/// Throughputs below one another, words where there is none, and nothing where a kind was not tried.
fn column(gains: &Gains, of: fn(&Gain) -> &Option<Result<f64, Error>>) -> Vec<String> {
    let tried = gains.iter().map(of);
    let known: Vec<Figure> = tried.clone().flatten().flatten().map(Figure::of).collect();
    let mut known = aligned(known.iter()).into_iter();
    let cell = |figure: &Option<Result<f64, Error>>| match figure {
        None => String::new(),
        Some(Ok(_)) => known.next().unwrap_or_default(),
        Some(Err(error)) => obstacle(error).0.to_owned(),
    };
    tried.map(cell).collect()
}

/// Why a larger skeleton has no figure: for a cell of a table, and as a stable word.
pub(super) fn obstacle(error: &Error) -> (&'static str, &'static str) {
    match error {
        Error::Stopped(_) => ("limit reached", "limit_reached"),
        Error::NotConverged(_) => ("not converged", "not_converged"),
        Error::NotIrreducible(_) | Error::SeveralRecurrentClasses(_) => ("not irreducible", "reducible"),
        Error::NotBuilt(_) => ("too large", "skeleton_too_large"),
        _ => ("no value", "no_value"),
    }
}
