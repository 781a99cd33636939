//! `skel check`, `skel solve`, `skel derive` and `skel sweep`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use skel::steady;

use super::shared::{FileArguments, LimitArguments, SettingArguments};
use crate::quantity::{LinkRate, parse_number, parse_rate_of_moves, parse_seconds, parse_tolerance};

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
