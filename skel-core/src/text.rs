//! The text door: from a `.pepa` text to a model and everything that is to be said about the text.

use crate::check::{self, Checked};
use crate::diagnostic::{Diagnostic, TextSpan, line_and_column, sort_by_place};
use crate::model::Model;
use crate::syntax::ast::Ast;
use crate::syntax::directive::Requests;
use crate::syntax::lex::lex;
use crate::syntax::parse::parse as parse_tokens;

/// What became of a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What was read, as far as it could be.
    pub ast: Ast<TextSpan>,
    /// The model, unless there are errors.
    pub model: Option<Model>,
    /// Everything found, errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic<TextSpan>>,
    /// What the text asks of its checking.
    pub requests: Requests<TextSpan>,
    text: String,
}

/// Lexes, parses and checks a text. Never panics; the cost is about linear in the text.
///
/// # Examples
/// ```
/// let parsed = skel_core::text::parse("P = (a, r).P; P");
/// assert_eq!(parsed.diagnostics[0].message, "the rate `r` is not defined");
/// assert_eq!(parsed.diagnostics[0].span.start, 8);
/// ```
#[must_use]
pub fn parse(text: &str) -> Parsed {
    parse_with(text, Requests::default())
}

/// As [`parse`], with requests in addition to those of the text.
#[must_use]
pub fn parse_with(text: &str, mut requests: Requests<TextSpan>) -> Parsed {
    let lexed = lex(text);
    let mut diagnostics = lexed.diagnostics;
    diagnostics.extend(requests.read(&lexed.directives));
    let end = TextSpan { start: text.trim_end().len(), end: text.trim_end().len() };
    let (ast, syntax_errors) = parse_tokens(&lexed.tokens, end);
    let readable = diagnostics.is_empty() && syntax_errors.is_empty();
    diagnostics.extend(syntax_errors);
    let Checked { model, diagnostics: findings, .. } = check::check(&ast, &requests, readable);
    diagnostics.extend(findings);
    sort_by_place(&mut diagnostics);
    Parsed { ast, model, diagnostics, requests, text: text.to_owned() }
}

impl Parsed {
    /// The model, or what is wrong with the text.
    ///
    /// # Errors
    /// All diagnostics, if one of them is an error.
    pub fn into_model(self) -> Result<Model, Rejected> {
        match self.model {
            Some(model) => Ok(model),
            None => Err(Rejected::new(self.diagnostics, self.text)),
        }
    }
}

/// A text that is no model or no skeleton, with everything that is wrong with it.
#[derive(Clone, Debug)]
pub struct Rejected {
    diagnostics: Vec<Diagnostic<TextSpan>>,
    text: String,
}

impl Rejected {
    pub(crate) fn new(diagnostics: Vec<Diagnostic<TextSpan>>, text: String) -> Self {
        Rejected { diagnostics, text }
    }

    /// Everything found, in the order of the text.
    pub fn diagnostics(&self) -> &[Diagnostic<TextSpan>] {
        &self.diagnostics
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl std::fmt::Display for Rejected {
    /// A line for each error: `line:column: message; help: ...`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let errors = self.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
        for (index, diagnostic) in errors.enumerate() {
            let (line, column) = line_and_column(&self.text, diagnostic.span.start);
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{line}:{column}: {diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Rejected {}
