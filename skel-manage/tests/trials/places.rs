//! Rules about processors: a manager that knows the platform moves the slowest task, and one that does not
//! says so once.

use std::time::Duration;

use skel_core::skeleton::{Program, Stage, Tree};
use skel_core::time::{TimeUnits, mean};
use skel_manage::placement::Placement;
use skel_manage::rule::Rules;
use skel_manage::simulate::Simulation;
use skel_manage::{Action, Actuators, Contract, Event, Manager, Outcome, Refusal, Settings};
use skel_plan::{Bandwidth, Links, Platform, Power, Processor, ProcessorId};

use crate::trial::{program, seconds};

/// A dispatch of 20 ms against a contract of 12 ms: no number of workers helps.
const PROGRAM: &str = "pipe(task(\"dispatch\", 50), farm(2, \"work\", 100), task(200));";

fn decisions(manager: Manager) -> Vec<Decided> {
    let mut simulation = Simulation::of(&program(PROGRAM)).expect("simulated");
    decisions_about(manager, &mut simulation, 60.0)
}

/// An action, what became of it, and the service time that was predicted for it.
type Decided = (Action, Outcome, Option<f64>);

fn decisions_about(mut manager: Manager, simulation: &mut Simulation, until: f64) -> Vec<Decided> {
    for tick in 1..=(until / 0.25) as u32 {
        simulation.run_until(seconds(0.25 * f64::from(tick)));
        let snapshot = simulation.snapshot();
        manager.observe(&snapshot, simulation);
    }
    let of = |event: &Event| match event {
        Event::Decided(decision) => {
            let then = decision.then.as_ref().map(|then| then.chain.seconds());
            Some((decision.actions[0].clone(), decision.outcome.clone(), then))
        }
        _ => None,
    };
    manager.log().events.iter().filter_map(of).collect()
}

/// The dispatch, two workers and the last task on processors of one power, and a free one that is three times
/// as fast.
fn placement() -> Placement {
    let program = program(PROGRAM);
    let powers = [1, 1, 1, 1, 3].map(|power| Processor::new(Power::per_second(power)));
    let links = Links::everywhere(Bandwidth::bytes_per_second(1_000_000));
    let platform = Platform::new(powers, &links).expect("a platform");
    let dispatch = program.skeleton().task_named("dispatch").expect("a task");
    let last = program.skeleton().leaves().last().expect("a task");
    let work = program.skeleton().task_named("work").expect("a task");
    let on = |stage, numbers: &[u32]| {
        (stage, numbers.iter().map(|&number| ProcessorId::from(number)).collect::<Vec<_>>())
    };
    let places = [on(dispatch, &[1]), on(work, &[2, 3]), on(last, &[4])];
    Placement::given(platform, places, program.skeleton())
}

#[test]
fn the_slowest_task_moves_to_a_faster_processor() {
    let dispatch = program(PROGRAM).skeleton().task_named("dispatch").expect("a task");
    let placement = placement();
    let contract = Contract::service_time(12.ms());
    let manager =
        Manager::new(contract, Rules::predefined(), Settings::default().dry_run()).placed(placement);
    let decided = decisions(manager);
    let (action, outcome, then) = &decided[0];
    assert_eq!(*action, Action::Move { stage: dispatch, replica: 0, to: 5.into() }, "{decided:?}");
    assert_eq!(*outcome, Outcome::Noted);
    assert!(then.is_some_and(|then| then < 0.012), "{then:?}");
    assert_eq!(decided.len(), 1, "it is noted once: {decided:?}");
}

#[test]
fn a_manager_without_a_platform_says_so_once() {
    let rules =
        "[[rule]]\nname = \"away\"\npriority = 1\nwhen = \"service_time > limit\"\nthen = \"migrate\"\n";
    let rules = Rules::none().with_toml(rules).expect("rules");
    let decided = decisions(Manager::new(Contract::service_time(12.ms()), rules, Settings::default()));
    let Action::Report { reason } = &decided[0].0 else { panic!("{decided:?}") };
    assert_eq!(
        reason,
        "the rule asks for another processor, and the manager knows no platform: say it with `placed`"
    );
    assert_eq!(decided.len(), 1, "{decided:?}");
}

/// The manager moves the task, and the service time is then that of the faster processor, as it predicted.
#[test]
fn a_task_that_moved_is_as_fast_as_its_processor() {
    let dispatch = program(PROGRAM).skeleton().task_named("dispatch").expect("a task");
    let mut simulation = Simulation::of(&program(PROGRAM)).expect("simulated").placed(placement());
    let manager = Manager::new(Contract::service_time(12.ms()), only("migrate"), Settings::default());
    let decided = decisions_about(manager.placed(placement()), &mut simulation, 60.0);
    let (action, outcome, then) = &decided[0];
    assert_eq!(*action, Action::Move { stage: dispatch, replica: 0, to: 5.into() }, "{decided:?}");
    assert_eq!((outcome, decided.len()), (&Outcome::Done, 1), "{decided:?}");
    let measured = service_time_until(&mut simulation, 600.0);
    assert!((measured / then.expect("a prediction") - 1.0).abs() < 0.1, "{measured} {then:?}");
}

/// A program whose tasks cannot move: a manager that knows a platform does not try, and reports what stands
/// in the way instead.
#[test]
fn a_move_that_is_impossible_is_not_tried() {
    let mut simulation = Simulation::of(&program(PROGRAM)).expect("simulated");
    let manager = Manager::new(Contract::service_time(12.ms()), Rules::predefined(), Settings::default())
        .placed(placement());
    let decided = decisions_about(manager, &mut simulation, 60.0);
    let [(Action::Report { reason }, Outcome::Done, None)] = &decided[..] else { panic!("{decided:?}") };
    assert!(reason.contains("`dispatch`"), "{reason}");
}

/// One of the predefined rules alone.
fn only(name: &str) -> Rules {
    let rules =
        Rules::predefined().rules().iter().filter(|rule| rule.name == name).cloned().collect::<Vec<_>>();
    Rules::none().with(rules).expect("a rule")
}

/// A simulated program that says that it can move, and refuses when it is asked.
struct Refusing(Simulation);

impl Actuators for Refusing {
    fn program(&self) -> Program<Tree> {
        self.0.program()
    }

    fn perform(&mut self, action: &Action) -> Result<(), Refusal> {
        match action {
            Action::Move { .. } => Err(Refusal("the processor has gone".to_owned())),
            action => self.0.perform(action),
        }
    }

    fn cost(&self, action: &Action) -> Duration {
        self.0.cost(action)
    }

    fn can(&self, _: &Action) -> bool {
        true
    }
}

/// A move that is refused is noted once with its reason, and the placement is as it was.
#[test]
fn a_refused_move_is_noted_once() {
    let mut program = Refusing(Simulation::of(&program(PROGRAM)).expect("simulated"));
    let mut manager = Manager::new(Contract::service_time(12.ms()), Rules::predefined(), Settings::default())
        .placed(placement());
    for tick in 1..=240 {
        program.0.run_until(seconds(0.25 * f64::from(tick)));
        let snapshot = program.0.snapshot();
        manager.observe(&snapshot, &mut program);
    }
    let refused = manager.log().events.iter().filter_map(|event| match event {
        Event::Decided(decision) => Some((&decision.actions[..], &decision.outcome)),
        _ => None,
    });
    let refused: Vec<_> = refused.collect();
    let [([Action::Move { .. }], Outcome::Refused { action: 0, refusal })] = &refused[..] else {
        panic!("{}", manager.log())
    };
    assert_eq!(refusal.to_string(), "the processor has gone");
}

/// Items of a map with four workers, between two tasks.
const MAP: &str = "pipe(task(\"read\", 500), map(4, \"match\", 100), task(500));";

fn with_map(rules: Rules, speeds: [f64; 4], contract: f64) -> (Vec<Decided>, Simulation) {
    let program = program(MAP);
    let map = program.skeleton().task_named("match").expect("a map");
    let mut simulation = Simulation::of(&program).expect("simulated").speeds(map, speeds);
    let manager = Manager::new(Contract::service_time(mean(contract)), rules, Settings::default());
    (decisions_about(manager, &mut simulation, 120.0), simulation)
}

/// The service time from now on until a moment.
fn service_time_until(simulation: &mut Simulation, until: f64) -> f64 {
    let before = simulation.snapshot();
    simulation.run_until(seconds(until));
    1.0 / simulation.snapshot().since(&before).throughput()
}

/// One worker of a map is half as fast as the others: it gets half their part, and the contract is kept
/// without another worker.
#[test]
fn a_map_of_unlike_workers_gets_other_parts() {
    let (decided, mut simulation) = with_map(Rules::predefined(), [1.0, 1.0, 1.0, 0.5], 0.0272);
    let (Action::Repartition { shares, .. }, Outcome::Done, Some(then)) = &decided[0] else {
        panic!("{decided:?}")
    };
    let part = f64::from(shares[3]) / f64::from(shares.iter().sum::<u32>());
    assert!((part - 1.0 / 7.0).abs() < 0.02, "{shares:?}");
    let measured = service_time_until(&mut simulation, 600.0);
    assert!((measured / then - 1.0).abs() < 0.1, "{measured} {then}");
}

/// One worker is much slower, and equal times would not keep the contract either: two workers take its place.
/// Other rules are left out: `grow` needs fewer services, and is asked first where a contract is broken by
/// far.
#[test]
fn the_slowest_worker_of_a_map_gets_help() {
    let (decided, simulation) = with_map(only("nest"), [1.0, 1.0, 1.0, 0.25], 0.012);
    let (Action::Nest { worker: 3, workers: 2, .. }, Outcome::Done, _) = &decided[0] else {
        panic!("{decided:?}")
    };
    let program = simulation.program();
    let map = program.skeleton().task_named("match").expect("a map");
    let Stage::Team(team) = program.skeleton().stage(map) else { panic!("a map") };
    assert!(team.workers >= 5, "{decided:?}");
}
