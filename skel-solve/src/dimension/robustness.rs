//! What the answer rests on: the same question with times of less variation, and with each mean time a tenth longer.
//!
//! **Constant times.** Let the stages be tasks, farms and deals of tasks with `n_i` replicas and constant times `T_i`, and let moves take no time.
//! Items keep their order, as the replicas of a stage take equally long. Let item `k` begin in stage `i` at `s_i(k)`. It has
//! come through the stage before, and the replica that it takes is free once item `k - n_i` has left:
//!
//! ```text
//! s_i(k) = max(s_{i-1}(k) + T_{i-1}, s_{i+1}(k - n_i))
//! ```
//!
//! A system of this kind has the throughput 1 over its largest cycle mean (F. Baccelli, G. Cohen, G. J. Olsder and J.-P. Quadrat,
//! *Synchronization and Linearity*, 1992, chapter 3). Stages follow one another in a line, so a cycle that meets no stage twice goes from a
//! stage to the next and back: time `T_i`, and `n_i` items. So the throughput is the least `n_i / T_i`, no buffer would
//! raise it, and by the utilisation law no program with these means and numbers of replicas is faster.
//!
//! **Erlang-4 times** vary less than exponential and more than constant ones. That less variation never lowers the throughput of
//! such a program was found and is not proved.

use skel_core::number::{Number, Ratio, ratio};
use skel_core::skeleton::StageId;

use super::answer::{Configuration, Known, Proof};
use super::chains::Chains;
use super::problem::Problem;
use super::search::{ROUNDING, Search};

/// The same question with other times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robustness {
    /// With times of the same means and another variation.
    pub variation: Vec<Variation>,
    /// With the mean time of one stage a tenth longer, for each stage.
    pub longer: Vec<Longer>,
}

/// How the time of a task varies from item to item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Times {
    /// Not at all. Moves take no time then.
    Constant,
    /// As the sum of so many exponential times.
    Erlang(u32),
    /// Exponentially.
    Exponential,
}

/// What is needed with other times.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// How they vary.
    pub times: Times,
    /// What keeps the target then.
    pub needs: Needs,
}

/// What keeps a target.
#[derive(Clone, Debug, PartialEq)]
pub enum Needs {
    /// This configuration; whether it is proved to be the cheapest.
    Configuration(Configuration, bool),
    /// A configuration that costs at least so much, and at most so much if that is known.
    Between(u64, Option<u64>),
    /// Nothing that is allowed.
    Nothing,
    /// This was not found out, for the reason that is given.
    NotKnown(String),
}

/// What happens where one stage takes longer than it is said to.
#[derive(Clone, Debug, PartialEq)]
pub struct Longer {
    /// The task in the skeleton that was asked about.
    pub stage: StageId,
    /// Its name.
    pub name: String,
    /// The throughput of the best configuration then.
    pub throughput: Known,
    /// What keeps the target then; none where the best configuration still does.
    pub needs: Option<Needs>,
}

/// The most chains that are solved to find out what a program needs for which bounds alone do not prove much.
const MOST_WITHOUT_WINDOWS: usize = 60;

impl Robustness {
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn of(
        problem: &Problem,
        chains: &mut Chains,
        (target, at_most): (&Ratio, u64),
        best: (&Configuration, Option<Proof>),
    ) -> Robustness {
        let asked = Asked { problem, target, at_most, best };
        let constant = asked.constant();
        let exponential = Needs::Configuration(best.0.clone(), best.1.is_some());
        let between = match &constant {
            Needs::Configuration(least, _) => Needs::Between(least.cost, Some(best.0.cost)),
            Needs::Between(least, _) => Needs::Between(*least, Some(best.0.cost)),
            other => other.clone(),
        };
        let rows = [(Times::Constant, constant), (Times::Erlang(4), between), (Times::Exponential, exponential)];
        let variation = rows.map(|(times, needs)| Variation { times, needs }).into();
        let longer = problem.tasks.iter().map(|task| asked.longer(task.stage, &task.name, chains)).collect();
        Robustness { variation, longer }
    }
}

/// A question that has its answer.
struct Asked<'a> {
    problem: &'a Problem,
    target: &'a Ratio,
    at_most: u64,
    best: (&'a Configuration, Option<Proof>),
}

impl Asked<'_> {
    /// What constant times need. In a nest of replicas this is a lower bound.
    #[cfg_attr(debug_assertions, inline)]
    fn constant(&self) -> Needs {
        let replicas = self.problem.least(self.target);
        let (cost, throughput) = (self.problem.cost(&replicas), self.problem.capacity(&replicas).1);
        match self.problem.is_flat() {
            true => Needs::Configuration(Configuration { replicas, cost, throughput }, true),
            false => Needs::Between(cost, None),
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn longer(&self, stage: StageId, name: &str, chains: &mut Chains) -> Longer {
        let problem = self.problem.with_tree(self.problem.tree().with_time_of(stage, &ratio(11, 10)));
        let bound = problem.capacity(&self.best.0.replicas).1;
        let throughput = match chains.whole(&problem.with(&self.best.0.replicas)) {
            Ok(Ok(throughput)) => Known::Solved(throughput),
            Ok(Err(why)) => Known::NotSolved(bound, why),
            Err(stop) => Known::NotSolved(bound, stop.to_string()),
        };
        let needs = match throughput {
            Known::Solved(solved) if !self.is_kept(solved) => Some(self.needs(&problem, chains)),
            _ => None,
        };
        Longer { stage, name: name.to_owned(), throughput, needs }
    }

    fn is_kept(&self, throughput: f64) -> bool {
        throughput >= self.target.to_float() * (1.0 - ROUNDING)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn needs(&self, problem: &Problem, chains: &mut Chains) -> Needs {
        let least = problem.least(self.target);
        let mut from = problem.cost(&least);
        let target = (self.target.to_float(), least, self.at_most);
        let before = chains.most_solved;
        let mut search = Search::new(problem, chains, target);
        match self.best.1 {
            // A longer time never raises the throughput here, so nothing cheaper has become enough.
            Some(Proof::Bounds) => from = from.max(self.best.0.cost),
            _ => search.chains.most_solved = before.min(search.chains.whole + MOST_WITHOUT_WINDOWS),
        }
        let found = search.cheapest(from);
        chains.most_solved = before;
        let is_kept = found.keeps(self.target.to_float());
        match (found.level.best, found.open) {
            (Some(best), open) if is_kept => Needs::Configuration(best, open.is_none()),
            (_, Some(stop)) => Needs::NotKnown(stop.to_string()),
            (_, None) => Needs::Nothing,
        }
    }
}
