//! `pepa!`: a model in Rust tokens, as an item or as an expression.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};

use skel_core::check::check;
use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::syntax::parse::parse;

use crate::generate::{Source, expansion};
use crate::head::{Head, body};
use crate::lex::lex;
use crate::report::report;

/// Expands a call; a pure function of its tokens.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let parser = |input: ParseStream<'_>| Ok((Head::before(input, "model")?, input.parse::<TokenStream>()?));
    let (mut head, rest) = match parser.parse2(input) {
        Ok(parts) => parts,
        Err(error) => return error.to_compile_error(),
    };
    let (body, end) = match body(rest, head.item.is_some(), "model Name { P = (a, 1).P; P }") {
        Ok(body) => body,
        Err(error) => return error.to_compile_error(),
    };
    head.refuse_parameters();
    let lexed = lex(body, &mut head.places);
    let (ast, syntax_errors) = parse(&lexed.tokens, head.places.add(end));
    let mut diagnostics = std::mem::take(&mut head.diagnostics);
    let readable = diagnostics.is_empty() && syntax_errors.is_empty();
    diagnostics.extend(syntax_errors);
    let checked = check(&ast, &head.requests, readable);
    diagnostics.extend(checked.diagnostics.into_iter().map(|found| with_rust_value(found, &head)));
    let reports = report(&diagnostics, &head.places);
    let source = Source {
        ast: &ast,
        model: checked.model.as_ref(),
        supplied: checked.supplied.iter().map(|&group| lexed.group(group)).collect(),
        tracked: None,
    };
    expansion(&head, &source, &reports)
}

/// A size that is not defined may be meant as a variable of Rust, for which there is a way in.
fn with_rust_value(mut found: Diagnostic<TextSpan>, head: &Head) -> Diagnostic<TextSpan> {
    if let (Code::UndefinedSize, Some(help)) = (found.code, &mut found.help)
        && help.starts_with("define")
    {
        help.push_str(&match &head.item {
            Some((_, name)) => {
                format!("; a value of Rust goes into its field, `{name} {{ n: 20, ..{name}::new() }}`")
            }
            None => "; a value of Rust stands in braces, `n = { clients };`".to_owned(),
        });
    }
    found
}
