//! The whole system (Algorithm 3 of the paper): the tasks composed as the skeleton composes them, with a network
//! that sets the rates of moves and processors that set those of computations.

use std::fmt::{self, Write as _};

use num_traits::One;

use crate::check;
use crate::diagnostic::{Diagnostic, TextSpan};
use crate::model::Model;
use crate::number::Ratio;
use crate::skeleton::graph::{Composition, Graph, Pattern};
use crate::skeleton::literal::{number, rate_text};
use crate::skeleton::process::{active, computation_name, definitions, move_name, name, process_name};
use crate::skeleton::rates::{Communication, Load, Processors, missing_communication};
use crate::skeleton::tree::{Stage, StageId, Tree};
use crate::syntax::ast::{Ast, At, Body, CooperationSet, Definition, Process, ResultLine, SetKind};
use crate::syntax::directive::Requests;

/// A skeleton as a PEPA model. It prints as in the paper's Fig. 4, as a `.pepa` text.
#[derive(Clone, Debug)]
pub struct System {
    tree: Tree,
    graph: Graph,
    loads: Vec<Load>,
    /// The moves, and their rates.
    moves: Vec<((u32, u32), Ratio)>,
    ast: Ast<TextSpan>,
    model: Model,
}

impl System {
    /// Composes the system of a graph.
    ///
    /// # Errors
    /// Every move without a rate, every rate that is not positive, an assignment to processors that does not fit.
    #[inline]
    pub fn compose(
        tree: Tree,
        graph: Graph,
        communication: &Communication,
        processors: &Processors,
    ) -> Result<System, Vec<Diagnostic<StageId>>> {
        let rates: Vec<Ratio> = graph
            .flows()
            .iter()
            .map(|flow| match tree.stage(flow.stage) {
                Stage::Task(task) => task.rate.clone(),
                _ => Ratio::one(),
            })
            .collect();
        let mut errors = Vec::new();
        let loads = processors.loads(&rates).unwrap_or_else(|found| {
            errors.extend(found);
            Vec::new()
        });
        let mut moves = Vec::new();
        if let (true, Some((from, to))) = (communication.is_none(), graph.moves().next()) {
            errors.push(no_communication(&graph, from, to));
            return Err(errors);
        }
        for (from, to) in graph.moves() {
            match communication.rate(from, to, graph.flow(to).stage) {
                Ok(rate) => moves.push(((from, to), rate)),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(summarised(errors));
        }
        let ast = Ast {
            definitions: all_definitions(&graph, &loads, &moves),
            system: Some(whole(&graph, &loads, &moves)),
            results: first_move(&graph, &loads, &moves).into_iter().collect(),
            unread: Vec::new(),
        };
        let model = checked_model(&ast)?;
        Ok(System { tree, graph, loads, moves, ast, model })
    }

    /// The skeleton's tree.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The data-flow graph.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The model as a syntax tree.
    #[must_use]
    pub fn ast(&self) -> &Ast<TextSpan> {
        &self.ast
    }

    /// The checked model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The checked model.
    #[must_use]
    #[inline]
    pub fn into_model(self) -> Model {
        self.model
    }

    /// The rate at which each task computes, on its processor.
    #[must_use]
    #[inline]
    pub fn rates(&self) -> Vec<Ratio> {
        let mut rates = vec![Ratio::one(); self.graph.tasks()];
        for (task, rate) in self.loads.iter().flat_map(|(_, tasks)| tasks) {
            rates[*task as usize] = rate.clone();
        }
        rates
    }

    /// The action of a task's computation.
    #[must_use]
    pub fn computation(&self, task: u32) -> String {
        computation_name(task)
    }
}

/// Where there are no rates at all, one finding says so for all moves.
#[inline]
fn no_communication(graph: &Graph, from: u32, to: u32) -> Diagnostic<StageId> {
    let first = format!("from task {from} to task {to}");
    let message = match graph.moves().count() {
        1 => format!("the move {first} has no communication rate"),
        count => format!("the {count} moves have no communication rate, beginning with the one {first}"),
    };
    missing_communication(message, graph.flow(to).stage)
}

/// Hundreds of moves without a rate are shown as a few, and a count.
#[inline]
fn summarised(mut errors: Vec<Diagnostic<StageId>>) -> Vec<Diagnostic<StageId>> {
    const MOST: usize = 8;
    let more = errors.len().saturating_sub(MOST);
    errors.truncate(MOST);
    if let (Some(last), true) = (errors.last_mut(), more > 0) {
        let _ = write!(last.message, " (and {more} more findings)");
    }
    errors
}

#[inline]
fn all_definitions(
    graph: &Graph,
    loads: &[Load],
    moves: &[((u32, u32), Ratio)],
) -> Vec<Definition<TextSpan>> {
    let processors = loads.iter().map(|(processor, tasks)| {
        let activities = tasks.iter().map(|(task, rate)| active(computation_name(*task), rate));
        offering(&processor_name(*processor), activities)
    });
    let mut all: Vec<Definition<TextSpan>> = processors.collect();
    if !moves.is_empty() {
        let activities = moves.iter().map(|(link, rate)| active(move_name(*link), rate));
        all.push(offering(NETWORK, activities));
    }
    all.extend(definitions(graph));
    all
}

const NETWORK: &str = "Network";

fn processor_name(processor: usize) -> String {
    format!("Processor_{processor}")
}

/// `name = activity.name + activity.name + ...`
#[inline]
fn offering(
    constant: &str,
    activities: impl Iterator<Item = crate::syntax::ast::PrefixActivity<TextSpan>>,
) -> Definition<TextSpan> {
    let mut terms: Vec<Process<TextSpan>> = activities
        .map(|activity| Process::Prefix {
            activities: vec![activity],
            then: Box::new(Process::Constant(name(constant.to_owned()))),
        })
        .collect();
    let process = if terms.len() == 1 { terms.remove(0) } else { Process::Choice(terms) };
    Definition { name: name(constant.to_owned()), body: Body::Process(process) }
}

#[inline]
fn cooperation(mut parts: Vec<(CooperationSet<TextSpan>, Process<TextSpan>)>) -> Process<TextSpan> {
    let (_, first) = parts.remove(0);
    if parts.is_empty() { first } else { Process::Cooperation { first: Box::new(first), rest: parts } }
}

fn set_of(names: impl IntoIterator<Item = String>) -> CooperationSet<TextSpan> {
    let names = names.into_iter().map(name).collect();
    CooperationSet { kind: SetKind::Named(names), at: At(TextSpan::NOWHERE) }
}

/// `Network <moves> (tasks) <computations> (processors)`
#[inline]
fn whole(graph: &Graph, loads: &[Load], moves: &[((u32, u32), Ratio)]) -> Process<TextSpan> {
    let mut parts = Vec::new();
    if !moves.is_empty() {
        parts.push((set_of([]), Process::Constant(name(NETWORK.to_owned()))));
    }
    let tasks =
        composed(graph.composition(), &|task| Process::Constant(name(process_name(task, 0))), &|moves| {
            set_of(moves.iter().map(|&link| move_name(link)))
        });
    parts.push((set_of(moves.iter().map(|(link, _)| move_name(*link))), tasks));
    let processors = loads
        .iter()
        .map(|(processor, _)| (set_of([]), Process::Constant(name(processor_name(*processor)))))
        .collect();
    parts.push((set_of((0..graph.tasks() as u32).map(computation_name)), cooperation(processors)));
    cooperation(parts)
}

/// A process of the shape of the tasks' composition.
#[inline]
fn composed(
    composition: &Composition,
    leaf: &impl Fn(u32) -> Process<TextSpan>,
    set: &impl Fn(&[(u32, u32)]) -> CooperationSet<TextSpan>,
) -> Process<TextSpan> {
    match composition {
        Composition::Task(task) => leaf(*task),
        Composition::Pipe(stages, moves) => {
            let sets = std::iter::once(set_of([])).chain(moves.iter().map(|moves| set(moves)));
            cooperation(sets.zip(stages.iter().map(|stage| composed(stage, leaf, set))).collect())
        }
        Composition::Replicas(replicas) => {
            cooperation(replicas.iter().map(|replica| (set_of([]), composed(replica, leaf, set))).collect())
        }
    }
}

/// The paper's result line T1: the throughput of the first move, as the rate of the move times the probability that
/// both ends are ready. It is written only if each end is ready in one local state, and if neither end has replicas. With replicas the
/// pattern would name one of several equal components, and the model could not be lumped.
#[inline]
fn first_move(graph: &Graph, loads: &[Load], moves: &[((u32, u32), Ratio)]) -> Option<ResultLine<TextSpan>> {
    let (producer, receiver) = (graph.flows().first()?, graph.flows().get(1)?);
    let is_simple = producer.sources.is_empty()
        && producer.destinations == [1]
        && receiver.sources == [0]
        && receiver.source_pattern != Pattern::Farm
        && receiver.rounds() == 1
        && [0, 1].iter().all(|&task| !graph.composition().replicates(task));
    let ((_, rate), true) = (moves.first()?, is_simple) else { return None };
    let anything = || Process::Anything(At(TextSpan::NOWHERE));
    let ready = |task| match task {
        0 => Process::Constant(name(process_name(0, 1))),
        1 => Process::Constant(name(process_name(1, 0))),
        _ => anything(),
    };
    let tasks = composed(graph.composition(), &ready, &|_| set_of([]));
    let processors = cooperation(loads.iter().map(|_| (set_of([]), anything())).collect());
    let pattern = cooperation([anything(), tasks, processors].map(|part| (set_of([]), part)).into());
    Some(ResultLine { name: name("T1".to_owned()), factor: Some(number(rate)), pattern })
}

/// The checked model of a lowered system. It has warnings at most, unless it is beyond a limit of models.
#[inline]
fn checked_model(ast: &Ast<TextSpan>) -> Result<Model, Vec<Diagnostic<StageId>>> {
    let checked = check::check(ast, &Requests::default(), check::Syntax::Correct);
    checked.model.ok_or_else(|| {
        let errors = checked.diagnostics.into_iter().filter(Diagnostic::is_error);
        let at_root = |error: Diagnostic<TextSpan>| Diagnostic::new(error.code, StageId(0), error.message);
        errors.map(|error| at_root(error).help("the skeleton is too large: use fewer replicas")).collect()
    })
}

impl fmt::Display for System {
    /// The model in the order and with the headings of Fig. 4.
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offer = |process: &str, activities: Vec<(String, &Ratio)>| {
            let terms: Vec<String> = activities
                .into_iter()
                .map(|(action, rate)| format!("({action}, {}).{process}", rate_text(rate)))
                .collect();
            wrapped(&format!("{process} = {};", terms.join(" + ")))
        };
        writeln!(f, "// Computation rates.")?;
        for (processor, tasks) in &self.loads {
            let tasks = tasks.iter().map(|(task, rate)| (computation_name(*task), rate)).collect();
            writeln!(f, "{}", offer(&processor_name(*processor), tasks))?;
        }
        if !self.moves.is_empty() {
            let moves = self.moves.iter().map(|(link, rate)| (move_name(*link), rate)).collect();
            writeln!(f, "\n// Communication rates.\n{}", offer(NETWORK, moves))?;
        }
        writeln!(f, "\n// Task definitions.")?;
        for definition in definitions(&self.graph) {
            writeln!(f, "{}", wrapped(&definition.to_string()))?;
        }
        let Some(system) = &self.ast.system else { return Ok(()) };
        writeln!(f, "\n// System model.\n{}", wrapped(&system.to_string()))?;
        for result in &self.ast.results {
            let factor = self.moves.first().map_or_else(String::new, |(_, rate)| rate_text(rate));
            let line = format!("{} = {factor} * {{{}}};", result.name, result.pattern);
            writeln!(f, "\n// Throughput expression.\n{}", wrapped(&line))?;
        }
        Ok(())
    }
}

/// Breaks a line so that it fits a page, where it may be broken.
#[inline]
fn wrapped(line: &str) -> String {
    const WIDTH: usize = 100;
    let mut text = String::new();
    let (mut column, mut from) = (0, 0);
    for to in breaks(line) {
        let piece = &line[from..to];
        if column > 0 && column + piece.trim_end().len() > WIDTH {
            text.truncate(text.trim_end().len());
            text.push_str("\n    ");
            column = 4;
        }
        text.push_str(piece);
        column += piece.len();
        from = to;
    }
    text
}

/// The places, in ascending order, behind which a line may be broken: spaces that are not inside an activity, points
/// between activities, and the end.
#[inline]
fn breaks(line: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let mut end = 0;
    for word in line.split_inclusive(' ') {
        places.extend(word.match_indices(".(").map(|(point, _)| end + point + 1));
        end += word.len();
        let is_inside_activity = word.ends_with(", ") && word.rfind('(') > word.rfind(')');
        if !is_inside_activity {
            places.push(end);
        }
    }
    places
}
