//! Asking for the performance of a program.

use skel_core::number::Ratio;
use skel_core::skeleton::{Program, Replication, Skeleton, StageId};

use super::{Gain, Kinds, Performance};
use crate::error::Error;
use crate::limits::{Limit, Limits};
use crate::steady::Options;

/// Asking for the performance of a skeleton with its rates.
pub trait Perform {
    /// The skeleton's type.
    type Skeleton: Skeleton;

    /// Asks for the performance in another way: within other limits, by another method, in exact fractions;
    /// or for what one more replica would bring.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::{pipe, task, Skeleton}};
    /// use skel_solve::{Limits, Perform};
    /// let program = pipe((task(1.0), task(1.0))).communicating(1.0);
    /// let limits = Limits { states: 4, ..Limits::default() };
    /// let performance = program.evaluator().limits(&limits).exact().evaluate()?;
    /// assert_eq!(*performance.throughput(), ratio(2, 5));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    fn evaluator(&self) -> Evaluator<'_, Self::Skeleton>;

    /// The performance in `f64`, with the default limits and options.
    ///
    /// # Errors
    /// What is wrong with the skeleton or its rates; a limit; a program that comes to a standstill.
    fn performance(&self) -> Result<Performance<Self::Skeleton, f64>, Error> {
        self.evaluator().evaluate()
    }

    /// The performance in exact fractions, with the default limits.
    ///
    /// # Errors
    /// As [`Perform::performance`].
    fn performance_exact(&self) -> Result<Performance<Self::Skeleton, Ratio>, Error> {
        self.evaluator().exact().evaluate()
    }

    /// What one more replica would bring, at every place where one can be added. A deal is tried as a larger
    /// deal, anything else as a farm; [`Evaluator::kinds`] tries both kinds everywhere.
    ///
    /// # Errors
    /// As [`Perform::performance`], for the skeleton as it is; a larger one that reaches a limit is a gain
    /// without a figure.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{deal, pipe, task, Replication, Skeleton};
    /// use skel_solve::Perform;
    /// let gains = pipe((task(1.0), deal(2, 1.0))).communicating(1.0).gains()?;
    /// let kinds: Vec<_> = gains.iter().map(|gain| gain.best_kind()).collect();
    /// assert_eq!(kinds, [Some(Replication::Farm), Some(Replication::Deal)]);
    /// assert!(gains[0].best() > gains[1].best());
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    fn gains(&self) -> Result<Vec<Gain>, Error> {
        self.evaluator().gains()
    }
}

impl<S: Skeleton> Perform for Program<S> {
    type Skeleton = S;

    fn evaluator(&self) -> Evaluator<'_, S> {
        Evaluator {
            program: self,
            kinds: Kinds::default(),
            limits: Limits::default(),
            options: Options::default(),
        }
    }
}

/// An evaluation of a program that is about to begin: set what is to be different, then call
/// [`Evaluator::evaluate`] or [`Evaluator::gains`].
#[must_use]
pub struct Evaluator<'p, S> {
    program: &'p Program<S>,
    kinds: Kinds,
    limits: Limits,
    options: Options,
}

impl<'p, S: Skeleton> Evaluator<'p, S> {
    /// Explores and solves within these limits.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// Solves with these options.
    pub fn options(mut self, options: &Options) -> Self {
        self.options = options.clone();
        self
    }

    /// Tries one more replica in these kinds.
    pub fn kinds(mut self, kinds: Kinds) -> Self {
        self.kinds = kinds;
        self
    }

    /// Asks for exact fractions; options do not count for them.
    pub fn exact(self) -> ExactEvaluator<'p, S> {
        ExactEvaluator { program: self.program, limits: self.limits }
    }

    /// The performance in `f64`.
    ///
    /// # Errors
    /// What is wrong with the skeleton or its rates; a limit; a program that comes to a standstill.
    pub fn evaluate(&self) -> Result<Performance<S, f64>, Error> {
        Performance::from_system(self.program.lower_with_immediate_moves()?, &self.limits, &self.options)
    }

    /// What one more replica would bring, at every place where one can be added.
    ///
    /// # Errors
    /// As [`Perform::gains`], or the work was cancelled.
    pub fn gains(&self) -> Result<Vec<Gain>, Error> {
        let now = *self.evaluate()?.throughput();
        let places = self.program.skeleton().tree()?.replicable().into_iter();
        places.map(|stage| self.gain_at(stage, now)).collect()
    }

    /// What one more replica at one place would bring, where the throughput `now` is known. Tasks are
    /// numbered anew, so communication rates and buffers per link and an assignment to processors are those
    /// of the larger skeleton.
    ///
    /// # Errors
    /// The skeleton is wrong, or the work was cancelled.
    pub fn gain_at(&self, stage: StageId, now: f64) -> Result<Gain, Error> {
        let tree = self.program.skeleton().tree()?;
        let tried = |kind| {
            if !self.kinds.contain(kind, tree.stage(stage)) {
                return Ok(None);
            }
            let program = self.program.with_one_more(&tree, stage, kind);
            match program.evaluator().limits(&self.limits).options(&self.options).evaluate() {
                Err(Error::Stopped(stopped)) if stopped.limit == Limit::Cancelled => {
                    Err(Error::Stopped(stopped))
                }
                outcome => Ok(Some(outcome.map(|performance| *performance.throughput()))),
            }
        };
        Ok(Gain {
            stage,
            name: tree.name(stage),
            path: tree.path_to(stage),
            now,
            as_deal: tried(Replication::Deal)?,
            as_farm: tried(Replication::Farm)?,
        })
    }
}

/// An evaluation in exact fractions that is about to begin.
#[must_use]
pub struct ExactEvaluator<'p, S> {
    program: &'p Program<S>,
    limits: Limits,
}

impl<S: Skeleton> ExactEvaluator<'_, S> {
    /// Explores and solves within these limits.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// The performance in exact fractions.
    ///
    /// # Errors
    /// As [`Perform::performance`].
    pub fn evaluate(&self) -> Result<Performance<S, Ratio>, Error> {
        Performance::from_system_exact(self.program.lower_with_immediate_moves()?, &self.limits)
    }
}
