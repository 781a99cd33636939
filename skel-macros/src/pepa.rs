//! `pepa!`: a model in Rust tokens, as an item or as an expression.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};

use skel_core::check::{Syntax, check};
use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::syntax::parse::parse;

use crate::capture;
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
    let has_parameters = head.refuse_parameters();
    let lexed = lex(body, &mut head.places);
    let (ast, syntax_errors) = parse(&lexed.tokens, head.places.add(end));
    let mut diagnostics = std::mem::take(&mut head.diagnostics);
    diagnostics.extend(syntax_errors);
    let syntax = match diagnostics.is_empty() {
        true => Syntax::Correct,
        // The model uses the parameters, and they are not in the tree.
        false if has_parameters => Syntax::Incomplete,
        false => Syntax::Faulty,
    };
    let checked = check(&ast, &head.requests, syntax);
    diagnostics.extend(checked.diagnostics.into_iter().map(|found| with_rust_value(found, &head)));
    let supplied: Vec<TokenStream> = checked.supplied.iter().map(|&group| lexed.group(group)).collect();
    let mut model = checked.model.as_ref();
    if let Some((_, item)) = &head.item {
        for (index, expression) in supplied.iter().enumerate() {
            let Some(variable) = capture::variable(expression) else { continue };
            let place = head.places.add(variable.span());
            let is_size = checked.model.as_ref().is_some_and(|model| capture::gives_size(model, index));
            diagnostics.push(capture::report(&variable, is_size, item, place));
            model = None;
        }
    }
    let reports = report(&diagnostics, &head.places);
    let source = Source { ast: &ast, model, supplied, docs: &lexed.docs, tracked: None };
    expansion(&head, &source, &reports)
}

/// A size that is not defined may be meant as a variable of Rust, for which there is a way in.
fn with_rust_value(mut found: Diagnostic<TextSpan>, head: &Head) -> Diagnostic<TextSpan> {
    if let (Code::UndefinedSize, Some(help)) = (found.code, &mut found.help)
        && help.starts_with("define")
    {
        let size = found.message.split('`').nth(1).unwrap_or("n");
        help.push_str(&match &head.item {
            Some((_, name)) => {
                format!("; a value of Rust goes into its field, `{name} {{ {size}: 20, ..{name}::new() }}`")
            }
            None => format!("; a value of Rust stands in braces, `{size} = {{ {size} }};`"),
        });
    }
    found
}
