//! Latencies as a matrix: as lists, or as rows with names.

use skel_core::diagnostic::{Code, TextSpan};
use skel_toml::{DeValue, Value, place};

use super::machines::Machines;
use super::reader::{Reader, counted};
use super::rows::{Row, Table};
use crate::file::latencies::{Fault, faults, shape};
use crate::file::network::Network;
use crate::quantity::Time;
use crate::units::TIMES;

/// The latencies of a file: a row for each group of machines.
pub(super) struct Matrix {
    values: Vec<Option<Time>>,
    count: usize,
    places: Places,
}

/// Where the values are written.
enum Places {
    /// Nowhere.
    Nowhere,
    /// A place for each.
    Each(Vec<TextSpan>),
    /// A line for each row of a table.
    Lines(Table, Vec<u64>),
}

impl Matrix {
    /// No latency at all.
    pub(super) fn empty(machines: &Machines) -> Matrix {
        let count = machines.groups.len();
        Matrix { values: vec![None; count * count], count, places: Places::Nowhere }
    }

    fn at(&self, row: usize, column: usize) -> Option<Time> {
        self.values[row * self.count + column]
    }

    pub(super) fn into_values(self) -> Vec<Option<Time>> {
        self.values
    }
}

const HELP: &str = "write a row for each machine or cluster, as [[\"-\", \"48.39us\"], [\"48.39us\", \"-\"]], or name a CSV file";

impl Reader<'_> {
    /// The matrix, if it can be read and nothing is wrong with its values.
    pub(super) fn latencies(&mut self, value: Option<&Value<'_>>, machines: &Machines) -> Option<Matrix> {
        let mut matrix = match value {
            None => Matrix::empty(machines),
            Some(value) if matches!(value.get_ref(), DeValue::String(_)) => {
                self.matrix_of_rows(value, machines)?
            }
            Some(value) => self.matrix_of_lists(value, machines)?,
        };
        self.latencies_inside(&mut matrix, machines);
        let found = faults(&machines.groups, &|row, column| matrix.at(row, column));
        let is_right = found.is_empty();
        for Fault { row, column, error } in found {
            match &mut matrix.places {
                Places::Each(places) => {
                    self.found.report(
                        error.code,
                        places[row * matrix.count + column],
                        error.message,
                        error.help,
                    );
                }
                Places::Lines(table, lines) => {
                    table.report(self, lines[row], error.code, &error.message, &error.help);
                }
                Places::Nowhere => {
                    self.found.report(error.code, machines.places[row], error.message, error.help);
                }
            }
        }
        is_right.then_some(matrix)
    }

    /// The latencies that clusters say of their insides.
    fn latencies_inside(&mut self, matrix: &mut Matrix, machines: &Machines) {
        for (row, inside) in machines.inside.iter().enumerate() {
            let Some((time, at)) = *inside else { continue };
            let value = &mut matrix.values[row * matrix.count + row];
            if value.is_some() {
                let message = format!("the latency inside `{}` is given twice", machines.groups[row].name());
                self.found.report(
                    Code::DuplicateDefinition,
                    at,
                    message,
                    "leave it out here, or write \"-\" in the matrix",
                );
                continue;
            }
            *value = Some(time);
            if let Places::Each(places) = &mut matrix.places {
                places[row * matrix.count + row] = at;
            }
        }
    }

    fn matrix_of_lists(&mut self, value: &Value<'_>, machines: &Machines) -> Option<Matrix> {
        let rows = self.found.list(value, "`latency`", HELP)?;
        let count = machines.groups.len();
        if rows.len() != count {
            let error = shape(&format!("the matrix of latencies has {} rows", rows.len()), count);
            self.found.report(error.code, place(value.span()), error.message, error.help);
            return None;
        }
        let before = self.found.count();
        let (mut values, mut places) = (Vec::new(), Vec::new());
        for (row, group) in rows.iter().zip(&machines.groups) {
            let Some(entries) = self.found.list(row, "a row of latencies", HELP) else { continue };
            if entries.len() != count {
                let message =
                    format!("the row of latencies of `{}` has {} entries", group.name(), entries.len());
                let error = shape(&message, count);
                self.found.report(error.code, place(row.span()), error.message, error.help);
            }
            for entry in entries {
                values.push(self.latency(entry));
                places.push(place(entry.span()));
            }
        }
        (self.found.count() == before).then_some(Matrix { values, count, places: Places::Each(places) })
    }

    /// A latency, or none where there is "-".
    fn latency(&mut self, entry: &Value<'_>) -> Option<Time> {
        match entry.get_ref() {
            DeValue::String(text) if text.trim() == NONE => None,
            _ => self.time(entry, "a latency"),
        }
    }

    fn matrix_of_rows(&mut self, value: &Value<'_>, machines: &Machines) -> Option<Matrix> {
        let mut table = self.table(value, "`latency`")?;
        let rows = std::mem::take(&mut table.rows);
        let before = self.found.count();
        let header = table.header.clone();
        let columns = self.places_of_names(&mut table, header.iter().skip(1), 1, machines);
        let names: Vec<&String> = rows.iter().filter_map(|row| row.cells.first()).collect();
        let order = self.places_of_rows(&mut table, &rows, &names, machines);
        table.finish(self);
        if self.found.count() > before {
            return None;
        }
        let count = machines.groups.len();
        let (mut values, mut lines) = (vec![None; count * count], vec![0; count]);
        for (row, &at) in rows.iter().zip(&order) {
            lines[at] = row.line;
            for (column, cell) in columns.iter().zip(row.cells.iter().skip(1)) {
                values[at * count + column] = self.latency_of_cell(&mut table, row, cell);
            }
        }
        table.finish(self);
        (self.found.count() == before).then_some(Matrix {
            values,
            count,
            places: Places::Lines(table, lines),
        })
    }

    /// A latency, or none where there is "-" or nothing.
    fn latency_of_cell(&mut self, table: &mut Table, row: &Row, cell: &str) -> Option<Time> {
        if cell.is_empty() || cell == NONE {
            return None;
        }
        let read = cell.parse();
        if read.is_err() {
            let message = format!("`{cell}` is not a latency");
            table.report(self, row.line, Code::BadNumber, &message, TIMES);
        }
        read.ok()
    }

    /// The rows of a matrix, each with the number of its group. Rows of another length are reported.
    fn places_of_rows(
        &mut self,
        table: &mut Table,
        rows: &[Row],
        names: &[&String],
        machines: &Machines,
    ) -> Vec<usize> {
        let width = table.header.len();
        for row in rows.iter().filter(|row| row.cells.len() != width) {
            let message = format!("the row has {}, and the header {width}", counted(row.cells.len(), "cell"));
            table.report(self, row.line, Code::BadRow, &message, "write \"-\" where there is no latency");
        }
        let last = rows.last().map_or(1, |row| row.line);
        self.places_of_names(table, names.iter().copied(), last, machines)
    }

    /// The groups of some names, each of which has to be there once.
    fn places_of_names<'n>(
        &mut self,
        table: &mut Table,
        names: impl Iterator<Item = &'n String>,
        line: u64,
        machines: &Machines,
    ) -> Vec<usize> {
        let known = machines.names();
        let (mut places, mut is_there) = (Vec::new(), vec![false; machines.groups.len()]);
        for name in names {
            match machines.groups.iter().position(|group| group.name() == name) {
                Some(at) if is_there[at] => {
                    let message = format!("`{name}` is there twice");
                    table.report(self, line, Code::DuplicateDefinition, &message, "keep one of the two");
                }
                Some(at) => {
                    is_there[at] = true;
                    places.push(at);
                }
                None => {
                    let message = format!("there is no machine or cluster `{name}`");
                    table.report(self, line, Code::UnknownMachine, &message, &known.help(name));
                }
            }
        }
        let missing = machines.groups.iter().zip(is_there).filter(|(_, is_there)| !is_there);
        for (group, _) in missing {
            let message = format!("`{}` is missing in the matrix of latencies", group.name());
            let help = "give it a row and a column: names in the first line and in the first column";
            table.report(self, line, Code::MissingEntry, &message, help);
        }
        places
    }
}

/// The most pairs that are named one by one.
const MOST_NAMED: usize = 20;

impl Reader<'_> {
    /// Reports pairs of machines that have no latency, neither written nor measured. Where nothing was
    /// measured, latencies of whole clusters are missing.
    pub(super) fn missing_latencies(&mut self, network: &Network, places: &[TextSpan]) {
        if network.measurements().is_empty() {
            self.missing(network.groups_without_latency(), network, places);
        } else {
            self.missing(network.pairs_without_latency(), network, places);
        }
    }

    fn missing<'n>(
        &mut self,
        mut missing: impl Iterator<Item = (&'n str, &'n str)>,
        network: &Network,
        places: &[TextSpan],
    ) {
        let named: Vec<(&str, &str)> = missing.by_ref().take(MOST_NAMED).collect();
        for (from, to) in named {
            let at = network.group_of(from).map_or_else(|| self.end(), |group| places[group]);
            let pair =
                if from == to { format!("inside `{from}`") } else { format!("from `{from}` to `{to}`") };
            let help = "write it in `latency`, or time round trips";
            self.found.report(Code::BadLatency, at, format!("the latency {pair} is missing"), help);
        }
        let more = missing.count();
        if more > 0 {
            let pairs = if more == 1 { "latency is" } else { "latencies are" };
            self.found.report(Code::BadLatency, self.end(), format!("{more} more {pairs} missing"), HELP);
        }
    }
}

/// Where there is no latency.
pub(super) const NONE: &str = "-";
