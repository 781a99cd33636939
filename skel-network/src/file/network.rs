//! The machines of a network, and what is known of the links between them.

use std::collections::BTreeMap;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};

use super::experiment::Experiment;
use super::given::GivenModel;
use super::group::{Group, NAMES, is_name, names};
use super::latencies::{self, is_time};
use crate::measurement::{Measured, Measurement};
use crate::partition::LatencyMatrix;
use crate::quantity::{Bytes, Time, median};

/// The most machines that a network may have.
pub const MOST_MACHINES: usize = 4096;

/// The machines of a network, the latencies between them, and what else is known of their links: given
/// models, timed messages and timed operations.
///
/// # Examples
/// ```
/// use skel_network::{Network, Time};
/// let network = Network::from_toml("
///     machines = ['near', 'far']
///     latency = [['-', '48.39us'], ['48.39us', '-']]
/// ")?;
/// assert_eq!(network.latency("far", "near"), Some(Time::microseconds(48.39)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    pub(super) groups: Vec<Group>,
    /// A row for each group, with the latency inside of it on the diagonal.
    pub(super) latencies: Vec<Option<Time>>,
    pub(super) models: Vec<GivenModel>,
    pub(super) measurements: Vec<Measurement>,
    pub(super) experiments: Vec<Experiment>,
    pub(super) combine_per_byte: Time,
    /// The number and the group of each machine, by name.
    machines: BTreeMap<String, (usize, usize)>,
    /// The latencies that were measured, for pairs of machines, the lower number first.
    measured: BTreeMap<(usize, usize), Time>,
}

impl Network {
    /// Groups of machines, and the latencies between them: a row for each group, in which the place on the
    /// diagonal is the latency between two machines of the group. A group of one machine has none there.
    /// Latencies that measurements will give may be left out.
    ///
    /// # Errors
    /// No machine, or too many; a name that is there twice; a matrix that is not square or not symmetric; a
    /// latency that is negative or not a number.
    pub fn new(groups: Vec<Group>, latencies: &[Vec<Option<Time>>]) -> Result<Network, BuildErrors> {
        let mut errors = wrong_groups(&groups);
        errors.extend(latencies::wrong_shape(&groups, latencies));
        if errors.is_empty() {
            let at = |row: usize, column: usize| latencies[row][column];
            errors.extend(latencies::faults(&groups, &at).into_iter().map(|fault| fault.error));
        }
        match errors.is_empty() {
            true => Ok(Network::checked(groups, latencies.concat())),
            false => Err(BuildErrors(errors)),
        }
    }

    /// Groups and latencies in which nothing is wrong.
    pub(super) fn checked(groups: Vec<Group>, mut latencies: Vec<Option<Time>>) -> Network {
        let count = groups.len();
        for (at, group) in groups.iter().enumerate().filter(|(_, group)| group.machines().len() < 2) {
            debug_assert!(!group.machines().is_empty());
            latencies[at * count + at] = None;
        }
        let machines = groups
            .iter()
            .enumerate()
            .flat_map(|(at, group)| group.machines().iter().map(move |name| (name, at)));
        let machines = machines.enumerate().map(|(number, (name, group))| (name.clone(), (number, group)));
        Network {
            machines: machines.collect(),
            latencies,
            groups,
            models: Vec::new(),
            measurements: Vec::new(),
            experiments: Vec::new(),
            combine_per_byte: Time::ZERO,
            measured: BTreeMap::new(),
        }
    }

    /// The machines that measurements name, each a group of its own.
    ///
    /// # Errors
    /// No measurement, or too many machines.
    pub fn measured(measurements: Vec<Measurement>) -> Result<Network, BuildErrors> {
        let mut names: Vec<&String> = Vec::new();
        let mut known = std::collections::BTreeSet::new();
        for measurement in &measurements {
            names.extend([&measurement.from, &measurement.to].into_iter().filter(|name| known.insert(*name)));
        }
        let groups: Vec<Group> = names.into_iter().map(Group::machine).collect();
        let none = vec![vec![None; groups.len()]; groups.len()];
        Network::new(groups, &none)?.with_measurements(measurements)
    }

    /// The same network with these measurements besides those that it has. A measurement of a machine with
    /// itself is one between two of its threads or processes; it says nothing of the links between machines.
    ///
    /// # Errors
    /// A measurement of a machine that the network does not have.
    pub fn with_measurements(mut self, measurements: Vec<Measurement>) -> Result<Network, BuildErrors> {
        let unknown = |name: &String| {
            let message = format!("there is no machine `{name}`, which a measurement names");
            let help = "measure between machines of the network".into();
            (!self.machines.contains_key(name)).then_some(BuildError {
                code: Code::UnknownMachine,
                message,
                help,
            })
        };
        let mut errors: Vec<BuildError> =
            measurements.iter().flat_map(|one| [&one.from, &one.to]).filter_map(unknown).collect();
        errors.dedup();
        if !errors.is_empty() {
            return Err(BuildErrors(errors));
        }
        self.measurements.extend(measurements);
        self.measured = self.measured_latencies();
        Ok(self)
    }

    /// The same network with models that are given besides those that it has.
    ///
    /// # Errors
    /// A model for a machine or group that the network does not have, or for a machine and itself.
    pub fn with_models(
        mut self,
        models: impl IntoIterator<Item = GivenModel>,
    ) -> Result<Network, BuildErrors> {
        let models: Vec<GivenModel> = models.into_iter().collect();
        let mut errors = Vec::new();
        for (one, other) in models.iter().filter_map(GivenModel::ends) {
            errors.extend([one, other].into_iter().filter_map(|name| self.unknown(name, "a model")));
            if one == other && self.machines.contains_key(one) {
                errors.push(BuildError {
                    code: Code::OutOfRange,
                    message: format!("`{one}` is one machine, and has no link to itself"),
                    help: "give a model between two machines, or inside of a cluster".into(),
                });
            }
        }
        self.models.extend(models);
        if errors.is_empty() { Ok(self) } else { Err(BuildErrors(errors)) }
    }

    /// The same network with timed collective operations besides those that it has.
    ///
    /// # Errors
    /// An operation that was timed at a machine or group that the network does not have.
    pub fn with_experiments(mut self, experiments: Vec<Experiment>) -> Result<Network, BuildErrors> {
        let places = experiments.iter().filter_map(|one| one.at.as_deref());
        let mut errors: Vec<BuildError> =
            places.filter_map(|name| self.unknown(name, "an experiment")).collect();
        errors.dedup();
        self.experiments.extend(experiments);
        if errors.is_empty() { Ok(self) } else { Err(BuildErrors(errors)) }
    }

    /// The same network, where combining two messages of a reduction takes some time for each byte.
    ///
    /// # Errors
    /// The time is negative, infinite or not a number.
    pub fn with_combining(mut self, time_per_byte: Time) -> Result<Network, BuildErrors> {
        if !is_time(time_per_byte) {
            let message = format!("combining takes {time_per_byte} for each byte");
            let help = "it is a time of 0 or more, and finite".into();
            return Err(BuildErrors(vec![BuildError { code: Code::OutOfRange, message, help }]));
        }
        self.combine_per_byte = time_per_byte;
        Ok(self)
    }

    /// The error that no machine and no group has this name.
    fn unknown(&self, name: &str, user: &str) -> Option<BuildError> {
        self.group_of(name).is_none().then(|| BuildError {
            code: Code::UnknownMachine,
            message: format!("there is no machine or cluster `{name}`, which {user} names"),
            help: "name a machine or a cluster of the network".into(),
        })
    }

    /// The groups in which the machines are written.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The names of all machines.
    pub fn machines(&self) -> impl Iterator<Item = &str> + Clone {
        self.groups.iter().flat_map(|group| group.machines().iter().map(String::as_str))
    }

    /// How many machines there are.
    #[must_use]
    pub fn machine_count(&self) -> usize {
        self.machines.len()
    }

    /// The models that are given.
    #[must_use]
    pub fn models(&self) -> &[GivenModel] {
        &self.models
    }

    /// The timed collective operations.
    #[must_use]
    pub fn experiments(&self) -> &[Experiment] {
        &self.experiments
    }

    /// How long combining two messages of a reduction takes for each byte.
    #[must_use]
    pub fn combine_per_byte(&self) -> Time {
        self.combine_per_byte
    }

    /// The timed messages.
    #[must_use]
    pub fn measurements(&self) -> &[Measurement] {
        &self.measurements
    }

    /// The latency between two machines, in either direction: as it is written, or else the median time of
    /// the smallest message that was timed between them by a round trip.
    #[must_use]
    pub fn latency(&self, from: &str, to: &str) -> Option<Time> {
        let [one, other] = [from, to].map(|name| self.machines.get(name).copied());
        self.latency_of(one?, other?)
    }

    /// The latency between two machines that are given by their numbers and groups.
    fn latency_of(&self, one: (usize, usize), other: (usize, usize)) -> Option<Time> {
        let written = || self.group_latency(one.1, other.1);
        let measured = || self.measured.get(&ordered(one.0, other.0)).copied();
        if one.0 == other.0 { None } else { written().or_else(measured) }
    }

    /// The latencies between all machines, in the order of [`Network::machines`].
    ///
    /// # Errors
    /// Each pair of machines without a latency: neither written nor measured. After the first few pairs the
    /// others are counted.
    ///
    /// # Examples
    /// ```
    /// use skel_network::Network;
    /// let network = Network::from_toml("
    ///     latency = [['48.39us', '6.58ms'], ['6.58ms', '-']]
    ///     cluster = [{ name = 'orsay', machines = 2 }, { name = 'sophia', machines = 1 }]
    /// ")?;
    /// let matrix = network.latency_matrix()?;
    /// assert_eq!(matrix.names(), ["orsay-1", "orsay-2", "sophia"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn latency_matrix(&self) -> Result<LatencyMatrix, BuildErrors> {
        let all: Vec<(usize, usize)> = self
            .groups
            .iter()
            .enumerate()
            .flat_map(|(at, group)| group.machines().iter().map(move |_| at))
            .enumerate()
            .collect();
        let row = |&one: &(usize, usize)| all.iter().map(|&other| self.latency_of(one, other)).collect();
        let rows: Vec<Vec<Option<Time>>> = all.iter().map(row).collect();
        LatencyMatrix::new(self.machines(), &rows)
    }

    /// Pairs of groups without a written latency, and groups of several machines without one inside, as a
    /// pair with itself.
    pub(super) fn groups_without_latency(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs =
            (0..self.groups.len()).flat_map(|one| (one..self.groups.len()).map(move |other| (one, other)));
        let is_open = |&(one, other): &(usize, usize)| {
            self.group_latency(one, other).is_none()
                && (one != other || self.groups[one].machines().len() > 1)
        };
        pairs.filter(is_open).map(|(one, other)| (self.groups[one].name(), self.groups[other].name()))
    }

    /// Pairs of machines, in their order, without a latency.
    pub(super) fn pairs_without_latency(&self) -> impl Iterator<Item = (&str, &str)> {
        let groups = self.groups.iter().enumerate();
        let pairs = groups.flat_map(move |(one, group)| {
            let others = self.groups.iter().enumerate().skip(one);
            let open = others.filter(move |&(other, _)| self.group_latency(one, other).is_none());
            open.map(move |(other, to)| (one, other, group, to))
        });
        let machines = pairs.flat_map(|(one, other, group, to)| {
            group.machines().iter().enumerate().flat_map(move |(at, from)| {
                let skipped = if one == other { at + 1 } else { 0 };
                to.machines().iter().skip(skipped).map(move |to| (from, to))
            })
        });
        machines
            .map(|(from, to)| (from.as_str(), to.as_str()))
            .filter(|(from, to)| self.latency(from, to).is_none())
    }

    /// The latency that is written for two groups, or inside of one.
    pub(super) fn group_latency(&self, one: usize, other: usize) -> Option<Time> {
        self.latencies[one * self.groups.len() + other]
    }

    /// The number of a group that has this machine or this name.
    pub(super) fn group_of(&self, name: &str) -> Option<usize> {
        let by_name = || self.groups.iter().position(|group| group.name() == name);
        self.machines.get(name).map(|(_, group)| *group).or_else(by_name)
    }

    /// The median time of the smallest message of each pair that was timed by a round trip.
    fn measured_latencies(&self) -> BTreeMap<(usize, usize), Time> {
        let mut smallest: BTreeMap<(usize, usize), (Bytes, Vec<Time>)> = BTreeMap::new();
        for one in self
            .measurements
            .iter()
            .filter(|one| one.measured == Measured::HalfRoundTrip && one.from != one.to)
        {
            let ends = [&one.from, &one.to].map(|name| self.machines[name].0);
            let entry = smallest.entry(ordered(ends[0], ends[1])).or_insert((one.size, Vec::new()));
            if one.size < entry.0 {
                *entry = (one.size, Vec::new());
            }
            if one.size == entry.0 {
                entry.1.push(one.time);
            }
        }
        smallest.into_iter().filter_map(|(pair, (_, times))| Some((pair, median(times)?))).collect()
    }
}

fn ordered(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

/// What is wrong with the names and numbers of machines.
fn wrong_groups(groups: &[Group]) -> Vec<BuildError> {
    let count: usize = groups.iter().map(|group| group.machines().len()).sum();
    let mut errors = Vec::new();
    let mut wrong = |code: Code, message: String, help: &str| {
        errors.push(BuildError { code, message, help: help.to_owned() });
    };
    if count == 0 || count > MOST_MACHINES {
        let help = format!("there may be from 1 to {MOST_MACHINES}");
        wrong(Code::OutOfRange, format!("the network has {count} machines"), &help);
    }
    for group in groups.iter().filter(|group| group.machines().is_empty()) {
        wrong(Code::OutOfRange, format!("`{}` has no machine", group.name()), "give it one or more");
    }
    for name in groups.iter().flat_map(names).filter(|name| !is_name(name)) {
        wrong(Code::Syntax, format!("a machine or cluster has the name {name:?}"), NAMES);
    }
    let mut known = std::collections::BTreeSet::new();
    for name in groups.iter().flat_map(names).filter(|name| !known.insert(*name)) {
        let message = format!("two machines or clusters have the name `{name}`");
        wrong(Code::DuplicateDefinition, message, "give each a name of its own");
    }
    errors
}
