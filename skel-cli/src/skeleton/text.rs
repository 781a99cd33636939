//! What `skel skeleton --solve` and `--gains` print for people: a summary, then tables.

use skel::Error;
use skel::number::Number;
use skel::performance::Gain;

use super::answer::{Gains, Shares, Solved};
use crate::report::figure::{Figure, aligned, list};
use crate::report::table::{decimal, lines, printable, table};
use crate::solve::text::{method, size};

/// The whole report.
pub(super) fn report(solved: &Solved, name: &str) -> String {
    let mut parts = vec![header(solved, name), summary(solved), stages(solved), tasks(solved)];
    parts.extend(buffers(solved));
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
        "throughput of the whole: {}{exact}\nresponse time of an item: {} on average, with {} items inside\nbottleneck: task {}, {}, in stage {}: {} {:.2} % of the time{as_busy}\n",
        decimal(*value),
        decimal(solved.response_time.value),
        decimal(solved.items_inside.value),
        solved.bottleneck,
        printable(&busiest.name),
        busiest.stage,
        if busiest.shares.serving() > busiest.shares.busy.value { "serving items" } else { "busy" },
        busiest.shares.serving() * 1e2,
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
    let rows = solved.stages.iter().enumerate().map(|(number, stage)| {
        let mut inside = solved.tasks.iter().filter(|task| task.stage == number);
        Row {
            cells: vec![number.to_string(), printable(&stage.name)],
            throughput: &stage.throughput,
            shares: &stage.shares,
            is_bottleneck: inside.any(|task| solved.is_bottleneck(task)),
        }
    });
    figures(&["stage", "name"], &[0], &rows.collect::<Vec<_>>())
}

fn tasks(solved: &Solved) -> String {
    let rows = solved.tasks.iter().enumerate().map(|(number, task)| Row {
        cells: vec![
            number.to_string(),
            task.stage.to_string(),
            printable(&task.name),
            decimal(task.rate.to_float()),
        ],
        throughput: &task.throughput,
        shares: &task.shares,
        is_bottleneck: solved.is_bottleneck(task),
    });
    figures(&["task", "stage", "name", "rate"], &[0, 1, 3], &rows.collect::<Vec<_>>())
}

/// A line of a table of figures.
struct Row<'s> {
    cells: Vec<String>,
    throughput: &'s Figure,
    shares: &'s Shares,
    is_bottleneck: bool,
}

/// A table of throughputs and of parts of the time. With exact figures, there is a column for each.
fn figures(first: &[&str], numbers: &[usize], rows: &[Row<'_>]) -> String {
    type Column = (&'static str, &'static str, fn(&Row<'_>) -> Option<Figure>);
    const COLUMNS: [Column; 5] = [
        ("throughput", "throughput, exact", |row| Some(row.throughput.clone())),
        ("busy", "busy, exact", |row| Some(row.shares.busy.clone())),
        ("starved", "starved, exact", |row| Some(row.shares.starved.clone())),
        ("blocked", "blocked, exact", |row| Some(row.shares.blocked.clone())),
        ("waiting", "waiting, exact", |row| row.shares.waiting.clone()),
    ];
    let has = |column: &&Column| rows.iter().all(|row| column.2(row).is_some());
    let columns: Vec<&Column> = COLUMNS.iter().filter(has).collect();
    let is_exact = rows.iter().any(|row| row.throughput.exact.is_some());
    let mut headings = first.to_vec();
    headings.extend(columns.iter().map(|(heading, ..)| *heading));
    headings.push("");
    headings.extend(columns.iter().filter(|_| is_exact).map(|(_, heading, _)| *heading));
    let right: Vec<usize> = numbers.iter().copied().chain(first.len()..first.len() + columns.len()).collect();
    let mut table = table(&headings, &right);
    let columns = columns.into_iter().map(|(.., figure)| rows.iter().filter_map(figure).collect());
    let columns: Vec<Vec<Figure>> = columns.collect();
    let shown: Vec<Vec<String>> = columns.iter().map(|column| aligned(column.iter())).collect();
    for (number, row) in rows.iter().enumerate() {
        let mut cells = row.cells.clone();
        cells.extend(shown.iter().map(|column| column[number].clone()));
        cells.push(if row.is_bottleneck { MARK.to_owned() } else { String::new() });
        cells.extend(columns.iter().filter_map(|column| column[number].exact.clone()));
        table.add_row(cells);
    }
    lines(&table)
}

/// How full the buffers are; nothing where there are none.
fn buffers(solved: &Solved) -> Option<String> {
    solved.buffers.first()?;
    let mut table = table(&["buffer", "capacity", "items"], &[1, 2]);
    let items = aligned(solved.buffers.iter().map(|buffer| &buffer.items));
    for (buffer, items) in solved.buffers.iter().zip(items) {
        let ends = format!("{} -> {}", some_tasks(&buffer.senders), some_tasks(&buffer.receivers));
        table.add_row(vec![ends, buffer.capacity.to_string(), items]);
    }
    Some(lines(&table))
}

/// `task 4`, or the first and the last of several.
fn some_tasks(tasks: &[u32]) -> String {
    match tasks {
        [task] => format!("task {task}"),
        [first, .., last] => format!("tasks {first} to {last}"),
        [] => String::new(),
    }
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
