//! From a mapping to its throughput.
//!
//! All mappings of a program have the same model but for the rates, so the model is explored once. Each
//! mapping is solved on its own, several of them at the same time. A mapping of a pipeline of `n` stages has
//! `3^n` states if all times are exponential, and a stage whose time has `k` phases has a factor of `k + 2`
//! in the place of 3.

use std::fmt;
use std::sync::Arc;

use skel_core::model::{BuildErrors, Model};
use skel_core::number::Ratio;
use skel_solve::steady::Options;
use skel_solve::{Error, Limits, SteadyState};

use super::parallel::thread_count;
use super::progress::Progress;
use super::ranking::Ranked;
use super::shared_space::SharedSpace;
use super::throughputs::Throughputs;
use crate::platform::Platform;
use crate::program::{Application, Formula, Mapping, Rates};
use crate::quantity::Throughput;

type ProgressReport = Arc<dyn Fn(Progress) + Send + Sync>;

/// A program, the machines, and how to solve.
///
/// # Examples
/// The paper's first experiment: three stages on three equal processors.
/// ```
/// use skel_plan::*;
/// let processors = [10, 10, 10].map(|power| Processor::new(Power::per_second(power)));
/// let platform = Platform::new(processors, &Links::everywhere(Bandwidth::bytes_per_second(10_000)))?;
/// let stages = [1, 1, 1].map(|work| Stage::new(Work::units(work)));
/// let planner = Planner::new(Application::pipeline(stages, Data::bytes(1))?, platform);
///
/// let ranking = planner.rank(&[Mapping::new([1, 1, 2]), Mapping::new([1, 2, 3])])?;
/// assert_eq!(ranking.best().mapping, Mapping::new([1, 2, 3]));
/// assert!((ranking.best().throughput.value() - 5.63466669).abs() < 1e-8);
/// # Ok::<(), skel_solve::Error>(())
/// ```
#[derive(Clone)]
pub struct Planner {
    application: Arc<Application>,
    platform: Platform,
    formula: Formula,
    space: Arc<SharedSpace>,
    limits: Limits,
    options: Options,
    report: Option<ProgressReport>,
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tasks, processors) = (self.application.task_count(), self.platform.processors().len());
        write!(f, "Planner({tasks} tasks, {processors} processors)")
    }
}

/// One mapping, solved.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evaluation {
    /// The mapping.
    pub mapping: Mapping,
    /// Items per second that leave the program.
    pub throughput: Throughput,
    /// The rates that follow from the mapping.
    pub rates: Rates,
    pub(crate) throughputs: Throughputs<f64>,
}

impl Planner {
    /// A program on machines, with the default formula for rates and the default limits.
    #[must_use]
    pub fn new(application: Application, platform: Platform) -> Planner {
        let space = Arc::new(SharedSpace::new(&application));
        Planner {
            application: Arc::new(application),
            platform,
            formula: Formula::default(),
            space,
            limits: Limits::default(),
            options: Options::default(),
            report: None,
        }
    }

    /// The same with rates by another formula.
    #[must_use]
    pub fn with_formula(self, formula: Formula) -> Self {
        Planner { formula, ..self }
    }

    /// The same on other machines. The model and its states are kept.
    #[must_use]
    pub fn with_platform(&self, platform: Platform) -> Self {
        Planner { platform, ..self.clone() }
    }

    /// The same within limits. The time limit is for all solutions of a ranking or a search together. The
    /// other limits are for each solution. The threads solve several mappings at the same time.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Planner { limits, ..self }
    }

    /// The same with options for each solution.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Planner { options, ..self }
    }

    /// The same, and `report` is called after each solution with the progress so far.
    #[must_use]
    pub fn with_progress(self, report: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Planner { report: Some(Arc::new(report)), ..self }
    }

    /// The program.
    #[must_use]
    pub fn application(&self) -> &Application {
        &self.application
    }

    /// The machines.
    #[must_use]
    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    /// The formula for the rates.
    #[must_use]
    pub fn formula(&self) -> Formula {
        self.formula
    }

    /// The rates that follow from a mapping.
    ///
    /// # Errors
    /// As [`Rates::from_mapping`].
    pub fn rates(&self, mapping: &Mapping) -> Result<Rates, BuildErrors> {
        Rates::from_mapping(&self.application, &self.platform, mapping, self.formula)
    }

    /// Solves one mapping.
    ///
    /// # Errors
    /// The mapping does not fit the program or the machines, or a limit is reached.
    pub fn evaluate(&self, mapping: &Mapping) -> Result<Evaluation, Error> {
        let rates = self.rates(mapping)?;
        let pi = self.space.solve(&rates, &self.limits, &self.options)?;
        let throughputs = Throughputs::from_steady_state(&self.application, &pi);
        Ok(Evaluation {
            mapping: mapping.clone(),
            throughput: self.throughput(&throughputs),
            rates,
            throughputs,
        })
    }

    /// The exact throughput of one mapping, in items per second. It is meant for models of up to some
    /// thousand states.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    ///
    /// # Examples
    /// ```
    /// use skel_core::number::ratio;
    /// use skel_plan::*;
    /// let one = Processor::new(Power::per_second(10));
    /// let platform = Platform::new([one], &Links::everywhere(Bandwidth::bytes_per_second(1)))?;
    /// let application = Application::pipeline([Stage::new(Work::units(1))], Data::bytes(1))?;
    /// // One stage receives for 1 second, computes for 1/10 and sends for 1.
    /// let exact = Planner::new(application, platform).exact_throughput(&Mapping::new([1]))?;
    /// assert_eq!(exact, ratio(10, 21));
    /// # Ok::<(), skel_solve::Error>(())
    /// ```
    pub fn exact_throughput(&self, mapping: &Mapping) -> Result<Ratio, Error> {
        let pi = self.space.solve_exact(&self.rates(mapping)?, &self.limits)?;
        Ok(Throughputs::from_steady_state(&self.application, &pi).of_program(&self.application))
    }

    /// The steady state of one mapping. Everything else can be asked of it.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn steady_state(&self, mapping: &Mapping) -> Result<SteadyState<Model, f64>, Error> {
        self.space.solve(&self.rates(mapping)?, &self.limits, &self.options)
    }

    /// Solves one mapping. The solution for similar rates is a good start, if there is one.
    pub(crate) fn solve_from(
        &self,
        mapping: &Mapping,
        start: Option<&SteadyState<Model, f64>>,
        limits: &Limits,
    ) -> Result<(Ranked, SteadyState<Model, f64>), Error> {
        let rates = self.rates(mapping)?;
        let pi = self.space.solve_from(&rates, start, limits, &self.options)?;
        let throughputs = Throughputs::from_steady_state(&self.application, &pi);
        Ok((Ranked { mapping: mapping.clone(), throughput: self.throughput(&throughputs) }, pi))
    }

    /// The items per second that leave the program.
    fn throughput(&self, throughputs: &Throughputs<f64>) -> Throughput {
        Throughput::items_per_second(throughputs.of_program(&self.application))
    }

    /// The states of the program's model.
    pub(crate) fn space(&self) -> &SharedSpace {
        &self.space
    }

    /// The limits.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How each mapping is solved.
    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// How many mappings are solved at once.
    pub(crate) fn thread_count(&self) -> usize {
        thread_count(self.limits.threads)
    }

    /// Reports the progress to whoever asked for it.
    pub(crate) fn report_progress(&self, progress: Progress) {
        self.report.iter().for_each(|report| report(progress));
    }
}
