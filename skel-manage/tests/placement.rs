//! Where replicas are, where they move, and which parts the workers of a map get.

use proptest::prelude::*;
use skel_core::skeleton::{StageId, Tree, text::parse};
use skel_manage::placement::{Placement, repartitioned, split};
use skel_manage::{Action, Measures, ServiceTime, StageMeasures};
use skel_plan::{Application, Bandwidth, Data, Links, Planner, Platform, Power, Processor, ProcessorId};

fn tree(text: &str) -> Tree {
    parse(text).into_tree().unwrap()
}

fn platform(powers: &[i64]) -> Platform {
    let links = Links::everywhere(Bandwidth::bytes_per_second(1_000_000));
    Platform::new(powers.iter().map(|&power| Processor::new(Power::per_second(power))), &links).unwrap()
}

fn ids(numbers: &[u32]) -> Vec<ProcessorId> {
    numbers.iter().map(|&number| number.into()).collect()
}

/// Measures of stages with these times, replicas and times of workers.
fn measures(stages: &[(StageId, f64, u32, &[f64])]) -> Measures {
    let stage = |&(id, time, replicas, worker_times): &(StageId, f64, u32, &[f64])| StageMeasures {
        replicas,
        workers: worker_times.len() as u32,
        worker_times: worker_times.to_vec(),
        ..StageMeasures::always_busy(id, format!("stage {}", id.0), time, 1000)
    };
    Measures {
        at: 10.0,
        span: 10.0,
        items: 1000,
        items_in_a_parcel: 1.0,
        service_time: ServiceTime::of_seconds(0.01),
        error: 0.01,
        arrival_time: None,
        output_time: None,
        stages: stages.iter().map(stage).collect(),
    }
}

const READ: StageId = StageId(1);
const FARM: StageId = StageId(2);
const WORK: StageId = StageId(3);

#[test]
fn new_workers_go_to_the_least_used_processors() {
    let mut placement = Placement::spread(platform(&[1, 1, 4]), &tree("pipe(task(1), farm(1, 1));"));
    assert_eq!(placement.processors_of(READ), ids(&[3]), "the fastest of those that are free");
    assert_eq!(placement.processors_of(WORK), ids(&[1]));
    assert_eq!(placement.least_used(), 2.into());

    let grow = |from, to| Action::SetReplicas { stage: FARM, from, to };
    placement.note(&grow(1, 5), &tree("pipe(task(1), farm(5, 1));"));
    assert_eq!(placement.processors_of(WORK), ids(&[1, 2, 3, 1, 2]));
    assert_eq!([1, 2, 3].map(|id| placement.load(ProcessorId::from(id))), [2, 2, 2]);
    placement.note(&grow(5, 2), &tree("pipe(task(1), farm(2, 1));"));
    assert_eq!(placement.processors_of(WORK), ids(&[1, 2]));
    assert_eq!(placement.free().count(), 0);
}

#[test]
fn replicas_within_replicas_and_teams_all_have_a_place() {
    let tree = tree("pipe(farm(2, pipe(task(1), farm(3, 1))), map(4, 1));");
    let placement = Placement::spread(platform(&[1; 12]), &tree);
    let counts: Vec<usize> = tree.leaves().map(|leaf| placement.processors_of(leaf).len()).collect();
    assert_eq!(counts, [2, 6, 4]);
    assert_eq!(placement.free().count(), 0);
    assert!(
        placement.processors_of(tree.root()).is_empty() && placement.processors_of(StageId(99)).is_empty()
    );
}

#[test]
fn what_is_given_wrongly_is_mended() {
    let tree = tree("pipe(task(1), farm(2, 1));");
    let given = [(READ, vec![9, 0, 2, 1]), (WORK, vec![]), (StageId(99), vec![1])];
    let mut placement = Placement::given(platform(&[1, 1, 1]), given, &tree);
    assert_eq!(
        (placement.processors_of(READ), placement.processors_of(WORK)),
        (&ids(&[2])[..], &ids(&[1, 3])[..])
    );
    let before = format!("{placement:?}");
    for (stage, replica, to) in [(READ, 1, 1), (StageId(99), 0, 1), (READ, 0, 9)] {
        placement.note(&Action::Move { stage, replica, to: to.into() }, &tree);
    }
    assert_eq!(format!("{placement:?}"), before);
}

#[test]
fn a_task_moves_to_the_fastest_of_the_free_processors() {
    let tree = tree("pipe(task(1), farm(2, 1));");
    let given = [(READ, vec![1]), (WORK, vec![2, 5])];
    let mut placement = Placement::given(platform(&[2, 2, 3, 5, 9]), given, &tree);
    let found = placement.relocation(READ).unwrap();
    assert_eq!(
        (found.from(), found.to(), found.ratio()),
        (1.into(), 4.into(), 2.5),
        "the fastest of all is in use"
    );
    placement.note(&found.action(), &tree);
    assert_eq!(placement.processors_of(READ), ids(&[4]));
    let found = placement.relocation(WORK).unwrap();
    assert_eq!(
        (found.replica(), found.from(), found.to()),
        (0, 2.into(), 3.into()),
        "the replica on the slowest"
    );
    placement.note(&found.action(), &tree);
    assert_eq!(placement.relocation(WORK), None);
}

/// The table of rules: a bottleneck of dispatch or collection moves, and workers never do.
#[test]
fn the_bottleneck_moves_if_it_is_a_task() {
    let tree = tree("pipe(task(1), farm(1, 1), task(1));");
    let given = [(READ, vec![1]), (WORK, vec![2]), (StageId(4), vec![3])];
    let placement = Placement::given(platform(&[1, 1, 1, 4]), given, &tree);
    let of = |dispatch: f64, worker: f64, collect: f64| {
        let measures = measures(&[
            (READ, dispatch, 1, &[dispatch]),
            (WORK, worker, 1, &[worker]),
            (StageId(4), collect, 1, &[collect]),
        ]);
        placement.relief(&measures, &tree).map(|found| (found.stage(), found.ratio()))
    };
    assert_eq!(of(0.5, 0.4, 0.1), Some((READ, 4.0)), "where the paper moves the workers");
    assert_eq!(of(0.1, 0.4, 0.5), Some((StageId(4), 4.0)));
    assert_eq!(of(0.5, 4.0, 0.5), None, "more workers are the remedy there");

    let busy = Placement::given(platform(&[1, 1, 1]), [(READ, vec![1])], &tree);
    let dispatch = measures(&[(READ, 0.5, 1, &[0.5]), (WORK, 0.1, 1, &[0.1])]);
    assert_eq!(busy.relief(&dispatch, &tree), None, "no processor is free");
}

#[test]
fn times_follow_powers() {
    let tree = tree("pipe(task(1), farm(2, 1), deal(2, 1), map(2, 1));");
    let (farmed, dealt, map) = (StageId(3), StageId(5), StageId(6));
    let given = [(READ, vec![1]), (farmed, vec![2, 3]), (dealt, vec![4, 5]), (map, vec![6, 7])];
    let placement = Placement::given(platform(&[1, 1, 2, 1, 2, 1, 2, 4]), given, &tree);
    let before = measures(&[
        (READ, 0.4, 1, &[0.4]),
        (farmed, 0.3, 2, &[0.3]),
        (dealt, 0.3, 2, &[0.3]),
        (map, 0.3, 1, &[0.4, 0.2]),
    ]);
    let after = |stage: StageId| {
        let measures = placement.relocation(stage).unwrap().applied(&before, &tree);
        let changed = measures.stages.iter().zip(&before.stages).filter(|(after, before)| after != before);
        let changed: Vec<&StageMeasures> = changed.map(|(after, _)| after).collect();
        assert!(changed.len() == 1 && changed[0].id == stage);
        (changed[0].time, changed[0].worker_times.clone())
    };
    let is = |found: (f64, Vec<f64>), time: f64, times: &[f64]| {
        let near = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(
            near(found.0, time) && found.1.iter().zip(times).all(|(one, other)| near(*one, *other)),
            "{found:?}"
        );
    };
    is(after(READ), 0.1, &[0.1]);
    // A farm of powers 1 and 2 serves 3 where one of 4 and 2 serves 6: a mean time of half, weighted by the
    // items.
    is(after(farmed), 0.15, &[0.15]);
    // A deal hands each of them every other item: (1 + 1/2)/2 before, (1/4 + 1/2)/2 after.
    is(after(dealt), 0.15, &[0.15]);
    is(after(map), 0.15, &[0.1, 0.2]);
}

#[test]
fn links_count_where_the_program_can_be_mapped() {
    let tree = tree("pipe(task(1), task(1));");
    let (first, second) = (StageId(1), StageId(2));
    // Processor 4 is the fastest, behind a slow link.
    let powers = [1, 1, 4, 5].map(|power| Processor::new(Power::per_second(power)));
    let slow = Bandwidth::bytes_per_second(1);
    let links = Links::everywhere(Bandwidth::bytes_per_second(1000)).between(1, 4, slow);
    let platform = Platform::new(powers, &links).unwrap();
    let application = Application::skeleton(&tree, |_, _| Data::bytes(10)).unwrap();
    let given = || [(first, vec![1]), (second, vec![2])];
    let by_power = Placement::given(platform.clone(), given(), &tree);
    assert_eq!(by_power.relocation(second).unwrap().to(), 4.into());
    let planner = Planner::new(application, platform.clone());
    let planned = by_power.planned_by(planner.clone());
    assert_eq!(planned.relocation(second).unwrap().to(), 3.into());

    let grown = parse("pipe(task(1), farm(2, 1));").into_tree().unwrap();
    let other_tasks =
        Placement::given(platform, [(first, vec![1]), (WORK, vec![2])], &grown).planned_by(planner);
    assert_eq!(other_tasks.processors_of(WORK), ids(&[2, 4]));
    assert_eq!(other_tasks.relocation(first).unwrap().to(), 3.into(), "by the powers");
}

#[test]
fn nested_workers_stand_where_the_slow_one_stood() {
    let nest = |workers| Action::Nest { stage: StageId(0), worker: 0, workers };
    let mut placement =
        Placement::given(platform(&[1, 1, 1, 2]), [(StageId(0), vec![1, 2])], &tree("map(2, 1);"));
    placement.note(&nest(3), &tree("map(4, 1);"));
    assert_eq!(placement.processors_of(StageId(0)), ids(&[1, 3, 4, 2]).as_slice());

    let team = StageId(1);
    let given = [(team, vec![1, 2, 3, 4])];
    let mut placement = Placement::given(platform(&[1; 6]), given, &tree("farm(2, map(2, 1));"));
    let nest = Action::Nest { stage: team, worker: 1, workers: 2 };
    placement.note(&nest, &tree("farm(2, map(3, 1));"));
    assert_eq!(placement.processors_of(team), ids(&[1, 2, 6, 3, 4, 5]).as_slice());
}

#[test]
fn shares_follow_speeds_in_one_step() {
    let speeds = [3.0, 1.0, 2.0, 0.5];
    let times = |shares: &[u32]| -> Vec<f64> {
        let sum: u32 = shares.iter().sum();
        shares.iter().zip(speeds).map(|(&share, speed)| f64::from(share) / f64::from(sum) / speed).collect()
    };
    let found = repartitioned(&[1; 4], &times(&[1; 4])).unwrap();
    assert_eq!(found.shares, [6, 2, 4, 1]);
    assert!((found.slowest - 1.0 / 6.5).abs() < 1e-12, "all take as long as the sum of the speeds allows");
    assert_eq!(repartitioned(&found.shares, &times(&found.shares)), None);
}

#[test]
fn small_differences_are_left() {
    assert_eq!(repartitioned(&[1, 1], &[1.0, 1.04]), None);
    assert!(repartitioned(&[1, 1], &[1.0, 1.2]).is_some());
}

#[test]
fn what_is_not_known_changes_nothing() {
    let cases: [(&[u32], &[f64]); 8] = [
        (&[], &[]),
        (&[1], &[1.0]),
        (&[1, 1], &[1.0]),
        (&[1, 0], &[1.0, 2.0]),
        (&[1, 1], &[0.0, 1.0]),
        (&[1, 1], &[-1.0, 1.0]),
        (&[1, 1], &[f64::NAN, 1.0]),
        (&[1, 1], &[f64::INFINITY, 1.0]),
    ];
    for (shares, times) in cases {
        assert_eq!(repartitioned(shares, times), None);
    }
    assert_eq!(split(&[1, 1], &[1.0, f64::NAN], 2), None);
    assert_eq!(split(&[1, 1], &[1.0, 2.0], 1), None);
    assert_eq!(split(&[], &[], 2), None);
    assert_eq!(split(&[1, 1], &[1.0, 1.0], 2).unwrap().worker, 0, "the first of equal ones");
}

proptest! {
    /// With constant speeds one change is enough, and it is what it was predicted to be.
    #[test]
    fn one_change_is_enough(workers in prop::collection::vec((1_u32..50, 0.05_f64..20.0), 2..40)) {
        let (shares, speeds): (Vec<u32>, Vec<f64>) = workers.into_iter().unzip();
        let times = |shares: &[u32]| -> Vec<f64> {
            let sum: f64 = shares.iter().map(|&share| f64::from(share)).sum();
            shares.iter().zip(&speeds).map(|(&share, speed)| f64::from(share) / sum / speed).collect()
        };
        let longest = |shares: &[u32]| times(shares).into_iter().fold(0.0, f64::max);
        if let Some(found) = repartitioned(&shares, &times(&shares)) {
            prop_assert!((longest(&found.shares) / found.slowest - 1.0).abs() < 1e-9);
            prop_assert!(found.slowest <= longest(&shares) * 0.95);
            prop_assert_eq!(repartitioned(&found.shares, &times(&found.shares)), None);
        }
        let found = split(&shares, &times(&shares), 2).unwrap();
        prop_assert_eq!(found.shares.len(), shares.len() + 1);
        prop_assert!(found.slowest <= longest(&shares) * (1.0 + 1e-9));
    }
}
