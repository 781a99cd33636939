//! Schedules of runs whose replicas come and go, that end early, or that go on with another engine, explored
//! at random by shuttle:
//! `RUSTFLAGS="--cfg shuttle" cargo test --package skel-run --test schedules --target-dir target/shuttle`.
//!
//! `SCHEDULES` in the environment says how many there are of each run; 200 without it.
#![cfg(shuttle)]

#[path = "schedule/actuators.rs"]
mod actuators;
#[cfg(feature = "distribute")]
#[path = "schedule/distribute.rs"]
mod distribute;
#[path = "schedule/team.rs"]
mod team;

use std::time::Instant;

use shuttle::sync::mpsc::channel;
use shuttle::thread;
use skel_core::skeleton::{Program, Skeleton, Stage, StageId, Tree, text};
use skel_run::functions::{Alone, Fallible, Plain, Shared, Start};
use skel_run::report::Ending;
use skel_run::{Chain, Control, Engine, Error, Refused, Run};

/// What another thread does to a run, or whoever takes its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Set(u32, u32),
    Shares(u32, &'static [u32]),
    Split(u32, usize, u32),
    Batch(usize),
    Buffers(u32),
    BuffersBefore(u32, u32),
    Cancel,
    Drain,
}
use Act::{Cancel, Drain, Set};

/// A run and what happens to it.
#[derive(Clone, Copy, Debug)]
struct Case {
    skeleton: &'static str,
    buffers: u32,
    engine: Engine,
    items: u64,
    window: u32,
    acts: &'static [Act],
    /// Whether they are done at once, or when the first item is served.
    at_once: bool,
    /// How many results are taken.
    takes: u64,
    /// The item that fails.
    fails: u64,
    /// Whether it panics there, where a team fails.
    panics: bool,
    /// How often a team tries an item that fails again, and whether it is left out then.
    retries: u32,
    skips: bool,
}

const CASE: Case = Case {
    skeleton: "farm(2, 1);",
    buffers: 1,
    engine: Engine::Threads,
    items: 4,
    window: 1,
    acts: &[],
    at_once: false,
    takes: u64::MAX,
    fails: u64::MAX,
    panics: false,
    retries: 0,
    skips: false,
};

fn program(case: &Case) -> Program<Tree> {
    let tree = text::parse(case.skeleton).into_tree().expect("the skeleton is sound");
    tree.communicating(1e6).buffers(case.buffers)
}

impl Case {
    /// Whether an item has a result.
    fn comes(&self, place: u64) -> bool {
        let is_state = team::is_state(place) && team::has_state(program(self).skeleton());
        !is_state && !(self.skips && place == self.fails)
    }
}

/// Explores schedules of a run.
fn explore(case: Case) {
    let is_task = |stage: &&Stage| matches!(stage, Stage::Task(_));
    let tasks = program(&case).skeleton().stages().iter().filter(is_task).count();
    let run = move || match tasks {
        _ if team::run(case, program(&case).skeleton()).is_some() => {}
        1 => with_functions(case, |begun| Start.then(shared(begun, case.fails))),
        2 => with_functions(case, |begun| Start.then(shared(begun, case.fails)).then(shared(None, u64::MAX))),
        3 => with_functions(case, |begun| {
            Start.then(alone(begun)).then(shared(None, case.fails)).then(shared(None, u64::MAX))
        }),
        other => panic!("{other} tasks"),
    };
    try_schedules(case, run);
}

/// Runs this as often as it is asked for.
fn try_schedules(case: Case, run: impl Fn() + Send + Sync + 'static) {
    try_schedules_of(&format!("`{}`: {:?}", case.skeleton, case.acts), run);
}

/// The same of something that has a name.
fn try_schedules_of(name: &str, run: impl Fn() + Send + Sync + 'static) {
    let count = std::env::var("SCHEDULES").map_or(200, |count| count.parse().expect("SCHEDULES is a number"));
    let began = Instant::now();
    // Threads whose stacks are small are cheaper to begin.
    let mut config = shuttle::Config::new();
    config.stack_size = 0x10000;
    config.max_steps = shuttle::MaxSteps::FailAfter(200_000);
    shuttle::Runner::new(shuttle::scheduler::RandomScheduler::new(count), config).run(run);
    println!("{count} schedules in {:.1?} of {name}", began.elapsed());
}

type Begun = Option<shuttle::sync::mpsc::Sender<()>>;

fn begins(begun: &Begun, item: u64) {
    if item == 0 {
        // Nobody may wait for it.
        let _ = begun.iter().try_for_each(|begun| begun.send(()));
    }
}

fn shared(
    begun: Begun,
    fails: u64,
) -> Shared<u64, Fallible<u64, String>, impl Fn(u64) -> Result<u64, String> + Sync + Send> {
    let begun = std::sync::Mutex::new(begun);
    Shared::new(move |item: u64| {
        // Another thread may come next at any operation that shuttle knows, and it does not know this lock.
        let begun = begun.lock().unwrap().clone();
        begins(&begun, item);
        if item / 1000 == fails { Err("the item fails".to_owned()) } else { Ok(item) }
    })
}

fn alone(begun: Begun) -> Alone<u64, Plain<u64>, impl FnMut(u64) -> u64 + Send> {
    let mut next = 0;
    Alone::new(move |item: u64| {
        begins(&begun, item);
        assert_eq!(item, next, "a task on one thread sees items in order");
        next += 1000;
        item
    })
}

fn with_functions<C: Chain<In = u64, Out = u64>>(case: Case, functions: impl FnOnce(Begun) -> C) {
    let (control, (begun, begins)) = (Control::new(), channel());
    let other = control.clone();
    let actor = thread::spawn(move || {
        if !case.at_once {
            // The run may end before.
            let _ = begins.recv();
        }
        case.acts.iter().for_each(|act| act_on(&other, *act));
    });
    let run = Run::from_generated_code(program(&case), functions(Some(begun)))
        .engine(case.engine)
        .batch(1)
        .window(case.window)
        .controlled_by(&control);
    let results = std::cell::RefCell::new(Vec::new());
    let answer = run.results((0..case.items).map(|item| item * 1000), |items| {
        items.take(case.takes as usize).for_each(|item| results.borrow_mut().push(item / 1000));
    });
    actor.join().unwrap();
    let report = match &answer {
        Ok((_, report)) => report,
        Err(Error::Failed(failure)) => {
            assert_eq!(failure.place(), case.fails);
            failure.report()
        }
        Err(other) => panic!("{other}"),
    };
    let results = results.into_inner();
    let comes = |place: &u64| case.comes(*place);
    let expected: Vec<u64> = (0..case.items).filter(comes).take(results.len()).collect();
    assert_eq!(results, expected, "in order, and none is missing");
    let sum = report.delivered() + report.skipped() + report.states() + report.discarded() + report.failed();
    assert_eq!(report.taken(), sum, "every item is counted once");
    let end = match report.ending() {
        Ending::Completed => case.items,
        Ending::Drained => report.taken(),
        Ending::Failed => case.fails,
        Ending::Cancelled => results.last().map_or(0, |last| last + 1),
        other => panic!("{other}"),
    };
    assert_eq!(results.len(), (0..end).filter(comes).count(), "{}", report.ending());
    let may_be_cancelled = case.acts.contains(&Cancel) || case.takes < case.items;
    assert!(may_be_cancelled || report.ending() != Ending::Cancelled);
}

fn act_on(control: &Control, act: Act) {
    match act {
        Cancel => control.cancel(),
        Drain => control.drain(),
        Set(stage, replicas) => ask(|| control.set_replicas_of(StageId(stage), replicas)),
        Act::Shares(stage, weights) => ask(|| control.set_shares_of(StageId(stage), weights)),
        Act::Split(stage, worker, into) => {
            ask(|| control.split_worker_of(StageId(stage), worker, into).map(drop));
        }
        Act::Batch(items) => ask(|| control.set_batch(items)),
        Act::Buffers(capacity) => ask(|| control.set_buffers(capacity)),
        Act::BuffersBefore(stage, capacity) => {
            ask(|| control.set_buffers_before_of(StageId(stage), capacity))
        }
    }
}

/// Asks a few times, as long as the run has not begun.
fn ask(for_something: impl Fn() -> Result<(), Refused>) {
    for _ in 0..3 {
        if for_something() != Err(Refused::NotRunning) {
            return;
        }
        thread::yield_now();
    }
}

/// Each of these with a rendezvous and with buffers.
fn explore_all(cases: &[Case]) {
    for case in cases {
        for buffers in [0, 1] {
            explore(Case { buffers, ..*case });
        }
    }
}

#[test]
fn farm_workers_come_and_go() {
    explore_all(&[
        Case { acts: &[Set(0, 3), Set(0, 1)], ..CASE },
        Case { skeleton: "pipe(task(1), farm(2, 1), task(1));", acts: &[Set(2, 1), Set(2, 3)], ..CASE },
        Case { skeleton: "pipe(farm(2, 1), farm(2, 1));", acts: &[Set(1, 1), Set(3, 1), Set(1, 2)], ..CASE },
    ]);
}

#[test]
fn members_of_deals_come_and_go() {
    explore_all(&[
        Case { skeleton: "deal(2, 1);", acts: &[Set(0, 3), Set(0, 1)], ..CASE },
        Case {
            skeleton: "pipe(task(1), deal(2, 1), task(1));",
            acts: &[Set(2, 1), Set(2, 3), Set(2, 2)],
            ..CASE
        },
        Case { skeleton: "pipe(farm(2, 1), deal(2, 1));", acts: &[Set(3, 1), Set(3, 2)], ..CASE },
        Case { skeleton: "pipe(deal(2, 1), deal(2, 1));", acts: &[Set(1, 1), Set(3, 3)], ..CASE },
    ]);
}

#[test]
fn composite_replicas_come_and_go() {
    explore_all(&[
        Case { skeleton: "farm(2, pipe(task(1), task(1)));", acts: &[Set(0, 1), Set(0, 2)], ..CASE },
        Case { skeleton: "deal(2, pipe(task(1), task(1)));", acts: &[Set(0, 1), Set(0, 2)], ..CASE },
        Case { skeleton: "deal(2, farm(2, 1));", acts: &[Set(1, 1), Set(0, 1), Set(0, 2)], ..CASE },
        Case { skeleton: "pipe(farm(1, 1), deal(2, deal(2, 1)));", acts: &[Set(4, 1), Set(3, 3)], ..CASE },
        Case {
            skeleton: "farm(1, pipe(farm(2, 1), task(1)));",
            acts: &[Set(0, 2), Set(2, 1), Set(0, 1)],
            ..CASE
        },
    ]);
}

#[test]
fn runs_are_cancelled_and_drained() {
    let nested = "pipe(task(1), farm(2, 1), task(1));";
    explore_all(&[
        Case { acts: &[Cancel], ..CASE },
        Case { skeleton: nested, acts: &[Cancel], ..CASE },
        Case { skeleton: nested, acts: &[Drain], ..CASE },
        Case { skeleton: "pipe(deal(2, 1), farm(2, 1));", acts: &[Set(1, 1), Drain], ..CASE },
        Case { skeleton: "deal(2, 1);", acts: &[Set(0, 3), Cancel], ..CASE },
    ]);
}

#[test]
fn runs_end_early() {
    explore_all(&[
        Case { takes: 1, ..CASE },
        Case { skeleton: "pipe(task(1), deal(2, 1), task(1));", takes: 2, ..CASE },
        Case { skeleton: "pipe(task(1), farm(2, 1), task(1));", fails: 2, ..CASE },
        Case { skeleton: "farm(2, pipe(task(1), task(1)));", fails: 1, acts: &[Set(0, 3)], ..CASE },
        Case { skeleton: "deal(2, 1);", fails: 2, acts: &[Set(0, 1)], ..CASE },
    ]);
}

#[test]
fn one_engine_follows_another() {
    let pull = Case { engine: Engine::Pull(2), ..CASE };
    explore_all(&[
        Case { acts: &[Set(0, 3)], ..pull },
        Case { acts: &[Set(0, 3), Drain], items: 8, ..pull },
        Case { acts: &[Set(0, 1), Cancel], items: 8, ..pull },
        Case { skeleton: "pipe(task(1), farm(2, 1), task(1));", acts: &[Set(2, 1), Set(2, 3)], ..pull },
        Case { acts: &[Set(0, 3), Set(0, 1)], at_once: true, ..pull },
    ]);
}

#[test]
fn requests_come_when_a_run_begins() {
    explore_all(&[
        Case { acts: &[Set(0, 3)], at_once: true, ..CASE },
        Case { skeleton: "deal(2, 1);", acts: &[Set(0, 3)], at_once: true, ..CASE },
        Case { acts: &[Drain], at_once: true, ..CASE },
        Case { acts: &[Cancel], at_once: true, ..CASE },
    ]);
}

#[test]
fn workers_of_maps_come_and_go() {
    explore_all(&[
        Case { skeleton: "map(2, 1);", acts: &[Set(0, 3), Set(0, 1)], ..CASE },
        Case { skeleton: "pipe(task(1), map(2, 1), task(1));", acts: &[Set(2, 1), Set(2, 3)], ..CASE },
        Case { skeleton: "farm(2, map(2, 1));", acts: &[Set(1, 3), Set(0, 1)], ..CASE },
        Case { skeleton: "deal(2, map(2, 1));", acts: &[Set(0, 3), Set(1, 1), Set(0, 2)], ..CASE },
        Case { skeleton: "pipe(farm(2, 1), map(2, 1));", acts: &[Set(1, 1), Set(3, 1)], ..CASE },
    ]);
}

#[test]
fn workers_of_votes_come_and_go() {
    explore_all(&[
        Case { skeleton: "fault_tolerant(3, 1);", ..CASE },
        Case { skeleton: "fault_tolerant(5, 1);", acts: &[Set(0, 3), Set(0, 5)], ..CASE },
        Case { skeleton: "fault_tolerant(5, 1, early);", acts: &[Set(0, 3), Set(0, 5)], ..CASE },
        Case { skeleton: "pipe(task(1), fault_tolerant(3, 1, early), task(1));", ..CASE },
        Case { skeleton: "farm(2, fault_tolerant(3, 1, early));", acts: &[Set(0, 1), Set(0, 2)], ..CASE },
        Case { skeleton: "deal(2, fault_tolerant(3, 1, early));", acts: &[Set(0, 1), Set(0, 2)], ..CASE },
        Case { skeleton: "farm(1, fault_tolerant(3, 1));", acts: &[Set(0, 2)], ..CASE },
    ]);
}

#[test]
fn workers_of_maps_with_state_come_and_go() {
    let with_state = Case { skeleton: "map_with_state(2, 1, state(1, 2));", items: 8, ..CASE };
    explore_all(&[
        Case { acts: &[Set(0, 3), Set(0, 1)], ..with_state },
        Case {
            skeleton: "pipe(farm(2, 1), map_with_state(2, 1, state(1, 2)), task(1));",
            acts: &[Set(1, 1), Set(3, 3)],
            ..with_state
        },
    ]);
}

#[test]
fn runs_of_teams_are_cancelled_and_drained() {
    for skeleton in [
        "map(2, 1);",
        "pipe(task(1), fault_tolerant(3, 1, early));",
        "farm(2, fault_tolerant(3, 1));",
        "pipe(map_with_state(2, 1, state(1, 2)), task(1));",
    ] {
        explore_all(&[
            Case { skeleton, acts: &[Cancel], ..CASE },
            Case { skeleton, acts: &[Drain], ..CASE },
            Case { skeleton, acts: &[Set(1, 3), Cancel], at_once: true, ..CASE },
            Case { skeleton, takes: 1, ..CASE },
        ]);
    }
}

#[test]
fn items_fail_in_teams() {
    for skeleton in [
        "map(2, 1);",
        "pipe(task(1), map(3, 1));",
        "farm(2, map(2, 1));",
        "fault_tolerant(3, 1);",
        "deal(2, fault_tolerant(3, 1, early));",
        "fault_tolerant(5, 1, early);",
        "map_with_state(2, 1, state(1, 2));",
    ] {
        let fails = Case { skeleton, fails: 2, ..CASE };
        explore_all(&[
            fails,
            Case { skips: true, retries: 1, ..fails },
            Case { panics: true, retries: 1, ..fails },
            Case { panics: true, skips: true, acts: &[Set(0, 3), Set(1, 3)], ..fails },
        ]);
    }
}

#[test]
fn parts_and_buffers_of_teams_change() {
    explore_all(&[
        Case {
            skeleton: "map(2, 1);",
            acts: &[Act::Shares(0, &[1, 0, 2]), Act::Shares(0, &[1])],
            items: 8,
            ..CASE
        },
        Case {
            skeleton: "farm(2, map(2, 1));",
            acts: &[Act::Shares(1, &[1, 3]), Act::Buffers(2)],
            items: 8,
            ..CASE
        },
        Case {
            skeleton: "pipe(task(1), fault_tolerant(3, 1, early));",
            acts: &[Act::Buffers(2), Cancel],
            items: 8,
            ..CASE
        },
        Case {
            skeleton: "map_with_state(2, 1, state(1, 2));",
            acts: &[Act::Shares(0, &[1, 0, 2])],
            items: 8,
            ..CASE
        },
    ]);
}
