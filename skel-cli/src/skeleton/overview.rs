//! What a skeleton is, without a solution: its tree and its data flow.

use serde_json::{Map, Value, json};
use skel::number::{Number, Ratio};
use skel::skeleton::{Graph, Pattern, Stage, StageId, StateInput, TaskStage, TeamKind, Tree};
use skel::time::ServiceTime;

use crate::report::figure::entries;
use crate::report::table::{decimal, lines, printable, table};
use crate::report::words::counted;

/// All of it.
pub(super) fn whole(name: &str, skeleton: &Tree, graph: &Graph) -> String {
    let counts =
        [(skeleton.top_level().len(), "stage"), (graph.tasks(), "task"), (graph.moves().count(), "move")];
    let counts = counts.map(|(number, noun)| counted(number, noun)).join(", ");
    format!("{name}: {counts}\n\n{}\n{}", tree(skeleton), data_flow(skeleton, graph))
}

/// The tree, a line for each node, with the numbers of its tasks.
pub(super) fn tree(tree: &Tree) -> String {
    let mut nodes = Vec::new();
    collect_nodes(tree, tree.root(), 0, &mut nodes);
    let tasks = tree.tasks();
    let lines = nodes.into_iter().map(|(depth, id)| {
        let numbers: Vec<usize> = (0..tasks.len()).filter(|&task| tasks[task] == id).collect();
        (format!("{}{}", "  ".repeat(depth), described(tree, id)), numbers)
    });
    let lines: Vec<(String, Vec<usize>)> = lines.collect();
    let width = lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or_default();
    let shown = lines.iter().map(|(line, numbers)| match numbers.len() {
        0 => format!("{line}\n"),
        1 => format!("{line:width$}  task {}\n", numbers[0]),
        _ => format!("{line:width$}  tasks {}\n", ranges(numbers)),
    });
    shown.collect()
}

fn collect_nodes(tree: &Tree, id: StageId, depth: usize, nodes: &mut Vec<(usize, StageId)>) {
    nodes.push((depth, id));
    match tree.stage(id) {
        Stage::Task(_) | Stage::Team(_) => {}
        Stage::Pipe(stages) => stages.iter().for_each(|&stage| collect_nodes(tree, stage, depth + 1, nodes)),
        Stage::Replicated { worker, .. } => collect_nodes(tree, *worker, depth + 1, nodes),
    }
}

fn described(tree: &Tree, id: StageId) -> String {
    match tree.stage(id) {
        Stage::Task(task) => format!("task{}", named_and_timed(task)),
        Stage::Team(team) => {
            let kind = format!("{} of {}{}", team.word().noun(), team.workers, named_and_timed(&team.worker));
            match &team.kind {
                TeamKind::Map | TeamKind::FaultTolerant { early: false } => kind,
                TeamKind::FaultTolerant { early: true } => {
                    format!("{kind}, early: {} replies decide", team.replies())
                }
                TeamKind::MapWithState(StateInput { time, items }) => {
                    let time =
                        if time.is_exponential() { "rate " } else { "" }.to_owned() + &time.to_string();
                    format!(
                        "{kind}, a state ({}) after {} items",
                        printable(&time),
                        decimal(items.to_float())
                    )
                }
            }
        }
        Stage::Pipe(stages) => format!("pipe of {}", counted(stages.len(), "stage")),
        Stage::Replicated { replication, replicas, .. } => format!("{} of {replicas}", replication.word()),
    }
}

/// ` `name` at rate 2`
fn named_and_timed(task: &TaskStage) -> String {
    let name = task.name.as_ref().map(|name| format!(" `{}`", printable(name))).unwrap_or_default();
    match task.time.is_exponential() {
        true => format!("{name} at rate {}", decimal(task.rate().to_float())),
        false => format!("{name}: {}", printable(&task.time.to_string())),
    }
}

/// `0, 2-4`
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|one, next| one + 1 == *next);
    let shown = runs.map(|run| match run {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// The data flow, a row for each task.
pub(super) fn data_flow(tree: &Tree, graph: &Graph) -> String {
    let headings = ["task", "name", "rate", "receives from", "", "sends to", ""];
    let mut table = table(&headings, &[0, 2]);
    for (task, flow) in graph.flows().iter().enumerate() {
        let side = |tasks: &[u32], pattern, end: &str| {
            let tasks: Vec<usize> = tasks.iter().map(|&task| task as usize).collect();
            let tasks = if tasks.is_empty() { end.to_owned() } else { ranges(&tasks) };
            [tasks, manner(pattern).to_owned()]
        };
        let mut cells = vec![
            task.to_string(),
            printable(&tree.name(flow.stage)),
            rate_of(tree, flow.stage).map(|rate| decimal(rate.to_float())).unwrap_or_default(),
        ];
        cells.extend(side(&flow.sources, flow.source_pattern, "input"));
        cells.extend(side(&flow.destinations, flow.destination_pattern, "output"));
        table.add_row(cells);
    }
    lines(&table)
}

/// How a task goes through its partners.
fn manner(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::None => "",
        Pattern::Pipe => "(pipe)",
        Pattern::Deal => "(deal)",
        Pattern::Farm => "(farm)",
    }
}

fn rate_of(tree: &Tree, id: StageId) -> Option<Ratio> {
    tree.time(id).map(ServiceTime::rate)
}

/// The number of the top-level stage that a node belongs to. Nodes are numbered depth first.
pub(super) fn stage_number(tree: &Tree, id: StageId) -> usize {
    tree.top_level().partition_point(|&stage| stage <= id).saturating_sub(1)
}

/// The tree and the data flow as one object.
pub(super) fn json(tree: &Tree, graph: &Graph) -> Map<String, Value> {
    let tasks = graph.flows().iter().enumerate().map(|(task, flow)| {
        json!({
            "task": task,
            "name": tree.name(flow.stage),
            "stage": stage_number(tree, flow.stage),
            "path": tree.path_to(flow.stage),
            "rate": rate_of(tree, flow.stage).as_ref().map(Number::to_float),
            "sources": flow.sources,
            "source_pattern": flow.source_pattern.to_string(),
            "destinations": flow.destinations,
            "destination_pattern": flow.destination_pattern.to_string(),
        })
    });
    entries(json!({
        "stages": tree.top_level().len(),
        "moves": graph.moves().count(),
        "tree": node(tree, tree.root()),
        "tasks": tasks.collect::<Value>(),
    }))
}

fn task_json(kind: &str, task: &TaskStage) -> Value {
    json!({
        "kind": kind,
        "name": task.name,
        "rate": task.rate().to_float(),
        "time": task.time.to_string(),
        "scv": task.time.scv().to_float(),
        "fit": task.time.fit().map(|fit| fit.to_string()),
    })
}

fn node(tree: &Tree, id: StageId) -> Value {
    match tree.stage(id) {
        Stage::Task(task) => task_json("task", task),
        Stage::Team(team) => {
            let mut object = task_json(team.word().text(), &team.worker);
            object["workers"] = json!(team.workers);
            match &team.kind {
                TeamKind::Map => {}
                TeamKind::FaultTolerant { early } => object["early"] = json!(early),
                TeamKind::MapWithState(StateInput { time, items }) => {
                    object["state"] = json!({ "rate": time.rate().to_float(), "time": time.to_string(), "items": items.to_float() });
                }
            }
            object
        }
        Stage::Pipe(stages) => {
            let stages = stages.iter().map(|&stage| node(tree, stage));
            json!({ "kind": "pipe", "stages": stages.collect::<Value>() })
        }
        Stage::Replicated { replication, replicas, worker } => {
            json!({ "kind": replication.word(), "replicas": replicas, "worker": node(tree, *worker) })
        }
    }
}
