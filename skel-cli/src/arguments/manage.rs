//! `skel manage`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, ValueEnum};
use skel::manage::{Consult, Contract};

use crate::quantity::{LoadOf, parse_contract, parse_load, parse_part, parse_span};

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
