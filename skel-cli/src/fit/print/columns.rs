//! Tables that are written column by column. A column without anything in it is left out.

use crate::report::table::{lines, table};

/// The columns of a table, from left to right.
#[derive(Default)]
pub(super) struct Columns(Vec<Column>);

struct Column {
    heading: String,
    cells: Vec<String>,
    is_right: bool,
}

impl Columns {
    /// Adds words.
    pub(super) fn words(self, heading: &str, cells: impl IntoIterator<Item = String>) -> Self {
        self.with(heading, cells, false)
    }

    /// Adds numbers.
    pub(super) fn numbers(self, heading: &str, cells: impl IntoIterator<Item = String>) -> Self {
        self.with(heading, cells, true)
    }

    fn with(mut self, heading: &str, cells: impl IntoIterator<Item = String>, is_right: bool) -> Self {
        self.0.push(Column { heading: heading.to_owned(), cells: cells.into_iter().collect(), is_right });
        self
    }

    /// The table, with so many rows at most.
    pub(super) fn shown(self, most: usize) -> String {
        let has_cells = |column: &Column| column.cells.iter().any(|cell| !cell.is_empty());
        let columns: Vec<Column> = self.0.into_iter().filter(has_cells).collect();
        let headings: Vec<&str> = columns.iter().map(|column| column.heading.as_str()).collect();
        let right: Vec<usize> = (0..columns.len()).filter(|&at| columns[at].is_right).collect();
        let mut shown = table(&headings, &right);
        let rows = columns.iter().map(|column| column.cells.len()).max().unwrap_or_default();
        for row in 0..rows.min(most) {
            shown.add_row(columns.iter().map(|column| column.cells[row].as_str()));
        }
        let more = if rows > most {
            format!("and {} more, which `--json` lists\n", rows - most)
        } else {
            String::new()
        };
        lines(&shown) + &more
    }
}
