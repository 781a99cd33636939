//! The syntax tree of a system: its definitions, its system equation and the result line of the paper.

use std::collections::HashSet;

use crate::diagnostic::TextSpan;
use crate::number::Ratio;
use crate::skeleton::lowering::graph::{Composition, Graph, Pattern};
use crate::skeleton::lowering::moves::{Buffer, Link, Moves};
use crate::skeleton::lowering::process::{TaskProcess, computation_name, process_name};
use crate::skeleton::processors::Load;
use crate::syntax::ast::{Ast, At, CooperationSet, Definition, Process, ResultLine};
use crate::syntax::construct::{
    array, at_rate, constant, cooperation, cycle, name, offering, passive, set_of,
};
use crate::syntax::literal::number;

/// What a system is composed of.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub(super) graph: Graph,
    /// The processors with their tasks. There are none where the tasks have their own rates.
    pub(super) loads: Vec<Load>,
    pub(super) moves: Moves,
    /// The rates of the moves; the weights of those that take no time.
    pub(super) rates: Vec<Ratio>,
    pub(super) processes: Vec<TaskProcess>,
    /// For each task the first of the equal workers to which it belongs, or the task itself. Equal workers
    /// are one array.
    pub(super) first_copies: Vec<u32>,
}

impl Parts {
    /// The syntax tree.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn ast(&self) -> Ast<TextSpan> {
        let mut definitions = self.processors();
        definitions.extend(self.network());
        definitions.extend(self.buffers());
        definitions.extend(self.tasks());
        let result = self.first_move();
        Ast {
            definitions,
            system: Some(self.whole()),
            results: result.into_iter().collect(),
            unread: Vec::new(),
        }
    }

    /// The processors, each with a choice of the computations of its tasks.
    #[cfg_attr(debug_assertions, inline)]
    fn processors(&self) -> Vec<Definition<TextSpan>> {
        let processor = |(processor, tasks): &Load| {
            let activities = tasks.iter().map(|(task, rate)| at_rate(computation_name(*task), number(rate)));
            offering(&processor_name(*processor), activities)
        };
        self.loads.iter().map(processor).collect()
    }

    /// The network, which sets the rates of the moves, if there are any.
    #[cfg_attr(debug_assertions, inline)]
    fn network(&self) -> Option<Definition<TextSpan>> {
        let actions = self.moves.actions.iter().zip(&self.rates);
        let activities = actions.map(|(action, rate)| at_rate(action.name.clone(), number(rate)));
        (!self.rates.is_empty()).then(|| offering(NETWORK, activities))
    }

    /// The place of each buffer: an item is put into it, then got from it.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn buffers(&self) -> Vec<Definition<TextSpan>> {
        let place = |buffer: &Buffer| {
            let activities =
                [buffer.put, buffer.get].map(|number| passive(self.moves.name(number).to_owned()));
            cycle(&buffer.name, activities.to_vec())
        };
        self.moves.buffers.iter().map(place).collect()
    }

    /// The tasks; of equal workers the first.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn tasks(&self) -> Vec<Definition<TextSpan>> {
        let processes = self.processes.iter().zip(&self.first_copies);
        let firsts = processes.filter(|(process, first)| process.task == **first);
        firsts.flat_map(|(process, _)| process.definitions()).collect()
    }

    /// `Network <moves> (tasks) <computations> (processors)`, as far as there are network and processors.
    #[cfg_attr(debug_assertions, inline)]
    fn whole(&self) -> Process<TextSpan> {
        let mut parts = Vec::new();
        if !self.rates.is_empty() {
            parts.push((set_of([]), constant(NETWORK)));
        }
        let moves = set_of(self.moves.actions.iter().map(|action| action.name.clone()));
        parts.push((moves, self.composed(self.graph.composition())));
        if !self.loads.is_empty() {
            let processor = |(processor, _): &Load| (set_of([]), constant(&processor_name(*processor)));
            let computations = set_of((0..self.graph.tasks() as u32).map(computation_name));
            parts.push((computations, cooperation(self.loads.iter().map(processor).collect())));
        }
        cooperation(parts)
    }

    /// The tasks and the buffers as a process of the shape of the skeleton.
    #[cfg_attr(debug_assertions, inline)]
    fn composed(&self, composition: &Composition) -> Process<TextSpan> {
        match composition {
            Composition::Task(task) => constant(&process_name(*task, 0)),
            Composition::Pipe(stages, moves) => {
                let mut parts = vec![(set_of([]), self.composed(&stages[0]))];
                for (stage, links) in stages[1..].iter().zip(moves) {
                    let connection = self.connection(links);
                    if !connection.buffers.is_empty() {
                        parts.push((self.set(&connection.puts), self.places(&connection.buffers)));
                    }
                    parts.push((self.set(&connection.receives), self.composed(stage)));
                }
                cooperation(parts)
            }
            Composition::Replicas(replicas) => match replicas[..] {
                [Composition::Task(first), Composition::Task(second), ..]
                    if self.first_copies[first as usize] == self.first_copies[second as usize] =>
                {
                    array(&process_name(first, 0), replicas.len() as i64)
                }
                _ => {
                    cooperation(replicas.iter().map(|replica| (set_of([]), self.composed(replica))).collect())
                }
            },
        }
    }

    /// The actions and the buffers on the links between two stages.
    #[cfg_attr(debug_assertions, inline)]
    fn connection(&self, links: &[Link]) -> Connection<'_> {
        let mut connection = Connection::default();
        let mut seen = HashSet::new();
        for &link in links {
            let (send, receive) = self.moves.of_link(link);
            if seen.insert(receive) {
                connection.receives.push(receive);
            }
            if send != receive && seen.insert(send) {
                connection.puts.push(send);
                connection.buffers.extend(self.moves.buffer_of(send));
            }
        }
        connection
    }

    fn set(&self, actions: &[u32]) -> CooperationSet<TextSpan> {
        set_of(actions.iter().map(|&number| self.moves.name(number).to_owned()))
    }

    /// The places of some buffers side by side.
    #[cfg_attr(debug_assertions, inline)]
    fn places(&self, buffers: &[&Buffer]) -> Process<TextSpan> {
        let places = |buffer: &&Buffer| (set_of([]), array(&buffer.name, i64::from(buffer.capacity)));
        cooperation(buffers.iter().map(places).collect())
    }

    /// The paper's result line T1: the throughput of the first move, as the rate of the move times the
    /// probability that both ends are ready. It is written in the paper's form alone, and only if the move
    /// takes time, if each end is ready in one local state, and if neither end has replicas. With replicas
    /// the pattern would name one of several equal components, and the model could not be lumped.
    #[cfg_attr(debug_assertions, inline)]
    fn first_move(&self) -> Option<ResultLine<TextSpan>> {
        let graph = &self.graph;
        let (producer, receiver) = (graph.flows().first()?, graph.flows().get(1)?);
        let is_simple = producer.sources.is_empty()
            && producer.destinations == [1]
            && receiver.sources == [0]
            && receiver.source_pattern != Pattern::Farm
            && receiver.rounds() == 1
            && [0, 1].iter().all(|&task| !graph.composition().replicates(task));
        let takes_time = !self.moves.actions.first()?.is_immediate();
        if self.loads.is_empty() || !is_simple || !takes_time {
            return None;
        }
        let tasks = both_ready(graph.composition());
        let processors = cooperation(self.loads.iter().map(|_| (set_of([]), anything())).collect());
        let pattern = cooperation([anything(), tasks, processors].map(|part| (set_of([]), part)).into());
        Some(ResultLine { name: name("T1".to_owned()), factor: Some(number(&self.rates[0])), pattern })
    }
}

/// The pattern in which task 0 is ready to send and task 1 to receive.
#[cfg_attr(debug_assertions, inline)]
fn both_ready(composition: &Composition) -> Process<TextSpan> {
    match composition {
        Composition::Task(0) => constant(&process_name(0, 1)),
        Composition::Task(1) => constant(&process_name(1, 0)),
        Composition::Task(_) => anything(),
        Composition::Pipe(parts, _) | Composition::Replicas(parts) => {
            cooperation(parts.iter().map(|part| (set_of([]), both_ready(part))).collect())
        }
    }
}

fn anything() -> Process<TextSpan> {
    Process::Anything(At(TextSpan::NOWHERE))
}

/// What is between two stages.
#[derive(Default)]
struct Connection<'p> {
    /// What the senders do to put items into buffers.
    puts: Vec<u32>,
    buffers: Vec<&'p Buffer>,
    /// What the receivers do, alone with a buffer or together with a sender.
    receives: Vec<u32>,
}

pub(super) const NETWORK: &str = "Network";

pub(super) fn processor_name(processor: usize) -> String {
    format!("Processor_{processor}")
}
