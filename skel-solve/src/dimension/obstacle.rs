//! Why a target cannot be reached: the bound, and the stage that sets it.

use skel_core::number::{Number, Ratio};

use super::answer::{Configuration, Obstacle, decimal};
use super::line::SIZES;
use super::problem::Problem;
use super::response::least_time;
use super::search::{ROUNDING, Search};

const MORE_REPLICAS: &str = "let it have more replicas, or make it faster";
const HIGHER_BOUND: &str = "allow a higher cost";

/// What can be said without a solution of the whole: of a stage that may not have more replicas, of the bound
/// on the cost, and of two neighbours that are too slow with as many replicas as either can have.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn before_solving(search: &mut Search<'_>, target: &Ratio) -> Option<Obstacle> {
    let problem = search.problem;
    of_fixed(problem, target).or_else(|| of_bound(search)).or_else(|| of_neighbours(search))
}

/// A task that no place multiplies, and that is too slow as it is.
#[cfg_attr(debug_assertions, inline)]
fn of_fixed(problem: &Problem, target: &Ratio) -> Option<Obstacle> {
    let too_slow = problem.tasks.iter().filter(|task| !task.may_vary() && task.most() < *target);
    let least = too_slow.min_by(|one, other| one.most().cmp(&other.most()))?;
    let bound = least.most().to_float();
    Some(Obstacle {
        bound: Some(bound),
        stage: least.name.clone(),
        reason: format!(
            "`{}` reaches {} at most with the replicas that it has, and may not have more",
            least.name,
            decimal(bound)
        ),
        advice: MORE_REPLICAS.into(),
    })
}

/// A bound on the cost that is below what the stages need alone.
#[cfg_attr(debug_assertions, inline)]
fn of_bound(search: &Search<'_>) -> Option<Obstacle> {
    let (problem, at_most) = (search.problem, search.at_most);
    let needed = problem.cost(&search.least);
    if needed <= at_most {
        return None;
    }
    let ones = vec![1; search.least.len()];
    let greatest = (0..ones.len()).max_by_key(|&place| (search.least[place], std::cmp::Reverse(place)));
    let stage = greatest.map(|place| problem.places[place].name.clone()).unwrap_or_default();
    let needs = greatest.map(|place| format!("`{stage}` alone needs {}", replicas(search.least[place])));
    let needs = needs.map(|needs| format!("{needs}, and ")).unwrap_or_default();
    let reason = format!("{needs}what each stage needs alone costs {needed}, more than {at_most}");
    let bound =
        (problem.is_flat() && problem.cost(&ones) <= at_most).then(|| best_capacity(problem, ones, at_most));
    Some(Obstacle { bound, stage, reason, advice: format!("{HIGHER_BOUND}: at least {needed}") })
}

/// The most that the stages alone allow within a cost. The slowest stage decides, so only a replica there
/// helps.
#[cfg_attr(debug_assertions, inline)]
fn best_capacity(problem: &Problem, mut replicas: Vec<u32>, at_most: u64) -> f64 {
    loop {
        let (slowest, bound) = problem.capacity(&replicas);
        let Some(place) = slowest.place() else { return bound };
        replicas[place] += 1;
        if problem.cost(&replicas) > at_most {
            return bound;
        }
    }
}

/// Neighbours with more moves between them are not tried: the search finds out soon enough.
const MOST_MOVES: u64 = 400;

/// Two neighbours that are too slow with the most replicas that either can have beside what the others need.
#[cfg_attr(debug_assertions, inline)]
fn of_neighbours(search: &mut Search<'_>) -> Option<Obstacle> {
    let (problem, at_most) = (search.problem, search.at_most);
    let mut most = search.least.clone();
    for place in 0..most.len() {
        let mut replicas = search.least.clone();
        while problem.cost(&replicas) <= at_most {
            most[place] = replicas[place];
            replicas[place] += 1;
        }
    }
    let line = search.line.as_mut()?;
    for first in line.windows(SIZES[0]) {
        if line.moves(first, &most) > MOST_MOVES {
            continue;
        }
        // A stop is found again by the search, and a pair without a figure rules nothing out.
        let bound = line.throughput(problem, search.chains, (first, SIZES[0]), &most).ok()?;
        if bound < search.target * (1.0 - ROUNDING) {
            let [one, other] = [first, first + 1].map(|stage| line.named(problem, stage, &most));
            return Some(Obstacle {
                bound: Some(bound),
                stage: other.clone(),
                reason: format!(
                    "{one} and {other} reach {} at most, also if nothing else makes them wait",
                    decimal(bound)
                ),
                advice: format!("let items move faster, or {HIGHER_BOUND}"),
            });
        }
    }
    None
}

/// All configurations that are allowed miss the target.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn after_all(search: &Search<'_>, closest: Option<&Configuration>) -> Obstacle {
    let at_most = search.at_most;
    let advice = format!("{HIGHER_BOUND} than {at_most}");
    match closest {
        Some(closest) => {
            let stage = search.problem.capacity(&closest.replicas).0.name.clone();
            let reached = decimal(closest.throughput);
            let reason = format!(
                "the best that costs {at_most} reaches {reached}, and `{stage}` has the least to spare"
            );
            let bound = search.line.as_ref().map(|_| closest.throughput);
            Obstacle { bound, stage, reason, advice }
        }
        None => {
            let reason = format!("no configuration that costs at most {at_most} keeps the target");
            Obstacle { bound: None, stage: String::new(), reason, advice }
        }
    }
}

fn replicas(count: u32) -> String {
    if count == 1 { "1 replica".into() } else { format!("{count} replicas") }
}

/// The stages alone take longer than is allowed.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn of_time(search: &Search<'_>, target: f64) -> Option<Obstacle> {
    let problem = search.problem;
    let (mean, longest) = least_time(problem, problem.tree().root());
    let time = search.least_quantile.unwrap_or(mean);
    if time <= target * (1.0 + ROUNDING) {
        return None;
    }
    let stage = problem.tree().name(longest);
    let reason = format!("an item takes {} in its stages alone, and longest in `{stage}`", decimal(time));
    Some(Obstacle {
        bound: Some(time),
        stage,
        reason,
        advice: "make a stage faster: replicas do not make one item faster".into(),
    })
}

/// All configurations that are allowed take too long.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn after_all_times(search: &Search<'_>) -> Obstacle {
    let at_most = search.at_most;
    let stage = problem_stage(search.problem);
    let reason = format!(
        "no configuration that costs at most {at_most} is quick enough; items spend longest in `{stage}`"
    );
    Obstacle { bound: None, stage, reason, advice: format!("{HIGHER_BOUND} than {at_most}") }
}

#[cfg_attr(debug_assertions, inline)]
fn problem_stage(problem: &Problem) -> String {
    problem.tree().name(least_time(problem, problem.tree().root()).1)
}
