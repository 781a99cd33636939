//! What a loop has learned from its earlier iterations.

use std::mem::{Discriminant, discriminant};
use std::time::Instant;

use skel_distribute::{RelativePerformance, Scenario, Schedule};

use super::report::{Choice, LoopReport, Measured, measured};

/// The schedule of the first iteration: each worker gets a twentieth of its share at a time, and is measured
/// from then on.
const FIRST: Schedule = Schedule::VrpSelfScheduling { phases: 20 };

/// Schedules that give out more chunks than this are not simulated: it would take longer than milliseconds.
const MOST_CHUNKS: u64 = 50_000;

/// Which part of the time of all iterations the choice of their schedules may take. The first choice is free.
const PART_FOR_CHOICES: f64 = 0.02;

/// How much of what is known of a kind of schedule is kept when it shows something new, and how much of it
/// when it was not taken.
const KEPT: (f64, f64) = (0.5, 0.9);

/// What a loop has learned from its earlier iterations: a value that is kept between them.
///
/// It keeps how long each worker took for an item and when that changed within the last iteration, and what a
/// chunk cost. With these it simulates the [usual schedules](Scenario::usual_schedules), and takes the one
/// that ends first. It also keeps how much longer each kind of schedule took than was expected, so that a
/// schedule that only looks good in simulation is not taken again.
///
/// The first iteration gives each worker a twentieth of its share at a time. If the number of workers
/// changes, it begins anew. The choice takes a few milliseconds, and no more than one fiftieth of the time of
/// all iterations: where iterations are short, a schedule is kept for some of them. An iteration that ends
/// with an error teaches nothing.
///
/// # Examples
/// ```
/// use skel::run::distribute::{Choice, Learned, distribute};
///
/// let mut learned = Learned::new();
/// for _ in 0..3 {
///     let squares = distribute(0..1000_u64)
///         .learning(&mut learned)
///         .over(2)
///         .run(|range| range.map(|index| index * index).sum::<u64>())?;
///     let report = squares.report();
///     println!("{}: {}", report.schedule(), report.choice().expect("the loop learns"));
/// }
/// assert_eq!(learned.iterations(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Learned {
    iterations: u64,
    last: Option<Last>,
    /// How much longer than simulated each kind of schedule takes.
    corrections: Vec<(Discriminant<Schedule>, f64)>,
    /// How much time there is for a choice, in seconds.
    credit: f64,
    /// How long the last choice took, in seconds.
    cost: f64,
}

/// What the last iteration showed.
#[derive(Clone, Debug)]
struct Last {
    measured: Measured,
    schedule: Schedule,
    /// What the simulation of its schedule had said for it, in seconds.
    simulated: Option<f64>,
}

/// What a loop takes.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) schedule: Schedule,
    pub(super) performance: RelativePerformance,
    pub(super) choice: Choice,
}

impl Learned {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Learned {
        Learned::default()
    }

    /// How many iterations it has learned from.
    #[must_use]
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// The schedule for so many items, and the relative performance of the workers as far as it is known.
    /// What the program says comes first.
    pub(super) fn choose(
        &mut self,
        items: u64,
        told: &RelativePerformance,
        given: Option<Schedule>,
    ) -> Chosen {
        self.last.take_if(|last| last.measured.means.len() != told.machines());
        let scenario = self.last.as_ref().and_then(|last| last.measured.scenario(items));
        let Some((scenario, last)) = scenario.zip(self.last.as_mut()) else {
            let (schedule, choice) = given.map_or((FIRST, Choice::First), |given| (given, Choice::Given));
            return Chosen { schedule, performance: told.clone(), choice };
        };
        let simulated =
            |schedule: &Schedule| scenario.simulate(schedule).ok().map(|outcome| *outcome.makespan());
        let (schedule, choice) = match given {
            Some(given) => (given, Choice::Given),
            None if self.cost > self.credit => (last.schedule, Choice::Kept),
            None => {
                let began = Instant::now();
                let best = best(&scenario, &self.corrections);
                self.cost = began.elapsed().as_secs_f64();
                self.credit = 0.0;
                best.unwrap_or((last.schedule, Choice::Kept))
            }
        };
        last.simulated = match chunks(&schedule, items) > MOST_CHUNKS || choice == Choice::Kept {
            true => None,
            false => simulated(&schedule),
        };
        Chosen { schedule, performance: scenario.performance().clone(), choice }
    }

    /// An iteration has ended.
    pub(super) fn learn(&mut self, report: &LoopReport) {
        self.iterations += 1;
        self.credit += PART_FOR_CHOICES * report.seconds();
        let simulated = self.last.as_ref().and_then(|last| last.simulated);
        self.correct(
            report.schedule(),
            simulated.filter(|seconds| *seconds > 0.0).map(|seconds| report.seconds() / seconds),
        );
        if let Some(measured) = measured(report) {
            self.last = Some(Last { measured, schedule: report.schedule(), simulated: None });
        }
    }

    /// A schedule took so many times longer than simulated. What is known of the other kinds fades.
    fn correct(&mut self, schedule: Schedule, longer: Option<f64>) {
        let kind = discriminant(&schedule);
        for (_, factor) in self.corrections.iter_mut().filter(|(other, _)| *other != kind) {
            *factor = factor.powf(KEPT.1);
        }
        let Some(longer) = longer.filter(|longer| longer.is_finite() && *longer > 0.0) else { return };
        match self.corrections.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, factor)) => *factor = factor.powf(KEPT.0) * longer.powf(1.0 - KEPT.0),
            None => self.corrections.push((kind, longer)),
        }
    }
}

/// The schedule that should end first, and why.
fn best(scenario: &Scenario, corrections: &[(Discriminant<Schedule>, f64)]) -> Option<(Schedule, Choice)> {
    let schedules: Vec<Schedule> = scenario
        .usual_schedules()
        .into_iter()
        .filter(|schedule| chunks(schedule, scenario.items()) <= MOST_CHUNKS)
        .collect();
    let correction = |schedule: &Schedule| {
        let kind = discriminant(schedule);
        corrections.iter().find(|(other, _)| *other == kind).map_or(1.0, |(_, factor)| *factor)
    };
    let comparison = scenario.compare(&schedules);
    let ends = comparison
        .ranked()
        .iter()
        .map(|one| (one.schedule, one.outcome.makespan() * correction(&one.schedule)));
    let mut ends: Vec<(Schedule, f64)> = ends.collect();
    // The sort is stable: of those that end at one time, the one with fewer chunks stays first.
    ends.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let (schedule, expected) = *ends.first()?;
    Some((schedule, Choice::Simulated { expected, among: ends.len(), next: ends.get(1).copied() }))
}

/// How many chunks a schedule gives out at least, if that may be many.
fn chunks(schedule: &Schedule, items: u64) -> u64 {
    match *schedule {
        Schedule::SelfScheduling => items,
        Schedule::Chunked { items: size } => items.div_ceil(size),
        _ => 0,
    }
}
