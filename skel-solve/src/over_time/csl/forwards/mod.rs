//! Values of a single state, by distributions: from this state on, forwards over time.
//!
//! The value of one state needs no values of others, so neither the graph nor the rates by source are listed:
//! distributions go by the products of the steady state, which are matrix-free where states are kept as bits.
//! `phi U[a,b] psi` takes two passes. Up to `a`, runs are left out when they leave `phi`. From then on they
//! end in `psi` and outside `phi`, and the probability of `psi` at `b - a` is the value (C. Baier, B.
//! Haverkort, H. Hermanns, J.-P. Katoen, IEEE Transactions on Software Engineering 29, 2003).
//!
//! # Accuracy
//! An error of a distribution, in the sum of all states, moves a value by no more than that times the largest
//! factor of a state. The errors of two passes add up, since no step makes a distribution larger.

mod certain;
mod pass;

use num_traits::Zero;
use skel_core::number::{Number, Ratio};

use super::chain::Chain;
use super::reward::rounding;
use super::until::{Times, Until};
use super::values::{Solved, Values};
use crate::error::Error;
use crate::over_time::uniformisation::flow::End;
use crate::refused::Refused;
use pass::{Mass, Pass};

/// The probability of an until formula in one state; none where the formula has no latest time, or values of
/// all states, backwards, are found sooner.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn probability(
    chain: &mut Chain<'_>,
    state: usize,
    until: &Until<'_>,
    times: &Times,
    tolerance: f64,
) -> Result<Option<Values>, Error> {
    if let Some(known) = certain::at_once(state, until, times) {
        return Ok(Some(known));
    }
    let Some(length) = times.length() else { return Ok(None) };
    let phases = phases(until, &times.from, &length);
    let Some(mass) = after(chain, state, &phases, tolerance)? else { return Ok(None) };
    let (value, rounded) = mass.sum_of(|state| if until.psi[state] { 1.0 } else { 0.0 });
    let found = Values::of(&Solved { values: vec![value], errors: vec![mass.error + rounded] });
    certain::by_graph(chain, state, until, times, found).map(Some)
}

/// The expected reward up to a time in one state, or the rate at which it is earned at that time; none where
/// values of all states are found sooner.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn reward(
    chain: &mut Chain<'_>,
    state: usize,
    pays: &[f64],
    (time, integral): (&Ratio, bool),
    tolerance: f64,
) -> Result<Option<Values>, Error> {
    let largest = crate::vector::worst(pays);
    let scale = if integral { largest * time.to_float() } else { largest };
    let phase = Pass { time, ended: None, integral };
    let Some(mass) = after(chain, state, &[phase], tolerance / f64::max(scale, 1.0))? else {
        return Ok(None);
    };
    let (value, rounded) = mass.sum_of(|state| pays[state]);
    let error = mass.error * largest + rounded + rounding(chain, value);
    Ok(Some(Values::of(&Solved { values: vec![value], errors: vec![error] }).not_negative()))
}

/// The passes of an until formula.
fn phases<'t>(until: &Until<'_>, from: &'t Ratio, length: &'t Ratio) -> Vec<Pass<'t>> {
    let mut phases = Vec::with_capacity(2);
    if !from.is_zero() {
        let outside: Vec<bool> = until.phi.iter().map(|phi| !phi).collect();
        let ended = outside.contains(&true).then_some((outside, End::Removed));
        phases.push(Pass { time: from, ended, integral: false });
    }
    if !length.is_zero() {
        let ended = until.phi.iter().zip(until.psi).map(|(phi, psi)| *psi || !phi).collect();
        phases.push(Pass { time: length, ended: Some((ended, End::Absorbed)), integral: false });
    }
    phases
}

/// The distribution after some passes; none where it is found sooner backwards.
#[cfg_attr(debug_assertions, inline)]
fn after(
    chain: &mut Chain<'_>,
    state: usize,
    phases: &[Pass<'_>],
    tolerance: f64,
) -> Result<Option<Mass>, Error> {
    if !pass::are_soon_over(chain, state, phases)? {
        return Ok(None);
    }
    let of_each = tolerance / phases.len() as f64;
    let mut mass = Mass::at(state, chain.states());
    for phase in phases {
        mass = match phase.run(chain, state, mass, of_each) {
            // Errors count for each state backwards, and not for all of them together.
            Err(Error::OverTime(Refused::Unattainable { .. })) => return Ok(None),
            found => found?,
        };
    }
    Ok(Some(mass))
}
