//! How long services take: drawn from distributions, times a load.

use std::time::Duration;

use super::load::Load;
use super::network::Services;
use super::random::Random;
use super::replica::Moment;
use super::times::Times;

/// What is drawn for one place.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) times: Times,
    pub(super) load: Load,
    pub(super) split: Split,
    /// How many times as fast as said each worker is; 1 where nothing is said.
    pub(super) speeds: Vec<f64>,
    random: Random,
}

/// How workers that serve an item together share it.
#[derive(Clone, Debug)]
pub(super) enum Split {
    /// Each does the whole, or there is one alone.
    Whole,
    /// Each has a part. The time that is said is that of so many equal parts; the parts are these numbers by
    /// their sum, or equal if there are none.
    Parts(u32, Vec<u32>),
}

/// What is drawn for all places.
#[derive(Clone, Debug)]
pub(super) struct Draws(pub(super) Vec<Source>);

impl Source {
    /// The number of the stream belongs to the place, so that a task has the same times whatever happens to
    /// others.
    pub(super) fn new(times: Times, split: Split, load: Load, seed: u64, stream: u64) -> Self {
        Source { times, load, split, speeds: Vec::new(), random: Random::stream(seed, stream) }
    }

    pub(super) fn with_speeds(self, speeds: Vec<f64>) -> Self {
        Source { speeds, ..self }
    }
}

impl Split {
    fn part(&self, worker: usize, workers: usize) -> f64 {
        match self {
            Split::Whole => 1.0,
            Split::Parts(said, shares) if shares.len() == workers => {
                let sum: f64 = shares.iter().copied().map(f64::from).sum();
                f64::from(*said) * f64::from(shares[worker]) / sum
            }
            Split::Parts(said, _) => f64::from(*said) / workers as f64,
        }
    }
}

impl Services for Draws {
    fn time(&mut self, place: usize, worker: usize, workers: usize, now: Moment) -> u64 {
        let Source { times, load, split, speeds, random } = &mut self.0[place];
        let part = split.part(worker, workers) / speeds.get(worker).copied().unwrap_or(1.0);
        let seconds = times.draw(random) * load.factor(Duration::from_nanos(now)) * part;
        (seconds * 1e9).round() as u64
    }
}
