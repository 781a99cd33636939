//! The phases of a service time.

use num_traits::{One, Zero};

use crate::number::Ratio;
use crate::time::PhaseType;

/// The phases of a service time, each with an exponential time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Phases {
    /// The probability of each to be the first.
    pub(super) initial: Vec<Ratio>,
    /// From a phase to another one, and the rate.
    pub(super) moves: Vec<(usize, usize, Ratio)>,
    /// The rate at which the service ends in each.
    pub(super) exits: Vec<Ratio>,
}

impl From<&PhaseType> for Phases {
    #[cfg_attr(debug_assertions, inline)]
    fn from(time: &PhaseType) -> Phases {
        Phases {
            initial: time.initial().to_vec(),
            moves: time.moves().map(|(from, to, rate)| (from, to, rate.clone())).collect(),
            exits: (0..time.phases()).map(|phase| time.exit(phase).clone()).collect(),
        }
    }
}

impl Phases {
    /// Whether there is one phase, so that the time is exponential.
    pub(super) fn is_exponential(&self) -> bool {
        self.exits.len() == 1
    }

    /// The same phases, so many times as fast.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn times(&self, speed: &Ratio) -> Phases {
        Phases {
            initial: self.initial.clone(),
            moves: self.moves.iter().map(|(from, to, rate)| (*from, *to, rate * speed)).collect(),
            exits: self.exits.iter().map(|rate| rate * speed).collect(),
        }
    }

    /// The rates of the phases, if they follow one another from the first to the last and the service ends in
    /// the last.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn in_sequence(&self) -> Option<Vec<&Ratio>> {
        let last = self.exits.len() - 1;
        let is_sequence = self.initial[0].is_one()
            && self.exits[..last].iter().all(Zero::is_zero)
            && self.moves.len() == last
            && self.moves.iter().enumerate().all(|(phase, (from, to, _))| *from == phase && *to == phase + 1);
        let rates = self.moves.iter().map(|(_, _, rate)| rate).chain([&self.exits[last]]);
        is_sequence.then(|| rates.collect())
    }

    /// Whether the service can end in a phase.
    pub(super) fn can_end_in(&self, phase: usize) -> bool {
        !self.exits[phase].is_zero()
    }

    /// The phases that can be the first, with their probabilities.
    pub(super) fn first(&self) -> impl Iterator<Item = (usize, &Ratio)> {
        self.initial.iter().enumerate().filter(|(_, probability)| !probability.is_zero())
    }
}
