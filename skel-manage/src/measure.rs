//! What was measured in a window: the times that rules and the model ask for.

use std::fmt;

use skel_core::skeleton::{Program, StageId, Tree};
use skel_run::monitor::Snapshot;

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
    /// The inter-arrival time of the source, `T_A`: known where the first stage was starved of items, for then the source sets the pace.
    pub arrival_time: Option<ServiceTime>,
    /// What the output can take, `T_D`: known where the last stage was blocked.
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
    /// The mean time of each worker that serves an item together with others, in seconds, in their order; of a task its own alone.
    pub worker_times: Vec<f64>,
    /// The parts of the time in which its replicas served, waited for items, waited to hand items over, and waited for each other.
    pub busy: f64,
    /// See `busy`.
    pub starved: f64,
    /// See `busy`.
    pub blocked: f64,
    /// See `busy`.
    pub waiting: f64,
    /// The items in front of it now; none of the first stage.
    pub queue: Option<u64>,
}

/// Why a window says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoMeasures {
    /// It has no length, or no item left the program in it.
    Empty,
    /// These tasks served nothing in it.
    NotServed(Vec<String>),
}

impl Measures {
    /// What a window says of a program, which has the numbers of replicas and workers of this window.
    ///
    /// # Errors
    /// An empty window; tasks that served nothing.
    pub fn of(window: &Snapshot, program: &Program<Tree>) -> Result<Self, NoMeasures> {
        let _ = (window, program);
        Err(NoMeasures::Empty)
    }
}

impl fmt::Display for NoMeasures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoMeasures::Empty => f.write_str(
                "no item left the program in this window, so nothing is known of its service time",
            ),
            NoMeasures::NotServed(tasks) => write!(f, "{} served nothing in this window", tasks.join(", ")),
        }
    }
}

impl std::error::Error for NoMeasures {}
