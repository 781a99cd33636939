//! What is said of mappings, as plain figures.

use skel::Error;
use skel::plan::{Found, Mapping, Planner, Ranked, Ranking, Resource, Why};

/// The answer of `skel map`.
pub(super) struct Answer {
    /// The mappings that are shown, best first.
    pub(super) shown: Vec<Ranked>,
    /// How many were compared or, in a search, there are; nothing beyond 128 bits.
    pub(super) mappings: Option<u128>,
    /// How many are as good as the best.
    pub(super) ties: usize,
    pub(super) stages: usize,
    pub(super) processors: usize,
    /// The best, and the best of those that are worse.
    pub(super) explained: Vec<Explained>,
    /// The search, if there was one.
    pub(super) found: Option<Found>,
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

impl Answer {
    /// Asks what is busy in the best mapping and in the runner-up.
    pub(super) fn of(
        planner: &Planner,
        ranking: Ranking,
        top: Option<usize>,
        found: Option<Found>,
    ) -> Result<Answer, Error> {
        let explained = [Some(ranking.best()), ranking.runner_up()].into_iter().flatten();
        let explained = explained.map(|ranked| explain(planner, ranked)).collect::<Result<_, Error>>()?;
        let compared = Some(ranking.mappings().len() as u128);
        Ok(Answer {
            mappings: found.as_ref().map_or(compared, |found| found.mappings),
            ties: ranking.ties(),
            stages: planner.application().tasks(),
            processors: planner.platform().processors().len(),
            explained,
            found,
            shown: ranking.truncated(top.unwrap_or(usize::MAX)).mappings().to_vec(),
        })
    }
}

fn explain(planner: &Planner, ranked: &Ranked) -> Result<Explained, Error> {
    let why = planner.evaluate(&ranked.mapping)?.why(planner);
    let uses = planner.sensitivities(&ranked.mapping)?.into_iter().map(|one| Use {
        resource: one.resource,
        utilisation: why.utilisation(one.resource),
        derivative: one.derivative,
        elasticity: one.elasticity,
    });
    Ok(Explained {
        ranked: ranked.clone(),
        uses: uses.collect(),
        bottleneck: bottleneck(planner, &why, &ranked.mapping),
    })
}

/// Where it is busiest, and with what.
fn bottleneck(planner: &Planner, why: &Why, mapping: &Mapping) -> (Resource, String, f64) {
    let busiest = why.bottleneck();
    let task = why.tasks().iter().position(|task| std::ptr::eq(task, busiest));
    let number = why.moves().iter().position(|one| std::ptr::eq(one, busiest)).unwrap_or_default();
    let stage = |task: usize| format!("stage {}", planner.application().name(task));
    let what = match task {
        Some(task) => stage(task),
        None if number == mapping.tasks().len() => "the output".into(),
        None => format!("the items for {}", stage(number)),
    };
    (busiest.on, what, busiest.busy)
}
