//! The answers of the skeletons of this crate.

use skel_core::number::Ratio;
use skel_core::skeleton::{Replication, Stage, StageId, TeamKind, Tree};

use super::{Behaviour, ExactTimes, formula};

/// A skeleton of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pattern {
    /// Each item goes to whichever worker is free.
    Farm,
    /// Items go to the workers in turn.
    Deal,
    /// Each worker serves a part of every item.
    Map,
    /// All workers compute the same, and all replies are waited for.
    FaultTolerant,
    /// All workers compute the same, and the result is passed on as soon as the majority have replied.
    EarlyMajority,
    /// A map whose workers keep a state.
    MapWithState,
    /// Stages one behind the other. Its workers are its stages.
    Pipe,
}

impl Pattern {
    /// All of them.
    pub const ALL: [Pattern; 7] = [
        Pattern::Farm,
        Pattern::Deal,
        Pattern::Map,
        Pattern::FaultTolerant,
        Pattern::EarlyMajority,
        Pattern::MapWithState,
        Pattern::Pipe,
    ];

    /// What a node of a tree is; none of a task.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{StageId, text::parse};
    /// use skel_manage::behaviour::Pattern;
    /// let tree = parse("pipe(task(1), farm(4, 2));").into_tree()?;
    /// let patterns: Vec<_> = tree.ids().map(|id| Pattern::of(&tree, id)).collect();
    /// assert_eq!(patterns, [Some(Pattern::Pipe), None, Some(Pattern::Farm), None]);
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    pub fn of(tree: &Tree, id: StageId) -> Option<Pattern> {
        Some(match tree.stage(id) {
            Stage::Task(_) => return None,
            Stage::Pipe(_) => Pattern::Pipe,
            Stage::Replicated { replication: Replication::Farm, .. } => Pattern::Farm,
            Stage::Replicated { replication: Replication::Deal, .. } => Pattern::Deal,
            Stage::Team(team) => match team.kind {
                TeamKind::Map => Pattern::Map,
                TeamKind::MapWithState(_) => Pattern::MapWithState,
                TeamKind::FaultTolerant { early: false } => Pattern::FaultTolerant,
                TeamKind::FaultTolerant { early: true } => Pattern::EarlyMajority,
            },
        })
    }
}

/// How many workers have to reply.
fn majority(workers: usize) -> usize {
    workers / 2 + 1
}

impl Behaviour for Pattern {
    fn name(&self) -> String {
        match self {
            Pattern::Farm => "farm",
            Pattern::Deal => "deal",
            Pattern::Map => "map",
            Pattern::FaultTolerant => "fault-tolerant",
            Pattern::EarlyMajority => "fault-tolerant, early",
            Pattern::MapWithState => "map with state",
            Pattern::Pipe => "pipe",
        }
        .to_owned()
    }

    fn semantics(&self) -> String {
        match self {
            Pattern::Farm => "each item goes to one worker, whichever is free; workers wait for nobody",
            Pattern::Deal => "items go to the workers in turn; a slow one holds up the others",
            Pattern::Map => "each item is scattered over all workers, and gathered when all are done",
            Pattern::FaultTolerant => {
                "each item goes to all workers, which compute the same in other ways; all replies are waited for"
            }
            Pattern::EarlyMajority => {
                "each item goes to all workers; the result is passed on when the majority have replied, and who is late misses items"
            }
            Pattern::MapWithState => "a map whose workers take a new state now and then; no item is served meanwhile",
            Pattern::Pipe => "each stage serves another item; all items pass through all stages",
        }
        .to_owned()
    }

    fn reduction(&self) -> String {
        match self {
            Pattern::Farm | Pattern::Deal => "a pipe of dispatch, the workers as one stage, and collect",
            Pattern::Map | Pattern::FaultTolerant => "a pipe of dispatch, the slowest worker, and collect",
            Pattern::EarlyMajority => "a pipe of dispatch, the worker that makes the majority, and collect",
            Pattern::MapWithState => "that of a map, with the time for a state spread over its items",
            Pattern::Pipe => "its slowest stage",
        }
        .to_owned()
    }

    fn parameters(&self) -> Vec<&'static str> {
        match self {
            Pattern::Farm | Pattern::Deal => vec!["T_S", "T_W", "T_C", "n"],
            Pattern::Map | Pattern::FaultTolerant | Pattern::EarlyMajority => vec!["T_S", "T_Wi", "T_C", "n"],
            Pattern::MapWithState => vec!["T_S", "T_Wi", "T_C", "T_I", "m", "n"],
            Pattern::Pipe => vec!["T of each stage"],
        }
    }

    fn formula(&self) -> String {
        match self {
            Pattern::Farm | Pattern::Deal => "T_W / n",
            Pattern::Map | Pattern::FaultTolerant => "max T_Wi",
            Pattern::EarlyMajority => "the (n/2 + 1)-th fastest T_Wi",
            Pattern::MapWithState => "T_W + (T_I + T_W) / m, T_W = max T_Wi",
            Pattern::Pipe => "max T",
        }
        .to_owned()
    }

    fn of_workers(&self, times: &ExactTimes) -> Ratio {
        let workers = &times.workers;
        match self {
            Pattern::Farm | Pattern::Deal => formula::farm(&mean(workers), &number(workers)),
            Pattern::Map | Pattern::FaultTolerant | Pattern::Pipe => formula::map(workers),
            Pattern::EarlyMajority => formula::majority(workers, majority(workers.len())),
            Pattern::MapWithState => with_state(&formula::map(workers), times),
        }
    }

    fn of_one_worker(&self, times: &ExactTimes) -> Option<Ratio> {
        let workers = &times.workers;
        match self {
            Pattern::Farm | Pattern::Deal => Some(mean(workers)),
            Pattern::Map => Some(workers.iter().sum()),
            Pattern::MapWithState => {
                let state = times.state.as_ref().map(|(time, items)| (time * number(workers), items.clone()));
                Some(with_state(&workers.iter().sum(), &ExactTimes { state, ..times.clone() }))
            }
            Pattern::FaultTolerant | Pattern::EarlyMajority | Pattern::Pipe => None,
        }
    }

    fn wrong(&self, times: &ExactTimes) -> Vec<String> {
        let workers = times.workers.len();
        match self {
            Pattern::MapWithState if times.state.is_none() => {
                vec![
                    "a map with state needs the time for a state, and how many items there are for each"
                        .to_owned(),
                ]
            }
            Pattern::FaultTolerant | Pattern::EarlyMajority if workers < 3 || workers.is_multiple_of(2) => {
                vec![format!(
                    "a fault-tolerant stage of {workers} workers: it needs an odd number of them, 3 or more, so that there is a majority"
                )]
            }
            _ => Vec::new(),
        }
    }

    fn rules(&self) -> Vec<&'static str> {
        match self {
            Pattern::Farm | Pattern::Deal => vec!["grow", "shrink", "violate"],
            Pattern::Map | Pattern::MapWithState => vec!["repartition", "nest", "grow", "shrink", "violate"],
            Pattern::FaultTolerant | Pattern::EarlyMajority => vec!["migrate", "violate"],
            Pattern::Pipe => vec!["those of its slowest stage", "migrate", "violate"],
        }
    }
}

fn number(workers: &[Ratio]) -> Ratio {
    Ratio::from_integer(workers.len().into())
}

fn mean(workers: &[Ratio]) -> Ratio {
    workers.iter().sum::<Ratio>() / number(workers)
}

/// The service time of a map with this time of its slowest worker; without states it is a map.
fn with_state(worker: &Ratio, times: &ExactTimes) -> Ratio {
    match &times.state {
        Some((state, items)) => formula::map_with_state(worker, state, items),
        None => worker.clone(),
    }
}
