//! Tries the iterative methods in turn, until one gives an answer whose estimated error is within the
//! tolerance.

mod again;
mod arrangement;
mod components;
mod error;
mod flow;
mod likely;
mod otherwise;
mod product_form;
mod sums;
mod sweeps;
mod truncation;
mod turns;
mod uneven;

use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::MethodUsed;
use crate::linear::bicgstab;
use crate::linear::bicgstab::BiCgStab;
use crate::linear::elimination::worth;
use crate::linear::gauss_seidel::GaussSeidel;
use crate::linear::gmres::Gmres;
use crate::linear::iteration::{IterativeMethod, SMALL};
use crate::linear::krylov::{Preconditioning, Width};
use crate::linear::multilevel::Cycles;
use crate::linear::power::Power;
use crate::operator::{RateOperator, TriangularSweep};
use crate::order::{Direction, Order};
use crate::space::StateSpace;
use crate::steady::decomposition::Decomposition;
use crate::steady::former::{Former, Way};
use crate::steady::{Certified, Method, Options};
use sweeps::Shape;
use turns::Turns;
pub(crate) use turns::{Outcome, Tried};

/// From this number of states on, reading and writing vectors takes a notable share of the time.
const MANY_STATES: usize = 1 << 16;

/// The most iterations for sums alone: where these do not suffice, other methods take less time.
const MOST_FOR_SUMS: u64 = 1000;

/// The iterations for sums that are worth trying even where elimination is cheap: a tandem queue of 8,000
/// states takes 60.
const LEAST_FOR_SUMS: u64 = 100;

/// From this number of states on, a first method that is slow ends early, and others are tried before it is.
pub(crate) const PROBED: usize = 5000;

/// The direction in which probability flows, if the chain is large, has one, and the method is chosen by what
/// it is like. It is looked for by so many threads.
pub(crate) fn direction(
    given: &Given<'_>,
    (chain, threads): (&dyn RateOperator, usize),
    options: &Options,
) -> Option<Direction> {
    direction_of(given, chain.states(), options, || Direction::of(chain, threads))
}

/// The same for so many states, where a function tells the direction. That of a chain with nearly the same
/// rates is taken as it is.
pub(crate) fn direction_of(
    given: &Given<'_>,
    states: usize,
    options: &Options,
    find: impl FnOnce() -> Option<Direction>,
) -> Option<Direction> {
    if !is_direction_asked(states, options) {
        return None;
    }
    let known = given.former.and_then(|(former, is_near)| former.traits.direction.filter(|_| is_near));
    known.unwrap_or_else(|| find().filter(flow::is_directed))
}

/// Whether the method is chosen by the direction of so many states.
pub(crate) fn is_direction_asked(states: usize, options: &Options) -> bool {
    options.method == Method::Automatic && states >= PROBED
}

/// Whether a first method that is slow ends early.
pub(crate) fn is_probed(chain: &dyn RateOperator, given: &Given<'_>, options: &Options) -> bool {
    options.method == Method::Automatic && given.asked.is_some() && chain.states() >= PROBED
}

/// Whether a chain is eliminated in less time than iterations are likely to take, where elimination is worth
/// so many of them. Where the order of the states is not that of the flow, another order and sweeps come
/// before any iteration.
pub(crate) fn is_eliminated_first(given: &Given<'_>, worth: u64) -> bool {
    let is_far_from_iterations = given.direction.is_some_and(|direction| !flow::is_followed(&direction));
    worth < if is_far_from_iterations { worth::QUICK_UNSORTED } else { worth::LEAST_TRIAL }
}

/// The methods to try, in this order.
fn methods(choice: Method, width: Width) -> Vec<Box<dyn IterativeMethod>> {
    let (forward, ilu) = (Preconditioning::Forward, Preconditioning::Ilu0);
    match choice {
        Method::Direct => Vec::new(),
        Method::BiCgStab => vec![Box::new(BiCgStab(forward, width))],
        Method::BiCgStabIlu => vec![Box::new(BiCgStab(ilu, width))],
        Method::BiCgStabDilu => vec![Box::new(BiCgStab(Preconditioning::Dilu, width))],
        Method::Gmres => vec![Box::new(Gmres { with_factors: false, width })],
        Method::GmresIlu => vec![Box::new(Gmres { with_factors: true, width })],
        Method::Multilevel => vec![Box::new(Cycles)],
        Method::GaussSeidel => vec![Box::new(GaussSeidel)],
        Method::Power => vec![Box::new(Power)],
        Method::Automatic => vec![
            Box::new(BiCgStab(forward, width)),
            Box::new(BiCgStab(ilu, width)),
            Box::new(Gmres { with_factors: true, width }),
            Box::new(Cycles),
            Box::new(GaussSeidel),
            Box::new(Power),
        ],
    }
}

/// An answer of an iterative method.
pub(crate) struct Answer {
    pub(crate) pi: Vec<f64>,
    pub(crate) method: MethodUsed,
    pub(crate) iterations: u64,
    /// The worst relative error of what is certified.
    pub(crate) error: f64,
    pub(crate) certified: Certified,
    /// The defect that belongs to that.
    pub(crate) defect: f64,
    /// The largest negative value that was set to zero.
    pub(crate) clipped: f64,
    /// What is left for the solution of a chain nearby.
    pub(crate) way: Way,
}

/// What is given with a chain.
#[derive(Clone, Copy, Default)]
pub(crate) struct Given<'t> {
    /// Probabilities to start from.
    pub(crate) start: Option<&'t [f64]>,
    /// The space whose chain it is, state by state: what may be asked of it.
    pub(crate) asked: Option<&'t StateSpace>,
    /// The direction in which probability flows, if there is [one](direction).
    pub(crate) direction: Option<Direction>,
    /// The order of the chain's states, if it is not that of the space.
    pub(crate) order: Option<&'t Order>,
    /// What the solution left that belongs to the start, and whether all rates are near those for which its
    /// amplification was estimated.
    pub(crate) former: Option<(&'t Former, bool)>,
}

/// A chain to solve, and what there is for it.
pub(crate) struct Problem<'t> {
    pub(crate) chain: &'t dyn TriangularSweep,
    pub(crate) given: Given<'t>,
    /// What is left beside the chain.
    pub(crate) budget: MemoryBudget,
    pub(crate) limits: &'t Limits,
    pub(crate) options: &'t Options,
    /// Where elimination is known to be cheap: the number of iterations after which elimination is used
    /// instead.
    pub(crate) trial: Option<u64>,
}

impl Problem<'_> {
    /// Tries what suits the chain until there is an answer within the tolerance. What was tried before it is
    /// added to `tried`.
    pub(crate) fn iterate(&self, watch: &mut Watch<'_>, tried: &mut Tried) -> Result<Outcome, Error> {
        if let Some(answer) = self.sums_again(tried, watch)? {
            return Ok(Outcome::Answer(answer));
        }
        let was_in_one_part = self.was_in_one_part();
        let mut decomposition = match was_in_one_part {
            true => Decomposition::default(),
            false => self.decomposition(watch)?,
        };
        let width = self.width(&decomposition);
        if self.is_probed()
            && let Some(outcome) = self.by_product_form((&decomposition, width), tried, watch)?
        {
            return Ok(outcome);
        }
        if let Some(answer) = self.again(&decomposition, width, tried, watch)? {
            return Ok(Outcome::Answer(answer));
        }
        if was_in_one_part {
            decomposition = self.decomposition(watch)?;
        }
        self.anew((&decomposition, width), tried, watch)
    }

    /// Tries what suits a chain that is like none before.
    fn anew(
        &self,
        means: (&Decomposition, Width),
        tried: &mut Tried,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        let mut pi = self.chain.start();
        let mut task = Turns::new(means, self.most_of_each(), &mut pi, tried);
        if self.is_probed() {
            task.probe = Some(SMALL);
            if let Some(direction) = self.given.direction
                && let Some(outcome) = self.by_direction(&direction, &mut task, watch)?
            {
                return Ok(outcome);
            }
        }
        self.by_shape(&mut task, watch)
    }

    /// Tries what suits a chain whose probability flows in a direction; `None` where the order of the flow is
    /// of no use.
    fn by_direction(
        &self,
        direction: &Direction,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Outcome>, Error> {
        if let Outcome::Answer(answer) = self.before_flow(direction, task, watch)? {
            return Ok(Some(Outcome::Answer(answer)));
        }
        if self.is_elimination_overdue(task) {
            return Ok(Some(Outcome::Slow));
        }
        let outcome = self.along_flow(direction, task, watch)?;
        if !matches!(outcome, Some(Outcome::Failed)) || self.trial.is_some() {
            return Ok(outcome);
        }
        // Where elimination is within reach, it takes less time than methods that are not made for such
        // chains.
        task.probe = None;
        let outcome = match self.is_eliminated_in_best_order(watch)? {
            true => Outcome::Slow,
            false => self.by_what_is_left(self.methods(task.width), task, watch)?,
        };
        Ok(Some(outcome))
    }

    /// Tries what suits a chain by what a few sweeps tell of it, if it is probed, and then one method after
    /// the other.
    fn by_shape(&self, task: &mut Turns<'_>, watch: &mut Watch<'_>) -> Result<Outcome, Error> {
        let mut methods = self.methods(task.width);
        let is_in_parts = task.probe.is_some() && task.are_in_parts();
        let shape = match task.probe.is_some() && !is_in_parts {
            true => self.shape_by_sweeps(task, watch)?,
            false => Shape::Other,
        };
        if shape == Shape::Lattice
            && let Some(answer) = self.sums_by_truncation(task, watch)?
        {
            return Ok(Outcome::Answer(answer));
        }
        let mut outcome = match shape {
            _ if is_in_parts => match self.sums_in_blocks(None, task, watch)? {
                Some(answer) => Outcome::Answer(answer),
                None => self.by_factors(task, watch)?,
            },
            Shape::Lattice => Outcome::Slow,
            Shape::Uneven => match self.sums_where_few_are_likely(task, watch)? {
                Some(answer) => Outcome::Answer(answer),
                None => {
                    // BiCGSTAB is tried there.
                    methods.next();
                    self.until_some_are_left(task, watch)?
                }
            },
            Shape::Other => self.in_turn(methods.by_ref().take(1), task, watch)?,
        };
        if self.options.method == Method::Automatic && !outcome.is_answer() {
            outcome = self.otherwise(outcome, shape, task, watch)?;
        }
        match outcome {
            Outcome::Failed => self.by_what_is_left(methods, task, watch),
            outcome => Ok(outcome),
        }
    }

    /// Tries sums with blocks that are eliminated, the methods that are left, and sums once more where one of
    /// these has solved the equations and leaves some probability uncertain.
    fn by_what_is_left(
        &self,
        methods: impl Iterator<Item = Box<dyn IterativeMethod>>,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        if let Some(answer) = self.sums_in_blocks(None, task, watch)? {
            return Ok(Outcome::Answer(answer));
        }
        let outcome = self.in_turn(methods, task, watch)?;
        let Outcome::Uncertain = outcome else { return Ok(outcome) };
        Ok(self.sums_from_estimate(task, watch)?.answer().map_or(outcome, Outcome::Answer))
    }

    /// Whether a first method that is slow ends early.
    fn is_probed(&self) -> bool {
        is_probed(self.chain, &self.given, self.options)
    }

    /// The methods to try: the first alone, where elimination is cheap.
    fn methods(&self, width: Width) -> impl Iterator<Item = Box<dyn IterativeMethod>> + use<> {
        let count = if self.trial.is_some() { 1 } else { usize::MAX };
        methods(self.options.method, width).into_iter().take(count)
    }

    /// Whether elimination takes less time than all iterations of a method, in whatever order.
    fn is_eliminated_soon(&self) -> bool {
        self.trial.is_some_and(|worth| worth < worth::QUICK)
    }

    /// Whether elimination is within reach, and what was tried took as long as it would have.
    fn is_elimination_overdue(&self, task: &Turns<'_>) -> bool {
        self.trial.is_some_and(|worth| task.tried.is_as_long_as(worth))
    }

    /// The chain's nearly decomposable parts.
    fn decomposition(&self, watch: &mut Watch<'_>) -> Result<Decomposition, Error> {
        Decomposition::find(self.chain, self.budget.left(), watch).map_err(|halt| self.preparing(halt))
    }

    /// The most iterations of each method: no more than elimination is worth, where that is cheap.
    fn most_of_each(&self) -> u64 {
        let most = self.limits.iterations;
        self.trial.map_or(most, |worth| most.min(worth))
    }

    /// The most iterations where a method is likely to have an answer before elimination would: twice as many
    /// as that is worth, if it is within reach.
    fn most_before_elimination(&self) -> u64 {
        let most = self.limits.iterations;
        self.trial.map_or(most, |worth| most.min(2 * worth))
    }

    /// The type in which vectors are stored: `f32` where `f64` would not fit.
    fn width(&self, decomposition: &Decomposition) -> Width {
        let states = self.chain.states() as u64;
        let bytes = decomposition.memory() + 9 * states + bicgstab::memory(states, Width::Double);
        if bytes <= self.budget.left() { Width::Double } else { Width::Single }
    }
}
