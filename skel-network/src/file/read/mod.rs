//! From a text to a network, or to everything that is wrong with the text.
//!
//! The syntax of TOML is read with recovery, and the entries are looked at one by one, so that all faults are
//! reported together.

mod experiments;
mod machines;
mod matrix;
mod measurements;
mod models;
mod reader;
mod rows;

use std::path::Path;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::text::{Reading, Rejected};
use skel_toml::{DeTable, Findings, Value, place};

use self::reader::Reader;
use super::network::Network;
use crate::quantity::Time;

/// The result of reading a text.
pub type Parsed = Reading<Network>;

/// Reads a text that names no files. Never panics; the cost is about linear in the text.
///
/// # Examples
/// ```
/// use skel_network::file::parse;
/// let parsed = parse("machines = ['a', 'b']\nlatency = [['-', '3 weeks'], [1, '-']]\nmodels = 3");
/// let messages: Vec<&str> = parsed.diagnostics.iter().map(|found| found.message.as_str()).collect();
/// assert_eq!(messages, [
///     "a latency: `3 weeks` is not a time: there is no unit `weeks`",
///     "a network has no key `models`",
/// ]);
/// ```
#[must_use]
pub fn parse(text: &str) -> Parsed {
    read(text, None)
}

/// As [`parse`], for a text that is in this folder: the tables that it names are read.
#[must_use]
pub fn parse_in(text: &str, folder: &Path) -> Parsed {
    read(text, Some(folder))
}

fn read(text: &str, folder: Option<&Path>) -> Parsed {
    let mut reader = Reader { text, folder, found: Findings::default() };
    let file = reader.found.file(text);
    // Values beside an error of the syntax are guesses.
    let network = if reader.found.has_errors() { None } else { reader.file(&file) };
    Reading::new(network, reader.found.in_order(), text)
}

/// The keys of a file.
const KEYS: [&str; 7] =
    ["machines", "cluster", "latency", "model", "measurements", "experiments", "combine_per_byte"];

impl Reader<'_> {
    fn file(&mut self, file: &DeTable<'_>) -> Option<Network> {
        self.found.known_keys(file, &KEYS, "a network");
        let machines = self.machines(file);
        let names = machines.names();
        let matrix = match machines.are_complete {
            true => self.latencies(file.get("latency"), &machines),
            // A matrix of machines that are wrong would be wrong for that alone.
            false => None,
        };
        let models = file.get("model").map(|value| self.models(value, &names)).unwrap_or_default();
        let is_known = |name: &str| names.machines.contains(name);
        let measurements = file.get("measurements").map(|value| self.measurements(value, &is_known));
        let experiments = file.get("experiments").map(|value| self.experiments(value, &names));
        let combining = file.get("combine_per_byte").map_or(Some(Time::ZERO), |value| self.combining(value));
        if machines.groups.is_empty() && machines.are_complete {
            let help = "write `machines = [\"orsay-1\", \"orsay-2\"]`, or a `[[cluster]]` of equal machines";
            let at = file.get("machines").map_or_else(|| self.end(), |value| place(value.span()));
            self.found.report(Code::MissingEntry, at, "the network has no machines", help);
            return None;
        }
        let places = machines.places.clone();
        let mut network = Network::checked(machines.groups, matrix?.into_values());
        let at = file.get("measurements").map_or_else(|| self.end(), |value| place(value.span()));
        network = self.built(at, network.with_measurements(measurements.unwrap_or_default()))?;
        network.models = models;
        network.experiments = experiments.unwrap_or_default();
        network.combine_per_byte = combining?;
        self.missing_latencies(&network, &places);
        Some(network)
    }

    fn combining(&mut self, value: &Value<'_>) -> Option<Time> {
        let time = self.time(value, "`combine_per_byte`")?;
        let microseconds = time.as_microseconds();
        if !(0.0..=rows::LONGEST).contains(&microseconds) {
            let message = format!("`combine_per_byte` is {microseconds} us");
            self.found.report(
                Code::OutOfRange,
                place(value.span()),
                message,
                "it is a time of 0 or more, and finite",
            );
            return None;
        }
        Some(time)
    }
}

impl Network {
    /// The network of a text that names no files.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn from_toml(text: &str) -> Result<Network, Rejected> {
        parse(text).into_contents()
    }

    /// The network of a file, with the tables that it names.
    ///
    /// # Errors
    /// That the file cannot be read, or everything that is wrong with its text.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Network, Rejected> {
        let path = path.as_ref();
        match rows::contents(path) {
            Ok(text) => parse_in(&text, path.parent().unwrap_or(Path::new(""))).into_contents(),
            Err(why) => {
                let message = format!("{} cannot be read: {why}", path.display());
                let finding = Diagnostic::new(Code::UnreadableFile, TextSpan::NOWHERE, message);
                Err(Rejected::new(vec![finding], String::new()))
            }
        }
    }
}
