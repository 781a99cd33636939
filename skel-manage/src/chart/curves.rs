//! From snapshots to lines: each figure at each snapshot, over the last while.

use std::time::Duration;

use skel_run::monitor::{Snapshot, TaskFigures};

use super::Chart;

/// The lines of one run.
pub(super) struct Curves<'c> {
    pub(super) chart: &'c Chart,
    /// From when to when, in seconds.
    pub(super) span: (f64, f64),
    /// Over how long throughputs and service times are means, in seconds.
    pub(super) window: f64,
    /// Items per second.
    pub(super) throughput: Vec<(f64, f64)>,
    /// Of each task with several replicas at some time: how many.
    pub(super) replicas: Vec<Line>,
    /// Of each task: the mean service time in milliseconds.
    pub(super) times: Vec<Line>,
}

/// A line and what it is.
pub(super) struct Line {
    pub(super) name: String,
    /// The place of its task in the skeleton, which says how it is drawn.
    pub(super) task: usize,
    pub(super) points: Vec<(f64, f64)>,
}

/// So many windows make a run.
const WINDOWS: f64 = 45.0;

/// And so many items of a program that keeps its contract make one.
const ITEMS: f64 = 60.0;

impl<'c> Curves<'c> {
    /// There are two snapshots and a task.
    pub(super) fn of(chart: &'c Chart) -> Self {
        let snapshots = chart.series.snapshots();
        let (first, last) = (&snapshots[0], &snapshots[snapshots.len() - 1]);
        let length = last.at.saturating_sub(first.at).as_secs_f64();
        let window = (length / WINDOWS).max(ITEMS * chart.goal().seconds()).min(length.max(1e-3));
        let windows = windows(snapshots, Duration::from_secs_f64(window));
        let throughput =
            windows.iter().map(|window| (window.at.as_secs_f64(), window.throughput())).collect();
        let tasks = || first.tasks.iter().enumerate();
        let line = |(task, figures): (usize, &TaskFigures), points| Line {
            name: figures.name.clone(),
            task,
            points,
        };
        let replicas = tasks().map(|task| line(task, running(snapshots, task.0)));
        let has_several = |line: &Line| line.points.iter().any(|&(_, replicas)| replicas > 1.0);
        let times = tasks().map(|task| line(task, times(&windows, task.0)));
        Curves {
            chart,
            span: (0.0, last.at.as_secs_f64()),
            window,
            throughput,
            replicas: replicas.filter(has_several).collect(),
            times: times.collect(),
        }
    }
}

/// What was done in the last while before each snapshot.
fn windows(snapshots: &[Snapshot], length: Duration) -> Vec<Snapshot> {
    let mut begin = 0;
    let window = |(place, snapshot): (usize, &Snapshot)| {
        while begin + 1 < place && snapshots[begin + 1].at + length <= snapshot.at {
            begin += 1;
        }
        snapshot.since(&snapshots[begin])
    };
    snapshots.iter().enumerate().skip(1).map(window).collect()
}

/// How many replicas ran at each snapshot; none before the first began and after the last has left.
fn running(snapshots: &[Snapshot], task: usize) -> Vec<(f64, f64)> {
    let point = |snapshot: &Snapshot| (snapshot.at.as_secs_f64(), snapshot.tasks[task].running() as f64);
    snapshots.iter().map(point).filter(|&(_, running)| running > 0.0).collect()
}

fn times(windows: &[Snapshot], task: usize) -> Vec<(f64, f64)> {
    let point = |window: &Snapshot| {
        let time = window.tasks[task].mean_service_time()?;
        Some((window.at.as_secs_f64(), time.as_secs_f64() * 1e3))
    };
    windows.iter().filter_map(point).collect()
}
