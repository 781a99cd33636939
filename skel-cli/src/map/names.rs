//! What the stages of a pipeline and the tasks of a skeleton are called: `stage decode`,
//! `task 3 (work, 2 of 4)`.

use skel::plan::{Application, Endpoint, Mapping};
use skel::skeleton::StageId;
use skel::time::ServiceTime;

use crate::report::table::printable;

/// The names of a program's tasks.
pub(super) struct Names<'a> {
    application: &'a Application,
    /// For each task of a skeleton its stage, its number among the replicas of the stage, and how many
    /// replicas there are.
    replicas: Vec<(StageId, usize, usize)>,
}

impl<'a> Names<'a> {
    /// The names of the tasks of a program.
    pub(super) fn new(application: &'a Application) -> Self {
        let stages: Vec<StageId> = application.as_skeleton().map_or_else(Vec::new, |(tree, _)| tree.tasks());
        let copies = |of: StageId, among: &[StageId]| among.iter().filter(|&&stage| stage == of).count();
        let replicas = stages.iter().enumerate();
        let replicas =
            replicas.map(|(task, &stage)| (stage, copies(stage, &stages[..=task]), copies(stage, &stages)));
        Names { replicas: replicas.collect(), application }
    }

    /// Whether the tasks are the stages of a pipeline.
    pub(super) fn are_stages(&self) -> bool {
        self.application.is_pipeline()
    }

    /// A mapping as the description has it.
    pub(super) fn mapping(&self, mapping: &Mapping) -> String {
        self.application.mapping_text(mapping)
    }

    /// The name of a task, whose number counts from 0.
    pub(super) fn task(&self, task: usize) -> String {
        let Some(&(stage, replica, replicas)) = self.replicas.get(task) else {
            return format!("stage {}", printable(&self.application.name(task)));
        };
        let name = self.name(stage);
        match replicas {
            1 => format!("task {} ({name})", task + 1),
            _ => format!("task {} ({name}, {replica} of {replicas})", task + 1),
        }
    }

    /// The name of what moves from one end to another.
    pub(super) fn items(&self, ends: (Endpoint, Endpoint)) -> String {
        match ends {
            (Endpoint::Task(from), Endpoint::Task(to)) if !self.are_stages() => {
                format!("the items from {} to {}", self.task(from), self.task(to))
            }
            (_, Endpoint::Task(to)) => format!("the items for {}", self.task(to)),
            _ => "the output".into(),
        }
    }

    /// The tasks of a skeleton in their order, neighbouring replicas together: `1 read, 2-4 work`.
    pub(super) fn legend(&self) -> String {
        const MOST: usize = 12;
        let groups: Vec<&[(StageId, usize, usize)]> =
            self.replicas.chunk_by(|one, next| one.0 == next.0).collect();
        let mut first = 1;
        let mut shown = Vec::new();
        for group in groups.iter().take(MOST) {
            let last = first + group.len() - 1;
            let numbers = if first == last { first.to_string() } else { format!("{first}-{last}") };
            shown.push(format!("{numbers} {}", self.name(group[0].0)));
            first = last + 1;
        }
        let more = if groups.len() > MOST { ", ..." } else { "" };
        format!("{}{more}", shown.join(", "))
    }

    /// The times that are not exponential, each with the tasks that take it: neighbouring replicas together.
    pub(super) fn times(&self) -> Vec<(String, &'a ServiceTime)> {
        let tasks: Vec<usize> = (0..self.application.task_count()).collect();
        let stage = |task: usize| self.replicas.get(task).map(|(stage, ..)| *stage);
        let groups = tasks.chunk_by(|&one, &next| stage(one).is_some() && stage(one) == stage(next));
        let of_group = |group: &[usize]| {
            let (first, last) = (group[0], group[group.len() - 1]);
            let label = match stage(first).filter(|_| first < last) {
                Some(stage) => format!("tasks {}-{} ({})", first + 1, last + 1, self.name(stage)),
                None => self.task(first),
            };
            (label, self.application.time(first))
        };
        groups.map(of_group).filter(|(_, time)| !time.is_exponential()).collect()
    }

    fn name(&self, stage: StageId) -> String {
        self.application.as_skeleton().map_or_else(String::new, |(tree, _)| tree.name(stage))
    }
}
