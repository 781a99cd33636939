//! Pipes of tasks and farms of tasks: where one more replica is proved not to lower the throughput, and where
//! a few neighbouring stages are an upper bound on the whole.
//!
//! Let stage `i` have `n_i` replicas of rate `m_i`, and let each move from stage `i` to stage `i+1` have the
//! rate `c`. Let `C_i` count the computations that stage `i` has completed and `M_i` the moves into it.
//! Replicas of a farm are alike, so these counts decide how many are in which state: `M_i - C_i` compute,
//! `C_i - M_{i+1}` wait to send, and the other `n_i - M_i + M_{i+1}` wait to receive. A replica of the first
//! stage begins its next item when it has sent one. Each count rises by one, at the rates
//!
//! ```text
//! C_i      m_i (M_i - C_i)                                    in the first stage m_0 (n_0 - C_0 + M_1)
//! M_{i+1}  c (C_i - M_{i+1}) (n_{i+1} - M_{i+1} + M_{i+2})    the last stage sends at once: M_{i+2} = C_{i+1}
//! ```
//!
//! since each idle sender has a link to each idle receiver. So do the counts of these:
//!
//! - *one port*: a move has the rate `c` as long as there are a sender and a receiver;
//! - *a buffer* of `k` places, into which `P` items have been put and from which `G` have been got: items are
//!   put at rate `c` as long as `C_i > P` and `P - G < k`, and got at rate `c` as long as `P > G` and a
//!   receiver is idle;
//! - *times in phases*: `D_v` counts how often phase `v` was left. Where an item goes from there is a choice
//!   by chance, which may as well be made beforehand for the first item that leaves the phase, the second and
//!   so on, and likewise for the phase in which the first item begins, the second and so on. Then the items
//!   that have come to a phase are sums of counts, each up to a count of this list.
//!
//! The rate of each count, as long as it has one value itself, does not fall when other counts rise, nor when
//! an `n_i`, an `m_i`, `c` or `k` does. So let two systems begin at zero, one with at least as many replicas
//! at each stage as the other, and use common random numbers: wherever a count is equal in both, each of its
//! steps in the smaller system is a step in the larger one too. Then no count of the larger system is ever
//! below that of the smaller one, and neither is its throughput. The same holds for the other numbers, and
//! where `c` grows without bound: moves that take no time.
//!
//! A window is the limit of infinitely fast stages around it: the stage before it always has an item to send,
//! and the stage behind it takes each item at once. So the throughput of a few neighbouring stages alone is
//! an upper bound on that of the whole.
//!
//! With deals neither holds. Two deals side by side with as many replicas each are pairs that do not meet;
//! one more replica joins them, and `pipe(deal(2, 1), deal(2, 1))` with moves at rate 10 falls from 1.25 to
//! 1.2377 with a third replica in either deal.
//!
//! References: W. A. Massey, *Stochastic orderings for Markov processes on partially ordered spaces*,
//! Mathematics of Operations Research 12 (1987), for the comparison of such processes; J. G. Shanthikumar and
//! D. D. Yao, *Monotonicity and concavity properties in cyclic queueing networks with finite buffers*, in:
//! Queueing Networks with Blocking (1989), for related networks.

use std::collections::HashMap;

use skel_core::number::Number;
use skel_core::skeleton::{Replication, Stage, StageId, Tree};
use skel_core::time::ServiceTime;

use super::answer::Stop;
use super::chains::{Chains, Counts, Joint};
use super::problem::Problem;

/// The stages of a pipe of tasks and farms of tasks, and the throughputs of neighbours among them.
pub(super) struct Line {
    stages: Vec<StageId>,
    /// What is between each stage and the next, and the rate of each stage, if all times are exponential.
    counted: Option<(Vec<Joint>, Vec<f64>)>,
    /// The place that each stage is, or how many replicas it always has.
    replicas: Vec<Result<usize, u32>>,
    known: HashMap<(usize, Vec<u32>), f64>,
}

/// How many stages the windows have, the quick ones first.
pub(super) const SIZES: [usize; 2] = [2, 3];

impl Line {
    /// The stages of a program of which the theorem speaks: farms of tasks and tasks, all moves equally fast,
    /// a processor for every task.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn of(problem: &Problem, most_tasks: usize) -> Option<Line> {
        let (program, tree) = (&problem.program, problem.tree());
        let mut stages = Vec::new();
        let is_line = collect(tree, tree.root(), &mut stages);
        if !is_line || !program.processors().are_one_each() {
            return None;
        }
        let rate = if stages.len() > 1 { program.communication().uniform_rate(most_tasks)? } else { None };
        let replicas = stages.iter().map(|&stage| {
            let place = problem.places.iter().position(|place| place.stage == stage);
            place.ok_or(match tree.stage(stage) {
                Stage::Replicated { replicas, .. } => *replicas,
                _ => 1,
            })
        });
        let replicas = replicas.collect();
        let are_exponential =
            problem.tasks.iter().all(|task| tree.time(task.stage).is_some_and(ServiceTime::is_exponential));
        let rates = problem.tasks.iter().map(|task| task.rate.to_float()).collect();
        let counted = match are_exponential {
            true => joints(problem, rate.map(|rate| rate.to_float())).map(|joints| (joints, rates)),
            false => None,
        };
        Some(Line { stages, counted, replicas, known: HashMap::new() })
    }

    /// The chain of some neighbouring stages by its counts, if all times are exponential.
    #[cfg_attr(debug_assertions, inline)]
    fn counts(&self, (first, size): (usize, usize), replicas: &[u32]) -> Option<Counts> {
        let (joints, rates) = self.counted.as_ref()?;
        let stages = (first..first + size).map(|stage| (self.count(stage, replicas), rates[stage]));
        Some(Counts { stages: stages.collect(), joints: joints[first..first + size - 1].to_vec() })
    }

    /// The figures of the whole.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn whole(&self, replicas: &[u32]) -> Option<Counts> {
        self.counts((0, self.stages.len()), replicas)
    }

    /// The windows of a size that are smaller than the whole, by the number of their first stage.
    pub(super) fn windows(&self, size: usize) -> std::ops::Range<usize> {
        0..if size < self.stages.len() { self.stages.len() + 1 - size } else { 0 }
    }

    /// The windows of a size that are known as soon as a place has its number: those that end at the place
    /// or, where stages that stay as they are follow, behind it.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn windows_ending_with(&self, size: usize, place: usize) -> impl Iterator<Item = usize> {
        let last_place = move |first: usize| {
            self.replicas[first..first + size].iter().filter_map(|stage| stage.as_ref().ok()).max().copied()
        };
        self.windows(size).filter(move |&first| last_place(first) == Some(place))
    }

    /// A stage with its number of replicas in words.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn named(&self, problem: &Problem, stage: usize, replicas: &[u32]) -> String {
        let name = problem.name_of(self.stages[stage]);
        match self.count(stage, replicas) {
            1 => format!("`{name}`"),
            count => format!("{count} × `{name}`"),
        }
    }

    fn count(&self, stage: usize, replicas: &[u32]) -> u32 {
        self.replicas[stage].map_or_else(|fixed| fixed, |place| replicas[place])
    }

    /// The rate of a replica of the first stage, and how many there are.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn first(&self, problem: &Problem, replicas: &[u32]) -> Option<(f64, u32)> {
        let task = problem.tasks.first()?;
        Some((task.rate.to_float(), self.count(0, replicas)))
    }

    /// How many moves there are from a stage to the next.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn moves(&self, stage: usize, replicas: &[u32]) -> u64 {
        u64::from(self.count(stage, replicas)) * u64::from(self.count(stage + 1, replicas))
    }

    /// The throughput of a window; infinite where it has no figure, so that it rules nothing out.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn throughput(
        &mut self,
        problem: &Problem,
        chains: &mut Chains,
        (first, size): (usize, usize),
        replicas: &[u32],
    ) -> Result<f64, Stop> {
        let here = (first..first + size).map(|stage| self.count(stage, replicas));
        let key = (first, here.collect::<Vec<u32>>());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let solved = match self.counts((first, size), replicas) {
            Some(counts) => chains.window_of_counts(&counts)?,
            None => {
                let stages = &self.stages[first..first + size];
                chains.window(&problem.program.part(stages, &problem.counts(replicas)))?
            }
        };
        let throughput = solved.map_or(f64::INFINITY, |figures| figures.throughput);
        self.known.insert(key, throughput);
        Ok(throughput)
    }
}

/// What is between each stage and the next; the tasks of a line are those of its stages, in their order.
#[cfg_attr(debug_assertions, inline)]
fn joints(problem: &Problem, rate: Option<f64>) -> Option<Vec<Joint>> {
    let system = problem.program.lower_with_immediate_moves().ok()?;
    let one_port = problem.program.has_one_port();
    let mut joints = vec![Joint { rate, places: 0, one_port }; problem.tasks.len() - 1];
    for buffer in system.buffers() {
        let into = system.graph().flow(*buffer.receivers.first()?).stage;
        let stage = problem.tasks.iter().position(|task| task.stage == into)?;
        joints.get_mut(stage.checked_sub(1)?)?.places = buffer.capacity;
    }
    Some(joints)
}

/// Collects the stages in their order; false where there is anything but tasks and farms of tasks.
#[cfg_attr(debug_assertions, inline)]
fn collect(tree: &Tree, id: StageId, stages: &mut Vec<StageId>) -> bool {
    match tree.stage(id) {
        Stage::Pipe(inside) => return inside.iter().all(|&stage| collect(tree, stage, stages)),
        Stage::Task(_) => stages.push(id),
        Stage::Replicated { replication: Replication::Farm, worker, .. }
            if matches!(tree.stage(*worker), Stage::Task(_)) =>
        {
            stages.push(id);
        }
        Stage::Replicated { .. } | Stage::Team(_) => return false,
    }
    true
}
