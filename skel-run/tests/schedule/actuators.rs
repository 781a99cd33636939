//! Schedules of runs whose parcels, buffers and parts change.

use skel_run::Engine;
use skel_run::functions::{Map, Plain, Reduced, Shared, Start};

use super::Act::{Batch, Buffers, BuffersBefore, Cancel, Drain, Set, Shares, Split};
use super::{CASE, Case, begins, explore_all, try_schedules, with_functions};

#[test]
fn parcels_change_their_size() {
    explore_all(&[
        Case { acts: &[Batch(3), Batch(1)], items: 8, ..CASE },
        Case { skeleton: "pipe(task(1), farm(2, 1), task(1));", acts: &[Batch(2)], items: 6, ..CASE },
        Case { engine: Engine::Pull(2), acts: &[Batch(2), Set(0, 3), Batch(1)], items: 8, ..CASE },
    ]);
}

#[test]
fn buffers_change() {
    let pipe = Case { skeleton: "pipe(task(1), farm(2, 1), task(1));", ..CASE };
    explore_all(&[
        Case { acts: &[Buffers(2)], ..pipe },
        Case { acts: &[Buffers(2), Set(2, 3), BuffersBefore(4, 3)], items: 6, ..pipe },
        Case { acts: &[BuffersBefore(2, 3), Set(2, 1), Buffers(0), Set(2, 2)], at_once: true, ..pipe },
        Case { skeleton: "pipe(deal(2, 1), farm(2, 1));", acts: &[Buffers(2), Buffers(3)], items: 6, ..CASE },
        Case { skeleton: "pipe(farm(2, 1), deal(2, 1));", acts: &[Set(1, 1), Buffers(2), Set(3, 3)], ..CASE },
        Case {
            skeleton: "pipe(task(1), farm(2, 1));",
            engine: Engine::Pull(2),
            acts: &[Buffers(2), Set(2, 1)],
            ..CASE
        },
    ]);
}

#[test]
fn runs_end_while_buffers_change() {
    let pipe = Case { skeleton: "pipe(task(1), farm(2, 1));", items: 6, ..CASE };
    explore_all(&[
        Case { acts: &[Buffers(2), Drain], ..pipe },
        Case { acts: &[Drain, Buffers(2)], ..pipe },
        Case { acts: &[Buffers(2), Cancel], ..pipe },
        Case { acts: &[Buffers(2)], takes: 2, ..pipe },
        Case { acts: &[Buffers(2), Buffers(3)], fails: 3, ..pipe },
    ]);
}

#[test]
fn maps_are_parted_anew() {
    for (skeleton, map) in
        [("pipe(task(1), map(2, 1), task(1));", 2), ("farm(2, pipe(task(1), map(2, 1), task(1)));", 3)]
    {
        let acts: [&'static [super::Act]; 5] = match map {
            2 => [
                &[Shares(2, &[1, 2, 3]), Set(2, 1)],
                &[Split(2, 1, 2), Set(2, 2)],
                &[Shares(2, &[0, 1]), Buffers(2), Shares(2, &[2, 1, 1])],
                &[Shares(2, &[2, 1, 1]), Cancel],
                &[Split(2, 0, 2), Drain],
            ],
            _ => [
                &[Shares(3, &[1, 2, 3]), Set(0, 3)],
                &[Split(3, 1, 2), Set(0, 1)],
                &[Set(0, 1), Shares(3, &[1]), Set(0, 2)],
                &[Shares(3, &[2, 1, 1]), Buffers(2)],
                &[Split(3, 0, 2), Drain],
            ],
        };
        for acts in acts {
            for buffers in [0, 1] {
                explore_map(Case { skeleton, acts, buffers, ..CASE });
            }
        }
    }
}

/// Explores schedules of a run whose second task is a map. What it makes of an item is the item.
fn explore_map(case: Case) {
    try_schedules(case, move || {
        with_functions(case, |begun| {
            let begun = std::sync::Mutex::new(Some(begun));
            let parted = Shared::<u64, Plain<Vec<u64>>, _>::new(move |item| {
                let begun = begun.lock().unwrap().clone();
                begins(&begun.flatten(), item);
                vec![item; 3]
            });
            let map = Map::<Vec<u64>, Plain<Vec<u64>>, _>::new(|part| part);
            let gathered = Reduced::new(map, |one: Vec<u64>, other| [one, other].concat());
            let item = Shared::<Vec<u64>, Plain<u64>, _>::new(|parts: Vec<u64>| {
                assert!(parts.len() == 3 && parts.iter().all(|part| *part == parts[0]), "{parts:?}");
                parts[0]
            });
            Start.then(parted).then(gathered).then(item)
        });
    });
}
