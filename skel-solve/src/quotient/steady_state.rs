//! Solves a quotient: its steady state, and the measures that it preserves.

use skel_core::graph::Adjacency;
use skel_core::number::{Number, Ratio};

use crate::chain::{
    Classification, classification_memory, classify_graph, classify_within, deadlock, describe_classes,
};
use crate::chain::{Generator, Matrix};
use crate::error::{Classes, Error, NotConverged};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::quotient::{Measure, Quotient, QuotientChain};
use crate::space::StateSpace;
use crate::steady;
use crate::steady::{Method, Options, Report};

/// The steady state of a quotient and its measures, in `f64` or in exact fractions.
pub struct QuotientSteadyState<M: ?Sized, N> {
    quotient: Quotient<M, N>,
    solution: Solution<N>,
}

struct Solution<N> {
    /// The blocks of the recurrent class.
    class: Vec<u32>,
    /// For each block its probability.
    probabilities: Vec<N>,
    /// For each measure its value.
    values: Vec<N>,
    report: Report,
}

impl<M: ?Sized, N: Number> Quotient<M, N> {
    /// Prepares a solution within other limits or, in `f64`, by another method.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::{quotient::Measure, steady::Method};
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P[8]")?.explore()?;
    /// let quotient = space.quotient(&[Measure::throughput_named("go")])?;
    /// let solved = quotient.solver().method(Method::GaussSeidel).limits(&Limits::default()).solve()?;
    /// assert!((solved.value(&Measure::throughput_named("go"))? - 6.0).abs() < 1e-9);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn solver(&self) -> QuotientSolver<'_, M, N> {
        QuotientSolver { quotient: self, limits: Limits::default(), options: Options::default() }
    }
}

impl<M: ?Sized> Quotient<M, f64> {
    /// The steady state in `f64`, with the default limits and options; see [`crate::steady`].
    ///
    /// A quotient may have a steady state where the space itself has none: recurrent classes that the
    /// measures do not distinguish become one class.
    ///
    /// # Errors
    /// There are several recurrent classes, the chain always ends in a deadlock, or no method found an answer
    /// that is certain to be within the tolerance.
    pub fn steady_state(&self) -> Result<QuotientSteadyState<M, f64>, Error> {
        self.solver().solve()
    }
}

impl<M: ?Sized> Quotient<M, Ratio> {
    /// The steady state in exact fractions, with the default limits. The cost grows like that of
    /// [`StateSpace::steady_state_exact`](crate::StateSpace::steady_state_exact), with the number of blocks
    /// in place of states.
    ///
    /// # Errors
    /// There are several recurrent classes, the chain always ends in a deadlock, or a default limit was
    /// reached.
    pub fn steady_state_exact(&self) -> Result<QuotientSteadyState<M, Ratio>, Error> {
        self.solver().solve()
    }
}

/// A solution of a quotient that has not started yet. Set the options that differ, then call `solve`.
#[must_use]
pub struct QuotientSolver<'q, M: ?Sized, N> {
    quotient: &'q Quotient<M, N>,
    limits: Limits,
    options: Options,
}

impl<M: ?Sized, N: Number> QuotientSolver<'_, M, N> {
    /// Sets the limits of the solution.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// Accepts that the chain always ends in one deadlock; see [`Options::allow_deadlock`].
    pub fn allow_deadlock(mut self) -> Self {
        self.options.allow_deadlock = true;
        self
    }
}

impl<M: ?Sized> QuotientSolver<'_, M, f64> {
    /// Sets all options at once.
    pub fn options(mut self, options: &Options) -> Self {
        self.options = options.clone();
        self
    }

    /// Solves by this method only.
    pub fn method(mut self, method: Method) -> Self {
        self.options.method = method;
        self
    }

    /// Solves in `f64`.
    ///
    /// # Errors
    /// Those of [`Quotient::steady_state`], or a limit was reached.
    pub fn solve(self) -> Result<QuotientSteadyState<M, f64>, Error> {
        let QuotientSolver { quotient, limits, options } = self;
        let space = quotient.space.untyped();
        let solve =
            |generator: &_, budget| steady::of_generator::in_floats(generator, budget, &limits, &options);
        if !options.allow_deadlock {
            quotient.chain.refuse_deadlock(&space, &limits)?;
        }
        let solution = quotient.chain.solve(&space, &limits, solve)?;
        if quotient.chain.are_in_range(&solution) {
            return Ok(QuotientSteadyState { quotient: quotient.clone(), solution });
        }
        let beyond = NotConverged::beyond_range(solution.report.method);
        let tried = solution.report.handed_over.into_iter().chain([beyond]).collect();
        Err(Error::NotConverged(NotConverged { tolerance: options.tolerance, tried }))
    }
}

impl<M: ?Sized> QuotientSolver<'_, M, Ratio> {
    /// Solves in exact fractions.
    ///
    /// # Errors
    /// Those of [`Quotient::steady_state_exact`], or a limit was reached.
    pub fn solve(self) -> Result<QuotientSteadyState<M, Ratio>, Error> {
        let QuotientSolver { quotient, limits, options } = self;
        let space = quotient.space.untyped();
        let solve = |generator: &_, budget| steady::of_generator::in_fractions(generator, budget, &limits);
        if !options.allow_deadlock {
            quotient.chain.refuse_deadlock(&space, &limits)?;
        }
        Ok(QuotientSteadyState {
            quotient: quotient.clone(),
            solution: quotient.chain.solve(&space, &limits, solve)?,
        })
    }
}

impl<N: Number> QuotientChain<N> {
    /// Solves the recurrent class, in the memory that is left beside the space and the quotient.
    fn solve(
        &self,
        space: &StateSpace,
        limits: &Limits,
        solve: impl FnOnce(&Generator<N>, MemoryBudget) -> Result<(Vec<N>, Report), Error>,
    ) -> Result<Solution<N>, Error> {
        let class = self.recurrent_class(space, limits)?;
        let budget = MemoryBudget::new(limits).beside(space.memory()).beside(self.memory());
        let (pi, report) = match class.len() == self.generator.states() {
            true => solve(&self.generator, budget)?,
            false => solve(&restricted(&self.generator, &class), budget)?,
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

    /// Returns an error if the chain always ends in a deadlock. A block with a deadlock may hold other states
    /// too, so the space itself is classified, but only if some block has no exit.
    fn refuse_deadlock(&self, space: &StateSpace, limits: &Limits) -> Result<(), Error> {
        let is_left = |block| self.generator.rates_from(block).next().is_some();
        if (0..self.generator.states()).all(is_left) {
            return Ok(());
        }
        MemoryBudget::new(limits).beside(space.memory()).check(classification_memory(space))?;
        match deadlock(space, &classify_within(space, &mut Watch::start(limits))?) {
            Some(deadlock) => Err(Error::Deadlock(deadlock)),
            None => Ok(()),
        }
    }

    /// The blocks of the one recurrent class.
    fn recurrent_class(&self, space: &StateSpace, limits: &Limits) -> Result<Vec<u32>, Error> {
        let generator = &self.generator;
        let mut watch = Watch::start(limits);
        let mut graph = Adjacency::with_capacity(generator.states(), generator.matrix().entries());
        for block in 0..generator.states() {
            graph.push(generator.rates_from(block).map(|(target, _)| target as u32));
        }
        let mut classes = classify_graph(&graph, || watch.prepare())?.recurrent;
        match classes.len() {
            1 => Ok(classes.remove(0)),
            count => {
                let lines = self.describe(classes, space);
                Err(Error::SeveralRecurrentClasses(Classes { count, lines }))
            }
        }
    }

    /// Describes recurrent classes in words, by the first states of their blocks.
    fn describe(&self, mut classes: Vec<Vec<u32>>, space: &StateSpace) -> Vec<String> {
        for block in classes.iter_mut().flatten() {
            *block = self.firsts[*block as usize];
        }
        let mut deadlocks: Vec<u32> = classes.iter().flatten().copied().collect();
        deadlocks.retain(|&state| space.transitions_from(state as usize).len() == 0);
        deadlocks.sort_unstable();
        describe_classes(space, &Classification { recurrent: classes, transient: 0, deadlocks })
    }

    /// Whether all values are finite, and no measure lost digits to probabilities that are too small for
    /// `f64`.
    fn are_in_range(&self, solution: &Solution<N>) -> bool {
        let Solution { class, probabilities, values, .. } = solution;
        let keeps_digits = |((_, rewards), value): (&(String, Vec<N>), &N)| {
            let is_rare = |&&block: &&u32| probabilities[block as usize].to_float() < f64::MIN_POSITIVE;
            let rare = class.iter().filter(is_rare);
            let lost: f64 = rare.map(|&block| f64::MIN_POSITIVE * rewards[block as usize].to_float()).sum();
            crate::measure::throughputs::is_negligible(lost, value.to_float())
        };
        probabilities.iter().chain(values).all(|value| value.to_float().is_finite())
            && self.kept.iter().zip(values).all(keeps_digits)
    }
}

/// The generator of a class of states in ascending order, which no transition leaves.
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

impl<M: ?Sized, N: Number> QuotientSteadyState<M, N> {
    /// The value of a measure that the quotient preserves.
    ///
    /// # Errors
    /// The quotient does not preserve this measure. The error lists those that it does.
    pub fn value(&self, measure: &Measure<M>) -> Result<N, Error> {
        let asked = measure.reward(&self.quotient.space.untyped())?.name;
        let kept = &self.quotient.chain.kept;
        match kept.iter().position(|(name, _)| *name == asked) {
            Some(at) => Ok(self.solution.values[at].clone()),
            None => Err(not_kept(&asked, kept.iter().map(|(name, _)| name.as_str()))),
        }
    }

    /// The values of all measures that the quotient preserves, each with a description, in their order.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::quotient::Measure;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 3).P; P || P")?.explore()?;
    /// let measures = [Measure::population_named("Q"), Measure::throughput_named("go")];
    /// let figures = space.quotient_exact(&measures)?.steady_state_exact()?;
    /// let shown: Vec<String> = figures.values().map(|(what, value)| format!("{what}: {value}")).collect();
    /// assert_eq!(shown, ["the population of `Q`: 1/2", "the throughput of `go`: 3/2"]);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn values(&self) -> impl ExactSizeIterator<Item = (&str, &N)> {
        self.quotient.chain.kept.iter().map(|(name, _)| name.as_str()).zip(&self.solution.values)
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

impl<M: ?Sized, N: Number> std::fmt::Debug for QuotientSteadyState<M, N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "QuotientSteadyState({:?}, {:?})", self.quotient, self.solution.report)
    }
}

fn not_kept<'n>(asked: &str, kept: impl Iterator<Item = &'n str>) -> Error {
    let kept: Vec<&str> = kept.collect();
    let kept = if kept.is_empty() { "nothing".to_owned() } else { kept.join(", ") };
    Error::Unknown(format!("the quotient does not keep {asked}; it keeps {kept}"))
}
