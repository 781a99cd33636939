//! Timed collective operations, as rows.

use skel_core::diagnostic::{Code, did_you_mean};

use super::models::Names;
use skel_toml::Value;

use super::reader::Reader;
use super::rows::Cells;
use crate::collective::{Algorithm, Collective, Operation};
use crate::file::experiment::Experiment;
use crate::quantity::Bytes;

const COLUMNS: [&str; 11] =
    ["operation", "algorithm", "processes", "bytes", "segment", "at", "time", "seconds", "ms", "us", "ns"];
const REQUIRED: [&str; 4] = ["operation", "algorithm", "processes", "bytes"];

impl Reader<'_> {
    pub(super) fn experiments(&mut self, value: &Value<'_>, names: &Names) -> Vec<Experiment> {
        let Some(mut table) = self.table(value, "`experiments`") else { return Vec::new() };
        let Some(columns) = table.columns(self, COLUMNS, &REQUIRED) else { return Vec::new() };
        let times = [columns[6], columns[7], columns[8], columns[9], columns[10]];
        if !table.has_one_time(self, times) {
            return Vec::new();
        }
        let rows = table.take_rows(self);
        let mut experiments = Vec::with_capacity(rows.len());
        for row in &rows {
            let mut cells = Cells::of(row);
            experiments.extend(experiment(&mut cells, columns, times, names));
            cells.report(&mut table, self);
        }
        table.finish(self);
        experiments
    }
}

fn experiment(
    cells: &mut Cells<'_>,
    columns: [Option<usize>; 11],
    times: [Option<usize>; 5],
    names: &Names,
) -> Option<Experiment> {
    let [operation, algorithm, processes, bytes, segment, at, ..] = columns;
    let operation = cells.required(operation, "operation").and_then(|name| {
        named(cells, name, "operation", Operation::named, &Operation::ALL.map(Operation::name))
    });
    let algorithm = cells.required(algorithm, "algorithm").and_then(|name| {
        named(cells, name, "algorithm", Algorithm::named, &Algorithm::ALL.map(Algorithm::name))
    });
    let processes = cells.required(processes, "processes").and_then(|text| cells.count(text, "processes"));
    let size: Option<Bytes> = cells.required(bytes, "bytes").and_then(|text| cells.parsed(text, "bytes"));
    let segment = segment_of(cells, segment);
    let time = cells.time(times);
    let at = cells.text(at).map(|name| {
        if !names.has(name) {
            let message = format!("there is no machine or cluster `{name}`");
            cells.wrong(Code::UnknownMachine, message, names.help(name));
        }
        name.to_owned()
    });
    let experiment = Experiment {
        operation: operation?,
        algorithm: algorithm?,
        processes: processes?,
        size: size?,
        segment: segment?,
        time: time?,
        at,
    };
    fits(cells, &experiment).then_some(experiment)
}

/// An operation or an algorithm.
fn named<T>(
    cells: &mut Cells<'_>,
    name: &str,
    kind: &str,
    find: impl Fn(&str) -> Option<T>,
    known: &[&'static str],
) -> Option<T> {
    let found = find(name);
    if found.is_none() {
        let help = match did_you_mean(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it is one of {}", known.join(", ")),
        };
        cells.wrong(Code::UnknownEntry, format!("there is no {kind} `{name}`"), help);
    }
    found
}

/// The segment of a row: none where there is no such column, where its cell is empty, and where it is 0.
fn segment_of(cells: &mut Cells<'_>, column: Option<usize>) -> Option<Option<Bytes>> {
    match cells.text(column) {
        None => Some(None),
        Some(text) => {
            let segment: Bytes = cells.parsed(text, "segment")?;
            Some((segment.get() > 0).then_some(segment))
        }
    }
}

/// Whether there can be such a run; otherwise it is said why not.
fn fits(cells: &mut Cells<'_>, run: &Experiment) -> bool {
    let Experiment { operation, algorithm, processes, size, segment, .. } = run;
    let before = cells.count_wrong();
    if !operation.algorithms().contains(algorithm) {
        let known: Vec<&str> = operation.algorithms().iter().map(|algorithm| algorithm.name()).collect();
        let message = format!("there is no {operation} by the algorithm {algorithm}");
        cells.wrong(Code::UnknownEntry, message, format!("its algorithms are {}", known.join(", ")));
    } else if Collective::new(*operation, *processes, *size)
        .is_ok_and(|collective| collective.algorithms().all(|known| known != *algorithm))
    {
        let message = format!("{algorithm} is not for {processes} processes");
        cells.wrong(Code::OutOfRange, message, "it needs a power of two; others take bruck".into());
    }
    match segment {
        Some(segment) if segment > size => {
            let (segment, size) = (segment.get(), size.get());
            let message =
                format!("the segment of {segment} bytes is larger than the message of {size} bytes");
            cells.wrong(
                Code::OutOfRange,
                message,
                "a message in one piece is one segment of its size".into(),
            );
        }
        Some(_) if *algorithm != Algorithm::Chain => {
            let message = format!("{algorithm} has no segments");
            cells.wrong(Code::OutOfRange, message, "leave `segment` empty, or write 0".into());
        }
        None if *algorithm == Algorithm::Chain => {
            let help = "write the size of its segments, or that of the message if it is one";
            cells.wrong(Code::MissingEntry, "the row has no `segment`".into(), help.into());
        }
        _ => {}
    }
    cells.count_wrong() == before
}
