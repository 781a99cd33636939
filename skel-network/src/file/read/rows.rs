//! Rows of comma-separated values, in a file of their own or as a string of several lines.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use skel_core::diagnostic::{Code, TextSpan, did_you_mean};

use skel_toml::{Value, place};

use super::reader::{Reader, counted};
use crate::quantity::Time;
use crate::units::BadQuantity;

/// The largest file that is read.
const MOST_BYTES: u64 = 256 << 20;

/// The most problems of one table that are reported one by one.
const MOST_REPORTED: usize = 20;

/// A table with its header.
pub(super) struct Table {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<Row>,
    origin: Origin,
    /// How many problems were reported, and how many were found.
    reported: usize,
}

/// A row and the line in which it begins.
pub(super) struct Row {
    pub(super) line: u64,
    pub(super) cells: Vec<String>,
}

/// Where a table is written.
struct Origin {
    /// The name of the file, or the string with the rows.
    at: TextSpan,
    /// The name of the file.
    file: Option<String>,
    /// Where the rows begin in the text, if they are there as they are read.
    start: Option<usize>,
}

impl Origin {
    /// The place of a line, and what has to be said of it in words.
    fn line(&self, text: &str, line: u64) -> (TextSpan, String) {
        let before = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        if let (Some(start), None) = (self.start, &self.file) {
            let rest = &text[start..self.at.end];
            let offset = rest.split_inclusive('\n').take(before).map(str::len).sum::<usize>();
            let row = rest[offset..].lines().next().unwrap_or_default();
            let begin = start + offset + row.len() - row.trim_start().len();
            return (TextSpan { start: begin, end: begin + row.trim().len() }, String::new());
        }
        match &self.file {
            Some(name) => (self.at, format!("`{name}`, line {line}: ")),
            None => (self.at, format!("line {line}: ")),
        }
    }
}

impl Reader<'_> {
    /// A table that is named or written here.
    pub(super) fn table(&mut self, value: &Value<'_>, what: &str) -> Option<Table> {
        let help = "write the name of a CSV file, or its rows between \"\"\" and \"\"\"";
        let said = self.found.text(value, what, help)?;
        let at = place(value.span());
        if said.contains('\n') {
            let start = self.text[at.start..at.end].find(said).map(|offset| at.start + offset);
            return self.parsed(said, Origin { at, file: None, start });
        }
        let Some(folder) = self.folder else {
            let message = format!("the file `{said}` cannot be read: nothing says in which folder it is");
            self.found.report(Code::UnreadableFile, at, message, "write its rows between \"\"\" and \"\"\"");
            return None;
        };
        match contents(&folder.join(said)) {
            Ok(text) => self.parsed(&text, Origin { at, file: Some(said.to_owned()), start: None }),
            Err(why) => {
                let message = format!("the file `{said}` cannot be read: {why}");
                self.found.report(
                    Code::UnreadableFile,
                    at,
                    message,
                    "its place is relative to that of this file",
                );
                None
            }
        }
    }

    fn parsed(&mut self, text: &str, origin: Origin) -> Option<Table> {
        let text = &without_comments(text);
        let mut reader = csv::ReaderBuilder::new();
        reader.flexible(true).trim(csv::Trim::All).has_headers(false);
        let mut reader = reader.from_reader(text.as_bytes());
        let mut rows = reader.records().filter_map(Result::ok).filter_map(|record| row(text, &record));
        let Some(header) = rows.next() else {
            let (at, line) = origin.line(self.text, 1);
            let message = format!("{line}the table has no header");
            self.found.report(Code::BadRow, at, message, "its first line names its columns");
            return None;
        };
        let rows = rows.collect();
        Some(Table { header: header.cells, rows, origin, reported: 0 })
    }
}

/// The text with empty lines in place of comments, which may have any marks in them. No cell has several
/// lines.
fn without_comments(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| if line.trim_start().starts_with('#') { "\n" } else { line })
        .collect()
}

/// A row, unless it has blanks alone.
fn row(text: &str, record: &csv::StringRecord) -> Option<Row> {
    let at = record.position()?;
    let rest = usize::try_from(at.byte()).ok().and_then(|byte| text.get(byte..))?;
    let begin = rest.trim_start();
    // The position is that of the empty lines before the row, if there are any.
    let skipped = rest[..rest.len() - begin.len()].matches('\n').count() as u64;
    let is_blank = record.len() == 1 && record[0].is_empty();
    (!is_blank).then(|| Row { line: at.line() + skipped, cells: record.iter().map(str::to_owned).collect() })
}

/// The text of a file, or why there is none.
pub(super) fn contents(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > MOST_BYTES {
        return Err(format!("it is larger than {} MiB", MOST_BYTES >> 20));
    }
    Ok(text)
}

impl Table {
    /// The rows that have as many cells as the header. Others are reported.
    pub(super) fn take_rows(&mut self, reader: &mut Reader<'_>) -> Vec<Row> {
        let width = self.header.len();
        let rows = std::mem::take(&mut self.rows);
        let (right, wrong): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.cells.len() == width);
        for row in wrong {
            let message = format!("the row has {}, and the header {width}", counted(row.cells.len(), "cell"));
            self.report(
                reader,
                row.line,
                Code::BadRow,
                &message,
                "separate them by commas; a cell may be empty",
            );
        }
        right
    }

    /// The places of the columns that are `known`, in their order, or `None` where one of the `required` is
    /// missing. Others are reported.
    pub(super) fn columns<const N: usize>(
        &mut self,
        reader: &mut Reader<'_>,
        known: [&str; N],
        required: &[&str],
    ) -> Option<[Option<usize>; N]> {
        let names = self.header.clone();
        for (at, name) in names.iter().enumerate() {
            let help = match did_you_mean(name, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the columns are {}", known.join(", ")),
            };
            if !known.contains(&name.as_str()) {
                self.report(reader, 1, Code::UnknownEntry, &format!("there is no column `{name}`"), &help);
            } else if names[..at].contains(name) {
                let message = format!("the column `{name}` is there twice");
                self.report(reader, 1, Code::DuplicateDefinition, &message, "keep one of the two");
            }
        }
        let missing: Vec<&str> =
            required.iter().copied().filter(|name| !names.iter().any(|known| known == name)).collect();
        if !missing.is_empty() {
            let message = format!("the column `{}` is missing", missing.join("`, `"));
            self.report(
                reader,
                1,
                Code::MissingEntry,
                &message,
                &format!("the columns are {}", known.join(", ")),
            );
            return None;
        }
        Some(known.map(|known| names.iter().position(|name| name == known)))
    }

    /// Reports a problem of a line. After many of a table the others are counted.
    pub(super) fn report(
        &mut self,
        reader: &mut Reader<'_>,
        line: u64,
        code: Code,
        message: &str,
        help: &str,
    ) {
        self.reported += 1;
        if self.reported <= MOST_REPORTED {
            let (at, line) = self.origin.line(reader.text, line);
            reader.found.report(code, at, format!("{line}{message}"), help);
        }
    }

    /// Says how many problems there are that were not reported one by one.
    pub(super) fn finish(&self, reader: &mut Reader<'_>) {
        if let Some(more @ 1..) = self.reported.checked_sub(MOST_REPORTED) {
            let rows = if more == 1 { "problem" } else { "problems" };
            let message = format!("the table has {more} more {rows}");
            reader.found.report(Code::BadRow, self.origin.at, message, "begin with those that are shown");
        }
    }
}

/// The columns in which a time can be, and how many microseconds their unit is. In `time` each cell has a
/// unit of its own.
pub(super) const TIME_COLUMNS: [&str; 5] = ["time", "seconds", "ms", "us", "ns"];

/// The cells of a row.
pub(super) struct Cells<'r> {
    row: &'r Row,
    /// What is wrong with it: messages with their help.
    wrong: Vec<(Code, String, String)>,
}

impl<'r> Cells<'r> {
    pub(super) fn of(row: &'r Row) -> Self {
        Cells { row, wrong: Vec::new() }
    }

    /// The text of a column, if the row has it and it is not empty.
    pub(super) fn text(&self, column: Option<usize>) -> Option<&'r str> {
        self.row.cells.get(column?).map(String::as_str).filter(|text| !text.is_empty())
    }

    /// The text of a column that must not be empty.
    pub(super) fn required(&mut self, column: Option<usize>, name: &str) -> Option<&'r str> {
        let text = self.text(column);
        if text.is_none() {
            self.wrong(
                Code::MissingEntry,
                format!("the row has no `{name}`"),
                format!("give each row its `{name}`"),
            );
        }
        text
    }

    /// A cell that reads as a value.
    pub(super) fn parsed<T: std::str::FromStr<Err = BadQuantity>>(
        &mut self,
        text: &str,
        name: &str,
    ) -> Option<T> {
        match text.parse() {
            Ok(value) => Some(value),
            Err(BadQuantity { message, help }) => {
                self.wrong(Code::BadNumber, format!("`{name}`: {message}"), help.to_owned());
                None
            }
        }
    }

    /// A whole number of at least 1.
    pub(super) fn count(&mut self, text: &str, name: &str) -> Option<u32> {
        let count = text.parse().ok().filter(|&count| count > 0);
        if count.is_none() {
            let message = format!("`{name}` is `{text}`");
            self.wrong(Code::OutOfRange, message, "it is a whole number of at least 1".into());
        }
        count
    }

    /// The time of a row, in the one of [`TIME_COLUMNS`] that the table has. It must be above zero.
    pub(super) fn time(&mut self, columns: [Option<usize>; 5]) -> Option<Time> {
        const MICROSECONDS: [f64; 5] = [1.0, 1e6, 1e3, 1.0, 1e-3];
        let (at, column) = columns.iter().enumerate().find_map(|(at, column)| Some((at, (*column)?)))?;
        let name = TIME_COLUMNS[at];
        let text = self.required(Some(column), name)?;
        let time = if name == "time" {
            self.parsed::<Time>(text, name)?
        } else {
            let Ok(number) = text.parse::<f64>() else {
                let message = format!("`{name}`: `{text}` is not a number");
                self.wrong(Code::BadNumber, message, "the name of the column is its unit".into());
                return None;
            };
            Time::microseconds(number * MICROSECONDS[at])
        };
        let value = time.as_microseconds();
        if !(value > 0.0 && value <= LONGEST) {
            let message = format!("`{name}`: the time is {text}");
            self.wrong(Code::QuantityNotPositive, message, "a measured time is above 0 and finite".into());
            return None;
        }
        Some(time)
    }

    pub(super) fn wrong(&mut self, code: Code, message: String, help: String) {
        self.wrong.push((code, message, help));
    }

    /// How much is wrong with the row so far.
    pub(super) fn count_wrong(&self) -> usize {
        self.wrong.len()
    }

    /// Reports what is wrong with the row.
    pub(super) fn report(self, table: &mut Table, reader: &mut Reader<'_>) {
        for (code, message, help) in self.wrong {
            table.report(reader, self.row.line, code, &message, &help);
        }
    }
}

/// The longest time in microseconds: about 30,000 years.
pub(super) const LONGEST: f64 = 1e18;
