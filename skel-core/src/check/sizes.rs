//! Sizes: from the written numbers of copies to expressions over the model's parameters, and their values.
//!
//! A number of copies that Rust gives when the program runs is checked then. Until then, one copy stands for as many: an array can
//! do the same with any number of copies.

use std::collections::HashMap;

use num_traits::Zero;

use super::findings::Findings;
use super::names::{Names, Symbol};
use super::rates::Rates;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::number::display_ratio;
use crate::rate::RateExpression;
use crate::size::{SizeProblem, copies};
use crate::syntax::ast::{Ast, Expression, Name};

/// A number of copies.
#[derive(Clone)]
pub(super) struct Count {
    pub(super) expression: RateExpression,
    pub(super) copies: u32,
    /// As it stands in the text.
    pub(super) written: String,
}

/// The numbers of copies of all arrays, by the address of what was written; none where it is wrong.
pub(super) struct Counts(HashMap<usize, Count>);

impl Counts {
    /// The number of copies that was written so, unless it has been reported what is wrong with it.
    pub(super) fn get<S>(&self, written: &Expression<S>) -> Option<&Count> {
        self.0.get(&address(written))
    }
}

fn address<S>(written: &Expression<S>) -> usize {
    std::ptr::from_ref(written).addr()
}

/// Lowers and evaluates the number of copies of every array.
pub(super) fn lower<S: Span>(
    ast: &Ast<S>,
    names: &Names<'_, S>,
    rates: &mut Rates<S>,
    findings: &mut Findings<'_, S>,
) -> Counts {
    let mut counts = HashMap::new();
    let processes = names.processes.iter().map(|definition| definition.body);
    for process in processes.chain(&ast.system) {
        process.for_each_array(&mut |of, written| {
            if let Some(count) = count(of, written, names, rates, findings) {
                counts.insert(address(written), count);
            }
        });
    }
    Counts(counts)
}

fn count<S: Span>(
    of: &Name<S>,
    written: &Expression<S>,
    names: &Names<'_, S>,
    rates: &mut Rates<S>,
    findings: &mut Findings<'_, S>,
) -> Option<Count> {
    let expression = rates.count(written, names, findings)?;
    let value = rates.value(&expression).map_err(SizeProblem::from);
    let copies = match value.and_then(copies) {
        Ok(copies) => copies,
        Err(_) if rates.is_open(&expression) => 1,
        Err(problem) => {
            match written {
                Expression::Number(zero, at) if zero.is_zero() => findings.push(empty(of, at.0)),
                _ => report(&problem, written, names, findings),
            }
            return None;
        }
    };
    Some(Count { expression, copies, written: written.to_string() })
}

fn report<S: Span>(
    problem: &SizeProblem,
    written: &Expression<S>,
    names: &Names<'_, S>,
    findings: &mut Findings<'_, S>,
) {
    let subject = match written {
        Expression::Number(value, _) => display_ratio(value),
        _ => written.to_string(),
    };
    let Some((code, message, help)) = problem.explain(&format!("`{subject}`")) else { return };
    let mut finding = Diagnostic::new(code, written.span(), message).help(help);
    if let Expression::Name(name) = written
        && let Some(Symbol::Rate(id)) = names.get(&name.text)
    {
        finding = finding.related(names.rates[id].name.at.0, "defined here");
    }
    findings.push(finding);
}

fn empty<S: Span>(of: &Name<S>, at: S) -> Diagnostic<S> {
    Diagnostic::new(Code::EmptyArray, at, format!("the array `{of}[0]` has no copies"))
        .help("write at least 1, or leave the component out")
}
