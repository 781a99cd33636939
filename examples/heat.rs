//! Heat on a plate: timed on small plates, predicted for larger ones and more processes, and timed there.
//!
//! After J. M. Laine and E. T. Midorikawa (PEMPIs-Het), section 5.1: Jacobi's method on a square plate, a
//! block of rows for each worker, and rows at the borders that neighbours exchange before every sweep. A
//! third of the workers are fast, a third take 1.6 times as long for a row, and a third 8 times, since they
//! repeat their work; each gets its share by that.
//!
//! The workers are played in turn on one processor, see `programs/loops/in_turn.rs`: every row is computed
//! and every message sent, and a program's time is made of the processor times of its parts, as if each
//! worker had a processor of its own. The time that passes on threads is printed at the end, for comparison.
//!
//! There are two predictions. One is composed of models of a row and of a message by a graph DP*Graph++. The
//! other is the paper's fit in two steps to whole runs, with the terms 1 and `n^2`. The graph has the slowest
//! of the *mean* times of the workers, and a sweep waits for the slowest of their times as they are. On a
//! machine that is busy these differ by a sixth and more, so the graph predicts too little, and the fit to
//! whole runs, which has seen the waits, is nearer. It is the one that is drawn. Sizes are the rows inside of
//! the plate. `cargo run --release --example heat -- --full --svg heat.svg --runs heat.csv` goes to four
//! times the fitted sizes, draws a picture and keeps all timed runs.

mod figure;
#[path = "programs/loops/mod.rs"]
mod loops;
#[path = "programs/plate.rs"]
mod plate;
#[path = "programs/study.rs"]
mod study;

use std::error::Error;

use loops::{Manner, OnThreads, TYPES, Team, Wire};
use plate::{Edges, Plate, Settled, Until};
use skel::distribute::Schedule;
use skel::fit::graph::Graph;
use skel::fit::runs::{Trial, median};
use skel::fit::{LinearModel, Power, TwoSteps};
use study::{Compared, Measurements, Options, Predicted, play, print};

const SWEEPS: u32 = 6;
const RUNS: u32 = 5;

/// On threads, the plate has settled when no point changes by as much in a sweep.
const SETTLED: f64 = 0.5;

/// A sweep on all workers, as often as there are sweeps. Each sends its borders, and gets those of its
/// neighbours.
const GRAPH: &str = "graph heat(p, sweeps) {
    loop sweeps {
        par {
            process fast * (p/3)   { exchange send_borders; comp fast;   exchange get_borders; }
            process middle * (p/3) { exchange send_borders; comp middle; exchange get_borders; }
            process slow * (p/3)   { exchange send_borders; comp slow;   exchange get_borders; }
        }
    }
}";

/// A plate with so many rows inside, hot at the top.
fn plate(rows: usize) -> Plate {
    Plate::new(rows + 2, 0.25, Edges { top: 100.0, left: 0.0, right: 0.0, bottom: 0.0 })
}

/// Workers of which a third are on machines of each type.
fn team(p: u32) -> Result<Team, Box<dyn Error>> {
    Team::of([p as usize / 3; 3])
}

fn measure(rows: usize, p: u32, wire: &mut Wire) -> Result<study::Measured, Box<dyn Error>> {
    let team = team(p)?;
    let pace = |worker: usize, _| team.machines[worker].tenths;
    let mut plate = plate(rows);
    let manner = Manner { schedule: Schedule::Vrp, has_master: false };
    play(&team, manner, &pace, wire, |loops| plate.settle(loops, Until::Sweeps(SWEEPS)).map(drop))
}

/// The models of the parts.
struct Parts {
    graph: Graph,
    rows: Vec<LinearModel<1>>,
    message: LinearModel<1>,
}

impl Parts {
    fn fit(measurements: &Measurements) -> Result<Self, Box<dyn Error>> {
        let rows =
            TYPES.iter().map(|machine| measurements.item_model(machine.name, [Power::ONE, Power::new(1, 1)]));
        let graph = Graph::from_text(GRAPH).map_err(|problems| format!("{problems:?}"))?;
        Ok(Parts { graph, rows: rows.collect::<Result<_, _>>()?, message: measurements.message_model()? })
    }

    /// The largest block of a type of machine takes as long as its rows.
    fn predict(&self, rows: usize, p: u32) -> Result<Predicted, Box<dyn Error>> {
        let shares = team(p)?.performance.shares(rows as u64);
        let blocks = shares.chunks(p as usize / 3).map(|shares| shares.iter().max().copied().unwrap_or(0));
        let blocks: Vec<f64> = blocks.map(|rows| rows as f64).collect();
        let row = |machine: usize| self.rows[machine].predict([rows as f64], 0.95);
        let message = self.message.predict([2.0 * (rows + 2) as f64], 0.95);
        let is_extrapolated = !(row(0).warnings.is_empty() && message.warnings.is_empty());
        Predicted::composed(is_extrapolated, |side| {
            let model = |segment: &str| {
                let machine = TYPES.iter().position(|machine| machine.name == segment);
                Some(machine.map_or(side.of(&message), |machine| blocks[machine] * side.of(&row(machine))))
            };
            let parameters = [("p", f64::from(p)), ("sweeps", f64::from(SWEEPS))];
            Ok(self.graph.times_with(&parameters, model)?.seconds)
        })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read()?;
    let (small, large): (&[usize], &[usize]) = match options.is_full {
        false => (&[168, 252, 336], &[504, 672]),
        true => (&[336, 504, 672, 840], &[1008, 1344, 2016, 3360]),
    };
    let mut wire = Wire::new()?;
    let mut measurements = Measurements::default();
    for run in 1..=RUNS {
        for &rows in small {
            for p in [3, 6, 9] {
                let measured = measure(rows, p, &mut wire)?;
                measurements.add("heat", Trial::new(rows as f64).processes(p).number(run), &measured)?;
            }
        }
    }
    let parts = Parts::fit(&measurements)?;
    for (machine, model) in TYPES.iter().zip(&parts.rows) {
        println!("seconds of a row of n points, {}: {}", machine.name, model.function);
    }
    println!("seconds of a message: {}", parts.message.function);
    let terms = [Power::ONE, Power::new(2, 1)];
    let whole = TwoSteps::fit(&terms, &measurements.points("heat", "team"))?;
    println!("seconds of {SWEEPS} sweeps, in two steps: {}", whole.function);

    let (mut composed, mut fitted) = (Vec::new(), Vec::new());
    for &rows in large {
        for p in [9, 12] {
            let times: Vec<f64> = (0..RUNS)
                .map(|_| Ok(measure(rows, p, &mut wire)?.seconds))
                .collect::<Result<_, Box<dyn Error>>>()?;
            let (n, measured) = (rows as f64, median(&times).unwrap_or(f64::NAN));
            let compared = |name, predicted| Compared { name, n, p, predicted, measured };
            let name = if p == 9 { "9 workers" } else { "12 workers" };
            composed.push(compared(name, parts.predict(rows, p)?));
            let prediction = whole.predict([n, f64::from(p)], 0.95);
            fitted.push(compared(name, Predicted::of(&prediction)));
        }
    }
    print("composed of a row and a message by the graph:", &composed);
    print("fitted to whole runs in two steps:", &fitted);
    options.keep(&measurements.runs)?;
    let names = [["9 workers", "measured, 9"], ["12 workers", "measured, 12"]];
    options.draw("Heat on a plate, predicted and measured", &names, &fitted)?;
    on_threads(large[0])
}

/// The same on threads, which have the plate in common: the time that passes.
fn on_threads(rows: usize) -> Result<(), Box<dyn Error>> {
    let team = Team::of([1, 1, 0])?;
    let mut plate = plate(rows);
    let mut loops = OnThreads::new(&team, Schedule::Vrp);
    let Settled { sweeps, change } = plate.settle(&mut loops, Until::Change(SETTLED))?;
    let milliseconds = loops.seconds * 1e3;
    println!(
        "\non two threads of speeds 1 and 1/1.6: {sweeps} sweeps of {rows} rows took {milliseconds:.3} ms as time passes"
    );
    println!(
        "the last sweep changed a point by {change:.3} at most; heat {:.3}, {:.4} in the corner",
        plate.heat(),
        plate.at(1, 1)
    );
    Ok(())
}
