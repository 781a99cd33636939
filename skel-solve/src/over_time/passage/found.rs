//! The time of a passage, in a number type.

use super::begin::{Asked, Begin, begin};
use super::time_to_end::TimeToEnd;
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::over_time::absorption::Rows;
use crate::over_time::absorption::stationary::Stationary;
use crate::space::{Labelled, StateSpace};

/// How a passage is found.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) limits: Limits,
    pub(super) tolerance: f64,
    pub(super) most_steps: u64,
}

/// The time until the end, and how often passages begin.
pub(super) struct Found<N> {
    pub(super) time: TimeToEnd<N>,
    /// With a bound on its error.
    pub(super) frequency: Option<(N, f64)>,
}

/// The time until the end, in a number type.
pub(super) fn time<N: Stationary>(
    space: &StateSpace,
    asked: &Asked,
    limits: &Limits,
) -> Result<Found<N>, Error> {
    let mut watch = Watch::start(limits);
    let budget = MemoryBudget::new(limits).beside(space.memory());
    let Begin { weights, error, frequency, states } = begin::<N>(space, asked, budget, limits, &mut watch)?;
    let is_end = |state: usize| asked.to.is_state(state);
    let before: Vec<u32> = states.into_iter().filter(|&state| !is_end(state as usize)).collect();
    budget
        .check((space.transitions() * (4 + size_of::<N>()) + space.states() * 4 * size_of::<N>()) as u64)?;
    let mut number = vec![u32::MAX; space.states()];
    before.iter().enumerate().for_each(|(place, &state)| number[state as usize] = place as u32);
    let (mut rows, mut row) = (Rows::new(), Vec::new());
    space.for_each_row_of::<N, Error>(
        before.iter().map(|&state| state as usize),
        || Ok(watch.prepare()?),
        |_, transitions| {
            let mut leave = N::zero();
            for Labelled { target, action, rate } in transitions.drain(..) {
                match asked.to.is_action(action) || is_end(target as usize) {
                    true => leave = leave + rate,
                    false => row.push((number[target as usize], rate)),
                }
            }
            rows.push(&mut row, leave);
            Ok(())
        },
    )?;
    let start: Vec<N> = before.iter().map(|&state| weights[state as usize].clone()).collect();
    let at_once = (0..weights.len()).filter(|&state| is_end(state));
    let at_once = at_once.fold(N::zero(), |sum, state| sum + weights[state].clone());
    let time = TimeToEnd::new(rows.finish(), start, at_once, error);
    Ok(Found { time, frequency })
}
