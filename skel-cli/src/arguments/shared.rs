//! Arguments of several commands: the file, settings, limits, and what is asked of a random time.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use skel::diagnostic::Code;

use crate::quantity::{
    Setting, Times, parse_memory, parse_seconds, parse_setting, parse_threads, parse_times, parse_tolerance,
};

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

/// The codes that a modeller may allow, so that clap lists them and says which one was probably meant. A
/// deadlock is among them, though no `allow(...)` in a model may have it: the figures of a model that comes
/// to a stop may be wanted.
pub(super) fn allowable_code() -> ValueParser {
    let is_allowable = |code: &&Code| code.is_allowable() || **code == Code::Deadlock;
    let words = Code::ALL.iter().filter(is_allowable).map(|code| code.word());
    PossibleValuesParser::new(words)
        .try_map(|word| Code::from_word(&word).ok_or("there is no such finding"))
        .into()
}
