//! Definitions that compose components, and those that use one another.

use crate::check::names::{Names, Symbol};
use crate::diagnostic::Span;
use crate::graph::{Adjacency, strongly_connected};
use crate::syntax::ast::Process;

/// Which definitions compose components: those that say so, and names of such.
pub(super) fn find_compositions<S: Span>(names: &Names<'_, S>) -> Vec<bool> {
    let mut is_composition: Vec<bool> = names
        .processes
        .iter()
        .map(|definition| {
            let composes = |body: &Process<S>| !matches!(body, Process::Choice(_)) && body.is_composition();
            definition.tree.is_some_and(composes)
        })
        .collect();
    if !is_composition.contains(&true) {
        return is_composition;
    }
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); is_composition.len()];
    for (id, definition) in names.processes.iter().enumerate() {
        if let Some(Process::Constant(name)) = definition.tree
            && let Some(Symbol::Process(used)) = names.get(&name.text)
        {
            users[used].push(id);
        }
    }
    let mut work: Vec<usize> = (0..is_composition.len()).filter(|&id| is_composition[id]).collect();
    while let Some(id) = work.pop() {
        for &user in &users[id] {
            if !is_composition[user] {
                is_composition[user] = true;
                work.push(user);
            }
        }
    }
    is_composition
}

/// Which definitions use one another in a circle, by any path. A composition behind an activity grows without
/// end only on such a circle; anywhere else it is merely misplaced.
pub(super) enum Growth {
    /// Not asked for yet.
    Unknown,
    /// Nothing is in a definition.
    Nothing,
    /// The part of the graph of definitions that each is in.
    Parts(Vec<u32>),
}

impl Growth {
    fn of_definitions<S: Span>(names: &Names<'_, S>) -> Self {
        let mut graph = Adjacency::new();
        for id in 0..names.processes.len() {
            let mut used = Vec::new();
            names.for_each_used(id, &mut |other| used.push(other as u32));
            graph.push(used);
        }
        Growth::Parts(strongly_connected(&graph).component_of)
    }

    pub(super) fn returns<S: Span>(&mut self, from: usize, to: usize, names: &Names<'_, S>) -> bool {
        if let Growth::Unknown = self {
            *self = Growth::of_definitions(names);
        }
        let Growth::Parts(part_of) = self else { return false };
        matches!((part_of.get(from), part_of.get(to)), (Some(a), Some(b)) if a == b)
    }
}
