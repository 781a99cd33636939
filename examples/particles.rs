//! Particles under gravity: timed for few particles, predicted for more of them and more processes, and timed
//! there.
//!
//! After J. M. Laine and E. T. Midorikawa (PEMPIs-Het), section 5.2: every particle attracts every other one.
//! Before each step the master sends the positions of all particles to each worker, and a worker sends the
//! new state of its own ones back. A third of the workers are fast, a third take 1.6 times as long for a
//! particle, and a third 8 times, since they repeat their work; each gets its share by that.
//!
//! The workers are played in turn on one processor, see `programs/loops/in_turn.rs`: every force is computed
//! and every message sent, and a program's time is made of the processor times of its parts, as if each
//! worker had a processor of its own. The time that passes on threads is printed at the end, for comparison.
//!
//! There are two predictions. One is composed of models of a particle and of a message by a graph DP*Graph++.
//! The other is the paper's fit in two steps to whole runs (Equation 13 without the term of `n`).
//! `cargo run --release --example particles -- --full --svg particles.svg --runs particles.csv` goes to four
//! times the fitted sizes, draws a picture and keeps all timed runs.

mod figure;
#[path = "programs/gravity.rs"]
mod gravity;
#[path = "programs/loops/mod.rs"]
mod loops;
#[path = "programs/study.rs"]
mod study;

use std::error::Error;

use gravity::Particles;
use loops::{Manner, OnThreads, TYPES, Team, Wire};
use skel::distribute::Schedule;
use skel::fit::graph::Graph;
use skel::fit::runs::{Trial, median};
use skel::fit::{LinearModel, Power, TwoSteps};
use study::{Compared, Measurements, Options, Predicted, play, print};

const STEPS: u32 = 3;
const LENGTH: f64 = 0.001;
const RUNS: u32 = 5;

/// A step: the master sends the positions to one worker after the other, all compute, and it gets what the
/// last one to finish has computed.
const GRAPH: &str = "graph particles(p, steps) {
    loop steps {
        loop p { bcast positions; }
        par {
            process fast * (p/3)   { comp fast; }
            process middle * (p/3) { comp middle; }
            process slow * (p/3)   { comp slow; }
        }
        recv state;
    }
}";

/// Workers of which a third are on machines of each type.
fn team(p: u32) -> Result<Team, Box<dyn Error>> {
    Team::of([p as usize / 3; 3])
}

fn measure(count: usize, p: u32, wire: &mut Wire) -> Result<study::Measured, Box<dyn Error>> {
    let team = team(p)?;
    let pace = |worker: usize, _| team.machines[worker].tenths;
    let mut particles = Particles::new(count);
    let manner = Manner { schedule: Schedule::Vrp, has_master: true };
    play(&team, manner, &pace, wire, |loops| particles.pass(loops, STEPS, LENGTH))
}

/// The models of the parts.
struct Parts {
    graph: Graph,
    particles: Vec<LinearModel<1>>,
    message: LinearModel<1>,
}

impl Parts {
    fn fit(measurements: &Measurements) -> Result<Self, Box<dyn Error>> {
        let particles =
            TYPES.iter().map(|machine| measurements.item_model(machine.name, [Power::ONE, Power::new(1, 1)]));
        let graph = Graph::from_text(GRAPH).map_err(|problems| format!("{problems:?}"))?;
        let particles = particles.collect::<Result<_, _>>()?;
        Ok(Parts { graph, particles, message: measurements.message_model()? })
    }

    /// The largest share of a type of machine takes as long as its particles.
    fn predict(&self, count: usize, p: u32) -> Result<Predicted, Box<dyn Error>> {
        let shares = team(p)?.performance.shares(count as u64);
        let most = shares.chunks(p as usize / 3).map(|shares| shares.iter().max().copied().unwrap_or(0));
        let most: Vec<f64> = most.map(|particles| particles as f64).collect();
        let particle = |machine: usize| self.particles[machine].predict([count as f64], 0.95);
        let positions = self.message.predict([3.0 * count as f64], 0.95);
        let state = self.message.predict([6.0 * most[TYPES.len() - 1]], 0.95);
        let is_extrapolated = !(particle(0).warnings.is_empty() && positions.warnings.is_empty());
        Predicted::composed(is_extrapolated, |side| {
            let model = |segment: &str| match TYPES.iter().position(|machine| machine.name == segment) {
                Some(machine) => Some(most[machine] * side.of(&particle(machine))),
                None if segment == "state" => Some(side.of(&state)),
                None => Some(side.of(&positions)),
            };
            let parameters = [("p", f64::from(p)), ("steps", f64::from(STEPS))];
            Ok(self.graph.times_with(&parameters, model)?.seconds)
        })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read()?;
    let (small, large): (&[usize], &[usize]) = match options.is_full {
        false => (&[84, 126, 168], &[210, 252, 336]),
        true => (&[84, 168, 252, 336], &[504, 672, 1008, 1344]),
    };
    let mut wire = Wire::new()?;
    let mut measurements = Measurements::default();
    for run in 1..=RUNS {
        for &count in small {
            for p in [3, 6, 9] {
                let measured = measure(count, p, &mut wire)?;
                measurements.add(
                    "particles",
                    Trial::new(count as f64).processes(p).number(run),
                    &measured,
                )?;
            }
        }
    }
    let parts = Parts::fit(&measurements)?;
    for (machine, model) in TYPES.iter().zip(&parts.particles) {
        println!("seconds of one of n particles, {}: {}", machine.name, model.function);
    }
    println!("seconds of a message: {}", parts.message.function);
    let terms = [Power::ONE, Power::new(2, 1)];
    let whole = TwoSteps::fit(&terms, &measurements.points("particles", "team"))?;
    println!("seconds of {STEPS} steps, in two steps: {}", whole.function);

    let (mut composed, mut fitted) = (Vec::new(), Vec::new());
    for &count in large {
        for p in [9, 12] {
            let times: Vec<f64> = (0..RUNS)
                .map(|_| Ok(measure(count, p, &mut wire)?.seconds))
                .collect::<Result<_, Box<dyn Error>>>()?;
            let (n, measured) = (count as f64, median(&times).unwrap_or(f64::NAN));
            let compared = |name, predicted| Compared { name, n, p, predicted, measured };
            let name = if p == 9 { "9 workers" } else { "12 workers" };
            composed.push(compared(name, parts.predict(count, p)?));
            let prediction = whole.predict([n, f64::from(p)], 0.95);
            fitted.push(compared(name, Predicted::of(&prediction)));
        }
    }
    print("composed of a particle and a message by the graph:", &composed);
    print("fitted to whole runs in two steps:", &fitted);
    options.keep(&measurements.runs)?;
    let names = [["9 workers", "measured, 9"], ["12 workers", "measured, 12"]];
    options.draw("Particles under gravity, predicted and measured", &names, &composed)?;
    on_threads(large[0])
}

/// The same on threads, which have the particles in common: the time that passes.
fn on_threads(count: usize) -> Result<(), Box<dyn Error>> {
    let team = Team::of([1, 1, 0])?;
    let mut particles = Particles::new(count);
    let before = particles.energy();
    let mut loops = OnThreads::new(&team, Schedule::Vrp);
    particles.pass(&mut loops, STEPS, LENGTH)?;
    let milliseconds = loops.seconds * 1e3;
    println!(
        "\non two threads of speeds 1 and 1/1.6: {STEPS} steps of {count} particles took {milliseconds:.3} ms as time passes"
    );
    println!("energy {before:.6} before and {:.6} after", particles.energy());
    Ok(())
}
