//! The clusters of a network, with what is known of their links, and what is chosen for each.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use skel_core::model::BuildErrors;

use super::links::{Candidate, Chosen, Links, NoModel};
use super::poly_adapt::{Basis, NotCovered, Selection, poly_adapt};
use crate::collective::{Collective, CollectiveError, Operation};
use crate::file::{Experiment, GivenModel, Network};
use crate::measurement::Measurement;
use crate::model::Model;
use crate::partition::{LatencyMatrix, Partition, Rho, Spread};
use crate::quantity::{Bytes, Time};

/// The machines of a network in logical clusters, as [`LatencyMatrix::partition`] finds them.
///
/// # Examples
/// ```
/// use skel_network::collective::{Algorithm, Operation};
/// use skel_network::partition::Rho;
/// use skel_network::{Bytes, Network};
/// let network = Network::from_toml("
///     latency = [['48.39us', '6.58ms'], ['6.58ms', '35.52us']]
///     cluster = [{ name = 'orsay', machines = 20 }, { name = 'sophia', machines = 11 }]
///     model = [{ kind = 'pLogP', gap = [[0, '10us'], ['1MiB', '8.4ms']] }]
/// ")?;
/// let clusters = network.clusters(Rho::default())?;
/// assert_eq!(clusters.names().collect::<Vec<_>>(), ["orsay", "sophia"]);
/// let broadcast = clusters.select(0, Operation::Broadcast, Bytes::new(8192))?.expect("there are 20 machines");
/// assert_eq!(broadcast.best().predicted.algorithm, Algorithm::Binomial);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Clusters<'n> {
    network: &'n Network,
    matrix: LatencyMatrix,
    levels: Vec<Partition>,
    clusters: Vec<Cluster>,
    /// The cluster of each machine.
    cluster_of: Vec<usize>,
    /// The links between each two clusters, the lower number first.
    links: BTreeMap<(usize, usize), Links>,
    combine_per_byte: Time,
}

/// A logical cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The name of its machines in the file if they are all those of one name there, or else that of its
    /// first machine with how many more there are.
    pub name: String,
    /// The numbers of its machines, in the order of [`Network::machines`].
    pub machines: Vec<usize>,
    /// The latencies inside, if it has two machines or more.
    pub latency: Option<Spread>,
    /// What is known of the links inside, if there are any.
    pub links: Option<Links>,
    /// The runs of operations in it.
    experiments: Vec<Experiment>,
}

/// Why nothing is chosen for an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum NoSelection {
    /// The experiments do not cover it, and there is no model to go by in their place.
    NoModel(Option<NotCovered>, NoModel),
    /// The model predicts no algorithm of the operation.
    Unpredicted(CollectiveError),
}

impl Network {
    /// The logical clusters: machines whose latencies differ by no more than `rho` allows.
    ///
    /// Models are fitted to the messages that were timed inside of each cluster and between each two.
    ///
    /// # Errors
    /// Each pair of machines without a latency.
    pub fn clusters(&self, rho: Rho) -> Result<Clusters<'_>, BuildErrors> {
        let matrix = self.latency_matrix()?;
        let levels = matrix.levels(rho);
        let partition = &levels[0];
        let between = matrix.between_clusters(partition);
        let cluster_of = partition.cluster_of_each();
        let numbers: BTreeMap<&str, usize> = self.machines().zip(0..).collect();
        let mut measured: BTreeMap<(usize, usize), Vec<Measurement>> = BTreeMap::new();
        for one in self.measurements().iter().filter(|one| one.from != one.to) {
            let ends = [&one.from, &one.to].map(|name| cluster_of[numbers[name.as_str()]]);
            measured.entry(ordered(ends[0], ends[1])).or_default().push(one.clone());
        }
        let given = Given { network: self, numbers: &numbers };
        let links = |one: usize, other: usize, latency: Option<Time>| {
            let machines = [one, other].map(|at| partition.clusters[at].machines.as_slice());
            let measurements = measured.get(&(one, other)).map_or(&[][..], Vec::as_slice);
            given.links(machines, latency, measurements)
        };
        let names = names(self, partition);
        let clusters = partition.clusters.iter().zip(names).enumerate().map(|(at, (found, name))| Cluster {
            name,
            machines: found.machines.clone(),
            latency: found.latency,
            links: found.latency.map(|spread| links(at, at, Some(spread.mean))),
            experiments: given.experiments(&found.machines),
        });
        let clusters: Vec<Cluster> = clusters.collect();
        let pairs = (0..clusters.len()).flat_map(|other| (0..other).map(move |one| (one, other)));
        let links = pairs.map(|(one, other)| {
            let latency = mean_between(&matrix, &between, &clusters, [one, other]);
            ((one, other), links(one, other, latency))
        });
        let links: BTreeMap<(usize, usize), Links> = links.collect();
        Ok(Clusters {
            links,
            network: self,
            clusters,
            cluster_of,
            matrix,
            levels,
            combine_per_byte: self.combine_per_byte(),
        })
    }

    /// What is known of the links between two machines or groups of the file, or inside of a group if it is
    /// given twice: the models that are given for them, and those that fit the messages that were timed on
    /// them. It is `None` if there is no such machine or group, or if a machine is given twice.
    ///
    /// Where nothing was timed between these machines, but between others of their clusters, ask
    /// [`Clusters::links`].
    ///
    /// # Examples
    /// ```
    /// use skel_network::{Bytes, CommunicationModel, Network, Time};
    /// let network = Network::from_toml("
    ///     machines = ['near', 'far']
    ///     latency = [['-', '50us'], ['50us', '-']]
    ///     model = [{ kind = 'Hockney', bandwidth = '100MB/s' }]
    /// ")?;
    /// let links = network.between("near", "far").unwrap();
    /// let model = &links.model(Bytes::new(1000))?.candidate.model;
    /// assert_eq!(model.time(Bytes::new(1000))?, Time::microseconds(60.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn between(&self, one: &str, other: &str) -> Option<Links> {
        let numbers: BTreeMap<&str, usize> = self.machines().zip(0..).collect();
        let given = Given { network: self, numbers: &numbers };
        let (from, to) = (given.machines(one)?, given.machines(other)?);
        let names: Vec<&str> = self.machines().collect();
        let pairs = from.iter().flat_map(|&a| to.iter().map(move |&b| (a, b))).filter(|(a, b)| a != b);
        let latencies: Vec<Option<Time>> = pairs.map(|(a, b)| self.latency(names[a], names[b])).collect();
        if latencies.is_empty() {
            return None;
        }
        let known: Option<Vec<Time>> = latencies.into_iter().collect();
        let mean = known.map(|known| known.iter().copied().sum::<Time>() / known.len() as f64);
        let (here, there): (BTreeSet<usize>, BTreeSet<usize>) =
            (from.iter().copied().collect(), to.iter().copied().collect());
        let is_between = |measured: &&Measurement| {
            let [a, b] = [&measured.from, &measured.to].map(|name| numbers[name.as_str()]);
            a != b && (here.contains(&a) && there.contains(&b) || here.contains(&b) && there.contains(&a))
        };
        let measurements: Vec<Measurement> = self.measurements().iter().filter(is_between).cloned().collect();
        Some(given.links([&from, &to], mean, &measurements))
    }

    /// What is known of messages within a machine: the models that fit what was measured from the machine to
    /// itself. It is `None` if there is no such machine, or nothing was measured so.
    ///
    /// # Examples
    /// ```
    /// use skel_network::{Bytes, CommunicationModel, Network};
    /// let network = Network::from_toml("
    ///     machines = ['here']
    ///     measurements = \"\"\"
    /// from, to, what, bytes, us
    /// here, here, half_round_trip, 1, 2
    /// here, here, half_round_trip, 1001, 3
    /// here, here, half_round_trip, 4001, 6
    /// \"\"\"
    /// ")?;
    /// let links = network.within("here").unwrap();
    /// let time = links.model(Bytes::new(2001))?.candidate.model.time(Bytes::new(2001))?;
    /// assert!((time.as_microseconds() - 4.0).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn within(&self, machine: &str) -> Option<Links> {
        let is_within = |one: &&Measurement| one.from == one.to && one.from == machine;
        let measurements: Vec<Measurement> = self.measurements().iter().filter(is_within).cloned().collect();
        (!measurements.is_empty()).then(|| Links::new(None, Vec::new(), &measurements))
    }
}

impl Clusters<'_> {
    /// The clusters, in the order of their first machines.
    #[must_use]
    pub fn all(&self) -> &[Cluster] {
        &self.clusters
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.clusters.iter().map(|cluster| cluster.name.as_str())
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        self.network
    }

    /// The clusters as they were found, and behind them the clusters of these clusters, up to one of all
    /// machines.
    #[must_use]
    pub fn levels(&self) -> &[Partition] {
        &self.levels
    }

    /// The latencies between all machines.
    #[must_use]
    pub fn matrix(&self) -> &LatencyMatrix {
        &self.matrix
    }

    /// The number of the cluster that has this machine, or that has this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<usize> {
        let machine = self.network.machines().position(|machine| machine == name);
        machine
            .map(|machine| self.cluster_of[machine])
            .or_else(|| self.names().position(|known| known == name))
    }

    /// The mean latency between two clusters, or inside of one; a cluster of one machine has none.
    #[must_use]
    pub fn latency(&self, one: usize, other: usize) -> Option<Time> {
        match one == other {
            true => self.clusters[one].latency.map(|spread| spread.mean),
            false => self.links(one, other).and_then(Links::latency),
        }
    }

    /// What is known of the links between two clusters, or inside of one; a cluster of one machine has none.
    #[must_use]
    pub fn links(&self, one: usize, other: usize) -> Option<&Links> {
        match one == other {
            true => self.clusters[one].links.as_ref(),
            false => self.links.get(&ordered(one, other)),
        }
    }

    /// Chooses the model and the algorithm of an operation of all machines of a cluster: by the runs of the
    /// operation that the network has for it, or else by single messages, which [`Selection::basis`] says. A
    /// machine alone needs none.
    ///
    /// # Errors
    /// There is no model, or none that covers the size; no algorithm has a prediction.
    pub fn select(
        &self,
        cluster: usize,
        operation: Operation,
        size: Bytes,
    ) -> Result<Option<Selection>, NoSelection> {
        let Cluster { machines, links, experiments, .. } = &self.clusters[cluster];
        let Some(links) = links else { return Ok(None) };
        let processes = u32::try_from(machines.len()).unwrap_or(u32::MAX);
        let collective = Collective::new(operation, processes, size)
            .and_then(|collective| collective.combining(self.combine_per_byte))
            .expect("a cluster has a machine, and the time was checked");
        let models: Vec<Model> = links.candidates().iter().map(|candidate| candidate.model.clone()).collect();
        let not_covered = match poly_adapt(&collective, &models, experiments) {
            Ok(selection) => return Ok(Some(selection)),
            Err(not_covered) => (!experiments.is_empty()).then_some(not_covered),
        };
        let chosen = links.model(size).map_err(|none| NoSelection::NoModel(not_covered, none))?;
        let Chosen { candidate: Candidate { model, fit }, errors } = chosen;
        let basis = if fit.is_none() && errors.is_empty() { Basis::Given } else { Basis::Messages };
        Selection::under(&collective, model, basis).map(Some).map_err(NoSelection::Unpredicted)
    }

    /// The timed operations that count for a cluster, of any number of processes.
    #[must_use]
    pub fn experiments(&self, cluster: usize) -> &[Experiment] {
        &self.clusters[cluster].experiments
    }
}

/// The mean latency between two clusters. Where all links have one latency, that is the mean in all its
/// digits, which a sum is not.
fn mean_between(
    all: &LatencyMatrix,
    means: &LatencyMatrix,
    clusters: &[Cluster],
    [one, other]: [usize; 2],
) -> Option<Time> {
    const ROUNDING: f64 = 1e-9;
    let mean = means.latency(one, other)?;
    let first = all.latency(clusters[one].machines[0], clusters[other].machines[0])?;
    let difference = (mean - first).as_microseconds().abs();
    Some(if difference <= ROUNDING * mean.as_microseconds() { first } else { mean })
}

fn ordered(one: usize, other: usize) -> (usize, usize) {
    (one.min(other), one.max(other))
}

/// What a network says of sets of machines.
struct Given<'n> {
    network: &'n Network,
    numbers: &'n BTreeMap<&'n str, usize>,
}

impl Given<'_> {
    /// The machines of a name: itself, or those of a group.
    fn machines(&self, name: &str) -> Option<Vec<usize>> {
        if let Some(&machine) = self.numbers.get(name) {
            return Some(vec![machine]);
        }
        let group = self.network.groups().iter().find(|group| group.name() == name)?;
        Some(group.machines().iter().map(|machine| self.numbers[machine.as_str()]).collect())
    }

    /// The links between two sets of machines, or inside of one if it is given twice.
    fn links(&self, ends: [&[usize]; 2], latency: Option<Time>, measurements: &[Measurement]) -> Links {
        let mut of_kind: BTreeMap<_, Vec<(usize, &GivenModel)>> = BTreeMap::new();
        for given in self.network.models() {
            if let Some(named) = self.machines_named(given, ends) {
                of_kind.entry(given.model().kind()).or_default().push((named, given));
            }
        }
        let mut remarks = Vec::new();
        let mut models = Vec::new();
        for (kind, mut given) in of_kind {
            // What names single machines is meant for them before what names clusters, and that before what
            // is for all links.
            given.sort_by_key(|(named, _)| std::cmp::Reverse(*named));
            let (most, first) = given[0];
            let others =
                given[1..].iter().filter(|(named, model)| *named == most && model.model() != first.model());
            let others = others.count();
            if others > 0 {
                let models = if others == 1 { "model" } else { "models" };
                remarks.push(format!(
                    "{others} more given {models} of the kind {kind}: the first in the file is taken"
                ));
            }
            models.extend(first.of_link(latency));
        }
        Links::new(latency, models, measurements).with_remarks(remarks)
    }

    /// How many ends of a given model are single machines, and 1 more if it has ends, if it is for a link
    /// between these machines.
    fn machines_named(&self, given: &GivenModel, [from, to]: [&[usize]; 2]) -> Option<usize> {
        let Some((one, other)) = given.ends() else { return Some(0) };
        let (a, b) = (self.machines(one)?, self.machines(other)?);
        let has = |ends: &[usize], machines: &[usize]| machines.iter().any(|machine| ends.contains(machine));
        // Both ends of a link are different machines: one machine at both ends is none.
        let joins = |here: &[usize], there: &[usize]| {
            has(from, here) && has(to, there) && !(here == there && here.len() == 1)
        };
        let is_for = joins(&a, &b) || joins(&b, &a);
        is_for.then(|| 1 + [&a, &b].into_iter().filter(|end| end.len() == 1).count())
    }

    /// The runs of operations in these machines, or in any.
    fn experiments(&self, machines: &[usize]) -> Vec<Experiment> {
        let is_here = |run: &&Experiment| match &run.at {
            None => true,
            // Of a cluster of the file, its first machine says where it is.
            Some(name) => self.machines(name).is_some_and(|at| machines.contains(&at[0])),
        };
        self.network.experiments().iter().filter(is_here).cloned().collect()
    }
}

/// A name for each cluster.
fn names(network: &Network, partition: &Partition) -> Vec<String> {
    let machines: Vec<&str> = network.machines().collect();
    let groups: BTreeMap<Vec<&str>, &str> = network
        .groups()
        .iter()
        .map(|group| (group.machines().iter().map(String::as_str).collect(), group.name()))
        .collect();
    let name = |numbers: &Vec<usize>| {
        let names: Vec<&str> = numbers.iter().map(|&number| machines[number]).collect();
        match (groups.get(&names), names.len() - 1) {
            (Some(group), _) => (*group).to_owned(),
            (None, 0) => names[0].to_owned(),
            (None, more) => format!("{} and {more} more", names[0]),
        }
    };
    partition.clusters.iter().map(|cluster| name(&cluster.machines)).collect()
}

impl fmt::Display for NoSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSelection::NoModel(None, none) => none.fmt(f),
            NoSelection::NoModel(Some(not_covered), none) => write!(f, "{not_covered}; {none}"),
            NoSelection::Unpredicted(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NoSelection {}
