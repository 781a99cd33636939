//! `skel network`, and `skel network measure`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use skel::network::Bytes;
use skel::network::collective::Operation;
use skel::network::partition::Rho;

use crate::quantity::{parse_rho, parse_seconds, parse_size};

/// `skel network FILE`, or `skel network measure`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct NetworkCommand {
    #[command(flatten)]
    pub(crate) file: Option<NetworkArguments>,
    #[command(subcommand)]
    pub(crate) measure: Option<NetworkPart>,
}

/// What else `skel network` does.
#[derive(Debug, Subcommand)]
pub(crate) enum NetworkPart {
    /// Time messages between this process and others, and write them as a network
    Measure(MeasureArguments),
}

/// `skel network measure`
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("ends").required(true).multiple(true).args(["listen", "connect", "threads"]), after_help = "\
One process listens on each of the other machines. This one times messages to each of them, and asks them to time messages between each
other. A process that listens at an address of its own machine (127.0.0.1) can only be reached from there. One that others can
reach answers whoever connects, one at a time and within limits, so let it listen only where you trust the network.

Examples:
  skel network measure --threads                                   messages between two threads of this process
  skel network measure --listen                                    at 127.0.0.1:7600, until Ctrl-C
  skel network measure --connect --output loopback.toml            to that, and write loopback.toml and loopback.csv
  skel network measure --listen 0.0.0.0:7600 --allow node3:7600    on node2, which may time messages to node3
  skel network measure --connect node2:7600 --connect node3:7600 --threads --output net.toml
  skel network net.toml")]
pub(crate) struct MeasureArguments {
    /// Answer those who connect, until Ctrl-C; a port alone is one of 127.0.0.1
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = LOOPBACK, conflicts_with_all = ["connect", "threads"])]
    pub(crate) listen: Option<String>,
    /// Time messages to a process that listens there; may be repeated
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, default_missing_value = LOOPBACK)]
    pub(crate) connect: Vec<String>,
    /// Time messages between two threads of this process
    #[arg(long)]
    pub(crate) threads: bool,
    /// Time messages to this address as well if one who connects asks for it; may be repeated
    #[arg(long, value_name = "HOST:PORT", conflicts_with_all = ["connect", "threads"])]
    pub(crate) allow: Vec<String>,
    /// The name of this machine in the network [default: that of the system]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The largest message; sizes double up to it [default: 1MiB; the largest that is answered: 16MiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) largest: Option<Bytes>,
    /// How often each time is taken; less often for messages that take long
    #[arg(long, value_name = "NUMBER", default_value = "100")]
    pub(crate) repetitions: u32,
    /// Over how many rounds through all sizes the repetitions are spread
    #[arg(long, value_name = "NUMBER", default_value = "10")]
    pub(crate) rounds: u32,
    /// How many messages of each batch do not count
    #[arg(long, value_name = "NUMBER", default_value = "5")]
    pub(crate) warm_up: u32,
    /// How long to wait for an answer
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "10", allow_hyphen_values = true)]
    pub(crate) timeout: Duration,
    /// The longest session of one who connects [default: 900]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, conflicts_with_all = ["connect", "threads"], allow_hyphen_values = true)]
    pub(crate) session: Option<Duration>,
    /// Write the network to this file, and its measurements to one beside it that ends with .csv [default:
    /// standard output]
    #[arg(long, value_name = "FILE", conflicts_with = "listen")]
    pub(crate) output: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, conflicts_with = "listen")]
    pub(crate) json: bool,
}

/// Where a process listens unless it is said otherwise.
const LOOPBACK: &str = "127.0.0.1:7600";

/// `skel network`
#[derive(Debug, Args)]
#[command(after_help = "\
FILE is in TOML: machines or clusters of equal ones, the latencies between them, and models, timed messages or timed operations. The
chapter on networks of the guide describes it, and models/networks has examples.

Machines whose latencies differ by no more than rho form a cluster. For each cluster, operation and size, the model is chosen whose predictions
are nearest to the timed operations of the file or, where it has none, to its timed messages; and the algorithm that ends first. A
broadcast to all clusters is scheduled by heuristics and, up to 12 clusters, by an exact search.

A SIZE is a number of bytes: 8192, 8KiB, and as benchmarks of MPI have it 8k or 8K, are 8192 bytes; 8kB is 8000. It is that of the message, or
of the block of one machine in a scatter, gather and all-gather.

Examples:
  skel network models/networks/grid5000.toml
  skel network grid.toml --size 1KiB,64KiB,1MiB --operation broadcast,all-gather
  skel network grid.toml --rho 0.5 --root sophia-1
  skel network grid.toml --csv > choices.csv
  skel network grid.toml --size 512KiB --svg schedule.svg
  skel network grid.toml --svg times.svg --chart times
  skel network grid.toml --json | jq '.questions[0].between.chosen'")]
pub(crate) struct NetworkArguments {
    /// The network, in TOML; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// The sizes of messages, separated by commas
    #[arg(long, value_name = "SIZE,..", value_parser = parse_size, value_delimiter = ',', default_value = "8KiB,512KiB")]
    pub(crate) size: Vec<Bytes>,
    /// The operations, separated by commas
    #[arg(long, value_name = "NAME,..", value_parser = operation(), value_delimiter = ',', default_value = "broadcast")]
    pub(crate) operation: Vec<Operation>,
    /// By how much the latencies in a cluster may differ: 0.2 for 20 %
    #[arg(long, value_name = "NUMBER", value_parser = parse_rho, default_value = "0.2", allow_hyphen_values = true)]
    pub(crate) rho: Rho,
    /// The machine or cluster from which a broadcast starts [default: the first machine]
    #[arg(long, value_name = "NAME")]
    pub(crate) root: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print comma-separated values: a line for each algorithm of each cluster
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Draw a figure into a file as well
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// What the figure shows
    #[arg(long, value_name = "WHAT", default_value = "schedule", requires = "svg")]
    pub(crate) chart: NetworkChart,
    /// The longest time; what is answered until then is printed [default: none]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_hyphen_values = true)]
    pub(crate) max_time: Option<Duration>,
}

/// What `skel network --svg` draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NetworkChart {
    /// The schedule of the first broadcast between clusters
    Schedule,
    /// The gaps of messages by size: as measured, and by each model
    Gaps,
    /// The times of the first operation in the cluster of the root, by algorithm, model and size
    Times,
}

/// The operations, so that clap lists them and says which one was probably meant.
fn operation() -> ValueParser {
    PossibleValuesParser::new(Operation::ALL.map(Operation::name))
        .try_map(|name| Operation::named(&name).ok_or("there is no such operation"))
        .into()
}
