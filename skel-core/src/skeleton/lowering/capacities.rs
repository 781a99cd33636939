//! The capacity of the buffer of each channel, and what is wrong with the statements about them.

use crate::diagnostic::{Code, Diagnostic};
use crate::skeleton::buffers::Buffers;
use crate::skeleton::lowering::channel::Channel;
use crate::skeleton::lowering::graph::Graph;
use crate::skeleton::tree::{Stage, StageId, Tree};

/// Which statement about buffers is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::skeleton) enum Statement {
    /// That about all buffers.
    Everywhere,
    /// One about the buffer before a stage, by its number.
    Before(usize),
    /// One about the buffer on a link, by its number.
    Link(usize),
}

/// The capacity of the buffer of each channel.
///
/// # Errors
/// All that is wrong, each with the statement that says it.
#[cfg_attr(debug_assertions, inline)]
pub(in crate::skeleton) fn capacities(
    buffers: &Buffers,
    tree: &Tree,
    graph: &Graph,
) -> Result<Vec<u32>, Vec<(Statement, Diagnostic<StageId>)>> {
    let mut problems = Vec::new();
    let mut capacities = vec![0; graph.channels().len()];
    let mut set = |statement, capacity, of: &mut dyn Iterator<Item = usize>| match bounded(capacity) {
        Ok(capacity) => of.for_each(|channel| capacities[channel] = capacity),
        Err(problem) => problems.push((statement, problem)),
    };
    set(Statement::Everywhere, buffers.of_all(), &mut (0..graph.channels().len()));
    let mut misplaced = Vec::new();
    for (number, &(stage, capacity)) in buffers.of_stages().iter().enumerate() {
        let statement = Statement::Before(number);
        if is_first(tree, stage) {
            misplaced.push((statement, nothing_before(tree, stage)));
            continue;
        }
        let leads_there = |channel: &Channel| leads_to(tree, channel, stage);
        let channels = graph.channels().iter().enumerate();
        let there = channels.filter(|(_, channel)| leads_there(channel)).map(|(number, _)| number);
        let there: Vec<usize> = there.collect();
        match there.is_empty() {
            true => misplaced.push((statement, no_such_stage(tree, stage))),
            false => set(statement, capacity, &mut there.into_iter()),
        }
    }
    for (number, &((from, to), capacity)) in buffers.of_links().iter().enumerate() {
        match own_channel(graph, from, to) {
            Ok(channel) => set(Statement::Link(number), capacity, &mut std::iter::once(channel)),
            Err(problem) => misplaced.push((Statement::Link(number), problem)),
        }
    }
    problems.extend(misplaced);
    if problems.is_empty() { Ok(capacities) } else { Err(problems) }
}

const ROOT: StageId = StageId(0);

/// More items than this in one buffer are refused: each place is a component of the model.
const MOST_PLACES: i128 = 1_000_000;

#[cfg_attr(debug_assertions, inline)]
fn bounded(capacity: i128) -> Result<u32, Diagnostic<StageId>> {
    let error = |message: String, help: &str| Diagnostic::new(Code::BadBuffer, ROOT, message).help(help);
    match capacity {
        ..0 => Err(error(
            format!("the capacity of the buffer is {capacity}, which is negative"),
            "a capacity is a number of items; 0 stands for no buffer",
        )),
        0..=MOST_PLACES => Ok(capacity as u32),
        _ => Err(error(
            format!("the capacity of the buffer is {capacity}, more than {MOST_PLACES}"),
            "a model has a component for every place in a buffer: give a smaller capacity",
        )),
    }
}

/// Whether the items of a channel enter a node: the stage that they come to, its worker, and so on down to a
/// task.
pub(in crate::skeleton) fn leads_to(tree: &Tree, channel: &Channel, node: StageId) -> bool {
    entries(tree, channel.into_stage()).any(|id| id == node)
}

/// The nodes by which an item enters a stage, from the stage down to a task.
fn entries(tree: &Tree, stage: StageId) -> impl Iterator<Item = StageId> {
    std::iter::successors(Some(stage), |&id| match tree.stage(id) {
        Stage::Task(_) | Stage::Team(_) => None,
        Stage::Pipe(stages) => stages.first().copied(),
        Stage::Replicated { worker, .. } => Some(*worker),
    })
}

/// Whether items enter the skeleton by a stage.
pub(in crate::skeleton) fn is_first(tree: &Tree, stage: StageId) -> bool {
    entries(tree, tree.root()).any(|id| id == stage)
}

#[cfg_attr(debug_assertions, inline)]
fn nothing_before(tree: &Tree, stage: StageId) -> Diagnostic<StageId> {
    let message = format!("a buffer before `{}`, to which no stage sends", tree.name(stage));
    Diagnostic::new(Code::BadBuffer, stage, message)
        .help("items enter the skeleton there; a buffer is before a later stage of a pipe")
}

/// A stage of another skeleton.
#[cfg_attr(debug_assertions, inline)]
fn no_such_stage(tree: &Tree, stage: StageId) -> Diagnostic<StageId> {
    let last = tree.stages().len() - 1;
    let message = format!(
        "a buffer before stage {}, but the nodes of the skeleton have the numbers 0 to {last}",
        stage.0
    );
    Diagnostic::new(Code::BadBuffer, ROOT, message)
        .help("take the number from this skeleton: `Skeleton::tree` has its nodes, and a handle its number")
}

/// The channel of a link that shares its buffer with no other link.
#[cfg_attr(debug_assertions, inline)]
fn own_channel(graph: &Graph, from: usize, to: usize) -> Result<usize, Diagnostic<StageId>> {
    if !graph.has_move(from, to) {
        let message = format!("a buffer between task {from} and task {to}, between which nothing moves");
        let help = graph.destinations_in_words(from);
        return Err(Diagnostic::new(Code::BadBuffer, ROOT, message).help(help));
    }
    let number = graph.channel_of(from as u32, to as u32) as usize;
    let channel = &graph.channels()[number];
    let (senders, receivers) = (channel.senders().len(), channel.receivers().len());
    if senders * receivers == 1 {
        return Ok(number);
    }
    let (workers, help) = match receivers > 1 {
        true => (
            receivers,
            "give the buffer before the farm by the name of its worker: `buffers(\"name\", 4);`, in Rust `buffer_before`",
        ),
        false => (
            senders,
            "give the buffer behind the farm by the name of the stage that follows: `buffers(\"name\", 4);`, in Rust `buffer_before`",
        ),
    };
    let message = format!(
        "a buffer between task {from} and task {to} alone, but {workers} workers of a farm share one buffer there"
    );
    Err(Diagnostic::new(Code::BadBuffer, graph.flow(to as u32).stage, message).help(help))
}
