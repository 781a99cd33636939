//! Measured times: the mean and the variation of a column of numbers in a file.
//!
//! The file is a table in CSV: a line for each item, its cells between commas, semicolons or tabs, and
//! perhaps a first line with the names of the columns. It is read line by line. Mean and variance are B. P.
//! Welford's (*Technometrics* 4, 1962), which lose no digits, and are kept to 15 digits.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::diagnostic::did_you_mean;
use crate::number::{Ratio, decimal, shorten};
use crate::time::unit::TimeUnit;

/// The most bytes that a file of measured times may have.
const MOST_BYTES: u64 = 1 << 30;

/// The most bytes of a line.
const LONGEST_LINE: u64 = 1 << 16;

/// The most faults of a file that are told one by one.
const MOST_FAULTS: usize = 4;

/// A file of measured times, and what of it counts.
///
/// # Examples
/// ```
/// use skel_core::{number::ratio, time::Measured};
/// let table = "item,parse (ms),store (ms)\n1,8,3\n2,12,5\n3,10,4\n";
/// let parse = Measured::from_file("times.csv").column("parse").read_text(table).unwrap();
/// assert_eq!((parse.count, parse.mean, parse.scv), (3, ratio(1, 100), ratio(1, 25)));
/// let error = Measured::from_file("times.csv").read_text(table).unwrap_err();
/// assert_eq!(error[0].message, "`times.csv` has 3 columns: `item`, `parse (ms)`, `store (ms)`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    file: String,
    column: Option<Column>,
    unit: Option<TimeUnit>,
}

/// A column of a table, by its name or by its number from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Its name in the first line, with or without a unit behind it.
    Name(String),
    /// Its number; the first is 1.
    Number(usize),
}

impl From<&str> for Column {
    fn from(name: &str) -> Self {
        Column::Name(name.to_owned())
    }
}

impl From<usize> for Column {
    fn from(number: usize) -> Self {
        Column::Number(number)
    }
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Where it is from.
    pub source: Measured,
    /// How many times there are.
    pub count: u64,
    /// Their mean, to 15 digits: in seconds where the times have a unit.
    pub mean: Ratio,
    /// Their squared coefficient of variation, to 15 digits. The variance is the unbiased estimate, over one
    /// less than their number.
    pub scv: Ratio,
}

/// What is wrong with a file of measured times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredError {
    /// What is wrong, with the name of the file and the place in it.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

type Faults = Vec<MeasuredError>;

impl Measured {
    /// The times of a file. Where it has several columns, [`Self::column`] says which.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn from_file(file: impl Into<String>) -> Self {
        Measured { file: file.into(), column: None, unit: None }
    }

    /// The times of this column: its name in the first line, or its number from 1.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn column(self, column: impl Into<Column>) -> Self {
        Measured { column: Some(column.into()), ..self }
    }

    /// The numbers are in this unit. The first line may say so as well, as in `parse (ms)`, `parse [ms]`,
    /// `parse_ms` or `ms`; where nothing does, they are in the unit of the program's rates.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn unit(self, unit: TimeUnit) -> Self {
        Measured { unit: Some(unit), ..self }
    }

    /// The name of the file, as it was said.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Reads the file, whose name is relative to a folder unless it is absolute.
    ///
    /// # Errors
    /// A file that cannot be read, or of over 1 GiB; a column that there is not, or several and none chosen;
    /// a cell that is empty, negative or no number; less than two times; a mean of 0.
    #[cfg_attr(debug_assertions, inline)]
    pub fn read_in(&self, folder: &Path) -> Result<Measurement, Vec<MeasuredError>> {
        let file = File::open(folder.join(&self.file)).and_then(|file| match file.metadata()?.is_dir() {
            true => Err(std::io::Error::other("it is a folder")),
            false => Ok(file),
        });
        match file {
            Ok(file) => self.read(&mut BufReader::new(file)),
            Err(error) => Err(vec![self.unreadable(&error)]),
        }
    }

    /// Reads the table from a text in its place.
    ///
    /// # Errors
    /// As [`Self::read_in`].
    #[cfg_attr(debug_assertions, inline)]
    pub fn read_text(&self, text: &str) -> Result<Measurement, Vec<MeasuredError>> {
        self.read(&mut text.as_bytes())
    }

    fn unreadable(&self, error: &std::io::Error) -> MeasuredError {
        MeasuredError {
            message: format!("`{}` cannot be read: {error}", self.file),
            help: "name a table in CSV, relative to the folder of the text, or to where the program runs"
                .to_owned(),
        }
    }

    fn fault(&self, message: &str, help: impl Into<String>) -> MeasuredError {
        MeasuredError { message: format!("`{}` {message}", self.file), help: help.into() }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn read(&self, table: &mut dyn BufRead) -> Result<Measurement, Faults> {
        let mut reading = Reading::of(self);
        let (mut line, mut number, mut bytes) = (Vec::new(), 0_u64, 0_u64);
        loop {
            line.clear();
            let read = table.take(LONGEST_LINE).read_until(b'\n', &mut line);
            let read = read.map_err(|error| vec![self.unreadable(&error)])? as u64;
            (number, bytes) = (number + 1, bytes + read);
            if read == 0 {
                return reading.finish();
            }
            let text = match std::str::from_utf8(&line) {
                Ok(text) if read < LONGEST_LINE && bytes <= MOST_BYTES => text,
                Ok(_) if bytes > MOST_BYTES => {
                    return Err(vec![self.fault("has more than 1 GiB", "take a sample of its lines")]);
                }
                _ => {
                    let what =
                        format!("is no table: line {number} is no text, or longer than {LONGEST_LINE} bytes");
                    return Err(vec![self.fault(&what, "write a time on each line, or a table in CSV")]);
                }
            };
            let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { text };
            reading.line(number, text.trim_end_matches(['\n', '\r']))?;
        }
    }
}

impl fmt::Display for Measured {
    /// As in a `.skel` text.
    #[cfg_attr(debug_assertions, inline)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "measured(\"{}\"", self.file)?;
        match &self.column {
            Some(Column::Name(name)) => write!(f, ", \"{name}\"")?,
            Some(Column::Number(number)) => write!(f, ", {number}")?,
            None => {}
        }
        if let Some(unit) = self.unit {
            write!(f, ", {}", unit.word())?;
        }
        f.write_str(")")
    }
}

/// A table that is being read.
struct Reading<'m> {
    asked: &'m Measured,
    /// What stands between cells, once a line was read.
    separator: char,
    /// The number of the column that counts, from 0, once it is known.
    column: Option<usize>,
    unit: Option<TimeUnit>,
    count: u64,
    mean: f64,
    /// The sum of squared differences from the mean.
    squares: f64,
    faults: Faults,
    /// How many faults are not told one by one.
    more: u64,
}

impl<'m> Reading<'m> {
    #[cfg_attr(debug_assertions, inline)]
    fn of(asked: &'m Measured) -> Self {
        Reading {
            asked,
            separator: ',',
            column: None,
            unit: asked.unit,
            count: 0,
            mean: 0.0,
            squares: 0.0,
            faults: Vec::new(),
            more: 0,
        }
    }

    /// Reads one line. Lines without anything are left out.
    #[cfg_attr(debug_assertions, inline)]
    fn line(&mut self, number: u64, text: &str) -> Result<(), Faults> {
        if text.trim().is_empty() {
            return Ok(());
        }
        let column = match self.column {
            Some(column) => column,
            None => {
                self.separator = ['\t', ';'].into_iter().find(|&one| text.contains(one)).unwrap_or(',');
                let cells = cells(text, self.separator);
                let column = self.choose(&cells)?;
                self.column = Some(column);
                if is_heading(&cells[column].1) {
                    return self.heading(&cells[column].1);
                }
                column
            }
        };
        let cells = cells(text, self.separator);
        match cells.get(column) {
            Some((at, cell)) => self.time(number, *at, cell),
            None => {
                let what = match cells.len() {
                    1 => "has 1 cell".to_owned(),
                    count => format!("has {count} cells"),
                };
                self.wrong(
                    number,
                    text.chars().count() + 1,
                    &format!("the line {what}, none in column {}", column + 1),
                );
            }
        }
        Ok(())
    }

    /// The column that counts, from the cells of the first line.
    #[cfg_attr(debug_assertions, inline)]
    fn choose(&self, cells: &[(usize, String)]) -> Result<usize, Faults> {
        let count = cells.len();
        let are_names = cells.iter().any(|(_, cell)| is_heading(cell));
        let names: Vec<String> = cells.iter().map(|(_, cell)| format!("`{}`", shorten(cell))).collect();
        let columns = match (count, are_names) {
            (1, true) => format!("has one column, {}", names[0]),
            (1, false) => "has one column".to_owned(),
            (_, true) => format!("has {count} columns: {}", names.join(", ")),
            (_, false) => format!("has {count} columns"),
        };
        let wrong = |what: &str, help: String| Err(vec![self.asked.fault(what, help)]);
        match &self.asked.column {
            None if count == 1 => Ok(0),
            None => {
                let (_, last) = &cells[count - 1];
                let example = if are_names { format!("\"{last}\"") } else { count.to_string() };
                let file = &self.asked.file;
                let help = format!("say which one counts, as in `measured(\"{file}\", {example})`");
                wrong(&columns, format!("{help}; numbers have a decimal point"))
            }
            Some(Column::Number(number)) if (1..=count).contains(number) => Ok(number - 1),
            Some(Column::Number(number)) => {
                wrong(&format!("has no column {number}"), format!("it {columns}; the first has the number 1"))
            }
            Some(Column::Name(name)) => {
                let named = |known: &&(usize, String)| known.1 == *name || without_unit(&known.1).0 == name;
                let missing = format!("has no column `{}`", shorten(name));
                let near = did_you_mean(name, cells.iter().map(|(_, cell)| without_unit(cell).0));
                match (cells.iter().position(|cell| named(&cell)), near) {
                    (Some(place), _) => Ok(place),
                    (None, Some(near)) if are_names => {
                        wrong(&missing, format!("did you mean `{near}`? It {columns}"))
                    }
                    (None, _) if are_names => wrong(&missing, format!("it {columns}")),
                    _ => wrong(
                        &missing,
                        "its first line has no names: choose a column by its number, from 1".to_owned(),
                    ),
                }
            }
        }
    }

    /// Takes the unit that stands behind the name of the column.
    #[cfg_attr(debug_assertions, inline)]
    fn heading(&mut self, heading: &str) -> Result<(), Faults> {
        match (without_unit(heading).1, self.unit) {
            (Some(written), Some(asked)) if written != asked => {
                let what = format!(
                    "says `{}` at its first line, where `{}` is asked for",
                    shorten(heading),
                    asked.word()
                );
                Err(vec![self.asked.fault(&what, "leave the unit out, or write the one of the file")])
            }
            (written, asked) => {
                self.unit = asked.or(written);
                Ok(())
            }
        }
    }

    /// Adds a time.
    #[cfg_attr(debug_assertions, inline)]
    fn time(&mut self, line: u64, at: usize, cell: &str) {
        let time = match cell.parse::<f64>() {
            _ if cell.is_empty() => return self.wrong(line, at, "the cell is empty"),
            Ok(time) if time.is_finite() && time >= 0.0 => time,
            Ok(time) if time.is_finite() => {
                return self.wrong(line, at, &format!("the time {} is negative", shorten(cell)));
            }
            _ => return self.wrong(line, at, &format!("`{}` is not a number", shorten(cell))),
        };
        self.count += 1;
        let before = time - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (time - self.mean);
    }

    #[cfg_attr(debug_assertions, inline)]
    fn wrong(&mut self, line: u64, column: usize, what: &str) {
        if self.faults.len() == MOST_FAULTS {
            self.more += 1;
            return;
        }
        self.faults.push(MeasuredError {
            message: format!("{}:{line}:{column}: {what}", self.asked.file),
            help: "each line has a time: a number of 0 or more, with a decimal point".to_owned(),
        });
    }

    /// What was measured.
    #[cfg_attr(debug_assertions, inline)]
    fn finish(mut self) -> Result<Measurement, Faults> {
        if let (Some(last), true) = (self.faults.last_mut(), self.more > 0) {
            last.message += &format!(" (and {} more lines that are wrong)", self.more);
        }
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        let one = |what: &str, help: &str| Err(vec![self.asked.fault(what, help)]);
        let scv = self.squares / (self.count as f64 - 1.0) / self.mean / self.mean;
        match self.count {
            0 => one("has no times", "measure at least two, so that their variation is known"),
            1 => one(
                "has one time, of which the variation is not known",
                "measure more, or say the time itself",
            ),
            _ if self.mean == 0.0 => one("has only times of 0", "measure with a clock that is finer"),
            _ if !(self.mean.is_normal() && scv.is_finite()) => {
                one("has times that are too large or too small to be squared", "choose another unit of time")
            }
            count => {
                let unit = self.unit.map_or_else(|| Ratio::from_integer(1.into()), TimeUnit::in_seconds);
                let (mean, scv) = (fifteen_digits(self.mean) * unit, fifteen_digits(scv));
                Ok(Measurement { source: self.asked.clone(), count, mean, scv })
            }
        }
    }
}

/// Whether a cell of the first line is the name of a column: something that is no number, and does not begin
/// as one.
fn is_heading(cell: &str) -> bool {
    let begins_as_number = cell.starts_with(|c: char| c.is_ascii_digit() || ['-', '+', '.'].contains(&c));
    !cell.is_empty() && !begins_as_number && cell.parse::<f64>().is_err()
}

/// A name without the unit behind it, and the unit.
#[cfg_attr(debug_assertions, inline)]
fn without_unit(heading: &str) -> (&str, Option<TimeUnit>) {
    let bare = heading.trim_end_matches([')', ']']);
    for unit in TimeUnit::ALL {
        let Some(before) = bare.strip_suffix(unit.word()) else { continue };
        if before.is_empty() || before.ends_with(['(', '[', '_', ' ']) {
            return (before.trim_end_matches(['(', '[', '_', ' ']), Some(unit));
        }
    }
    (heading, None)
}

/// The cells of a line without their quotation marks, each with its column in the line, from 1 and in
/// characters. What stands between quotation marks separates nothing.
#[cfg_attr(debug_assertions, inline)]
fn cells(text: &str, separator: char) -> Vec<(usize, String)> {
    let mut cells = vec![(1, String::new())];
    let mut is_quoted = false;
    for (column, character) in text.chars().enumerate() {
        match (character, cells.last_mut()) {
            ('"', _) => is_quoted = !is_quoted,
            (other, _) if other == separator && !is_quoted => cells.push((column + 2, String::new())),
            (other, Some((_, cell))) => cell.push(other),
            (_, None) => {}
        }
    }
    for (column, cell) in &mut cells {
        *column += cell.chars().take_while(|character| *character == ' ').count();
        *cell = cell.trim().to_owned();
    }
    cells
}

/// A positive float as the decimal of its first 15 digits, or 0.
#[cfg_attr(debug_assertions, inline)]
fn fifteen_digits(value: f64) -> Ratio {
    decimal(&format!("{value:.14e}")).unwrap_or_else(|_| Ratio::from_integer(0.into()))
}

#[cfg(test)]
mod tests {
    use super::{Measured, TimeUnit};
    use crate::number::ratio;

    /// What is found in a text of this name.
    fn faults(asked: &Measured, text: &str) -> Vec<String> {
        let faults = asked.read_text(text).err().unwrap_or_default();
        faults.into_iter().map(|fault| fault.message).collect()
    }

    #[test]
    fn tables() {
        let file = || Measured::from_file("t.csv");
        for (asked, text) in [
            (file(), "0.008\n0.012\n0.010\n"),
            (file(), "\u{feff}time\r\n0.008\r\n0.012\r\n\r\n0.010\r\n"),
            (file(), "time [ms]\n8\n12\n10"),
            (file(), "ms\n8\n12\n10"),
            (file().unit(TimeUnit::Milliseconds), "8\n12\n10"),
            (file().unit(TimeUnit::Microseconds), "8e3\n12e3\n10e3"),
            (file().column(2), "1;0.008\n2;0.012\n3;0.010\n"),
            (file().column("b_ms"), "a_ms\tb_ms\n1\t8\n2\t12\n3\t10\n"),
            (file().column("b"), "a,\"b (ms)\",c\nx, 8,\ny,12\n\"z, z\",10,1,2\n"),
            (file().column(2), "a,times\nx,0.008\ny,0.012\nz,0.010\n"),
        ] {
            let found = asked.read_text(text).unwrap();
            assert_eq!((found.count, found.mean, found.scv), (3, ratio(1, 100), ratio(1, 25)), "{text}");
        }
        let equal = file().read_text("2\n2\n2\n").unwrap();
        assert_eq!((equal.mean, equal.scv), (ratio(2, 1), ratio(0, 1)));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let file = || Measured::from_file("t.csv");
        for (asked, text, messages) in [
            (file(), "", &["`t.csv` has no times"] as &[&str]),
            (file(), "time\n\n", &["`t.csv` has no times"]),
            (file(), "time\n3\n", &["`t.csv` has one time, of which the variation is not known"]),
            (file(), "0\n0\n", &["`t.csv` has only times of 0"]),
            (file(), "1e200\n3e200\n", &["`t.csv` has times that are too large or too small to be squared"]),
            (file(), "1,5\n2,5\n", &["`t.csv` has 2 columns"]),
            (file(), "a,b\n1,5\n", &["`t.csv` has 2 columns: `a`, `b`"]),
            (file().column("c"), "a,b\n1,5\n", &["`t.csv` has no column `c`"]),
            (file().column("c"), "1\n5\n", &["`t.csv` has no column `c`"]),
            (file().column(0), "1\n5\n", &["`t.csv` has no column 0"]),
            (
                file(),
                "12ms\n14ms\n",
                &["t.csv:1:1: `12ms` is not a number", "t.csv:2:1: `14ms` is not a number"],
            ),
            (
                file().unit(TimeUnit::Seconds),
                "parse (ms)\n5\n",
                &["`t.csv` says `parse (ms)` at its first line, where `s` is asked for"],
            ),
            (
                file().column(2),
                "a,b\n1,x\n2,-3\n3,NaN\n4\n5,\n6,inf\n7,1\n",
                &[
                    "t.csv:2:3: `x` is not a number",
                    "t.csv:3:3: the time -3 is negative",
                    "t.csv:4:3: `NaN` is not a number",
                    "t.csv:5:2: the line has 1 cell, none in column 2 (and 2 more lines that are wrong)",
                ],
            ),
        ] {
            assert_eq!(faults(&asked, text), messages, "{text}");
        }
        let long = "1".repeat(70_000);
        assert_eq!(
            faults(&file(), &long),
            ["`t.csv` is no table: line 1 is no text, or longer than 65536 bytes"]
        );
        let missing = file().read_in(std::path::Path::new("no_such_folder")).unwrap_err();
        assert!(missing[0].message.starts_with("`t.csv` cannot be read: "), "{}", missing[0].message);
    }
}
