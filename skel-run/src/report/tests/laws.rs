//! What holds of any report.

use std::time::Duration;

use proptest::prelude::*;
use skel_core::skeleton::text::parse;
use skel_solve::Limits;

use super::simulation::{Service, SimulatedStage, simulate};
use super::{program, ran, report_of};
use crate::report::Report;

/// A report of some stages, whose replicas served parcels of the mean and the variation that is drawn,
/// whatever they waited.
fn by_hand(drawn: &[(usize, f64, f64, u64)], capacity: usize) -> Report {
    let stage = |&(replicas, ..): &(usize, f64, f64, u64)| SimulatedStage {
        replicas,
        service: Service { mean: 0.01, phases: 1 },
    };
    let stages: Vec<SimulatedStage> = drawn.iter().map(stage).collect();
    let program = program(&stages, capacity);
    let simulated = simulate(&program, &stages, capacity, None, 50, 7);
    let mut ran = ran(program, simulated);
    for (task, &(_, mean, scv, count)) in ran.snapshot.tasks.iter_mut().zip(drawn) {
        for replica in &mut task.replicas {
            let service = Duration::from_secs_f64(mean * count as f64);
            (replica.served, replica.timed) = (count, count);
            (replica.service, replica.timed_service) = (service, service);
            replica.squares = ((1.0 + scv) * (mean * 1e9).powi(2) * count as f64) as u128;
        }
    }
    report_of(ran)
}

fn stages() -> impl Strategy<Value = Vec<(usize, f64, f64, u64)>> {
    let scv = prop_oneof![Just(0.0), Just(1.0), 0.0..2.0_f64, 0.0..50.0_f64];
    prop::collection::vec((1..4_usize, 1e-5..0.1_f64, scv, 2..100_000_u64), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn predictions_are_consistent(drawn in stages(), capacity in 0..3_usize) {
        let report = by_hand(&drawn, capacity);
        let prediction = report.prediction_within(&Limits { states: 2_000, ..Limits::default() }).unwrap();
        prop_assert!(prediction.throughput > 0.0);
        prop_assert!(prediction.throughput <= prediction.formula * (1.0 + 1e-6), "{:?}", prediction);
        for shares in &prediction.tasks {
            let parts = [shares.busy, shares.starved.unwrap(), shares.blocked.unwrap()];
            prop_assert!(parts.iter().all(|part| (-1e-6..=1.0 + 1e-6).contains(part)), "{:?}", prediction);
            prop_assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{:?}", prediction);
        }
        let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
        prop_assert_eq!(json["tasks"].as_array().unwrap().len(), drawn.len());
    }

    #[test]
    fn a_calibrated_program_is_written_and_read_back(drawn in stages(), capacity in 0..3_usize) {
        let report = by_hand(&drawn, capacity);
        let (program, text) = (report.program().unwrap(), report.to_skel().unwrap());
        let read = parse(&text).program().unwrap_or_else(|| panic!("{text}"));
        prop_assert_eq!(read.skeleton(), program.skeleton());
        let model = |program: &skel_core::skeleton::Program<_>| program.lower().unwrap().to_string();
        prop_assert_eq!(model(&read), model(&program), "{}", text);
    }
}
