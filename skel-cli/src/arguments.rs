//! The command line, as clap reads it.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use skel::diagnostic::Code;
use skel::fit::Weighting;
use skel::manage::{Consult, Contract};
use skel::network::Bytes;
use skel::network::collective::Operation;
use skel::network::partition::Rho;
use skel::rate::Rate;
use skel::steady;
use skel::transient;

use crate::quantity::{
    Aim, Capacity, Carry, Cost, Count, EndOfPath, Formula, LinkRate, LoadOf, Points, Schedules, Setting,
    SizeRange, Terms, Times, parse_capacity, parse_carry, parse_contract, parse_cost, parse_count,
    parse_end_of_path, parse_formula, parse_link_rate, parse_load, parse_memory, parse_number,
    parse_parameter, parse_part, parse_points, parse_probability, parse_processor, parse_quantile,
    parse_rate, parse_rate_of_moves, parse_rho, parse_schedules, parse_seconds, parse_setting, parse_size,
    parse_size_range, parse_span, parse_target, parse_terms, parse_threads, parse_times, parse_tolerance,
};

/// Checks, solves and derives PEPA performance models, and the skeletons that stand for them.
#[derive(Debug, Parser)]
#[command(name = "skel", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Colour in messages; `auto` looks at the terminal and at NO_COLOR
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Exit codes:
  0  answered
  1  the model is wrong, or has no answer
  2  the command line is wrong, or a file cannot be read or written
  3  a limit was reached, or the work was cancelled
  4  a property does not hold (skel csl)
  5  no property fails, but one is undecided (skel csl)

Examples:
  skel solve models/tiny.pepa                   throughputs, results, utilisation
  skel solve models/tiny.pepa --exact           the same as fractions
  skel solve models/tiny.pepa --set r1=3        with another rate
  skel check model.pepa --require deadlock_free
  skel derive model.pepa --dot | dot -Tsvg > model.svg
  skel skeleton program.skel --solve --communication 10
  skel map app.des --search                     the best mapping to processors
  skel distribute work.toml                     the schedule that ends first on unequal machines
  skel fit runs.csv --predict n=4000         a formula for the seconds that were measured, and what it predicts
  skel sweep model.pepa --vary mu=1:10:1 --svg curves.svg
  skel transient model.pepa --at 0:10:0.5       the same figures at moments, before the steady state
  skel csl model.pepa 'P=? [ F<=10 \"full\" ]'   the probability of what a model does within a time
  skel manage program.skel --contract 12ms      what a manager would do to keep a service time
  skel network network.toml --size 8KiB         clusters, models, algorithms and schedules of a broadcast";

/// When messages are coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What the command does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Parse a model and say everything that is wrong with it
    Check(CheckArguments),
    /// Explore a model and print its throughputs, results and utilisations in steady state
    Solve(SolveArguments),
    /// Print the derivation graph: all states and all transitions
    Derive(DeriveArguments),
    /// Show the structure of a parallel program, the PEPA model it stands for, and its performance
    Skeleton(SkeletonArguments),
    /// Name the best mapping of a program to processors, and why it is the best
    Map(MapArguments),
    /// Name the schedule of self-scheduling that ends first on unequal machines, and show what each machine
    /// does
    Distribute(DistributeArguments),
    /// Fit formulas to timed runs of a program: what they predict, how far they can be trusted, and which
    /// program overtakes which
    Fit(FitArguments),
    /// Answer the same question for many values of rates, sizes and replicas: as a table or as curves
    Sweep(SweepArguments),
    /// Say where a model is at some moments: throughputs, results and populations over time, and their
    /// integrals
    Transient(TransientArguments),
    /// Say how long it takes from one event or state to another: mean, variance, quantiles and the whole
    /// distribution
    Passage(PassageArguments),
    /// Check properties in CSL: the probability of what a model does, times and rewards, and whether they are
    /// within bounds
    Csl(CslArguments),
    /// Say how long an item of a skeleton or of a pipeline takes from its beginning to its end: mean,
    /// variance, quantiles, distribution
    Response(ResponseArguments),
    /// Show what a manager would do to keep a service time: for a simulated program, or for a run that was
    /// recorded
    Manage(ManageArguments),
    /// Find the clusters of a network, and how long operations of all its machines take, by which models and
    /// algorithms
    Network(NetworkCommand),
}

/// `skel check`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skel check model.pepa
  skel check model.pepa --require deadlock_free --require irreducible
  skel check model.pepa --require deadlock_free --set n=20
  skel check model.pepa --allow unused_rate --deny-warnings")]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// Explore the model and demand this of it; may be repeated
    #[arg(long, value_name = "WHAT")]
    pub(crate) require: Vec<Requirement>,
    /// The most states to explore for `--require` [default: 10000]; alone, it demands that the model has no
    /// more
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_states: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
    /// End with exit code 1 if there are warnings
    #[arg(long)]
    pub(crate) deny_warnings: bool,
}

/// What `--require` can demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Requirement {
    /// In every state something can happen
    #[value(name = "deadlock_free")]
    DeadlockFree,
    /// From every state a run can come back to every other
    #[value(name = "irreducible")]
    Irreducible,
}

/// `skel solve`
#[derive(Debug, Args)]
#[command(after_help = "\
Copies of an array, workers of a farm and other equal parts are lumped: a state counts how many of them are in which local
state, and stands for all states with these counts. Where lumping would change what is printed, the model is explored without
it. A model in which every run ends in a deadlock has no steady state; --long-run answers for where runs end, and --allow
deadlock for a single deadlock.

Examples:
  skel solve model.pepa --set mu=2.5 --set lambda=10/3
  skel solve model.pepa --set n=20              another size, where the file has n = 10; and Client[n]
  skel solve model.pepa --json | jq .throughput
  skel solve model.pepa --method gauss-seidel --tolerance 1e-6
  skel solve model.pepa --keep serve --keep Waiting
  skel solve model.pepa --states=20
  skel solve model.pepa --csv > figures.csv
  skel solve model.pepa --unlumped --threads 1
  generate-model | skel solve - --max-time 60 --max-memory 2GiB")]
pub(crate) struct SolveArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// Answer for the long run from the initial state, also where runs end in several ways
    #[arg(long)]
    pub(crate) long_run: bool,
    /// Solve in exact fractions: for models of up to some thousand states
    #[arg(long, conflicts_with = "tolerance")]
    pub(crate) exact: bool,
    /// Ask only for the throughput of this action, the population of this local state, or this result line,
    /// and solve the fewest states that have the same; may be repeated
    #[arg(long, value_name = "NAME", conflicts_with = "long_run")]
    pub(crate) keep: Vec<String>,
    /// Explore every state, also where equal parts may change places and one state could stand for many;
    /// figures are the same
    #[arg(long)]
    pub(crate) unlumped: bool,
    /// Print the probabilities of states too: of the most probable ones, 100 unless a number is given
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, require_equals = true, default_missing_value = "100",
        value_parser = parse_number, conflicts_with = "keep")]
    pub(crate) states: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print one table of comma-separated values: kind, component, name, value, and with --exact the fraction
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// The relative error that an iterative method may leave, as it is estimated [default: 1e-10]
    #[arg(long, value_name = "NUMBER", value_parser = parse_tolerance)]
    pub(crate) tolerance: Option<f64>,
    /// How to solve: one method, with no other to help it
    #[arg(long, value_name = "NAME", default_value = "automatic", conflicts_with = "exact")]
    pub(crate) method: Method,
}

/// What `--method` can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// What suits the size of the chain; where a method stagnates, the next one
    Automatic,
    /// Elimination without subtraction: right for the stiffest chains, for some thousand states
    Direct,
    /// BiCGSTAB with sweeps of Gauss-Seidel
    Bicgstab,
    /// BiCGSTAB with incomplete factors
    BicgstabIlu,
    /// BiCGSTAB with incomplete factors that share the rates: for queues in a line
    BicgstabDilu,
    /// GMRES with sweeps of Gauss-Seidel
    Gmres,
    /// GMRES with incomplete factors
    GmresIlu,
    /// Multilevel aggregation: for parts that are joined by slow transitions
    Multilevel,
    /// Gauss-Seidel, damped
    GaussSeidel,
    /// The power method: the least memory, and the slowest
    Power,
}

impl From<Method> for steady::Method {
    fn from(method: Method) -> steady::Method {
        match method {
            Method::Automatic => steady::Method::Automatic,
            Method::Direct => steady::Method::Direct,
            Method::Bicgstab => steady::Method::BiCgStab,
            Method::BicgstabIlu => steady::Method::BiCgStabIlu,
            Method::BicgstabDilu => steady::Method::BiCgStabDilu,
            Method::Gmres => steady::Method::Gmres,
            Method::GmresIlu => steady::Method::GmresIlu,
            Method::Multilevel => steady::Method::Multilevel,
            Method::GaussSeidel => steady::Method::GaussSeidel,
            Method::Power => steady::Method::Power,
        }
    }
}

/// `skel derive`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skel derive model.pepa | head
  skel derive model.pepa --lumped
  skel derive model.pepa --dot | dot -Tsvg > model.svg
  skel derive model.pepa --json --output model.json")]
pub(crate) struct DeriveArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// Let one state stand for all that differ only in which of several equal parts is in which local state
    #[arg(long)]
    pub(crate) lumped: bool,
    /// Print a graph for Graphviz
    #[arg(long, conflicts_with = "json")]
    pub(crate) dot: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write to a file, which appears only when it is complete
    #[arg(long, short, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

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

/// What is asked of a random time, and how it is answered: `skel passage`, `skel response`
#[derive(Debug, Args)]
pub(crate) struct RandomTimeArguments {
    /// The moments at which the distribution and its density are wanted
    #[arg(long, value_name = "TIMES", value_parser = parse_times, allow_hyphen_values = true)]
    pub(crate) at: Option<Times>,
    /// How many moments: the expected time, that of its square, and so on
    #[arg(long, value_name = "NUMBER", default_value = "2", value_parser = clap::value_parser!(u16).range(1..=20))]
    pub(crate) moments: u16,
    /// Give mean, variance, moments and throughput as exact fractions as well
    #[arg(long)]
    pub(crate) exact: bool,
    /// Explore every state, also where equal parts may change places; figures are the same
    #[arg(long)]
    pub(crate) unlumped: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print comma-separated values: kind, at, value, error, and with --exact the fraction
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Draw the distribution and its density into a file as well
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// The absolute error that a probability may have [default: 1e-9]
    #[arg(long, value_name = "NUMBER", value_parser = parse_tolerance)]
    pub(crate) tolerance: Option<f64>,
    /// The most steps of uniformisation [default: 10000000]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_steps: Option<u64>,
}

/// `skel map`
#[derive(Debug, Args)]
#[command(after_help = "\
The description is a `.des` text or, where its name ends so, a `.toml` file; its program is a pipeline or any skeleton. Without
--search the mappings that it names are compared; with it all are searched, and what is found is proved to be the best
unless it says otherwise.

The work of a stage is a number, and its time is then exponential, or a distribution whose mean is the work, as in a `.skel` text:
`w1 = 2;` or `w1 = erlang(4, 2);`, and in TOML `work = 2` or `work = \"fitted(2, 0.3)\"`. A mapping scales it by the power that the stage
gets. The tasks of a skeleton take their times along. A mapping has no buffers and no single port yet: `buffers(4);` and `one_port;`
are errors there.

Examples:
  skel map app.des
  skel map app.des --search --top 5
  skel map app.toml --search --input 1 --output 1
  skel map app.des --rates printed --csv > mappings.csv
  skel map app.des --json | jq .best")]
pub(crate) struct MapArguments {
    /// The description of program, machines and mappings, as a `.des` text or in TOML; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// Search all mappings, not only those that the file names
    #[arg(long)]
    pub(crate) search: bool,
    /// Show so many of the best [default: all that the file names, 5 of a search]
    #[arg(long, value_name = "NUMBER", value_parser = parse_number)]
    pub(crate) top: Option<usize>,
    /// Whether more work takes longer, or is faster as the paper prints it
    #[arg(long, value_name = "FORMULA", default_value = "divided")]
    pub(crate) rates: FormulaArgument,
    /// Search mappings of a pipeline whose input comes from this processor [default: that of the first stage]
    #[arg(long, value_name = "PROCESSOR", requires = "search")]
    pub(crate) input: Option<u32>,
    /// Search mappings of a pipeline whose output is wanted at this processor [default: that of the last
    /// stage]
    #[arg(long, value_name = "PROCESSOR", requires = "search")]
    pub(crate) output: Option<u32>,
    /// Search without a proof after so many solutions
    #[arg(long, value_name = "NUMBER", value_parser = parse_number, requires = "search", default_value = "10000")]
    pub(crate) max_solutions: usize,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the mappings as comma-separated values, best first
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// The relative error that an iterative method may leave, as it is estimated [default: 1e-10]
    #[arg(long, value_name = "NUMBER", value_parser = parse_tolerance)]
    pub(crate) tolerance: Option<f64>,
}

/// `skel distribute`
#[derive(Debug, Args)]
#[command(after_help = "\
A master gives items to machines that ask for them, in chunks. Each chunk costs the master the overhead. The file says how many items there
are, how long each machine takes for one, which machines change their speed or are lost, and which schedules to compare:

  items = 2500
  overhead = 0.5                 # seconds; 0 unless given
  schedules = [\"VRP\", \"SS\", \"CSS(20)\", \"VRP-SS(2..40)\"]      # the usual ones unless given

  [[machine]]
  name = \"node\"                  # node-1 to node-4
  count = 4
  seconds = 1                    # for an item

  [[change]]
  machine = \"node-1\"
  at = 100                       # seconds
  factor = 4                     # how many times its original seconds an item takes from then on

  [[loss]]
  machine = \"node-2\"
  at = 200

Schedules are VRP (one share each, by relative performance), SS (one item), CSS(k) (k items), GSS, TSS, FAC2, WF2, AWF-B, AWF-C and VRP-SS(K) (K
phases), and as libraries have them LLVM-GSS, LLVM-TSS, mFAC2 and FAC2-formula. A range as VRP-SS(2..40) stands for all of its schedules; the
report shows the best of each kind. The usual ones are all but those of libraries, with k = 2, 4, 8, .. and K = 2..40.

Examples:
  skel distribute work.toml
  skel distribute work.toml --svg gantt.svg
  skel distribute work.toml --schedule SS --schedule 'CSS(10..100)'
  skel distribute work.toml --exact --csv > schedules.csv
  skel distribute work.toml --json | jq .best")]
pub(crate) struct DistributeArguments {
    /// The description of work and machines, in TOML; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// Compare this schedule, as FAC2 or CSS(20), or a range, as VRP-SS(2..40), in place of those of the
    /// file; may be repeated
    #[arg(long, value_name = "SCHEDULE", value_parser = parse_schedules)]
    pub(crate) schedule: Vec<Schedules>,
    /// Simulate in exact fractions: for up to a million chunks
    #[arg(long)]
    pub(crate) exact: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the schedules as comma-separated values, the first to end first
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Draw who does what from when to when, under the schedule that ends first, into a file as well
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

/// `skel fit`
#[derive(Debug, Args)]
#[command(after_help = "\
FILE has timed runs, as CSV or as lines of JSON. Only n and seconds must be there:

  segment,machine,n,p,seconds,run
  rows,bio,500,4,0.82,1

Runs of one segment, machine type, n and p are a point. A model is fitted to the means of the points of each segment and machine type. Without
--terms it is the function `c0 + c1 n^i log2(n)^j` (with p: of both) that predicts points best that it has not seen; its errors are relative.

A prediction interval holds a further point, measured like those of the file. It takes the form of the model for granted. A value outside of what
was measured is said to be extrapolated.

--predict takes names with values: n=4000,p=6. Values are ranges, first:last:step, lists, or log:first:last:count, as for `skel sweep`.

A graph is the text of a program composed of segments (DP*Graph++); a segment without seconds takes those of its model:

  graph heat(n, p) {
    loop p - 1 { send rows [8*n^2/p] : 7e-3 + 5e-7*m; }
    par { process master { comp wait : 0; } process worker * (p-1) { comp sweep; } }
  }

The chapter on fitted models of the guide describes all of this, and models/fits has examples.

Examples:
  skel fit runs.csv
  skel fit runs.csv --terms '1, n, n^2' --predict n=2000:4000:500,p=6
  skel fit runs.jsonl --segment rows --two-steps --measured larger.csv --svg times.svg
  skel fit runs.csv --crossovers 250..20000 --svg crossovers.svg
  skel fit --formula 'SS=2.42 - 6.5e-3 n + 2.3e-9 n^3' --formula 'VRP=1.6e-2 n' --crossovers 250..20000
  skel fit runs.csv --graph heat.graph --predict n=4000,p=6 --svg heat.svg --chart graph
  skel fit runs.csv --predict n=500:2500:500 --items 2500 --count intel=4 --count bio=4
  skel fit runs.csv --json | jq .models[].formula")]
pub(crate) struct FitArguments {
    /// The timed runs, as CSV or as lines of JSON; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["formula", "graph"])]
    pub(crate) path: Option<PathBuf>,
    /// Take the runs of this segment alone; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) segment: Vec<String>,
    /// Take the runs on this machine type alone; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) machine: Vec<String>,
    /// Fit a sum of these terms of n and p, as '1, n, n^2/p', in place of a search
    #[arg(long, value_name = "TERMS", value_parser = parse_terms)]
    pub(crate) terms: Option<Terms>,
    /// Fit terms of n for each p, and then each coefficient as a + b/p; the terms are 1, n, n^2 unless given
    #[arg(long)]
    pub(crate) two_steps: bool,
    /// How much each point counts in a fit of given terms
    #[arg(
        long,
        value_name = "HOW",
        default_value = "equal",
        requires = "terms",
        conflicts_with = "two_steps"
    )]
    pub(crate) weighting: WeightingArgument,
    /// The probability of intervals, as 0.95 or 95%
    #[arg(long, value_name = "NUMBER", value_parser = parse_probability, default_value = "95%", allow_hyphen_values = true)]
    pub(crate) probability: f64,
    /// A model that is given, of n and p or of one variable, as 'SS=2.4 + 2.3e-9 n^3'; may be repeated
    #[arg(long, value_name = "NAME=FORMULA", value_parser = parse_formula)]
    pub(crate) formula: Vec<Formula>,
    /// The text of a program that is composed of segments
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// The value of a parameter of the graph other than n and p; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_parameter, requires = "graph")]
    pub(crate) set: Vec<(String, f64)>,
    /// Predict the seconds there, as n=4000,p=6 or n=2000:4000:500,p=6; may be repeated
    #[arg(long, value_name = "NAME=VALUES,..", value_parser = parse_points)]
    pub(crate) predict: Vec<Points>,
    /// Timed runs beside which to print the estimated seconds and their errors, (estimated - measured) /
    /// measured
    #[arg(long, value_name = "FILE")]
    pub(crate) measured: Option<PathBuf>,
    /// Find all n in this range at which two models take the same time, and which model is the cheapest where
    #[arg(long, value_name = "FROM..TO", value_parser = parse_size_range, allow_hyphen_values = true)]
    pub(crate) crossovers: Option<SizeRange>,
    /// The p of crossovers and figures [default: that of the runs, if there is one alone]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) processes: Option<u32>,
    /// Say the relative performance of the machine types at each n of --predict, and their shares of so many
    /// items
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..), requires = "predict")]
    pub(crate) items: Option<u64>,
    /// With --items, how many machines there are of a type, as bio=4 [default: 1 of each]; may be repeated
    #[arg(long, value_name = "TYPE=NUMBER", value_parser = parse_count, requires = "items")]
    pub(crate) count: Vec<Count>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print comma-separated values: the comparison, else the predictions, else the points
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Draw a figure into a file as well
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// What the figure shows [default: times; with a graph alone, graph]
    #[arg(long, value_name = "WHAT", requires = "svg")]
    pub(crate) chart: Option<FitChart>,
}

/// What `--weighting` can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WeightingArgument {
    /// By its error in seconds: long times decide
    Equal,
    /// By its relative error, for noise that is a percentage of the time
    Relative,
}

impl From<WeightingArgument> for Weighting {
    fn from(weighting: WeightingArgument) -> Weighting {
        match weighting {
            WeightingArgument::Equal => Weighting::Equal,
            WeightingArgument::Relative => Weighting::Relative,
        }
    }
}

/// What `skel fit --svg` draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FitChart {
    /// Measured points, fitted curves with prediction bands, and crossovers
    Times,
    /// The errors of --measured by n
    Errors,
    /// The graph of the program
    Graph,
}

/// `skel sweep`
#[derive(Debug, Args)]
#[command(after_help = "\
Values are a range, first:last:step, whose numbers are first + i*step exactly, so that fractions are allowed; a list; or
log:first:last:count, each the same multiple of the one before. One or two --vary make a grid, in which the first varies slowest;
with --together any number go forward in step. Points that differ in rates alone have the same states, which are explored once.

Measures of a model are throughput:ACTION, utilisation:STATE, population:STATE and result:NAME, or the name alone; where none are
asked for, all results, or without any the first six throughputs. Those of a skeleton are throughput, bottleneck, and busy:STAGE, or busy for
all stages; all of these where none are asked for.

A point without an answer is an empty cell, the reason stands on standard error, and the command ends with exit code 3. After Ctrl-C
or at the end of the time, what is solved is printed.

Examples:
  skel sweep model.pepa --vary mu=1:10:1
  skel sweep model.pepa --vary mu=1/2:5:1/2 --vary lambda=1,2,4 --keep throughput:serve --keep Waiting
  skel sweep model.pepa --vary 'Client[]=1:20' --csv > clients.csv
  skel sweep model.pepa --vary mu=log:1e-3:1e3:30 --svg curves.svg
  skel sweep model.pepa --vary mu=1,2,3 --vary lambda=2,4,6 --together --json
  skel sweep program.skel --vary n=1:8 --communication 100 --svg workers.svg
  skel sweep program.skel --vary n=1:20 --max-states 1000000 --max-time 60")]
pub(crate) struct SweepArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// What varies and its values: a rate or size that the file names, or with `[]` the copies of a component
    /// in an array; may be repeated
    #[arg(long, value_name = "NAME=VALUES", required = true, allow_hyphen_values = true)]
    pub(crate) vary: Vec<String>,
    /// Let all that varies go forward in step, in place of a grid
    #[arg(long)]
    pub(crate) together: bool,
    /// Ask for this measure; may be repeated
    #[arg(long, value_name = "MEASURE")]
    pub(crate) keep: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print comma-separated values: a header of names, and a line for each point
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Draw curves, or a map of colours for two long ranges, into a file as well
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
    /// Of a skeleton: the rate of all moves, in place of what the file says; `none` where moves take no time
    #[arg(long, value_name = "RATE", value_parser = parse_rate_of_moves, allow_hyphen_values = true)]
    pub(crate) communication: Option<LinkRate>,
    /// Of a model: explore every state, also where equal parts may change places; figures are the same
    #[arg(long)]
    pub(crate) unlumped: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// The longest time for each point; --max-time is for the whole sweep [default: none]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) max_time_per_point: Option<Duration>,
    /// The relative error that an iterative method may leave, as it is estimated [default: 1e-10]
    #[arg(long, value_name = "NUMBER", value_parser = parse_tolerance)]
    pub(crate) tolerance: Option<f64>,
}

/// `skel transient`
#[derive(Debug, Args)]
#[command(after_help = "\
Moments are a list, a range first:last:step with both ends, or log:first:last:count. All are answered by one pass to the last of them. A
throughput is that just after the moment; populations and results are those at it. With --over, each is also added up over the time
from 0: the expected number of times that an action is done, the expected time that is spent, and both divided by the time.

No number is further from the right one than the error that is printed, which --tolerance sets for figures at moments and for averages; an
integral may be off by so much for each unit of time. Where the method can only estimate its error, this is said. An error that cannot be
kept is refused with exit code 3.

Examples:
  skel transient model.pepa --at 0:10:0.5
  skel transient model.pepa --at 1,10,100 --over --keep serve --json
  skel transient model.pepa --at log:1e-3:1e3:60 --svg curves.svg
  skel transient model.pepa --at 5 --from '\"full\"'
  skel transient model.pepa --at 5 --from 'Waiting >= 2'
  skel transient model.pepa --at 1e5 --tolerance 1e-6 --max-time 60")]
pub(crate) struct TransientArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// The moments
    #[arg(long, value_name = "TIMES", required = true, value_parser = parse_times, allow_hyphen_values = true)]
    pub(crate) at: Times,
    /// Also add up all figures over the time from 0 to each moment
    #[arg(long)]
    pub(crate) over: bool,
    /// Ask only for the throughput of this action, the population of this local state, or this result line;
    /// may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) keep: Vec<String>,
    /// Begin in the states in which this condition holds, each as likely as the others, in place of the
    /// initial state: a result line or local state in quotes, a {pattern}, a comparison of populations, or
    /// several with &, | and !
    #[arg(long, value_name = "CONDITION", conflicts_with = "from_file")]
    pub(crate) from: Option<String>,
    /// Begin in each state with the weight on its line of this file, in the order of `skel derive`
    #[arg(long, value_name = "PATH")]
    pub(crate) from_file: Option<PathBuf>,
    /// Explore every state, also where equal parts may change places; figures are the same
    #[arg(long)]
    pub(crate) unlumped: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print comma-separated values: a header of names, and a line for each moment
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Draw curves into a file as well
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// The absolute error that a figure may have [default: 1e-9]
    #[arg(long, value_name = "NUMBER", value_parser = parse_tolerance)]
    pub(crate) tolerance: Option<f64>,
    /// The most steps [default: 10000000]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_steps: Option<u64>,
    /// How to solve
    #[arg(long, value_name = "NAME", default_value = "automatic")]
    pub(crate) method: TransientMethod,
}

/// `skel passage`
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("begin").required(true).args(["from", "from_action"])),
    group(ArgGroup::new("end").required(true).args(["to", "to_action"])),
    after_help = "\
Which passages count decides about the answer, so it says how they were counted:
  --from-action A            from the first A after the passage before has ended, in the steady state (a stochastic probe)
  --from-action A --every    from each A, in the steady state
  --from CONDITION           from each entry into the states from outside, in the steady state
  --from CONDITION --all-visits    from each visit, moves among the states included
  --from initial             from the initial state, at time zero
A passage ends with the next action of --to-action, or when the condition of --to holds. A condition is a result line or local state in
quotes, a {pattern}, a comparison of populations, or several with &, | and !. A pattern may tell the copies of an array apart, which is the
passage of one of them.

Errors are bounds. That of a probability is at most --tolerance; those of a density, a mean and other moments are in proportion to the largest
rate into the end and to the figure, where these are above 1. A quantile has its own error. With --exact, moments are fractions.

Examples:
  skel passage model.pepa --from-action request --to-action response --quantile 0.5,0.99
  skel passage model.pepa --from-action serve --to-action serve --every --moments 3 --exact
  skel passage model.pepa --from initial --to '\"full\"' --at 0:50:0.5 --csv > curve.csv
  skel passage model.pepa --from '{(Wait || ** || **) <request> **}' --to '{(Client || ** || **) <request> **}'
  skel passage model.pepa --from 'Busy < 3' --to 'Busy = 3' --svg passage.svg --json")]
pub(crate) struct PassageArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// Begin by coming to a state in which this condition holds; or `initial`, in the initial state
    #[arg(long, value_name = "CONDITION")]
    pub(crate) from: Option<String>,
    /// Begin with one of these actions
    #[arg(long, value_name = "ACTION,..", value_delimiter = ',')]
    pub(crate) from_action: Vec<String>,
    /// End when this condition holds
    #[arg(long, value_name = "CONDITION")]
    pub(crate) to: Option<String>,
    /// End with one of these actions
    #[arg(long, value_name = "ACTION,..", value_delimiter = ',')]
    pub(crate) to_action: Vec<String>,
    /// Count a passage from each action that begins one, also while another is under way
    #[arg(long, conflicts_with_all = ["from", "all_visits"])]
    pub(crate) every: bool,
    /// Count a passage from each visit to one of the states, moves among them included
    #[arg(long, conflicts_with = "from_action")]
    pub(crate) all_visits: bool,
    /// The probabilities whose times are wanted
    #[arg(long, value_name = "PROBABILITY,..", value_delimiter = ',', value_parser = parse_quantile, allow_hyphen_values = true)]
    pub(crate) quantile: Vec<f64>,
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
    #[command(flatten)]
    pub(crate) time: RandomTimeArguments,
}

/// What `--method` of `skel transient` can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TransientMethod {
    /// What suits the chain and the moments
    Automatic,
    /// Uniformisation: its error is a bound
    Uniformisation,
    /// Uniformisation that is only as fast as the states reached by then: its error is a bound
    Adaptive,
    /// Scaling and squaring of a matrix, for up to 2000 states: its error is an estimate
    Squaring,
    /// TR-BDF2, an implicit method for stiff chains: its error is an estimate
    Implicit,
}

impl From<TransientMethod> for transient::Method {
    fn from(method: TransientMethod) -> transient::Method {
        match method {
            TransientMethod::Automatic => transient::Method::Automatic,
            TransientMethod::Uniformisation => transient::Method::Uniformisation,
            TransientMethod::Adaptive => transient::Method::Adaptive,
            TransientMethod::Squaring => transient::Method::Squaring,
            TransientMethod::Implicit => transient::Method::Implicit,
        }
    }
}

/// `skel csl`
#[derive(Debug, Args)]
#[command(after_help = "\
Properties are written as for PRISM. A label in quotes is a result line or a local state of the model, a name without quotes the number of
components in a local state:

  P=? [ F<=10 \"full\" ]                      the probability that the queue is full at some time up to 10
  P>=0.9 [ Wait <= 2 U[1,5] \"down\" ]        whether it is at least 0.9
  S<0.1 [ {Busy || ** || **} ]               whether a pattern has less than a tenth of the time in the long run
  R{\"serve\"}=? [ C<=10 ]                    the mean number of services up to 10; also I=10, F \"full\" and S
  filter(max, P=? [ F<=1 \"full\" ])          the largest value of all states; also print, min, avg, sum, count, forall, exists, range

A bound within the error of the value is `undecided`. It is tried again with a hundredth of the error, and then in fractions, unless it is a
bound on something within a time.

Exit codes: 0 all properties hold, 4 one does not, 5 none fails and one is undecided; 1, 2 and 3 as for other commands.

Examples:
  skel csl queue.pepa 'P=? [ F<=10 \"full\" ]' 'S>=0.9 [ !\"full\" ]'
  skel csl queue.pepa --properties queue.csl --json
  skel csl queue.pepa 'R{\"time\"}=? [ F \"full\" ]' --exact
  skel csl queue.pepa 'filter(print, P=? [ F<=1 \"full\" ])' --svg states.svg")]
pub(crate) struct CslArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// The properties, each in quotes of the shell; several in one are separated by `;`
    #[arg(value_name = "PROPERTY")]
    pub(crate) property: Vec<String>,
    /// A file of properties: with `;` between them, comments after `//`, constants, and names before a `:`
    #[arg(long, value_name = "FILE")]
    pub(crate) properties: Option<PathBuf>,
    /// Compute in fractions; nothing that has a bound on time is one
    #[arg(long, conflicts_with = "tolerance")]
    pub(crate) exact: bool,
    /// Explore every state, also where equal parts may change places and one state could stand for many;
    /// answers are the same
    #[arg(long)]
    pub(crate) unlumped: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print one table of comma-separated values: name, property, state, value, error, exact
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Draw the values of states, of properties with `filter(print, ..)`, into this file
    #[arg(long, value_name = "PATH")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// The largest absolute error of a value [default: 1e-9]
    #[arg(long, value_name = "NUMBER", value_parser = parse_tolerance)]
    pub(crate) tolerance: Option<f64>,
    /// The most steps of uniformisation [default: 10000000]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_steps: Option<u64>,
}

/// `skel manage`
#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("watched").required(true)),
    after_help = "\
A manager looks at the figures of a program, asks a model with the measured times what other numbers of workers would do, and decides by
rules. The log says for each decision what was measured, what is predicted before and after it, and why it was taken.

With a program, its tasks are simulated with the times of the file, whose unit of time is a second, and the manager acts on it. A load makes
a task take longer: `sharpen: 60s x2, 120s-140s x1` doubles its time after a minute, and brings it back evenly between two moments.

With --replay, the manager looks at the snapshots of a run, which a managed run records, or a sampled one: lines of JSON. A recording cannot
react. What would be done is noted, and each decision is made on the recorded numbers of workers.

Rules are added to the predefined ones, or take their place by name:

  [[rule]]
  name = \"grow\"
  priority = 100
  when = \"service_time > limit and queue > 2\"
  then = \"add 1\"

Examples:
  skel manage program.skel --contract 12ms
  skel manage program.skel --contract 80/s --load 'sharpen: 60s x2, 120s x1' --for 180s --chart run.svg
  skel manage program.skel --contract 12ms --consult formula --max-workers 32
  skel manage --replay run.jsonl --contract 12ms --rules rules.toml
  skel manage --replay series.jsonl --program program.skel --contract 12ms --json | jq .events")]
pub(crate) struct ManageArguments {
    /// The program to simulate, a `.skel` text; `-` is standard input
    #[arg(value_name = "FILE", group = "watched")]
    pub(crate) path: Option<PathBuf>,
    /// Look at this recorded run in place of a simulated one
    #[arg(long, value_name = "FILE", group = "watched")]
    pub(crate) replay: Option<PathBuf>,
    /// The program of the recorded run, a `.skel` text, where the recording does not say it
    #[arg(long, value_name = "FILE", requires = "replay")]
    pub(crate) program: Option<PathBuf>,
    /// What is to be kept: a service time, as 12ms, or a throughput, as 80/s
    #[arg(long, value_name = "CONTRACT", value_parser = parse_contract, allow_hyphen_values = true)]
    pub(crate) contract: Contract,
    /// The part by which a service time may be longer before the contract counts as broken, as 0.05 or 5%
    #[arg(long, value_name = "PART", value_parser = parse_part, default_value = "5%", allow_hyphen_values = true)]
    pub(crate) tolerance: f64,
    /// Rules in TOML, beside the predefined ones
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// By which prediction to decide
    #[arg(long, value_name = "WHICH", default_value = "chain")]
    pub(crate) consult: ConsultArgument,
    /// The most workers and replicas in all
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..), default_value = "256")]
    pub(crate) max_workers: u32,
    /// How many services of each task a decision needs
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(2..), default_value = "400")]
    pub(crate) services: u64,
    /// Decide, and do not act on the simulated program either
    #[arg(long, conflicts_with = "replay")]
    pub(crate) dry_run: bool,
    /// How a task's time changes while the program is simulated; may be repeated
    #[arg(long, value_name = "LOAD", value_parser = parse_load, conflicts_with = "replay")]
    pub(crate) load: Vec<LoadOf>,
    /// How long the program is simulated
    #[arg(long = "for", value_name = "TIME", value_parser = parse_span, default_value = "60s", conflicts_with = "replay",
        allow_hyphen_values = true)]
    pub(crate) span: Duration,
    /// Which random times the simulation draws: the same number draws the same ones
    #[arg(long, value_name = "NUMBER", default_value = "1", conflicts_with = "replay")]
    pub(crate) seed: u64,
    /// Draw throughput, replicas, service times and decisions into an SVG file as well
    #[arg(long, value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `--consult` can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConsultArgument {
    /// The Markov chain, with buffers and the measured variation
    Chain,
    /// The formula that leaves variation out
    Formula,
}

impl From<ConsultArgument> for Consult {
    fn from(which: ConsultArgument) -> Consult {
        match which {
            ConsultArgument::Chain => Consult::Chain,
            ConsultArgument::Formula => Consult::Formula,
        }
    }
}

/// How the rate of a stage follows from its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormulaArgument {
    /// Power over work and the stages on the processor
    Divided,
    /// Power times work over the stages on the processor
    Printed,
}

/// The model's file, and what its check should not mind.
#[derive(Debug, Args)]
pub(crate) struct FileArguments {
    /// The model; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) path: PathBuf,
    /// Do not report this finding; may be repeated
    #[arg(long, value_name = "CODE", value_parser = allowable_code(), hide_possible_values = true)]
    pub(crate) allow: Vec<Code>,
}

/// Other values of named rates and sizes.
#[derive(Debug, Args)]
pub(crate) struct SettingArguments {
    /// Give a named rate another value, a decimal or a fraction, or a size another number; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) set: Vec<Setting>,
}

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

/// What the work may cost.
#[derive(Debug, Args)]
pub(crate) struct LimitArguments {
    /// The most states [default: 50000000]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_states: Option<u64>,
    /// The most memory for states, transitions and equations, as 500MB or 2GiB [default: 8GiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
    pub(crate) max_memory: Option<u64>,
    /// The longest time for exploring, and again for solving; for a search of mappings or of replicas and for
    /// a sweep in all, which then show what was found [default: none]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_hyphen_values = true)]
    pub(crate) max_time: Option<Duration>,
    /// The most threads; answers do not depend on it [default: one for each processor]
    #[arg(long, value_name = "NUMBER", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// The codes that a modeller may allow, so that clap lists them and says which one was probably meant. A
/// deadlock is among them, though no `allow(...)` in a model may have it: the figures of a model that comes
/// to a stop may be wanted.
fn allowable_code() -> ValueParser {
    let is_allowable = |code: &&Code| code.is_allowable() || **code == Code::Deadlock;
    let words = Code::ALL.iter().filter(is_allowable).map(|code| code.word());
    PossibleValuesParser::new(words)
        .try_map(|word| Code::from_word(&word).ok_or("there is no such finding"))
        .into()
}
