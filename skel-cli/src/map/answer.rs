//! What is said of mappings, as plain figures.

use skel::Error;
use skel::limits::Limit;
use skel::plan::{Explanation, Planner, Ranked, Ranking, Resource, SearchResult};

use super::names::Names;

/// The answer of `skel map`.
pub(super) struct Answer<'a> {
    /// The mappings that are shown, best first.
    pub(super) shown: Vec<Ranked>,
    /// How many were compared or, in a search, there are; nothing beyond 128 bits.
    pub(super) mappings: Option<u128>,
    /// How many are as good as the best.
    pub(super) ties: usize,
    /// How many processors a mapping names.
    pub(super) tasks: usize,
    pub(super) processors: usize,
    /// What the tasks are called.
    pub(super) names: Names<'a>,
    /// The best, and the best of those that are worse; nobody waits for that after a search that was cancelled.
    pub(super) explained: Vec<Explained>,
    /// Why there is no more of that: a limit, or no method found the derivatives for certain. What is ranked is not lost for it.
    pub(super) unexplained: Option<String>,
    /// The search, if there was one.
    pub(super) found: Option<SearchResult>,
}

/// One mapping with what is busy.
pub(super) struct Explained {
    pub(super) ranked: Ranked,
    /// Each processor and link in use, what brings most first.
    pub(super) uses: Vec<Use>,
    /// Where it is busiest, with what, and the probability that it is.
    pub(super) bottleneck: (Resource, String, f64),
}

/// A processor or link in use.
pub(super) struct Use {
    pub(super) resource: Resource,
    pub(super) utilisation: f64,
    /// Items per second for each unit more of its power or bandwidth.
    pub(super) derivative: f64,
    /// Hundredths of the throughput for each hundredth more.
    pub(super) elasticity: f64,
}

impl<'a> Answer<'a> {
    /// Asks what is busy in the best mapping and in the runner-up.
    pub(super) fn new(
        planner: &Planner,
        names: Names<'a>,
        ranking: Ranking,
        top: Option<usize>,
        found: Option<SearchResult>,
    ) -> Result<Self, Error> {
        let (mut explained, mut unexplained) = (Vec::new(), None);
        let is_awaited = !found.as_ref().is_some_and(is_cancelled);
        for ranked in [Some(ranking.best()), ranking.runner_up()].into_iter().flatten().filter(|_| is_awaited)
        {
            match explain(planner, &names, ranked) {
                Ok(one) => explained.push(one),
                Err(error @ (Error::Stopped(_) | Error::NotConverged(_))) => {
                    unexplained = Some(error.to_string());
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        let compared = Some(ranking.mappings().len() as u128);
        Ok(Answer {
            mappings: found.as_ref().map_or(compared, |found| found.mappings),
            ties: ranking.ties(),
            tasks: planner.application().task_count(),
            names,
            processors: planner.platform().processors().len(),
            explained,
            unexplained,
            found,
            shown: ranking.truncated(top.unwrap_or(usize::MAX)).mappings().to_vec(),
        })
    }

    /// Whether somebody stopped the search.
    pub(super) fn is_cancelled(&self) -> bool {
        self.found.as_ref().is_some_and(is_cancelled)
    }
}

fn is_cancelled(found: &SearchResult) -> bool {
    found.stopped == Some(Limit::Cancelled)
}

fn explain(planner: &Planner, names: &Names<'_>, ranked: &Ranked) -> Result<Explained, Error> {
    let why = planner.evaluate(&ranked.mapping)?.explain(planner);
    let uses = planner.sensitivities(&ranked.mapping)?.into_iter().map(|one| Use {
        resource: one.resource,
        utilisation: why.utilisation(one.resource),
        derivative: one.derivative,
        elasticity: one.elasticity,
    });
    Ok(Explained {
        ranked: ranked.clone(),
        uses: uses.collect(),
        bottleneck: bottleneck(planner, names, &why),
    })
}

/// Where it is busiest, and with what.
fn bottleneck(planner: &Planner, names: &Names<'_>, why: &Explanation) -> (Resource, String, f64) {
    let busiest = why.bottleneck();
    let task = why.tasks().iter().position(|task| std::ptr::eq(task, busiest));
    let number = why.moves().iter().position(|one| std::ptr::eq(one, busiest));
    let ends = number.and_then(|number| planner.application().moves().nth(number));
    let what = match (task, ends) {
        (Some(task), _) => names.task(task),
        (None, Some(ends)) => names.items(ends),
        (None, None) => unreachable!("the busiest is a task or a move"),
    };
    (busiest.resource, what, busiest.busy)
}
