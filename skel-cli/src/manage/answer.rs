//! The answer of `skel manage`.

use std::time::Duration;

use skel::manage::{Contract, Event, Log, Outcome};
use skel::run::monitor::{Series, Snapshot};
use skel::skeleton::{Program, Tree};

use crate::arguments::ConsultArgument;

/// The answer of `skel manage`.
pub(super) struct Answer {
    /// The name of the program's file, or of the recording's.
    pub(super) name: String,
    pub(super) watched: Watched,
    pub(super) contract: Contract,
    pub(super) consult: ConsultArgument,
    /// The names of the rules, in the order in which they are asked.
    pub(super) rules: Vec<String>,
    /// The program in the end.
    pub(super) program: Program<Tree>,
    pub(super) series: Series,
    pub(super) log: Log,
    /// Whether somebody cancelled it.
    pub(super) was_cancelled: bool,
}

/// What the manager looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watched {
    /// A program in virtual time, drawn with this seed.
    Simulated { seed: u64 },
    /// A run that was.
    Recorded,
}

impl Answer {
    /// How long the program was watched.
    pub(super) fn span(&self) -> Duration {
        self.series.last().map_or(Duration::ZERO, |last| last.at)
    }

    /// How many items left it.
    pub(super) fn delivered(&self) -> u64 {
        self.series.last().map_or(0, Snapshot::delivered)
    }

    /// How many decisions there are, and how many of them were carried out.
    pub(super) fn decisions(&self) -> (usize, usize) {
        let decided = self.log.events.iter().filter_map(|event| match event {
            Event::Decided(decision) => Some(decision),
            _ => None,
        });
        let done = decided.clone().filter(|decision| decision.outcome == Outcome::Done).count();
        (decided.count(), done)
    }
}
