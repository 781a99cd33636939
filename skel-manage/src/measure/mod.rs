//! What was measured in a window: the times that rules and the model ask for.

mod ends;

use std::fmt;

use skel_core::skeleton::{Program, Stage, StageId, Tree};
use skel_run::monitor::{ReplicaFigures, Snapshot, TaskFigures};
use skel_run::report::{TaskReport, tasks_of};

use crate::quantity::ServiceTime;

/// What a program did in a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Measures {
    /// When the window ended, in seconds since the start of the run.
    pub at: f64,
    /// How long it was, in seconds.
    pub span: f64,
    /// The items that left the program in it.
    pub items: u64,
    /// How many items a parcel has, on average: what a replica serves at once.
    pub items_in_a_parcel: f64,
    /// The service time of the program: the span for each item that left.
    pub service_time: ServiceTime,
    /// The relative standard error of the service time, as far as the variation of the measured times tells.
    pub error: f64,
    /// The inter-arrival time of the source, `T_A`: known where the first stage was starved of items, for
    /// then the source sets the pace.
    pub arrival_time: Option<ServiceTime>,
    /// The service time of whatever takes the results, `T_D`: known where the last stage was blocked.
    pub output_time: Option<ServiceTime>,
    /// The tasks and teams in the order of the skeleton.
    pub stages: Vec<StageMeasures>,
}

/// What one task or team did in a window.
#[derive(Clone, Debug, PartialEq)]
pub struct StageMeasures {
    /// Its node in the tree.
    pub id: StageId,
    /// Its name.
    pub name: String,
    /// How many replicas of it there are in all; workers that serve an item together are one.
    pub replicas: u32,
    /// How many workers serve an item together: 1 of a task.
    pub workers: u32,
    /// How many services were measured.
    pub services: u64,
    /// The mean time of a service for each item, in seconds: `T_W`.
    pub time: f64,
    /// The squared coefficient of variation of its service times; none of fewer than two services.
    pub scv: Option<f64>,
    /// The mean time of each worker that serves an item together with others, in seconds, in their order; of
    /// a task its own alone.
    pub worker_times: Vec<f64>,
    /// The parts of the time in which its replicas served, waited for items, waited to hand items over, and
    /// waited for each other.
    pub busy: f64,
    /// See `busy`.
    pub starved: f64,
    /// See `busy`.
    pub blocked: f64,
    /// See `busy`.
    pub waiting: f64,
    /// The items in front of it now; none of the first stage.
    pub queue: Option<u64>,
    /// How many items it serves for each item that leaves the program: 1, unless items are left out
    /// somewhere.
    pub visits: f64,
    /// What a map with state does for its states; none of other stages, and where no state came.
    pub state: Option<StateMeasures>,
}

/// What the workers of a map with state do for a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateMeasures {
    /// The mean time of a worker for its part of a state, in seconds: `T_I`.
    pub time: f64,
    /// How many items there were for each state: `m`.
    pub items: f64,
}

impl StageMeasures {
    /// A task of one worker that served all the time, with exponential times of this mean in seconds.
    /// Measures of programs that do not run begin with it.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::StageId;
    /// use skel_manage::StageMeasures;
    ///
    /// let farm = StageMeasures { replicas: 4, ..StageMeasures::always_busy(StageId(2), "sharpen", 0.08, 400) };
    /// assert_eq!((farm.worker_times, farm.scv), (vec![0.08], Some(1.0)));
    /// ```
    #[must_use]
    pub fn always_busy(id: StageId, name: impl Into<String>, time: f64, services: u64) -> Self {
        StageMeasures {
            id,
            name: name.into(),
            replicas: 1,
            workers: 1,
            services,
            time,
            scv: Some(1.0),
            worker_times: vec![time],
            busy: 1.0,
            starved: 0.0,
            blocked: 0.0,
            waiting: 0.0,
            queue: None,
            visits: 1.0,
            state: None,
        }
    }
}

/// Why a window says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoMeasures {
    /// It has no length, or no item left the program in it.
    Empty,
    /// These tasks served nothing in it.
    NotServed(Vec<String>),
    /// Its tasks are not those of the program.
    OtherProgram,
}

impl Measures {
    /// What a window says of a program, which has the numbers of replicas and workers of this window.
    ///
    /// Replicas that left before the window did nothing in it, and do not count. Those that came or left in
    /// it count for the time that they were there. Where items travel in parcels, times are those of a parcel
    /// by its items.
    ///
    /// # Errors
    /// An empty window; tasks that served nothing; a window of another program.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{text::parse, Communication, Skeleton};
    /// use skel_manage::Measures;
    /// use skel_run::monitor::Monitors;
    ///
    /// let tree = parse("pipe(task(1), farm(4, 2));").into_tree()?;
    /// let monitors = Monitors::of(tree.leaves().map(|id| (id, tree.name(id))));
    /// let earlier = monitors.snapshot();
    /// let window = monitors.snapshot().since(&earlier);
    /// let program = tree.communicating(Communication::negligible());
    /// let none = Measures::of(&window, &program).unwrap_err();
    /// assert_eq!(none.to_string(), "no item left the program in this window, so nothing is known of its service time");
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    pub fn of(window: &Snapshot, program: &Program<Tree>) -> Result<Self, NoMeasures> {
        let tree = program.skeleton();
        let tasks = tasks_of(window, tree);
        if !tasks.iter().map(|task| task.id).eq(tree.leaves()) || tasks.len() != window.tasks.len() {
            return Err(NoMeasures::OtherProgram);
        }
        let (span, items) = (window.span().as_secs_f64(), window.delivered());
        if items == 0 || span <= 0.0 {
            return Err(NoMeasures::Empty);
        }
        let not_served = |task: &&TaskReport| task.mean.is_none() || task.items == 0;
        let not_served: Vec<String> = tasks.iter().filter(not_served).map(|task| task.name.clone()).collect();
        if !not_served.is_empty() {
            return Err(NoMeasures::NotServed(not_served));
        }
        let visits = visits(window);
        let stages = tasks.iter().zip(&window.tasks).zip(visits);
        let stages: Vec<StageMeasures> =
            stages.map(|((task, figures), visits)| stage(task, figures, tree, visits)).collect();
        let service_time = ServiceTime::of_seconds(span / items as f64);
        Ok(Measures {
            at: window.at.as_secs_f64(),
            span,
            items,
            items_in_a_parcel: tasks.last().map_or(1.0, items_in_a_parcel),
            service_time,
            error: error(&stages, items, &tasks),
            arrival_time: ends::arrival_time(&tasks, &stages, service_time),
            output_time: ends::output_time(&tasks, &stages, service_time),
            stages,
        })
    }

    /// A stage, by its node.
    #[must_use]
    pub fn stage(&self, id: StageId) -> Option<&StageMeasures> {
        self.stages.iter().find(|stage| stage.id == id)
    }
}

/// What a stage did.
fn stage(task: &TaskReport, figures: &TaskFigures, tree: &Tree, visits: f64) -> StageMeasures {
    let workers = match tree.stage(task.id) {
        Stage::Team(team) => team.workers,
        _ => 1,
    };
    let replicas = task.replicas as u32 / workers;
    let items_in_a_parcel = items_in_a_parcel(task);
    let time = task.mean.unwrap_or_default() / items_in_a_parcel;
    let state = task.state_mean.filter(|_| task.states > 0);
    StageMeasures {
        id: task.id,
        name: task.name.clone(),
        replicas,
        workers,
        services: task.timed,
        time,
        scv: task.scv,
        worker_times: worker_times(figures, replicas, workers, time),
        busy: task.busy,
        starved: task.starved,
        blocked: task.blocked,
        waiting: task.waiting,
        queue: figures.queue,
        visits,
        state: state.map(|time| StateMeasures { time, items: task.items as f64 / task.states as f64 }),
    }
}

/// How many items a parcel of a task had, on average.
fn items_in_a_parcel(task: &TaskReport) -> f64 {
    if task.parcels == 0 { 1.0 } else { task.items as f64 / task.parcels as f64 }
}

/// The mean time of each worker for its part of an item. The workers of one replica of a team begin one after
/// the other, and so do the replicas; where workers came or left in the window, it is not known which is
/// which, and all have the mean of all.
fn worker_times(figures: &TaskFigures, replicas: u32, workers: u32, mean: f64) -> Vec<f64> {
    let equal = vec![mean; workers as usize];
    if workers == 1 {
        return equal;
    }
    let served: Vec<&ReplicaFigures> = figures.replicas.iter().filter(|worker| worker.served > 0).collect();
    if served.len() != (replicas * workers) as usize {
        return equal;
    }
    let of_worker = |number: usize| {
        let same = served.iter().skip(number).step_by(workers as usize);
        let (time, count) = same.fold((0.0, 0), |(time, count), worker| {
            (time + worker.service.as_secs_f64(), count + worker.served)
        });
        time / count as f64
    };
    (0..workers as usize).map(of_worker).collect()
}

/// How many items each task serves for each that leaves the program, from the last task to the first: each
/// hands over what it does not leave out.
fn visits(window: &Snapshot) -> Vec<f64> {
    let count =
        |task: &TaskFigures, of: fn(&ReplicaFigures) -> u64| task.replicas.iter().map(of).sum::<u64>();
    let mut visits = 1.0;
    let mut found: Vec<f64> = Vec::new();
    for task in window.tasks.iter().rev() {
        let (given, skipped) = (count(task, |replica| replica.given), count(task, |replica| replica.skipped));
        if skipped > 0 && given > 0 {
            visits *= (given + skipped) as f64 / given as f64;
        }
        found.push(visits);
    }
    found.reverse();
    found
}

/// The relative standard error of a service time that was measured over so many items. It is that of the
/// stage that sets the pace: the variation of each stage is weighed by how busy the stage is, relative to the
/// busiest one, and the largest counts. Where source or output set the pace, their times are taken for
/// exponential. The error is at least that of counting one item too many or too few.
fn error(stages: &[StageMeasures], items: u64, tasks: &[TaskReport]) -> f64 {
    let ends_wait = tasks.first().is_some_and(|task| task.starved_for_each().is_some())
        || tasks.last().is_some_and(|task| task.blocked_for_each().is_some());
    let busiest = stages.iter().map(|stage| stage.busy).fold(f64::MIN_POSITIVE, f64::max);
    let varies = |stage: &StageMeasures| stage.scv.unwrap_or(1.0) * stage.busy / busiest;
    let least = if ends_wait { 1.0 } else { 0.0 };
    let scv = stages.iter().map(varies).fold(least, f64::max);
    let items = items as f64;
    (scv / items).sqrt().max(1.0 / items)
}

impl fmt::Display for NoMeasures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoMeasures::Empty => f.write_str(
                "no item left the program in this window, so nothing is known of its service time",
            ),
            NoMeasures::NotServed(tasks) => {
                let (names, their) =
                    (names(tasks), if tasks.len() == 1 { "its time is" } else { "their times are" });
                write!(f, "{names} served nothing in this window, so {their} not known")
            }
            NoMeasures::OtherProgram => f.write_str("the tasks of this window are not those of the program"),
        }
    }
}

/// `the task `a`` or `the tasks `a` and `b``.
fn names(tasks: &[String]) -> String {
    let quoted: Vec<String> = tasks.iter().map(|task| format!("`{task}`")).collect();
    match &quoted[..] {
        [one] => format!("the task {one}"),
        [before @ .., last] => format!("the tasks {} and {last}", before.join(", ")),
        [] => "no task".to_owned(),
    }
}

impl std::error::Error for NoMeasures {}
