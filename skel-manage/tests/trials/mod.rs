//! Programs in virtual time under three managers: what happened, by truth and measured.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use skel_core::skeleton::{Communication, Program, Skeleton, Stage, StageId, Tree, text::parse};
use skel_manage::rule::Rules;
use skel_manage::simulate::{Load, Simulation};
use skel_manage::{Action, Actuators, Consult, Contract, Decision, Event, Manager, Settings};
use skel_run::monitor::Snapshot;
use skel_solve::Perform;

/// How often a manager looks.
pub const TICK: Duration = Duration::from_millis(250);

/// Over how long a service time is measured.
pub const SLIDING: Duration = Duration::from_secs(5);

/// The three managers that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Chain,
    Formula,
    OneMore,
}

/// The paper's rules, with `T_W / n` where it prints `T_W`: one worker more, one fewer.
const ONE_MORE: &str = r#"
[[rule]]
name = "one more"
priority = 100
when = "service_time > limit and stage_time >= max(dispatch_time, collect_time)"
then = "add 1"

[[rule]]
name = "one fewer"
priority = 50
when = "service_time < 90% * contract and workers > 1"
then = "remove 1"
"#;

impl Kind {
    pub fn manager(self, contract: Contract) -> Manager {
        let settings = Settings::default();
        match self {
            Kind::Chain => Manager::new(contract, Rules::predefined(), settings),
            Kind::Formula => {
                Manager::new(contract, Rules::predefined(), settings.consult(Consult::Formula))
            }
            Kind::OneMore => {
                // It knows no evidence: a window of 100 services, a window of rest.
                let mut settings = settings.services(100);
                settings.evident = f64::INFINITY;
                Manager::new(contract, Rules::none().with_toml(ONE_MORE).expect("rules"), settings)
            }
        }
    }
}

/// What came of a trial.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// For how many seconds the program as it was took longer than the contract, by its chain.
    pub by_truth: f64,
    /// For how many seconds the service time of the last 5 seconds was beyond the limit.
    pub measured: f64,
    /// When which numbers of replicas were set, in seconds.
    pub actions: Vec<(f64, StageId, u32, u32)>,
    /// The violations that were reported.
    pub reports: Vec<String>,
    pub events: Vec<Event>,
    /// The numbers in the end.
    pub last: String,
    pub replicas: Vec<(f64, u32)>,
}

pub fn program(text: &str) -> Program<Tree> {
    parse(text).into_tree().expect(text).communicating(Communication::negligible()).buffers(4)
}

pub fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// The service times of programs by their chains, each solved once.
#[derive(Default)]
pub struct Truth(RefCell<HashMap<String, f64>>);

impl Truth {
    pub fn service_time(&self, program: &Program<Tree>) -> f64 {
        let text = program.skeleton().to_string();
        if let Some(&known) = self.0.borrow().get(&text) {
            return known;
        }
        let found = 1.0 / program.performance().expect("a chain").throughput();
        self.0.borrow_mut().insert(text, found);
        found
    }

    pub fn solved(&self) -> usize {
        self.0.borrow().len()
    }
}

/// A program under a manager until `end`. `is_above` says of the program as it is whether it takes longer than the contract.
pub fn run(
    mut simulation: Simulation,
    mut manager: Manager,
    end: f64,
    is_above: &mut dyn FnMut(&Simulation) -> bool,
) -> Outcome {
    let ticks = (end / TICK.as_secs_f64()).round() as u32;
    let limit = manager.contract().limit().seconds();
    let mut past: Vec<(Duration, u64)> = vec![(Duration::ZERO, 0)];
    let (mut by_truth, mut measured) = (0.0, 0.0);
    let mut replicas = Vec::new();
    let mut t = [0.0; 4];
    for tick in 1..=ticks {
        let a = std::time::Instant::now();
        simulation.run_until(TICK * tick);
        t[0] += a.elapsed().as_secs_f64();
        let a = std::time::Instant::now();
        by_truth += if is_above(&simulation) { TICK.as_secs_f64() } else { 0.0 };
        t[1] += a.elapsed().as_secs_f64();
        let a = std::time::Instant::now();
        let snapshot = simulation.snapshot();
        t[2] += a.elapsed().as_secs_f64();
        let a = std::time::Instant::now();
        past.push((snapshot.at, snapshot.delivered()));
        measured += if sliding(&past) > limit { TICK.as_secs_f64() } else { 0.0 };
        manager.observe(&snapshot, &mut simulation);
        t[3] += a.elapsed().as_secs_f64();
        replicas.push((snapshot.at.as_secs_f64(), simulation.program().skeleton().task_count() as u32));
    }
    println!("{t:?}");
    let events = manager.log().events.clone();
    Outcome {
        by_truth,
        measured,
        actions: actions(&events),
        reports: reports(&events),
        last: simulation.program().skeleton().to_string(),
        events,
        replicas,
    }
}

/// The service time of the last seconds; of the whole while it is shorter.
fn sliding(past: &[(Duration, u64)]) -> f64 {
    let &(now, delivered) = past.last().expect("a moment");
    let begin = past.iter().rev().find(|(at, _)| *at + SLIDING <= now).unwrap_or(&past[0]);
    (now - begin.0).as_secs_f64() / (delivered - begin.1) as f64
}

pub fn decisions(events: &[Event]) -> impl Iterator<Item = &Decision> {
    events.iter().filter_map(|event| match event {
        Event::Decided(decision) => Some(&**decision),
        _ => None,
    })
}

pub fn actions(events: &[Event]) -> Vec<(f64, StageId, u32, u32)> {
    let of = |decision: &Decision| {
        let at = decision.at.as_secs_f64();
        decision.actions.iter().filter_map(move |action| match action {
            Action::SetReplicas { stage, from, to } => Some((at, *stage, *from, *to)),
            _ => None,
        }).collect::<Vec<_>>()
    };
    decisions(events).flat_map(of).collect()
}

pub fn reports(events: &[Event]) -> Vec<String> {
    let of = |decision: &Decision| {
        decision.actions.iter().filter_map(|action| match action {
            Action::Report { reason } => Some(reason.clone()),
            _ => None,
        }).collect::<Vec<_>>()
    };
    decisions(events).flat_map(of).collect()
}
