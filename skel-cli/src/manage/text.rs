//! The answer of `skel manage` for people.

use skel::manage::ServiceTime;
use skel::skeleton::{Program, Stage, Tree};

use super::answer::{Answer, Watched};
use crate::arguments::ConsultArgument;
use crate::report::table::printable;
use crate::report::words::counted;

/// The whole text.
pub(super) fn report(answer: &Answer) -> String {
    let mut text = format!("{}\n{}\n{}\n\n", what_was_watched(answer), promise(answer), outcome(answer));
    if answer.decisions().0 > 0 || !answer.log.events.is_empty() {
        text += &printable_lines(&answer.log.to_string());
    }
    text
}

/// `program.skel: simulated for 180 s with seed 1: 12345 items left it, one every 14.6 ms`
fn what_was_watched(answer: &Answer) -> String {
    let seconds = answer.span().as_secs_f64();
    let how = match answer.watched {
        Watched::Simulated { seed } => format!("simulated for {seconds:.1} s with seed {seed}"),
        Watched::Recorded => {
            format!("{} of {seconds:.1} s", counted(answer.series.snapshots().len(), "recorded snapshot"))
        }
    };
    let every = match answer.delivered() {
        0 => String::new(),
        items => format!(", one every {}", ServiceTime::of_seconds(seconds / items as f64)),
    };
    format!("{}: {how}; {} left it{every}", answer.name, counted(answer.delivered() as usize, "item"))
}

/// `contract: 12 ms, 5 % tolerated; decided by the chain; rules: grow, violate`
fn promise(answer: &Answer) -> String {
    let by = match answer.consult {
        ConsultArgument::Chain => "the Markov chain",
        ConsultArgument::Formula => "the formula",
    };
    let rules: Vec<String> = answer.rules.iter().map(|rule| printable(rule)).collect();
    format!("contract: {}; decided by {by}; rules: {}", answer.contract, rules.join(", "))
}

/// How many decisions there are, and what they came to.
fn outcome(answer: &Answer) -> String {
    let (decisions, done) = answer.decisions();
    let decided = counted(decisions, "decision");
    match (answer.watched, decisions) {
        (_, 0) => "nothing had to be decided".to_owned(),
        (Watched::Simulated { .. }, _) => {
            format!("{decided}, {done} carried out; in the end {}", numbers(&answer.program))
        }
        (Watched::Recorded, 1) => format!("{decided}, noted and not carried out"),
        (Watched::Recorded, _) => format!(
            "{decided}, noted and not carried out: a recording cannot react, so those behind the first are made on the recorded numbers \
             of workers"
        ),
    }
}

/// `` `sharpen` x 8 ``
fn numbers(program: &Program<Tree>) -> String {
    let tree = program.skeleton();
    let number = |id| match tree.stage(id) {
        Stage::Replicated { replicas, worker, .. } => {
            let first = tree.leaves().find(|leaf| leaf >= worker).unwrap_or(*worker);
            Some(format!("`{}` x {replicas}", printable(&tree.name(first))))
        }
        Stage::Team(team) => Some(format!("`{}` x {}", printable(&tree.name(id)), team.workers)),
        _ => None,
    };
    let numbers: Vec<String> = tree.ids().filter_map(number).collect();
    if numbers.is_empty() { "no task has replicas".to_owned() } else { numbers.join(", ") }
}

/// Names may hold anything, but a terminal is not told so.
fn printable_lines(text: &str) -> String {
    text.lines().map(|line| printable(line) + "\n").collect()
}
