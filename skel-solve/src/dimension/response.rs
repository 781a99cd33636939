//! The search for a response time: its mean, or a quantile of it.
//!
//! It has two lower bounds on the response time. An item takes at least the mean time of each stage that it
//! goes through. In a pipe whose first stage has `n` replicas, these always have an item each, so by Little's
//! law the mean response time is at least `n / X` and the times of the other stages, where the throughput `X`
//! is at most what the slowest stage allows alone. One more replica may make the response time longer: a
//! replica of the first stage is one more item that waits. So each configuration that these bounds do not
//! rule out is solved.
//!
//! The time within which a part of the items is through is a quantile. Of every item, the service in each
//! stage is drawn anew, whatever happened before, and it waits besides. So its response time is
//! stochastically larger than the sum of one service in each stage, and the quantile of that sum is a lower
//! bound, the same for all configurations. Nothing is known of how a replica more changes a quantile, so all
//! configurations are solved, from the cheapest on, until one keeps the target.

use skel_core::number::Number;
use skel_core::skeleton::{Stage, StageId};

use super::answer::{Alternative, Configuration, Known, Stop};
use super::problem::Problem;
use super::search::{Found, Level, ROUNDING, Search, whole};

impl Search<'_> {
    /// The cheapest configuration with at most this mean response time.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn cheapest_within(&mut self, time: f64, from: u64) -> Found {
        let quickest = |search: &mut Self, cost, time| match search.listed(cost, false) {
            Ok(listed) => search.quickest_of(listed, time),
            Err(stop) => Level { stopped: Some(stop), ..Level::default() },
        };
        self.first_level(from, quickest, time * (1.0 + ROUNDING))
    }

    /// The quickest of some configurations, and the others that may be within a time.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn quickest_of(&mut self, configurations: Vec<Vec<u32>>, time: f64) -> Level {
        let bounded = configurations.into_iter().map(|replicas| (self.least_time(&replicas), replicas));
        let mut candidates: Vec<(f64, Vec<u32>)> = bounded.filter(|(bound, _)| *bound <= time).collect();
        candidates.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut level = Level::default();
        let mut candidates = candidates.into_iter().peekable();
        while let Some((bound, replicas)) = candidates.next_if(|(bound, _)| !level.is_quicker_than(*bound)) {
            match whole(self.problem, self.line.as_ref(), self.chains, &replicas) {
                Ok(Ok(figures)) => {
                    let new = self.configuration(replicas, figures);
                    let is_better = level.best.as_ref().is_none_or(|best| new.time() < best.time());
                    let other = if is_better { level.best.replace(new) } else { Some(new) };
                    let other = other.filter(|other| other.time() <= time);
                    level.others.extend(other.map(|other| (other.time(), other).into()));
                }
                Ok(Err(why)) => {
                    level.not_solved = Some(why.clone());
                    level.others.push(self.alternative(replicas, Known::NotSolved(bound, why)));
                }
                Err(stop) => {
                    level.others.push(self.alternative(replicas, Known::Bound(bound)));
                    level.stopped = Some(stop);
                    break;
                }
            }
        }
        let left = candidates.map(|(bound, replicas)| self.alternative(replicas, Known::Bound(bound)));
        level.others.extend(left);
        level.keeps = level.best.as_ref().is_some_and(|best| best.time() <= time);
        level
    }

    /// A lower bound on the mean response time, or on the time within which a part of the items is through.
    #[cfg_attr(debug_assertions, inline)]
    fn least_time(&self, replicas: &[u32]) -> f64 {
        let problem = self.problem;
        if let Some(time) = self.least_quantile {
            return time;
        }
        let times = least_time(problem, problem.tree().root()).0;
        match self.line.as_ref().and_then(|line| line.first(problem, replicas)) {
            None => times,
            Some((rate, count)) => {
                let waiting = f64::from(count) / problem.capacity(replicas).1 - 1.0 / rate;
                times + waiting.max(0.0)
            }
        }
    }

    /// The best of the configurations that are a little cheaper.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn next_slower(&mut self, chosen: &Configuration) -> Option<Configuration> {
        let listed = self.listed(chosen.cost.saturating_sub(1), false);
        let cheaper = match listed {
            Ok(listed) if !listed.is_empty() => listed,
            Ok(_) => chosen.with_one_fewer(),
            Err(Stop::Configurations(_)) => chosen.with_one_fewer(),
            Err(_) => return None,
        };
        self.quickest_of(cheaper, f64::INFINITY).best
    }
}

/// The mean time that an item spends at least in a node, and the stage there that takes longest.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn least_time(problem: &Problem, id: StageId) -> (f64, StageId) {
    match problem.tree().stage(id) {
        Stage::Task(_) => {
            let task = problem.tasks.iter().find(|task| task.stage == id).expect("each task is listed");
            (1.0 / task.rate.to_float(), id)
        }
        // A worker's own time bounds that of all. Where the majority decide early, the quickest may take as
        // little as they like.
        Stage::Team(team) => match team.replies() == team.workers {
            true => (team.worker.time.mean().to_float(), id),
            false => (0.0, id),
        },
        Stage::Replicated { worker, .. } => least_time(problem, *worker),
        Stage::Pipe(stages) => {
            let times: Vec<(f64, StageId)> = stages.iter().map(|&stage| least_time(problem, stage)).collect();
            let longest =
                times.iter().copied().reduce(|one, other| if other.0 > one.0 { other } else { one });
            let (_, longest) = longest.expect("a pipe has a stage");
            (times.iter().map(|(time, _)| time).sum(), longest)
        }
    }
}

impl Level {
    fn is_quicker_than(&self, bound: f64) -> bool {
        self.best.as_ref().is_some_and(|best| best.time() <= bound)
    }
}

impl From<(f64, Configuration)> for Alternative {
    fn from((figure, solved): (f64, Configuration)) -> Alternative {
        let Configuration { replicas, cost, .. } = solved;
        Alternative { replicas, cost, figure: Known::Solved(figure) }
    }
}
