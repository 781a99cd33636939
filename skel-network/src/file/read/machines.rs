//! The machines of the file: `machines` and `[[cluster]]`.

use std::collections::BTreeMap;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_toml::{DeTable, DeValue, Value, place};

use super::models::Names;
use super::reader::Reader;
use crate::file::group::{Group, NAMES, is_name, names};
use crate::file::network::MOST_MACHINES;
use crate::quantity::Time;

/// Groups of machines as they are written.
pub(super) struct Machines {
    pub(super) groups: Vec<Group>,
    /// The place of each.
    pub(super) places: Vec<TextSpan>,
    /// The latency inside of each cluster that says its own, with its place.
    pub(super) inside: Vec<Option<(Time, TextSpan)>>,
    /// Whether all of them could be read.
    pub(super) are_complete: bool,
}

const HELP: &str =
    "write their names, machines = [\"orsay-1\", \"orsay-2\"], or a `[[cluster]]` of equal ones";

impl Machines {
    /// The names that other parts of the file may use.
    pub(super) fn names(&self) -> Names {
        Names {
            groups: self.groups.iter().map(|group| group.name().to_owned()).collect(),
            machines: self.groups.iter().flat_map(Group::machines).cloned().collect(),
        }
    }

    fn push(&mut self, group: Group, at: TextSpan, inside: Option<(Time, TextSpan)>) {
        self.groups.push(group);
        self.places.push(at);
        self.inside.push(inside);
    }
}

impl Reader<'_> {
    /// All machines: those of `machines`, and behind them the clusters.
    pub(super) fn machines(&mut self, file: &DeTable<'_>) -> Machines {
        let before = self.found.count();
        let mut all =
            Machines { groups: Vec::new(), places: Vec::new(), inside: Vec::new(), are_complete: false };
        if let Some(value) = file.get("machines") {
            self.single_machines(value, &mut all);
        }
        if let Some(value) = file.get("cluster") {
            for (at, table) in self.found.tables(value, "cluster") {
                self.cluster(at, table, &mut all);
            }
        }
        self.wrong_names(&all);
        let count: usize = all.groups.iter().map(|group| group.machines().len()).sum();
        if count > MOST_MACHINES {
            let at = all.places.last().copied().unwrap_or_else(|| self.end());
            let message = format!("the network has {count} machines");
            self.found.report(Code::OutOfRange, at, message, format!("there may be at most {MOST_MACHINES}"));
        }
        all.are_complete = self.found.count() == before;
        all
    }

    fn single_machines(&mut self, value: &Value<'_>, all: &mut Machines) {
        let Some(entries) = self.found.list(value, "`machines`", HELP) else { return };
        for entry in entries {
            if let Some(name) = self.name(entry, "the name of a machine") {
                all.push(Group::machine(name), place(entry.span()), None);
            }
        }
    }

    /// A name that is not empty.
    fn name<'v>(&mut self, value: &'v Value<'_>, what: &str) -> Option<&'v str> {
        let name = self.found.text(value, what, "write it in quotation marks")?;
        if !is_name(name) {
            let message = format!("{what} is {name:?}");
            self.found.report(Code::Syntax, place(value.span()), message, NAMES);
            return None;
        }
        Some(name)
    }

    fn cluster(&mut self, at: TextSpan, table: &DeTable<'_>, all: &mut Machines) {
        self.known_keys_of_cluster(table);
        let name = match table.get("name") {
            Some(value) => self.name(value, "the name of a cluster"),
            None => {
                self.found.report(
                    Code::MissingEntry,
                    at,
                    "the cluster has no `name`",
                    "write `name = \"orsay\"`, say",
                );
                None
            }
        };
        let inside = table.get("latency").filter(|value| !matches!(value.get_ref(), DeValue::Array(_)));
        let inside = inside.and_then(|value| {
            let time = self.time(value, "the latency inside of a cluster")?;
            Some((time, place(value.span())))
        });
        let Some(value) = table.get("machines") else {
            self.found.report(Code::MissingEntry, at, "the cluster has no `machines`", MACHINES_OF_CLUSTER);
            return;
        };
        let at = table.get("name").map_or(at, |name| place(name.span()));
        let group = match value.get_ref() {
            DeValue::Integer(_) => {
                self.count_of_machines(value).zip(name).map(|(count, name)| Group::equal(name, count))
            }
            DeValue::Array(_) => {
                self.machine_names(value).zip(name).map(|(names, name)| Group::named(name, names))
            }
            _ => self.found.wrong_type(value, "`machines` of a cluster", MACHINES_OF_CLUSTER),
        };
        if let Some(group) = group {
            all.push(group, at, inside);
        }
    }

    /// Keys of the file that stand behind the header of a cluster belong to the cluster, which is easily
    /// overlooked.
    fn known_keys_of_cluster(&mut self, table: &DeTable<'_>) {
        const OF_FILE: [&str; 3] = ["measurements", "experiments", "combine_per_byte"];
        let is_of_file = |key: &str, value: &DeValue<'_>| {
            OF_FILE.contains(&key) || key == "latency" && matches!(value, DeValue::Array(_))
        };
        for (key, _) in table.iter().filter(|(key, value)| is_of_file(key.get_ref(), value.get_ref())) {
            let name = key.get_ref();
            let message = format!("`{name}` stands inside of a cluster");
            self.found.report(
                Code::UnknownEntry,
                place(key.span()),
                message,
                "write it above the first `[[cluster]]`",
            );
        }
        self.found.known_keys_besides(table, &["name", "machines", "latency"], &OF_FILE, "a cluster");
    }

    fn count_of_machines(&mut self, value: &Value<'_>) -> Option<usize> {
        let count = match value.get_ref() {
            DeValue::Integer(number) => usize::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        let count = count.filter(|count| (1..=MOST_MACHINES).contains(count));
        if count.is_none() {
            let message = format!("the cluster has {} machines", &self.text[value.span()]);
            let help = format!("there may be from 1 to {MOST_MACHINES}");
            self.found.report(Code::OutOfRange, place(value.span()), message, help);
        }
        count
    }

    fn machine_names(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let entries = self.found.list(value, "`machines` of a cluster", MACHINES_OF_CLUSTER)?;
        if entries.is_empty() {
            let message = "the cluster has no machines";
            self.found.report(Code::OutOfRange, place(value.span()), message, MACHINES_OF_CLUSTER);
            return None;
        }
        let names: Vec<Option<&str>> =
            entries.iter().map(|entry| self.name(entry, "the name of a machine")).collect();
        names.into_iter().map(|name| name.map(str::to_owned)).collect()
    }

    /// Names that are there twice.
    fn wrong_names(&mut self, all: &Machines) {
        let mut first: BTreeMap<&String, TextSpan> = BTreeMap::new();
        for (group, &at) in all.groups.iter().zip(&all.places) {
            for name in names(group) {
                let Some(before) = first.insert(name, at) else { continue };
                let message = format!("two machines or clusters have the name `{name}`");
                let finding = Diagnostic::new(Code::DuplicateDefinition, at, message)
                    .related(before, "first here")
                    .help("give each a name of its own; the machines of a cluster `c` are `c-1`, `c-2` and so on");
                self.found.push(finding);
            }
        }
    }
}

const MACHINES_OF_CLUSTER: &str = "write how many equal machines it has, `machines = 20`, or their names";
