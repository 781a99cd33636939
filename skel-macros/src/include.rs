//! `include_pepa!`: a model from a `.pepa` file, as an item or as an expression.

use std::path::{Path, PathBuf};

use proc_macro2::{Span, TokenStream, TokenTree};

use skel_core::diagnostic::{Diagnostic, line_and_column};
use skel_core::syntax::directive::Requests;
use skel_core::text::parse_with;

use crate::generate::{Source, expansion};
use crate::head::{Head, is_symbol};
use crate::literal::Value;
use crate::report::{Unreadable, report};

/// Expands a call. Reads the file, and has cargo rebuild when it changes.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let (mut head, rest) = match Head::before(input, "model") {
        Ok(parts) => parts,
        Err(unreadable) => return unreadable.report(),
    };
    let Some((shown, place)) = path_in(&rest, head.item.is_some()) else {
        let at = rest.first().map_or_else(Span::call_site, TokenTree::span);
        let help = "write include_pepa!(\"file.pepa\") or include_pepa!(pub model Name = \"file.pepa\")";
        return Unreadable::new(at, format!("expected the path of a file\n  = help: {help}")).report();
    };
    let path = resolve(&shown, place);
    let text = match std::fs::read(&path).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => return failure(&shown, place, "is no UTF-8 text"),
        Err(error) => return failure(&shown, place, &format!("cannot be read: {error}")),
    };
    let requests = Requests {
        allowed: head.requests.allowed.clone(),
        max_states: head.requests.max_states,
        ..Requests::default()
    };
    let parsed = parse_with(&text, requests);
    let span = head.places.add(place);
    let mut diagnostics = std::mem::take(&mut head.diagnostics);
    for found in &parsed.diagnostics {
        let (line, column) = line_and_column(&text, found.span.start);
        diagnostics.push(Diagnostic {
            code: found.code,
            severity: found.severity,
            message: format!("{shown}:{line}:{column}: {}", found.message),
            span,
            label: String::new(),
            related: Vec::new(),
            help: found.help.clone(),
        });
    }
    let mut model = parsed.model.as_ref();
    if let Some(found) = model.map(|model| skel_core::check::explore(model, &head.requests)) {
        if found.iter().any(Diagnostic::is_error) {
            model = None;
        }
        diagnostics.extend(found);
    }
    let reports = report(&diagnostics, &head.places);
    let tracked = path.to_str().map(str::to_owned);
    let source = Source { ast: &parsed.ast, model, supplied: Vec::new(), tracked };
    expansion(&head, &source, &reports)
}

/// The path that a call names, behind the `=` of an item, and where it stands.
fn path_in(trees: &[TokenTree], is_item: bool) -> Option<(String, Span)> {
    let trees = match trees {
        [mark, rest @ ..] if is_item && is_symbol(mark, '=') => rest,
        rest if !is_item => rest,
        _ => return None,
    };
    let (TokenTree::Literal(literal), rest) = trees.split_first()? else { return None };
    let is_end = rest.is_empty() || matches!(rest, [mark] if is_symbol(mark, ';'));
    match Value::of(literal) {
        Value::Text(path) if is_end => Some((path, literal.span())),
        _ => None,
    }
}

/// A path is relative to the source file, as for `include_str!`; where the compiler cannot tell the file, or
/// the file is not there, to the package.
fn resolve(path: &str, place: Span) -> PathBuf {
    let file = if proc_macro::is_available() { place.unwrap().local_file() } else { None };
    let beside = file.and_then(|file| file.parent().map(|folder| folder.join(path)));
    if let Some(beside) = beside.filter(|beside| beside.exists()) {
        return std::path::absolute(&beside).unwrap_or(beside);
    }
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    Path::new(&package).join(path)
}

fn failure(path: &str, place: Span, problem: &str) -> TokenStream {
    let help = "the path is relative to this source file, or to the package";
    Unreadable::new(place, format!("`{path}` {problem}\n  = help: {help}")).report()
}
