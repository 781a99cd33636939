//! `skel skeleton` and `skel response`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use skel::rate::Rate;

use super::shared::{LimitArguments, RandomTimeArguments};
use crate::quantity::{
    Aim, Capacity, Carry, Cost, EndOfPath, LinkRate, Setting, parse_capacity, parse_carry, parse_cost,
    parse_end_of_path, parse_link_rate, parse_processor, parse_quantile, parse_rate, parse_setting,
    parse_target, parse_tolerance,
};

/// `skel skeleton`
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("shown")),
    group(ArgGroup::new("solving").multiple(true)),
    after_help = "\
Without --solve, --gains or --target nothing is solved: the overview, --tree, --graph and --dot need no rates of moves.

Examples:
  skel skeleton program.skel
  skel skeleton program.skel --dot | dot -Tsvg > program.svg
  skel skeleton program.skel --solve --communication 10
  skel skeleton program.skel --solve --communication 10 --communication 0-1=2.5
  skel skeleton program.skel --solve --communication none --buffers 4
  skel skeleton program.skel --solve --communication 100 --one-port --buffers write=16
  skel skeleton program.skel --solve --communication 10 --set n=5
  skel skeleton program.skel --gains --communication 10 --max-states 1000000
  skel skeleton program.skel --target 200/s --communication none
  skel skeleton program.skel --target 200/s --communication none --at-most 30 --cost enrich=2
  skel skeleton program.skel --pepa --communication 10 | skel solve -
  skel skeleton program.skel --solve --on 0,0,1 --power 1,2
  echo 'pipe(task(1), farm(2, 3), task(1));' | skel skeleton - --solve --exact --communication 1"
)]
pub(crate) struct SkeletonArguments {
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Print the tree of stages
    #[arg(long, group = "shown")]
    pub(crate) tree: bool,
    /// Print the data flow: from which tasks each task receives, and to which it sends
    #[arg(long, group = "shown")]
    pub(crate) graph: bool,
    /// Print the PEPA model, which `skel solve` reads
    #[arg(long, group = "shown", conflicts_with = "json")]
    pub(crate) pepa: bool,
    /// Print the throughput of the whole, of each stage and of each task, and the bottleneck
    #[arg(long, groups = ["shown", "solving"])]
    pub(crate) solve: bool,
    /// As --solve, and what one more replica would bring at each place; limits hold for each solution
    #[arg(long, group = "solving", conflicts_with_all = ["tree", "graph", "pepa"])]
    pub(crate) gains: bool,
    /// With --gains, try each replica both as a deal and as a farm: replicas of deals are not lumped, so this
    /// takes longer
    #[arg(long, requires = "gains")]
    pub(crate) deals: bool,
    /// Find the cheapest numbers of replicas that keep a throughput, as 200/s, 200/min, or 200 per unit of
    /// time of the file, a mean response time, as 300ms, or a response time for a part of the items, as
    /// `99% in 300ms`. The answer says how it is proved, what just misses the target, and what other times
    /// would need
    #[arg(long, value_name = "TARGET", value_parser = parse_target, allow_hyphen_values = true,
        conflicts_with_all = ["shown", "solving", "dot", "on"])]
    pub(crate) target: Option<Aim>,
    /// With --target, the most that the replicas may cost in all, 1 for each task [default: 10 more than
    /// three times what the stages need alone]
    #[arg(long, value_name = "COST", value_parser = clap::value_parser!(u64).range(1..), requires = "target")]
    pub(crate) at_most: Option<u64>,
    /// With --target, what each replica of a task costs, as enrich=2 [default: 1]; may be repeated
    #[arg(long, value_name = "NAME=COST", value_parser = parse_cost, requires = "target")]
    pub(crate) cost: Vec<Cost>,
    /// With --target, let only the stage with this task have another number of replicas; may be repeated
    #[arg(long, value_name = "NAME", requires = "target")]
    pub(crate) replicate: Vec<String>,
    /// Print a graph for Graphviz: the data flow, or with --tree the tree
    #[arg(long, conflicts_with_all = ["pepa", "solving", "json"])]
    pub(crate) dot: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Solve in exact fractions: for models of up to some thousand states
    #[arg(long, requires = "solving", conflicts_with = "tolerance")]
    pub(crate) exact: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// The relative error that an iterative method may leave, as it is estimated [default: 1e-10]
    #[arg(long, value_name = "NUMBER", value_parser = parse_tolerance)]
    pub(crate) tolerance: Option<f64>,
}

/// A skeleton, and what the command line says of it beside the file.
#[derive(Debug, Args)]
pub(crate) struct ProgramArguments {
    /// The skeleton, a `.skel` text; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// The rate of all moves, or of one link as FROM-TO=RATE, in place of what the file says; `none` where
    /// moves take no time; may be repeated
    #[arg(long, value_name = "RATE", value_parser = parse_link_rate, allow_hyphen_values = true)]
    pub(crate) communication: Vec<LinkRate>,
    /// How many items can wait between any two stages, or before one stage as NAME=CAPACITY, in place of what
    /// the file says; may be repeated
    #[arg(long, value_name = "CAPACITY", value_parser = parse_capacity)]
    pub(crate) buffers: Vec<Capacity>,
    /// Move one item at a time between two stages, however many workers are idle
    #[arg(long)]
    pub(crate) one_port: bool,
    /// Give a number that the file names another value, a count or a rate; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) set: Vec<Setting>,
    /// The processor of each task, from 0, as 0,0,1; tasks on one processor share its power
    #[arg(long, value_name = "PROCESSORS", value_delimiter = ',', value_parser = parse_processor)]
    pub(crate) on: Vec<usize>,
    /// The power of each processor [default: 1 each]
    #[arg(long, value_name = "RATES", value_delimiter = ',', value_parser = parse_rate, requires = "on", allow_hyphen_values = true)]
    pub(crate) power: Vec<Rate>,
    /// Give each task the whole power of its processor
    #[arg(long, requires = "on")]
    pub(crate) undivided: bool,
    /// Take the nearest fit, by mean and variation, of each time that a chain cannot have: deterministic,
    /// uniform, lognormal, Weibull
    #[arg(long)]
    pub(crate) fit: bool,
    /// Read the paper's algorithms to the letter, for comparison: some skeletons then deadlock
    #[arg(long)]
    pub(crate) literal: bool,
}

/// `skel response`
#[derive(Debug, Args)]
#[command(after_help = "\
In a skeleton an item begins when a task of the first stage begins to compute it, which it does as soon as it is rid of the one before, and ends
when a task of the last stage has computed it. Items leave a buffer in the order in which they came; workers of a farm overtake each other.

In a PEPA model, say by which action items come in, which actions carry them from one position to another, and by which they go out.
Positions are numbers of your choice, and each holds one item at most:
  --in move1 --carry move2:1-2,move3:2-3 --out move4
Where it is not plain to which position items come in, or from which they go out, say it: --in move1:1 --out move4:3.

Errors are bounds. That of a probability is at most --tolerance; those of a density, a mean and other moments are in proportion to the largest
rate into the end and to the figure, where these are above 1. A quantile has its own error. With --exact, moments are fractions.

Examples:
  skel response program.skel --communication 10
  skel response program.skel --communication 10 --quantile 0.5,0.99 --at 0:5:0.1 --svg response.svg
  skel response program.skel --communication none --buffers 4 --moments 3 --exact
  skel response models/pipeline.pepa --in move1 --carry move2:1-2,move3:2-3 --out move4 --json")]
pub(crate) struct ResponseArguments {
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Of a PEPA model: the action by which items come in, as ACTION or ACTION:POSITION; several with commas
    #[arg(long = "in", value_name = "ACTION,..", value_delimiter = ',', value_parser = parse_end_of_path)]
    pub(crate) enters: Vec<EndOfPath>,
    /// Of a PEPA model: the actions that carry an item from a position to another, as ACTION:FROM-TO; several
    /// with commas
    #[arg(long, value_name = "ACTION:FROM-TO,..", value_delimiter = ',', value_parser = parse_carry)]
    pub(crate) carry: Vec<Carry>,
    /// Of a PEPA model: the action by which items go out, as ACTION or ACTION:POSITION; several with commas
    #[arg(long = "out", value_name = "ACTION,..", value_delimiter = ',', value_parser = parse_end_of_path)]
    pub(crate) leaves: Vec<EndOfPath>,
    /// The parts of the items for which the time is wanted within which they are done
    #[arg(long, value_name = "PROBABILITY,..", value_delimiter = ',', value_parser = parse_quantile, allow_hyphen_values = true, default_value = "0.5,0.9,0.99")]
    pub(crate) quantile: Vec<f64>,
    #[command(flatten)]
    pub(crate) time: RandomTimeArguments,
}

/// How the rate of a stage follows from its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormulaArgument {
    /// Power over work and the stages on the processor
    Divided,
    /// Power times work over the stages on the processor
    Printed,
}
