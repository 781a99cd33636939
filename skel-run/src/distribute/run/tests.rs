//! The loop on a clock that stands until all workers have said for how long they work: what it does is then
//! exactly what the simulation says.

use std::collections::BTreeSet;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use proptest::prelude::*;
use skel_distribute::simulate::Piece;
use skel_distribute::{RelativePerformance, Scenario, Schedule};

use super::{Ended, Patience, Plan, Time, execute};
use crate::distribute::learned::Learned;
use crate::distribute::report::{Choice, LoopPiece, LoopReport};

/// A clock that goes on to the next moment at which a worker has something to do, when none has anything to
/// do before. One worker runs at a time. Of those with something to do at one moment, one that is lost then
/// is first, and otherwise that of the lowest number, as in the simulation.
struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    now: f64,
    /// When workers go on. Floats that are not negative are in the order of their bits.
    turns: BTreeSet<(u64, Then, usize)>,
    resting: BTreeSet<usize>,
    running: Option<usize>,
}

/// What a worker does when it goes on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Then {
    IsLost,
    Asks,
}

impl Turns {
    fn new(workers: usize) -> Turns {
        let turns = (0..workers).map(|worker| (0, Then::Asks, worker)).collect();
        let state = State { now: 0.0, turns, resting: BTreeSet::new(), running: None };
        Turns { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The worker works until a moment.
    fn work_until(&self, worker: usize, end: f64, then: Then) {
        let mut state = self.lock();
        state.turns.insert((end.to_bits(), then, worker));
        self.pass_on(state);
        self.goes_on(worker);
    }

    fn pass_on(&self, mut state: MutexGuard<'_, State>) {
        state.running = None;
        self.changed.notify_all();
    }
}

impl Time for Turns {
    fn now(&self) -> f64 {
        self.lock().now
    }

    fn goes_on(&self, worker: usize) {
        let mut state = self.lock();
        loop {
            let next = state.turns.first().copied();
            match (state.running, next) {
                (None, Some((at, _, first))) if first == worker => {
                    state.turns.pop_first();
                    state.now = f64::from_bits(at);
                    state.running = Some(worker);
                    return;
                }
                _ => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn rests(&self, worker: usize) {
        let mut state = self.lock();
        state.resting.insert(worker);
        self.pass_on(state);
    }

    fn wakes(&self) {
        let mut state = self.lock();
        let now = state.now.to_bits();
        let resting = std::mem::take(&mut state.resting);
        state.turns.extend(resting.into_iter().map(|worker| (now, Then::Asks, worker)));
    }

    fn leaves(&self, _worker: usize) {
        self.pass_on(self.lock());
    }
}

/// A machine takes so many seconds for an item, and from a time on some multiple of them. It may be lost at a
/// time.
#[derive(Clone, Copy, Debug)]
struct Machine {
    seconds: u32,
    change: Option<(u32, u32)>,
    lost_at: Option<u32>,
}

impl Machine {
    /// When it has finished so many items. The arithmetic is that of the simulation, in whole numbers.
    fn end(self, start: f64, items: u64) -> f64 {
        let (seconds, items) = (f64::from(self.seconds), items as f64);
        let whole = start + items * seconds;
        match self.change {
            Some((at, factor)) if start >= f64::from(at) => start + items * seconds * f64::from(factor),
            Some((at, factor)) if whole > f64::from(at) => {
                let at = f64::from(at);
                at + (items - (at - start) / seconds) * (seconds * f64::from(factor))
            }
            _ => whole,
        }
    }

    /// Works on some items, or panics where it is lost.
    fn work(self, worker: usize, items: &Range<u64>, clock: &Turns) {
        let start = clock.now();
        let end = self.end(start, items.end - items.start);
        match self.lost_at.map(f64::from) {
            Some(at) if at < end => {
                clock.work_until(worker, at.max(start), Then::IsLost);
                // Without the hook, which would print a message.
                resume_unwind(Box::new("lost"));
            }
            _ => clock.work_until(worker, end, Then::Asks),
        }
    }
}

/// Times that are powers of two are divided without rounding.
fn machine() -> impl Strategy<Value = Machine> {
    let change = proptest::option::of((0_u32..200, prop_oneof![Just(2_u32), Just(4)]));
    (0_u32..4, change).prop_map(|(power, change)| Machine { seconds: 1 << power, change, lost_at: None })
}

fn schedule() -> impl Strategy<Value = Schedule> {
    prop_oneof![
        4 => proptest::sample::select(Schedule::PLAIN.to_vec()),
        1 => (1_u64..40).prop_map(|items| Schedule::Chunked { items }),
        2 => (1_u64..20).prop_map(|phases| Schedule::VrpSelfScheduling { phases }),
    ]
}

fn machines() -> impl Strategy<Value = Vec<Machine>> {
    (proptest::collection::vec(machine(), 1..6), proptest::option::of((0_usize..6, 1_u32..300))).prop_map(
        |(mut machines, loss)| {
            if let Some((lost, at)) = loss
                && let Some(machine) = machines.get_mut(lost)
            {
                machine.lost_at = Some(at);
            }
            machines
        },
    )
}

fn plan(schedule: Schedule, performance: RelativePerformance, items: u64) -> Plan {
    Plan { schedule, performance, items, patience: Patience::default(), attempts: u32::MAX, progress: None }
}

fn run(plan: &Plan, machines: &[Machine]) -> Ended<u64> {
    let clock = Turns::new(machines.len());
    let function = |worker: usize, items: Range<u64>| {
        machines[worker].work(worker, &items, &clock);
        items.end - items.start
    };
    execute(plan, &clock, &function).unwrap()
}

fn scenario(items: u64, machines: &[Machine]) -> Scenario {
    let mut scenario = Scenario::new(items, machines.iter().map(|machine| machine.seconds)).unwrap();
    for (number, machine) in machines.iter().enumerate() {
        if let Some((at, factor)) = machine.change {
            scenario = scenario.with_change(number, at, factor).unwrap();
        }
        if let Some(at) = machine.lost_at {
            scenario = scenario.with_loss(number, at).unwrap();
        }
    }
    scenario
}

/// A range of items that a machine had, from when to when, and whether it finished.
type Bar = (usize, u64, u64, u64, u64, bool);

fn bars_of_simulation(pieces: &[Piece]) -> Vec<Bar> {
    let bars = pieces.iter().flat_map(|piece| {
        let times = [piece.started, piece.ended].map(|time| time.round() as u64);
        piece
            .chunk
            .ranges()
            .map(move |range| (piece.machine, times[0], times[1], range.start, range.end, piece.is_finished))
    });
    in_order(bars.collect())
}

/// Calls of one chunk follow each other, where the simulation has one piece: they get the beginning of the
/// first and the end of the last.
fn bars_of_loop(calls: &[LoopPiece]) -> Vec<Bar> {
    let chunk_of = |call: &LoopPiece| (call.worker, call.asked.to_bits());
    let bars = calls.iter().map(|call| {
        let of_chunk = calls.iter().filter(|other| chunk_of(other) == chunk_of(call));
        let started = of_chunk.clone().map(|call| call.started).fold(f64::INFINITY, f64::min);
        let ended = of_chunk.map(|call| call.ended).fold(0.0, f64::max);
        (call.worker, started as u64, ended as u64, call.items.start, call.items.end, call.counts)
    });
    in_order(bars.collect())
}

fn in_order(mut bars: Vec<Bar>) -> Vec<Bar> {
    bars.sort_unstable();
    bars
}

fn report_of(plan: &Plan, ended: Ended<u64>) -> (Vec<(Range<u64>, u64)>, LoopReport) {
    crate::distribute::measured::report(plan, None, ended)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn the_loop_is_its_simulation(schedule in schedule(), machines in machines(), items in 1_u64..120) {
        let scenario = scenario(items, &machines);
        let plan = plan(schedule, scenario.performance().clone(), items);
        let ended = run(&plan, &machines);
        let unfinished = ended.unfinished;
        let (results, report) = report_of(&plan, ended);
        let mut pieces = Vec::new();
        match scenario.observe::<f64>(&schedule, |piece| pieces.push(piece.clone())) {
            Ok(outcome) => {
                prop_assert_eq!(unfinished, 0);
                prop_assert_eq!(report.seconds(), *outcome.makespan());
                prop_assert_eq!(results.iter().map(|(_, items)| items).sum::<u64>(), items);
                // A chunk of several ranges that is not finished has no call for its last ranges.
                if machines.iter().all(|machine| machine.lost_at.is_none()) {
                    prop_assert_eq!(bars_of_loop(report.timeline()), bars_of_simulation(&pieces));
                }
            }
            Err(_) => prop_assert!(unfinished > 0),
        }
    }
}

/// A machine that is lost at the moment at which another asks gives its chunk back before that one is
/// answered.
#[test]
fn a_loss_comes_before_what_is_asked_at_that_moment() {
    let machine = |seconds| Machine { seconds, change: None, lost_at: None };
    let machines = [machine(1), machine(4), Machine { lost_at: Some(28), ..machine(8) }, machine(4)];
    let (schedule, scenario) = (Schedule::Trapezoid { ends: None }, scenario(50, &machines));
    let plan = plan(schedule, scenario.performance().clone(), 50);
    let (_, report) = report_of(&plan, run(&plan, &machines));
    assert_eq!(report.seconds(), *scenario.simulate(&schedule).unwrap().makespan());
}

/// What is measured is what is simulated, and simulated again it is the same.
#[test]
fn one_of_four_machines_is_slowed_halfway() {
    let machine = Machine { seconds: 1, change: None, lost_at: None };
    let machines = [Machine { change: Some((250, 4)), ..machine }, machine, machine, machine];
    let scenario = scenario(2000, &machines);
    let ideal: f64 = scenario.bound().unwrap();
    let ends = |schedule: Schedule| {
        let plan = plan(schedule, scenario.performance().clone(), 2000);
        let (_, report) = report_of(&plan, run(&plan, &machines));
        let simulated = *scenario.simulate(&schedule).unwrap().makespan();
        assert_eq!(report.seconds(), simulated, "{schedule}");
        let again = *report.scenario().unwrap().simulate(&schedule).unwrap().makespan();
        assert!((again / simulated - 1.0).abs() < 1e-6, "{schedule}: {again} is not {simulated}");
        simulated
    };
    assert_eq!(ends(Schedule::Vrp), 1250.0);
    // The last chunk of the slow machine ends 4 times 20 s after the others at most.
    let vrp_ss = ends(Schedule::VrpSelfScheduling { phases: 25 });
    assert!(vrp_ss < 1.15 * ideal, "{vrp_ss} is more than 15 % above {ideal}");
}

/// The second iteration knows the machines and when one of them slows down.
#[test]
fn a_loop_learns_from_its_iterations() {
    let machine = |seconds| Machine { seconds, change: None, lost_at: None };
    let slowed = Machine { change: Some((200, 4)), ..machine(1) };
    let machines = [slowed, machine(1), machine(2), machine(4)];
    let bound: f64 = scenario(2000, &machines).bound().unwrap();
    let mut learned = Learned::new();
    let told = RelativePerformance::equal(4).unwrap();
    let mut iteration = || {
        let chosen = learned.choose(2000, &told, None);
        let plan = plan(chosen.schedule, chosen.performance, 2000);
        let (_, report) = report_of(&plan, run(&plan, &machines));
        learned.learn(&report);
        (chosen.choice, report.seconds() / bound)
    };
    let ends: Vec<(Choice, f64)> = (0..6).map(|_| iteration()).collect();
    assert_eq!(ends[0].0, Choice::First);
    assert!(matches!(ends[1].0, Choice::Simulated { .. }), "{}", ends[1].0);
    assert!(ends[0].1 > 1.03, "the first iteration knows nothing: {ends:?}");
    assert!(ends[1..].iter().all(|(_, end)| *end < 1.03), "{ends:?}");
    // A schedule that is given is taken.
    let chosen = learned.choose(2000, &told, Some(Schedule::Factoring));
    assert_eq!((chosen.schedule, chosen.choice), (Schedule::Factoring, Choice::Given));
    // With other workers it begins anew.
    let fewer = RelativePerformance::equal(3).unwrap();
    assert_eq!(learned.choose(2000, &fewer, None).choice, Choice::First);
}
