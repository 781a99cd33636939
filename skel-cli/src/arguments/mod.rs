//! The command line, as clap reads it.

mod fit;
mod manage;
mod map;
mod model;
mod network;
mod over_time;
mod shared;
mod skeleton;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use fit::{FitArguments, FitChart};
pub(crate) use manage::{ConsultArgument, ManageArguments};
pub(crate) use map::{DistributeArguments, MapArguments};
pub(crate) use model::{CheckArguments, DeriveArguments, Requirement, SolveArguments, SweepArguments};
pub(crate) use network::{MeasureArguments, NetworkArguments, NetworkChart, NetworkCommand, NetworkPart};
pub(crate) use over_time::{CslArguments, PassageArguments, TransientArguments};
pub(crate) use shared::{FileArguments, LimitArguments, RandomTimeArguments};
pub(crate) use skeleton::{FormulaArgument, ProgramArguments, ResponseArguments, SkeletonArguments};

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
  skel fit runs.csv --predict n=4000            a formula for the seconds that were measured, and what it predicts
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
