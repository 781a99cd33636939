//! Timed runs between two machines, as rows.

use skel_core::diagnostic::{Code, did_you_mean};

use skel_toml::Value;

use super::reader::Reader;
use super::rows::{Cells, TIME_COLUMNS, Table};
use crate::file::words::{BURST, MEASURED, of_measured};
use crate::measurement::{Measured, Measurement};

/// `spread` and `repetitions` are for whoever reads the table; no model depends on them.
const COLUMNS: [&str; 12] =
    ["from", "to", "what", "messages", "bytes", "time", "seconds", "ms", "us", "ns", "spread", "repetitions"];

impl Reader<'_> {
    /// Measurements, with the machines that are known. Without any, all are.
    pub(super) fn measurements(
        &mut self,
        value: &Value<'_>,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Vec<Measurement> {
        let Some(mut table) = self.table(value, "`measurements`") else { return Vec::new() };
        let Some(columns) = table.columns(self, COLUMNS, &["from", "to", "what", "bytes"]) else {
            return Vec::new();
        };
        let times = [columns[5], columns[6], columns[7], columns[8], columns[9]];
        if !table.has_one_time(self, times) {
            return Vec::new();
        }
        let rows = table.take_rows(self);
        let mut measurements = Vec::with_capacity(rows.len());
        for row in &rows {
            let mut cells = Cells::of(row);
            let read = measurement(&mut cells, columns, times, is_known);
            cells.report(&mut table, self);
            measurements.extend(read);
        }
        table.finish(self);
        measurements
    }
}

fn measurement(
    cells: &mut Cells<'_>,
    columns: [Option<usize>; 12],
    times: [Option<usize>; 5],
    is_known: &dyn Fn(&str) -> bool,
) -> Option<Measurement> {
    let [from, to, what, messages, bytes, ..] = columns;
    let ends = [(from, "from"), (to, "to")].map(|(column, name)| {
        let machine = cells.required(column, name)?;
        if !is_known(machine) {
            let message = format!("there is no machine `{machine}`");
            cells.wrong(
                Code::UnknownMachine,
                message,
                "the machines are those of the file with this table".into(),
            );
            return None;
        }
        Some(machine.to_owned())
    });
    let what = cells.required(what, "what").and_then(|word| measured(cells, word, messages));
    let size = cells.required(bytes, "bytes").and_then(|text| cells.parsed(text, "bytes"));
    let time = cells.time(times);
    let [from, to] = ends;
    let (from, to) = (from?, to?);
    Some(Measurement { from, to, measured: what?, size: size?, time: time? })
}

/// What was timed.
fn measured(cells: &mut Cells<'_>, word: &str, messages: Option<usize>) -> Option<Measured> {
    if word == BURST {
        let count = cells.required(messages, "messages")?;
        return cells.count(count, "messages").map(|messages| Measured::Burst { messages });
    }
    let known = MEASURED.into_iter().find(|&known| of_measured(known) == word);
    if known.is_none() {
        let words = || MEASURED.into_iter().map(of_measured).chain([BURST]);
        let help = match did_you_mean(word, words()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it is one of {}", words().collect::<Vec<_>>().join(", ")),
        };
        cells.wrong(Code::UnknownEntry, format!("`{word}` is nothing that is measured"), help);
    }
    known
}

impl Table {
    /// Whether there is one column with times, and no more.
    pub(super) fn has_one_time(&mut self, reader: &mut Reader<'_>, times: [Option<usize>; 5]) -> bool {
        match times.iter().flatten().count() {
            0 => {
                let message = "there is no column with times";
                let help = format!("name it by its unit: {}", TIME_COLUMNS.join(", "));
                self.report(reader, 1, Code::MissingEntry, message, &help);
            }
            1 => return true,
            _ => self.report(
                reader,
                1,
                Code::DuplicateDefinition,
                "several columns have times",
                "keep one of them",
            ),
        }
        false
    }
}
