//! A stochastic probe: an observer that is stopped or running, as part of the chain.
//!
//! An action of the first kind starts it, if it is stopped; what ends a passage stops it. The chain of states
//! with the observer has at most twice the states. Whatever the observer was before, after an action that
//! only starts, it runs; so there is one recurrent class.

use skel_core::graph::Adjacency;
use skel_core::number::Number;

use super::question::Event;
use crate::chain::{Generator, Matrix, classify_graph};
use crate::error::Error;
use crate::limits::Watch;
use crate::space::{Labelled, StateSpace};

/// The recurrent states of the chain with the observer, and when it starts.
pub(super) struct Observed<N> {
    pub(super) generator: Generator<N>,
    /// The starts: the state of the generator, the state of the space in which the passage begins, and the
    /// rate.
    pub(super) starts: Vec<(u32, u32, N)>,
}

/// A transition of the chain with the observer: its target, its rate, and whether a passage begins with it.
type Step<N> = (u32, N, bool);

impl<N: Number> Observed<N> {
    /// Of the states of a recurrent class of a space.
    pub(super) fn new(
        space: &StateSpace,
        class: &[u32],
        from: &Event,
        to: &Event,
        watch: &mut Watch<'_>,
    ) -> Result<Observed<N>, Error> {
        let mut number = vec![u32::MAX; space.states()];
        class.iter().enumerate().for_each(|(place, &state)| number[state as usize] = place as u32);
        let mut rows: [Vec<Vec<Step<N>>>; 2] = [Vec::new(), Vec::new()];
        let states = class.iter().map(|&state| state as usize);
        space.for_each_row_of::<N, Error>(
            states,
            || Ok(watch.prepare()?),
            |_, transitions| {
                let mut of_state = [Vec::new(), Vec::new()];
                for Labelled { target, action, rate } in transitions.drain(..) {
                    for (is_running, row) in [false, true].into_iter().zip(&mut of_state) {
                        let ends = is_running && (to.is_action(action) || to.is_state(target as usize));
                        let begins = from.is_action(action) && (!is_running || ends);
                        // A passage that begins where passages end is over at once.
                        let runs = (is_running && !ends || begins) && !to.is_state(target as usize);
                        let after = 2 * number[target as usize] + u32::from(runs);
                        row.push((after, rate.clone(), begins));
                    }
                }
                let [stopped, running] = of_state;
                rows[0].push(stopped);
                rows[1].push(running);
                Ok(())
            },
        )?;
        let [stopped, running] = rows;
        let rows: Vec<Vec<Step<N>>> = stopped.into_iter().zip(running).flat_map(|(s, r)| [s, r]).collect();
        recurrent(&rows, class, watch)
    }
}

/// Keeps the recurrent states. Those with a running observer come into being only where one can run.
fn recurrent<N: Number>(
    rows: &[Vec<Step<N>>],
    class: &[u32],
    watch: &mut Watch<'_>,
) -> Result<Observed<N>, Error> {
    let mut graph = Adjacency::new();
    for row in rows {
        graph.push(row.iter().map(|&(target, ..)| target));
    }
    let classes = classify_graph(&graph, || watch.prepare())?;
    // Two classes are only possible where no passage begins or none ends; then any of them shows it.
    let kept = &classes.recurrent[0];
    let mut number = vec![u32::MAX; rows.len()];
    kept.iter().enumerate().for_each(|(place, &node)| number[node as usize] = place as u32);
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut starts = Vec::new();
    for (place, &node) in kept.iter().enumerate() {
        let (mut row, mut exit) = (Vec::new(), N::zero());
        for (target, rate, begins) in &rows[node as usize] {
            if *begins {
                starts.push((place as u32, class[*target as usize / 2], rate.clone()));
            }
            if *target != node {
                exit = exit + rate.clone();
                row.push((number[*target as usize], rate.clone()));
            }
        }
        row.push((place as u32, N::zero() - exit));
        row.sort_by_key(|&(column, _)| column);
        for (column, value) in row {
            match values.last_mut() {
                Some(sum) if columns.len() > offsets[place] && columns.last() == Some(&column) => {
                    let so_far: &mut N = sum;
                    *so_far = so_far.clone() + value;
                }
                _ => {
                    columns.push(column);
                    values.push(value);
                }
            }
        }
        offsets.push(columns.len());
    }
    Ok(Observed { generator: Generator::new(Matrix::new(offsets, columns, values)), starts })
}
