//! Figures at moments as a table for people, and as comma-separated values.

use skel::transient::{Accuracy, Report};

use super::answer::{Answer, At, Figures, Kind};
use super::json::word;
use crate::report::csv::cell;
use crate::report::table::{aligned_columns, decimal, lines, printable, table};
use crate::report::words::counted;
use crate::solve::text::size;

const KINDS: [(Kind, &str); 3] =
    [(Kind::Throughput, "throughput"), (Kind::Result, "result"), (Kind::Population, "population")];

/// More columns than this are left out of tables that nobody asked for by name.
const MOST_COLUMNS: usize = 6;

/// Two lines on the chain and how it was solved, and a table; with integrals, two more.
pub(super) fn report(answer: &Answer, source: &str) -> String {
    let mut text = format!("{source}: {}\n{}\n", size(&answer.chain), method(&answer.report));
    text += &figures(answer, |at| Some(&at.now));
    if answer.over {
        text += "\nadded up from 0 to t\n";
        text += &figures(answer, |at| at.integral.as_ref());
        text += "\non average from 0 to t\n";
        text += &figures(answer, |at| at.average.as_ref());
    }
    let (shown, all) = (columns(answer).len(), columns_of_all(answer).len());
    if shown < all {
        text += &format!(
            "\n{shown} of {all} figures; `--keep NAME` shows others, `--csv` and `--json` have all\n"
        );
    }
    text
}

fn method(report: &Report) -> String {
    let steps = match (word(report.method), report.settled) {
        ("squaring", _) => counted(report.steps as usize, "squaring"),
        ("uniformisation" | "adaptive", Some(_)) => format!(
            "{} of {}, then the long run, which is near for the rest",
            report.steps,
            counted(report.planned as usize, "step")
        ),
        _ => counted(report.steps as usize, "step"),
    };
    let error = match report.accuracy {
        Accuracy::Bound => format!("no figure is off by more than {:.1e}", report.error),
        _ => format!("error about {:.1e}, estimated", report.error),
    };
    format!("{}: {steps}; {error}\n", word(report.method))
}

/// A column: its kind, and its place among the names of the kind.
type Column = (Kind, usize);

fn columns_of_all(answer: &Answer) -> Vec<Column> {
    let of_kind = |kind: Kind| (0..answer.names.of(kind).len()).map(move |place| (kind, place));
    KINDS.iter().flat_map(|&(kind, _)| of_kind(kind)).collect()
}

/// What was asked for by name; else results, or without any throughputs.
pub(super) fn columns(answer: &Answer) -> Vec<Column> {
    let all = columns_of_all(answer);
    if answer.names.is_kept {
        return all;
    }
    let kind = if answer.names.results.is_empty() { Kind::Throughput } else { Kind::Result };
    all.into_iter().filter(|column| column.0 == kind).take(MOST_COLUMNS).collect()
}

fn figures(answer: &Answer, of: impl Fn(&At) -> Option<&Figures>) -> String {
    let columns = columns(answer);
    let names = columns.iter().map(|&(kind, place)| printable(&answer.names.of(kind)[place]));
    let headings: Vec<String> = std::iter::once("t".to_owned()).chain(names).collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let right: Vec<usize> = (0..headings.len()).collect();
    let mut table = table(&headings, &right);
    let rows: Vec<Vec<String>> = answer
        .points
        .iter()
        .filter_map(|at| {
            let figures = of(at)?;
            let cells = columns.iter().map(|&(kind, place)| decimal(figures.of(kind)[place]));
            Some(std::iter::once(decimal(at.time)).chain(cells).collect())
        })
        .collect();
    for row in aligned_columns(rows, &right) {
        table.add_row(row);
    }
    lines(&table)
}

/// A header of names, and a line for each moment. Numbers have all their digits.
pub(super) fn csv(answer: &Answer) -> String {
    let columns = columns_of_all(answer);
    let parts: &[&str] = if answer.over { &["", "over:", "average:"] } else { &[""] };
    let kind = |wanted: Kind| KINDS.iter().find(|(kind, _)| *kind == wanted).map_or("", |(_, word)| word);
    let mut text = String::from("t");
    for part in parts {
        for &(of, place) in &columns {
            text.push(',');
            text.push_str(&cell(&format!("{part}{}:{}", kind(of), answer.names.of(of)[place])));
        }
    }
    text.push('\n');
    for at in &answer.points {
        text.push_str(&at.time.to_string());
        for figures in [Some(&at.now), at.integral.as_ref(), at.average.as_ref()].into_iter().flatten() {
            for &(of, place) in &columns {
                text.push(',');
                text.push_str(&figures.of(of)[place].to_string());
            }
        }
        text.push('\n');
    }
    text
}
