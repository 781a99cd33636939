//! The threads of workers that serve an item together: they end when a worker leaves, and when the run ends.

mod trial;

use skel_core::skeleton::StageId;
use skel_run::functions::{Leaf, Map, MapWithState, Plain, Start, StateOr, Vote};
use skel_run::{Control, Run};

use trial::shape::program;
use trial::threads::Seen;
use trial::watchdog::watch;

/// Takes results of a team that has many workers. After some of them it is to have few, and then many again.
fn workers_leave_and_come<L: Leaf>(
    skeleton: &str,
    (many, few): (u32, u32),
    seen: &Seen,
    leaf: L,
    items: impl Iterator<Item = L::In> + Send,
) {
    let control = Control::new();
    let _watched = watch(skeleton, Some(&control));
    let handle = control.clone();
    let mut count = 0;
    Run::from_generated_code(program(skeleton), Start.then(leaf))
        .controlled_by(&control)
        .for_each(items, |_| {
            count += 1;
            match count {
                50 => handle.set_replicas_of(StageId(0), few).unwrap(),
                100 => {
                    // The leader looks at each item how many there should be, and some have come since.
                    assert!(seen.left(few as usize) <= few as usize, "{skeleton}");
                    handle.set_replicas_of(StageId(0), many).unwrap();
                }
                _ => {}
            }
        })
        .unwrap();
    // An item that is decided early need not be seen by all.
    let all = (many + many - few) as usize;
    assert!(seen.count() == all || skeleton.contains("early"), "{skeleton}: {} of {all}", seen.count());
    assert_eq!(seen.left(0), 0, "{skeleton}");
}

#[test]
fn of_maps() {
    let seen = Seen::default();
    let leaf = Map::<Vec<u64>, Plain<()>, _>::new(|_: Vec<u64>| seen.is_here());
    workers_leave_and_come("map(4, 1);", (4, 1), &seen, leaf, (0..200).map(|item| vec![item]));
}

#[test]
fn of_votes() {
    for skeleton in ["fault_tolerant(5, 1);", "fault_tolerant(5, 1, early);"] {
        let seen = Seen::default();
        let vote = |_: &u64| seen.is_here();
        let leaf = Vote::<u64, Plain<()>, _>::new([vote; 5]);
        workers_leave_and_come(skeleton, (5, 3), &seen, leaf, 0..500);
    }
}

/// They come and go with a state.
#[test]
fn of_maps_with_state() {
    let seen = Seen::default();
    let work = |_: &Vec<u64>, _: &u64| seen.is_here();
    let leaf = MapWithState::<Vec<u64>, u64, Plain<()>, _, _>::new(work);
    let inputs = (0..300_u64)
        .map(|item| if item.is_multiple_of(3) { StateOr::State(vec![item]) } else { StateOr::Item(item) });
    workers_leave_and_come("map_with_state(3, 1, state(1, 2));", (3, 1), &seen, leaf, inputs);
}
