//! The constants by which an item's tasks are addressed: a task's own name where it can be one, else one made
//! of it.
//!
//! Names that are taken as they are come first, so that no derived name takes one away. Two tasks never share
//! a constant, and none goes without: what would clash is reported.

use std::collections::{HashMap, HashSet};

use proc_macro2::Ident;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};

use super::parse::{Argument, StageCall};
use crate::generate::identifier;

/// Functions of the generated type that are called by its name, `Program::new()`. Methods such as `clone` do
/// not hide a constant.
const TAKEN: &[&str] = &["new", "default"];

/// The constant of a task.
pub(super) struct Handle {
    pub(super) constant: Ident,
    pub(super) task: String,
    /// The number of the task's node.
    pub(super) id: u32,
}

/// The handles of a skeleton, and the names that clash.
pub(super) struct Handles {
    pub(super) found: Vec<Handle>,
    pub(super) clashes: Vec<Diagnostic<TextSpan>>,
}

struct NamedTask {
    name: String,
    place: TextSpan,
    id: u32,
}

/// A handle for each task with a literal name. A name that two tasks have is the check's to report.
pub(super) fn handles(call: &StageCall) -> Handles {
    let mut tasks = Vec::new();
    named_tasks(call, &mut 0, &mut tasks);
    let mut seen = HashSet::new();
    tasks.retain(|task| seen.insert(task.name.clone()));
    let (plain, others): (Vec<NamedTask>, Vec<NamedTask>) =
        tasks.into_iter().partition(|task| constant(&task.name).is_some());
    let mut owners: HashMap<Ident, (String, TextSpan)> = HashMap::new();
    let mut handles = Handles { found: Vec::new(), clashes: Vec::new() };
    for NamedTask { name, place, id } in plain.into_iter().chain(others) {
        let Some(constant) = constant(&name).or_else(|| derived(&name)) else {
            let message = format!("no handle can be made of the name `{name}`");
            handles.clashes.push(Diagnostic::new(Code::BadTaskName, place, message).help(HELP));
            continue;
        };
        if let Some((owner, at)) = owners.get(&constant) {
            let message =
                format!("the handle of the task `{name}` would be `{constant}`, as that of `{owner}` is");
            let clash = Diagnostic::new(Code::DuplicateTask, place, message).help(HELP);
            handles.clashes.push(clash.related(*at, "the other is here"));
            continue;
        }
        owners.insert(constant.clone(), (name.clone(), place));
        handles.found.push(Handle { constant, task: name, id });
    }
    handles
}

const HELP: &str = "give it another name";

/// The constant of that name, if there can be one.
fn constant(name: &str) -> Option<Ident> {
    let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_word && !TAKEN.contains(&name) { identifier(name) } else { None }
}

/// A constant that is named after it: other characters become `_`, and what is still no name gets an ending.
fn derived(name: &str) -> Option<Ident> {
    let word: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let word = if word.starts_with(|c: char| c.is_numeric()) { format!("_{word}") } else { word };
    constant(&word).or_else(|| constant(&format!("{word}_task")))
}

/// The tasks with literal names and the numbers of their nodes, depth first.
fn named_tasks(call: &StageCall, next: &mut u32, tasks: &mut Vec<NamedTask>) {
    let here = *next;
    *next += 1;
    match call {
        StageCall::Rust(_) | StageCall::Broken(_) => {}
        StageCall::Task { name, .. } => {
            let literal =
                |name: &Argument| Some(NamedTask { name: name.text()?, place: name.place, id: here });
            tasks.extend(name.as_ref().and_then(literal));
        }
        StageCall::Pipe { stages, .. } => stages.iter().for_each(|stage| named_tasks(stage, next, tasks)),
        StageCall::Replicated { worker, .. } => named_tasks(worker, next, tasks),
        // The worker is no node of its own.
        StageCall::Team(team) => named_tasks(&team.worker, &mut here.clone(), tasks),
    }
}
