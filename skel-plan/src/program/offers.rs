//! What sets the rates in a model: a processor for every task, and the network.

use std::fmt::Write as _;

/// The name of the rate of a task.
pub(crate) fn rate_of_task(task: usize) -> String {
    format!("mu_{task}")
}

/// The name of the rate of a move.
pub(crate) fn rate_of_move(number: usize) -> String {
    format!("la_{number}")
}

/// The rates, a processor for every task, and the network.
pub(super) fn offers<'n>(
    tasks: impl Iterator<Item = &'n str>,
    moves: impl Iterator<Item = &'n str>,
) -> String {
    let mut text = String::new();
    for (task, action) in tasks.enumerate() {
        let (name, rate) = (processor(task), rate_of_task(task));
        let _ = writeln!(text, "{rate} = 1; {name} = ({action}, {rate}).{name};");
    }
    let mut network = Vec::new();
    for (number, action) in moves.enumerate() {
        let rate = rate_of_move(number);
        let _ = writeln!(text, "{rate} = 1;");
        network.push(format!("({action}, {rate}).Network"));
    }
    if !network.is_empty() {
        let _ = writeln!(text, "Network = {};", network.join(" + "));
    }
    text
}

pub(super) fn processor(task: usize) -> String {
    format!("Processor_{task}")
}
