//! What holds of shares, schedules and simulations of any scenario.

mod generated;
mod stepwise;

use proptest::prelude::*;
use skel_core::number::{Number, Ratio};
use skel_distribute::simulate::Piece;
use skel_distribute::{Arithmetic, RelativePerformance, Scenario, Schedule, Scheduler};

use generated::{any_schedule, decimals, scenario, small_scenario, weights};

proptest! {
    #[test]
    fn shares_sum_to_all_items_and_are_within_one(items in 0_u64..1_000_000_000_000, weights in weights()) {
        let performance = RelativePerformance::of_weights(weights).unwrap();
        let shares = performance.shares(items);
        prop_assert_eq!(shares.iter().sum::<u64>(), items);
        let sum: Ratio = performance.weights().iter().sum();
        for (share, weight) in shares.iter().zip(performance.weights()) {
            let exact = Ratio::from_items(items) * weight / &sum;
            let away = (Ratio::from_items(*share) - &exact).to_float().abs();
            prop_assert!(away < 1.0, "{share} for {exact}");
            prop_assert!(*weight.numer() != 0.into() || *share == 0);
        }
    }

    #[test]
    fn every_item_is_given_out_exactly_once(
        schedule in any_schedule(),
        items in 0_u64..3000,
        weights in weights(),
        requests in prop::collection::vec((any::<prop::sample::Index>(), 0.0..2.0, 0..40), 0..200),
    ) {
        let performance = RelativePerformance::of_weights(weights).unwrap();
        let machines = performance.machines();
        let mut scheduler = Scheduler::<f64>::new(&schedule, items, &performance).unwrap();
        let mut lost = vec![false; machines];
        let mut given = vec![0; items as usize];
        // Machines ask in any order, and some are lost with what they have, but for machine 0.
        let orders = requests.iter().map(|(index, time, fate)| (index.index(machines), *time, *fate == 0));
        let in_turn = (0..2).flat_map(|_| (0..machines).map(|machine| (machine, 0.5, false)));
        let until_the_end = (0..items + 1).flat_map(|_| in_turn.clone());
        for (machine, time, is_lost) in orders.chain(until_the_end) {
            if lost[machine] {
                prop_assert_eq!(scheduler.next(machine), None);
                continue;
            }
            let Some(chunk) = scheduler.next(machine) else { continue };
            prop_assert!(chunk.items() > 0);
            if is_lost && machine > 0 {
                lost[machine] = true;
                scheduler.lost(machine, Some(chunk));
                continue;
            }
            chunk.ranges().flatten().for_each(|item| given[item as usize] += 1);
            scheduler.finished(machine, chunk.items(), time);
            if scheduler.left() == 0 {
                break;
            }
        }
        prop_assert_eq!(scheduler.left(), 0, "{}", schedule);
        prop_assert!(given.iter().all(|&times| times == 1), "{}", schedule);
    }

    /// Another simulation, which goes from tick to tick in whole numbers, comes to the same end.
    #[test]
    fn simulations_are_those_of_a_clock_that_ticks(small in small_scenario()) {
        let scenario = small.scenario();
        for schedule in ["SS", "CSS(3)", "GSS", "FAC2", "VRP-SS(3)", "WF2", "TSS"] {
            let schedule: Schedule = schedule.parse().unwrap();
            let expected = stepwise::run(&small, &schedule);
            let outcome = scenario.simulate_exact(&schedule);
            let Some(expected) = expected else {
                prop_assert!(outcome.is_err());
                continue;
            };
            let outcome = outcome.unwrap();
            prop_assert_eq!(outcome.makespan(), &expected.makespan, "{} {:?}", schedule, small);
            prop_assert_eq!(outcome.chunks(), expected.chunks, "{} {:?}", schedule, small);
            let items: Vec<u64> = outcome.loads().iter().map(|load| load.items).collect();
            prop_assert_eq!(items, expected.items, "{} {:?}", schedule, small);
        }
    }

    #[test]
    fn floats_agree_with_exact_numbers(scenario in scenario(), schedule in any_schedule()) {
        let [floats, exact] = [
            scenario.simulate(&schedule).map(|outcome| (*outcome.makespan(), outcome.chunks())),
            scenario.simulate_exact(&schedule).map(|outcome| (outcome.makespan().to_float(), outcome.chunks())),
        ];
        let (floats, exact) = (floats.unwrap(), exact.unwrap());
        prop_assert!((floats.0 / exact.0 - 1.0).abs() < 1e-9, "{} {} {}", schedule, floats.0, exact.0);
        prop_assert_eq!(floats.1, exact.1);
    }

    #[test]
    fn nothing_ends_before_the_bound_and_nothing_is_lost(scenario in scenario(), schedule in any_schedule()) {
        let bound: Ratio = scenario.bound().unwrap();
        let mut pieces: Vec<Piece<Ratio>> = Vec::new();
        let outcome = scenario.observe(&schedule, |piece: &Piece<Ratio>| pieces.push(piece.clone())).unwrap();
        prop_assert!(outcome.makespan() >= &bound);
        prop_assert_eq!(outcome.loads().iter().map(|load| load.items).sum::<u64>(), scenario.items());
        let again: u64 = pieces.iter().filter(|piece| !piece.is_finished).map(|piece| piece.chunk.items()).sum();
        prop_assert_eq!(outcome.items_given(), scenario.items() + again);
        prop_assert_eq!(outcome.chunks(), pieces.len() as u64);
        // Each item is finished once.
        let mut finished = vec![0; scenario.items() as usize];
        for piece in pieces.iter().filter(|piece| piece.is_finished) {
            piece.chunk.ranges().flatten().for_each(|item| finished[item as usize] += 1);
        }
        prop_assert!(finished.iter().all(|&times| times == 1));
        // Neither the master nor a machine does two things at once.
        pieces.sort_by(|one, other| one.taken.cmp(&other.taken));
        prop_assert!(pieces.windows(2).all(|pair| pair[0].taken.clone() + scenario.overhead() <= pair[1].taken
            || !pair[0].is_finished || pair[0].taken == pair[1].taken && pair[0].started == pair[1].started));
        for machine in 0..scenario.machines() {
            let of_machine: Vec<&Piece<Ratio>> = pieces.iter().filter(|piece| piece.machine == machine).collect();
            prop_assert!(of_machine.windows(2).all(|pair| pair[0].ended <= pair[1].asked));
            let busy: Ratio = of_machine.iter().map(|piece| &piece.ended - &piece.started).sum();
            prop_assert_eq!(&busy, &outcome.loads()[machine].busy);
        }
    }

    #[test]
    fn self_scheduling_ends_within_one_item_of_the_bound(items in 1_u64..500, seconds in decimals()) {
        let scenario = Scenario::new(items, seconds).unwrap();
        let bound: Ratio = scenario.bound().unwrap();
        let makespan = scenario.simulate_exact(&Schedule::SelfScheduling).unwrap().makespan().clone();
        let slowest = scenario.seconds().iter().max().unwrap();
        prop_assert!(makespan >= bound && makespan <= bound + slowest);
    }

    #[test]
    fn adaptive_batches_on_equal_machines_are_factoring(
        items in 1_u64..5000, machines in 1_usize..20, seconds in 1_u32..100_000, overhead in 0_u32..1000,
    ) {
        let scenario = Scenario::new(items, vec![f64::from(seconds) / 1e4; machines]).unwrap();
        let scenario = scenario.with_overhead(f64::from(overhead) / 1e4).unwrap();
        fn chunks<N: Arithmetic>(scenario: &Scenario, schedule: Schedule) -> Vec<(usize, u64)> {
            let mut chunks = Vec::new();
            scenario.observe::<N>(&schedule, |piece| chunks.push((piece.machine, piece.chunk.items()))).unwrap();
            chunks
        }
        let factoring = chunks::<f64>(&scenario, Schedule::Factoring);
        prop_assert_eq!(chunks::<f64>(&scenario, Schedule::AdaptiveBatch), factoring.clone());
        prop_assert_eq!(chunks::<Ratio>(&scenario, Schedule::AdaptiveBatch), factoring);
    }
}
