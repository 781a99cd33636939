//! Patterns over the components of a model.
//!
//! `**` stands for whatever is in its place, a single component or a whole bracket of the system equation. A
//! pattern that has an entry for each component may have other brackets, or none.

use super::Checker;
use crate::csl::formula::Condition;
use crate::diagnostic::TextSpan;
use crate::model::{Model, Node, NodeId};
use crate::syntax::ast::Process;
use crate::syntax::cursor::{Read, Reported};

impl Checker<'_> {
    pub(super) fn pattern(&mut self, written: &Process<TextSpan>) -> Read<Condition> {
        let flat = written.entries().len() == self.model.positions();
        let spread = if flat { None } else { spread(written, self.model) };
        let found = match &spread {
            Some(spread) => self.model.pattern_of(spread),
            None => self.model.pattern_of(written),
        };
        found.map(Condition::Pattern).map_err(|findings| {
            self.diagnostics.extend(findings);
            Reported
        })
    }
}

/// The pattern with an entry for each component, where its brackets are those of the system equation.
fn spread(written: &Process<TextSpan>, model: &Model) -> Option<Process<TextSpan>> {
    let shapes = Shapes::of(model);
    let mut entries = Vec::new();
    shapes.match_entry(written, NodeId::at(model.nodes().len() - 1), &mut entries)?;
    let mut entries = entries.into_iter();
    let first = Box::new(entries.next()?);
    let set = || crate::syntax::ast::CooperationSet {
        kind: crate::syntax::ast::SetKind::Named(Vec::new()),
        at: crate::syntax::ast::At(written.span()),
    };
    let rest: Vec<_> = entries.map(|entry| (set(), entry)).collect();
    Some(if rest.is_empty() { *first } else { Process::Cooperation { first, rest } })
}

/// The tree of the system equation, with the number of components below each node.
struct Shapes<'m> {
    model: &'m Model,
    sizes: Vec<usize>,
}

impl<'m> Shapes<'m> {
    fn of(model: &'m Model) -> Self {
        let mut sizes: Vec<usize> = Vec::with_capacity(model.nodes().len());
        for node in model.nodes() {
            sizes.push(match node {
                Node::Leaf(_) => 1,
                Node::Hiding { of, .. } => sizes[of.index()],
                Node::Cooperation { left, right, .. } => sizes[left.index()] + sizes[right.index()],
            });
        }
        Shapes { model, sizes }
    }

    /// Adds the entries for the components below a node; none where the pattern has another shape.
    fn match_entry(
        &self,
        written: &Process<TextSpan>,
        node: NodeId,
        entries: &mut Vec<Process<TextSpan>>,
    ) -> Option<()> {
        match (written, &self.model.nodes()[node.index()]) {
            (Process::Anything(at), _) => {
                entries.extend(std::iter::repeat_n(Process::Anything(*at), self.sizes[node.index()]));
                Some(())
            }
            (Process::Hiding { of, .. }, _) => self.match_entry(of, node, entries),
            (_, Node::Hiding { of, .. }) => self.match_entry(written, *of, entries),
            (Process::Cooperation { first, rest }, _) => {
                let mut operands: Vec<&Process<TextSpan>> = vec![&**first];
                operands.extend(rest.iter().map(|(_, operand)| operand));
                self.match_operands(&operands, node, entries)
            }
            (_, Node::Leaf(_)) => {
                entries.push(written.clone());
                Some(())
            }
            _ => None,
        }
    }

    /// Operands side by side, against the copies of an array or against a chain of cooperations, of which the
    /// last is outermost.
    fn match_operands(
        &self,
        operands: &[&Process<TextSpan>],
        node: NodeId,
        entries: &mut Vec<Process<TextSpan>>,
    ) -> Option<()> {
        if let [only] = operands {
            return self.match_entry(only, node, entries);
        }
        if let Some(array) = self.model.arrays().iter().find(|array| array.node == node)
            && array.copies as usize == operands.len()
        {
            let copies = self.copies(node, array.width as usize);
            return operands
                .iter()
                .zip(copies)
                .try_for_each(|(operand, copy)| self.match_entry(operand, copy, entries));
        }
        match &self.model.nodes()[node.index()] {
            Node::Hiding { of, .. } => self.match_operands(operands, *of, entries),
            Node::Cooperation { left, right, .. } => {
                let (last, before) = operands.split_last()?;
                self.match_operands(before, *left, entries)?;
                self.match_entry(last, *right, entries)
            }
            Node::Leaf(_) => None,
        }
    }

    /// The nodes below an array that stand for its copies, from left to right.
    fn copies(&self, array: NodeId, width: usize) -> Vec<NodeId> {
        let mut copies = Vec::new();
        let mut work = vec![array];
        while let Some(node) = work.pop() {
            match &self.model.nodes()[node.index()] {
                Node::Cooperation { left, right, .. } if self.sizes[node.index()] > width => {
                    work.extend([*right, *left]);
                }
                _ => copies.push(node),
            }
        }
        copies
    }
}
