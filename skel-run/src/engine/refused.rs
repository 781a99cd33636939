//! Why a run stays as it is although another thread asked for something else.

use std::fmt;

use skel_core::skeleton::StageId;

/// Why a run stays as it is: a request of a [`Control`](crate::Control) was refused. Nothing has changed
/// then.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// The skeleton has no stage of this number.
    NoStage {
        /// The stage that was named.
        stage: StageId,
        /// How many nodes the skeleton has.
        nodes: usize,
    },
    /// The stage is no deal, no farm and no worker of one.
    NotReplicated(StageId),
    /// There has to be at least one replica.
    NoReplica,
    /// So many workers of a fault-tolerant stage have no majority: they are an even number, or fewer than 3.
    NoMajority(u32),
    /// Each worker of a fault-tolerant stage has a function of its own, and there are fewer functions than
    /// workers were asked for.
    NoFunctions {
        /// The workers that were asked for.
        workers: u32,
        /// The functions that there are.
        functions: u32,
    },
    /// The program would have too many tasks and workers.
    TooMany {
        /// How many it would have, replicas counted.
        asked: u64,
        /// The most that it can have.
        most: u64,
    },
    /// The system refuses to start another thread, for this reason.
    NoThread(String),
    /// The stage is no map and no map with state, so no item is parted among its workers.
    NoMap(StageId),
    /// No weight was given, so there would be no worker.
    NoWeight,
    /// All weights are 0, so nobody would get a part.
    NoShare,
    /// The map has no worker of this number.
    NoWorker {
        /// The number, from 0.
        worker: usize,
        /// How many workers there are.
        workers: usize,
    },
    /// A worker was to be split into none.
    NoSplit,
    /// So many items cannot travel together.
    Batch {
        /// The items that were asked for.
        items: usize,
        /// The most that can.
        most: usize,
    },
    /// Workers of some stage serve each item together, so items travel one at a time.
    BatchOfTeam(usize),
    /// The buffers cannot be so, for this reason.
    Buffers(String),
    /// The stage is a pipe, so it has no threads of its own.
    NoTask(StageId),
    /// A replica is not there, or not any more.
    NotThere {
        /// Its place among the replicas of the task.
        replica: usize,
    },
    /// There is no processor of this number.
    NoProcessor {
        /// The number, from 0.
        processor: usize,
        /// How many this process may use.
        processors: usize,
    },
    /// The threads of this map with state keep its state. To change buffers, they would have to end.
    KeepsState(StageId),
    /// The run, or the stream to this stage, has ended.
    Ended,
    /// The run has not begun.
    NotRunning,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::NoStage { stage, nodes } => write!(
                f,
                "there is no stage {}: the skeleton has {nodes} nodes, counted from 0; a handle or a node of its tree names a stage",
                stage.0
            ),
            Refused::NotReplicated(stage) => write!(
                f,
                "stage {} is no farm, no deal and no map, so it has no replicas or workers to add or remove: name a farm or a deal, its \
                 worker, or a map",
                stage.0
            ),
            Refused::NoReplica => {
                f.write_str("0 replicas: the last one cannot be removed; `cancel` and `drain` end a run")
            }
            Refused::NoMajority(workers) => write!(
                f,
                "{workers} workers of a fault-tolerant stage have no sure majority: take an odd number, from 3 on"
            ),
            Refused::NoFunctions { workers, functions } => write!(
                f,
                "{workers} workers of a fault-tolerant stage that was given {functions} functions: each worker needs one of its own"
            ),
            Refused::TooMany { asked, most } => write!(
                f,
                "the program would have {asked} tasks and workers, more than {most}: ask for fewer, or remove others first"
            ),
            Refused::NoThread(reason) => write!(
                f,
                "the system refuses to start another thread ({reason}): ask for fewer replicas, or allow this process more threads"
            ),
            Refused::NoMap(stage) => write!(
                f,
                "stage {} is no map and no map with state, so no item is parted among workers there: name a map, or set the replicas of a \
                 farm",
                stage.0
            ),
            Refused::NoWeight => f.write_str("no weights: give one for each worker that the map should have"),
            Refused::NoShare => {
                f.write_str("all weights are 0, so no worker would get a part: give at least one of them a weight above 0")
            }
            Refused::NoWorker { worker, workers } => {
                write!(f, "there is no worker {worker}: the map has {workers} workers, counted from 0")
            }
            Refused::NoSplit => f.write_str(
                "a worker split into 0 workers: give at least 1, or set its weight to 0, so that it gets an empty part",
            ),
            Refused::Batch { items: 0, .. } => {
                f.write_str("a batch of 0 items: items travel one at a time with a batch of 1")
            }
            Refused::Batch { items, most } => {
                write!(f, "a batch of {items} items, more than {most}: let fewer travel together")
            }
            Refused::BatchOfTeam(items) => write!(
                f,
                "a batch of {items} items: the workers of a map, a fault-tolerant stage or a map with state wait for each other at each \
                 item, so items travel one at a time"
            ),
            Refused::Buffers(problem) => f.write_str(problem),
            Refused::NoTask(stage) => {
                write!(f, "stage {} is a pipe, whose threads are those of its tasks: name one of them", stage.0)
            }
            Refused::NotThere { replica } => write!(
                f,
                "there is no replica {replica}, or not any more: `TaskFigures::replicas` of a snapshot has all of them from 0 on, and those that \
                 are there have not `left`"
            ),
            Refused::NoProcessor { processor, processors } => write!(
                f,
                "there is no processor {processor}: this process may use {processors}, counted from 0"
            ),
            Refused::KeepsState(stage) => write!(
                f,
                "other buffers need other threads, and those of the map with state at stage {} keep its state: give the program its buffers \
                 before the run",
                stage.0
            ),
            Refused::Ended => {
                f.write_str("the run, or the stream to this stage, has ended, so a change would be of no use")
            }
            Refused::NotRunning => {
                f.write_str("the run has not begun, or has ended: ask while it goes on, as soon as `snapshot` has figures")
            }
        }
    }
}

impl std::error::Error for Refused {}

#[cfg(test)]
mod tests {
    use skel_core::skeleton::StageId;

    use super::Refused;

    #[test]
    fn each_says_what_is_wrong_and_what_to_do() {
        let stage = StageId(3);
        let all = [
            Refused::NoStage { stage, nodes: 3 },
            Refused::NotReplicated(stage),
            Refused::NoReplica,
            Refused::NoMajority(4),
            Refused::NoFunctions { workers: 7, functions: 5 },
            Refused::TooMany { asked: 2001, most: 2000 },
            Refused::NoThread("too many".to_owned()),
            Refused::NoMap(stage),
            Refused::NoWeight,
            Refused::NoShare,
            Refused::NoWorker { worker: 4, workers: 4 },
            Refused::NoSplit,
            Refused::Batch { items: 0, most: 9 },
            Refused::Batch { items: 10, most: 9 },
            Refused::BatchOfTeam(2),
            Refused::Buffers("too large".to_owned()),
            Refused::NoTask(stage),
            Refused::NotThere { replica: 2 },
            Refused::NoProcessor { processor: 2, processors: 2 },
            Refused::KeepsState(stage),
            Refused::Ended,
            Refused::NotRunning,
        ];
        insta::assert_snapshot!(all.map(|refused| refused.to_string()).join("\n"), @r"
        there is no stage 3: the skeleton has 3 nodes, counted from 0; a handle or a node of its tree names a stage
        stage 3 is no farm, no deal and no map, so it has no replicas or workers to add or remove: name a farm or a deal, its worker, or a map
        0 replicas: the last one cannot be removed; `cancel` and `drain` end a run
        4 workers of a fault-tolerant stage have no sure majority: take an odd number, from 3 on
        7 workers of a fault-tolerant stage that was given 5 functions: each worker needs one of its own
        the program would have 2001 tasks and workers, more than 2000: ask for fewer, or remove others first
        the system refuses to start another thread (too many): ask for fewer replicas, or allow this process more threads
        stage 3 is no map and no map with state, so no item is parted among workers there: name a map, or set the replicas of a farm
        no weights: give one for each worker that the map should have
        all weights are 0, so no worker would get a part: give at least one of them a weight above 0
        there is no worker 4: the map has 4 workers, counted from 0
        a worker split into 0 workers: give at least 1, or set its weight to 0, so that it gets an empty part
        a batch of 0 items: items travel one at a time with a batch of 1
        a batch of 10 items, more than 9: let fewer travel together
        a batch of 2 items: the workers of a map, a fault-tolerant stage or a map with state wait for each other at each item, so items travel one at a time
        too large
        stage 3 is a pipe, whose threads are those of its tasks: name one of them
        there is no replica 2, or not any more: `TaskFigures::replicas` of a snapshot has all of them from 0 on, and those that are there have not `left`
        there is no processor 2: this process may use 2, counted from 0
        other buffers need other threads, and those of the map with state at stage 3 keep its state: give the program its buffers before the run
        the run, or the stream to this stage, has ended, so a change would be of no use
        the run has not begun, or has ended: ask while it goes on, as soon as `snapshot` has figures
        ");
    }
}
