//! Solving a quotient: its steady state, and the measures that it keeps.

use skel_core::graph::Adjacency;
use skel_core::number::{Number, Ratio};

use super::{Measure, Parts, Quotient};
use crate::chain::{Generator, Matrix};
use crate::classify::{self, Classification, classify, classify_graph, deadlock, describe_classes};
use crate::error::{Classes, Error, NotConverged};
use crate::limits::Limits;
use crate::space::StateSpace;
use crate::steady::{self, Options, Report};

/// The steady state of a quotient and its measures, in `f64` or in exact fractions.
pub struct Figures<M: ?Sized, N> {
    quotient: Quotient<M, N>,
    solution: Solution<N>,
}

struct Solution<N> {
    /// The blocks of the recurrent class.
    class: Vec<u32>,
    /// Per block.
    probabilities: Vec<N>,
    /// Per measure its value.
    values: Vec<N>,
    report: Report,
}

impl<M: ?Sized> Quotient<M, f64> {
    /// The steady state in `f64`; see [`crate::steady`].
    ///
    /// There may be one where the space itself has none: recurrent classes in which the same happens, as far as the measures
    /// tell, are one class.
    ///
    /// # Errors
    /// Several recurrent classes, a deadlock in which every run ends, or no method gave an answer within the tolerance for certain.
    pub fn steady_state(&self) -> Result<Figures<M, f64>, Error> {
        self.steady_state_within(&Limits::default(), &Options::default())
    }

    /// The steady state in `f64`, within limits and with options.
    ///
    /// # Errors
    /// As [`Self::steady_state`], or a limit was reached.
    pub fn steady_state_within(&self, limits: &Limits, options: &Options) -> Result<Figures<M, f64>, Error> {
        let space = self.space.untyped();
        let solve = |generator: &_, taken| steady::alone::in_floats(generator, taken, limits, options);
        if !options.allow_deadlock {
            self.parts.refuse_deadlock(&space, limits)?;
        }
        let solution = self.parts.solve(&space, solve)?;
        if self.parts.are_in_range(&solution) {
            return Ok(Figures { quotient: self.clone(), solution });
        }
        let beyond = format!("{} met numbers beyond the range of `f64`", solution.report.method);
        let tried = solution.report.handed_over.into_iter().chain([beyond]).collect();
        Err(Error::NotConverged(NotConverged { tolerance: options.tolerance, tried }))
    }
}

impl<M: ?Sized> Quotient<M, Ratio> {
    /// The steady state in exact fractions; the cost grows as that of
    /// [`StateSpace::steady_state_exact`](crate::StateSpace::steady_state_exact), with the blocks in place of the states.
    ///
    /// # Errors
    /// Several recurrent classes, a deadlock in which every run ends, or a default limit.
    pub fn steady_state_exact(&self) -> Result<Figures<M, Ratio>, Error> {
        self.steady_state_exact_within(&Limits::default())
    }

    /// The steady state in exact fractions, within limits.
    ///
    /// # Errors
    /// As [`Self::steady_state_exact`], or a limit was reached.
    pub fn steady_state_exact_within(&self, limits: &Limits) -> Result<Figures<M, Ratio>, Error> {
        let space = self.space.untyped();
        let solve = |generator: &_, taken| steady::alone::in_fractions(generator, taken, limits);
        self.parts.refuse_deadlock(&space, limits)?;
        Ok(Figures { quotient: self.clone(), solution: self.parts.solve(&space, solve)? })
    }
}

impl<N: Number> Parts<N> {
    /// Solves the recurrent class, beside which so many bytes are taken.
    fn solve(
        &self,
        space: &StateSpace,
        solve: impl FnOnce(&Generator<N>, u64) -> Result<(Vec<N>, Report), Error>,
    ) -> Result<Solution<N>, Error> {
        let class = self.recurrent_class(space)?;
        let taken = space.memory() + self.memory();
        let (pi, report) = match class.len() == self.generator.states() {
            true => solve(&self.generator, taken)?,
            false => solve(&restricted(&self.generator, &class), taken)?,
        };
        let mut probabilities = vec![N::zero(); self.generator.states()];
        for (&block, value) in class.iter().zip(pi) {
            probabilities[block as usize] = value;
        }
        let mean = |(_, rewards): &(String, Vec<N>)| {
            let terms = probabilities.iter().zip(rewards);
            terms.fold(N::zero(), |sum, (value, reward)| sum + value.clone() * reward.clone())
        };
        let values = self.kept.iter().map(mean).collect();
        Ok(Solution { class, probabilities, values, report })
    }

    /// Refuses a space in which every run ends in a deadlock. A block that holds deadlocks may hold other states too, so the
    /// space is asked, though only where some block is never left.
    fn refuse_deadlock(&self, space: &StateSpace, limits: &Limits) -> Result<(), Error> {
        let is_left = |block| self.generator.rates_from(block).next().is_some();
        if (0..self.generator.states()).all(is_left) {
            return Ok(());
        }
        steady::afford(space, limits, classify::memory(space))?;
        match deadlock(space, &classify(space)) {
            Some(deadlock) => Err(Error::Deadlock(deadlock)),
            None => Ok(()),
        }
    }

    /// The blocks of the one recurrent class.
    fn recurrent_class(&self, space: &StateSpace) -> Result<Vec<u32>, Error> {
        let generator = &self.generator;
        let mut graph = Adjacency::with_capacity(generator.states(), generator.matrix().entries());
        for block in 0..generator.states() {
            graph.push(generator.rates_from(block).map(|(target, _)| target as u32));
        }
        let mut classes = classify_graph(&graph).recurrent;
        match classes.len() {
            1 => Ok(classes.remove(0)),
            count => {
                let lines = self.describe(classes, space);
                Err(Error::SeveralRecurrentClasses(Classes { count, lines }))
            }
        }
    }

    /// Recurrent classes in words, by the first states of their blocks.
    fn describe(&self, mut classes: Vec<Vec<u32>>, space: &StateSpace) -> Vec<String> {
        for block in classes.iter_mut().flatten() {
            *block = self.firsts[*block as usize];
        }
        let mut deadlocks: Vec<u32> = classes.iter().flatten().copied().collect();
        deadlocks.retain(|&state| space.transitions_from(state as usize).len() == 0);
        deadlocks.sort_unstable();
        describe_classes(space, &Classification { recurrent: classes, transient: 0, deadlocks })
    }

    /// Whether all are numbers, and no measure lost digits to probabilities too small for `f64`.
    fn are_in_range(&self, solution: &Solution<N>) -> bool {
        let Solution { class, probabilities, values, .. } = solution;
        let keeps_digits = |((_, rewards), value): (&(String, Vec<N>), &N)| {
            let is_rare = |&&block: &&u32| probabilities[block as usize].to_float() < f64::MIN_POSITIVE;
            let rare = class.iter().filter(is_rare);
            let lost: f64 = rare.map(|&block| f64::MIN_POSITIVE * rewards[block as usize].to_float()).sum();
            steady::is_little(lost, value.to_float())
        };
        probabilities.iter().chain(values).all(|value| value.to_float().is_finite())
            && self.kept.iter().zip(values).all(keeps_digits)
    }
}

/// The generator of a class of states, ascending, which no transition leaves.
fn restricted<N: Number>(generator: &Generator<N>, class: &[u32]) -> Generator<N> {
    let mut numbers = vec![0; generator.states()];
    for (number, &state) in class.iter().enumerate() {
        numbers[state as usize] = number as u32;
    }
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for &state in class {
        for (column, value) in generator.matrix().row(state as usize) {
            columns.push(numbers[column]);
            values.push(value.clone());
        }
        offsets.push(columns.len());
    }
    Generator::new(Matrix::new(offsets, columns, values))
}

impl<M: ?Sized, N: Number> Figures<M, N> {
    /// The value of a measure that the quotient keeps.
    ///
    /// # Errors
    /// Of another measure; it says which are kept.
    pub fn value(&self, measure: &Measure<M>) -> Result<N, Error> {
        let asked = measure.reward(&self.quotient.space.untyped())?.name;
        let kept = &self.quotient.parts.kept;
        match kept.iter().position(|(name, _)| *name == asked) {
            Some(at) => Ok(self.solution.values[at].clone()),
            None => Err(not_kept(&asked, kept.iter().map(|(name, _)| name.as_str()))),
        }
    }

    /// The values of all measures that the quotient keeps, with what they are, in their order.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P || P")?.explore()?;
    /// let measures = [Measure::population_of("Q"), Measure::throughput_of("go")];
    /// let figures = space.quotient_exact(&measures)?.steady_state_exact()?;
    /// let shown: Vec<String> = figures.values().map(|(what, value)| format!("{what}: {value}")).collect();
    /// assert_eq!(shown, ["the population of `Q`: 1/2", "the throughput of `go`: 3/2"]);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn values(&self) -> impl ExactSizeIterator<Item = (&str, &N)> {
        self.quotient.parts.kept.iter().map(|(name, _)| name.as_str()).zip(&self.solution.values)
    }

    /// The probability of each block.
    #[must_use]
    pub fn probabilities(&self) -> &[N] {
        &self.solution.probabilities
    }

    /// The quotient that was solved.
    #[must_use]
    pub fn quotient(&self) -> &Quotient<M, N> {
        &self.quotient
    }

    /// How the solution was obtained, and how good it is.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.solution.report
    }
}

impl<M: ?Sized, N: Number> std::fmt::Debug for Figures<M, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Figures({:?}, {:?})", self.quotient, self.solution.report)
    }
}

fn not_kept<'n>(asked: &str, kept: impl Iterator<Item = &'n str>) -> Error {
    let kept: Vec<&str> = kept.collect();
    let kept = if kept.is_empty() { "nothing".to_owned() } else { kept.join(", ") };
    Error::Unknown(format!("the quotient does not keep {asked}; it keeps {kept}"))
}
