//! Asking for a sweep: the public face.

use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use skel_core::model::BuildErrors;
use skel_core::model::handle::Modelled;
use skel_core::rate::Rate;
use skel_core::skeleton::{Communication, Program, Skeleton, Tree};
use skel_core::text::Rejected;

use super::engine::{Engine, Progress, Settings, Solved};
use super::order::{Axis, Order};
use super::points::Points;
use super::problems::{Problem, checked};
use super::quantity::{Quantity, Varied};
use super::subject::{SkeletonText, Subject};
use super::values::Values;
use crate::error::Error;
use crate::limits::Limits;
use crate::performance::Performance;
use crate::steady::{Options, SteadyState};

/// A sweep that is about to begin: say what varies with [`Sweep::vary`], and ask for its [`Sweep::points`].
///
/// `A` is the type of the answers: the steady state of a model, or the performance of a program. See the
/// [module](crate::sweep).
#[must_use]
pub struct Sweep<A> {
    subject: Subject,
    varied: Vec<(Quantity, Values)>,
    is_together: bool,
    settings: Settings,
    read: fn(Solved) -> A,
    answer: PhantomData<fn() -> A>,
}

impl<M: Modelled + ?Sized> Sweep<SteadyState<M, f64>> {
    /// A sweep over named rates and sizes of a model. Each point has a steady state.
    ///
    /// # Errors
    /// The model cannot be built with the rates and sizes as they are.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::sweep::Values;
    /// pepa! { model Queue { lambda = 1; mu = 2; E = (arrive, lambda).F; F = (serve, mu).E; E } }
    ///
    /// let sweep = Sweep::of_model(&Queue::new())?.vary(Queue::mu, Values::range(1, 4, 1)?);
    /// for point in sweep.points()? {
    ///     println!("{} {:.4}", point.values[0], point.answer?.throughput_of(Queue::serve)); // 4 0.8000
    /// }
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn of_model(model: &M) -> Result<Self, Error> {
        Ok(Sweep::new(Subject::Model(Box::new(model.build()?)), |solved| match solved {
            Solved::Model(solution) => {
                let space = solution.space().typed();
                solution.typed(&space)
            }
            Solved::Program(_) => unreachable!("a model has a steady state"),
        }))
    }
}

impl<M: ?Sized> Sweep<SteadyState<M, f64>> {
    /// Explores with equal parts lumped, where no figure changes by that: a model with a result line that
    /// tells equal parts apart is explored as it is, and so is one that may have several recurrent classes.
    /// See [`Explorer::lumped`](crate::space::Explorer::lumped).
    pub fn lumped(mut self) -> Self {
        self.settings.is_lumped = true;
        self
    }
}

impl<S: Skeleton> Sweep<Performance<S, f64>> {
    /// A sweep over rates and replicas of a program. Each point has a performance.
    ///
    /// # Errors
    /// What is wrong with the skeleton as it is.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// use skel::sweep::{rate_of, replicas_of};
    /// pipe! { skeleton Images { task("read", 20.0), farm(2, "sharpen", 5.0), task("write", 30.0) } }
    ///
    /// let sweep = Sweep::of_program(&Images::new().communicating(100.0))?
    ///     .vary(replicas_of(Images::sharpen), 1..=4)
    ///     .vary(rate_of(Images::read), [10.0, 20.0]);
    /// let points: Vec<_> = sweep.points()?.collect();
    /// assert_eq!(points.len(), 8);
    /// let best = points[7].answer.as_ref().unwrap();
    /// assert!(best.busy_of(Images::sharpen) < 0.75 && *best.throughput() > 11.0);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn of_program(program: &Program<S>) -> Result<Self, Error> {
        let tree = program.skeleton().tree()?;
        Ok(Sweep::new(Subject::Program(program.with_skeleton(tree)), performance))
    }
}

fn performance<S>(solved: Solved) -> Performance<S, f64> {
    match solved {
        Solved::Program(performance) => performance.typed(),
        Solved::Model(_) => unreachable!("a program has a performance"),
    }
}

impl Sweep<Performance<Tree, f64>> {
    /// A sweep over numbers that a `.skel` text names, with other values of some that do not vary. Moves have
    /// the given rates, and where there are none those of the text.
    ///
    /// # Errors
    /// What is wrong with the text.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let text = "n = 1; mu = 2; pipe(task(2), farm(n, mu), task(3)); communication(10);";
    /// let sweep = Sweep::of_skeleton_text(text, &[("mu".to_owned(), 1.into())], Communication::default())?;
    /// let sweep = sweep.vary("n", 1..=3);
    /// let throughput: Vec<f64> = sweep.points()?.map(|point| *point.answer.unwrap().throughput()).collect();
    /// assert!(throughput[0] < throughput[1] && throughput[1] < throughput[2]);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn of_skeleton_text(
        text: &str,
        settings: &[(String, Rate)],
        communication: Communication,
    ) -> Result<Self, Error> {
        let (text, settings) = (text.to_owned(), settings.to_vec());
        Self::of_text(SkeletonText { text, settings, communication, folder: None })
    }

    /// As [`Self::of_skeleton_text`], for a text that is in this folder: the files that it names, as in
    /// `measured("times.csv")`, are read.
    ///
    /// # Errors
    /// What is wrong with the text and with its files.
    #[cfg_attr(debug_assertions, inline)]
    pub fn of_skeleton_text_in(
        text: &str,
        settings: &[(String, Rate)],
        communication: Communication,
        folder: &Path,
    ) -> Result<Self, Error> {
        let (text, settings) = (text.to_owned(), settings.to_vec());
        Self::of_text(SkeletonText { text, settings, communication, folder: Some(folder.to_owned()) })
    }

    #[cfg_attr(debug_assertions, inline)]
    fn of_text(text: SkeletonText) -> Result<Self, Error> {
        let parsed = text.read(&text.settings);
        if parsed.tree.is_none() {
            return Err(Rejected::new(parsed.diagnostics, text.text).into());
        }
        Ok(Sweep::new(Subject::Text(text), performance))
    }
}

impl<A> Clone for Sweep<A> {
    fn clone(&self) -> Self {
        let Sweep { subject, varied, is_together, settings, read, answer } = self;
        Sweep {
            subject: subject.clone(),
            varied: varied.clone(),
            is_together: *is_together,
            settings: settings.clone(),
            read: *read,
            answer: *answer,
        }
    }
}

impl<A> Sweep<A> {
    fn new(subject: Subject, read: fn(Solved) -> A) -> Self {
        let (varied, settings) = (Vec::new(), Settings::default());
        Sweep { subject, varied, is_together: false, settings, read, answer: PhantomData }
    }

    /// Lets something take these values. Several things make a grid, in which the first varies slowest; see
    /// [`Sweep::together`].
    ///
    /// Points that differ in rates alone have the same states. These are explored once, and each point starts
    /// from the solution of the one before it. So let what changes the states, a size or a number of
    /// replicas, vary first, and rates after it.
    pub fn vary(mut self, what: impl Into<Varied<A>>, values: impl Into<Values>) -> Self {
        self.varied.push((what.into().quantity, values.into()));
        self
    }

    /// Lets all that varies go forward in step: the first point has the first value of each. All need equally
    /// many values.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let model = Model::from_text("lambda = 1; mu = 2; E = (arrive, lambda).F; F = (serve, mu).E; E")?;
    /// let sweep = Sweep::of_model(&model)?.vary("lambda", [1, 2, 3]).vary("mu", [1, 2, 3]).together();
    /// let served: Vec<f64> = sweep.points()?.map(|point| point.answer?.throughput_named("serve")).collect::<skel::Result<_>>()?;
    /// assert_eq!(served, [0.5, 1.0, 1.5]);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn together(mut self) -> Self {
        self.is_together = true;
        self
    }

    /// Works within these limits. The time is that of the whole sweep, and the cancellation and the number of
    /// threads are those of the whole; states, memory and iterations are limited for each point. As many
    /// points are solved at a time as there are threads.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.settings.limits = limits.clone();
        self
    }

    /// Spends at most so much time on each point.
    pub fn time_per_point(mut self, time: Duration) -> Self {
        self.settings.time_per_point = Some(time);
        self
    }

    /// Solves with these options.
    pub fn options(mut self, options: &Options) -> Self {
        self.settings.options = options.clone();
        self
    }

    /// Tells a function how far the sweep is, after each point. It is called from several threads.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let model = Model::from_text("mu = 2; E = (arrive, 1).F; F = (serve, mu).E; E")?;
    /// let sweep = Sweep::of_model(&model)?.vary("mu", [1, 2, 3]);
    /// let sweep = sweep.with_progress(|now| eprintln!("{} of {}", now.done, now.total));
    /// assert_eq!(sweep.points()?.len(), 3);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn with_progress(mut self, report: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.settings.report = Some(Arc::new(report));
        self
    }

    /// All that is wrong with what varies; nothing where [`Sweep::points`] has points.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn problems(&self) -> Vec<Problem> {
        self.axes().err().unwrap_or_default()
    }

    fn axes(&self) -> Result<Vec<Axis>, Vec<Problem>> {
        checked(&self.subject, &self.varied, self.is_together)
    }

    /// The points, each with its answer. The first call of `next` begins to solve.
    ///
    /// # Errors
    /// All that is wrong with what varies: unknown names, values that are no rates or sizes, too many points.
    /// What goes wrong at a single point is the answer of that point.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let model = Model::from_text("n = 1; E = (arrive, 1).F; F = (serve, 2).E; E[n]")?;
    /// let limits = Limits { states: 100, ..Limits::default() };
    /// let sweep = Sweep::of_model(&model)?.vary("n", [3, 10, 5]).limits(&limits);
    /// let solved: Vec<bool> = sweep.points()?.map(|point| point.answer.is_ok()).collect();
    /// assert_eq!(solved, [true, false, true]); // 1024 states are too many
    ///
    /// let wrong = Sweep::of_model(&model)?.vary("m", 1..=3).points().err().unwrap();
    /// assert_eq!(wrong.to_string(), "the model has no rate or size `m`; help: what can vary is `n`");
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn points(&self) -> Result<Points<A>, Error> {
        let axes = self
            .axes()
            .map_err(|problems| BuildErrors(problems.into_iter().map(|problem| problem.error).collect()))?;
        let order = Order { axes, is_together: self.is_together };
        let engine = Engine::start(self.subject.clone(), order, self.settings.clone());
        Ok(Points::new(engine, self.read))
    }
}
