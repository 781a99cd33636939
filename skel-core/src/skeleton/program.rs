//! A skeleton, and a program: a skeleton with everything that its performance depends on.

use crate::diagnostic::{Code, Diagnostic};
use crate::model::handle::Modelled;
use crate::model::{BuildError, BuildErrors, Model};
use crate::skeleton::buffers::Buffers;
use crate::skeleton::communication::Communication;
use crate::skeleton::count::Count;
use crate::skeleton::handle::StageOf;
use crate::skeleton::lowering::capacities::{capacities, leads_to};
use crate::skeleton::lowering::graph::{Graph, Reading};
use crate::skeleton::lowering::system::{Surroundings, System};
use crate::skeleton::processors::Processors;
use crate::skeleton::tree::{Replication, StageId, Tree};

/// The structure of a parallel program.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a skeleton",
    note = "a skeleton is a `task(rate)`, a `pipe(...)`, a `deal(replicas, worker)` or a `farm(replicas, worker)`",
    note = "or a `map(workers, rate)`, a `fault_tolerant(workers, rate)` or a `map_with_state(workers, rate, state(rate, items))`"
)]
pub trait Skeleton: Clone {
    /// The checked tree.
    ///
    /// # Errors
    /// Everything that is wrong with it: no stage, no replica, a rate that is not positive, a name used
    /// twice.
    fn tree(&self) -> Result<Tree, BuildErrors>;

    /// The skeleton with the rates of its moves: something that has a performance.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{model::handle::Modelled, skeleton::{farm, pipe, task, Skeleton}};
    /// let program = pipe((task(1.0), farm(2, 3.0))).communicating(10.0);
    /// assert_eq!(program.build()?.positions(), 3 + 1 + 3);
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    fn communicating(self, communication: impl Into<Communication>) -> Program<Self> {
        Program::new(self, communication)
    }

    /// A skeleton has a performance once its moves have rates. This method and those below exist to say so:
    /// their answer is of a type that only a skeleton with rates would have, so that the compiler reports the
    /// missing rates and nothing that follows from it.
    #[doc(hidden)]
    fn performance(&self) -> Self::Answer
    where
        Self: Rated,
    {
        self.answer()
    }

    #[doc(hidden)]
    fn performance_exact(&self) -> Self::Answer
    where
        Self: Rated,
    {
        self.answer()
    }

    #[doc(hidden)]
    fn gains(&self) -> Self::Answer
    where
        Self: Rated,
    {
        self.answer()
    }

    #[doc(hidden)]
    fn dimension<T>(&self, _: T) -> Self::Answer
    where
        Self: Rated,
    {
        self.answer()
    }
}

/// A skeleton whose moves have rates. No type is one: with rates, a skeleton is a [`Program`].
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the moves of this skeleton have no rates yet",
    label = "say first how fast items move: `.communicating(10.0)`"
)]
pub trait Rated {
    /// What it would be asked for.
    type Answer;

    /// What it would answer.
    fn answer(&self) -> Self::Answer;
}

impl Skeleton for Tree {
    fn tree(&self) -> Result<Tree, BuildErrors> {
        Ok(self.clone())
    }
}

/// A skeleton with the rates of its moves and the processors of its tasks: something that stands for a model.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{deal, pipe, task, Reading, Skeleton};
/// let program = pipe((task(1.0), deal(3, 1.0), deal(3, 1.0), task(1.0))).communicating(1.0);
/// // The algorithms as they are printed in the paper; with them this program deadlocks.
/// let literal = program.clone().with_reading(Reading::Literal);
/// assert_ne!(program.lower()?.to_string(), literal.lower()?.to_string());
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program<S> {
    skeleton: S,
    communication: Communication,
    processors: Processors,
    reading: Reading,
    buffers: Buffers,
    one_port: bool,
    /// Whether times that a chain cannot have are fitted.
    is_fitted: bool,
}

impl<S: Skeleton> Program<S> {
    /// A skeleton with communication rates; every task on a processor of its own.
    #[must_use]
    pub fn new(skeleton: S, communication: impl Into<Communication>) -> Self {
        Program {
            skeleton,
            communication: communication.into(),
            processors: Processors::one_each(),
            reading: Reading::Corrected,
            buffers: Buffers::default(),
            one_port: false,
            is_fitted: false,
        }
    }

    /// The same with other rates of moves.
    #[must_use]
    pub fn with_communication(self, communication: impl Into<Communication>) -> Self {
        Program { communication: communication.into(), ..self }
    }

    /// The same on other processors.
    #[must_use]
    pub fn with_processors(self, processors: Processors) -> Self {
        Program { processors, ..self }
    }

    /// The same with the paper's algorithms as printed, or corrected.
    #[must_use]
    pub fn with_reading(self, reading: Reading) -> Self {
        Program { reading, ..self }
    }

    /// The same with a buffer for so many items between any two stages. 0 stands for none.
    ///
    /// A sender then puts an item into the buffer and begins the next one, unless the buffer is full. Both to
    /// enter the buffer and to leave it take an item the time of a move, and items do so one at a time. A
    /// farm has one buffer before its workers and one behind them, and each worker of a deal has its own.
    /// Where moves are slow, a buffer of one place may be slower than none, since it is filled and emptied in
    /// turn.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let program = pipe!(task(1.0), task(1.0)).communicating(Communication::negligible());
    /// assert_eq!(*program.performance_exact()?.throughput(), ratio(2, 3));
    /// assert_eq!(*program.buffers(1).performance_exact()?.throughput(), ratio(3, 4));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn buffers(self, capacity: impl Into<Count>) -> Self {
        self.with_buffers(Buffers::everywhere(capacity))
    }

    /// The same with another capacity of the buffer before one stage. If the stage is a deal or a farm, or
    /// their worker, that is the buffer before the workers.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pipe! {
    ///     skeleton Images { task("read", 20.0), farm(3, "sharpen", 5.0), task("write", 30.0) }
    /// }
    /// let program = Images::new().communicating(100.0);
    /// let before = *program.performance()?.throughput();
    /// let buffered = program.buffer_before(Images::sharpen, 4).performance()?;
    /// assert!(*buffered.throughput() > before);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn buffer_before<H>(self, stage: StageOf<S, H>, capacity: impl Into<Count>) -> Self {
        let buffers = self.buffers.clone().before(stage.id(), capacity);
        self.with_buffers(buffers)
    }

    /// The same with these buffers.
    #[must_use]
    pub fn with_buffers(self, buffers: Buffers) -> Self {
        Program { buffers, ..self }
    }

    /// The buffers between the stages.
    #[must_use]
    pub fn buffer_capacities(&self) -> &Buffers {
        &self.buffers
    }

    /// How many items can wait before each task, by the node of the task, in the order of the tree; 0 for the
    /// first, to which nothing is sent. The executor reads from here what the model's buffers are made from.
    ///
    /// # Errors
    /// What is wrong with the skeleton or its buffers; buffers of different capacities on the links to the
    /// replicas of one task, which only the model can have.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{farm, pipe, task, Skeleton, Structured};
    /// let stages = pipe((task(2.0), farm(3, pipe((task(1.0), task(1.0)))), task(2.0)));
    /// let last = stages.stage::<2>();
    /// let program = stages.communicating(100.0).buffers(4).buffer_before(last, 1);
    /// let capacities = program.capacities_before_tasks()?.into_iter().map(|(_, capacity)| capacity);
    /// assert_eq!(capacities.collect::<Vec<u32>>(), [0, 4, 4, 1]);
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn capacities_before_tasks(&self) -> Result<Vec<(StageId, u32)>, BuildErrors> {
        let tree = self.skeleton.tree()?;
        let errors = |findings| build_errors(findings, |id| tree.path_to(id));
        let graph = Graph::from_tree(&tree, self.reading).map_err(|finding| errors(vec![finding]))?;
        let found = capacities(&self.buffers, &tree, &graph);
        let capacities =
            found.map_err(|problems| errors(problems.into_iter().map(|(_, what)| what).collect()))?;
        let before = |task: StageId| {
            let channels = graph.channels().iter().zip(&capacities);
            let mut into = channels.filter(|(channel, _)| leads_to(&tree, channel, task)).map(|(_, &of)| of);
            let first = into.next().unwrap_or(0);
            if into.all(|other| other == first) { Ok((task, first)) } else { Err(unequal(&tree, task)) }
        };
        tree.leaves().map(before).collect::<Result<_, _>>().map_err(|finding| errors(vec![finding]))
    }

    /// The same with one port for all moves between two stages: items move one at a time, however many
    /// workers are idle.
    ///
    /// Without it each link moves items at its own rate, as in the paper: a sender with three idle workers
    /// then sends at three times the rate. Where tasks take turns, as at a deal, only one of their links is
    /// in use at a time in any case.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let program = pipe!(task(2.0), farm(11, 0.25), task(2.0)).communicating(10.0);
    /// let service_time = |program: Program<_>| Ok::<f64, skel::Error>(1.0 / program.performance()?.throughput());
    /// assert!((service_time(program.clone())? - 0.627).abs() < 5e-4);
    /// assert!((service_time(program.one_port())? - 0.681).abs() < 5e-4);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn one_port(self) -> Self {
        Program { one_port: true, ..self }
    }

    /// Whether items move one at a time between two stages.
    #[must_use]
    pub fn has_one_port(&self) -> bool {
        self.one_port
    }

    /// Whether the paper's algorithms are used as printed, or corrected.
    #[must_use]
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// The rates of its moves.
    #[must_use]
    pub fn communication(&self) -> &Communication {
        &self.communication
    }

    /// The processors of its tasks.
    #[must_use]
    pub fn processors(&self) -> &Processors {
        &self.processors
    }

    /// The same rates and processors for another skeleton.
    #[must_use]
    pub fn with_skeleton<T: Skeleton>(&self, skeleton: T) -> Program<T> {
        Program {
            skeleton,
            communication: self.communication.clone(),
            processors: self.processors.clone(),
            reading: self.reading,
            buffers: self.buffers.clone(),
            one_port: self.one_port,
            is_fitted: self.is_fitted,
        }
    }

    /// The program with one replica more at one place of its tree; see [`Tree::with_one_more`]. What is said
    /// of the buffer before a stage is said of the same stage. Tasks have other numbers, so what is said of
    /// tasks by their numbers is said of those of the larger skeleton: rates of links, buffers on links, and
    /// processors.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn with_one_more(&self, tree: &Tree, stage: StageId, kind: Replication) -> Program<Tree> {
        let larger = tree.with_one_more(stage, kind);
        let added = (larger.stages().len() - tree.stages().len()) as u32;
        let behind = |node: StageId| if node > stage { StageId(node.0 + added) } else { node };
        let buffers = self.buffers.renumbered(&|node| Some(behind(node)));
        self.with_skeleton(larger).with_buffers(buffers)
    }

    /// The same with the nearest fit, by two moments, of each time that a chain cannot have: deterministic,
    /// uniform, lognormal, Weibull. One that varies too little for a fit stays, and is refused.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{skeleton::{pipe, task, uniform, Skeleton}, time::TimeUnits};
    /// let program = pipe((task(uniform(8.ms(), 20.ms())), task(50.0))).communicating(1e3);
    /// assert!(program.lower().is_err());
    /// let times = program.skeleton().tree()?.fitted().to_string();
    /// assert_eq!(times, "pipe(2);\ntask(fitted(0.014, 3 / 49));\ntask(50.0);\n");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn fitted(self) -> Self {
        Program { is_fitted: true, ..self }
    }

    /// Whether times that a chain cannot have are fitted.
    pub(super) fn is_fitted(&self) -> bool {
        self.is_fitted
    }

    /// The skeleton.
    #[must_use]
    pub fn skeleton(&self) -> &S {
        &self.skeleton
    }

    /// The skeleton as a PEPA model: graph, task definitions and system.
    ///
    /// # Errors
    /// Everything that is wrong with the skeleton or, if nothing is, with its rates and processors;
    /// communication that is negligible, which a PEPA model cannot say.
    pub fn lower(&self) -> Result<System, BuildErrors> {
        self.lower_and(System::require_timed_moves)
    }

    /// As [`Self::lower`], also where moves take no time: their actions then have weights in the place of
    /// rates in the model, and [`System::immediate_moves`] names them. What solves the model has to remove
    /// them; a performance does so.
    ///
    /// # Errors
    /// Everything that is wrong with the skeleton or, if nothing is, with its rates and processors.
    pub fn lower_with_immediate_moves(&self) -> Result<System, BuildErrors> {
        self.lower_and(Ok)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn lower_and(
        &self,
        accept: fn(System) -> Result<System, Vec<Diagnostic<StageId>>>,
    ) -> Result<System, BuildErrors> {
        let tree = self.skeleton.tree()?;
        let lowered = self.lower_tree(&tree).and_then(accept);
        lowered.map_err(|findings| build_errors(findings, |id| tree.path_to(id)))
    }

    /// As [`Self::lower_with_immediate_moves`] on a checked tree, with places instead of words for them.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn lower_tree(&self, tree: &Tree) -> Result<System, Vec<Diagnostic<StageId>>> {
        let graph = Graph::from_tree(tree, self.reading).map_err(|finding| vec![finding])?;
        let tree = if self.is_fitted { tree.fitted() } else { tree.clone() };
        let surroundings = Surroundings {
            communication: &self.communication,
            processors: &self.processors,
            buffers: &self.buffers,
            one_port: self.one_port,
        };
        System::compose(tree, graph, &surroundings)
    }
}

/// Buffers that only a model can have.
#[cfg_attr(debug_assertions, inline)]
fn unequal(tree: &Tree, task: StageId) -> Diagnostic<StageId> {
    let message =
        format!("the buffers before the replicas of `{}` have different capacities", tree.name(task));
    Diagnostic::new(Code::BadBuffer, task, message).help(
        "a program that runs has one capacity for all of them: say it with `buffer_before`, not link by link",
    )
}

impl<S: Skeleton> Modelled for Program<S> {
    fn build(&self) -> Result<Model, BuildErrors> {
        Ok(self.lower()?.into_model())
    }
}

/// Findings as errors, each with its place in words.
pub(super) fn build_errors(
    findings: Vec<Diagnostic<StageId>>,
    path: impl Fn(StageId) -> String,
) -> BuildErrors {
    let error = |finding: Diagnostic<StageId>| {
        let path = path(finding.span);
        let place = if path.is_empty() { path } else { format!("{path}: ") };
        let message = format!("{place}{}", finding.message);
        BuildError { code: finding.code, message, help: finding.help.unwrap_or_default() }
    };
    BuildErrors(findings.into_iter().map(error).collect())
}
