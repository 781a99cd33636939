//! `skel transient`, `skel passage` and `skel csl`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueEnum};
use skel::transient;

use super::shared::{FileArguments, LimitArguments, RandomTimeArguments, SettingArguments};
use crate::quantity::{Times, parse_quantile, parse_times, parse_tolerance};

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
