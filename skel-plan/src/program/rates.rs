//! The rates that follow from a mapping.
//!
//! With `j` the processor of task `i`, `n_j` the tasks on it, `cp_j` its power and `w_i` the task's work, and
//! `nl_jk` the bandwidth from the sender's processor to the receiver's and `ds_m` the size of the data of
//! move `m`:
//!
//! | | [`Formula::Divided`] | [`Formula::Printed`] |
//! |---|---|---|
//! | rate of task `i` | `cp_j / (w_i n_j)` | `w_i cp_j / n_j` |
//! | rate of move `m` | `nl_jk / ds_m`, or `1 / (L + g(ds_m))` | the same |
//!
//! The second rate of a move is that over a link with a communication model, whose latency `L` does not
//! depend on the size of the data.
//!
//! The work of a task whose time is not exponential is the mean of its time on a processor of power 1, so its
//! rate is one over the mean of its time under the mapping.
//!
//! The paper prints the second formula (section 4.3), by which more work is done faster. In all its
//! experiments `w_i` is 1, and there the two formulas agree.

use std::fmt;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::number::Ratio;
use skel_core::rate::{RateProblem, positive};

use super::application::Application;
use super::mapping::Mapping;
use crate::platform::{Platform, ProcessorId, no_such_processor};

/// How the rate of a task follows from its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Formula {
    /// More work takes longer.
    #[default]
    Divided,
    /// The formula that the paper prints: more work is done faster.
    Printed,
}

/// The exact rates of a mapping.
///
/// # Examples
/// ```
/// use skel_core::number::ratio;
/// use skel_plan::*;
/// let processors = [10, 10].map(|power| Processor::new(Power::per_second(power)));
/// let platform = Platform::new(processors, &Links::everywhere(Bandwidth::bytes_per_second(100)))?;
/// let stages = [2, 4, 1].map(|work| Stage::new(Work::units(work)).receiving(Data::bytes(10)));
/// let application = Application::pipeline(stages, Data::bytes(10))?;
/// let rates = Rates::from_mapping(&application, &platform, &Mapping::new([1, 1, 2]), Formula::Divided)?;
/// assert_eq!(rates.tasks, [ratio(5, 2), ratio(5, 4), ratio(10, 1)]);
/// assert_eq!(rates.moves, vec![ratio(10, 1); 4]);
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// For each task, how many items per second it computes on average while it is computing.
    pub tasks: Vec<Ratio>,
    /// For each move, how many items per second it carries while it is under way.
    pub moves: Vec<Ratio>,
}

impl Rates {
    /// The rates that follow from a mapping.
    ///
    /// # Errors
    /// The mapping has another number of tasks, names a processor that does not exist, or needs a link that
    /// there is not; a model of a link says nothing of the size of an item; or a rate is beyond the range of
    /// a float or has too many digits.
    pub fn from_mapping(
        application: &Application,
        platform: &Platform,
        mapping: &Mapping,
        formula: Formula,
    ) -> Result<Rates, BuildErrors> {
        check(application, platform, mapping)?;
        let (mut tasks, mut moves, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for (task, &host) in application.tasks.iter().zip(mapping.processors()) {
            let share = platform.power(host) / Ratio::from_integer(mapping.load(host).into());
            let rate = match formula {
                Formula::Divided => share / task.service.work(),
                Formula::Printed => share * task.service.work(),
            };
            match positive(rate) {
                Ok(rate) => tasks.push(rate),
                Err(problem) => errors.push(not_a_rate(format_args!("a task on processor {host}"), &problem)),
            }
        }
        for one in &application.moves {
            let (from, to) = (mapping.processor_at(one.from), mapping.processor_at(one.to));
            let Some(link) = platform.link(from, to) else {
                errors.push(missing_link(from, to, &application.mapping_text(mapping)));
                continue;
            };
            match link.rate(&one.size).map(positive) {
                Ok(Ok(rate)) => moves.push(rate),
                Ok(Err(problem)) => {
                    let name = format_args!("a move from processor {from} to processor {to}");
                    errors.push(not_a_rate(name, &problem));
                }
                Err(none) => {
                    let link = format_args!("the link from processor {from} to processor {to}");
                    errors.push(none.error(&one.size, link));
                }
            }
        }
        if errors.is_empty() { Ok(Rates { tasks, moves }) } else { Err(BuildErrors(errors)) }
    }
}

fn not_a_rate(of: fmt::Arguments<'_>, problem: &RateProblem) -> BuildError {
    BuildError {
        code: Code::RateOutOfRange,
        message: format!("the rate of {of} {problem}"),
        help: "choose other units of work, of data or of time, or fewer digits".into(),
    }
}

fn missing_link(from: ProcessorId, to: ProcessorId, mapping: &str) -> BuildError {
    BuildError {
        code: Code::MissingLink,
        message: format!("the mapping {mapping} needs a link from processor {from} to processor {to}"),
        help: "give the link a bandwidth, or map in another way".into(),
    }
}

fn check(application: &Application, platform: &Platform, mapping: &Mapping) -> Result<(), BuildErrors> {
    let mut errors = Vec::new();
    let (given, tasks) = (mapping.processors().len(), application.task_count());
    if given != tasks {
        errors.push(BuildError {
            code: Code::MappingLength,
            message: format!(
                "the mapping {} has {given} tasks, but there are {tasks}",
                application.mapping_text(mapping)
            ),
            help: "name a processor for every task, replicas counted".into(),
        });
    }
    let mut wrong: Vec<ProcessorId> =
        mapping.processors().iter().copied().chain([mapping.input(), mapping.output()]).collect();
    wrong.retain(|&id| !platform.contains(id));
    wrong.dedup();
    errors.extend(wrong.into_iter().map(|id| no_such_processor(id, platform.processors().len())));
    if errors.is_empty() { Ok(()) } else { Err(BuildErrors(errors)) }
}
