//! Three managers side by side keep a promise on this machine while the load doubles.
//!
//! A pipe has stages that take 10, 80 and 10 ms on average, with exponential times, and buffers for four
//! items. It begins with one worker in the middle. The contract is 12 ms for each item. In the middle third
//! of the run the workers take twice as long. One manager decides by the Markov chain, one by the formula
//! that leaves variation out, and one has rules that add or remove one worker at a time, as the paper's have.
//! The tasks sleep, so that a machine with two processors is enough.
//!
//! | | time above the contract | actions | workers |
//! |---|---|---|---|
//! | expected of the chain | at most 10 s | at most 6 | 8, 15 or 16, 8 |
//!
//! "Above" is said in two ways. *True* is how long the program with its numbers of workers and the true times
//! would take more than 12 ms, by its chain. *Measured* is how long the last 5 s had a service time beyond
//! the limit of 12.6 ms.
//!
//! ```sh
//! cargo run --release --example promise                # scaled down: 5 times as fast, 36 s for one run
//! cargo run --release --example promise -- --full      # five runs of 180 s
//! cargo run --release --example promise -- --scale 2 --runs 3 --svg promise.svg
//! ```

use std::collections::HashMap;
use std::path::PathBuf;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use skel::manage::rule::Rules;
use skel::manage::{Action, Chart, Consult, Error, Event, ManagedReport, Settings};
use skel::prelude::*;
use skel::run::monitor::Snapshot;

pipe! {
    /// A stage that hands out, workers, and a stage that collects.
    skeleton Farm(read: f64, work: f64, workers: usize) {
        task("read", read), farm(workers, "work", work), task("write", read)
    }
}

/// What the experiment is, in seconds.
const TIMES: (f64, f64) = (0.010, 0.080);
const CONTRACT: f64 = 0.012;
const SPAN: f64 = 180.0;
const SLIDING: f64 = 5.0;

type Answer<T> = Result<T, Box<dyn std::error::Error>>;

/// What the command line says.
struct Setup {
    /// By what everything is shorter.
    scale: f64,
    runs: u64,
    svg: PathBuf,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Chain,
    Formula,
    OneMore,
}

const KINDS: [Kind; 3] = [Kind::Chain, Kind::Formula, Kind::OneMore];

/// The paper's rules, with `T_W / n` where it prints `T_W`.
const ONE_MORE: &str = r#"
[[rule]]
name = "one more"
priority = 100
when = "service_time > limit and stage_time >= max(dispatch_time, collect_time)"
then = "add 1"
stage = "work"

[[rule]]
name = "one fewer"
priority = 50
when = "service_time < 90% * contract and workers > 1"
then = "remove 1"
stage = "work"
"#;

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Chain => "chain",
            Kind::Formula => "formula",
            Kind::OneMore => "one more",
        }
    }

    fn settings(self) -> Settings {
        match self {
            Kind::Chain => Settings::default(),
            Kind::Formula => Settings::default().consult(Consult::Formula),
            Kind::OneMore => {
                // It does not know when the evidence is overwhelming, so its windows are shorter.
                let mut settings = Settings::default().services(100);
                settings.evident = f64::INFINITY;
                settings
            }
        }
    }
}

fn main() -> Answer<()> {
    let setup = setup()?;
    let mut truth = Truth::default();
    println!(
        "{:<9} {:>3}  {:>10}  {:>14}  {:>7}  workers",
        "manager", "run", "true above", "measured above", "actions"
    );
    let mut first = Vec::new();
    for number in 1..=setup.runs {
        let reports = scope(|scope| {
            let setup = &setup;
            let runs = KINDS.map(|kind| scope.spawn(move || run(kind, number, setup)));
            runs.map(|run| run.join().expect("no panic"))
        });
        for (kind, report) in KINDS.into_iter().zip(reports) {
            let report = report?;
            let (by_truth, measured) = above(&report, &setup, &mut truth)?;
            let steps = steps(&report);
            println!(
                "{:<9} {number:>3}  {by_truth:>8.1} s  {measured:>12.1} s  {:>7}  {}",
                kind.name(),
                steps.len(),
                steps.join(" ")
            );
            if number == 1 {
                first.push(
                    Chart::of(report.contract(), &report.recording().series, report.log())
                        .titled(kind.name()),
                );
            }
        }
    }
    if let Some(folder) = setup.svg.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&setup.svg, Chart::side_by_side(&first)?)?;
    println!(
        "times are those of the experiment of {SPAN} s; the first run is drawn in {}",
        setup.svg.display()
    );
    Ok(())
}

fn setup() -> Answer<Setup> {
    let mut setup = Setup { scale: 5.0, runs: 1, svg: "target/figures/promise.svg".into() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("`{argument}` needs a value"));
        match argument.as_str() {
            "--full" => setup = Setup { scale: 1.0, runs: 5, ..setup },
            "--scale" => setup.scale = value()?.parse()?,
            "--runs" => setup.runs = value()?.parse()?,
            "--svg" => setup.svg = value()?.into(),
            _ => {
                return Err(format!(
                    "`{argument}`: give --full, --scale NUMBER, --runs NUMBER or --svg FILE"
                )
                .into());
            }
        }
    }
    Ok(setup)
}

/// One run of one manager.
fn run(kind: Kind, number: u64, setup: &Setup) -> Result<ManagedReport<Farm>, Error> {
    let began = Instant::now();
    let elapsed = || began.elapsed().as_secs_f64() * setup.scale;
    let pause = |task: u64, item: u64, mean: f64| {
        let time = mean * exponential(number, task, item) / setup.scale;
        sleep(Duration::from_secs_f64(time));
        item
    };
    let rules = match kind {
        Kind::OneMore => Rules::none().with_toml(ONE_MORE),
        Kind::Chain | Kind::Formula => Ok(Rules::predefined()),
    };
    let program =
        Farm::new(setup.scale / TIMES.0, setup.scale / TIMES.1, 1).communicating(Communication::negligible());
    program
        .buffers(4)
        .run()
        .read(|item| pause(0, item, TIMES.0))
        .work(|item| pause(1, item, TIMES.1 * load(elapsed())))
        .write(|item| pause(2, item, TIMES.0))
        .contract(Contract::service_time(mean(CONTRACT / setup.scale)))
        .rules(rules)
        .settings(kind.settings())
        .over((0_u64..).take_while(|_| elapsed() < SPAN))
}

/// How many times as long the workers take.
fn load(at: f64) -> f64 {
    if (SPAN / 3.0..2.0 * SPAN / 3.0).contains(&at) { 2.0 } else { 1.0 }
}

/// An exponential number with mean 1, which is the same for each manager.
fn exponential(run: u64, task: u64, item: u64) -> f64 {
    // SplitMix64 (G. L. Steele and others, 2014).
    let mut bits = (run << 60 ^ task << 56 ^ item).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    let uniform = ((bits ^ bits >> 31) >> 11) as f64 / (1_u64 << 53) as f64;
    -(1.0 - uniform).ln()
}

/// For how long the contract was broken, by truth and as it was measured, in the time of the experiment.
fn above(report: &ManagedReport<Farm>, setup: &Setup, truth: &mut Truth) -> Answer<(f64, f64)> {
    let snapshots = report.recording().series.snapshots();
    let limit = report.contract().limit().seconds();
    let (mut by_truth, mut measured) = (0.0, 0.0);
    for pair in snapshots.windows(2) {
        let at = pair[1].at.as_secs_f64() * setup.scale;
        let span = pair[1].since(&pair[0]).span().as_secs_f64() * setup.scale;
        let workers = pair[1].tasks[1].running();
        if at < SPAN && workers > 0 && truth.service_time(workers, load(at))? > CONTRACT {
            by_truth += span;
        }
        if at < SPAN && sliding(snapshots, &pair[1], SLIDING / setup.scale) > limit {
            measured += span;
        }
    }
    Ok((by_truth, measured))
}

/// The service time of the last while before a snapshot, or of all that is before it.
fn sliding(snapshots: &[Snapshot], now: &Snapshot, length: f64) -> f64 {
    let is_before = |one: &&Snapshot| one.at.as_secs_f64() + length <= now.at.as_secs_f64();
    let window = now.since(snapshots.iter().rev().find(is_before).unwrap_or(&snapshots[0]));
    1.0 / window.throughput()
}

/// The service times by the chain, each solved once.
#[derive(Default)]
struct Truth(HashMap<(usize, bool), f64>);

impl Truth {
    fn service_time(&mut self, workers: usize, load: f64) -> Answer<f64> {
        if let Some(&known) = self.0.get(&(workers, load > 1.0)) {
            return Ok(known);
        }
        let program = Farm::new(1.0 / TIMES.0, 1.0 / (load * TIMES.1), workers);
        let program = program.communicating(Communication::negligible()).buffers(4);
        let time = 1.0 / program.performance()?.throughput();
        self.0.insert((workers, load > 1.0), time);
        Ok(time)
    }
}

/// The numbers of workers that were set, one behind the other.
fn steps(report: &ManagedReport<Farm>) -> Vec<String> {
    let decided = report.log().events.iter().filter_map(|event| match event {
        Event::Decided(decision) => Some(&decision.actions),
        _ => None,
    });
    decided
        .flatten()
        .filter_map(|action| match action {
            Action::SetReplicas { to, .. } => Some(to.to_string()),
            _ => None,
        })
        .collect()
}
