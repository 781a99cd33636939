//! Averages in the long run, from every state: those of the recurrent classes, and by absorption those of the
//! other states.
//!
//! A class is left and entered again at one of its states: the time from there back to it, and what is
//! collected meanwhile, are systems of the states before an end, so that their quotient has a proved bound on
//! its error (a renewal argument: W. Feller, An Introduction to Probability Theory II, XI).

use super::chain::{Chain, Solvable};
use super::values::{Solved, Values};
use crate::chain::{Generator, classify_graph};
use crate::error::{Error, Stopped};
use crate::space::Labelled;
use crate::steady::{Options, of_generator};

/// The probability, in the long run, of some states, from every state.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn probabilities<N: Solvable>(chain: &mut Chain<'_>, states: &[bool]) -> Result<Values, Error> {
    let indicator: Vec<N> = states.iter().map(|&holds| if holds { N::one() } else { N::zero() }).collect();
    let (found, classes) = averages(chain, &indicator)?;
    let mut inside = vec![false; chain.states()];
    let mut outside = vec![false; chain.states()];
    for &state in classes.iter().flatten() {
        inside[state as usize] = states[state as usize];
        outside[state as usize] = !states[state as usize];
    }
    let not = |reached: Vec<bool>| reached.into_iter().map(|reached| !reached).collect::<Vec<bool>>();
    let before = &chain.connections()?.before;
    let zero = not(before.can_reach(&inside, &|_| true));
    let one = not(before.can_reach(&outside, &|_| true));
    Ok(Values::of(&found).with_certain(&zero, &one))
}

/// The average, in the long run, of what states pay.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn rewards<N: Solvable>(chain: &mut Chain<'_>, pays: &[N]) -> Result<Values, Error> {
    Ok(Values::of(&averages(chain, pays)?.0))
}

/// The average of what states pay in floats.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn of_floats(chain: &mut Chain<'_>, pays: &[f64]) -> Result<Solved<f64>, Error> {
    Ok(averages(chain, pays)?.0)
}

/// The averages from every state, and the recurrent classes.
#[cfg_attr(debug_assertions, inline)]
fn averages<N: Solvable>(chain: &mut Chain<'_>, pays: &[N]) -> Result<(Solved<N>, Vec<Vec<u32>>), Error> {
    let connections = chain.connections()?;
    let watch = &mut chain.watch;
    let classes = classify_graph(&connections.graph, || watch.prepare())?.recurrent;
    let mut values = vec![N::zero(); pays.len()];
    let mut errors = vec![0.0; pays.len()];
    let mut class_of = vec![u32::MAX; pays.len()];
    let mut of_classes: Vec<(N, f64)> = Vec::with_capacity(classes.len());
    for (number, class) in classes.iter().enumerate() {
        let (value, error) = of_class(chain, class, pays)?;
        for &state in class {
            class_of[state as usize] = number as u32;
            values[state as usize] = value.clone();
            errors[state as usize] = error;
        }
        of_classes.push((value, error));
    }
    let transient: Vec<u32> =
        (0..pays.len() as u32).filter(|&state| class_of[state as usize] == u32::MAX).collect();
    if let [(value, error)] = of_classes.as_slice() {
        for &state in &transient {
            values[state as usize] = value.clone();
            errors[state as usize] = *error;
        }
        return Ok((Solved { values, errors }, classes));
    }
    let found = chain.collected::<N>(&transient, &|_, row| {
        row.iter().fold(N::zero(), |sum, transition| match class_of[transition.target as usize] {
            u32::MAX => sum,
            class => sum + transition.rate.clone() * of_classes[class as usize].0.clone(),
        })
    })?;
    let of_class = of_classes.iter().map(|(_, error)| *error).fold(0.0, f64::max);
    for ((&state, value), error) in transient.iter().zip(found.values).zip(found.errors) {
        values[state as usize] = value;
        errors[state as usize] = error + of_class;
    }
    Ok((Solved { values, errors }, classes))
}

/// The average of a class, with its error: the reward of a cycle over its length.
#[cfg_attr(debug_assertions, inline)]
fn of_class<N: Solvable>(chain: &mut Chain<'_>, class: &[u32], pays: &[N]) -> Result<(N, f64), Error> {
    if let [only] = class {
        let value = pays[*only as usize].clone();
        let error = N::rounding(&value, chain.terms);
        return Ok((value, error));
    }
    let same = &pays[class[0] as usize];
    if class.iter().all(|&state| pays[state as usize] == *same) {
        return Ok((same.clone(), N::rounding(same, chain.terms)));
    }
    let origin = origin(chain, class)?;
    let others: Vec<u32> = class.iter().copied().filter(|&state| state != origin).collect();
    let one = |_: usize, _: &[Labelled<N>]| N::one();
    let times = chain.collected::<N>(&others, &one)?;
    let rewards = chain.collected::<N>(&others, &|state, _| pays[state].clone())?;
    let mut number = vec![u32::MAX; pays.len()];
    others.iter().enumerate().for_each(|(at, &state)| number[state as usize] = at as u32);
    let (mut time, mut reward) = ((N::one(), 0.0), (pays[origin as usize].clone(), 0.0));
    let mut terms = chain.terms;
    let watch = &mut chain.watch;
    chain.space.for_each_row_of::<N, Stopped>(
        std::iter::once(origin as usize),
        || watch.prepare(),
        |_, row| {
            for transition in row.iter().filter(|transition| transition.target != origin) {
                let at = number[transition.target as usize] as usize;
                let rate = transition.rate.to_float();
                time.0 = time.0.clone() + transition.rate.clone() * times.values[at].clone();
                time.1 += rate * times.errors[at];
                reward.0 = reward.0.clone() + transition.rate.clone() * rewards.values[at].clone();
                reward.1 += rate * rewards.errors[at];
                terms += 1;
            }
            Ok(())
        },
    )?;
    let value = reward.0.clone() / time.0.clone();
    if value.to_exact().is_some() {
        return Ok((value, 0.0));
    }
    // |n/d - n'/d'| <= (|n - n'| + n/d |d - d'|) / d'
    let of_time = (time.1 + N::rounding(&time.0, terms)) * (1.0 + 1e-9);
    let of_reward = (reward.1 + N::rounding(&reward.0, terms)) * (1.0 + 1e-9);
    let least = time.0.to_float() - of_time;
    let error = (of_reward + value.to_float().abs() * of_time) / least + N::rounding(&value, 1);
    Ok((value, if least > 0.0 { error * (1.0 + 1e-9) } else { f64::INFINITY }))
}

/// A state that a class comes back to soon: its likeliest one where that is worth finding.
#[cfg_attr(debug_assertions, inline)]
fn origin(chain: &mut Chain<'_>, class: &[u32]) -> Result<u32, Error> {
    const FEW: usize = 1500;
    if class.len() <= FEW {
        return Ok(class[0]);
    }
    let mut numbers = vec![0; chain.states()];
    class.iter().enumerate().for_each(|(number, &state)| numbers[state as usize] = number as u32);
    let watch = &mut chain.watch;
    let generator = Generator::<f64>::restricted(chain.space, class, &numbers, || watch.prepare())?;
    let options = Options { tolerance: 1e-4, ..Options::default() };
    let (pi, _) = of_generator::in_floats(&generator, chain.budget(), chain.limits, &options)?;
    let likeliest = pi.iter().enumerate().max_by(|(_, left), (_, right)| left.total_cmp(right));
    Ok(likeliest.map_or(class[0], |(at, _)| class[at]))
}
