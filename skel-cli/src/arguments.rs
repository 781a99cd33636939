//! The command line, as clap reads it.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use skel::diagnostic::Code;

use crate::quantity::{Setting, parse_memory, parse_seconds, parse_setting, parse_tolerance};

/// Checks, solves and derives PEPA performance models.
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
Examples:
  skel solve models/tiny.pepa                   throughputs, results, utilisation
  skel solve models/tiny.pepa --exact           the same as fractions
  skel solve models/tiny.pepa --set r1=3        with another rate
  skel check model.pepa --require deadlock_free
  skel derive model.pepa --dot | dot -Tsvg > model.svg

Exit codes:
  0  answered
  1  the model is wrong
  2  the command line is wrong, or a file cannot be read or written
  3  a limit was reached, or the work was cancelled";

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

/// The three things that the command does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Parse a model and say everything that is wrong with it
    Check(CheckArguments),
    /// Explore a model and print its throughputs, results and utilisations in steady state
    Solve(SolveArguments),
    /// Print the derivation graph: all states and all transitions
    Derive(DeriveArguments),
}

/// `skel check`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skel check model.pepa
  skel check model.pepa --require deadlock_free --require irreducible
  skel check model.pepa --allow unused_rate --deny-warnings")]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// Explore the model and demand this of it; may be repeated
    #[arg(long, value_name = "WHAT")]
    pub(crate) require: Vec<Requirement>,
    /// The most states to explore; demands by itself that the model has no more
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_states: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
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
Examples:
  skel solve model.pepa --set mu=2.5 --set lambda=10/3
  skel solve model.pepa --json | jq .throughput
  generate-model | skel solve - --max-time 60 --max-memory 2GiB")]
pub(crate) struct SolveArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
    /// Answer for the long run from the initial state, also where runs end in several ways
    #[arg(long)]
    pub(crate) long_run: bool,
    /// Solve in exact fractions: for small models, a few hundred states
    #[arg(long, conflicts_with = "tolerance")]
    pub(crate) exact: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) settings: SettingArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// The relative residual at which iterative methods stop [default: 1e-12]
    #[arg(long, value_name = "NUMBER", value_parser = parse_tolerance)]
    pub(crate) tolerance: Option<f64>,
}

/// `skel derive`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  skel derive model.pepa | head
  skel derive model.pepa --dot | dot -Tsvg > model.svg
  skel derive model.pepa --json --output model.json")]
pub(crate) struct DeriveArguments {
    #[command(flatten)]
    pub(crate) file: FileArguments,
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

/// Other values of named rates.
#[derive(Debug, Args)]
pub(crate) struct SettingArguments {
    /// Give a named rate another value, a decimal or a fraction; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) set: Vec<Setting>,
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
    /// The longest time for exploring, and again for solving [default: none]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) max_time: Option<Duration>,
}

/// The codes that a modeller may allow, so that clap lists them and says which one was probably meant.
fn allowable_code() -> ValueParser {
    let words = Code::ALL.iter().filter(|code| code.is_allowable()).map(|code| code.word());
    PossibleValuesParser::new(words)
        .try_map(|word| Code::from_word(&word).ok_or("there is no such finding"))
        .into()
}
