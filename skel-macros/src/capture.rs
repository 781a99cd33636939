//! Local variables in the Rust expressions of an item.
//!
//! An item stands on its own, so the compiler refuses a variable of the function around it ("can't capture
//! dynamic environment in a fn item") without a word on models. A constant has a name in capitals, so a
//! lower-case name among numbers and operators is a variable.

use proc_macro2::{Ident, TokenStream, TokenTree};

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::model::{Model, ParameterDefinition, ParameterId, SystemStep};

/// The first variable of an expression that is made of variables, numbers, operators and brackets alone.
pub(crate) fn variable(expression: &TokenStream) -> Option<Ident> {
    variable_beside(expression, &|_| false)
}

/// As [`variable`], beside the names that the item has itself.
pub(crate) fn variable_beside(expression: &TokenStream, is_own: &dyn Fn(&Ident) -> bool) -> Option<Ident> {
    let mut first = None;
    let mut is_after_name = false;
    for token in expression.clone() {
        let is_call = is_after_name && matches!(token, TokenTree::Group(_));
        is_after_name = matches!(token, TokenTree::Ident(_));
        match token {
            _ if is_call => return None,
            TokenTree::Ident(name) if is_own(&name) => {}
            TokenTree::Ident(name) if is_variable(&name) => first = first.or(Some(name)),
            TokenTree::Group(group) => first = first.or(variable_beside(&group.stream(), is_own)),
            TokenTree::Literal(_) => {}
            TokenTree::Punct(punct) if "+-*/".contains(punct.as_char()) => {}
            TokenTree::Ident(_) | TokenTree::Punct(_) => return None,
        }
    }
    first
}

fn is_variable(name: &Ident) -> bool {
    let name = name.to_string();
    let is_keyword = ["as", "const", "else", "false", "if", "let", "match", "self", "super", "crate", "true"];
    name.chars().all(|c| c.is_lowercase() || c.is_numeric() || c == '_')
        && !is_keyword.contains(&name.as_str())
}

/// Whether sizes are made of the Rust expression of this number.
pub(crate) fn gives_size(model: &Model, index: usize) -> bool {
    let is_from_it = |id: ParameterId| {
        let definition = &model.parameters()[id.index()].definition;
        matches!(definition, ParameterDefinition::Supplied(supplied) if *supplied as usize == index)
    };
    let mut parameters = (0..model.parameters().len()).map(ParameterId::at);
    let has_name = parameters.any(|id| model.is_size(id) && is_from_it(id));
    let mut is_in_array = false;
    for step in model.system() {
        if let SystemStep::Array { count, .. } = step {
            count.for_each_parameter(&mut |id| is_in_array |= is_from_it(id));
        }
    }
    has_name || is_in_array
}

/// That an item cannot use a variable.
pub(crate) fn report(variable: &Ident, is_size: bool, item: &Ident, place: TextSpan) -> Diagnostic<TextSpan> {
    let message = format!("the item `{item}` cannot use the variable `{variable}`");
    let (code, noun, example, field) = match is_size {
        true => (Code::UndefinedSize, "size", "10", variable.to_string()),
        false => (Code::UndefinedRate, "rate", "1.0", format!("{variable}: {variable}.into()")),
    };
    Diagnostic::new(code, place, message).help(format!(
        "make it a {noun} of the model, `{variable} = {example};`, and set it: `{item} {{ {field}, ..{item}::new() }}`; or leave \
         `model {item}` out, for a model that is an expression"
    ))
}

#[cfg(test)]
mod tests {
    use super::variable;

    #[test]
    fn variables_are_told_from_constants_and_calls() {
        let found = |text: &str| variable(&text.parse().unwrap()).map(|name| name.to_string());
        assert_eq!(found("2.0 * (1 + rate)").as_deref(), Some("rate"));
        for other in ["RATE", "2.0", "rate()", "rates::FAST", "self.rate", "f64::from(2)", "{ let x = 1; x }"]
        {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
