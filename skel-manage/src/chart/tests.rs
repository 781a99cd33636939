//! What is in a figure. That it looks well, only a look at it can tell.

use std::time::Duration;

use skel_core::skeleton::StageId;
use skel_core::time::TimeUnits;
use skel_run::monitor::{ReplicaFigures, Snapshot, TaskFigures};

use super::*;

/// So many tenths of a second of a run that makes 80 items a second.
fn series(tenths: u64) -> Series {
    let task = |name: &str, running, at: u64| TaskFigures {
        id: StageId(0),
        name: name.to_owned(),
        queue: None,
        queued: Duration::ZERO,
        replicas: vec![
            ReplicaFigures {
                served: 8 * at,
                given: 8 * at,
                service: Duration::from_millis(80 * at),
                ..ReplicaFigures::default()
            };
            running
        ],
    };
    Series::of((0..tenths).map(|at| Snapshot {
        from: Duration::ZERO,
        at: Duration::from_millis(100 * at),
        tasks: vec![task("sharpen", 8, at), task("write", 1, at)],
    }))
}

#[test]
fn a_figure_names_what_it_shows() {
    let contract = Contract::service_time(12.ms());
    let svg = Chart::of(&contract, &series(100), &Log::default()).titled("one").to_svg().unwrap();
    for text in ["contract 12 ms", "5 % tolerated", "measured", "sharpen", "replicas", "one", "seconds"] {
        assert!(svg.contains(text), "{text}");
    }
    // No decision was taken.
    assert!(!svg.contains("action") && !svg.contains("reported or noted"));
}

#[test]
fn a_run_without_time_says_what_is_missing() {
    let contract = Contract::service_time(12.ms());
    let error = |series: &Series| Chart::of(&contract, series, &Log::default()).to_svg().unwrap_err();
    assert_eq!(
        error(&series(1)).to_string(),
        "a chart needs two snapshots and a task; there are 1 and 2. Let the manager look more often: `tick`"
    );
    assert_eq!(Chart::side_by_side(&[]).unwrap_err().to_string(), "there is no run to draw");
}

#[test]
fn the_curves_are_means_over_a_window() {
    let chart = Chart::of(&Contract::service_time(12.ms()), &series(100), &Log::default());
    let curves = chart.curves().unwrap();
    assert!(curves.throughput.iter().all(|&(_, rate)| (rate - 80.0).abs() < 1e-6));
    assert_eq!(curves.replicas.len(), 1);
    assert!(curves.times[0].points.iter().all(|&(_, time)| (time - 10.0).abs() < 1e-6));
}
