//! Does a program run as its model predicts? Farms of 1 to 13 workers, measured, beside their Markov chains.
//!
//! A task hands out items, the workers of a farm serve them, and a task collects the results in order. The
//! three take 0.5, 4 and 0.5 units of time on average. They sleep that long, so that two cores run many farms
//! at once and the processors do not matter. Sleeps that are exponentially distributed make the program that
//! the chain describes; it is solved here for buffers of 0, 1 and 4 items. Constant sleeps make that of the
//! formula, max{T_S, T_W / n, T_C}, which leaves variation out. So each farm is measured with both.
//!
//! By default 400 items pass through each farm and a unit is 4 ms, which takes some seconds; then the
//! throughput with exponential sleeps is uncertain by several percent.
//! `cargo run --release --example agreement -- 10000 20` has 10,000 items and a unit of 20 ms, takes a
//! quarter of an hour, and is kept in `record`. The figure is written to `target/figures`, or to the folder
//! that is the third argument.
//!
//! What constant sleeps measure does not depend on chance, but on how punctually the machine wakes a thread.
//! So an eighth of the items do for them, and their unit is eight times as long.

mod figure;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use figure::{Curve, Figure, Kuva, STYLES, Style};
use skel::prelude::*;
use skel::run::{Engine, Report};

/// Mean times of the three tasks, in units of time.
const DISPATCH: f64 = 0.5;
const WORK: f64 = 4.0;
const COLLECT: f64 = 0.5;

const WORKERS: std::ops::RangeInclusive<usize> = 1..=13;
const BUFFERS: [u32; 3] = [0, 1, 4];

pipe! {
    /// The times are means, in units of time.
    skeleton Farm(workers: usize) {
        task("dispatch", 1.0 / DISPATCH), farm(workers, "work", 1.0 / WORK), task("collect", 1.0 / COLLECT),
    }
}

/// How the times of a task are distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sleeps {
    Exponential,
    Constant,
}

/// A farm to be measured.
#[derive(Clone, Copy)]
struct Trial {
    workers: usize,
    buffers: u32,
    sleeps: Sleeps,
}

/// How many items pass through a farm, and how many seconds a unit of time has.
#[derive(Clone, Copy)]
struct Extent {
    items: u64,
    unit: f64,
}

impl Extent {
    fn of(self, sleeps: Sleeps) -> Self {
        match sleeps {
            Sleeps::Exponential => self,
            Sleeps::Constant => Extent { items: self.items / 8, unit: self.unit * 8.0 },
        }
    }
}

/// What was measured and what is expected: throughputs in items per unit of time.
struct Outcome {
    trial: Trial,
    measured: f64,
    /// Half of the confidence interval, as a part of the throughput; not known of very few items.
    uncertainty: Option<f64>,
    expected: f64,
}

impl Trial {
    fn program(self) -> Program<Farm> {
        Farm::new(self.workers).communicating(Communication::negligible()).buffers(self.buffers)
    }

    /// The throughput by the model, in items per unit of time.
    fn expected(self) -> skel::Result<f64> {
        match self.sleeps {
            Sleeps::Exponential => Ok(*self.program().performance()?.throughput()),
            Sleeps::Constant => Ok(1.0 / DISPATCH.max(WORK / self.workers as f64).max(COLLECT)),
        }
    }

    fn run(self, Extent { items, unit }: Extent) -> Result<Report<Farm>, skel::run::Error> {
        let serve = |task: u64, mean: f64| {
            move |item: u64| {
                sleep(unit * self.time(mean, 3 * item + task));
                item
            }
        };
        self.program()
            .run()
            .dispatch(serve(0, DISPATCH))
            .work(serve(1, WORK))
            .collect(serve(2, COLLECT))
            .engine(Engine::Threads)
            .batch(1)
            .over(0..items)
    }

    /// The time of the draw with this number, in units of time.
    fn time(self, mean: f64, number: u64) -> f64 {
        match self.sleeps {
            Sleeps::Exponential => -mean * uniform(number + ((self.workers as u64) << 40)).ln(),
            Sleeps::Constant => mean,
        }
    }
}

/// A number between 0 and 1, by the generator SplitMix64 (Steele, Lea, Flood 2014).
fn uniform(number: u64) -> f64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (((bits ^ (bits >> 31)) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// Sleeps so long on average: what a sleep takes too long is taken off from the thread's next one.
fn sleep(seconds: f64) {
    thread_local! { static OVERSLEPT: Cell<f64> = const { Cell::new(0.0) } }
    let wanted = seconds - OVERSLEPT.get();
    let began = Instant::now();
    if wanted > 0.0 {
        thread::sleep(Duration::from_secs_f64(wanted));
    }
    OVERSLEPT.set(began.elapsed().as_secs_f64() - wanted);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let items: u64 = arguments.next().map_or(Ok(400), |items| items.parse())?;
    let unit = 1e-3 * arguments.next().map_or(Ok(4.0), |unit| unit.parse::<f64>())?;
    let folder = arguments.next().map_or_else(default_folder, PathBuf::from);

    let outcomes = measure(Extent { items, unit })?;
    for sleeps in [Sleeps::Exponential, Sleeps::Constant] {
        print_table(sleeps, &outcomes);
    }
    println!("{}", plot(&outcomes, &folder)?.display());
    Ok(())
}

fn default_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/figures")
}

/// All farms at once.
fn measure(extent: Extent) -> Result<Vec<Outcome>, Box<dyn std::error::Error>> {
    let trials = BUFFERS.into_iter().flat_map(|buffers| {
        let sleeps = [Sleeps::Exponential, Sleeps::Constant].into_iter();
        sleeps.flat_map(move |sleeps| WORKERS.map(move |workers| Trial { workers, buffers, sleeps }))
    });
    let reports: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> =
            trials.map(|trial| (trial, scope.spawn(move || trial.run(extent.of(trial.sleeps))))).collect();
        running.into_iter().map(|(trial, thread)| (trial, thread.join().expect("no panic"))).collect()
    });
    let outcome = |(trial, report): (Trial, Result<Report<Farm>, _>)| {
        let throughput = report?.throughput();
        Ok(Outcome {
            trial,
            measured: throughput.rate * extent.of(trial.sleeps).unit,
            uncertainty: throughput.half_width.map(|half| half / throughput.rate),
            expected: trial.expected()?,
        })
    };
    reports.into_iter().map(outcome).collect()
}

impl Outcome {
    /// How much longer the measured service time is than that of the model, as a part of it.
    fn apart(&self) -> f64 {
        self.expected / self.measured - 1.0
    }
}

/// Service times in units of time, with their distance from the model in percent.
fn print_table(sleeps: Sleeps, outcomes: &[Outcome]) {
    let of = |workers, buffers| {
        let is_it =
            |trial: &Trial| (trial.workers, trial.buffers, trial.sleeps) == (workers, buffers, sleeps);
        outcomes.iter().find(|outcome| is_it(&outcome.trial)).expect("each cell was measured")
    };
    let model = if sleeps == Sleeps::Exponential { "the chain" } else { "the formula" };
    println!("{sleeps:?} sleeps: service time by {model}, measured (± 95 %), and how far they are apart");
    print!("workers");
    BUFFERS.iter().for_each(|buffers| print!("  {:^36}", format!("buffers of {buffers}")));
    println!();
    for workers in WORKERS {
        print!("{workers:7}");
        for outcome in BUFFERS.map(|buffers| of(workers, buffers)) {
            let (expected, measured) = (1.0 / outcome.expected, 1.0 / outcome.measured);
            let uncertainty =
                outcome.uncertainty.map_or("-".to_owned(), |part| format!("{:.1}", 100.0 * part));
            print!("  {expected:8.4} {measured:8.4} ±{uncertainty:>4} % {:+7.2} %", 100.0 * outcome.apart());
        }
        println!();
    }
    let cells = outcomes.iter().filter(|outcome| outcome.trial.sleeps == sleeps);
    let apart: Vec<f64> = cells.map(|outcome| 100.0 * outcome.apart()).collect();
    let largest = apart.iter().fold(0.0_f64, |largest, apart| largest.max(apart.abs()));
    let mean = apart.iter().sum::<f64>() / apart.len() as f64;
    println!("apart: {mean:+.2} % on average, {largest:.2} % at most\n");
}

/// The curves of each number of places, with the style of both: a line for what is expected, and marks for
/// what was measured.
const LOOKS: [(&str, &str, Style); 3] = [
    ("chain, no buffer", "measured, no buffer", STYLES[1]),
    ("chain, 1 place", "measured, 1 place", STYLES[5]),
    ("chain, 4 places", "measured, 4 places", STYLES[3]),
];

fn plot(outcomes: &[Outcome], folder: &Path) -> std::io::Result<PathBuf> {
    let points = |sleeps, places: &[u32], figure: fn(&Outcome) -> f64| {
        let is_shown = |trial: &Trial| trial.sleeps == sleeps && places.contains(&trial.buffers);
        let shown = outcomes.iter().filter(|outcome| is_shown(&outcome.trial));
        shown.map(|outcome| (outcome.trial.workers as f64, figure(outcome))).collect::<Vec<_>>()
    };
    let line = |name, style, points| Curve { name, style: Style { marker: None, ..style }, points };
    let marks = |name, style, points| Curve { name, style: Style { dashes: None, ..style }, points };
    let (expected, measured) = (|outcome: &Outcome| outcome.expected, |outcome: &Outcome| outcome.measured);
    let mut curves = vec![
        line("formula", STYLES[0], points(Sleeps::Constant, &[0], expected)),
        marks("measured, constant sleeps", STYLES[0], points(Sleeps::Constant, &BUFFERS, measured)),
    ];
    for (buffers, (chain, trials, style)) in BUFFERS.into_iter().zip(LOOKS).rev() {
        curves.push(line(chain, style, points(Sleeps::Exponential, &[buffers], expected)));
        curves.push(marks(trials, style, points(Sleeps::Exponential, &[buffers], measured)));
    }
    let figure = Figure {
        title: "A farm, as predicted and as measured",
        across: "workers",
        up: "throughput (items per unit of time)",
        is_logarithmic: false,
        curves: curves.iter().collect(),
    };
    figure::write(&figure, &Kuva, folder, "agreement")
}
