//! Mappings: which task runs where.

use std::fmt;

use super::application::{Application, Endpoint};
use crate::platform::ProcessorId;

/// Which task runs on which processor, where the input comes from and where the output is wanted.
///
/// # Examples
/// ```
/// use skel_plan::Mapping;
/// let mapping = Mapping::new([1, 1, 2]);
/// assert_eq!(mapping.to_string(), "[1, (1,1,2), 2]");
/// assert_eq!(mapping.with_output(1).to_string(), "[1, (1,1,2), 1]");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mapping {
    tasks: Vec<ProcessorId>,
    input: ProcessorId,
    output: ProcessorId,
}

impl Mapping {
    /// The processor of each task. The input comes from the processor of the first task, and the output is
    /// wanted at that of the last.
    ///
    /// # Panics
    /// If there is no task.
    #[must_use]
    pub fn new(tasks: impl IntoIterator<Item = impl Into<ProcessorId>>) -> Self {
        let tasks: Vec<ProcessorId> = tasks.into_iter().map(Into::into).collect();
        let (Some(&input), Some(&output)) = (tasks.first(), tasks.last()) else {
            panic!("a mapping has a task");
        };
        Mapping { tasks, input, output }
    }

    /// The same with the input at another processor. Only pipelines make a difference of it.
    #[must_use]
    pub fn with_input(self, input: impl Into<ProcessorId>) -> Self {
        Mapping { input: input.into(), ..self }
    }

    /// The same with the output at another processor. Only pipelines make a difference of it.
    #[must_use]
    pub fn with_output(self, output: impl Into<ProcessorId>) -> Self {
        Mapping { output: output.into(), ..self }
    }

    /// The processor of each task.
    #[must_use]
    pub fn processors(&self) -> &[ProcessorId] {
        &self.tasks
    }

    /// Where the input comes from.
    #[must_use]
    pub fn input(&self) -> ProcessorId {
        self.input
    }

    /// Where the output is wanted.
    #[must_use]
    pub fn output(&self) -> ProcessorId {
        self.output
    }

    /// The processor at an end of a move.
    pub(crate) fn processor_at(&self, end: Endpoint) -> ProcessorId {
        match end {
            Endpoint::Input => self.input,
            Endpoint::Task(task) => self.tasks[task],
            Endpoint::Output => self.output,
        }
    }

    /// The processors of the tasks without input and output: `(1,1,2)`.
    fn tuple_text(&self) -> String {
        let tasks: Vec<String> = self.tasks.iter().map(ToString::to_string).collect();
        format!("({})", tasks.join(","))
    }

    /// How many tasks are on a processor.
    pub(crate) fn load(&self, id: ProcessorId) -> usize {
        self.tasks.iter().filter(|&&host| host == id).count()
    }
}

impl fmt::Display for Mapping {
    /// As in the description of a pipeline: `[input, (stages), output]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}, {}]", self.input, self.tuple_text(), self.output)
    }
}

impl Application {
    /// A mapping as a description of this program has it: with input and output for a pipeline, without for a
    /// skeleton.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{farm, pipe, task};
    /// use skel_plan::{Application, Data, Mapping};
    /// let farmed = Application::skeleton(&pipe((task(1.0), farm(2, 0.5))), |_, _| Data::bytes(100))?;
    /// assert_eq!(farmed.mapping_text(&Mapping::new([1, 2, 2])), "(1,2,2)");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn mapping_text(&self, mapping: &Mapping) -> String {
        if self.is_pipeline() { mapping.to_string() } else { mapping.tuple_text() }
    }
}
