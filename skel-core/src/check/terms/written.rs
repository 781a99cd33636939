//! Terms of definitions that are trees, and what is wrong with those that are not sequential.

use super::composition::Growth;
use super::{Place, Terms};
use crate::check::findings::Findings;
use crate::check::names::{Names, Symbol};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::model::{Activity, LocalStateId};
use crate::syntax::ast::Process;

/// The definition that is read, and what reading it takes.
pub(super) struct Within<'w, 'n, 'f, S> {
    /// Its number; none that there is, where a process is in no definition.
    pub(super) id: usize,
    pub(super) names: &'w Names<'n, S>,
    pub(super) growth: &'w mut Growth,
    pub(super) findings: &'w mut Findings<'f, S>,
}

impl<S: Span> Terms<'_, S> {
    /// Adds the operands of a body that is a choice, or else the body.
    pub(super) fn body(&mut self, body: &Process<S>, within: &mut Within<'_, '_, '_, S>) {
        let operands = match body {
            Process::Choice(operands) => operands.as_slice(),
            body => std::slice::from_ref(body),
        };
        for operand in operands {
            let term = self.sequential(operand, within);
            self.in_bodies.push(term);
        }
    }

    /// The term of a process in a sequential position.
    fn sequential(&mut self, process: &Process<S>, within: &mut Within<'_, '_, '_, S>) -> LocalStateId {
        match process {
            Process::Constant(name) => match within.names.process(name, within.findings) {
                Some(id) if self.is_composition[id] => self.not_sequential(process, within),
                Some(id) => self.constant_term(id),
                None => self.broken(within.id),
            },
            Process::Prefix { activities, then } => {
                let rates_before = self.rates.entries.len();
                let mut term = self.sequential(then, within);
                for written in activities.iter().rev() {
                    let action = self.action(&written.action.text);
                    let known = rates_before..self.rates.entries.len();
                    let rate = self.rates.activity(&written.rate, within.names, within.findings);
                    // The last activity is read first, so one with the same rate stands behind this one.
                    if known.contains(&rate.index()) {
                        self.rates.set_first_place(rate, &written.rate);
                    }
                    term = self.prefix(Activity { action, rate, target: term });
                    if let place @ Place::Nowhere = &mut self.places[term.index()] {
                        *place = Place::Known(self.known_places.len() as u32);
                        self.known_places.push(written.span());
                    }
                }
                term
            }
            Process::Choice(operands) => {
                let operands = operands.iter().map(|operand| self.sequential(operand, within)).collect();
                self.choice(operands)
            }
            _ => self.not_sequential(process, within),
        }
    }

    /// The term of a leaf of the system equation, or of an entry of a pattern.
    pub(in crate::check) fn leaf(
        &mut self,
        process: &Process<S>,
        names: &Names<'_, S>,
        findings: &mut Findings<'_, S>,
    ) -> LocalStateId {
        let address = std::ptr::from_ref(process).addr();
        if let Some(&term) = self.leaves.get(&address) {
            return term;
        }
        let mut within = Within { id: usize::MAX, names, growth: &mut Growth::Nothing, findings };
        let term = self.sequential(process, &mut within);
        self.leaves.insert(address, term);
        term
    }

    /// Walks a composed definition down to its sequential parts, for what is wrong with them.
    pub(super) fn check_operands(&mut self, process: &Process<S>, within: &mut Within<'_, '_, '_, S>) {
        match process {
            Process::Constant(_) | Process::Array { .. } | Process::Anything(_) => {}
            Process::Prefix { .. } | Process::Choice(_) => {
                let term = self.sequential(process, within);
                self.leaves.insert(std::ptr::from_ref(process).addr(), term);
            }
            Process::Cooperation { first, rest } => {
                self.check_operands(first, within);
                for (_, operand) in rest {
                    self.check_operands(operand, within);
                }
            }
            Process::Hiding { of, .. } => self.check_operands(of, within),
        }
    }

    /// The term of something that was reported in a definition.
    pub(super) fn broken(&mut self, within: usize) -> LocalStateId {
        if let Some(flag) = self.is_broken.get_mut(within) {
            *flag = true;
        }
        self.broken_term()
    }

    /// Reports a process that is not sequential where it has to be.
    fn not_sequential(&mut self, process: &Process<S>, within: &mut Within<'_, '_, '_, S>) -> LocalStateId {
        let Within { id: within, names, growth, findings } = within;
        let mut inside = Vec::new();
        process.for_each_constant(&mut |name| {
            if let Some(Symbol::Process(id)) = names.get(&name.text) {
                inside.push(id);
            }
        });
        let grows = inside.iter().any(|&id| growth.returns(id, *within, names));
        let composed = match process {
            Process::Constant(name) => format!("`{}`, which composes components,", name.text),
            Process::Hiding { .. } => "a component with hidden actions".into(),
            Process::Array { .. } => "an array of components".into(),
            _ => "a composition of components".into(),
        };
        let diagnostic = if grows {
            let name = names.process_name(*within).text;
            Diagnostic::new(
                Code::UnboundedGrowth,
                process.span(),
                format!("`{name}` grows without end: {composed} stands behind an activity or in a choice, and comes back to `{name}`"),
            )
            .help("each round would wrap the component once more; compose and hide in the system equation instead")
        } else {
            Diagnostic::new(
                Code::NotSequential,
                process.span(),
                format!("{composed} stands behind an activity or in a choice"),
            )
            .help("only sequential processes (activities, `+` and their names) may stand there; compose in the system equation")
        };
        let related = match process {
            Process::Constant(name) => names.get(&name.text).and_then(|symbol| match symbol {
                Symbol::Process(id) => Some(names.process_name(id).at.0),
                Symbol::Rate(_) => None,
            }),
            _ => None,
        };
        findings.push(match related {
            Some(place) => diagnostic.related(place, "defined as a composition here"),
            None => diagnostic,
        });
        self.broken(*within)
    }
}
