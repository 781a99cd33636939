//! The static checks: from a syntax tree to a model that cannot be wrong, and all findings at once.
//!
//! | phase | what it makes | what it finds |
//! |---|---|---|
//! | `names` | rates and processes told apart | duplicate and reserved names |
//! | `rates` | expressions and exact values | undefined, circular, not positive, `infty` misplaced |
//! | `terms` | local states and their activities | unguarded recursion, choice or prefix over a composition |
//! | `system` | the tree of cooperations | sets with repeated actions, arrays of no copies |
//! | `cooperation` | | actions that a side cannot do, passive activities that nothing drives |
//! | `liveness` | | local states that no run can enter, components that can stop |
//! | `patterns` | result lines per position | patterns of another shape |
//! | `usage` | | what is defined and not used |
//! | `assemble` | the model | |
//! | `explored` | | on request: deadlocks, transient states, by exploring |
//!
//! A finding in one phase does not hide those of the next: what is broken is marked, and checks that would
//! need it are left out.

mod assemble;
mod cooperation;
mod explored;
mod findings;
mod liveness;
mod names;
mod patterns;
mod rates;
mod system;
mod terms;
mod usage;

use crate::diagnostic::{Diagnostic, Span};
use crate::model::Model;
use crate::syntax::ast::Ast;
use crate::syntax::directive::Requests;
use crate::syntax::token::RustGroup;
use findings::Findings;

/// What the checks made of a syntax tree.
#[derive(Clone, Debug)]
pub struct Checked<S> {
    /// The model, unless there are errors.
    pub model: Option<Model>,
    /// All findings, in the order of the phases.
    pub diagnostics: Vec<Diagnostic<S>>,
    /// The `{ expression }` groups of a macro call in the order of [`crate::model::ParameterDefinition::Supplied`].
    pub supplied: Vec<RustGroup>,
}

/// How well a syntax tree stands for its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// It is the whole text, which has no syntax error.
    Correct,
    /// Something was reported, so there is no model. The definitions that could not be read are named in [`Ast::unread`], and all
    /// others are in the tree: names that they use wrongly are reported as well.
    Faulty,
    /// Something was reported, and nobody knows what is missing from the tree: findings that a missing definition may cause are left out.
    Incomplete,
}

/// Checks a syntax tree.
pub fn check<S: Span>(ast: &Ast<S>, requests: &Requests<S>, syntax: Syntax) -> Checked<S> {
    let mut findings = Findings::new(&requests.allowed, syntax != Syntax::Incomplete);
    findings.is_whole &= ast.unread.is_empty();
    let names = names::collect(ast, &mut findings);
    let rates = rates::Rates::from_definitions(&names, &mut findings);
    let mut terms = terms::Terms::from_definitions(&names, rates, &mut findings);
    let system = ast.system.as_ref().map(|process| system::lower(process, &names, &mut terms, &mut findings));
    let Some(system) = system else {
        terms.rates.finish(&mut findings);
        return Checked { model: None, diagnostics: findings.list, supplied: terms.rates.supplied };
    };
    cooperation::check(&system, &terms, &mut findings);
    liveness::check(&system, &terms, &mut findings);
    let results = patterns::resolve(ast, &system, &names, &mut terms, &mut findings);
    usage::check_sets(ast, &names, &mut findings);
    terms.rates.finish(&mut findings);
    // A misspelt name leaves the name that was meant unused: that is no second finding.
    if syntax == Syntax::Correct && !findings.list.iter().any(Diagnostic::is_error) {
        usage::check_used(ast, &names, &terms, &mut findings);
    }
    let has_errors = syntax != Syntax::Correct || findings.list.iter().any(Diagnostic::is_error);
    let supplied = terms.rates.supplied.clone();
    let model = (!has_errors).then(|| assemble::assemble(system, terms, results));
    if let Some(model) = &model {
        findings.list.extend(explore(model, requests));
    }
    let has_errors = findings.list.iter().any(Diagnostic::is_error);
    Checked { model: model.filter(|_| !has_errors), diagnostics: findings.list, supplied }
}

/// The checks on request alone, on a model that has passed the others: deadlocks, transient states, by
/// exploring with the reference semantics.
pub fn explore<S: Span>(model: &Model, requests: &Requests<S>) -> Vec<Diagnostic<S>> {
    let mut findings = Findings::new(&requests.allowed, true);
    explored::check(model, requests, &mut findings);
    findings.list
}
