//! The product of two matrices in three structures, SS, VRP and VRP-SS: timed for small matrices, predicted
//! for larger ones, and timed there. And where one structure overtakes another.
//!
//! After J. M. Laine and E. T. Midorikawa (PEMPIs-Het), sections 3 and 6: a master gives rows to workers on
//! unequal machines. Under SS it gives one row to whoever asks; under VRP each worker gets its whole share at
//! once, by the speeds that models of a row have for this size; under VRP-SS the shares come in ten phases.
//! Machines are fast, or take 1.6 or 8 times as long for a row, since they repeat their work. First nothing
//! happens; then one fast machine becomes four times slower in the middle of the work.
//!
//! The workers are played in turn on one processor, see `programs/loops/in_turn.rs`: every row is computed
//! and every message sent, and a program's time is made of the processor times of its parts, as if each
//! worker had a processor of its own. The time that passes on threads is printed at the end, for comparison.
//!
//! There are two predictions. One simulates the schedule with models of a row and of a message. The other is
//! of the kind of the paper's: a function of `n` for each structure, fitted to whole runs (Equations 15 to
//! 17). `cargo run --release --example matrix -- --full --svg matrix.svg --runs matrix.csv` has the paper's
//! 14 machines, goes to four times the fitted sizes, draws a picture and keeps all timed runs.

mod figure;
#[path = "programs/loops/mod.rs"]
mod loops;
#[path = "programs/product.rs"]
mod product;
#[path = "programs/study.rs"]
mod study;

use std::error::Error;

use loops::{Manner, OnThreads, TYPES, Team, Wire};
use product::Factors;
use skel::distribute::{RelativePerformance, Scenario, Schedule};
use skel::fit::runs::{Trial, median};
use skel::fit::{CrossingKind, Function, LinearModel, Power, Weighting, crossovers};
use study::{Compared, Measurements, Options, Predicted, Side, play, print};

const RUNS: u32 = 3;

const STRUCTURES: [(&str, Schedule); 3] = [
    ("SS", Schedule::SelfScheduling),
    ("VRP", Schedule::Vrp),
    ("VRP-SS", Schedule::VrpSelfScheduling { phases: 10 }),
];

/// How many times slower the first machine becomes.
const SLOWER: u32 = 4;

/// What happens to the machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Story {
    Quiet,
    Slowed,
}

/// Which machines there are, and which sizes are fitted and predicted. Shares are whole rows at these sizes,
/// so that VRP is not at a disadvantage.
struct Extent {
    counts: [usize; 3],
    small: &'static [usize],
    large: &'static [usize],
    /// How often each of the large ones is timed.
    large_runs: u32,
}

const SHORT: Extent =
    Extent { counts: [2, 2, 3], small: &[29, 58, 87, 116], large: &[145, 174], large_runs: 1 };
const FULL: Extent = Extent {
    counts: [4, 4, 6],
    small: &[174, 232, 290, 348],
    large: &[464, 580, 696, 928, 1392],
    large_runs: 3,
};

fn measure(
    (team, n): (&Team, usize),
    schedule: Schedule,
    slowed_at: Option<f64>,
    wire: &mut Wire,
) -> Result<study::Measured, Box<dyn Error>> {
    let factors = Factors::new(n);
    let pace = |worker: usize, now: f64| {
        let is_slowed = worker == 0 && slowed_at.is_some_and(|at| now >= at);
        team.machines[worker].tenths * if is_slowed { SLOWER } else { 1 }
    };
    play(team, Manner { schedule, has_master: true }, &pace, wire, |loops| factors.product(loops).map(drop))
}

/// The models of a row on each type of machine, and of a message.
struct Parts {
    rows: Vec<LinearModel<1>>,
    message: LinearModel<1>,
}

impl Parts {
    fn fit(measurements: &Measurements) -> Result<Self, Box<dyn Error>> {
        // The sum for an entry overlaps with that for the next: each saves a constant time, and a row saves n
        // times that.
        let terms = [Power::new(1, 1), Power::new(2, 1)];
        let rows = TYPES.iter().map(|machine| measurements.item_model(machine.name, terms));
        Ok(Parts { rows: rows.collect::<Result<_, _>>()?, message: measurements.message_model()? })
    }

    /// The team with the relative performance that the models have for a size: the dynamic VRP.
    fn team(&self, counts: [usize; 3], n: usize) -> Result<Team, Box<dyn Error>> {
        let mut team = Team::of(counts)?;
        team.performance = RelativePerformance::of_times(self.seconds(&team, n, Side::Value))?;
        Ok(team)
    }

    /// How long a row takes on each machine.
    fn seconds(&self, team: &Team, n: usize, side: Side) -> Vec<f64> {
        let model =
            |name: &str| TYPES.iter().position(|machine| machine.name == name).map(|at| &self.rows[at]);
        let row =
            |name: &str| model(name).map_or(f64::NAN, |model| side.of(&model.predict([n as f64], 0.95)));
        team.machines.iter().map(|machine| row(machine.name)).collect()
    }

    /// Half of the time that the work takes if all machines end at the same time.
    fn middle(&self, team: &Team, n: usize) -> f64 {
        let rates: f64 = self.seconds(team, n, Side::Value).iter().map(|seconds| 1.0 / seconds).sum();
        0.5 * n as f64 / rates
    }

    /// What the simulation of the schedule says. A chunk costs the master a message to the worker and one
    /// back, of as many rows as a chunk has on average.
    fn predict(
        &self,
        team: &Team,
        n: usize,
        schedule: Schedule,
        story: Story,
    ) -> Result<Predicted, Box<dyn Error>> {
        let is_extrapolated = !self.rows[0].predict([n as f64], 0.95).warnings.is_empty();
        Predicted::composed(is_extrapolated, |side| {
            let mut scenario = Scenario::new(n as u64, self.seconds(team, n, side))?
                .with_performance(team.performance.clone())?;
            if story == Story::Slowed {
                scenario = scenario.with_change(0, self.middle(team, n), SLOWER)?;
            }
            let chunks = scenario.simulate(&schedule)?.chunks() as f64;
            let message = self.message.predict([(n * n) as f64 / chunks], 0.95);
            let end = *scenario.with_overhead(2.0 * side.of(&message))?.simulate(&schedule)?.makespan();
            Ok(end + side.of(&message))
        })
    }
}

/// A model of a whole structure: as many messages as rows under SS, a fixed number otherwise, and `n^3`
/// products. The paper has all powers up to the third, which follow the noise of four sizes and leave the
/// measured sizes in any direction.
fn whole(
    measurements: &Measurements,
    (name, schedule): (&str, Schedule),
) -> Result<LinearModel<1>, Box<dyn Error>> {
    let messages = if schedule == Schedule::SelfScheduling { 1 } else { 0 };
    let terms = [messages, 3].map(|exponent| [Power::new(exponent, 1)]);
    let runs = measurements.runs.iter().filter(|run| run.segment == name);
    let points: Vec<([f64; 1], f64)> = runs.map(|run| ([run.n], run.seconds)).collect();
    Ok(LinearModel::fit(["x"], &terms, &points, Weighting::Relative)?)
}

/// The times of the three structures over the sizes, from one source.
type Lines = [Vec<(f64, f64)>; 3];

/// Where lines through the points of two structures meet.
fn meetings(one: &[(f64, f64)], other: &[(f64, f64)]) -> Vec<f64> {
    let differences: Vec<(f64, f64)> =
        one.iter().zip(other).map(|(one, other)| (one.0, (one.1 / other.1).ln())).collect();
    let crosses = differences.windows(2).filter(|pair| (pair[0].1 < 0.0) != (pair[1].1 < 0.0));
    crosses.map(|pair| pair[0].0 + (pair[1].0 - pair[0].0) * pair[0].1 / (pair[0].1 - pair[1].1)).collect()
}

fn in_words(sizes: &[f64]) -> String {
    let words: Vec<String> = sizes.iter().map(|size| format!("{size:.0}")).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

/// Prints where each pair of structures takes the same time.
fn print_crossovers(measured: &Lines, simulated: &Lines, wholes: &[Function]) {
    let ends = (measured[0][0].0, measured[0][measured[0].len() - 1].0);
    println!("\nsizes from {} to {} at which two structures take the same time", ends.0, ends.1);
    println!("pair             measured           simulated          fitted functions");
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let pair = format!("{} / {}", STRUCTURES[one].0, STRUCTURES[other].0);
        let [measured, simulated] =
            [measured, simulated].map(|lines| in_words(&meetings(&lines[one], &lines[other])));
        let crossings = crossovers(&wholes[one], &wholes[other], ends.0..=ends.1);
        let crossings = crossings.unwrap_or_default().into_iter();
        let crossings: Vec<f64> = crossings
            .filter(|crossing| crossing.kind == CrossingKind::Cross)
            .map(|crossing| crossing.at)
            .collect();
        println!("{pair:15}  {measured:17}  {simulated:17}  {}", in_words(&crossings));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read()?;
    let extent = if options.is_full { FULL } else { SHORT };
    let mut wire = Wire::new()?;
    let parts = Parts::fit(&small_runs(&extent, &mut wire)?)?;
    for (machine, model) in TYPES.iter().zip(&parts.rows) {
        println!("seconds of a row of n entries, {}: {}", machine.name, model.function);
    }
    println!("seconds of a message: {}", parts.message.function);
    for story in [Story::Quiet, Story::Slowed] {
        tell(story, &extent, &parts, &mut wire, &options)?;
    }
    on_threads(&parts, extent.large[0])
}

/// All structures at the small sizes with the relative performance that the machines were made to have: the
/// models of rows and messages come from these.
fn small_runs(extent: &Extent, wire: &mut Wire) -> Result<Measurements, Box<dyn Error>> {
    let mut measurements = Measurements::default();
    let team = Team::of(extent.counts)?;
    for run in 1..=RUNS {
        for &n in extent.small {
            for (name, schedule) in STRUCTURES {
                let measured = measure((&team, n), schedule, None, wire)?;
                let trial = Trial::new(n as f64).processes(team.machines.len() as u32).number(run);
                measurements.add(name, trial, &measured)?;
            }
        }
    }
    Ok(measurements)
}

/// Measures the structures at all sizes while something happens or not, and predicts the large ones.
fn tell(
    story: Story,
    extent: &Extent,
    parts: &Parts,
    wire: &mut Wire,
    options: &Options,
) -> Result<(), Box<dyn Error>> {
    println!(
        "\n{}",
        match story {
            Story::Quiet => "=== nothing happens",
            Story::Slowed => "=== a fast machine becomes four times slower in the middle",
        }
    );
    let mut measurements = Measurements::default();
    let (mut measured, mut simulated) = (Lines::default(), Lines::default());
    let mut composed = Vec::new();
    for &n in extent.small.iter().chain(extent.large) {
        let team = parts.team(extent.counts, n)?;
        let is_small = extent.small.contains(&n);
        let slowed_at = (story == Story::Slowed).then(|| parts.middle(&team, n));
        for (at, (name, schedule)) in STRUCTURES.into_iter().enumerate() {
            let mut times = Vec::new();
            for run in 1..=if is_small { RUNS } else { extent.large_runs } {
                let one = measure((&team, n), schedule, slowed_at, wire)?;
                times.push(one.seconds);
                if is_small {
                    let trial = Trial::new(n as f64).processes(team.machines.len() as u32).number(run);
                    measurements.add(name, trial, &one)?;
                }
            }
            let middle = median(&times).unwrap_or(f64::NAN);
            let predicted = parts.predict(&team, n, schedule, story)?;
            measured[at].push((n as f64, middle));
            simulated[at].push((n as f64, predicted.seconds));
            if !is_small {
                let p = team.machines.len() as u32;
                composed.push(Compared { name, n: n as f64, p, predicted, measured: middle });
            }
        }
    }
    let wholes: Vec<LinearModel<1>> =
        STRUCTURES.iter().map(|&structure| whole(&measurements, structure)).collect::<Result<_, _>>()?;
    let fitted: Vec<Compared> = composed
        .iter()
        .map(|one| {
            let at = STRUCTURES.iter().position(|(name, _)| *name == one.name).unwrap_or(0);
            Compared { predicted: Predicted::of(&wholes[at].predict([one.n], 0.95)), ..*one }
        })
        .collect();
    print("simulated with a row and a message:", &composed);
    print("functions of 1 or n, and n^3, fitted to whole runs:", &fitted);
    let functions: Vec<Function> = wholes.into_iter().map(|whole| whole.function).collect();
    print_crossovers(&measured, &simulated, &functions);
    options.keep(&measurements.runs)?;
    if story == Story::Slowed {
        let names = [["SS", "SS measured"], ["VRP", "VRP measured"], ["VRP-SS", "VRP-SS measured"]];
        options.draw(
            "Products of matrices, one machine slowed: predicted and measured",
            &names,
            &composed,
        )?;
    }
    Ok(())
}

/// The same on threads, which have the matrices in common: the time that passes.
fn on_threads(parts: &Parts, n: usize) -> Result<(), Box<dyn Error>> {
    let team = parts.team([1, 1, 0], n)?;
    println!("\non two threads of speeds 1 and 1/1.6, a product of {n} rows as time passes");
    for (name, schedule) in STRUCTURES {
        let mut loops = OnThreads::new(&team, schedule);
        let product = Factors::new(n).product(&mut loops)?;
        println!(
            "{name:8} {:9.3} ms, sum of the entries {}",
            loops.seconds * 1e3,
            product.iter().sum::<f64>()
        );
    }
    Ok(())
}
