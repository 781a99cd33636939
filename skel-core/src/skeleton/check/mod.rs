//! The check of a skeleton, which finds everything that is wrong with it. Macro calls, texts and Rust values
//! share it and its messages.

mod team;
mod time;
mod value;

use std::collections::HashMap;

use crate::diagnostic::{Code, Diagnostic, Span, TextSpan};
use crate::number::ratio;
use crate::skeleton::bounds::MOST_TASKS;
use crate::skeleton::tree::{Stage, StageId, TaskStage, Tree};
use crate::skeleton::written::{Value, Written, WrittenTime};
use crate::syntax::MAX_DEPTH;
use crate::time::{Distribution, ServiceTime};
use value::TimeCheck;

/// Whether two tasks may have one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskNames {
    /// A name is a handle: it belongs to one task (and its replicas).
    Distinct,
    /// A name is the component that a task runs, as in the paper's text form, where every task may be
    /// `"task"`.
    Shared,
}

/// Checks a skeleton as it is written. The tree is missing if there are errors, or values that only the
/// running program knows.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{check, task, TaskNames, Structured};
/// let (tree, findings) = check(&task(0.0).written(), TaskNames::Distinct);
/// assert!(tree.is_none());
/// assert_eq!(findings[0].message, "the rate of the task is 0");
/// ```
pub fn check<S: Span>(written: &Written<S>, names: TaskNames) -> (Option<Tree>, Vec<Diagnostic<S>>) {
    let mut checker = Checker {
        findings: Vec::new(),
        names: HashMap::new(),
        places: Vec::new(),
        distinct: names == TaskNames::Distinct,
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

/// Checks one time as it is written; `subject` names whose time it is in the findings, as in `of stage 1`.
/// The time is missing if there are errors, or values that only the running program knows.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn check_time(
    written: &WrittenTime<TextSpan>,
    subject: &str,
) -> (Option<ServiceTime>, Vec<Diagnostic<TextSpan>>) {
    let mut findings = Vec::new();
    let mut check = TimeCheck { findings: &mut findings, subject, is_complete: true };
    let time = check.time(written).filter(|_| check.is_complete);
    let time = time.filter(|_| findings.is_empty());
    (time, findings)
}

impl TaskStage {
    /// Stands for a task that is wrong, or that only the running program knows.
    fn unknown() -> TaskStage {
        let time = ServiceTime::from_checked(Distribution::Exponential(ratio(1, 1)));
        TaskStage { name: None, time }
    }
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
            Written::Task { name, time, .. } => {
                let task = self.task(name.as_ref(), time);
                self.stages.push(Stage::Task(task));
                1
            }
            Written::Team(team) => self.team(team, depth),
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
                let count = self.count_of(replicas, replication.word(), "replicas");
                let below = StageId(here as u32 + 1);
                let replicas = u32::try_from(count).unwrap_or(u32::MAX);
                self.stages.push(Stage::Replicated { replication: *replication, replicas, worker: below });
                let tasks = self.stage(worker, depth + 1);
                count.saturating_mul(tasks)
            }
        }
    }

    fn task(&mut self, name: Option<&Value<String, S>>, time: &WrittenTime<S>) -> TaskStage {
        let known = match name {
            Some(Value::Known(name, _)) => Some(name),
            _ => None,
        };
        let subject = known.map_or_else(|| "of the task".to_owned(), |name| format!("of the task `{name}`"));
        self.name(name);
        TaskStage { time: self.time(time, &subject), name: known.cloned() }
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

    /// The time of a task; where something is wrong or unknown, another in its place.
    fn time(&mut self, written: &WrittenTime<S>, subject: &str) -> ServiceTime {
        let mut check = TimeCheck { findings: &mut self.findings, subject, is_complete: true };
        let time = check.time(written);
        self.is_complete &= check.is_complete;
        time.unwrap_or_else(|| TaskStage::unknown().time)
    }

    /// A count of what a `stage` has some of, and at least one.
    fn count_of(&mut self, count: &Value<i128, S>, stage: &str, of: &str) -> u64 {
        match count {
            Value::FromRust(_) => {
                self.is_complete = false;
                1
            }
            Value::Known(count, span) if *count < 1 => {
                self.findings.push(
                    Diagnostic::new(Code::NoReplica, *span, format!("the {stage} has {count} {of}"))
                        .help(format!("a {stage} has at least one {}", of.trim_end_matches('s'))),
                );
                1
            }
            Value::Known(count, _) => u64::try_from(*count).unwrap_or(u64::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::skeletons;

    #[test]
    fn findings() {
        skeletons(&[
            ("pipe();", &["no_stage `pipe()`: the pipe has no stage"]),
            ("task(0);", &["rate_not_positive `0`: the rate of the task is 0"]),
            ("task(-1);", &["rate_not_positive `-1`: the rate of the task is -1, which is negative"]),
            ("farm(0, 1);", &["no_replica `0`: the farm has 0 replicas"]),
            ("deal(-3, 1);", &["no_replica `-3`: the deal has -3 replicas"]),
            (r#"task("", 1);"#, &[r#"unexpected_character `""`: a quoted name is empty"#]),
            (
                "farm(2001, 1);",
                &["skeleton_too_large `farm(2001, 1)`: the skeleton has 2001 tasks, more than 2000"],
            ),
            (
                "farm(1000000, pipe(deal(1000000, 1), task(0)));",
                &[
                    "skeleton_too_large `farm(1000000, pipe(deal(1000000, 1), task(0)))`: the skeleton has 1000001000000 tasks, more than 2000",
                    "rate_not_positive `0`: the rate of the task is 0",
                ],
            ),
            (r#"pipe(task("t", 1), task("t", 2));"#, &[]),
            ("task(1/0);", &["division_by_zero `0`: the rate is divided by zero"]),
            (
                "task(1e400);",
                &["rate_out_of_range `1e400`: the rate of the task is beyond the range of a 64-bit float"],
            ),
            (
                "pipe(task(0), farm(0, 2), task(-2));",
                &[
                    "rate_not_positive `0`: the rate of the task is 0",
                    "no_replica `0`: the farm has 0 replicas",
                    "rate_not_positive `-2`: the rate of the task is -2, which is negative",
                ],
            ),
        ]);
    }
}
