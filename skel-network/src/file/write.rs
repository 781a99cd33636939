//! A network as a text: TOML, with its tables inside or in files of their own.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use skel_toml::{quoted, quoted_lines};

use super::experiment::Experiment;
use super::given::GivenModel;
use super::group::Group;
use super::network::Network;
use super::words::of_measured;
use crate::measurement::{Measured, Measurement};
use crate::model::{GapTable, Model};
use crate::quantity::Time;

/// Timed messages as rows of comma-separated values, as `measurements` of a network has them.
///
/// # Examples
/// ```
/// use skel_network::file::measurements_csv;
/// use skel_network::{Bytes, Measured, Measurement, Time};
/// let timed = Measurement {
///     from: "near".into(), to: "far".into(),
///     measured: Measured::HalfRoundTrip, size: Bytes::new(1024), time: Time::microseconds(52.5),
/// };
/// assert_eq!(measurements_csv(&[timed]), "from,to,what,messages,bytes,us\nnear,far,half_round_trip,,1024,52.5\n");
/// ```
#[must_use]
pub fn measurements_csv(measurements: &[Measurement]) -> String {
    let row = |one: &Measurement| {
        let messages = match one.measured {
            Measured::Burst { messages } => messages.to_string(),
            _ => String::new(),
        };
        [
            one.from.clone(),
            one.to.clone(),
            of_measured(one.measured).to_owned(),
            messages,
            one.size.get().to_string(),
            one.time.as_microseconds().to_string(),
        ]
    };
    csv(["from", "to", "what", "messages", "bytes", "us"], measurements.iter().map(row))
}

/// Timed collective operations as rows of comma-separated values, as `experiments` of a network has them.
#[must_use]
pub fn experiments_csv(experiments: &[Experiment]) -> String {
    let row = |one: &Experiment| {
        [
            one.operation.name().to_owned(),
            one.algorithm.name().to_owned(),
            one.processes.to_string(),
            one.size.get().to_string(),
            one.segment.map_or_else(String::new, |segment| segment.get().to_string()),
            one.at.clone().unwrap_or_default(),
            one.time.as_microseconds().to_string(),
        ]
    };
    let header = ["operation", "algorithm", "processes", "bytes", "segment", "at", "us"];
    csv(header, experiments.iter().map(row))
}

fn csv<const N: usize>(header: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    // A cell that begins as a comment does is put in quotation marks.
    let mut writer = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(Vec::new());
    let written = writer
        .write_record(header)
        .and_then(|()| rows.into_iter().try_for_each(|row| writer.write_record(row)));
    written.expect("rows of one length go into memory");
    let bytes = writer.into_inner().expect("memory takes what is written");
    String::from_utf8(bytes).expect("texts are written")
}

impl Network {
    /// The network as one text that names no files: its tables are inside.
    ///
    /// # Examples
    /// ```
    /// use skel_network::Network;
    /// let network = Network::from_toml("machines = ['a', 'b']\nlatency = [['-', 3], [3, '-']]")?;
    /// assert_eq!(Network::from_toml(&network.to_toml())?, network);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_toml(&self) -> String {
        let measurements = quoted_lines(&measurements_csv(&self.measurements));
        self.text(&measurements, &quoted_lines(&experiments_csv(&self.experiments)))
    }

    /// Writes the network to a file, and its tables to files beside it, which are named after it: `net.toml`,
    /// `net_measurements.csv` and `net_experiments.csv`. Files that are there are replaced.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let path = path.as_ref();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let names = ["measurements", "experiments"].map(|table| format!("{stem}_{table}.csv"));
        let tables = [measurements_csv(&self.measurements), experiments_csv(&self.experiments)];
        let are_empty = [self.measurements.is_empty(), self.experiments.is_empty()];
        for ((name, table), is_empty) in names.iter().zip(tables).zip(are_empty) {
            if !is_empty {
                std::fs::write(path.with_file_name(name), table)?;
            }
        }
        let [measurements, experiments] = names.map(|name| quoted(&name));
        std::fs::write(path, self.text(&measurements, &experiments))
    }

    fn text(&self, measurements: &str, experiments: &str) -> String {
        // Machines stand before clusters, and there may be clusters between machines in a network that Rust
        // made: then all are clusters.
        let singles = self.groups.iter().take_while(|group| is_single(group)).count();
        let mut text = String::new();
        if singles > 0 {
            let names: Vec<String> =
                self.groups[..singles].iter().map(|group| quoted(group.name())).collect();
            let _ = writeln!(text, "machines = [{}]", names.join(", "));
        }
        self.write_latencies(&mut text);
        if !self.measurements.is_empty() {
            let _ = writeln!(text, "measurements = {measurements}");
        }
        if !self.experiments.is_empty() {
            let _ = writeln!(text, "experiments = {experiments}");
        }
        if self.combine_per_byte > Time::ZERO {
            let _ = writeln!(text, "combine_per_byte = {}", number(self.combine_per_byte));
        }
        for group in &self.groups[singles..] {
            write_cluster(&mut text, group);
        }
        self.models.iter().for_each(|model| write_model(&mut text, model));
        text
    }

    fn write_latencies(&self, text: &mut String) {
        if self.latencies.iter().all(Option::is_none) {
            return;
        }
        text.push_str("latency = [\n");
        for row in self.latencies.chunks(self.groups.len()) {
            let cells: Vec<String> =
                row.iter().map(|cell| cell.map_or_else(|| "\"-\"".into(), number)).collect();
            let _ = writeln!(text, "    [{}],", cells.join(", "));
        }
        text.push_str("]\n");
    }
}

/// Whether a group is a machine of `machines`.
fn is_single(group: &Group) -> bool {
    group.machines() == [group.name()]
}

fn write_cluster(text: &mut String, group: &Group) {
    let machines = match group.is_numbered() {
        true => group.machines().len().to_string(),
        false => {
            let names: Vec<String> = group.machines().iter().map(|name| quoted(name)).collect();
            format!("[{}]", names.join(", "))
        }
    };
    let _ = writeln!(text, "\n[[cluster]]\nname = {}\nmachines = {machines}", quoted(group.name()));
}

fn write_model(text: &mut String, given: &GivenModel) {
    let _ = writeln!(text, "\n[[model]]\nkind = \"{}\"", given.model().kind());
    if let Some((one, other)) = given.ends() {
        let _ = writeln!(text, "between = [{}, {}]", quoted(one), quoted(other));
    }
    let mut key = |name: &str, value: String| {
        let _ = writeln!(text, "{name} = {value}");
    };
    let mut latency = |time: Time| {
        if !given.follows_links() {
            key("latency", number(time));
        }
    };
    match given.model() {
        Model::Hockney(model) => {
            latency(model.alpha());
            key("bandwidth", float(model.beta()));
        }
        Model::LogP(model) => {
            latency(model.l());
            key("overhead", number(model.o()));
            key("gap", number(model.g()));
            key("packet", model.w().get().to_string());
        }
        Model::LogGp(model) => {
            latency(model.l());
            key("overhead", number(model.o()));
            key("gap", number(model.g()));
            key("gap_per_byte", number(model.gap_per_byte()));
        }
        Model::LoGpc(model) => {
            let base = model.base();
            latency(base.l());
            key("overhead", number(base.o()));
            key("gap", number(base.g()));
            key("gap_per_byte", number(base.gap_per_byte()));
            key("contention", float(model.gamma()));
        }
        Model::PLogP(model) => {
            latency(model.l());
            key("gap", knots(model.g()));
            for (name, table) in [("send_overhead", model.o_s()), ("receive_overhead", model.o_r())] {
                table.into_iter().for_each(|table| key(name, knots(table)));
            }
        }
    }
}

fn knots(table: &GapTable) -> String {
    let knots: Vec<String> =
        table.knots().iter().map(|(size, time)| format!("[{}, {}]", size.get(), number(*time))).collect();
    format!("[{}]", knots.join(", "))
}

/// A time in microseconds, in as many digits as it has.
fn number(time: Time) -> String {
    float(time.as_microseconds())
}

/// A number as TOML has it.
fn float(value: f64) -> String {
    format!("{value:?}")
}
