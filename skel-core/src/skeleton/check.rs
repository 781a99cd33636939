//! The check of a skeleton: one for all doors, with one wording, and all findings at once.

use std::collections::HashMap;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::number::{Ratio, ratio};
use crate::rate::Rate;
use crate::skeleton::tree::{Stage, StageId, Task, Tree};
use crate::skeleton::written::{Value, Written};
use crate::syntax::MAX_DEPTH;

/// The most tasks that a skeleton may have, replicas counted.
pub const MOST_TASKS: u64 = 2_000;

/// The most moves, or alternatives and rounds of a task, that a skeleton may stand for.
pub const MOST_MOVES: u64 = 200_000;

/// Whether two tasks may have one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// A name is a handle: it belongs to one task (and its replicas).
    Distinct,
    /// A name is the component that a task runs, as in the paper's text form, where every task may be `"task"`.
    Shared,
}

/// Checks what was written. There is a tree unless there are errors or values that are not known yet.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{check, task, Names, Structured};
/// let (tree, findings) = check(&task(0.0).written(), Names::Distinct);
/// assert!(tree.is_none());
/// assert_eq!(findings[0].message, "the rate of the task is 0");
/// ```
pub fn check<S: Span>(written: &Written<S>, names: Names) -> (Option<Tree>, Vec<Diagnostic<S>>) {
    let mut checker = Checker {
        findings: Vec::new(),
        names: HashMap::new(),
        places: Vec::new(),
        distinct: names == Names::Distinct,
        stages: Vec::new(),
        is_complete: true,
    };
    let tasks = checker.stage(written, 1);
    if tasks > MOST_TASKS {
        checker.findings.push(
            Diagnostic::new(
                Code::SkeletonTooLarge,
                written.span(),
                match tasks {
                    // It may be more than can be counted.
                    u64::MAX => format!("the skeleton has more than {MOST_TASKS} tasks"),
                    _ => format!("the skeleton has {tasks} tasks, more than {MOST_TASKS}"),
                },
            )
            .help("use fewer replicas: every task is a component of the model"),
        );
    }
    let is_sound = checker.findings.is_empty() && checker.is_complete;
    let tree = is_sound.then_some(Tree { stages: checker.stages });
    (tree, checker.findings)
}

struct Checker<S> {
    findings: Vec<Diagnostic<S>>,
    /// The number of the place where each name stood last.
    names: HashMap<String, usize>,
    places: Vec<S>,
    distinct: bool,
    stages: Vec<Stage>,
    /// Whether every value is known.
    is_complete: bool,
}

impl<S: Span> Checker<S> {
    /// Checks a stage and everything in it, and appends it to the table; the number of its tasks.
    fn stage(&mut self, written: &Written<S>, depth: usize) -> u64 {
        let here = self.stages.len();
        if depth > MAX_DEPTH && !matches!(written, Written::FromRust(_)) {
            self.findings.push(
                Diagnostic::new(
                    Code::NestingTooDeep,
                    written.span(),
                    format!("the skeleton is nested more than {MAX_DEPTH} deep"),
                )
                .help("flatten it: a pipe in a pipe is one pipe"),
            );
            return 0;
        }
        match written {
            Written::FromRust(_) => {
                self.is_complete = false;
                1
            }
            Written::Task { name, rate, .. } => {
                let subject = match name {
                    Some(Value::Known(name, _)) => format!("of the task `{name}`"),
                    _ => "of the task".to_owned(),
                };
                self.name(name.as_ref());
                let rate = self.rate(rate, &subject);
                let name = match name {
                    Some(Value::Known(name, _)) => Some(name.clone()),
                    _ => None,
                };
                self.stages.push(Stage::Task(Task { name, rate }));
                1
            }
            Written::Pipe { stages, span } => {
                if stages.is_empty() {
                    self.findings.push(
                        Diagnostic::new(Code::NoStage, *span, "the pipe has no stage")
                            .help("a pipe has at least one stage: `pipe(task(1.0), task(2.0))`"),
                    );
                }
                self.stages.push(Stage::Pipe(Vec::new()));
                let mut ids = Vec::with_capacity(stages.len());
                let mut tasks = 0_u64;
                for stage in stages {
                    ids.push(StageId(self.stages.len() as u32));
                    tasks = tasks.saturating_add(self.stage(stage, depth + 1));
                }
                self.stages[here] = Stage::Pipe(ids);
                tasks
            }
            Written::Replicated { replication, replicas, worker, .. } => {
                let count = self.count(replicas, replication.word());
                let below = StageId(here as u32 + 1);
                let replicas = u32::try_from(count).unwrap_or(u32::MAX);
                self.stages.push(Stage::Replicated { replication: *replication, replicas, worker: below });
                let tasks = self.stage(worker, depth + 1);
                count.saturating_mul(tasks)
            }
        }
    }

    fn name(&mut self, name: Option<&Value<String, S>>) {
        match name {
            None => {}
            Some(Value::FromRust(_)) => self.is_complete = false,
            Some(Value::Known(name, span)) => {
                if name.trim().is_empty() || name.contains(|c: char| c == '"' || c.is_control()) {
                    self.findings.push(
                        Diagnostic::new(
                            Code::BadTaskName,
                            *span,
                            format!("{name:?} cannot be the name of a task"),
                        )
                        .help("a name is some text without quotation marks and line breaks"),
                    );
                }
                let first = self.names.insert(name.clone(), self.places.len());
                self.places.push(*span);
                if let (true, Some(first)) = (self.distinct, first) {
                    self.findings.push(
                        Diagnostic::new(Code::DuplicateTask, *span, format!("two tasks are named `{name}`"))
                            .related(self.places[first], "the other is here")
                            .help("a task is addressed by its name: give each its own"),
                    );
                }
            }
        }
    }

    fn rate(&mut self, rate: &Value<Rate, S>, subject: &str) -> Ratio {
        let placeholder = || ratio(1, 1);
        match rate {
            Value::FromRust(_) => {
                self.is_complete = false;
                placeholder()
            }
            Value::Known(rate, span) => rate.to_positive().unwrap_or_else(|problem| {
                if let Some((code, message, help)) = problem.explain(subject, false) {
                    self.findings.push(Diagnostic::new(code, *span, message).help(help));
                }
                placeholder()
            }),
        }
    }

    fn count(&mut self, replicas: &Value<i128, S>, word: &str) -> u64 {
        match replicas {
            Value::FromRust(_) => {
                self.is_complete = false;
                1
            }
            Value::Known(count, span) if *count < 1 => {
                self.findings.push(
                    Diagnostic::new(Code::NoReplica, *span, format!("the {word} has {count} replicas"))
                        .help(format!("a {word} has at least one replica")),
                );
                1
            }
            Value::Known(count, _) => u64::try_from(*count).unwrap_or(u64::MAX),
        }
    }
}
