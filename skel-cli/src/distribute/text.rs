//! What `skel distribute` prints: a report that names the schedule that ends first, or all schedules as
//! comma-separated values.

use std::fmt::Write as _;

use super::answer::{Answer, Row};
use crate::report::csv::cell;
use crate::report::figure::{aligned, headings};
use crate::report::table::{self, decimal, lines, printable, table};
use crate::report::words::counted;

/// The whole report.
pub(super) fn report(answer: &Answer, name: &str) -> String {
    let (items, machines) = (counted(answer.items, "item"), counted(answer.names.len(), "machine"));
    let mut text =
        format!("{name}: {items} on {machines}, with {} s of overhead for each chunk", answer.overhead);
    let happened = [
        (answer.changes, "change of speed", "changes of speed"),
        (answer.losses, "machine lost", "machines lost"),
    ];
    for (count, one, many) in happened.into_iter().filter(|(count, ..)| *count > 0) {
        let _ = write!(text, ", {count} {}", if count == 1 { one } else { many });
    }
    let _ = write!(text, "\n\n{}\n{}", schedules(answer), verdict(answer));
    for (schedule, why) in &answer.unfinished {
        let _ = writeln!(text, "{schedule} is left out: {why}");
    }
    if let Some(best) = answer.rows.first() {
        let _ = write!(text, "\n{}:\n{}", best.schedule, of_machines(answer, best));
    }
    text
}

/// A line for each family of schedules, with its best parameter.
fn schedules(answer: &Answer) -> String {
    let has_exact = answer.bound.exact.is_some();
    let families = answer.best_of_families();
    let has_parameters = families.iter().any(|(_, count)| *count > 1);
    let names = ["schedule", "ends after (s)", "above the bound", "chunks", "idle (s)", ""];
    let names = if has_parameters { &names[..] } else { &names[..5] };
    let mut shown = table(&headings(names, has_exact), &[1, 2, 3, 4]);
    let makespans = aligned(families.iter().map(|(row, _)| &row.makespan));
    for ((row, count), makespan) in families.into_iter().zip(makespans) {
        let best_of = if count > 1 { format!("best of {count}") } else { String::new() };
        let mut cells = vec![
            row.schedule.to_string(),
            makespan,
            percent(answer.above_bound(row)),
            row.chunks.to_string(),
            rounded(row.idle()),
        ];
        cells.extend(has_parameters.then_some(best_of));
        cells.extend(row.makespan.exact.clone());
        shown.add_row(cells);
    }
    lines(&shown)
}

/// The first to end, by how much, and how far that is from what is possible.
fn verdict(answer: &Answer) -> String {
    let families = answer.best_of_families();
    let Some((best, _)) = families.first() else { return String::new() };
    let mut text = format!(
        "first: {} ends after {} s, with {}\n",
        best.schedule,
        decimal(best.makespan.value),
        counted(best.chunks, "chunk"),
    );
    if let Some((next, _)) = families.get(1) {
        let later = next.makespan.value - best.makespan.value;
        let _ = match later {
            0.0 => writeln!(
                text,
                "next: {}, at the same time with {}",
                next.schedule,
                counted(next.chunks, "chunk")
            ),
            _ => writeln!(
                text,
                "next: {}, {} s later ({})",
                next.schedule,
                rounded(later),
                percent(next.makespan.value / best.makespan.value - 1.0)
            ),
        };
    }
    let _ = writeln!(
        text,
        "bound: {} s, before which no schedule ends; the first ends {} above it",
        decimal(answer.bound.value),
        percent(answer.above_bound(best)),
    );
    let again = best.items_given - answer.items;
    if again > 0 {
        let _ = writeln!(text, "given out again: {}", counted(again, "item"));
    }
    text
}

/// What each machine does under a schedule.
fn of_machines(answer: &Answer, row: &Row) -> String {
    const MOST: usize = 40;
    let has_losses = row.machines.iter().any(|machine| machine.is_lost);
    let names = ["machine", "items", "chunks", "busy (s)", "idle (s)", ""];
    let mut shown = table(if has_losses { &names } else { &names[..5] }, &[1, 2, 3, 4]);
    let busy = aligned(row.machines.iter().map(|machine| &machine.busy).take(MOST));
    let idle = aligned(row.machines.iter().map(|machine| &machine.idle).take(MOST));
    let times = busy.into_iter().zip(idle);
    for ((name, machine), (busy, idle)) in answer.names.iter().zip(&row.machines).zip(times) {
        let lost = has_losses.then_some(if machine.is_lost { "lost" } else { "" });
        let counts = [machine.items, machine.chunks].map(|count| count.to_string());
        let [items, chunks] = counts;
        let cells = [printable(name), items, chunks, busy, idle].into_iter();
        shown.add_row(cells.chain(lost.map(str::to_owned)));
    }
    let mut text = lines(&shown);
    if row.machines.len() > MOST {
        let _ = writeln!(text, "and {} more, which `--json` lists", row.machines.len() - MOST);
    }
    text
}

/// A time to six digits.
fn rounded(seconds: f64) -> String {
    table::rounded(seconds, 6)
}

fn percent(part: f64) -> String {
    // Rounding may leave a little less than nothing.
    format!("{:.2} %", (100.0 * part).max(0.0))
}

/// `schedule,family,makespan,above_bound,chunks,items_given,idle`, and with `--exact` the fraction; a line
/// for each schedule, the first to end first.
pub(super) fn csv(answer: &Answer) -> String {
    let names = ["schedule", "family", "makespan", "above_bound", "chunks", "items_given", "idle"];
    let mut text = headings(&names, answer.bound.exact.is_some()).join(",") + "\n";
    for row in &answer.rows {
        let mut cells = vec![
            cell(&row.schedule.to_string()),
            row.schedule.family().to_owned(),
            row.makespan.value.to_string(),
            answer.above_bound(row).to_string(),
            row.chunks.to_string(),
            row.items_given.to_string(),
            row.idle().to_string(),
        ];
        cells.extend(row.makespan.exact.clone());
        text += &(cells.join(",") + "\n");
    }
    text
}
