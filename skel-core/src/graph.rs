//! Directed graphs over `0..n`: adjacency in one array, strongly connected components without recursion.

use std::convert::Infallible;

/// A directed graph: for each node its successors, in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjacency {
    /// Node `i` has the successors `targets[offsets[i]..offsets[i + 1]]`.
    offsets: Vec<usize>,
    targets: Vec<u32>,
}

impl Adjacency {
    /// A graph without nodes.
    #[must_use]
    pub fn new() -> Self {
        Adjacency { offsets: vec![0], targets: Vec::new() }
    }

    /// A graph without nodes, with room for some nodes and edges.
    #[must_use]
    pub fn with_capacity(nodes: usize, edges: usize) -> Self {
        let mut offsets = Vec::with_capacity(nodes + 1);
        offsets.push(0);
        Adjacency { offsets, targets: Vec::with_capacity(edges) }
    }

    /// Adds the next node with its successors, which may come later.
    pub fn push(&mut self, successors: impl IntoIterator<Item = u32>) {
        self.targets.extend(successors);
        self.offsets.push(self.targets.len());
    }

    /// The number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The successors of a node.
    #[must_use]
    pub fn successors(&self, node: usize) -> &[u32] {
        &self.targets[self.offsets[node]..self.offsets[node + 1]]
    }

    /// Whether the node is its own successor.
    #[must_use]
    pub fn has_loop(&self, node: usize) -> bool {
        self.successors(node).iter().any(|&target| target as usize == node)
    }
}

/// The strongly connected components of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StronglyConnected {
    /// Per node the number of its component.
    pub component_of: Vec<u32>,
    /// The nodes of each component in ascending order. A component comes after all components that can be
    /// reached from it.
    pub components: Vec<Vec<u32>>,
}

impl StronglyConnected {
    /// Whether the node lies on a cycle.
    #[must_use]
    pub fn is_on_cycle(&self, node: usize, graph: &Adjacency) -> bool {
        self.components[self.component_of[node] as usize].len() > 1 || graph.has_loop(node)
    }
}

/// Tarjan's algorithm with an explicit stack: linear time, no recursion, so that ten million nodes in a row
/// do not overflow the stack.
///
/// # Examples
/// ```
/// use skel_core::graph::{strongly_connected, Adjacency};
/// let mut graph = Adjacency::new();
/// graph.push([1]);
/// graph.push([2]);
/// graph.push([1]);
/// assert_eq!(strongly_connected(&graph).components, [vec![1, 2], vec![0]]);
/// ```
#[must_use]
pub fn strongly_connected(graph: &Adjacency) -> StronglyConnected {
    let Ok(parts) = strongly_connected_unless(graph, || Ok::<(), Infallible>(()));
    parts
}

/// As [`strongly_connected`], but calls `pause` after every few thousand edges, which may stop it.
///
/// # Errors
/// What `pause` returned.
pub fn strongly_connected_unless<E>(
    graph: &Adjacency,
    mut pause: impl FnMut() -> Result<(), E>,
) -> Result<StronglyConnected, E> {
    const UNSEEN: u32 = u32::MAX;
    const BETWEEN_PAUSES: usize = 4096;
    let count = graph.len();
    let mut order = vec![UNSEEN; count];
    let mut low = vec![0_u32; count];
    let mut component_of = vec![UNSEEN; count];
    let mut components = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let mut calls: Vec<(u32, usize)> = Vec::new();
    let mut next = 0;
    let mut steps = 0_usize;
    for root in 0..count {
        if order[root] != UNSEEN {
            continue;
        }
        calls.push((root as u32, 0));
        while let Some((node, position)) = calls.pop() {
            if steps.is_multiple_of(BETWEEN_PAUSES) {
                pause()?;
            }
            steps += 1;
            let index = node as usize;
            if position == 0 {
                order[index] = next;
                low[index] = next;
                next += 1;
                open.push(node);
            }
            let successors = graph.successors(index);
            let mut at = position;
            if at > 0 {
                let child = successors[at - 1] as usize;
                low[index] = low[index].min(low[child]);
            }
            let mut descended = false;
            while at < successors.len() {
                let target = successors[at] as usize;
                at += 1;
                if order[target] == UNSEEN {
                    calls.push((node, at));
                    calls.push((target as u32, 0));
                    descended = true;
                    break;
                }
                if component_of[target] == UNSEEN {
                    low[index] = low[index].min(order[target]);
                }
            }
            if descended || low[index] != order[index] {
                continue;
            }
            let start = open.iter().rposition(|&other| other == node).unwrap_or(0);
            let mut members = open.split_off(start);
            for &member in &members {
                component_of[member as usize] = components.len() as u32;
            }
            members.sort_unstable();
            components.push(members);
        }
    }
    Ok(StronglyConnected { component_of, components })
}
