//! Rules about processors: a manager that knows the platform moves the slowest task, and one that does not says so once.

use skel_core::time::TimeUnits;
use skel_manage::placement::Placement;
use skel_manage::rule::Rules;
use skel_manage::simulate::Simulation;
use skel_manage::{Action, Contract, Event, Manager, Outcome, Settings};
use skel_plan::{Bandwidth, Links, Platform, Power, Processor, ProcessorId};

use crate::trial::{program, seconds};

/// A dispatch of 20 ms against a contract of 12 ms: no number of workers helps.
const PROGRAM: &str = "pipe(task(\"dispatch\", 50), farm(2, \"work\", 100), task(200));";

fn decisions(mut manager: Manager) -> Vec<(Action, Outcome, Option<f64>)> {
    let mut simulation = Simulation::of(&program(PROGRAM)).expect("simulated");
    for tick in 1..=240 {
        simulation.run_until(seconds(0.25 * f64::from(tick)));
        let snapshot = simulation.snapshot();
        manager.observe(&snapshot, &mut simulation);
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

#[test]
fn the_slowest_task_moves_to_a_faster_processor() {
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
    let placement = Placement::given(platform, places, program.skeleton());
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
