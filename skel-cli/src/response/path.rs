//! The way of an item, from the command line: positions that are not said are found where only one is
//! possible.

use std::collections::BTreeSet;

use skel::model::Model;
use skel::response::{ItemPath, PathFault, PathProblem};

use crate::arguments::ResponseArguments;
use crate::errors::Problem;
use crate::quantity::EndOfPath;
use crate::report::table::printable;

/// The way of an item through a model, or all that is wrong with it.
pub(super) fn path(arguments: &ResponseArguments, model: &Model) -> Result<ItemPath, Vec<Problem>> {
    let mut problems = Vec::new();
    for (option, given) in [("--in", &arguments.enters), ("--out", &arguments.leaves)] {
        if given.is_empty() {
            let message = format!(
                "`{option}`: the response time of a model needs the action by which items {}",
                if option == "--in" { "come in" } else { "go out" }
            );
            let help = "say the way of an item, as `--in move1 --carry move2:1-2,move3:2-3 --out move4`";
            problems.push(Problem::error("missing_path", message).help(help));
        }
    }
    let (from, to): (BTreeSet<u32>, BTreeSet<u32>) =
        arguments.carry.iter().map(|carry| (carry.from, carry.to)).unzip();
    let said = |ends: &[EndOfPath]| ends.iter().filter_map(|end| end.position).collect::<BTreeSet<u32>>();
    // Items come in where none is carried to, and go out where none is carried from.
    let of_first = from.difference(&to).copied().collect();
    let of_last = to.difference(&from).copied().collect();
    let (of_first, of_last) = match arguments.carry.is_empty() {
        true => {
            let both: BTreeSet<u32> =
                said(&arguments.enters).union(&said(&arguments.leaves)).copied().collect();
            let one = if both.is_empty() { BTreeSet::from([1]) } else { both };
            (one.clone(), one)
        }
        false => (of_first, of_last),
    };
    let mut path = ItemPath::new();
    for end in &arguments.enters {
        match position(end, "--in", &of_first) {
            Ok(to) => path = path.enters(&end.action, to),
            Err(problem) => problems.push(*problem),
        }
    }
    for carry in &arguments.carry {
        path = path.carried(&carry.action, carry.from, carry.to);
    }
    for end in &arguments.leaves {
        match position(end, "--out", &of_last) {
            Ok(from) => path = path.leaves(&end.action, from),
            Err(problem) => problems.push(*problem),
        }
    }
    let found = path.check(model).err().unwrap_or_default();
    // What is wrong with positions that are not known would be said twice.
    let are_known = problems.is_empty();
    let found = found.into_iter().filter(|one| are_known || one.kind == PathFault::UnknownAction);
    problems.extend(found.map(problem));
    if problems.is_empty() { Ok(path) } else { Err(problems) }
}

/// The position that is said, or the only one that is possible.
fn position(end: &EndOfPath, option: &str, possible: &BTreeSet<u32>) -> Result<u32, Box<Problem>> {
    if let Some(position) = end.position {
        return Ok(position);
    }
    let mut possible = possible.iter();
    if let (Some(only), None) = (possible.next(), possible.next()) {
        return Ok(*only);
    }
    let action = printable(&end.action);
    let message = format!("`{option} {action}`: it is not plain which position is meant");
    Err(Box::new(
        Problem::error("unclear_position", message).help(format!("say it, as `{option} {action}:1`")),
    ))
}

fn problem(problem: PathProblem) -> Problem {
    let code = match problem.kind {
        PathFault::UnknownAction => "unknown_action",
        PathFault::Broken => "broken_path",
        PathFault::NotSo => "no_response_time",
    };
    Problem::error(code, problem.message).help(problem.help)
}
