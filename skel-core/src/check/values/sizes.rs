//! Sizes: from the written numbers of copies to expressions over the model's parameters, and their values.
//!
//! A number of copies that Rust gives when the program runs is checked then. Until then, one copy stands for
//! as many: an array can do the same with any number of copies.

use std::collections::HashMap;

use num_traits::Zero;

use super::rates::Rates;
use crate::check::findings::Findings;
use crate::check::names::{Names, Symbol};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::number::display_ratio;
use crate::rate::RateExpression;
use crate::size::{SizeProblem, copies};
use crate::syntax::ast::{Ast, Expression, Name};

/// A number of copies.
#[derive(Clone)]
pub(in crate::check) struct Count {
    pub(in crate::check) expression: RateExpression,
    pub(in crate::check) copies: u32,
    /// As it stands in the text.
    pub(in crate::check) written: String,
}

/// The numbers of copies of all arrays, by the address of what was written; none where it is wrong.
pub(in crate::check) struct Counts(HashMap<usize, Count>);

impl Counts {
    /// The number of copies that was written so, unless it has been reported what is wrong with it.
    pub(in crate::check) fn get<S>(&self, written: &Expression<S>) -> Option<&Count> {
        self.0.get(&address(written))
    }
}

fn address<S>(written: &Expression<S>) -> usize {
    std::ptr::from_ref(written).addr()
}

/// Lowers and evaluates the number of copies of every array.
pub(in crate::check) fn lower<S: Span>(
    ast: &Ast<S>,
    names: &Names<'_, S>,
    rates: &mut Rates<S>,
    findings: &mut Findings<'_, S>,
) -> Counts {
    let mut counts = HashMap::new();
    let processes = names.processes.iter().filter_map(|definition| definition.tree);
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

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            ("n = 2; P = (a, 1).P; P[n]", &[]),
            ("n = 2; P = (a, n).P; P[2 * n - 1]", &[]),
            ("m = 2; n = m; P = (a, 1).P; P[n]", &[]),
            ("n = 1; P = (a, 1).P; P[n, {a}]", &[]),
            (
                "n = 1; P = (a, 1).P; P[n, {b}]",
                &["neither_side `b`: neither side of this cooperation can ever do `b`"],
            ),
            (
                "n = 2; P = (a, 1).P; P[n, {b}]",
                &["neither_side `b`: neither side of this cooperation can ever do `b`"],
            ),
            ("P = (a, 1).P; P[n]", &["undefined_size `n`: the size `n` is not defined"]),
            ("P = (a, 1).P; P[P]", &["wrong_kind `P`: `P` is a process, but a size is needed here"]),
            ("n = 0; P = (a, 1).P; P[n]", &["bad_size `n`: the size `n` is 0"]),
            ("n = -1; P = (a, 1).P; P[n]", &["bad_size `n`: the size `n` is -1, which is negative"]),
            (
                "n = 0.5; P = (a, 1).P; P[n]",
                &["bad_size `n`: the size `n` is 0.5, which is not a whole number"],
            ),
            (
                "n = 0.5; P = (a, 1).P; P[2 * n]",
                &["bad_size `n`: the size `n` is 0.5, which is not a whole number"],
            ),
            (
                "n = 3; P = (a, 1).P; P[n / 2]",
                &["bad_size `n / 2`: the size `n / 2` is 1.5, which is not a whole number"],
            ),
            ("n = 3; P = (a, 1).P; P[n - 3]", &["bad_size `n - 3`: the size `n - 3` is 0"]),
            (
                "n = 1; P = (a, 1).P; P[1 / (n - 1)]",
                &["division_by_zero `1 / (n - 1`: the size `1 / (n - 1)` divides by zero"],
            ),
            ("P = (a, 1).P; P[2.5]", &["bad_size `2.5`: the size is 2.5, which is not a whole number"]),
            ("P = (a, 1).P; P[-2]", &["bad_size `-`: the size is -2, which is negative"]),
            (
                "n = 2000001; P = (a, 1).P; P[n]",
                &["system_too_large `n`: the size `n` is 2000001, more than the limit of 2000000"],
            ),
            (
                "n = 1200000; P = (a, 1).P; P[n] || P[n]",
                &["system_too_large `P[n]`: the system has more than 2000000 components"],
            ),
            ("n = infty; P = (a, 1).P; P[n]", &["passive_arithmetic `infty`: the size `n` is passive"]),
            ("P = (a, 1).P; P[infty]", &["passive_arithmetic `infty`: `infty` is no number of copies"]),
            (
                "n = m; m = n; P = (a, 1).P; P[n]",
                &["circular_rate `n`: the sizes `n`, `m` are defined by one another"],
            ),
            ("n = n; P = (a, 1).P; P[n]", &["circular_rate `n`: the size `n` is defined by itself"]),
            ("n = 2; P = (a, 1).P; R = P[m]; P[n]", &["undefined_size `m`: the size `m` is not defined"]),
        ]);
    }

    #[test]
    fn patterns_name_no_copies() {
        models(&[
            ("n = 2; P = (a, 1).P; Q = (b, 1).Q; P[n] || Q; x = {** || Q};", &[]),
            (
                "n = 2; P = (a, 1).P; Q = (b, 1).Q; P[n] || (Q || Q); x = {** || Q || **}; y = {** || (Q || **)};",
                &[],
            ),
            ("n = 2; P = (a, 1).P; P[n]; x = {**};", &[]),
            (
                "n = 1; P = (a, 1).P; P[n]; x = {P};",
                &["pattern_shape `P`: the pattern names a copy of `P[n]`, and how many there are may change"],
            ),
            (
                "n = 2; P = (a, 1).P; Q = (b, 1).Q; P[n] || Q; x = {(P || **) || Q};",
                &[
                    "pattern_shape `P || *`: the pattern names a copy of `P[n]`, and how many there are may change",
                ],
            ),
            (
                "n = 2; P = (a, 1).P; Q = (b, 1).Q; P[n] || Q; x = {P || ** || Q};",
                &["pattern_shape `P || ** || Q`: the pattern has 3 entries where the system equation has 2"],
            ),
        ]);
    }
}
