//! The distribution in the long run, from the initial state: for each recurrent class the probability that a
//! run ends there, times the steady state of the class alone.
//!
//! The probabilities need no solver of their own. Each class is made one state, with a way back to the
//! initial state; then runs start again and again, the chain is irreducible, and how often each class is left
//! in its steady state is in proportion to how often a run ends there (a renewal argument). With one class
//! there is nothing to find out.

use num_traits::{One, Zero};
use skel_core::number::Number;

use crate::chain::Classification;
use crate::chain::{Generator, Matrix};
use crate::error::{Error, Stopped};
use crate::limits::Watch;
use crate::limits::memory::MemoryBudget;
use crate::space::{Labelled, StateSpace};
use crate::steady::choice;

/// A classified chain whose parts are to be solved.
pub(crate) struct ClassifiedChain<'c> {
    pub(crate) space: &'c StateSpace,
    pub(crate) classification: &'c Classification,
    /// What is left beside the space.
    pub(crate) budget: MemoryBudget,
    /// Up to how many states a part is solved directly.
    pub(crate) direct_up_to: usize,
}

impl ClassifiedChain<'_> {
    /// In proportion to the probabilities that a run ends in each class, and, class by class, in proportion
    /// to the probabilities of its states if it does; zero for transient states. `solve` finds numbers in
    /// proportion to the steady state of an irreducible chain, within a budget of memory.
    pub(crate) fn proportions<N: Number, W: Clone + Zero + One>(
        &self,
        watch: &mut Watch<'_>,
        mut solve: impl FnMut(&Generator<N>, MemoryBudget, &mut Watch<'_>) -> Result<Vec<W>, Error>,
    ) -> Result<(Vec<W>, Vec<W>), Error> {
        let classes = &self.classification.recurrent;
        let ends = match classes.len() {
            1 => vec![W::one()],
            _ => self.ends(watch, &mut solve)?,
        };
        let mut numbers = vec![0; self.space.states()];
        for class in classes {
            for (number, &state) in class.iter().enumerate() {
                numbers[state as usize] = number as u32;
            }
        }
        let mut proportions = vec![W::zero(); self.space.states()];
        for class in classes {
            let pi = match class.len() {
                1 => vec![W::one()],
                count => {
                    let entries = Generator::<N>::most_entries(self.space, class, || watch.prepare())?;
                    let budget = self.beside_solution::<N>(entries, count)?;
                    let pause = || watch.prepare();
                    let generator = Generator::restricted(self.space, class, &numbers, pause)?;
                    solve(&generator, budget, watch)?
                }
            };
            for (&state, value) in class.iter().zip(pi) {
                proportions[state as usize] = value;
            }
        }
        Ok((ends, proportions))
    }

    /// For each recurrent class, in proportion to the probability that a run ends there.
    fn ends<N: Number, W>(
        &self,
        watch: &mut Watch<'_>,
        solve: &mut impl FnMut(&Generator<N>, MemoryBudget, &mut Watch<'_>) -> Result<Vec<W>, Error>,
    ) -> Result<Vec<W>, Error> {
        let classes = self.classification.recurrent.len();
        let count = self.classification.transient + classes;
        let budget = self.beside_solution::<N>(self.most_entries_restarting(), count)?;
        let mut pi = solve(&self.restarting(watch)?, budget, watch)?;
        Ok(pi.split_off(self.classification.transient))
    }

    /// The chain of the transient states, in their order, and then of the classes, each one state that leads
    /// back to the initial state at the rate at which that is left.
    fn restarting<N: Number>(&self, watch: &mut Watch<'_>) -> Result<Generator<N>, Error> {
        let (numbers, transient) = self.numbers_of_restarting();
        let count = transient.len() + self.classification.recurrent.len();
        let mut offsets = Vec::with_capacity(count + 1);
        offsets.push(0);
        let mut columns = Vec::with_capacity(self.most_entries_restarting());
        let mut values = Vec::with_capacity(self.most_entries_restarting());
        let mut back = N::zero();
        let states = transient.iter().map(|&state| state as usize);
        self.space.for_each_row_of(
            states,
            || watch.prepare(),
            |state, transitions| {
                let (row, exit) = row_of(state, transitions, &numbers);
                if numbers[state] == 0 {
                    back = exit;
                }
                for (column, value) in row {
                    columns.push(column);
                    values.push(value);
                }
                offsets.push(columns.len());
                Ok(())
            },
        )?;
        for class in transient.len()..count {
            columns.extend([0, class as u32]);
            values.extend([back.clone(), N::zero() - back.clone()]);
            offsets.push(columns.len());
        }
        Ok(Generator::new(Matrix::new(offsets, columns, values)))
    }

    /// A bound on the entries of the restarting chain: transitions, the diagonal, and the ways back.
    fn most_entries_restarting(&self) -> usize {
        let classes = self.classification.recurrent.len();
        self.space.transitions() + self.classification.transient + 2 * classes
    }

    /// For each state its number in the restarting chain, and the transient states.
    fn numbers_of_restarting(&self) -> (Vec<u32>, Vec<u32>) {
        const TRANSIENT: u32 = u32::MAX;
        let mut numbers = vec![TRANSIENT; self.space.states()];
        for (class, states) in self.classification.recurrent.iter().enumerate() {
            for &state in states {
                numbers[state as usize] = (self.classification.transient + class) as u32;
            }
        }
        let mut transient = Vec::with_capacity(self.classification.transient);
        for (state, number) in numbers.iter_mut().enumerate().filter(|(_, number)| **number == TRANSIENT) {
            *number = transient.len() as u32;
            transient.push(state as u32);
        }
        (numbers, transient)
    }

    /// What is left of the budget beside a matrix, what its solution needs at least, and vectors over all
    /// states, if these fit.
    fn beside_solution<N: Number>(&self, entries: usize, count: usize) -> Result<MemoryBudget, Stopped> {
        let matrix = entries as u64 * (size_of::<u32>() + size_of::<N>()) as u64 + count as u64 * 8;
        let method = choice::memory::<N>(count, entries, self.direct_up_to);
        let vectors = self.space.states() as u64 * (8 + 2 * size_of::<N>()) as u64;
        self.budget.take((matrix + vectors).saturating_add(method))
    }
}

/// The row of a transient state, by column, and the rate at which the state is left.
fn row_of<N: Number>(state: usize, transitions: &[Labelled<N>], numbers: &[u32]) -> (Vec<(u32, N)>, N) {
    // The place breaks ties. What is sorted is plain numbers, so that one sort is compiled for all types of
    // rates.
    let mut leaving: Vec<(u32, u32)> = Vec::with_capacity(transitions.len());
    for (place, transition) in transitions.iter().enumerate() {
        if transition.target as usize != state {
            leaving.push((numbers[transition.target as usize], place as u32));
        }
    }
    leaving.sort_unstable();
    let rate = |place: u32| transitions[place as usize].rate.clone();
    let exit = leaving.iter().fold(N::zero(), |exit, &(_, place)| exit + rate(place));
    let mut row: Vec<(u32, N)> = Vec::with_capacity(leaving.len() + 1);
    for (column, place) in leaving {
        match row.last_mut() {
            Some((last, sum)) if *last == column => *sum = sum.clone() + rate(place),
            _ => row.push((column, rate(place))),
        }
    }
    let own = numbers[state];
    let before = row.partition_point(|&(column, _)| column < own);
    row.insert(before, (own, N::zero() - exit.clone()));
    (row, exit)
}
