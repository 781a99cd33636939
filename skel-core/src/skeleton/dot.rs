//! Drawings as DOT graphs: the tree (Fig. 2) and the data flow (Fig. 1).

use std::fmt::Write as _;

use crate::skeleton::lowering::graph::{Graph, Pattern};
use crate::skeleton::tree::{Stage, StageId, Tree};

impl Tree {
    /// The skeleton hierarchy tree as a DOT graph, the paper's Fig. 2; a worker is drawn once, and a map with
    /// its workers is one node.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{farm, pipe, task, Skeleton};
    /// let dot = pipe((task(1.0), farm(3, 3.0))).tree()?.to_dot();
    /// assert!(dot.contains("n2 [label=\"farm × 3\"];"));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn to_dot(&self) -> String {
        let mut dot = String::from("digraph skeleton {\n    node [shape=box, fontname=\"sans-serif\"];\n");
        for (number, stage) in self.stages().iter().enumerate() {
            let label = match stage {
                Stage::Task(task) => {
                    let name = task.name.as_deref().unwrap_or("task");
                    format!("{}\\n{}", escaped(name), task.time)
                }
                Stage::Team(team) => {
                    let name = team.worker.name.as_ref().map(|name| format!("\\n{}", escaped(name)));
                    let word = format!("{} × {}", team.word().text(), team.workers);
                    format!("{word}{}\\n{}", name.unwrap_or_default(), team.worker.time)
                }
                Stage::Pipe(_) => "pipe".to_owned(),
                Stage::Replicated { replication, replicas, .. } => {
                    format!("{} × {replicas}", replication.word())
                }
            };
            let _ = writeln!(dot, "    n{number} [label=\"{label}\"];");
        }
        for (number, stage) in self.stages().iter().enumerate() {
            let children: &[StageId] = match stage {
                Stage::Task(_) | Stage::Team(_) => &[],
                Stage::Pipe(stages) => stages,
                Stage::Replicated { worker, .. } => std::slice::from_ref(worker),
            };
            for child in children {
                let _ = writeln!(dot, "    n{number} -> n{};", child.0);
            }
        }
        dot.push_str("}\n");
        dot
    }
}

impl Graph {
    /// The data flow as a DOT graph, the paper's Fig. 1: a node for each task, an edge for each move. Along
    /// solid edges items move in turn. Along a dashed edge, the task at one end at least chooses a partner
    /// that is ready.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{farm, pipe, task, Graph, Reading, Skeleton};
    /// let tree = pipe((task(1.0), farm(3, 3.0))).tree()?;
    /// let dot = Graph::from_tree(&tree, Reading::Corrected).unwrap().to_dot(&tree);
    /// assert!(dot.contains("t0 -> t3 [style=dashed];"));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn to_dot(&self, tree: &Tree) -> String {
        let mut dot = String::from(
            "digraph dataflow {\n    rankdir=LR;\n    node [shape=circle, fontname=\"sans-serif\"];\n    \
             input [shape=plaintext, label=\"input\\nstream\"];\n    \
             output [shape=plaintext, label=\"output\\nstream\"];\n",
        );
        for (task, flow) in self.flows().iter().enumerate() {
            let workers = match tree.stage(flow.stage) {
                Stage::Team(team) => format!(" × {}", team.workers),
                _ => String::new(),
            };
            let label = format!("{}{workers}\\n{task}", escaped(&tree.name(flow.stage)));
            let _ = writeln!(dot, "    t{task} [label=\"{label}\"];");
        }
        for (task, flow) in self.flows().iter().enumerate() {
            if flow.sources.is_empty() {
                let _ = writeln!(dot, "    input -> t{task};");
            }
            for &to in &flow.destinations {
                let is_chosen = flow.destination_pattern == Pattern::Farm
                    || self.flow(to).source_pattern == Pattern::Farm;
                let style = if is_chosen { " [style=dashed]" } else { "" };
                let _ = writeln!(dot, "    t{task} -> t{to}{style};");
            }
            if flow.destinations.is_empty() {
                let _ = writeln!(dot, "    t{task} -> output;");
            }
        }
        dot.push_str("}\n");
        dot
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
