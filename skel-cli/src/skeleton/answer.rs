//! From a performance to plain figures, the same whether they are exact or not.

use skel::Error;
use skel::number::{Number, Ratio};
use skel::performance::{BufferPerformance, Gain, Performance, TaskPerformance};
use skel::skeleton::{Stage, StageId, Tree};

use super::overview::stage_number;
use crate::report::figure::Figure;
use crate::report::table::decimal;
use crate::solve::answer::{Answer, Chain};

/// What one more replica would bring, at each place.
pub(super) type Gains = Vec<Gain>;

/// What `--solve` says.
pub(super) struct Solved {
    /// The chain as it was solved, lumped.
    pub(super) chain: Chain,
    /// What `skel solve` says.
    pub(super) answer: Answer,
    /// Items per unit of time that leave the last stage.
    pub(super) throughput: Figure,
    /// The mean number of items inside.
    pub(super) items_inside: Figure,
    /// The mean time that an item is inside.
    pub(super) response_time: Figure,
    /// The buffers, in the order of the tasks that fill them.
    pub(super) buffers: Vec<BufferFigures>,
    /// The top-level stages, in their order.
    pub(super) stages: Vec<StageFigures>,
    /// The tasks, replicas counted, in their order.
    pub(super) tasks: Vec<TaskFigures>,
    /// The number of the task that is busiest.
    pub(super) bottleneck: usize,
    /// What the model assumes of the program.
    pub(super) assumptions: Vec<String>,
}

/// One stage of the pipe.
pub(super) struct StageFigures {
    pub(super) name: String,
    pub(super) throughput: Figure,
    /// The mean of its tasks.
    pub(super) shares: Shares,
}

/// One task.
pub(super) struct TaskFigures {
    pub(super) name: String,
    /// The number of the top-level stage that it belongs to.
    pub(super) stage: usize,
    /// Its rate on its processor.
    pub(super) rate: Ratio,
    pub(super) throughput: Figure,
    pub(super) shares: Shares,
}

/// The parts of the time that a task computes, waits for an item, waits to hand one over, and waits for
/// others.
pub(super) struct Shares {
    pub(super) busy: Figure,
    pub(super) starved: Figure,
    pub(super) blocked: Figure,
    /// Of workers that serve an item together: what they wait for each other. None where there are no such
    /// workers.
    pub(super) waiting: Option<Figure>,
}

impl Shares {
    /// The part of the time that the task serves items: it is busy, or its workers wait for each other.
    pub(super) fn serving(&self) -> f64 {
        self.busy.value + self.waiting.as_ref().map_or(0.0, |waiting| waiting.value)
    }
}

/// One buffer.
pub(super) struct BufferFigures {
    pub(super) senders: Vec<u32>,
    pub(super) receivers: Vec<u32>,
    pub(super) capacity: u32,
    pub(super) items: Figure,
}

impl BufferFigures {
    fn of<N: Number>(buffer: &BufferPerformance<N>) -> BufferFigures {
        BufferFigures {
            senders: buffer.senders.clone(),
            receivers: buffer.receivers.clone(),
            capacity: buffer.capacity,
            items: Figure::of(&buffer.items),
        }
    }
}

impl Solved {
    /// Asks a performance everything.
    pub(super) fn of<N: Number>(performance: &Performance<Tree, N>) -> Result<Solved, Error> {
        let tree = performance.system().tree();
        let steady_state = performance.steady_state();
        let space = steady_state.space();
        let chain = Chain::of(space, steady_state.classification());
        let has_team = tree.has_team();
        let stages = tree.top_level().into_iter().map(|id| StageFigures {
            name: stage_name(tree, id),
            throughput: Figure::of(&performance.throughput_at(id)),
            shares: Shares {
                busy: Figure::of(&performance.busy_at(id)),
                starved: Figure::of(&performance.starved_at(id)),
                blocked: Figure::of(&performance.blocked_at(id)),
                waiting: has_team.then(|| Figure::of(&performance.waiting_at(id))),
            },
        });
        Ok(Solved {
            chain,
            answer: Answer::of(steady_state)?,
            throughput: Figure::of(performance.throughput()),
            items_inside: Figure::of(&performance.items_inside()),
            response_time: Figure::of(&performance.response_time()),
            buffers: performance.buffers().iter().map(BufferFigures::of).collect(),
            stages: stages.collect(),
            tasks: performance.tasks().iter().map(|task| task_figures(tree, task)).collect(),
            bottleneck: performance.bottleneck().task as usize,
            assumptions: performance.system().assumptions(),
        })
    }

    /// The busiest task.
    pub(super) fn bottleneck(&self) -> &TaskFigures {
        &self.tasks[self.bottleneck]
    }

    /// Whether a task is as busy as the busiest, to the digits that are shown: a replica of it, say.
    pub(super) fn is_bottleneck(&self, task: &TaskFigures) -> bool {
        decimal(task.shares.serving()) == decimal(self.bottleneck().shares.serving())
    }
}

/// A stage as one would say it: a task by its name, a pipe by its length.
pub(super) fn stage_name(tree: &Tree, id: StageId) -> String {
    match tree.stage(id) {
        Stage::Pipe(stages) => format!("pipe of {}", stages.len()),
        _ => tree.name(id),
    }
}

fn task_figures<N: Number>(tree: &Tree, task: &TaskPerformance<N>) -> TaskFigures {
    TaskFigures {
        name: task.name.clone(),
        stage: stage_number(tree, task.stage),
        rate: task.rate.clone(),
        throughput: Figure::of(&task.throughput),
        shares: Shares {
            busy: Figure::of(&task.busy),
            starved: Figure::of(&task.starved),
            blocked: Figure::of(&task.blocked),
            waiting: tree.has_team().then(|| Figure::of(&task.waiting)),
        },
    }
}
