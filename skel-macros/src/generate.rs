//! From a checked model to Rust: constant data, and a type with handles.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use skel_core::diagnostic::TextSpan;
use skel_core::model::{Model, Node, ParameterDefinition};
use skel_core::number::display_ratio;
use skel_core::rate::{ProductOperator, RateExpression, SumOperator};
use skel_core::syntax::ast::{Ast, Body, Process};

use crate::head::Head;

/// What a call said, and what became of it.
pub(crate) struct Source<'s> {
    pub(crate) ast: &'s Ast<TextSpan>,
    /// The model, unless there are errors: then stubs are made, so that nothing else fails to compile.
    pub(crate) model: Option<&'s Model>,
    /// The Rust expressions that give rates.
    pub(crate) supplied: Vec<TokenStream>,
    /// A file that the expansion depends on.
    pub(crate) tracked: Option<String>,
}

/// A block's last expression: the model as a `Template`.
pub(crate) fn expression(head: &Head, source: &Source<'_>) -> TokenStream {
    let private = private(head);
    let Some(model) = source.model else { return quote!(#private::not_compiled()) };
    let image = image(model, &private);
    let tracked = tracked(source);
    let supplied = &source.supplied;
    quote! {
        #tracked
        static IMAGE: #private::Image = #image;
        #private::Template::new(&IMAGE, ::std::vec![#(#private::Rate::from({ #supplied })),*])
    }
}

/// A type that stands for the model, with a field for each independent rate and a handle for each name.
pub(crate) fn item(head: &Head, visibility: &TokenStream, name: &Ident, source: &Source<'_>) -> TokenStream {
    let private = private(head);
    let attributes = &head.attributes;
    let fields = fields(source, &private);
    let field_names: Vec<&Ident> = fields.iter().map(|field| &field.name).collect();
    let field_docs = fields.iter().map(|field| &field.doc);
    let field_values = fields.iter().map(|field| &field.value);
    let handles = handles(source, &private);
    let tracked = tracked(source);
    let build = match source.model {
        None => quote!(#private::not_compiled()),
        Some(model) => {
            let image = image(model, &private);
            let supplied = supplied(source, &fields, &private);
            let ids = fields.iter().map(|field| field.id);
            quote! {
                static IMAGE: #private::Image = #image;
                IMAGE.build(
                    &[#(#supplied),*],
                    &[#((#private::ParameterId(#ids), ::core::clone::Clone::clone(&self.#field_names))),*],
                )
            }
        }
    };
    // The user's crate may deny missing documentation.
    let doc = (!head.is_documented).then(|| format!("The PEPA model `{name}`."));
    let doc = doc.map(|doc| quote!(#[doc = #doc]));
    quote! {
        #attributes
        #doc
        #[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq)]
        #[allow(non_snake_case, dead_code)]
        #visibility struct #name {
            #(#[doc = #field_docs] pub #field_names: #private::Rate,)*
        }

        #[allow(non_upper_case_globals, non_snake_case, dead_code)]
        impl #name {
            #handles

            /// The model with every rate at its written value.
            #[must_use]
            pub fn new() -> Self {
                Self { #(#field_names: #field_values),* }
            }
        }

        impl ::core::default::Default for #name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl #private::Modelled for #name {
            fn build(&self) -> ::core::result::Result<#private::Model, #private::BuildErrors> {
                #tracked
                #build
            }
        }
    }
}

fn private(head: &Head) -> TokenStream {
    let facade = &head.facade;
    quote!(#facade::__private)
}

/// Has cargo rebuild when the file changes.
fn tracked(source: &Source<'_>) -> TokenStream {
    match &source.tracked {
        Some(path) => quote!(
            const _: &[u8] = ::core::include_bytes!(#path);
        ),
        None => TokenStream::new(),
    }
}

/// A field: a rate that does not depend on another.
struct Field {
    name: Ident,
    doc: String,
    value: TokenStream,
    id: u32,
    /// The Rust expression that it takes its value from, if it does.
    supplied: Option<u32>,
}

fn fields(source: &Source<'_>, private: &TokenStream) -> Vec<Field> {
    let Some(model) = source.model else {
        let rates =
            source.ast.definitions.iter().filter(|definition| matches!(definition.body, Body::Rate(_)));
        return each_once(rates.map(|definition| definition.name.text.clone()))
            .iter()
            .filter_map(|name| identifier(name))
            .map(|name| Field {
                name,
                doc: String::new(),
                value: quote!(#private::not_compiled()),
                id: 0,
                supplied: None,
            })
            .collect();
    };
    let mut fields = Vec::new();
    for (id, parameter) in model.parameters().iter().enumerate() {
        let Some(name) = identifier(&parameter.name) else { continue };
        let (value, supplied) = match &parameter.definition {
            ParameterDefinition::Supplied(index) => {
                let expression = &source.supplied[*index as usize];
                (quote!(#private::Rate::from({ #expression })), Some(*index))
            }
            ParameterDefinition::Expression(expression) => {
                let mut is_independent = true;
                expression.for_each_parameter(&mut |_| is_independent = false);
                if !is_independent {
                    continue;
                }
                let text = parameter.value.to_string();
                (quote!(#private::literal_rate(#text)), None)
            }
        };
        let doc = match supplied {
            Some(_) => format!("The rate `{}`.", parameter.name),
            None => {
                format!("The rate `{}`, {} unless changed.", parameter.name, display_ratio(&parameter.value))
            }
        };
        fields.push(Field { name, doc, value, id: id as u32, supplied });
    }
    fields
}

/// The values from Rust, in order: from the field where there is one.
fn supplied(source: &Source<'_>, fields: &[Field], private: &TokenStream) -> Vec<TokenStream> {
    let mut values: Vec<TokenStream> =
        source.supplied.iter().map(|expression| quote!(#private::Rate::from({ #expression }))).collect();
    for field in fields {
        let name = &field.name;
        if let Some(index) = field.supplied {
            values[index as usize] = quote!(::core::clone::Clone::clone(&self.#name));
        }
    }
    values
}

/// Names that the generated type has of its own.
const TAKEN: &[&str] = &["new"];

/// Constants for actions, local states and rates. An action has the name itself; a local state or a rate of the
/// same name gets `_state` or `_rate` behind it.
fn handles(source: &Source<'_>, private: &TokenStream) -> TokenStream {
    let mut taken: HashSet<String> = TAKEN.iter().map(|&name| name.to_owned()).collect();
    let mut handles = TokenStream::new();
    let mut add = |name: &str, suffix: &str, doc: String, kind: TokenStream, id: u32| {
        let constant = if taken.contains(name) { format!("{name}{suffix}") } else { name.to_owned() };
        let (true, Some(constant)) = (taken.insert(constant.clone()), identifier(&constant)) else { return };
        handles.extend(quote! {
            #[doc = #doc]
            pub const #constant: #private::#kind<Self> = #private::#kind::from_generated_code(#id);
        });
    };
    let Some(model) = source.model else {
        for name in written_names(source.ast) {
            add(&name.0, name.1, String::new(), name.2, 0);
        }
        return handles;
    };
    for (id, action) in model.actions() {
        add(action, "_action", format!("The action `{action}`."), quote!(ActionOf), id.0);
    }
    for (id, state) in model.local_states().iter().enumerate().filter(|(_, state)| state.is_constant) {
        let doc = format!("The local state `{}`.", state.name);
        add(&state.name, "_state", doc, quote!(LocalStateOf), id as u32);
    }
    for (id, rate) in model.parameters().iter().enumerate() {
        add(&rate.name, "_rate", format!("The rate `{}`.", rate.name), quote!(RateOf), id as u32);
    }
    handles
}

/// The names of a model with errors, as far as they can be told: suffix and kind with each.
fn written_names(ast: &Ast<TextSpan>) -> Vec<(String, &'static str, TokenStream)> {
    let mut actions = Vec::new();
    let mut states = Vec::new();
    let mut rates = Vec::new();
    for definition in &ast.definitions {
        match &definition.body {
            Body::Rate(_) => {
                rates.push(definition.name.text.clone());
            }
            Body::Process(process) | Body::Undecided(process) => {
                states.push(definition.name.text.clone());
                written_actions(process, &mut actions);
            }
        }
    }
    ast.system.iter().for_each(|system| written_actions(system, &mut actions));
    let actions = each_once(actions).into_iter().map(|name| (name, "_action", quote!(ActionOf)));
    let states = each_once(states).into_iter().map(|name| (name, "_state", quote!(LocalStateOf)));
    let rates = each_once(rates).into_iter().map(|name| (name, "_rate", quote!(RateOf)));
    actions.chain(states).chain(rates).collect()
}

fn written_actions(process: &Process<TextSpan>, actions: &mut Vec<String>) {
    match process {
        Process::Constant(_) | Process::Anything(_) | Process::Array { .. } => {}
        Process::Prefix { activities, then } => {
            actions.extend(activities.iter().map(|activity| activity.action.text.clone()));
            written_actions(then, actions);
        }
        Process::Choice(operands) => operands.iter().for_each(|operand| written_actions(operand, actions)),
        Process::Cooperation { first, rest } => {
            written_actions(first, actions);
            rest.iter().for_each(|(_, operand)| written_actions(operand, actions));
        }
        Process::Hiding { of, .. } => written_actions(of, actions),
    }
}

/// Names without their repetitions, in the order in which they are written.
fn each_once(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    names.into_iter().filter(|name| seen.insert(name.clone())).collect()
}

/// A name as a Rust identifier, raw where it has to be; none where it cannot be one.
pub(crate) fn identifier(name: &str) -> Option<Ident> {
    let mut ident = syn::parse_str::<Ident>(name).or_else(|_| syn::parse_str(&format!("r#{name}"))).ok()?;
    ident.set_span(Span::call_site());
    Some(ident)
}

fn image(model: &Model, private: &TokenStream) -> TokenStream {
    let actions = model.actions().map(|(_, name)| name);
    let parameters = model.parameters().iter().map(|parameter| {
        let name = &parameter.name;
        let definition = match &parameter.definition {
            ParameterDefinition::Expression(expression) => {
                let steps = steps(expression, private);
                quote!(Expression(&[#(#steps),*]))
            }
            ParameterDefinition::Supplied(index) => quote!(Supplied(#index)),
        };
        quote!((#name, #private::ParameterImage::#definition))
    });
    let order = model.evaluation_order().iter().map(|id| id.0);
    let rates = model.rates().iter().map(|entry| {
        let passive = entry.expression.is_passive();
        let steps = steps(entry.expression.magnitude(), private);
        quote!((#passive, &[#(#steps),*]))
    });
    let local_states = model.local_states().iter().map(|state| {
        let (name, is_constant) = (&state.name, state.is_constant);
        let activities = state.activities.iter().map(|activity| {
            let (action, rate, target) = (activity.action.0, activity.rate.0, activity.target.0);
            quote!((#action, #rate, #target))
        });
        quote!((#name, #is_constant, &[#(#activities),*]))
    });
    let components = model.components().iter().map(|component| {
        let initial = component.initial.0;
        let states = component.local_states.iter().map(|state| state.0);
        quote!((#initial, &[#(#states),*]))
    });
    let nodes = model.nodes().iter().map(|node| {
        let node = match node {
            Node::Leaf(position) => {
                let position = position.0;
                quote!(Leaf(#position))
            }
            Node::Cooperation { left, right, set } => {
                let (left, right, set) = (left.0, right.0, set.iter().map(|action| action.0));
                quote!(Cooperation(#left, #right, &[#(#set),*]))
            }
            Node::Hiding { of, set } => {
                let (of, set) = (of.0, set.iter().map(|action| action.0));
                quote!(Hiding(#of, &[#(#set),*]))
            }
        };
        quote!(#private::NodeImage::#node)
    });
    let leaves = (0..model.positions()).map(|at| model.component_at(skel_core::model::Position::at(at)).0);
    let arrays = model.arrays().iter().map(|array| {
        let (node, first, copies, width) = (array.node.0, array.first.0, array.copies, array.width);
        quote!((#node, #first, #copies, #width))
    });
    let results = model.results().iter().map(|line| {
        let name = &line.name;
        let factor = option(line.factor.as_ref().map(|factor| {
            let steps = steps(factor, private);
            quote!(&[#(#steps),*])
        }));
        let pattern = line.pattern.iter().map(|state| {
            option(state.map(|state| {
                let state = state.0;
                quote!(#state)
            }))
        });
        quote!((#name, #factor, &[#(#pattern),*]))
    });
    quote! {
        #private::Image {
            actions: &[#(#actions),*],
            parameters: &[#(#parameters),*],
            evaluation_order: &[#(#order),*],
            rates: &[#(#rates),*],
            local_states: &[#(#local_states),*],
            components: &[#(#components),*],
            nodes: &[#(#nodes),*],
            leaves: &[#(#leaves),*],
            arrays: &[#(#arrays),*],
            results: &[#(#results),*],
        }
    }
}

fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// An expression in postfix order.
fn steps(expression: &RateExpression, private: &TokenStream) -> Vec<TokenStream> {
    match expression {
        RateExpression::Number(value) => {
            let text = value.to_string();
            vec![quote!(#private::Step::Number(#text))]
        }
        RateExpression::Parameter(id) => {
            let id = id.0;
            vec![quote!(#private::Step::Parameter(#id))]
        }
        RateExpression::Negative(inner) => {
            let mut all = steps(inner, private);
            all.push(quote!(#private::Step::Negative));
            all
        }
        RateExpression::Sum(first, rest) => {
            let mut all = steps(first, private);
            rest.iter().for_each(|(_, term)| all.extend(steps(term, private)));
            let minus = rest.iter().map(|(operator, _)| *operator == SumOperator::Minus);
            all.push(quote!(#private::Step::Sum(&[#(#minus),*])));
            all
        }
        RateExpression::Product(first, rest) => {
            let mut all = steps(first, private);
            rest.iter().for_each(|(_, factor)| all.extend(steps(factor, private)));
            let over = rest.iter().map(|(operator, _)| *operator == ProductOperator::Over);
            all.push(quote!(#private::Step::Product(&[#(#over),*])));
            all
        }
    }
}
