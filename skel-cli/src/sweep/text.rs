//! A sweep as a table for people, and as comma-separated values.

use skel::number::{Number, display_ratio};

use super::answer::{Answer, Row};
use super::measure::{Cell, Unit};
use crate::report::csv::cell;
use crate::report::table::{aligned_columns, decimal, lines, printable, table};
use crate::report::words::counted;

/// The table, under a line that says what was solved.
pub(super) fn report(answer: &Answer, source: &str) -> String {
    let mut text = format!("{source}: {}", counted(answer.rows.len(), "point"));
    text += &states(answer);
    text += "\n\n";
    let names: Vec<String> = headings(answer).map(printable).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let words = answer.headings.iter().enumerate().filter(|(_, heading)| heading.unit == Unit::Word);
    let words: Vec<usize> = words.map(|(column, _)| answer.axes.len() + column).collect();
    let right: Vec<usize> = (0..names.len()).filter(|column| !words.contains(column)).collect();
    let mut table = table(&names, &right);
    let rows: Vec<Vec<String>> = answer.reached().map(|row| shown(answer, row)).collect();
    for row in aligned_columns(rows, &right) {
        table.add_row(row);
    }
    text + &lines(&table)
}

/// How many states the points have.
fn states(answer: &Answer) -> String {
    let counts = || answer.rows.iter().filter_map(|row| row.outcome.as_ref().ok().map(|found| found.states));
    match (counts().min(), counts().max()) {
        (Some(least), Some(most)) if least == most => format!(", {} each", counted(least, "state")),
        (Some(least), Some(most)) => format!(", {least} to {most} states"),
        _ => ", none solved".to_owned(),
    }
}

fn headings(answer: &Answer) -> impl Iterator<Item = &str> {
    let axes = answer.axes.iter().map(|axis| axis.name.as_str());
    axes.chain(answer.headings.iter().map(|heading| heading.name.as_str()))
}

fn shown(answer: &Answer, row: &Row) -> Vec<String> {
    let values = (0..answer.axes.len()).map(|axis| match display_ratio(&row.values[axis]) {
        long if long.len() > LONGEST_VALUE => decimal(row.value(axis)),
        short => short,
    });
    let cells: Vec<String> = match &row.outcome {
        Ok(figures) => figures.cells.iter().map(cell_text).collect(),
        Err(_) => vec![String::new(); answer.headings.len()],
    };
    values.chain(cells).collect()
}

/// Values that are longer are rounded in the table.
const LONGEST_VALUE: usize = 12;

fn cell_text(cell: &Cell) -> String {
    match cell {
        Cell::Number(number) => decimal(*number),
        Cell::Word(word) => printable(word),
    }
}

/// A header of names, and a line for each point. Numbers have all their digits, and a point without figures
/// has empty cells.
pub(super) fn csv(answer: &Answer) -> String {
    let mut text = headings(answer).map(cell).collect::<Vec<_>>().join(",");
    text.push('\n');
    for row in answer.reached() {
        let values = row.values.iter().map(|value| f64::from_ratio(value).to_string());
        let cells: Vec<String> = match &row.outcome {
            Ok(figures) => figures.cells.iter().map(written).collect(),
            Err(_) => vec![String::new(); answer.headings.len()],
        };
        text.push_str(&values.chain(cells).collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    text
}

fn written(one: &Cell) -> String {
    match one {
        Cell::Number(number) => number.to_string(),
        Cell::Word(word) => cell(word),
    }
}
