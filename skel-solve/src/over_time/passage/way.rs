//! In which of the ways passages are counted.

use std::fmt;

/// In which way passages are counted; see [`passage`](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Way {
    /// From the first of the actions after the passage before has ended: a stochastic probe.
    Probe,
    /// From every one of the actions.
    Every,
    /// From every entry from outside.
    Entries,
    /// From every visit, moves within the set included.
    AllVisits,
    /// From the initial state.
    Initial,
}

impl Way {
    /// A word for it: `probe`, `every`, `entries`, `all visits`, `initial`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Way::Probe => "probe",
            Way::Every => "every",
            Way::Entries => "entries",
            Way::AllVisits => "all visits",
            Way::Initial => "initial",
        }
    }
}

/// A sentence that says how passages are counted.
impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Probe => {
                "a passage begins with the first of the actions after the passage before has ended, in the steady state"
            }
            Way::Every => "a passage begins with each of the actions, in the steady state",
            Way::Entries => "a passage begins with each entry into the states from outside, in the steady state",
            Way::AllVisits => {
                "a passage begins with each visit to one of the states, moves among them included, in the steady state"
            }
            Way::Initial => "the passage begins in the initial state at time zero",
        })
    }
}
