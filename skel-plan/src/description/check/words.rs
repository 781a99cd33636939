//! Words for messages: nouns with their counts, and the names of entries in the form that was read.

use crate::description::written::Form;

/// The types that a description may have.
pub(super) const PIPELINE: &str = "pipeline";
pub(super) const SKELETON: &str = "skeleton";

/// What is counted.
#[derive(Clone, Copy)]
pub(super) struct Noun {
    pub(super) one: &'static str,
    pub(super) many: &'static str,
}

pub(super) const PROCESSOR: Noun = Noun { one: "processor", many: "processors" };
pub(super) const STAGE: Noun = Noun { one: "stage", many: "stages" };
pub(super) const TASK: Noun = Noun { one: "task", many: "tasks" };

impl Noun {
    /// `1 stage`
    pub(super) fn counted(self, count: u64) -> String {
        format!("{count} {}", if count == 1 { self.one } else { self.many })
    }

    /// `there is 1 stage`
    pub(super) fn there_are(self, count: u64) -> String {
        format!("there {} {}", if count == 1 { "is" } else { "are" }, self.counted(count))
    }
}

impl Form {
    pub(super) fn power(self, number: u64) -> String {
        match self {
            Form::Des => format!("`cp{number}`"),
            Form::Toml => format!("the power of processor {number}"),
        }
    }

    pub(super) fn work(self, number: u64) -> String {
        match self {
            Form::Des => format!("`w{number}`"),
            Form::Toml => format!("the work of stage {number}"),
        }
    }

    /// The size of what a stage receives, or that of the output if the number is higher than those of the
    /// stages.
    pub(super) fn size(self, number: u64, stages: u64) -> String {
        match self {
            Form::Des => format!("`ds{number}`"),
            Form::Toml if number > stages => "the size of the output".into(),
            Form::Toml => format!("the data of stage {number}"),
        }
    }

    pub(super) fn link(self, from: u64, to: u64) -> String {
        match self {
            Form::Des => format!("`nl{from}-{to}`"),
            Form::Toml => format!("the link \"{from}-{to}\""),
        }
    }

    /// The size of all items that move between two tasks.
    pub(super) fn common_size(self) -> &'static str {
        match self {
            Form::Des => "`ds`",
            Form::Toml => "the size of all moves",
        }
    }

    /// The size of the items that move from one task to another.
    pub(super) fn pair_size(self, from: u64, to: u64) -> String {
        match self {
            Form::Des => format!("`ds{from}-{to}`"),
            Form::Toml => format!("the move \"{from}-{to}\""),
        }
    }
}

/// Some names as a list in words. Of many names the first few are listed.
pub(super) fn listed(names: &[String]) -> String {
    const MOST: usize = 4;
    match names {
        [one] => one.clone(),
        [before @ .., last] if names.len() <= MOST => format!("{} and {last}", before.join(", ")),
        _ => format!("{} and {} more", names[..MOST - 1].join(", "), names.len() + 1 - MOST),
    }
}
