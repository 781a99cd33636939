//! `skel map` and `skel distribute`.

use std::path::PathBuf;

use clap::Args;

use super::shared::LimitArguments;
use super::skeleton::FormulaArgument;
use crate::quantity::{Schedules, parse_number, parse_schedules, parse_tolerance};

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
