//! `include_pepa!`: a model from a `.pepa` file, as an item or as an expression.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Token};

use skel_core::diagnostic::{Diagnostic, line_and_column};
use skel_core::syntax::directive::Requests;
use skel_core::text::parse_with;

use crate::generate::{Source, expansion};
use crate::head::Head;
use crate::report::report;

/// Expands a call. Reads the file, and has cargo rebuild when it changes.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let parser = |input: ParseStream<'_>| {
        let head = Head::before(input, "model")?;
        if head.item.is_some() {
            input.parse::<Token![=]>()?;
        }
        let path: LitStr = input.parse()?;
        input.parse::<Option<Token![;]>>()?;
        Ok((head, path))
    };
    let (mut head, literal) = match parser.parse2(input) {
        Ok(parts) => parts,
        Err(error) => {
            let help = "write include_pepa!(\"file.pepa\") or include_pepa!(pub model Name = \"file.pepa\")";
            return syn::Error::new(error.span(), format!("{error}\n  = help: {help}")).to_compile_error();
        }
    };
    let path = resolve(&literal);
    let text = match std::fs::read(&path).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(_)) => return failure(&literal, "is no UTF-8 text"),
        Err(error) => return failure(&literal, &format!("cannot be read: {error}")),
    };
    let requests = Requests {
        allowed: head.requests.allowed.clone(),
        max_states: head.requests.max_states,
        ..Requests::default()
    };
    let parsed = parse_with(&text, requests);
    let shown = literal.value();
    let span = head.places.add(literal.span());
    head.refuse_parameters();
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
    let source = Source { ast: &parsed.ast(), model, supplied: Vec::new(), docs: &HashMap::new(), tracked };
    expansion(&head, &source, &reports)
}

/// A path is relative to the source file, as for `include_str!`; where the compiler cannot tell the file, or
/// the file is not there, to the package.
fn resolve(literal: &LitStr) -> PathBuf {
    let path = literal.value();
    let file = if proc_macro::is_available() { literal.span().unwrap().local_file() } else { None };
    let beside = file.and_then(|file| file.parent().map(|folder| folder.join(&path)));
    if let Some(beside) = beside.filter(|beside| beside.exists()) {
        return std::path::absolute(&beside).unwrap_or(beside);
    }
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    Path::new(&package).join(&path)
}

fn failure(literal: &LitStr, problem: &str) -> TokenStream {
    let message = format!("`{}` {problem}", literal.value());
    let help = "the path is relative to this source file, or to the package";
    syn::Error::new(literal.span(), format!("{message}\n  = help: {help}")).to_compile_error()
}
