//! On which processors the tasks of a program run.

use num_traits::One;

use crate::diagnostic::{Code, Diagnostic};
use crate::number::Ratio;
use crate::rate::Rate;
use crate::skeleton::communication::not_positive;
use crate::skeleton::tree::StageId;

/// Which processor each task runs on, and how fast.
///
/// By default every task has a processor of its own and runs at its own rate.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{pipe, task, Communication, Processors, Skeleton};
/// // Two tasks share a processor of power 3, so each gets half of it.
/// let program = pipe((task(2.0), task(4.0)))
///     .communicating(Communication::everywhere(10.0))
///     .with_processors(Processors::assigned([3.0], [0, 0]));
/// let text = program.lower()?.to_string();
/// assert!(text.contains("Processor_0 = (comp_0, 3.0).Processor_0 + (comp_1, 6.0).Processor_0;"));
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Processors(Kind);

#[derive(Clone, Debug, Default)]
enum Kind {
    #[default]
    OneEach,
    Assigned {
        powers: Vec<Rate>,
        of_task: Vec<usize>,
        is_divided: bool,
    },
}

/// A processor, and the tasks on it with their rates.
pub(super) type Load = (usize, Vec<(u32, Ratio)>);

impl Processors {
    /// A processor for every task, at the task's own rate.
    #[must_use]
    pub fn one_each() -> Self {
        Processors(Kind::OneEach)
    }

    /// Whether every task has a processor of its own.
    #[must_use]
    pub fn are_one_each(&self) -> bool {
        matches!(self.0, Kind::OneEach)
    }

    /// Task `i` runs on processor `of_task[i]`, at its own rate times the power of the processor, divided by
    /// the number of tasks there. A task's rate is then that on a processor of power 1.
    ///
    /// The processor offers its tasks as a choice, so a task that waits leaves its share unused.
    #[must_use]
    pub fn assigned<P: Into<Rate>>(
        powers: impl IntoIterator<Item = P>,
        of_task: impl IntoIterator<Item = usize>,
    ) -> Self {
        Processors(Kind::Assigned {
            powers: powers.into_iter().map(Into::into).collect(),
            of_task: of_task.into_iter().collect(),
            is_divided: true,
        })
    }

    /// The same, but each task has the whole power of its processor, as on a processor with a core for each
    /// task.
    #[must_use]
    pub fn undivided(self) -> Self {
        match self.0 {
            Kind::OneEach => self,
            Kind::Assigned { powers, of_task, .. } => {
                Processors(Kind::Assigned { powers, of_task, is_divided: false })
            }
        }
    }

    /// The processors in use with the rates of their tasks, given the tasks' own rates.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn loads(&self, rates: &[Ratio]) -> Result<Vec<Load>, Vec<Diagnostic<StageId>>> {
        let (powers, of_task, is_divided) = match &self.0 {
            Kind::OneEach => {
                let alone = |(task, rate): (usize, &Ratio)| (task, vec![(task as u32, rate.clone())]);
                return Ok(rates.iter().enumerate().map(alone).collect());
            }
            Kind::Assigned { powers, of_task, is_divided } => (powers, of_task, *is_divided),
        };
        let mut errors = misfits(rates.len(), powers.len(), of_task);
        let mut values = Vec::with_capacity(powers.len());
        for (processor, power) in powers.iter().enumerate() {
            let subject = format!("of processor {processor} (its power)");
            let value = power.to_positive().map_err(|problem| not_positive(&problem, &subject, ROOT));
            values.push(value.unwrap_or_else(|error| {
                errors.push(error);
                Ratio::one()
            }));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut loads: Vec<Load> = (0..powers.len()).map(|processor| (processor, Vec::new())).collect();
        for (task, (&processor, rate)) in of_task.iter().zip(rates).enumerate() {
            loads[processor].1.push((task as u32, rate * &values[processor]));
        }
        loads.retain(|(_, tasks)| !tasks.is_empty());
        for (_, tasks) in loads.iter_mut().filter(|_| is_divided) {
            let share = Ratio::from_integer(tasks.len().into());
            tasks.iter_mut().for_each(|(_, rate)| *rate = &*rate / &share);
        }
        Ok(loads)
    }
}

const ROOT: StageId = StageId(0);

#[cfg_attr(debug_assertions, inline)]
fn misfits(tasks: usize, processors: usize, of_task: &[usize]) -> Vec<Diagnostic<StageId>> {
    const HELP: &str = "name a processor, from 0, for every task, replicas counted";
    let error = |message: String| Diagnostic::new(Code::BadProcessors, ROOT, message).help(HELP);
    let mut errors = Vec::new();
    if of_task.len() != tasks {
        let given = match of_task.len() {
            1 => "1 task is assigned to a processor".to_owned(),
            given => format!("{given} tasks are assigned to processors"),
        };
        errors.push(error(format!("{given}, but there are {tasks}")));
    }
    for (task, processor) in of_task.iter().enumerate().filter(|&(_, &processor)| processor >= processors) {
        let there_are = match processors {
            1 => "there is 1 processor".to_owned(),
            _ => format!("there are {processors} processors"),
        };
        errors.push(error(format!("task {task} is assigned to processor {processor}, but {there_are}")));
    }
    errors
}
