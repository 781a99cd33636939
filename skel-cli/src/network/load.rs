//! From the file to a network, and from names on the command line to its clusters.

use std::path::Path;

use serde_json::Map;
use skel::diagnostic::did_you_mean;
use skel::network::Network;
use skel::network::file::parse_in;

use crate::arguments::NetworkArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::input::read::read;
use crate::source::Source;

/// A network that passed its checks.
pub(super) struct Loaded {
    /// Its text.
    pub(super) source: Source,
    pub(super) network: Network,
    /// The number of the machine from which a broadcast starts.
    pub(super) root: usize,
}

/// Reads and checks a network.
pub(super) fn load(arguments: &NetworkArguments) -> Result<Loaded, Failure> {
    let source = read(&arguments.path)?;
    let parsed = parse_in(source.text(), arguments.path.parent().unwrap_or(Path::new("")));
    let Some(network) = parsed.contents else {
        let problems = parsed.diagnostics.into_iter().map(Problem::from).collect();
        return Err(Failure {
            exit: Exit::Model,
            source: Some(Box::new(source)),
            problems,
            known: Map::new(),
        });
    };
    let root = match &arguments.root {
        Some(name) => root(&network, name)?,
        None => 0,
    };
    Ok(Loaded { source, network, root })
}

/// The machine of a name, or the first of a cluster of the file.
fn root(network: &Network, name: &str) -> Result<usize, Failure> {
    let group = network.groups().iter().find(|group| group.name() == name);
    let machine = group.map_or(name, |group| group.machines()[0].as_str());
    network.machines().position(|known| known == machine).ok_or_else(|| {
        let names = network.groups().iter().map(skel::network::file::Group::name).chain(network.machines());
        let help = match did_you_mean(name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name a machine or a cluster of the file".to_owned(),
        };
        let message = format!("`--root {name}`: there is no machine or cluster `{name}`");
        Failure::new(Exit::CommandLine, Problem::error("unknown_machine", message).help(help))
    })
}
