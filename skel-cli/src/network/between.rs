//! A broadcast between clusters: what the heuristics schedule, what is best, and what a tree without clusters
//! takes.

use skel::network::model::OutsideTable;
use skel::network::schedule::{Goal, Grid, Heuristic, Link, Schedule, grid_unaware_binomial};
use skel::network::select::{Clusters, NoSelection, Selection};
use skel::network::{Bytes, Time};

/// The schedules of one broadcast.
pub(super) struct Between {
    /// The names of the clusters.
    pub(super) names: Vec<String>,
    /// All schedules with their names: first the heuristics, and behind them the best ones if there are few
    /// enough clusters to search.
    pub(super) schedules: Vec<(&'static str, Schedule)>,
    /// Why the best ones are missing.
    pub(super) unsearched: Option<String>,
    /// The number of the schedule that ends first; of equal ones the first.
    pub(super) chosen: usize,
    /// When the last machine has the message if a binomial tree over all machines brings it to them.
    pub(super) grid_unaware: Option<Time>,
}

const BEST_ARRIVAL: &str = "optimum (last arrival)";
const BEST_COMPLETION: &str = "optimum (all done)";

impl Between {
    /// The schedules of a message of a size, with what was chosen inside of the clusters; or why there are
    /// none.
    pub(super) fn new(
        clusters: &Clusters<'_>,
        root: usize,
        size: Bytes,
        inside: &[Result<Option<Selection>, NoSelection>],
    ) -> Result<Between, String> {
        let mut why: Vec<String> = Vec::new();
        let times: Vec<Time> =
            inside.iter().map(|chosen| chosen.as_ref().map_or(Time::ZERO, time_inside)).collect();
        if let Some(at) = inside.iter().position(Result::is_err) {
            why.push(format!("nothing is chosen inside of `{}`", clusters.all()[at].name));
        }
        let mut link = |one: usize, other: usize| match link(clusters, one, other, size) {
            Ok(link) => link,
            Err(error) => {
                let [one, other] = [one, other].map(|at| &clusters.all()[at].name);
                why.push(format!("from `{one}` to `{other}`: {error}"));
                Link::default()
            }
        };
        let links = table(clusters.all().len(), &mut link);
        if let Some(first) = why.first() {
            let more = why.len() - 1;
            return Err(if more == 0 {
                first.clone()
            } else {
                format!("{first}; and {more} more obstacles")
            });
        }
        let grid_unaware = unaware(clusters, root, size).ok();
        Between::of_links(clusters, root, links, &times, grid_unaware)
    }

    /// The schedules of a message that takes no time besides the latencies.
    pub(super) fn of_latencies(clusters: &Clusters<'_>, root: usize) -> Result<Between, String> {
        let latency = |one, other| clusters.latency(one, other).unwrap_or(Time::ZERO);
        let mut link = |one, other| Link { latency: latency(one, other), gap: Time::ZERO };
        let count = clusters.all().len();
        Between::of_links(clusters, root, table(count, &mut link), &vec![Time::ZERO; count], None)
    }

    fn of_links(
        clusters: &Clusters<'_>,
        root: usize,
        links: Vec<Vec<Link>>,
        inside: &[Time],
        grid_unaware: Option<Time>,
    ) -> Result<Between, String> {
        let root =
            clusters.all().iter().position(|cluster| cluster.machines.contains(&root)).unwrap_or_default();
        let grid = Grid::new(clusters.names(), links)
            .and_then(|grid| grid.with_inside(inside.iter().copied()))
            .and_then(|grid| grid.with_root(root))
            .map_err(|errors| errors.to_string())?;
        let mut schedules: Vec<(&'static str, Schedule)> =
            Heuristic::ALL.iter().map(|&heuristic| (heuristic.name(), grid.schedule(heuristic))).collect();
        let mut unsearched = None;
        for (name, goal) in [(BEST_ARRIVAL, Goal::LastArrival), (BEST_COMPLETION, Goal::Completion)] {
            match grid.optimum(goal) {
                Ok(schedule) => schedules.push((name, schedule)),
                Err(too_many) => unsearched = Some(too_many.to_string()),
            }
        }
        let ends = |at: &usize| schedules[*at].1.completion;
        let earlier =
            |best: usize, next: usize| if is_earlier(ends(&next), ends(&best)) { next } else { best };
        let chosen = (0..schedules.len()).reduce(earlier).unwrap_or_default();
        Ok(Between { names: grid.names().to_vec(), schedules, unsearched, chosen, grid_unaware })
    }

    /// The schedule that ends first, with its name.
    pub(super) fn best(&self) -> (&'static str, &Schedule) {
        let (name, schedule) = &self.schedules[self.chosen];
        (name, schedule)
    }
}

/// Whether a time is earlier than another by more than rounding: sums in another order differ in their last
/// digits.
fn is_earlier(time: Time, than: Time) -> bool {
    const ROUNDING: f64 = 1e-12;
    time < than * (1.0 - ROUNDING)
}

fn table(count: usize, link: &mut dyn FnMut(usize, usize) -> Link) -> Vec<Vec<Link>> {
    let mut row = |one: usize| {
        (0..count).map(|other| if one == other { Link::default() } else { link(one, other) }).collect()
    };
    (0..count).map(&mut row).collect()
}

/// What a message costs between two clusters, or inside of one.
fn link(clusters: &Clusters<'_>, one: usize, other: usize, size: Bytes) -> Result<Link, String> {
    let links = clusters.links(one, other).ok_or("there is no link")?;
    let model = &links.model(size).map_err(|none| none.to_string())?.candidate.model;
    Link::of(model, size).map_err(|outside: OutsideTable| outside.to_string())
}

/// When a binomial tree over all machines, in their order from the root on, has brought the message to the
/// last.
fn unaware(clusters: &Clusters<'_>, root: usize, size: Bytes) -> Result<Time, String> {
    let count = clusters.all().len();
    let mut cluster_of = vec![0; clusters.network().machine_count()];
    for (at, cluster) in clusters.all().iter().enumerate() {
        cluster.machines.iter().for_each(|&machine| cluster_of[machine] = at);
    }
    let mut links: Vec<Option<Result<Link, String>>> = vec![None; count * count];
    let between = |from: usize, to: usize| {
        let (one, other) = (cluster_of[from], cluster_of[to]);
        links[one * count + other].get_or_insert_with(|| link(clusters, one, other, size)).clone()
    };
    Ok(grid_unaware_binomial(cluster_of.len(), root, between)?.last_arrival)
}

/// How long the operation takes in a cluster. A machine alone needs no time.
fn time_inside(selection: &Option<Selection>) -> Time {
    selection.as_ref().map_or(Time::ZERO, |selection| selection.best().predicted.time)
}
