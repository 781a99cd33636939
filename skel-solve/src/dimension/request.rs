//! Asking for numbers of replicas.

use std::sync::Arc;

use skel_core::diagnostic::Code;
use skel_core::model::{BuildError, BuildErrors};
use skel_core::number::Number;
use skel_core::skeleton::{Program, Skeleton, StageId, Tree};

use super::answer::{Asked, Configuration, Dimension, Obstacle, Proof, Robustness, Verdict};
use super::chains::{Chains, Progress, Report};
use super::obstacle;
use super::problem::Problem;
use super::robustness::robustness;
use super::search::{Found, Search};
use super::target::{Exact, Target, Within};
use crate::error::Error;
use crate::limits::Limits;
use crate::steady::Options;

/// Asking how many replicas a program needs, and where.
pub trait Dimensioned {
    /// The skeleton's type.
    type Skeleton: Skeleton;

    /// The cheapest numbers of replicas that keep a target, where each task costs 1. Every farm, every deal
    /// and every task that is not a worker may have any number of replicas; a task becomes a farm.
    ///
    /// The answer says how it is proved, what misses the target, and what longer times and times of another
    /// variation would need.
    ///
    /// # Errors
    /// What is wrong with the target, the skeleton or its rates. A target that cannot be reached and a limit
    /// are no errors but answers.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let stages = pipe!(task("parse", every(4.ms())), task("match", every(12.ms())), task("store", every(3.ms())));
    /// let answer = stages.communicating(Communication::negligible()).dimension(Target::throughput(150.0))?;
    /// let best = answer.best.as_ref().expect("it can be reached");
    /// assert_eq!((best.cost, &best.replicas[..]), (5, &[1, 3, 1][..]));
    /// assert!(answer.is_proved() && best.throughput > 150.0);
    /// # Ok::<(), skel::Error>(())
    /// ```
    fn dimension(&self, target: Target) -> Result<Dimension, Error> {
        self.dimensioning(target).search()
    }

    /// As [`Self::dimension`], with other costs, within a bound, at some places only, or within other limits.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let stages = pipe!(task("parse", 250.0), farm(1, "match", 80.0), task("store", 300.0));
    /// let matching = stages.stage::<1>().id();
    /// let program = stages.communicating(1e4);
    /// let answer = program.dimensioning(Target::throughput(150.0)).only([matching]).cost(matching, 2).at_most(8).search()?;
    /// assert_eq!(answer.replicas_at(matching), Some(3));
    /// assert_eq!(answer.best.expect("it can be reached").cost, 1 + 3 * 2 + 1);
    /// # Ok::<(), skel::Error>(())
    /// ```
    fn dimensioning(&self, target: Target) -> Dimensioning<'_, Self::Skeleton>;
}

impl<S: Skeleton> Dimensioned for Program<S> {
    type Skeleton = S;

    fn dimensioning(&self, target: Target) -> Dimensioning<'_, S> {
        Dimensioning { program: self, question: Question::new(target) }
    }
}

/// A question about a program: set what is to be different, then call [`Dimensioning::search`].
#[must_use]
pub struct Dimensioning<'p, S> {
    program: &'p Program<S>,
    question: Question,
}

/// What is asked, whatever the type of the program.
struct Question {
    target: Target,
    at_most: Option<u64>,
    costs: Vec<(StageId, u32)>,
    places: Option<Vec<StageId>>,
    limits: Limits,
    options: Options,
    most_solved: usize,
    report: Option<Report>,
    with_robustness: bool,
}

impl<S: Skeleton> Dimensioning<'_, S> {
    /// Looks for nothing that costs more. Unless this is said, the bound is 10 more than three times what the
    /// stages need alone.
    pub fn at_most(mut self, cost: u64) -> Self {
        self.question.at_most = Some(cost);
        self
    }

    /// What each replica of a stage costs: of a deal or farm, each replica with everything in it; of a task,
    /// each task. A task that nothing is said of costs 1. Costs are whole numbers, so that equal costs are
    /// equal; for fractions choose a smaller unit.
    pub fn cost(mut self, stage: StageId, each: u32) -> Self {
        self.question.costs.push((stage, each));
        self
    }

    /// Only these places may have other numbers of replicas than are written.
    pub fn only(mut self, places: impl IntoIterator<Item = StageId>) -> Self {
        self.question.places = Some(places.into_iter().collect());
        self
    }

    /// Searches within these limits. The time is that of the whole search, the others hold for each chain; a
    /// chain beyond them is left open, and never taken for one that misses the target. Unless this is said, a
    /// chain has at most two million states.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.question.limits = limits.clone();
        self
    }

    /// Solves with these options.
    pub fn options(mut self, options: &Options) -> Self {
        self.question.options = options.clone();
        self
    }

    /// Ends the search after so many chains of whole programs; 1000 unless set.
    pub fn most_solved(mut self, most: usize) -> Self {
        self.question.most_solved = most;
        self
    }

    /// Leaves out what other times would need, which takes about as long as the search itself.
    pub fn without_robustness(mut self) -> Self {
        self.question.with_robustness = false;
        self
    }

    /// Is told before each chain how far the search is.
    pub fn on_progress(mut self, report: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.question.report = Some(Arc::new(report));
        self
    }

    /// Searches.
    ///
    /// # Errors
    /// Everything that is wrong with the question, the skeleton or its rates.
    pub fn search(self) -> Result<Dimension, Error> {
        let tree = self.program.skeleton().tree().map_err(Error::NotBuilt)?;
        self.question.answer(&self.program.with_skeleton(tree))
    }
}

/// The most states of a chain unless it is said.
const MOST_STATES: u64 = 2_000_000;

impl Question {
    #[cfg_attr(debug_assertions, inline)]
    fn new(target: Target) -> Question {
        Question {
            target,
            at_most: None,
            costs: Vec::new(),
            places: None,
            limits: Limits { states: MOST_STATES, ..Limits::default() },
            options: Options::default(),
            most_solved: 1000,
            report: None,
            with_robustness: true,
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn answer(self, program: &Program<Tree>) -> Result<Dimension, Error> {
        let target = self.target.exact();
        let wrong = self.wrong(program);
        let target = match (target, wrong.is_empty()) {
            (Ok(target), true) => target,
            (target, _) => {
                let errors = target.err().into_iter().flat_map(|errors| errors.0).chain(wrong);
                return Err(Error::NotBuilt(BuildErrors(errors.collect())));
            }
        };
        let assumptions = program.lower_with_immediate_moves()?.assumptions();
        let tree = program.skeleton();
        let mut costs = vec![None; tree.stages().len()];
        self.costs.iter().for_each(|(stage, each)| costs[stage.index()] = Some(*each));
        let mut chosen = tree.replicable();
        chosen.retain(|stage| self.places.as_ref().is_none_or(|places| places.contains(stage)));
        let problem = Problem::new(program.clone(), &chosen, costs);
        let (least, asked) = match &target {
            Exact::Throughput(target) => (problem.least(target), Asked::Throughput(target.to_float())),
            Exact::ResponseTime(Within { time, part }) => {
                let time = time.to_float();
                let asked =
                    part.map_or(Asked::ResponseTime(time), |part| Asked::ResponseTimeOf { part, time });
                (vec![1; chosen.len()], asked)
            }
        };
        let needed = problem.cost(&least);
        let at_most = self.at_most.unwrap_or(needed.saturating_mul(3).saturating_add(10));
        let answer = Dimension {
            tree: tree.clone(),
            asked,
            at_most: (at_most, self.at_most.is_some()),
            places: problem.places.clone(),
            verdict: Verdict::Cheapest(Proof::Bounds),
            best: None,
            ties: Vec::new(),
            next_cheaper: None,
            closest: None,
            robustness: Robustness::default(),
            solved: 0,
            windows: 0,
            assumptions,
        };
        Ok(self.searched(&problem, (&target, least), answer))
    }

    /// Everything that is wrong with the question.
    #[cfg_attr(debug_assertions, inline)]
    fn wrong(&self, program: &Program<Tree>) -> Vec<BuildError> {
        let tree = program.skeleton();
        let stages = tree.stages().len();
        let mut wrong = Vec::new();
        let error = |code, message: String, help: &str| BuildError { code, message, help: help.into() };
        for (stage, each) in &self.costs {
            if stage.index() >= stages {
                let message = format!("the skeleton has no stage {}, whose cost is given", stage.0);
                wrong.push(error(
                    Code::OutOfRange,
                    message,
                    "take the number from a handle of this skeleton",
                ));
            } else if *each == 0 {
                let message = format!("a replica of {} costs 0", tree.name(*stage));
                wrong.push(error(
                    Code::QuantityNotPositive,
                    message,
                    "what costs nothing would be added for ever: give at least 1",
                ));
            }
        }
        let replicable = tree.replicable();
        for stage in self.places.iter().flatten().filter(|stage| !replicable.contains(stage)) {
            let name = if stage.index() < stages { tree.name(*stage) } else { format!("stage {}", stage.0) };
            let message = format!("the number of replicas of {name} cannot vary");
            let help = "it can at every deal and farm, and at every task that is not a worker: see `Tree::replicable`";
            wrong.push(error(Code::OutOfRange, message, help));
        }
        if !program.processors().are_one_each() {
            let message =
                "tasks are assigned to processors by number, and a replica more gives them other numbers"
                    .to_owned();
            wrong.push(error(
                Code::BadProcessors,
                message,
                "leave the processors out: each task then has its own",
            ));
        }
        if program.buffer_capacities().names_links() {
            let message =
                "a buffer between two tasks is given by their numbers, and a replica more gives them others"
                    .to_owned();
            wrong.push(error(
                Code::BadBuffer,
                message,
                "give the buffer before a stage, or one capacity for all",
            ));
        }
        wrong
    }

    #[cfg_attr(debug_assertions, inline)]
    fn searched(
        self,
        problem: &Problem,
        (target, least): (&Exact, Vec<u32>),
        mut answer: Dimension,
    ) -> Dimension {
        let at_most = answer.at_most.0;
        let mut chains = Chains::new(self.limits, self.options, self.most_solved, self.report);
        if let Exact::ResponseTime(within) = target {
            chains.part = within.part;
        }
        let needed = problem.cost(&least);
        let floor = if let Asked::Throughput(target) = answer.asked { target } else { 0.0 };
        let mut search = Search::new(problem, &mut chains, (floor, least, at_most));
        let (obstacle, proof) = match target {
            Exact::Throughput(target) => {
                let proof = if search.line.is_some() { Proof::Bounds } else { Proof::Exhaustion };
                (obstacle::before_solving(&mut search, target), proof)
            }
            Exact::ResponseTime(within) => {
                (obstacle::of_time(&search, within.time.to_float()), Proof::Exhaustion)
            }
        };
        match obstacle {
            Some(obstacle) => answer.verdict = Verdict::Unreachable(obstacle),
            None => {
                let found = match answer.asked {
                    Asked::Throughput(_) => search.cheapest(needed),
                    Asked::ResponseTime(time) | Asked::ResponseTimeOf { time, .. } => {
                        search.cheapest_within(time, needed)
                    }
                };
                conclude(&mut search, found, proof, &mut answer);
            }
        }
        drop(search);
        if let (Some(best), true) = (&answer.best, self.with_robustness) {
            let proof = match answer.verdict {
                Verdict::Cheapest(proof) => Some(proof),
                _ => None,
            };
            let system = problem.with(&best.replicas).lower_with_immediate_moves();
            answer.assumptions = system.map_or(answer.assumptions, |system| system.assumptions());
            answer.robustness = robustness(problem, &mut chains, (target, at_most), (best, proof));
        }
        (answer.solved, answer.windows) = (chains.whole, chains.windows);
        answer
    }
}

/// Says what a search found.
#[cfg_attr(debug_assertions, inline)]
fn conclude(search: &mut Search<'_>, found: Found, proof: Proof, answer: &mut Dimension) {
    let Found { level, least_cost, open } = found;
    let best: Option<Configuration> = level.best.filter(|_| level.keeps);
    answer.verdict = match (&best, open) {
        (Some(_), None) => Verdict::Cheapest(proof),
        (Some(_), Some(why)) => Verdict::BestFound { least_cost, why },
        (None, Some(why)) => Verdict::NothingFound { least_cost, why },
        (None, None) => {
            let (closest, obstacle) = closest(search, answer);
            answer.closest = closest;
            Verdict::Unreachable(obstacle)
        }
    };
    if let Some(best) = &best {
        answer.next_cheaper = match answer.asked {
            Asked::Throughput(_) => search.next_cheaper(best),
            Asked::ResponseTime(_) | Asked::ResponseTimeOf { .. } => search.next_slower(best),
        };
        answer.ties = level.others;
    }
    answer.best = best;
}

/// The best that is allowed, where all miss the target.
#[cfg_attr(debug_assertions, inline)]
fn closest(search: &mut Search<'_>, answer: &Dimension) -> (Option<Configuration>, Obstacle) {
    match answer.asked {
        Asked::Throughput(_) => {
            let closest = search.level(answer.at_most.0, 0.0, false).best;
            let obstacle = obstacle::after_all(search, closest.as_ref());
            (closest, obstacle)
        }
        Asked::ResponseTime(_) | Asked::ResponseTimeOf { .. } => (None, obstacle::after_all_times(search)),
    }
}
