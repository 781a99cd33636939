//! What is said of the properties.

use skel::csl::{Answer, Checked, Value, Verdict};

use crate::errors::{Exit, Problem};

/// The answers to all properties, in their order, and why some have none.
pub(super) struct Answers {
    pub(super) answers: Vec<Answered>,
    /// Why others have no answer.
    pub(super) problems: Vec<Problem>,
    /// How the command ends because of them.
    pub(super) failed: Option<Exit>,
}

/// A property with its answer.
pub(super) struct Answered {
    pub(super) checked: Checked,
    /// Of an answer for each state, the states as they are shown.
    pub(super) states: Vec<Shown>,
}

/// A state as it is shown.
pub(super) struct Shown {
    pub(super) name: String,
    /// How many states it stands for, without lumping; none beyond 128 bits.
    pub(super) stands_for: Option<u128>,
}

impl Answers {
    /// 0 where all properties hold, 4 where one does not, 5 where none fails but one is not decided.
    pub(super) fn exit(&self) -> Exit {
        let verdicts = || self.answers.iter().filter_map(|answered| answered.checked.verdict());
        match self.failed {
            Some(exit) => exit,
            None if verdicts().any(|verdict| verdict == Verdict::False) => Exit::Fails,
            None if verdicts().any(|verdict| verdict == Verdict::Undecided) => Exit::Undecided,
            None => Exit::Answered,
        }
    }
}

impl Answered {
    /// The property, after its name if it has one.
    pub(super) fn title(&self) -> String {
        match &self.checked.name {
            Some(name) => format!("\"{name}\": {}", self.checked.property),
            None => self.checked.property.clone(),
        }
    }

    /// The values of the states, where each has one.
    pub(super) fn of_states(&self) -> impl Iterator<Item = (&Shown, usize, &Value, bool)> {
        let states = match &self.checked.answer {
            Answer::States(states) => states.as_slice(),
            _ => &[],
        };
        self.states.iter().zip(states).map(|(shown, of)| (shown, of.state, &of.value, of.is_certain))
    }
}
