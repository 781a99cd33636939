//! `skel fit`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use skel::fit::Weighting;

use crate::quantity::{
    Count, Formula, Points, SizeRange, Terms, parse_count, parse_formula, parse_parameter, parse_points,
    parse_probability, parse_size_range, parse_terms,
};

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
