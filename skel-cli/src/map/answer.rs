//! The answer of `skel map`, as plain figures.

use std::time::{Duration, Instant};

use skel::limits::Limit;
use skel::plan::{Explanation, Planner, Ranked, Ranking, Resource, SearchResult};
use skel::{Error, Limits};

use super::names::Names;

/// The answer of `skel map`.
pub(super) struct Answer<'a> {
    /// The mappings that are shown, best first.
    pub(super) shown: Vec<Ranked>,
    /// How many mappings were compared or, in a search, how many there are. A number beyond 128 bits is left
    /// out.
    pub(super) mappings: Option<u128>,
    /// How many mappings are as good as the best, itself included.
    pub(super) ties: usize,
    /// How many tasks a mapping places.
    pub(super) tasks: usize,
    pub(super) processors: usize,
    /// What the tasks are called.
    pub(super) names: Names<'a>,
    /// The best, and the best of those that are worse. They are not explained after a search that was
    /// cancelled.
    pub(super) explained: Vec<Explained>,
    /// Why there is no more of that: a limit, or derivatives that no method found for certain. The mappings
    /// are shown all the same.
    pub(super) unexplained: Option<String>,
    /// Whether somebody cancelled the search, or the explanation behind it.
    pub(super) is_cancelled: bool,
    /// The search, if there was one.
    pub(super) found: Option<SearchResult>,
}

/// A mapping, and what is busy under it.
pub(super) struct Explained {
    pub(super) ranked: Ranked,
    /// Each processor and each link in use. What brings most is first.
    pub(super) uses: Vec<Use>,
    /// The processor or the link of the bottleneck, what it is busy with, and the probability that it is.
    pub(super) bottleneck: (Resource, String, f64),
}

/// A processor or link in use.
pub(super) struct Use {
    pub(super) resource: Resource,
    pub(super) utilisation: f64,
    /// How many more items per second each further unit of its power or bandwidth brings.
    pub(super) derivative: f64,
    /// By how many percent the throughput grows if the power or the bandwidth grows by one percent.
    pub(super) elasticity: f64,
    /// The part of that which is due to latency, of a link with a communication model. Others have no such
    /// part.
    pub(super) of_latency: Option<f64>,
}

impl<'a> Answer<'a> {
    /// Explains the best mapping and the runner-up. This may take as long as the time limit allows, counted
    /// from now.
    pub(super) fn new(
        planner: &Planner,
        limits: &Limits,
        names: Names<'a>,
        ranking: Ranking,
        top: Option<usize>,
        found: Option<SearchResult>,
    ) -> Result<Self, Error> {
        let mut answer = Answer {
            mappings: match &found {
                Some(found) => found.mapping_count,
                None => Some(ranking.mappings().len() as u128),
            },
            ties: ranking.ties(),
            tasks: planner.application().task_count(),
            names,
            processors: planner.platform().processors().len(),
            explained: Vec::new(),
            unexplained: None,
            is_cancelled: found.as_ref().is_some_and(|found| found.stopped == Some(Limit::Cancelled)),
            found,
            shown: Vec::new(),
        };
        if !answer.is_cancelled {
            let explained = [Some(ranking.best()), ranking.runner_up()].into_iter().flatten();
            answer.explain(planner, limits, explained)?;
        }
        answer.shown = ranking.truncated(top.unwrap_or(usize::MAX)).mappings().to_vec();
        Ok(answer)
    }

    /// Explains these mappings, as far as limits and methods allow.
    fn explain<'r>(
        &mut self,
        planner: &Planner,
        limits: &Limits,
        mappings: impl Iterator<Item = &'r Ranked>,
    ) -> Result<(), Error> {
        let started = Instant::now();
        let in_time = || {
            let left = |time: Duration| time.saturating_sub(started.elapsed());
            planner.clone().with_limits(Limits { time: limits.time.map(left), ..limits.clone() })
        };
        for ranked in mappings {
            match explain(&in_time, &self.names, ranked) {
                Ok(one) => self.explained.push(one),
                Err(Error::Stopped(stopped)) if matches!(stopped.limit, Limit::Time(_)) => {
                    self.unexplained = Some("the time was over".into());
                    break;
                }
                Err(error @ (Error::Stopped(_) | Error::NotConverged(_))) => {
                    self.is_cancelled =
                        matches!(&error, Error::Stopped(stopped) if stopped.limit == Limit::Cancelled);
                    self.unexplained = Some(error.to_string());
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// What is busy under one mapping, and what more of it would bring.
fn explain(in_time: &impl Fn() -> Planner, names: &Names<'_>, ranked: &Ranked) -> Result<Explained, Error> {
    let planner = in_time();
    let explanation = planner.evaluate(&ranked.mapping)?.explain(&planner);
    let uses = in_time().sensitivities(&ranked.mapping)?.into_iter().map(|one| Use {
        resource: one.resource,
        utilisation: explanation.utilisation(one.resource),
        derivative: one.derivative,
        elasticity: one.elasticity,
        of_latency: has_model(&planner, one.resource).then_some(one.of_latency),
    });
    Ok(Explained {
        ranked: ranked.clone(),
        uses: uses.collect(),
        bottleneck: bottleneck(&planner, names, &explanation),
    })
}

/// Whether the times of a link are those of a communication model.
fn has_model(planner: &Planner, resource: Resource) -> bool {
    matches!(resource, Resource::Link(from, to) if planner.platform().bandwidth(from, to).is_none())
}

/// The bottleneck, in the words of the description.
fn bottleneck(planner: &Planner, names: &Names<'_>, explanation: &Explanation) -> (Resource, String, f64) {
    let busiest = explanation.bottleneck();
    let task = explanation.tasks().iter().position(|task| std::ptr::eq(task, busiest));
    let number = explanation.moves().iter().position(|one| std::ptr::eq(one, busiest));
    let ends = number.and_then(|number| planner.application().moves().nth(number));
    let what = match (task, ends) {
        (Some(task), _) => names.task(task),
        (None, Some(ends)) => names.items(ends),
        (None, None) => unreachable!("the busiest is a task or a move"),
    };
    (busiest.resource, what, busiest.busy)
}

#[cfg(test)]
mod tests {
    use skel::plan::Description;

    use super::*;

    const TWO_STAGES: &str = "
        type = pipeline; nbproc = 2; cp1 = 10; cp2 = 5; nl1-1 = 100; nl1-2 = 8; nl2-1 = 8; nl2-2 = 100;
        nbstage = 2; w1 = 2; w2 = 4; ds1 = 1; ds2 = 1; ds3 = 1; mappings = [1, (1,1), 1], [1, (1,2), 2];";

    /// What there is to say when `change` was made to the limits behind the ranking.
    fn explained_within(change: impl Fn(&mut Limits)) -> (bool, usize, Option<String>) {
        let description = Description::from_text(TWO_STAGES).unwrap();
        let application = description.application();
        let mut limits = Limits::default();
        let planner = Planner::new(application.clone(), description.platform().clone());
        let ranking = planner.rank(description.mappings()).unwrap();
        change(&mut limits);
        let answer = Answer::new(&planner, &limits, Names::new(application), ranking, None, None).unwrap();
        assert_eq!(answer.shown.len(), 2);
        (answer.is_cancelled, answer.explained.len(), answer.unexplained)
    }

    #[test]
    fn the_best_and_the_runner_up_are_explained() {
        assert_eq!(explained_within(|_| {}), (false, 2, None));
    }

    #[test]
    fn an_explanation_that_is_stopped_leaves_the_mappings() {
        let cancelled = explained_within(|limits| limits.cancellation.cancel());
        assert!(matches!(&cancelled, (true, 0, Some(why)) if why.starts_with("cancelled")), "{cancelled:?}");
        let over = explained_within(|limits| limits.time = Some(Duration::ZERO));
        assert_eq!(over, (false, 0, Some("the time was over".to_owned())));
    }
}
