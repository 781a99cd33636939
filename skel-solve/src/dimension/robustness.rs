//! What the answer rests on: the same question with times of less variation, and with each mean time a tenth
//! longer.
//!
//! **Constant times.** Let the stages be tasks, farms and deals of tasks with `n_i` replicas and constant
//! times `T_i`, and let moves take no time. Items keep their order, as the replicas of a stage take equally
//! long. Let item `k` begin in stage `i` at `s_i(k)`. It has come through the stage before, and the replica
//! that it takes is free once item `k - n_i` has left:
//!
//! ```text
//! s_i(k) = max(s_{i-1}(k) + T_{i-1}, s_{i+1}(k - n_i))
//! ```
//!
//! A system of this kind has the throughput 1 over its largest cycle mean (F. Baccelli, G. Cohen, G. J.
//! Olsder and J.-P. Quadrat, *Synchronization and Linearity*, 1992, chapter 3). Stages follow one another in
//! a line, so a cycle that meets no stage twice goes from a stage to the next and back: time `T_i`, and `n_i`
//! items. So the throughput is the least `n_i / T_i`, no buffer would raise it, and by the utilisation law no
//! program with these means and numbers of replicas is faster.
//!
//! **Erlang-4 times** vary less than exponential and more than constant ones, so their answer is expected
//! between the two others. That is not proved, and a few programs with farms are known in which less
//! variation lowers the throughput by some percent.

use skel_core::number::{Number, Ratio, ratio};
use skel_core::skeleton::{Stage, StageId};
use skel_core::time::{Distribution, ServiceTime};

use super::answer::{Configuration, Known, Longer, Needs, Proof, Robustness, Times, Variation};
use super::chains::{Chains, Figures};
use super::line::Line;
use super::problem::Problem;
use super::response::least_time;
use super::search::{Found, ROUNDING, Search, whole};
use super::services::least_quantile;
use super::target::{Exact, Within};

/// The phases of the Erlang times that are tried.
const PHASES: u32 = 4;

/// With more states the question is not answered for Erlang times.
const MOST_STATES_IN_PHASES: f64 = 4_000.0;

/// The most chains that are solved to find out what a program needs for which bounds alone do not prove much.
const MOST_WITHOUT_WINDOWS: usize = 60;

/// The same question with other times.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn robustness(
    problem: &Problem,
    chains: &mut Chains,
    (target, at_most): (&Exact, u64),
    (best, proof): (&Configuration, Option<Proof>),
) -> Robustness {
    let answered = Answered { problem, target, at_most, best, proof };
    let variation = match target {
        Exact::Throughput(target) => answered.variation(target, chains),
        Exact::ResponseTime(_) => Vec::new(),
    };
    let longer = problem.tasks.iter().map(|task| answered.longer(task.stage, &task.name, chains)).collect();
    Robustness { variation, longer }
}

/// A question that has its answer.
struct Answered<'a> {
    problem: &'a Problem,
    target: &'a Exact,
    at_most: u64,
    best: &'a Configuration,
    proof: Option<Proof>,
}

impl Answered<'_> {
    /// Constant, Erlang-4 and exponential times, and where they are others the times as they are written.
    #[cfg_attr(debug_assertions, inline)]
    fn variation(&self, target: &Ratio, chains: &mut Chains) -> Vec<Variation> {
        let constant = self.constant(target);
        let exponential =
            self.with_times(&ServiceTime::as_exponential, ServiceTime::is_exponential, target, chains);
        let is_erlang = |time: &ServiceTime| matches!(time.distribution(), Distribution::Erlang { phases, .. } if *phases == PHASES);
        let is_small = self.states_in_phases() <= MOST_STATES_IN_PHASES;
        let erlang = match is_small || self.are_all(is_erlang) {
            true => self.with_times(&|time| time.as_erlang(PHASES), is_erlang, target, chains),
            false => {
                let most =
                    if let Needs::Configuration(most, _) = &exponential { Some(most.cost) } else { None };
                Needs::Between(self.problem.cost(&self.problem.least(target)), most)
            }
        };
        let is_other = !self.are_all(ServiceTime::is_exponential) && !self.are_all(is_erlang);
        let written = Needs::Configuration(self.best.clone(), self.proof.is_some());
        let mut rows = vec![
            (Times::Constant, constant),
            (Times::Erlang(PHASES), erlang),
            (Times::Exponential, exponential),
        ];
        rows.extend(is_other.then_some((Times::AsWritten, written)));
        rows.into_iter().map(|(times, needs)| Variation { times, needs }).collect()
    }

    #[cfg_attr(debug_assertions, inline)]
    fn are_all(&self, kind: fn(&ServiceTime) -> bool) -> bool {
        let mut tasks = self.problem.tasks.iter().filter_map(|task| self.problem.tree().time(task.stage));
        tasks.all(kind)
    }

    /// What times of another kind need: the answer itself, if they are of that kind.
    #[cfg_attr(debug_assertions, inline)]
    fn with_times(
        &self,
        change: &dyn Fn(&ServiceTime) -> ServiceTime,
        kind: fn(&ServiceTime) -> bool,
        target: &Ratio,
        chains: &mut Chains,
    ) -> Needs {
        if self.are_all(kind) {
            return Needs::Configuration(self.best.clone(), self.proof.is_some());
        }
        let problem = self.problem.with_tree(self.problem.tree().with_times(&|_, time| change(time)));
        let least = problem.least(target);
        self.found(&problem, chains, |search| search.cheapest(search.problem.cost(&least)))
    }

    /// An upper bound on the states with Erlang times, or more than are solved.
    #[cfg_attr(debug_assertions, inline)]
    fn states_in_phases(&self) -> f64 {
        if self.proof != Some(Proof::Bounds) {
            return f64::INFINITY;
        }
        let problem = self.problem;
        let states = problem.tasks.iter().map(|task| {
            // So many equal replicas, each in one of the phases, waiting to receive or waiting to send.
            let replicas = problem.replicas_of(task, &self.best.replicas) as u32;
            (1..=PHASES + 1).map(|k| f64::from(replicas + k) / f64::from(k)).product::<f64>()
        });
        states.product()
    }

    /// What constant times need. In a nest of replicas this is a lower bound.
    #[cfg_attr(debug_assertions, inline)]
    fn constant(&self, target: &Ratio) -> Needs {
        let problem = self.problem;
        let replicas = problem.least(target);
        let (cost, throughput) = (problem.cost(&replicas), problem.capacity(&replicas).1);
        match problem.is_flat() && !self.passes_on_early() {
            true => Needs::Closed { replicas, cost, throughput },
            false => Needs::Between(cost, None),
        }
    }

    /// Whether a fault-tolerant stage passes on early. Its bound lets the workers take turns, which constant
    /// times do not.
    #[cfg_attr(debug_assertions, inline)]
    fn passes_on_early(&self) -> bool {
        let mut stages = self.problem.tree().stages().iter();
        stages.any(|stage| matches!(stage, Stage::Team(team) if team.replies() < team.workers))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn longer(&self, stage: StageId, name: &str, chains: &mut Chains) -> Longer {
        let problem =
            self.problem.with_tree(self.problem.tree().with_times(&|task, time| match task == stage {
                true => time.longer_by(&ratio(11, 10)),
                false => time.clone(),
            }));
        let not_solved = |why| (Known::NotSolved(self.bound(&problem), why), None);
        let line = Line::of(&problem, problem.cost(&self.best.replicas) as usize);
        let (figure, needs) = match whole(&problem, line.as_ref(), chains, &self.best.replicas) {
            Ok(Ok(figures)) if self.is_kept(&figures) => (Known::Solved(self.figure(&figures)), None),
            Ok(Ok(figures)) => (Known::Solved(self.figure(&figures)), Some(self.needs(&problem, chains))),
            Ok(Err(why)) => not_solved(why),
            Err(stop) => not_solved(stop.to_string()),
        };
        Longer { stage, name: name.to_owned(), figure, needs }
    }

    /// What the stages alone allow.
    #[cfg_attr(debug_assertions, inline)]
    fn bound(&self, problem: &Problem) -> f64 {
        match self.target {
            Exact::Throughput(_) => problem.capacity(&self.best.replicas).1,
            Exact::ResponseTime(Within { part: Some(part), .. }) => least_quantile(problem.tree(), *part),
            Exact::ResponseTime(_) => least_time(problem, problem.tree().root()).0,
        }
    }

    fn figure(&self, figures: &Figures) -> f64 {
        match self.target {
            Exact::Throughput(_) => figures.throughput,
            Exact::ResponseTime(_) => figures.time(),
        }
    }

    fn is_kept(&self, figures: &Figures) -> bool {
        match self.target {
            Exact::Throughput(target) => figures.throughput >= target.to_float() * (1.0 - ROUNDING),
            Exact::ResponseTime(within) => figures.time() <= within.time.to_float() * (1.0 + ROUNDING),
        }
    }

    /// What keeps the target in a program whose times are longer.
    #[cfg_attr(debug_assertions, inline)]
    fn needs(&self, problem: &Problem, chains: &mut Chains) -> Needs {
        self.found(problem, chains, |search| match self.target {
            Exact::Throughput(target) => {
                // A longer time never raises the throughput where bounds are proved, so nothing cheaper has
                // become enough.
                let cheapest = if self.proof == Some(Proof::Bounds) { self.best.cost } else { 0 };
                search.cheapest(problem.cost(&problem.least(target)).max(cheapest))
            }
            Exact::ResponseTime(within) => {
                let from = problem.cost(&search.least);
                search.cheapest_within(within.time.to_float(), from)
            }
        })
    }

    /// What a search of another program finds, with fewer solutions where bounds alone do not prove much.
    #[cfg_attr(debug_assertions, inline)]
    fn found(
        &self,
        problem: &Problem,
        chains: &mut Chains,
        search: impl FnOnce(&mut Search<'_>) -> Found,
    ) -> Needs {
        let before = chains.most_solved;
        if self.proof != Some(Proof::Bounds) {
            chains.most_solved = before.min(chains.whole + MOST_WITHOUT_WINDOWS);
        }
        let (floor, least) = match self.target {
            Exact::Throughput(target) => (target.to_float(), problem.least(target)),
            Exact::ResponseTime(_) => (0.0, vec![1; self.best.replicas.len()]),
        };
        let found = search(&mut Search::new(problem, chains, (floor, least, self.at_most)));
        chains.most_solved = before;
        match (found.level.best.filter(|_| found.level.keeps), found.open) {
            (Some(best), open) => Needs::Configuration(best, open.is_none()),
            (None, Some(stop)) => Needs::NotKnown(stop.to_string()),
            (None, None) => Needs::Nothing,
        }
    }
}
