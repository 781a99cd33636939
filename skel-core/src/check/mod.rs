//! The static checks: from a syntax tree to a model that cannot be wrong, and all findings at once.
//!
//! | phase | what it makes | what it finds |
//! |---|---|---|
//! | `names` | rates and processes told apart | duplicate and reserved names |
//! | `values::rates` | expressions and exact values | undefined, circular, not positive, `infty` misplaced |
//! | `values::sizes` | the number of copies of each array | sizes that are undefined, or no whole number of at least 1 |
//! | `terms` | local states and their activities | unguarded recursion, choice or prefix over a composition |
//! | `system` | the tree of cooperations | more components than the limit |
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
mod system;
mod terms;
mod usage;
mod values;

use crate::diagnostic::{Diagnostic, Span, TextSpan};
use crate::model::{BuildError, BuildErrors, Model};
use crate::syntax::ast::Ast;
use crate::syntax::directive::Requests;
use crate::syntax::outline::Outline;
use crate::syntax::token::RustGroup;
use findings::Findings;
pub(crate) use terms::{MOST_ACTIVITIES, too_many_activities};
use values::{rates, sizes};

/// What the checks made of a syntax tree.
#[derive(Clone, Debug)]
pub struct Checked<S> {
    /// The model, unless there are errors.
    pub model: Option<Model>,
    /// All findings, in the order of the phases.
    pub diagnostics: Vec<Diagnostic<S>>,
    /// The `{ expression }` groups of a macro call in the order of
    /// [`crate::model::ParameterDefinition::Supplied`].
    pub supplied: Vec<RustGroup>,
}

/// How well a syntax tree stands for its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// It is the whole text, which has no syntax error.
    Correct,
    /// Something was reported, so there is no model. The definitions that could not be read are named in
    /// [`Ast::unread`], and all others are in the tree: names that they use wrongly are reported as well.
    Faulty,
    /// Something was reported, and nobody knows what is missing from the tree: findings that a missing
    /// definition may cause are left out.
    Incomplete,
}

/// Checks a syntax tree, and explores the model where that is asked for.
pub fn check<S: Span>(ast: &Ast<S>, requests: &Requests<S>, syntax: Syntax) -> Checked<S> {
    let mut checked = check_without_exploring(ast, requests, syntax);
    if let Some(model) = &checked.model {
        checked.diagnostics.extend(explore(model, requests));
    }
    let has_errors = checked.diagnostics.iter().any(Diagnostic::is_error);
    checked.model = checked.model.filter(|_| !has_errors);
    checked
}

/// As [`check`], without the checks on request, which explore.
pub fn check_without_exploring<S: Span>(ast: &Ast<S>, requests: &Requests<S>, syntax: Syntax) -> Checked<S> {
    check_outlined(ast, Outline::of_trees(&ast.definitions), requests, syntax)
}

/// As [`check_without_exploring`], with the definitions of an outline, some of which may be in the tree.
pub(crate) fn check_outlined<'a, S: Span>(
    ast: &'a Ast<S>,
    mut outline: Outline<'a, S>,
    requests: &Requests<S>,
    syntax: Syntax,
) -> Checked<S> {
    for unread in &ast.unread {
        outline.names.number(unread);
    }
    let outline = &outline;
    let mut findings = Findings::new(&requests.allowed, syntax != Syntax::Incomplete);
    findings.is_whole &= ast.unread.is_empty();
    let names = names::collect(ast, outline, &mut findings);
    let mut rates = rates::Rates::from_definitions(&names, &mut findings);
    let counts = sizes::lower(ast, &names, &mut rates, &mut findings);
    let mut terms = terms::Terms::from_definitions(&names, rates, &mut findings);
    let system = ast.system.as_ref();
    let system = system.map(|process| system::lower(process, &names, &counts, &mut terms, &mut findings));
    let Some(system) = system else {
        terms.rates.finish(&mut findings);
        return Checked { model: None, diagnostics: findings.list, supplied: terms.rates.supplied };
    };
    cooperation::check(&system, &terms, &names, &mut findings);
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
    Checked { model, diagnostics: findings.list, supplied }
}

impl Model {
    /// The model of a syntax tree that a program made. Its warnings are not told.
    ///
    /// # Errors
    /// Everything that is wrong with the tree.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// let parsed = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P");
    /// assert_eq!(Model::from_ast(&parsed.ast()).ok(), parsed.model);
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn from_ast(ast: &Ast<TextSpan>) -> Result<Model, BuildErrors> {
        let checked = check(ast, &Requests::default(), Syntax::Correct);
        checked.model.ok_or_else(|| {
            let errors = checked.diagnostics.into_iter().filter(Diagnostic::is_error);
            let error = |found: Diagnostic<TextSpan>| BuildError {
                code: found.code,
                message: found.message,
                help: found.help.unwrap_or_default(),
            };
            BuildErrors(errors.map(error).collect())
        })
    }
}

/// The checks on request alone, on a model that has passed the others: deadlocks, transient states, by
/// exploring with the reference semantics.
pub fn explore<S: Span>(model: &Model, requests: &Requests<S>) -> Vec<Diagnostic<S>> {
    let mut findings = Findings::new(&requests.allowed, true);
    explored::check(model, requests, &mut findings);
    findings.list
}
