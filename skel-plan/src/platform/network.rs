//! The platform of a network: processors on its machines, and the links that it has between them.
//!
//! **Which machine.** A processor with a name is on the machine of that name. If no processor has a name, the
//! first is on the first machine of the network, and so on. Several processors may be on one machine.
//!
//! **Between machines.** The links are those of the network's [clusters](Network::clusters), with
//! `rho = 0.2`: what was measured within a cluster, or between two, is taken together, and all pairs of their
//! machines have equal links. So the machines of a cluster are equals.
//!
//! **Within a machine.** A link that the caller gives, or else one fitted to what was measured between
//! threads of the machine. There is none if neither is known.

use std::collections::HashMap;
use std::sync::Arc;

use skel_core::diagnostic::{Code, did_you_mean};
use skel_core::model::{BuildError, BuildErrors};
use skel_network::Network;
use skel_network::partition::Rho;
use skel_network::select::Clusters;

use super::Platform;
use super::link::Link;
use super::links::Links;
use super::processor::{Processor, ProcessorId};

impl Platform {
    /// Processors on the machines of a network. The rate of a move between two machines is one over the time
    /// that the network says, `1 / (L + g(ds))`, where sizes are bytes and times are seconds. `within` has
    /// the links within processors, if they are not measured.
    ///
    /// # Errors
    /// What is wrong with the processors; a processor on a machine that the network does not have; a network
    /// without some latency or some model; and every link in `within` between two processors.
    ///
    /// # Examples
    /// ```
    /// use skel_network::Network;
    /// use skel_plan::*;
    /// let network = Network::from_toml("
    ///     machines = ['near', 'far']
    ///     latency = [['-', '50ms'], ['50ms', '-']]
    ///     model = [{ kind = 'Hockney', bandwidth = '1kB/s' }]
    /// ")?;
    /// let processors = [10, 10].map(|power| Processor::new(Power::per_second(power)));
    /// let within = Links::none().within(Bandwidth::bytes_per_second(1e9));
    /// let platform = Platform::from_network(processors, &network, &within)?;
    /// let stages = [1, 1].map(|work| Stage::new(Work::units(work)).receiving(Data::bytes(150)));
    /// let planner = Planner::new(Application::pipeline(stages, Data::bytes(150))?, platform);
    /// // 50 ms and 150 bytes at 1000 bytes a second.
    /// assert_eq!(planner.rates(&Mapping::new([1, 2]))?.moves[1].to_string(), "5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_network(
        processors: impl IntoIterator<Item = Processor>,
        network: &Network,
        within: &Links,
    ) -> Result<Platform, BuildErrors> {
        let processors: Vec<Processor> = processors.into_iter().take(super::MOST_PROCESSORS + 1).collect();
        let names: Vec<Option<&str>> = processors.iter().map(|one| one.name.as_deref()).collect();
        let mut errors = given_between(within);
        let machines = machines_of(network, &names).map_err(|found| {
            errors.extend(found.into_iter().map(|(_, error)| error));
        });
        let clusters = network.clusters(Rho::default()).map_err(|found| errors.extend(found.0));
        let (Ok(machines), Ok(clusters), true) = (machines, clusters, errors.is_empty()) else {
            return Err(BuildErrors(errors));
        };
        let links = Known { clusters: &clusters, links: HashMap::new(), errors }.all(&machines, within)?;
        Platform::new(processors, &links)
    }
}

/// Links between two processors, which the network gives.
fn given_between(within: &Links) -> Vec<BuildError> {
    let error = |what: String| BuildError {
        code: Code::DuplicateDefinition,
        message: format!("the network gives {what}, and so do the links"),
        help: "leave it out, or describe all links without a network".into(),
    };
    let pairs = within.pairs.keys().filter(|(from, to)| from != to);
    let pairs = pairs.map(|(from, to)| error(format!("the link from processor {from} to processor {to}")));
    let others = within.others.iter().map(|_| error("the links between processors".into()));
    others.chain(pairs).collect()
}

/// The number of each processor's machine in the network; or for each processor that has none, by its index,
/// what is wrong.
pub(crate) fn machines_of(
    network: &Network,
    names: &[Option<&str>],
) -> Result<Vec<usize>, Vec<(usize, BuildError)>> {
    let count = network.machine_count();
    let numbers: HashMap<&str, usize> = network.machines().zip(0..).collect();
    let are_named = names.iter().any(Option::is_some);
    let (mut machines, mut errors) = (Vec::new(), Vec::new());
    for (index, name) in names.iter().enumerate() {
        let found = match name {
            Some(name) => numbers.get(name).copied().ok_or_else(|| unknown(network, index, name)),
            None if are_named => Err(unnamed(index)),
            None if index < count => Ok(index),
            None => Err(too_few(index, count)),
        };
        match found {
            Ok(machine) => machines.push(machine),
            Err(error) => errors.push((index, error)),
        }
    }
    if errors.is_empty() { Ok(machines) } else { Err(errors) }
}

fn unknown(network: &Network, index: usize, name: &str) -> BuildError {
    const MOST: usize = 6;
    let help = match did_you_mean(name, network.machines()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let some: Vec<&str> = network.machines().take(MOST).collect();
            let more = if network.machine_count() > MOST { ", ..." } else { "" };
            format!("its machines are {}{more}", some.join(", "))
        }
    };
    let number = index + 1;
    let message = format!("processor {number} is on the machine `{name}`, which the network does not have");
    BuildError { code: Code::UnknownMachine, message, help }
}

fn unnamed(index: usize) -> BuildError {
    BuildError {
        code: Code::MissingEntry,
        message: format!("nothing says on which machine processor {} is", index + 1),
        help: "name the machine of each processor, or of none: then they are on the machines in their order"
            .into(),
    }
}

fn too_few(index: usize, count: usize) -> BuildError {
    let machines = if count == 1 { "machine" } else { "machines" };
    BuildError {
        code: Code::UnknownMachine,
        message: format!(
            "there is no machine for processor {}: the network has {count} {machines}",
            index + 1
        ),
        help: "describe fewer processors, or name the machine of each: several may be on one".into(),
    }
}

/// The links of a network, each of them made once.
struct Known<'n> {
    clusters: &'n Clusters<'n>,
    /// By what they are between.
    links: HashMap<Between<'n>, Option<Link>>,
    errors: Vec<BuildError>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Between<'n> {
    Clusters(usize, usize),
    Threads(&'n str),
}

impl<'n> Known<'n> {
    /// The links between processors on these machines.
    fn all(mut self, machines: &[usize], within: &Links) -> Result<Links, BuildErrors> {
        let names: Vec<&'n str> = self.clusters.network().machines().collect();
        let clusters: Vec<Option<usize>> =
            machines.iter().map(|&at| self.clusters.named(names[at])).collect();
        let mut links = within.clone();
        for (from, &here) in machines.iter().enumerate() {
            for (to, &there) in machines.iter().enumerate() {
                let (one, other) = (ProcessorId::from_index(from), ProcessorId::from_index(to));
                let link = match (here == there, clusters[from].zip(clusters[to])) {
                    (true, _) => {
                        let given = within.get(one, one).cloned();
                        given.or_else(|| self.link(Between::Threads(names[here])))
                    }
                    (false, Some((a, b))) => self.link(Between::Clusters(a.min(b), a.max(b))),
                    (false, None) => None,
                };
                links.pairs.extend(link.map(|link| ((one, other), link)));
            }
        }
        if self.errors.is_empty() { Ok(links) } else { Err(BuildErrors(self.errors)) }
    }

    /// A link, if there is one. Where the network has none between two machines, that is an error.
    fn link(&mut self, between: Between<'n>) -> Option<Link> {
        if let Some(known) = self.links.get(&between) {
            return known.clone();
        }
        let found = match between {
            Between::Threads(machine) => self.clusters.network().within(machine),
            Between::Clusters(one, other) => self.clusters.links(one, other).cloned(),
        };
        let found = found.filter(|links| !links.candidates().is_empty());
        if let (None, Between::Clusters(one, other)) = (&found, between) {
            self.errors.push(no_model(self.clusters, one, other));
        }
        let link = found.map(|links| Link::of_network(Arc::new(links)));
        self.links.insert(between, link.clone());
        link
    }
}

fn no_model(clusters: &Clusters<'_>, one: usize, other: usize) -> BuildError {
    let names: Vec<&str> = clusters.names().collect();
    let place = match one == other {
        true => format!("inside of `{}`", names[one]),
        false => format!("between `{}` and `{}`", names[one], names[other]),
    };
    BuildError {
        code: Code::MissingLink,
        message: format!("the network has no model of the links {place}"),
        help: "give it one as `[[model]]`, or measure messages there".into(),
    }
}
