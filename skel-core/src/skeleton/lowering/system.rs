//! The whole system (Algorithm 3 of the paper): the tasks composed as the skeleton composes them, with a network
//! that sets the rates of moves and processors that set those of computations.

use std::fmt::{self, Write as _};

use num_traits::One;

use crate::diagnostic::{Code, Diagnostic, TextSpan};
use crate::model::{ActionId, BuildErrors, Model, Position};
use crate::number::Ratio;
use crate::skeleton::communication::{Communication, MoveTime, missing_communication};
use crate::skeleton::lowering::graph::{Composition, Graph, Pattern};
use crate::skeleton::lowering::process::{computation_name, definitions, move_name, process_name};
use crate::skeleton::processors::{Load, Processors};
use crate::skeleton::tree::{Stage, StageId, Tree};
use crate::syntax::ast::{Ast, At, CooperationSet, Definition, Process, ResultLine};
use crate::syntax::construct::{at_rate, constant, cooperation, name, offering, set_of};
use crate::syntax::literal::{number, rate_text};

/// The sending and the receiving task of a move.
type Link = (u32, u32);

/// A skeleton as a PEPA model. It prints as in the paper's Fig. 4, as a `.pepa` text.
#[derive(Clone, Debug)]
pub struct System {
    tree: Tree,
    graph: Graph,
    loads: Vec<Load>,
    /// The moves, and their rates.
    moves: Vec<(Link, Ratio)>,
    /// Those that take no time.
    immediate: Vec<Link>,
    ast: Ast<TextSpan>,
    model: Model,
    /// The actions of the computations, task by task.
    computations: Vec<ActionId>,
    /// The actions of the moves, in the order of the moves.
    move_actions: Vec<ActionId>,
}

impl System {
    /// Composes the system of a graph.
    ///
    /// # Errors
    /// Every move without a rate, every rate that is not positive, an assignment to processors that does not fit.
    #[cfg_attr(debug_assertions, inline)]
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
                Stage::Task(task) => task.rate(),
                _ => Ratio::one(),
            })
            .collect();
        let mut errors: Vec<Diagnostic<StageId>> = other_times(&tree);
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
            match communication.time(from, to, graph.flow(to).stage) {
                Ok(time) => moves.push(((from, to), time)),
                Err(error) => errors.push(error),
            }
        }
        if !errors.is_empty() {
            return Err(summarised(errors));
        }
        let (moves, immediate) = with_weights(moves);
        let result = first_move(&graph, &loads, &moves).filter(|_| !immediate.contains(&(0, 1)));
        let ast = Ast {
            definitions: all_definitions(&graph, &loads, &moves),
            system: Some(whole(&graph, &loads, &moves)),
            results: result.into_iter().collect(),
            unread: Vec::new(),
        };
        let model = checked_model(&ast)?;
        let computations = computation_actions(&model, &loads);
        let move_actions = if moves.is_empty() { Vec::new() } else { offered(&model, Position(0)).collect() };
        Ok(System { tree, graph, loads, moves, immediate, ast, model, computations, move_actions })
    }

    /// The actions of the moves that take no time: none, unless communication is negligible. The model has a weight in the place of
    /// the rate of each. They are solved as the limit of ever higher rates.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{pipe, task, Communication, Skeleton};
    /// let program = pipe((task(2.0), task(3.0))).communicating(Communication::negligible());
    /// let system = program.lower_with_immediate_moves()?;
    /// assert!(system.immediate_moves().eq(["move_0_1"]));
    /// assert!(program.lower().is_err(), "a PEPA model cannot say that moves take no time");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn immediate_moves(&self) -> impl ExactSizeIterator<Item = String> {
        self.immediate.iter().map(|&link| move_name(link))
    }

    /// The actions of these moves in the model.
    pub fn immediate_actions(&self) -> impl Iterator<Item = ActionId> {
        // Both lists are in the order of the moves.
        let mut immediate = self.immediate.iter().peekable();
        let moves = self.moves.iter().zip(&self.move_actions);
        moves.filter_map(move |((link, _), &action)| immediate.next_if_eq(&link).map(|_| action))
    }

    /// Whether some moves take time.
    pub(super) fn has_timed_moves(&self) -> bool {
        self.moves.len() > self.immediate.len()
    }

    /// The system, unless moves take no time: then it has no PEPA model.
    #[cfg_attr(debug_assertions, inline)]
    pub(in crate::skeleton) fn require_timed_moves(self) -> Result<System, Vec<Diagnostic<StageId>>> {
        let Some(&(_, to)) = self.immediate.first() else { return Ok(self) };
        let message = "a PEPA model cannot say that moves take no time";
        let help = "give the moves a rate that is large beside those of the tasks; the performance is found without a rate";
        let at = self.graph.flow(to).stage;
        Err(vec![Diagnostic::new(Code::NegligibleCommunication, at, message).help(help)])
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
    #[cfg_attr(debug_assertions, inline)]
    pub fn into_model(self) -> Model {
        self.model
    }

    /// The rate at which each task computes, on its processor.
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn rates(&self) -> Vec<Ratio> {
        let mut rates = vec![Ratio::one(); self.graph.tasks()];
        for (task, rate) in self.loads.iter().flat_map(|(_, tasks)| tasks) {
            rates[*task as usize] = rate.clone();
        }
        rates
    }

    /// The action of a task's computation.
    ///
    /// # Panics
    /// If there is no such task.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{pipe, task, Skeleton};
    /// let system = pipe((task(1.0), task(2.0))).communicating(10.0).lower()?;
    /// assert_eq!(system.model().action(system.computation(1)), "comp_1");
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn computation(&self, task: u32) -> ActionId {
        self.computations[task as usize]
    }

    /// The actions of the moves, in the order of [`Graph::moves`].
    #[must_use]
    pub fn moves(&self) -> &[ActionId] {
        &self.move_actions
    }
}

/// Times that are not exponential, which are not lowered.
#[cfg_attr(debug_assertions, inline)]
fn other_times(tree: &Tree) -> Vec<Diagnostic<StageId>> {
    let times = (0..tree.stages().len() as u32).map(StageId).filter_map(|id| Some((id, tree.time(id)?)));
    let other = times.filter(|(_, time)| !time.is_exponential()).map(|(id, time)| match time.phase_type() {
        Err(general) => general.finding(id, &format!("of the task `{}`", tree.name(id))),
        Ok(_) => Diagnostic::new(Code::NotPhaseType, id, format!("the time `{time}` has no PEPA model yet")),
    });
    other.collect()
}

/// Where there are no rates at all, one finding says so for all moves.
#[cfg_attr(debug_assertions, inline)]
fn no_communication(graph: &Graph, from: u32, to: u32) -> Diagnostic<StageId> {
    let first = format!("from task {from} to task {to}");
    let message = match graph.moves().count() {
        1 => format!("the move {first} has no communication rate"),
        count => format!("the {count} moves have no communication rate, beginning with the one {first}"),
    };
    missing_communication(message, graph.flow(to).stage)
}

/// Hundreds of moves without a rate are shown as a few, and a count.
#[cfg_attr(debug_assertions, inline)]
fn summarised(mut errors: Vec<Diagnostic<StageId>>) -> Vec<Diagnostic<StageId>> {
    const MOST: usize = 8;
    let more = errors.len().saturating_sub(MOST);
    errors.truncate(MOST);
    if let (Some(last), true) = (errors.last_mut(), more > 0) {
        let _ = write!(last.message, " (and {more} more findings)");
    }
    errors
}

/// Moves and their times as moves and their rates, with those that take no time listed again. In the place of a rate these have a
/// weight, the same for all. It differs from the rates of all others: of two replicas with equal links both moves take time, or
/// neither does.
#[cfg_attr(debug_assertions, inline)]
fn with_weights(moves: Vec<(Link, MoveTime<Ratio>)>) -> (Vec<(Link, Ratio)>, Vec<Link>) {
    let mut weight = Ratio::one();
    for (_, time) in &moves {
        if let MoveTime::Exponential(rate) = time {
            weight = weight.max(rate + Ratio::one());
        }
    }
    let is_immediate = |(_, time): &&(Link, MoveTime<Ratio>)| *time == MoveTime::Negligible;
    let immediate = moves.iter().filter(is_immediate).map(|&(link, _)| link).collect();
    let rate = |(link, time)| match time {
        MoveTime::Exponential(rate) => (link, rate),
        MoveTime::Negligible => (link, weight.clone()),
    };
    (moves.into_iter().map(rate).collect(), immediate)
}

#[cfg_attr(debug_assertions, inline)]
fn all_definitions(graph: &Graph, loads: &[Load], moves: &[(Link, Ratio)]) -> Vec<Definition<TextSpan>> {
    let processors = loads.iter().map(|(processor, tasks)| {
        let activities = tasks.iter().map(|(task, rate)| at_rate(computation_name(*task), number(rate)));
        offering(&processor_name(*processor), activities)
    });
    let mut all: Vec<Definition<TextSpan>> = processors.collect();
    if !moves.is_empty() {
        let activities = moves.iter().map(|(link, rate)| at_rate(move_name(*link), number(rate)));
        all.push(offering(NETWORK, activities));
    }
    all.extend(definitions(graph));
    all
}

const NETWORK: &str = "Network";

fn processor_name(processor: usize) -> String {
    format!("Processor_{processor}")
}

/// `Network <moves> (tasks) <computations> (processors)`
#[cfg_attr(debug_assertions, inline)]
fn whole(graph: &Graph, loads: &[Load], moves: &[(Link, Ratio)]) -> Process<TextSpan> {
    let mut parts = Vec::new();
    if !moves.is_empty() {
        parts.push((set_of([]), constant(NETWORK)));
    }
    let tasks = composed(graph.composition(), &|task| constant(&process_name(task, 0)), &|moves| {
        set_of(moves.iter().map(|&link| move_name(link)))
    });
    parts.push((set_of(moves.iter().map(|(link, _)| move_name(*link))), tasks));
    let processors =
        loads.iter().map(|(processor, _)| (set_of([]), constant(&processor_name(*processor)))).collect();
    parts.push((set_of((0..graph.tasks() as u32).map(computation_name)), cooperation(processors)));
    cooperation(parts)
}

/// A process of the shape of the tasks' composition.
#[cfg_attr(debug_assertions, inline)]
fn composed(
    composition: &Composition,
    leaf: &impl Fn(u32) -> Process<TextSpan>,
    set: &impl Fn(&[Link]) -> CooperationSet<TextSpan>,
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
#[cfg_attr(debug_assertions, inline)]
fn first_move(graph: &Graph, loads: &[Load], moves: &[(Link, Ratio)]) -> Option<ResultLine<TextSpan>> {
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
        0 => constant(&process_name(0, 1)),
        1 => constant(&process_name(1, 0)),
        _ => anything(),
    };
    let tasks = composed(graph.composition(), &ready, &|_| set_of([]));
    let processors = cooperation(loads.iter().map(|_| (set_of([]), anything())).collect());
    let pattern = cooperation([anything(), tasks, processors].map(|part| (set_of([]), part)).into());
    Some(ResultLine { name: name("T1".to_owned()), factor: Some(number(rate)), pattern })
}

/// The checked model of a lowered system. It has warnings at most, unless it is beyond a limit of models.
#[cfg_attr(debug_assertions, inline)]
fn checked_model(ast: &Ast<TextSpan>) -> Result<Model, Vec<Diagnostic<StageId>>> {
    Model::from_ast(ast).map_err(|BuildErrors(errors)| {
        let help = "the skeleton is too large: use fewer replicas";
        errors.into_iter().map(|e| Diagnostic::new(e.code, StageId(0), e.message).help(help)).collect()
    })
}

/// The actions that a component offers, in the order of its definition: of the network, the first component, the moves.
fn offered(model: &Model, position: Position) -> impl Iterator<Item = ActionId> {
    model.initial_activities(position).iter().map(|activity| activity.action)
}

/// The actions of the computations, task by task. The processors are the last components of the system, and each offers the
/// computations of its tasks in their order.
#[cfg_attr(debug_assertions, inline)]
fn computation_actions(model: &Model, loads: &[Load]) -> Vec<ActionId> {
    let first = model.positions() - loads.len();
    let mut actions = vec![ActionId::TAU; loads.iter().map(|(_, tasks)| tasks.len()).sum()];
    for (processor, (_, tasks)) in loads.iter().enumerate() {
        for ((task, _), action) in tasks.iter().zip(offered(model, Position::at(first + processor))) {
            actions[*task as usize] = action;
        }
    }
    actions
}

impl fmt::Display for System {
    /// The model in the order and with the headings of Fig. 4.
    #[cfg_attr(debug_assertions, inline)]
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
            writeln!(f, "\n// Communication rates.")?;
            if !self.immediate.is_empty() {
                let immediate: Vec<String> = self.immediate_moves().collect();
                let line =
                    format!("// These take no time, and have a weight instead: {}", immediate.join(", "));
                writeln!(f, "{line}")?;
            }
            writeln!(f, "{}", offer(NETWORK, moves))?;
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
#[cfg_attr(debug_assertions, inline)]
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
#[cfg_attr(debug_assertions, inline)]
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
