//! Reports of runs that are simulated or made by hand.

mod laws;
mod simulation;

use std::time::Duration;

use skel_core::number::Number;
use skel_core::skeleton::text::parse;
use skel_core::skeleton::{Program, StageId, Tree};
use skel_solve::{Dimensioned, Limits, Target};

use super::{Ending, Execution, Failure, Method, NoPrediction, Ran, Report};
use crate::functions::Cause;
use crate::monitor::Series;
use simulation::{Service, SimulatedStage, simulate};

/// Stages by the number of replicas, the mean time and the phases of each.
fn stages(said: &[(usize, f64, u32)]) -> Vec<SimulatedStage> {
    let stage = |&(replicas, mean, phases)| SimulatedStage { replicas, service: Service { mean, phases } };
    said.iter().map(stage).collect()
}

/// The pipe of these stages, with other times than those that are simulated.
fn program(stages: &[SimulatedStage], capacity: usize) -> Program<Tree> {
    let stage = |(number, stage): (usize, &SimulatedStage)| match stage.replicas {
        1 => format!("task(\"stage{number}\", 1)"),
        replicas => format!("farm({replicas}, \"stage{number}\", 1)"),
    };
    let stages: Vec<String> = stages.iter().enumerate().map(stage).collect();
    let text = format!("pipe({}); communication(1); buffers({capacity});", stages.join(", "));
    parse(&text).program().unwrap_or_else(|| panic!("{text}"))
}

fn ran(program: Program<Tree>, simulated: simulation::Simulated) -> Ran {
    Ran {
        program,
        execution: Execution::Threads,
        batch: 1,
        reason: "simulated".to_owned(),
        elapsed: simulated.elapsed,
        ending: Ending::Completed,
        taken: simulated.departures.items(),
        states: 0,
        discarded: 0,
        skipped: 0,
        failed: 0,
        departures: simulated.departures,
        in_order: Vec::new(),
        cores: 64,
        snapshot: simulated.snapshot,
        series: Series::default(),
    }
}

fn ran_of(said: &[(usize, f64, u32)], capacity: usize, source: Option<Service>, items: u64) -> Ran {
    let stages = stages(said);
    let program = program(&stages, capacity);
    let simulated = simulate(&program, &stages, capacity, source, items, 7);
    ran(program, simulated)
}

fn report(said: &[(usize, f64, u32)], capacity: usize, source: Option<Service>, items: u64) -> Report {
    report_of(ran_of(said, capacity, source, items))
}

/// The report of a run on a machine where a hop takes 400 ns.
fn report_of(ran: Ran) -> Report {
    Report { hop: || Duration::from_nanos(400), ..Report::new(ran) }
}

/// The prediction is as near to the measurement as this part of it, and the shares of each task as near as
/// this.
fn assert_agree(report: &Report, method: &Method, within: f64) {
    let shown = report.with_prediction().unwrap();
    let prediction = shown.prediction();
    assert_eq!(prediction.method, *method, "{shown}");
    let measured = report.throughput();
    let apart = prediction.throughput / measured.rate - 1.0;
    assert!(apart.abs() < within, "{apart}\n{shown}");
    for (task, shares) in report.tasks().iter().zip(&prediction.tasks) {
        let pairs =
            [(task.busy, Some(shares.busy)), (task.starved, shares.starved), (task.blocked, shares.blocked)];
        for (measured, predicted) in pairs {
            assert!((measured - predicted.unwrap()).abs() < within, "{measured}, {predicted:?}\n{shown}");
        }
    }
}

#[test]
fn exponential_times_agree_with_the_chain() {
    for capacity in [0, 1, 4] {
        for said in [
            vec![(1, 0.010, 1), (1, 0.012, 1)],
            vec![(1, 0.010, 1), (3, 0.040, 1), (1, 0.012, 1)],
            vec![(1, 0.5, 1), (8, 4.0, 1), (1, 0.5, 1)],
            vec![(2, 0.010, 1), (3, 0.020, 1)],
        ] {
            let report = report(&said, capacity, None, 40_000);
            assert_agree(&report, &Method::Chain, 0.02);
        }
    }
}

#[test]
fn constant_times_agree_with_the_formula() {
    for capacity in [0, 1, 4] {
        for said in [
            vec![(1, 0.010, 0), (1, 0.012, 0), (1, 0.003, 0)],
            vec![(1, 0.010, 0), (3, 0.045, 0), (1, 0.012, 0)],
            vec![(1, 0.5, 0), (7, 4.0, 0), (1, 0.5, 0)],
        ] {
            let report = report(&said, capacity, None, 10_000);
            assert_agree(&report, &Method::Steady, 0.005);
        }
    }
}

#[test]
fn times_of_any_variation_agree_with_the_chain() {
    for said in [
        vec![(1, 0.010, 3), (1, 0.011, 1), (1, 0.010, 8)],
        vec![(1, 0.010, 2), (3, 0.033, 4), (1, 0.009, 1)],
        vec![(1, 0.010, 1), (1, 0.010, 0)],
    ] {
        assert_agree(&report(&said, 1, None, 40_000), &Method::Chain, 0.02);
    }
}

#[test]
fn a_slow_source_is_a_part_of_the_first_service() {
    let source = Service { mean: 0.02, phases: 1 };
    for said in [vec![(1, 0.010, 1), (1, 0.015, 1)], vec![(2, 0.010, 1), (1, 0.014, 1)]] {
        let report = report(&said, 1, Some(source), 40_000);
        assert_agree(&report, &Method::Chain, 0.02);
    }
}

const IMAGES: [(usize, f64, u32); 3] = [(1, 0.010, 1), (3, 0.040, 4), (1, 0.012, 1)];

#[test]
fn a_report_prints_as_a_table() {
    let report = report(&IMAGES, 4, None, 10_000);
    insta::assert_snapshot!("report", report.to_string());
    insta::assert_snapshot!("with_prediction", report.with_prediction().unwrap().to_string());
}

#[test]
fn what_is_doubtful_is_said() {
    let mut ran = ran_of(&[(1, 0.010, 0), (3, 0.040, 0), (1, 0.012, 1)], 4, None, 30);
    (ran.cores, ran.in_order) = (2, vec![StageId(4)]);
    let report = report_of(ran);
    let limits = Limits { states: 10_000, ..Limits::default() };
    insta::assert_snapshot!("doubtful", report.with_prediction_within(&limits).unwrap().to_string());
}

#[test]
fn a_window_that_becomes_full_is_said() {
    let told = |times| {
        let mut ran = ran_of(&IMAGES, 4, None, 1_000);
        ran.in_order = vec![StageId(4)];
        ran.snapshot.tasks[1].replicas.iter_mut().for_each(|replica| replica.squares *= times);
        let warnings = report_of(ran).prediction().unwrap().warnings;
        warnings.into_iter().find(|warning| warning.contains("window"))
    };
    // The squares of Erlang-4 times are 5/4 of the square of their mean, and four times as much is an scv
    // of 4.
    assert_eq!(told(1), None);
    let warning = told(4).expect("a few services are very long");
    assert!(warning.starts_with("`stage1` has a few services that are very long (scv "), "{warning}");
}

/// A run of items that travel in parcels of so many: the simulated items are the parcels.
fn in_parcels(of: u64) -> Report {
    let mut ran = ran_of(&IMAGES, 4, None, 20_000);
    ran.batch = of as usize;
    for replica in ran.snapshot.tasks.iter_mut().flat_map(|task| &mut task.replicas) {
        replica.items *= of;
    }
    ran.departures = ran.departures.times(of);
    report_of(ran)
}

#[test]
fn an_item_of_the_model_is_a_parcel() {
    let (single, report) = (in_parcels(1), in_parcels(64));
    assert_agree(&report, &Method::Chain, 0.02);
    assert_eq!(report.delivered(), 64 * 20_000);
    let (one, many) = (single.prediction().unwrap(), report.prediction().unwrap());
    assert!((many.throughput / one.throughput - 64.0).abs() < 1e-6);
    assert!(
        many.assumptions
            .iter()
            .any(|sentence| sentence.contains("64.000 items were delivered for each parcel"))
    );
    let text = report.to_skel().unwrap();
    assert!(
        text.contains("// an item of this program is a parcel: 64.000 items were delivered for each\n"),
        "{text}"
    );
}

#[test]
fn the_program_has_the_measured_times() {
    let report = report(&IMAGES, 4, None, 10_000);
    let program = report.program().unwrap();
    let text = report.to_skel().unwrap();
    let read = parse(&text).program().unwrap_or_else(|| panic!("{text}"));
    assert_eq!(read.skeleton(), program.skeleton());
    assert_eq!(read.lower().unwrap().to_string(), program.lower().unwrap().to_string());
    for (task, id) in report.tasks().iter().zip([1, 3, 4]) {
        let time = program.skeleton().time(StageId(id)).unwrap();
        assert!((time.mean().to_float() / task.mean.unwrap() - 1.0).abs() < 1e-5);
    }
    // What is said of the program as it was written stays as it was.
    assert_eq!(report.program_as_written().skeleton().time(StageId(1)).unwrap().to_string(), "1.0");
}

#[test]
fn a_calibrated_program_can_be_dimensioned() {
    let program = report(&IMAGES, 4, None, 10_000).program().unwrap();
    let program = program.with_skeleton(program.skeleton().exponential());
    let wanted = program.dimension(Target::throughput(75.0)).unwrap();
    let found = wanted.skeleton().expect("more workers do it");
    assert!(found.tasks().len() > 5, "{wanted}");
}

#[test]
fn items_that_are_left_out_do_not_come_further() {
    // Half of the items end at the first task.
    let mut ran = ran_of(&[(1, 0.010, 1), (1, 0.010, 1)], 4, None, 20_000);
    let first = &mut ran.snapshot.tasks[0].replicas[0];
    (first.served, first.items, first.timed, first.skipped) = (40_000, 40_000, 40_000, 20_000);
    (first.service, first.timed_service) = (first.service * 2, first.service * 2);
    (first.busy, first.squares) = (first.busy * 2, first.squares * 2);
    ran.skipped = 20_000;
    ran.elapsed *= 2;
    ran.departures = ran.departures.slower(2);
    let report = report_of(ran);
    let prediction = report.prediction().unwrap();
    // The second task has work for half of the parcels, with the scv 3, so that the first sets the pace.
    assert!((prediction.formula / 50.0 - 1.0).abs() < 0.02, "{}", prediction.formula);
    assert!(prediction.throughput < prediction.formula && prediction.throughput > 0.85 * prediction.formula);
    let said = &prediction.assumptions[2];
    assert!(
        said.contains("fitted by exponential") && said.contains("50.0 % of the parcels come to it"),
        "{said}"
    );
}

#[test]
fn threads_that_take_items_through_all_tasks() {
    let mut ran = ran_of(&[(1, 0.010, 0), (3, 0.040, 0), (1, 0.010, 0)], 4, None, 1_000);
    ran.execution = Execution::Pull(2);
    let two = report_of(ran.clone()).prediction().unwrap();
    // Two threads, and 60 ms for each item.
    assert!((two.throughput - 2.0 / 0.060).abs() < 1e-3, "{}", two.throughput);
    assert!((two.tasks[1].busy - 0.040 / 0.060).abs() < 1e-6);
    assert_eq!((two.method, two.tasks[1].starved), (Method::Pull(2), None));
    ran.execution = Execution::Pull(12);
    let twelve = report_of(ran).prediction().unwrap();
    // The tasks outside of the farm serve one item at a time.
    assert!((twelve.throughput - 1.0 / 0.010).abs() < 1e-3, "{}", twelve.throughput);
    assert_eq!(twelve.throughput, twelve.formula);
}

#[test]
fn a_chain_that_is_too_large_is_extrapolated_and_says_so() {
    for (said, capacity) in
        [(vec![(1, 1.0, 8), (4, 4.0, 8), (1, 1.0, 8)], 1), (vec![(1, 1.0, 0), (4, 4.0, 0), (1, 1.0, 1)], 1)]
    {
        let report = report(&said, capacity, None, 40_000);
        let prediction = report.prediction_within(&Limits { states: 20_000, ..Limits::default() }).unwrap();
        let apart = prediction.throughput / report.throughput().rate - 1.0;
        assert_eq!(prediction.method, Method::Extrapolated);
        assert!(apart.abs() < 0.02, "{apart}: {prediction:?}");
        let said = &prediction.assumptions[4];
        assert!(
            said.contains(
                "the prediction is an estimate, extrapolated from chains in which no time has an scv below 0."
            ),
            "{said}"
        );
    }
}

#[test]
fn a_chain_that_is_far_too_large_is_replaced_and_says_so() {
    let report = report(&[(1, 0.010, 16), (3, 0.030, 16), (1, 0.010, 16)], 4, None, 2_000);
    let within = |states| report.prediction_within(&Limits { states, ..Limits::default() }).unwrap();
    let (extrapolated, exponential, none) = (within(10_000), within(100), within(10));
    assert!(extrapolated.throughput > exponential.throughput && none.throughput > extrapolated.throughput);
    assert!(
        exponential
            .assumptions
            .iter()
            .any(|said| said.contains("all times are exponential") || said.contains("below 1")),
        "{exponential:?}"
    );
    assert!(
        exponential.warnings.iter().any(|said| said.contains("far from that of exponential times")),
        "{exponential:?}"
    );
    assert!(matches!(none.method, Method::BeyondLimit(_)) && none.throughput == none.formula);
    assert!(none.assumptions[0].contains("stopped at the limit of 10 states"), "{}", none.assumptions[0]);
    let cancelled = Limits::default();
    cancelled.cancellation.cancel();
    assert!(matches!(report.prediction_within(&cancelled), Err(NoPrediction::NotSolved(_))));
}

#[test]
fn a_task_without_items_has_no_time() {
    let mut ran = ran_of(&IMAGES, 4, None, 100);
    for replica in &mut ran.snapshot.tasks[1].replicas {
        (replica.served, replica.items, replica.timed, replica.scv) = (0, 0, 0, None);
    }
    let report = report_of(ran);
    let message = "there is no prediction: the task `stage1` served no item in this run, so its time is not known: let it run longer, or \
                   with more items";
    assert_eq!(report.prediction().unwrap_err().to_string(), message);
    assert!(report.program().is_err() && report.to_skel().is_err());
    assert!(report.to_string().contains("stage1         3      0          -"), "{report}");
}

#[test]
fn a_failure_says_where_and_what() {
    let mut ran = ran_of(&IMAGES, 4, None, 17);
    (ran.ending, ran.failed) = (Ending::Failed, 1);
    let report = report_of(ran);
    let cause = Cause::Panic("no such file".to_owned());
    let failure = Failure::new(StageId(3), 17, cause, report);
    assert_eq!(
        failure.to_string(),
        "the stage `stage1` (stage 1, worker) could not serve item 17, counted from 0: it panicked: no such file; 17 items were delivered \
         before"
    );
    assert_eq!(format!("{failure:?}"), failure.to_string());
    assert_eq!((failure.place(), failure.name(), failure.stage()), (17, "stage1", StageId(3)));
}

#[test]
fn json_has_all_figures() {
    let report = report(&IMAGES, 4, None, 1_000);
    let json = report.with_prediction().unwrap().to_json();
    let read: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&read["ending"], &read["delivered"]), (&"completed".into(), &1_000.into()));
    assert_eq!(read["tasks"][1]["name"], "stage1");
    let predicted = report.prediction().unwrap();
    let busy = read["prediction"]["tasks"][1]["busy"].as_f64().unwrap();
    assert!((busy - predicted.tasks[1].busy).abs() < 1e-12, "the reader rounds the last digit");
    let plain: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!((&plain["tasks"], plain.get("prediction")), (&read["tasks"], None));
}

#[test]
fn threads_that_only_wait_are_told_of() {
    let mut ran = ran_of(&[(1, 0.010, 1), (1, 0.010, 1)], 1, None, 1_000);
    for replica in ran.snapshot.tasks.iter_mut().flat_map(|task| &mut task.replicas) {
        replica.blocked += 9 * ran.elapsed;
    }
    ran.departures = ran.departures.slower(10);
    ran.elapsed *= 10;
    let warnings = report_of(ran).prediction().unwrap().warnings;
    assert!(
        warnings.iter().any(|said| said.contains("threads waited to be woken, or for a processor")),
        "{warnings:?}"
    );
}
