//! The data-flow graph (Algorithm 1 of the paper): from which tasks each task receives, to which it sends,
//! and in which order or by which choice.
//!
//! The *source list* and the *destination list* of a task are ordered; the *pattern* beside each says how the
//! task goes through it: round robin for a pipe or a deal, by choice for a farm. The paper derives the lists
//! by a walk that passes them from stage to stage. Here each stage has two boundaries, its *entries* and its
//! *exits*, and neighbours in a pipe are linked exit by entry, which gives the same lists.
//!
//! # Order on round-robin links
//! In the algorithm as printed, every task starts at the head of its full list. Then
//! `task, deal 3, deal 3, task` deadlocks: the first worker of the second deal waits for its second item from
//! the second worker of the first, which has already offered it elsewhere. So items need an order. The
//! paper's text gives one for equal deals (a worker receives from the worker of the same rank only), and this
//! is the general rule: item `k` leaves by exit `k mod n` and enters by entry `k mod m`. So the exit of rank
//! `r` sends to the entries `(r + j n) mod m`, and the entry of rank `s` receives from the exits
//! `(s + j m) mod n`: the *effective* lists. Exits of a deal of deals interleave, since its items do. Where a
//! farm is nested with another deal or farm on a boundary, items have no order any more, and both sides of
//! the link choose.

use std::fmt;

use num_integer::Integer;

use crate::diagnostic::{Code, Diagnostic};
use crate::skeleton::bounds::MOST_MOVES;
use crate::skeleton::lowering::channel::{Channel, Channels, Order};
use crate::skeleton::tree::{Replication, Stage, StageId, Tree};

/// How the paper's algorithms are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// With effective lists on round-robin links, so that items keep their order.
    #[default]
    Corrected,
    /// As printed: every round robin starts at the head of the full list. Some skeletons then deadlock, such
    /// as a deal of three behind a deal of three.
    Literal,
}

/// The manner in which a task goes through a list of partners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// `*`: there is no partner.
    None,
    /// The one partner of a pipe, or one after another.
    Pipe,
    /// One after another, round robin.
    Deal,
    /// Whichever partner is ready.
    Farm,
}

impl fmt::Display for Pattern {
    #[cfg_attr(debug_assertions, inline)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Pattern::None => "*",
            Pattern::Pipe => "pipe",
            Pattern::Deal => "deal",
            Pattern::Farm => "farm",
        })
    }
}

/// The partners of one task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFlow {
    /// The node of the tree that the task belongs to.
    pub stage: StageId,
    /// The tasks that it receives from.
    pub sources: Vec<u32>,
    /// How it receives.
    pub source_pattern: Pattern,
    /// The tasks that it sends to.
    pub destinations: Vec<u32>,
    /// How it sends.
    pub destination_pattern: Pattern,
}

impl TaskFlow {
    /// After how many items the task is in its first phase again: the least common multiple of its round
    /// robins.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn rounds(&self) -> usize {
        let round = |list: &[u32], pattern| if pattern == Pattern::Farm { 1 } else { list.len().max(1) };
        round(&self.sources, self.source_pattern).lcm(&round(&self.destinations, self.destination_pattern))
    }
}

/// A stage with its replicas side by side, down to the tasks.
#[derive(Clone, Debug)]
pub(super) enum Composition {
    Task(u32),
    /// Stages, and the moves between each and the next.
    Pipe(Vec<Composition>, Vec<Vec<(u32, u32)>>),
    Replicas(Vec<Composition>),
}

impl Composition {
    /// Whether a task is one of several replicas, or inside one.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn replicates(&self, task: u32) -> bool {
        match self {
            Composition::Task(_) => false,
            Composition::Pipe(stages, _) => stages.iter().any(|stage| stage.replicates(task)),
            Composition::Replicas(replicas) if replicas.len() > 1 => self.contains(task),
            Composition::Replicas(replicas) => replicas.iter().any(|replica| replica.replicates(task)),
        }
    }

    /// The task, if it is one.
    pub(super) fn as_task(&self) -> Option<u32> {
        match self {
            Composition::Task(task) => Some(*task),
            _ => None,
        }
    }

    fn contains(&self, task: u32) -> bool {
        match self {
            Composition::Task(number) => *number == task,
            Composition::Pipe(parts, _) | Composition::Replicas(parts) => {
                parts.iter().any(|part| part.contains(task))
            }
        }
    }
}

/// The data-flow graph of a skeleton. It prints as a table and draws as a DOT graph.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{text, Graph, Reading};
/// let tree = text::parse("pipe(3); task(1.0); farm(2, 3.0); task(1.0);").into_tree().unwrap();
/// let graph = Graph::from_tree(&tree, Reading::Corrected).unwrap();
/// assert_eq!(graph.flow(0).destinations, [1, 2]);
/// assert_eq!(graph.flow(3).sources, [1, 2]);
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    flows: Vec<TaskFlow>,
    channels: Channels,
    /// Per node of the tree the tasks by which items leave its copies.
    exits: Vec<Vec<u32>>,
    composition: Composition,
}

impl Graph {
    /// Derives the graph of a tree. Linear in the moves.
    ///
    /// # Errors
    /// More than [`MOST_MOVES`] moves.
    #[cfg_attr(debug_assertions, inline)]
    pub fn from_tree(tree: &Tree, reading: Reading) -> Result<Graph, Diagnostic<StageId>> {
        let mut builder = Builder {
            tree,
            reading,
            flows: Vec::new(),
            channels: Channels::default(),
            exits: vec![Vec::new(); tree.stages().len()],
            moves: 0,
        };
        let Some((composition, ..)) = builder.stage(tree.root()) else { return Err(too_large()) };
        let Builder { flows, channels, exits, .. } = builder;
        let graph = Graph { flows, channels, exits, composition };
        if graph.size() > MOST_MOVES { Err(too_large()) } else { Ok(graph) }
    }

    /// The number of tasks, replicas counted.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.flows.len()
    }

    /// The partners of a task.
    ///
    /// # Panics
    /// If there is no task of that number.
    #[must_use]
    pub fn flow(&self, task: u32) -> &TaskFlow {
        &self.flows[task as usize]
    }

    /// The partners of all tasks, in their order.
    #[must_use]
    pub fn flows(&self) -> &[TaskFlow] {
        &self.flows
    }

    /// All moves, sender and receiver, in ascending order.
    pub fn moves(&self) -> impl Iterator<Item = (u32, u32)> {
        let of_task = |(from, flow): (usize, &TaskFlow)| {
            let mut to = flow.destinations.clone();
            to.sort_unstable();
            to.into_iter().map(move |to| (from as u32, to))
        };
        self.flows.iter().enumerate().flat_map(of_task)
    }

    /// Whether one task sends to another.
    #[must_use]
    pub fn has_move(&self, from: usize, to: usize) -> bool {
        self.flows
            .get(from)
            .is_some_and(|flow| flow.destinations.iter().any(|&destination| destination as usize == to))
    }

    /// The channels of all connections.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{text, Graph, Reading};
    /// let tree = text::parse("pipe(task(1), farm(2, 3), deal(2, 1));").into_tree().unwrap();
    /// let graph = Graph::from_tree(&tree, Reading::Corrected).unwrap();
    /// let ends: Vec<_> = graph.channels().iter().map(|c| (c.senders(), c.receivers())).collect();
    /// // The workers of the farm share a queue; each worker of the deal has one of its own.
    /// assert_eq!(ends, [(&[0][..], &[1, 2][..]), (&[1, 2], &[3]), (&[1, 2], &[4])]);
    /// ```
    #[must_use]
    pub fn channels(&self) -> &[Channel] {
        self.channels.all()
    }

    /// The number of the channel of a link.
    pub(in crate::skeleton) fn channel_of(&self, from: u32, to: u32) -> u32 {
        self.channels.of_link(from, to)
    }

    /// To whom a task sends, in words.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn destinations_in_words(&self, from: usize) -> String {
        const MOST: usize = 10;
        let Some(flow) = self.flows.get(from) else {
            return format!("tasks are numbered from 0 to {}", self.flows.len() - 1);
        };
        let mut shown: Vec<String> = flow.destinations.iter().take(MOST).map(u32::to_string).collect();
        if flow.destinations.len() > MOST {
            shown.push("...".to_owned());
        }
        match shown.len() {
            0 => format!("task {from} is in the last stage: it sends to no task"),
            1 => format!("task {from} sends to task {}", shown[0]),
            _ => format!("task {from} sends to tasks {}", shown.join(", ")),
        }
    }

    /// The tasks by which items leave a stage, over all its copies.
    #[must_use]
    pub fn exits_of(&self, stage: StageId) -> &[u32] {
        &self.exits[stage.index()]
    }

    pub(super) fn composition(&self) -> &Composition {
        &self.composition
    }

    /// About the number of activities in the task definitions.
    #[cfg_attr(debug_assertions, inline)]
    fn size(&self) -> u64 {
        let of_task = |flow: &TaskFlow| {
            let chosen = |list: &[u32], pattern| if pattern == Pattern::Farm { list.len() } else { 1 };
            let alternatives = chosen(&flow.sources, flow.source_pattern)
                + chosen(&flow.destinations, flow.destination_pattern);
            (flow.rounds() as u64).saturating_mul(alternatives as u64)
        };
        self.flows.iter().map(of_task).fold(0, u64::saturating_add)
    }
}

fn too_large() -> Diagnostic<StageId> {
    let message = format!("the skeleton stands for more than {MOST_MOVES} moves and rounds");
    Diagnostic::new(Code::SkeletonTooLarge, StageId(0), message)
        .help("use fewer replicas in neighbouring stages, or replica counts with common factors")
}

/// One side of a stage: the tasks on it in the order of items, and the deals and farms around them.
struct Boundary {
    tasks: Vec<u32>,
    /// The outermost deal or farm.
    pattern: Pattern,
    /// How many deals and farms are inside one another.
    depth: usize,
    has_farm: bool,
}

impl Boundary {
    fn is_unordered(&self) -> bool {
        self.depth > 1 && self.has_farm
    }
}

struct Builder<'t> {
    tree: &'t Tree,
    reading: Reading,
    flows: Vec<TaskFlow>,
    channels: Channels,
    exits: Vec<Vec<u32>>,
    moves: u64,
}

impl Builder<'_> {
    /// A stage with its entries and exits; nothing if there are too many moves.
    #[cfg_attr(debug_assertions, inline)]
    fn stage(&mut self, id: StageId) -> Option<(Composition, Boundary, Boundary)> {
        let (composition, entries, exits) = match self.tree.stage(id) {
            Stage::Task(_) | Stage::Team(_) => self.task(id),
            Stage::Pipe(stages) => self.pipe(stages)?,
            &Stage::Replicated { replication, replicas, worker } => {
                self.replicated(replication, replicas, worker)?
            }
        };
        self.exits[id.index()].extend_from_slice(&exits.tasks);
        Some((composition, entries, exits))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn task(&mut self, stage: StageId) -> (Composition, Boundary, Boundary) {
        let number = self.flows.len() as u32;
        self.flows.push(TaskFlow {
            stage,
            sources: Vec::new(),
            source_pattern: Pattern::None,
            destinations: Vec::new(),
            destination_pattern: Pattern::None,
        });
        let boundary = || Boundary { tasks: vec![number], pattern: Pattern::Pipe, depth: 0, has_farm: false };
        (Composition::Task(number), boundary(), boundary())
    }

    #[cfg_attr(debug_assertions, inline)]
    fn pipe(&mut self, stages: &[StageId]) -> Option<(Composition, Boundary, Boundary)> {
        let mut parts = Vec::with_capacity(stages.len());
        let mut moves = Vec::with_capacity(stages.len());
        let mut outer: Option<(Boundary, Boundary)> = None;
        for &stage in stages {
            let (composition, entries, exits) = self.stage(stage)?;
            parts.push(composition);
            outer = Some(match outer {
                None => (entries, exits),
                Some((first, last)) => {
                    moves.push(self.link(&last, &entries, stage)?);
                    (first, exits)
                }
            });
        }
        let (entries, exits) = outer?;
        Some((Composition::Pipe(parts, moves), entries, exits))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn replicated(
        &mut self,
        replication: Replication,
        replicas: u32,
        worker: StageId,
    ) -> Option<(Composition, Boundary, Boundary)> {
        let mut parts = Vec::new();
        let mut entries = Vec::new();
        let mut exits = Vec::new();
        for _ in 0..replicas {
            let (composition, entry, exit) = self.stage(worker)?;
            parts.push(composition);
            entries.push(entry);
            exits.push(exit);
        }
        let entries = self.side_by_side(replication, entries);
        let exits = self.side_by_side(replication, exits);
        Some((Composition::Replicas(parts), entries, exits))
    }

    /// The boundary of replicas: items go round them, so a deal's tasks interleave. One replica alone is what
    /// it is without the deal or farm around it.
    #[cfg_attr(debug_assertions, inline)]
    fn side_by_side(&self, replication: Replication, mut replicas: Vec<Boundary>) -> Boundary {
        if let (Reading::Corrected, 1) = (self.reading, replicas.len()) {
            return replicas.remove(0);
        }
        let depth = 1 + replicas.iter().map(|replica| replica.depth).max().unwrap_or(0);
        let is_farm = replication == Replication::Farm;
        let has_farm = is_farm || replicas.iter().any(|replica| replica.has_farm);
        let tasks = if has_farm || self.reading == Reading::Literal {
            replicas.into_iter().flat_map(|replica| replica.tasks).collect()
        } else {
            let each = replicas.first().map_or(0, |replica| replica.tasks.len());
            (0..each).flat_map(|rank| replicas.iter().map(move |replica| replica.tasks[rank])).collect()
        };
        Boundary { tasks, pattern: if is_farm { Pattern::Farm } else { Pattern::Deal }, depth, has_farm }
    }

    /// Connects the exits of a stage with the entries of the next, `into`.
    #[cfg_attr(debug_assertions, inline)]
    fn link(&mut self, exits: &Boundary, entries: &Boundary, into: StageId) -> Option<Vec<(u32, u32)>> {
        let (n, m) = (exits.tasks.len(), entries.tasks.len());
        let is_corrected = self.reading == Reading::Corrected;
        let in_order = is_corrected && !exits.has_farm && !entries.has_farm;
        let both_choose = is_corrected && (exits.is_unordered() || entries.is_unordered());
        let common = if in_order { n.gcd(&m) } else { 1 };
        self.moves += (n * m / common) as u64;
        if self.moves > MOST_MOVES {
            return None;
        }
        let pattern = |other: &Boundary| if both_choose { Pattern::Farm } else { other.pattern };
        let mut moves = Vec::new();
        for (rank, &exit) in exits.tasks.iter().enumerate() {
            let step = if in_order { (rank, n) } else { (0, 1) };
            let to: Vec<u32> = (0..m / common).map(|j| entries.tasks[(step.0 + j * step.1) % m]).collect();
            moves.extend(to.iter().map(|&to| (exit, to)));
            let flow = &mut self.flows[exit as usize];
            (flow.destinations, flow.destination_pattern) = (to, pattern(entries));
        }
        for (rank, &entry) in entries.tasks.iter().enumerate() {
            let step = if in_order { (rank, m) } else { (0, 1) };
            let flow = &mut self.flows[entry as usize];
            flow.sources = (0..n / common).map(|j| exits.tasks[(step.0 + j * step.1) % n]).collect();
            flow.source_pattern = pattern(exits);
        }
        moves.sort_unstable();
        let takes_turns = |other: &Boundary, partners| pattern(other) != Pattern::Farm && partners > 1;
        let order = Order {
            senders_take_turns: takes_turns(entries, m / common),
            receivers_take_turns: takes_turns(exits, n / common),
            is_in_pairs: n == common && m == common,
        };
        self.channels.connect(into, &moves, order);
        Some(moves)
    }
}

impl fmt::Display for Graph {
    /// A line for each task: its number, its sources, its destinations, and the patterns.
    #[cfg_attr(debug_assertions, inline)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |tasks: &[u32]| tasks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        for (task, flow) in self.flows.iter().enumerate() {
            writeln!(
                f,
                "task {task}: {} [{}] -> {} [{}]",
                flow.source_pattern,
                list(&flow.sources),
                flow.destination_pattern,
                list(&flow.destinations)
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::systems;

    #[test]
    fn findings() {
        systems(&[
            (
                "pipe(farm(600, 1), farm(600, 1));",
                &[
                    "skeleton_too_large `pipe(farm(600, 1), farm(600, 1))`: the skeleton stands for more than 200000 moves and rounds",
                ],
            ),
            (
                "pipe(deal(499, 1), deal(503, 1));",
                &[
                    "skeleton_too_large `pipe(deal(499, 1), deal(503, 1))`: the skeleton stands for more than 200000 moves and rounds",
                ],
            ),
            ("pipe(task(1), farm(3, 1), task(1)); communication(1);", &[]),
        ]);
    }
}
