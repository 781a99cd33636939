//! The answer of `skel network`: what is chosen inside of each cluster, and what is scheduled between
//! clusters.

use std::time::{Duration, Instant};

use skel::limits::Cancellation;
use skel::network::Bytes;
use skel::network::collective::Operation;
use skel::network::select::{Clusters, NoSelection, Selection};

use super::between::Between;

/// The answer of `skel network`.
pub(super) struct Answer<'n> {
    /// The name of the file.
    pub(super) name: &'n str,
    pub(super) clusters: &'n Clusters<'n>,
    /// The number of the machine from which a broadcast starts.
    pub(super) root: usize,
    /// The schedules of a broadcast of messages that take no time besides the latencies.
    pub(super) latencies_alone: Option<Between>,
    pub(super) questions: Vec<Question>,
    /// Why not all is answered.
    pub(super) stopped: Option<Stopped>,
}

/// An operation of messages of one size.
pub(super) struct Question {
    pub(super) operation: Operation,
    pub(super) size: Bytes,
    /// For each cluster what was chosen, or why nothing was. A cluster of one machine has nothing to choose.
    pub(super) inside: Vec<Result<Option<Selection>, NoSelection>>,
    /// The schedules between clusters, or why there are none. Only a broadcast is scheduled.
    pub(super) between: Option<Result<Between, String>>,
}

/// Why work ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    Cancelled,
    Time(Duration),
}

/// When to stop.
pub(super) struct Until {
    pub(super) cancellation: Cancellation,
    pub(super) started: Instant,
    pub(super) max_time: Option<Duration>,
}

impl Until {
    /// Why to stop, if it is time to.
    pub(super) fn stopped(&self) -> Option<Stopped> {
        if self.cancellation.is_cancelled() {
            return Some(Stopped::Cancelled);
        }
        self.max_time.filter(|most| self.started.elapsed() >= *most).map(Stopped::Time)
    }
}

impl<'n> Answer<'n> {
    /// Answers for all operations and sizes, as far as there is time. `say` is told what is worked on.
    pub(super) fn new(
        name: &'n str,
        clusters: &'n Clusters<'n>,
        root: usize,
        asked: (&[Operation], &[Bytes]),
        until: &Until,
        say: &dyn Fn(String),
    ) -> Answer<'n> {
        let (operations, sizes) = asked;
        let mut answer =
            Answer { name, clusters, root, latencies_alone: None, questions: Vec::new(), stopped: None };
        if clusters.all().len() > 1 && operations.contains(&Operation::Broadcast) {
            answer.latencies_alone = Between::of_latencies(clusters, root).ok();
        }
        for &operation in operations {
            for &size in sizes {
                answer.stopped = until.stopped();
                if answer.stopped.is_some() {
                    return answer;
                }
                say(format!("{operation} of {size}"));
                answer.questions.push(Question::answered(clusters, root, operation, size));
            }
        }
        answer
    }

    /// The number of the cluster from which a broadcast starts.
    pub(super) fn root_cluster(&self) -> usize {
        let is_in = |machines: &[usize]| machines.contains(&self.root);
        self.clusters.all().iter().position(|cluster| is_in(&cluster.machines)).unwrap_or_default()
    }
}

impl Question {
    fn answered(clusters: &Clusters<'_>, root: usize, operation: Operation, size: Bytes) -> Question {
        let inside: Vec<_> =
            (0..clusters.all().len()).map(|cluster| clusters.select(cluster, operation, size)).collect();
        let is_scheduled = operation == Operation::Broadcast && inside.len() > 1;
        let between = is_scheduled.then(|| Between::new(clusters, root, size, &inside));
        Question { operation, size, inside, between }
    }
}
