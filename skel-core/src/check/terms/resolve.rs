//! The activities of constants: those of their bodies.

use std::ops::Range;

use super::{MOST_ACTIVITIES, Term, Terms};
use crate::check::findings::Findings;
use crate::check::names::Names;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::graph::{Adjacency, strongly_connected};
use crate::model::LocalStateId;
use crate::syntax::name::quote_name;

impl<S: Span> Terms<'_, S> {
    /// Finds unguarded circles and gives every constant the activities of its body.
    pub(super) fn resolve_constants(&mut self, names: &Names<'_, S>, findings: &mut Findings<'_, S>) {
        let is_prefix = |term: &LocalStateId| matches!(self.terms[term.index()], Term::Prefix(_));
        if self.in_bodies.iter().all(is_prefix) && self.in_bodies.len() <= MOST_ACTIVITIES {
            return;
        }
        let mut graph = Adjacency::new();
        for id in 0..self.bodies.len() {
            let mut constants = Vec::new();
            for &term in self.body_of(id) {
                self.for_each_unguarded(term, &mut |id| constants.push(id as u32));
            }
            graph.push(constants);
        }
        let circles = strongly_connected(&graph);
        let written = std::mem::take(&mut self.in_bodies);
        let bodies = self.bodies.clone();
        self.bodies.fill(0..0);
        for component in &circles.components {
            let first = component[0] as usize;
            if circles.is_on_cycle(first, &graph) {
                for &id in component {
                    self.is_broken[id as usize] = true;
                }
                findings.push(unguarded(component, names));
                continue;
            }
            let start = self.in_bodies.len();
            for &term in &written[bodies[first].start as usize..bodies[first].end as usize] {
                self.add_prefixes(term);
            }
            if self.in_bodies.len() > MOST_ACTIVITIES && !self.is_full {
                self.is_full = true;
                self.is_broken[first] = true;
                self.in_bodies.truncate(start);
                let name = names.process_name(first);
                findings.push(too_many_activities(name.text, name.at.0));
            }
            self.bodies[first] = start as u32..self.in_bodies.len() as u32;
        }
    }

    fn for_each_unguarded(&self, term: LocalStateId, visit: &mut impl FnMut(usize)) {
        match self.terms[term.index()] {
            Term::Constant(id) => visit(id as usize),
            Term::Choice(choice) => {
                let operands = &self.choices[choice as usize];
                operands.iter().for_each(|&operand| self.for_each_unguarded(operand, visit));
            }
            Term::Prefix(_) | Term::Broken => {}
        }
    }

    /// Adds the prefixes that a term enables to the body that is resolved, as far as there may be so many
    /// activities.
    fn add_prefixes(&mut self, term: LocalStateId) {
        if self.is_full || self.in_bodies.len() > MOST_ACTIVITIES {
            return;
        }
        match self.terms[term.index()] {
            Term::Constant(id) => {
                let Range { start, end } = self.bodies[id as usize];
                self.in_bodies.extend_from_within(start as usize..end as usize);
            }
            Term::Prefix(_) => self.in_bodies.push(term),
            Term::Choice(choice) => {
                for at in 0..self.choices[choice as usize].len() {
                    self.add_prefixes(self.choices[choice as usize][at]);
                }
            }
            Term::Broken => {}
        }
    }
}

/// That a definition passes the limit.
pub(crate) fn too_many_activities<S>(name: &str, at: S) -> Diagnostic<S> {
    let message = format!("`{name}` brings the model to more than {MOST_ACTIVITIES} activities");
    Diagnostic::new(Code::SystemTooLarge, at, message)
        .help("a choice of equal activities is one activity with the sum of their rates")
}

fn unguarded<S: Span>(component: &[u32], names: &Names<'_, S>) -> Diagnostic<S> {
    let name = |id: u32| names.process_name(id as usize);
    let first = name(component[0]);
    let message = match component {
        [_] => format!("`{}` comes back to itself without an activity", first.text),
        _ => {
            let circle: Vec<&str> = component.iter().map(|&id| name(id).text).collect();
            format!("`{}` come back to one another without an activity", circle.join("`, `"))
        }
    };
    let mut diagnostic = Diagnostic::new(Code::UnguardedRecursion, first.at.0, message).help(format!(
        "put an activity before the return: `{0} = (action, rate).{0};`",
        quote_name(first.text)
    ));
    for &other in &component[1..] {
        diagnostic = diagnostic.related(name(other).at.0, "and here");
    }
    diagnostic
}
