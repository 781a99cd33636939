//! Programs in virtual time under three managers: what happened, by truth and measured.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use skel_core::number::Number;
use skel_core::skeleton::{Communication, Program, Skeleton, StageId, Tree, text::parse};
use skel_manage::rule::Rules;
use skel_manage::simulate::Simulation;
use skel_manage::{
    Action, Consult, Contract, Event, Manager, Measures, Model, ServiceTime, Settings, StageMeasures,
};

/// How often a manager looks at a program of some ten milliseconds for each item.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// Over how long a service time is measured.
pub(crate) const SLIDING: Duration = Duration::from_secs(5);

/// The three managers that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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
    pub(crate) fn manager(self, contract: Contract) -> Manager {
        let settings = Settings::default();
        match self {
            Kind::Chain => Manager::new(contract, Rules::predefined(), settings),
            Kind::Formula => Manager::new(contract, Rules::predefined(), settings.consult(Consult::Formula)),
            Kind::OneMore => {
                // It knows no evidence: one worker more in two windows of 100 services.
                let mut settings = settings.services(200);
                settings.evident = f64::INFINITY;
                Manager::new(contract, Rules::none().with_toml(ONE_MORE).expect("rules"), settings)
            }
        }
    }
}

/// What came of a trial.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// For how many seconds the program as it was took longer than the contract, by its chain.
    pub(crate) by_truth: f64,
    /// For how many seconds the service time of the last 5 seconds was beyond the limit.
    pub(crate) measured: f64,
    /// The numbers of replicas that were set.
    pub(crate) changes: Vec<Change>,
    /// The violations that were reported.
    pub(crate) reports: Vec<String>,
}

/// Another number of replicas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// In seconds.
    pub(crate) at: f64,
    /// How many items had left the program.
    pub(crate) delivered: u64,
    pub(crate) stage: StageId,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

impl Outcome {
    /// `2 s: 1 -> 9, 63 s: 9 -> 17`
    pub(crate) fn steps(&self) -> String {
        let step = |change: &Change| format!("{:.0} s: {} -> {}", change.at, change.from, change.to);
        self.changes.iter().map(step).collect::<Vec<_>>().join(", ")
    }

    /// How many workers the farm has then, which begins with one.
    pub(crate) fn workers_at(&self, at: f64) -> u32 {
        self.changes.iter().take_while(|change| change.at <= at).last().map_or(1, |change| change.to)
    }

    /// The changes that took back the one before them at the same place, before so many items had left.
    pub(crate) fn undone_within(&self, items: u64) -> Vec<(Change, Change)> {
        let pairs = self.changes.iter().enumerate().filter_map(|(number, change)| {
            let earlier =
                self.changes[..number].iter().rev().find(|earlier| earlier.stage == change.stage)?;
            Some((*earlier, *change))
        });
        let is_undone = |(earlier, change): &(Change, Change)| {
            (change.to > change.from) != (earlier.to > earlier.from)
                && change.delivered - earlier.delivered < items
        };
        pairs.filter(is_undone).collect()
    }
}

pub(crate) fn program(text: &str) -> Program<Tree> {
    parse(text).into_tree().expect(text).communicating(Communication::negligible()).buffers(4)
}

pub(crate) fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// The service times of programs by their chains, each solved once.
#[derive(Default)]
pub(crate) struct Truth(RefCell<HashMap<String, f64>>);

impl Truth {
    pub(crate) fn service_time(&self, program: &Program<Tree>) -> f64 {
        let text = program.skeleton().to_string();
        if let Some(&known) = self.0.borrow().get(&text) {
            return known;
        }
        let found = Model::calibrated(program, &exact_measures(program)).predict(&[]).chain.seconds();
        self.0.borrow_mut().insert(text, found);
        found
    }
}

/// A program under a manager that looks every `tick`, until `end`. `is_above` says of the program as it is
/// whether it takes longer than the contract.
pub(crate) fn run(
    mut simulation: Simulation,
    mut manager: Manager,
    tick: Duration,
    end: f64,
    is_above: &mut dyn FnMut(&Simulation) -> bool,
) -> Outcome {
    let ticks = (end / tick.as_secs_f64()).round() as u32;
    let limit = manager.contract().limit().seconds();
    let mut past: Vec<(Duration, u64)> = vec![(Duration::ZERO, 0)];
    let (mut by_truth, mut measured) = (0.0, 0.0);
    let mut changes = Vec::new();
    for number in 1..=ticks {
        simulation.run_until(tick * number);
        by_truth += if is_above(&simulation) { tick.as_secs_f64() } else { 0.0 };
        let snapshot = simulation.snapshot();
        past.push((snapshot.at, snapshot.delivered()));
        measured += if sliding(&past) > limit { tick.as_secs_f64() } else { 0.0 };
        for event in manager.observe(&snapshot, &mut simulation) {
            changes.extend(changes_of(&event, snapshot.delivered()));
        }
    }
    Outcome { by_truth, measured, changes, reports: reports(&manager.log().events) }
}

/// The service time of the last seconds; of the whole while it is shorter.
fn sliding(past: &[(Duration, u64)]) -> f64 {
    let &(now, delivered) = past.last().expect("a moment");
    let begin = past.iter().rev().find(|(at, _)| *at + SLIDING <= now).unwrap_or(&past[0]);
    (now - begin.0).as_secs_f64() / (delivered - begin.1) as f64
}

fn changes_of(event: &Event, delivered: u64) -> Vec<Change> {
    let Event::Decided(decision) = event else { return Vec::new() };
    let at = decision.at.as_secs_f64();
    let change = |action: &Action| match action {
        &Action::SetReplicas { stage, from, to } => Some(Change { at, delivered, stage, from, to }),
        _ => None,
    };
    decision.actions.iter().filter_map(change).collect()
}

fn reports(events: &[Event]) -> Vec<String> {
    let actions = events.iter().flat_map(|event| match event {
        Event::Decided(decision) => decision.actions.clone(),
        _ => Vec::new(),
    });
    actions
        .filter_map(|action| match action {
            Action::Report { reason } => Some(reason),
            _ => None,
        })
        .collect()
}

/// What a perfect measurement of a program of exponential times says: the times of its tasks as they are.
pub(crate) fn exact_measures(program: &Program<Tree>) -> Measures {
    let tree = program.skeleton();
    let stage = |id: StageId| {
        let time = tree.time(id).expect("a time").mean().to_float();
        StageMeasures {
            replicas: tree.tasks().iter().filter(|of| **of == id).count() as u32,
            ..StageMeasures::always_busy(id, tree.name(id), time, 1 << 40)
        }
    };
    Measures {
        at: 1.0,
        span: 1.0,
        items: 1 << 40,
        items_in_a_parcel: 1.0,
        service_time: ServiceTime::of_seconds(1.0),
        error: 0.0,
        arrival_time: None,
        output_time: None,
        stages: tree.leaves().map(stage).collect(),
    }
}

/// Numbers for what is drawn in tests: SplitMix64, see `Simulation`.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    /// From 0 on, below 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Between two numbers.
    pub(crate) fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.uniform()
    }
}
