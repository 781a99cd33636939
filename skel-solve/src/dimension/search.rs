//! The search: configurations in the order of their costs, each with an upper bound, until one keeps the
//! target.
//!
//! All configurations of one cost are listed, without those that a stage alone or two neighbouring stages
//! rule out. They are then taken in the order of their upper bounds. The bound of the first is made tighter,
//! by larger windows and at last by its own chain, and it goes back to its place. So the whole program is
//! solved only where no bound decides, and the first that is solved and still stands first has the highest
//! throughput of all.

use super::answer::{Alternative, Configuration, Known, Stop};
use super::chains::{Chains, Figures, Solved};
use super::line::{Line, SIZES};
use super::problem::Problem;
use super::services::least_quantile;

/// Throughputs in `f64` agree no further than this.
pub(super) const ROUNDING: f64 = 1e-9;

/// The most configurations of one cost that are looked at.
const MOST_CONFIGURATIONS: usize = 100_000;

/// A problem with its target and its bounds.
pub(super) struct Search<'s> {
    pub(super) problem: &'s Problem,
    pub(super) chains: &'s mut Chains,
    /// Where windows are bounds.
    pub(super) line: Option<Line>,
    pub(super) target: f64,
    /// The fewest replicas at each place, as far as each stage alone is asked.
    pub(super) least: Vec<u32>,
    pub(super) at_most: u64,
    /// Where a quantile of the response time is asked for, a lower bound on it.
    pub(super) least_quantile: Option<f64>,
}

/// A configuration with an upper bound on its throughput.
struct Candidate {
    replicas: Vec<u32>,
    bound: f64,
    /// How many sizes of windows the bound takes into account.
    refined: usize,
}

/// What is known of the configurations of one cost.
#[derive(Default)]
pub(super) struct Level {
    /// The best that was solved.
    pub(super) best: Option<Configuration>,
    /// All others that may be at least as good as was asked for.
    pub(super) others: Vec<Alternative>,
    /// Why one of them was not solved.
    pub(super) not_solved: Option<String>,
    /// Why the search ended here.
    pub(super) stopped: Option<Stop>,
    /// Whether the best keeps the target.
    pub(super) keeps: bool,
}

/// What a search found.
pub(super) struct Found {
    pub(super) level: Level,
    /// All cheaper configurations are ruled out.
    pub(super) least_cost: u64,
    /// Why the configurations from that cost on are not.
    pub(super) open: Option<Stop>,
}

impl<'s> Search<'s> {
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(
        problem: &'s Problem,
        chains: &'s mut Chains,
        (target, least, at_most): (f64, Vec<u32>, u64),
    ) -> Search<'s> {
        let line = Line::of(problem, usize::try_from(at_most).unwrap_or(usize::MAX));
        let least_quantile = chains.part.map(|part| least_quantile(problem.tree(), part));
        Search { problem, chains, line, target, least, at_most, least_quantile }
    }

    /// The cheapest configuration that costs at least `from` and keeps the target.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn cheapest(&mut self, from: u64) -> Found {
        self.first_level(
            from,
            |search, cost, target| search.level(cost, target, true),
            self.target * (1.0 - ROUNDING),
        )
    }

    /// The first cost of which a configuration keeps the target.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn first_level(
        &mut self,
        from: u64,
        level: fn(&mut Self, u64, f64) -> Level,
        target: f64,
    ) -> Found {
        let mut found = Found { level: Level::default(), least_cost: from, open: None };
        for cost in from..=self.at_most {
            self.chains.cost = cost;
            found.level = level(self, cost, target);
            found.open = found.open.or_else(|| found.level.stopped.clone());
            if found.open.is_none() {
                found.least_cost = cost;
            }
            if found.level.keeps || found.level.stopped.is_some() {
                return found;
            }
            if let Some(why) = &found.level.not_solved {
                found.open = found.open.or_else(|| Some(Stop::TooLarge(cost, why.clone())));
                if found.level.best.is_none() {
                    return found;
                }
            }
        }
        if found.open.is_none() {
            found.least_cost = self.at_most.saturating_add(1);
        }
        found
    }

    /// The best configuration of a cost, and the others that may reach `floor`. If only those above the floor
    /// are of interest, windows of two stages leave out many before they are listed.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn level(&mut self, cost: u64, floor: f64, only_above: bool) -> Level {
        match self.listed(cost, only_above) {
            Ok(listed) => self.best_of(listed, floor),
            Err(stop) => Level { stopped: Some(stop), ..Level::default() },
        }
    }

    /// The configurations of a cost that no stage alone rules out, nor two of them if those are not of
    /// interest.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn listed(&mut self, cost: u64, only_above: bool) -> Result<Vec<Vec<u32>>, Stop> {
        let (mut listed, mut replicas) = (Vec::new(), self.least.clone());
        self.list(cost, 0, only_above, &mut replicas, &mut listed)?;
        Ok(listed)
    }

    /// Lists the configurations of a cost that no stage alone rules out. The places before `place` have their
    /// numbers.
    #[cfg_attr(debug_assertions, inline)]
    fn list(
        &mut self,
        cost: u64,
        place: usize,
        only_above: bool,
        replicas: &mut Vec<u32>,
        listed: &mut Vec<Vec<u32>>,
    ) -> Result<(), Stop> {
        if place == replicas.len() {
            let is_allowed = self.problem.cost(replicas) == cost && self.is_within_capacity(replicas);
            listed.extend(is_allowed.then(|| replicas.clone()));
            self.chains.look()?;
            return if listed.len() > MOST_CONFIGURATIONS { Err(Stop::Configurations(cost)) } else { Ok(()) };
        }
        while self.problem.cost(replicas) <= cost {
            let bound = if only_above { self.windows_behind(place, replicas)? } else { f64::INFINITY };
            if bound >= self.target * (1.0 - ROUNDING) {
                self.list(cost, place + 1, only_above, replicas, listed)?;
            }
            replicas[place] += 1;
        }
        replicas[place] = self.least[place];
        Ok(())
    }

    #[cfg_attr(debug_assertions, inline)]
    fn is_within_capacity(&self, replicas: &[u32]) -> bool {
        self.problem.capacity(replicas).1 >= self.target * (1.0 - ROUNDING)
    }

    /// The least throughput of the smallest windows that are known once a place has its number.
    #[cfg_attr(debug_assertions, inline)]
    fn windows_behind(&mut self, place: usize, replicas: &[u32]) -> Result<f64, Stop> {
        let Some(line) = &mut self.line else { return Ok(f64::INFINITY) };
        let firsts: Vec<usize> = line.windows_ending_with(SIZES[0], place).collect();
        let mut least = f64::INFINITY;
        for first in firsts {
            least = least.min(line.throughput(self.problem, self.chains, (first, SIZES[0]), replicas)?);
        }
        Ok(least)
    }

    /// The best of some configurations, and the others that may reach `floor`.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn best_of(&mut self, configurations: Vec<Vec<u32>>, floor: f64) -> Level {
        let candidate = |replicas: Vec<u32>| {
            let bound = self.problem.capacity(&replicas).1 * (1.0 + ROUNDING);
            Candidate { replicas, bound, refined: 0 }
        };
        let mut candidates: Vec<Candidate> = configurations.into_iter().map(candidate).collect();
        let mut level = Level::default();
        while let Some(first) = highest(&candidates).filter(|&first| candidates[first].bound >= floor) {
            let reached = level.best.as_ref().map_or(0.0, |best| best.throughput);
            if candidates[first].bound <= reached {
                break;
            }
            if let Err(stop) = self.refine_or_solve(&mut candidates, first, floor, &mut level) {
                level.stopped = Some(stop);
                break;
            }
        }
        candidates.retain(|candidate| candidate.bound >= floor);
        let left = candidates.into_iter().map(|left| (left.replicas, Known::Bound(left.bound)));
        let left: Vec<Alternative> =
            left.map(|(replicas, known)| self.alternative(replicas, known)).collect();
        level.others.extend(left);
        level.keeps =
            level.best.as_ref().is_some_and(|best| best.throughput >= self.target * (1.0 - ROUNDING));
        level
    }

    /// Makes the bound of a candidate tighter, or solves its chain.
    #[cfg_attr(debug_assertions, inline)]
    fn refine_or_solve(
        &mut self,
        candidates: &mut Vec<Candidate>,
        first: usize,
        floor: f64,
        level: &mut Level,
    ) -> Result<(), Stop> {
        let candidate = &mut candidates[first];
        if let (Some(line), Some(&size)) = (&mut self.line, SIZES.get(candidate.refined)) {
            for start in line.windows(size) {
                let window =
                    line.throughput(self.problem, self.chains, (start, size), &candidate.replicas)?;
                candidate.bound = candidate.bound.min(window * (1.0 + ROUNDING));
            }
            candidate.refined += 1;
            return Ok(());
        }
        let solved = whole(self.problem, self.line.as_ref(), self.chains, &candidate.replicas)?;
        let Candidate { replicas, bound, .. } = candidates.swap_remove(first);
        match solved {
            Ok(figures) => {
                let new = self.configuration(replicas, figures);
                let is_better = level.best.as_ref().is_none_or(|best| is_before(&new, best));
                let other = if is_better { level.best.replace(new) } else { Some(new) };
                let other = other.filter(|other| other.throughput >= floor);
                level.others.extend(other.map(|other| (other.throughput, other).into()));
            }
            Err(why) => {
                level.not_solved = Some(why.clone());
                level.others.push(self.alternative(replicas, Known::NotSolved(bound, why)));
            }
        }
        Ok(())
    }

    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn alternative(&self, replicas: Vec<u32>, figure: Known) -> Alternative {
        Alternative { cost: self.problem.cost(&replicas), replicas, figure }
    }

    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn configuration(&self, replicas: Vec<u32>, figures: Figures) -> Configuration {
        let Figures { throughput, response_time, quantile } = figures;
        Configuration { cost: self.problem.cost(&replicas), replicas, throughput, response_time, quantile }
    }

    /// The best of the configurations that are cheaper: of the next lower cost, or, where each stage alone
    /// rules these out, with one replica fewer at one place.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn next_cheaper(&mut self, chosen: &Configuration) -> Option<Configuration> {
        let least = self.problem.cost(&self.least);
        for cost in (least..chosen.cost).rev() {
            let level = self.level(cost, 0.0, false);
            if level.best.is_some() || level.stopped.is_some() {
                return level.best;
            }
        }
        self.best_of(chosen.with_one_fewer(), 0.0).best
    }
}

/// The figures of a whole program.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn whole(
    problem: &Problem,
    line: Option<&Line>,
    chains: &mut Chains,
    replicas: &[u32],
) -> Result<Solved, Stop> {
    // Counts do not say where an item is.
    match line.filter(|_| chains.part.is_none()).and_then(|line| line.whole(replicas)) {
        Some(counts) => chains.whole_of_counts(&counts),
        None => chains.whole(&problem.with(replicas)),
    }
}

/// Whether a configuration is better than another, or as good and first by its numbers.
#[cfg_attr(debug_assertions, inline)]
fn is_before(one: &Configuration, other: &Configuration) -> bool {
    let rounding = ROUNDING * other.throughput;
    let difference = one.throughput - other.throughput;
    difference > rounding || difference.abs() <= rounding && one.replicas < other.replicas
}

/// The number of the candidate with the highest bound; of several, the one that was tightened most, then the
/// first by its numbers.
#[cfg_attr(debug_assertions, inline)]
fn highest(candidates: &[Candidate]) -> Option<usize> {
    let mut best: Option<usize> = None;
    for (number, candidate) in candidates.iter().enumerate() {
        let is_first = best.is_none_or(|best: usize| {
            let before = &candidates[best];
            let order = candidate.bound.total_cmp(&before.bound).then(candidate.refined.cmp(&before.refined));
            order.then(before.replicas.cmp(&candidate.replicas)).is_gt()
        });
        if is_first {
            best = Some(number);
        }
    }
    best
}
