//! Result lines: patterns of the shape of the system equation, resolved to local states per position.
//!
//! A pattern repeats the brackets of the system equation. `**` stands for whatever is in its place, a single
//! component or a whole bracket; the operators between are not compared, so that `||` will do. A pattern
//! without brackets that has one entry for every component is taken too. An array whose size has a name is
//! one part of either form: its number of copies may change, so that `**` alone can stand for it.

use std::collections::HashMap;

use super::findings::Findings;
use super::names::{Names, Symbol};
use super::system::{Shape, System};
use super::terms::Terms;
use crate::diagnostic::{Code, Diagnostic, Span, did_you_mean};
use crate::model::{LocalStateId, Position, ResultLine};
use crate::rate::RateExpression;
use crate::syntax::ast::{Ast, Process, ResultLine as WrittenResult};

/// A result line in terms of the checker's local states.
pub(super) struct ResolvedResult {
    name: String,
    factor: Option<RateExpression>,
    pattern: Vec<Option<LocalStateId>>,
}

impl ResolvedResult {
    pub(super) fn renumber(self, number: &[LocalStateId]) -> ResultLine {
        let pattern =
            self.pattern.into_iter().map(|state| state.map(|state| number[state.index()])).collect();
        ResultLine { name: self.name, factor: self.factor, pattern }
    }
}

pub(super) fn resolve<'a, S: Span>(
    ast: &'a Ast<S>,
    system: &System<'a, S>,
    names: &Names<'a, S>,
    terms: &mut Terms<'a, S>,
    findings: &mut Findings<'_, S>,
) -> Vec<ResolvedResult> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut results = Vec::new();
    for (at, written) in ast.results.iter().enumerate() {
        let name = &written.name;
        if let Some(&first) = seen.get(name.text.as_str()) {
            let message = format!("the result `{}` is defined twice", name.text);
            findings.push(
                Diagnostic::new(Code::DuplicateDefinition, name.at.0, message)
                    .related(ast.results[first].name.at.0, "first defined here")
                    .help("give one of the two another name"),
            );
            continue;
        }
        seen.insert(&name.text, at);
        let factor = written.factor.as_ref().and_then(|factor| terms.rates.factor(factor, names, findings));
        let mut matcher = Matcher {
            system,
            names,
            terms,
            findings,
            pattern: vec![None; system.leaves.len()],
            written,
            is_misshapen: false,
        };
        if !system.is_broken.last().copied().unwrap_or(true) && matcher.result() {
            let pattern = matcher.pattern;
            results.push(ResolvedResult { name: name.text.clone(), factor, pattern });
        }
    }
    results
}

struct Matcher<'m, 'a, 'f, S> {
    system: &'m System<'a, S>,
    names: &'m Names<'a, S>,
    terms: &'m mut Terms<'a, S>,
    findings: &'m mut Findings<'f, S>,
    pattern: Vec<Option<LocalStateId>>,
    written: &'a WrittenResult<S>,
    /// Whether another shape was reported: it is one fault, however often it shows.
    is_misshapen: bool,
}

impl<S: Span> Matcher<'_, '_, '_, S> {
    /// Whether the pattern could be resolved.
    fn result(&mut self) -> bool {
        let written = self.written;
        let flat = written.pattern.entries();
        let has_brackets = flat.len() > operands(&written.pattern).len();
        let parts = parts(&self.system.shape);
        if !has_brackets && flat.len() > 1 && flat.len() == parts.len() {
            let mut outcome = true;
            for (entry, part) in flat.into_iter().zip(parts) {
                outcome &= self.shape(entry, part);
            }
            return outcome;
        }
        if has_brackets && flat.len() == parts.len() && !fits(&written.pattern, &self.system.shape) {
            return self.other_brackets();
        }
        self.shape(&written.pattern, &self.system.shape)
    }

    /// Reports a pattern with an entry for every component, but in other groups.
    fn other_brackets(&mut self) -> bool {
        let help = format!(
            "repeat the brackets of the system equation, `{}`, or write the entries without brackets",
            self.template()
        );
        let message = "the brackets of the pattern are not those of the system equation";
        let span = self.written.pattern.span();
        self.findings.push(Diagnostic::new(Code::PatternShape, span, message).help(help));
        false
    }

    fn shape(&mut self, written: &Process<S>, shape: &Shape) -> bool {
        match (written, shape) {
            (Process::Anything(_), _) => true,
            (Process::Hiding { of, .. }, _) => self.shape(of, shape),
            (Process::Cooperation { .. }, Shape::Variable(array)) => self.copy_of_variable(written, array),
            (Process::Cooperation { .. }, Shape::Large(array)) => self.copy_of_large(written, array),
            (Process::Cooperation { .. }, Shape::Group(shapes)) => {
                let written_operands = operands(written);
                if written_operands.len() != shapes.len() {
                    return self.mismatch(written, written_operands.len(), shapes.len());
                }
                let mut outcome = true;
                for (operand, shape) in written_operands.into_iter().zip(shapes) {
                    outcome &= self.shape(operand, shape);
                }
                outcome
            }
            (Process::Cooperation { .. }, Shape::One(_)) => {
                self.mismatch(written, operands(written).len(), 1)
            }
            (Process::Array { .. }, _) => {
                let message = format!("`{written}` cannot stand in a pattern");
                self.findings
                    .push(Diagnostic::new(Code::PatternShape, written.span(), message).help(
                        "write an entry for each copy, `(P || ** || **)`, or `**` for the whole array",
                    ));
                false
            }
            (_, Shape::Variable(array)) => self.copy_of_variable(written, array),
            (_, Shape::Large(array)) => self.copy_of_large(written, array),
            (_, Shape::Group(shapes)) => self.mismatch(written, 1, shapes.len()),
            (_, Shape::One(position)) => self.entry(written, *position),
        }
    }

    /// Reports an entry for a copy of an array that may come to have fewer.
    fn copy_of_variable(&mut self, written: &Process<S>, array: &str) -> bool {
        let message = format!("the pattern names a copy of `{array}`, and how many there are may change");
        let help = "write `**` for the whole array, or give the array a number in place of the name";
        self.findings.push(Diagnostic::new(Code::PatternShape, written.span(), message).help(help));
        false
    }

    /// Reports an entry for a copy of an array that has too many of them.
    fn copy_of_large(&mut self, written: &Process<S>, array: &str) -> bool {
        let message = format!("the pattern names a copy of `{array}`, which has too many of them");
        let help = "write `**` for the whole array";
        self.findings.push(Diagnostic::new(Code::PatternShape, written.span(), message).help(help));
        false
    }

    fn mismatch(&mut self, written: &Process<S>, found: usize, expected: usize) -> bool {
        let entries = if found == 1 { "one entry".into() } else { format!("{found} entries") };
        let message = format!("the pattern has {entries} where the system equation has {expected}");
        let help = format!(
            "repeat the shape of the system equation, with `**` for what may be anything: `{}`",
            self.template()
        );
        if !std::mem::replace(&mut self.is_misshapen, true) {
            self.findings.push(Diagnostic::new(Code::PatternShape, written.span(), message).help(help));
        }
        false
    }

    /// The shape of the system as a pattern of `**`, cut where it is long.
    fn template(&self) -> String {
        fn write(shape: &Shape, text: &mut String, at_top: bool) {
            const LONGEST: usize = 100;
            match shape {
                Shape::One(_) | Shape::Variable(_) | Shape::Large(_) => text.push_str("**"),
                Shape::Group(shapes) => {
                    text.push_str(if at_top { "" } else { "(" });
                    for (index, shape) in shapes.iter().enumerate() {
                        text.push_str(if index == 0 { "" } else { " || " });
                        if text.len() > LONGEST {
                            text.push_str("...");
                            break;
                        }
                        write(shape, text, false);
                    }
                    text.push_str(if at_top { "" } else { ")" });
                }
            }
        }
        let mut text = String::new();
        write(&self.system.shape, &mut text, true);
        text
    }

    /// One entry against one position: a local state of its component, or `**`.
    fn entry(&mut self, written: &Process<S>, position: Position) -> bool {
        let component = &self.system.components[self.system.leaves[position.index()].index()];
        match written {
            Process::Anything(_) => return true,
            Process::Hiding { of, .. } => return self.entry(of, position),
            Process::Array { .. } | Process::Cooperation { .. } => {
                return self.mismatch(written, 2, 1);
            }
            Process::Constant(_) | Process::Prefix { .. } | Process::Choice(_) => {}
        }
        if !self.actions_exist(written) {
            return false;
        }
        let known_terms = self.terms.len();
        let errors_before = self.findings.list.len();
        let term = self.terms.leaf(written, self.names, self.findings);
        if self.findings.list.len() > errors_before {
            return false;
        }
        if term.index() < known_terms && component.local_states.binary_search(&term).is_ok() {
            self.pattern[position.index()] = Some(term);
            return true;
        }
        const MOST_LISTED: usize = 6;
        let initial = std::iter::once(component.initial);
        let others = component.local_states.iter().copied().filter(|&state| state != component.initial);
        let states: Vec<String> =
            initial.chain(others).take(MOST_LISTED).map(|state| self.terms.name(state)).collect();
        let more = if component.local_states.len() > states.len() { ", ..." } else { "" };
        let near = did_you_mean(&self.terms.name(term), states.iter().map(String::as_str));
        let name = self.terms.name(component.initial);
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("`{name}` has the local states `{}`{more}", states.join("`, `")),
        };
        let message = format!("`{written}` is not a local state of `{name}`, so the pattern never matches");
        self.findings.push(Diagnostic::new(Code::PatternNeverMatches, written.span(), message).help(help));
        false
    }

    /// Reports every action of an entry that nothing in the model does.
    fn actions_exist(&mut self, written: &Process<S>) -> bool {
        match written {
            Process::Prefix { activities, then } => {
                let mut outcome = true;
                for activity in activities {
                    let name = &activity.action;
                    if self.terms.action_named(&name.text).is_some() {
                        continue;
                    }
                    outcome = false;
                    let message = format!("the action `{}` is not defined: nothing does it", name.text);
                    let near = did_you_mean(&name.text, self.terms.actions.iter().map(String::as_str));
                    let help = match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "use an action that a component does".into(),
                    };
                    self.findings.push(Diagnostic::new(Code::UndefinedAction, name.at.0, message).help(help));
                }
                self.actions_exist(then) && outcome
            }
            Process::Choice(operands) => {
                let unknown = operands.iter().filter(|operand| !self.actions_exist(operand)).count();
                unknown == 0
            }
            Process::Constant(name) => match self.names.get(&name.text) {
                Some(Symbol::Process(_)) => true,
                _ => self.names.process(name, self.findings).is_some(),
            },
            _ => true,
        }
    }
}

/// What has an entry of its own in a pattern without brackets: each component, and each array of variable
/// size.
fn parts(shape: &Shape) -> Vec<&Shape> {
    match shape {
        Shape::One(_) | Shape::Variable(_) | Shape::Large(_) => vec![shape],
        Shape::Group(shapes) => shapes.iter().flat_map(parts).collect(),
    }
}

/// Whether a pattern has the groups of the system equation.
fn fits<S>(written: &Process<S>, shape: &Shape) -> bool {
    match (written, shape) {
        (Process::Anything(_), _) => true,
        (Process::Hiding { of, .. }, _) => fits(of, shape),
        (Process::Cooperation { .. }, Shape::Group(shapes)) => {
            let operands = operands(written);
            operands.len() == shapes.len()
                && operands.into_iter().zip(shapes).all(|(operand, shape)| fits(operand, shape))
        }
        (Process::Cooperation { .. }, Shape::One(_)) => false,
        (_, shape) => matches!(shape, Shape::One(_) | Shape::Variable(_) | Shape::Large(_)),
    }
}

/// The operands of a chain of cooperations; anything else is one operand.
fn operands<S>(process: &Process<S>) -> Vec<&Process<S>> {
    match process {
        Process::Cooperation { first, rest } => {
            std::iter::once(&**first).chain(rest.iter().map(|(_, operand)| operand)).collect()
        }
        Process::Hiding { of, .. } => operands(of),
        other => vec![other],
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            (
                "P = (a, 1).P; P || P; x = {P};",
                &["pattern_shape `P`: the pattern has one entry where the system equation has 2"],
            ),
            (
                "P = (a, 1).P; P || P; x = {P || P || P};",
                &["pattern_shape `P || P || P`: the pattern has 3 entries where the system equation has 2"],
            ),
            (
                "P = (a, 1).P; (P || P) || P; x = {P || (P || P)};",
                &[
                    "pattern_shape `P || (P || P`: the brackets of the pattern are not those of the system equation",
                ],
            ),
            (
                "P = (a, 1).P; P; x = {P || P};",
                &["pattern_shape `P || P`: the pattern has 2 entries where the system equation has 1"],
            ),
            ("P = (a, 1).P; P[3]; x = {P[3]};", &["pattern_shape `P[3]`: `P[3]` cannot stand in a pattern"]),
            (
                "P = (go, 1).Q; Q = (back, 1).P; R = (c, 1).R; P || R; x = {R || **};",
                &["pattern_never_matches `R`: `R` is not a local state of `P`, so the pattern never matches"],
            ),
            (
                "Idle = (go, 1).Busy; Busy = (back, 1).Idle; Idle || Idle; x = {Buzy || **};",
                &["undefined_process `Buzy`: the process `Buzy` is not defined"],
            ),
            (
                "P = (go, 1).(back, 1).P; P; x = {(bcak, 1).P};",
                &["undefined_action `bcak`: the action `bcak` is not defined: nothing does it"],
            ),
            (
                "P = (a, 1).P; P; x = {P}; x = {**};",
                &["duplicate_definition `x`: the result `x` is defined twice"],
            ),
            ("P = (a, 1).P; P || P; x = 2 * {P || **}; y = {(P || **)};", &[]),
        ]);
    }
}
