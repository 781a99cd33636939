//! From a checked model to Rust: constant data, and a type with handles.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use skel_core::diagnostic::TextSpan;
use skel_core::model::{Model, Parameter, ParameterDefinition};
use skel_core::number::display_ratio;
use skel_core::syntax::ast::{Ast, Body, Process};

use crate::head::Head;
use crate::image::image;

/// The syntax tree of a call, and the model that was made of it.
pub(crate) struct Source<'s> {
    pub(crate) ast: &'s Ast<TextSpan>,
    /// The model, unless there are errors: then stubs are made, so that nothing else fails to compile.
    pub(crate) model: Option<&'s Model>,
    /// The Rust expressions that give rates.
    pub(crate) supplied: Vec<TokenStream>,
    /// The doc comments before definitions, by the name that is defined.
    pub(crate) docs: &'s HashMap<String, Vec<TokenStream>>,
    /// A file that the expansion depends on.
    pub(crate) tracked: Option<String>,
}

/// What a call becomes: an item where it names one, else an expression; with what there is to report.
pub(crate) fn expansion(head: &Head, source: &Source<'_>, reports: &TokenStream) -> TokenStream {
    match &head.item {
        Some((visibility, name)) => {
            let item = item(head, visibility, name, source);
            quote!(#reports #item)
        }
        None => {
            let expression = expression(head, source);
            quote!({ #reports #expression })
        }
    }
}

/// A block's last expression: the model as a `Template`.
fn expression(head: &Head, source: &Source<'_>) -> TokenStream {
    let private = private(head);
    let Some(model) = source.model else { return quote!(#private::not_compiled()) };
    let image = image(model, &source.supplied, &private);
    let tracked = tracked(source);
    let supplied = &source.supplied;
    quote! {
        #tracked
        #private::Template::new(#image, ::std::vec![#(<#private::Rate as ::core::convert::From<_>>::from({ #supplied })),*])
    }
}

/// A type that stands for the model, with a field for each independent rate or size and a handle for each
/// name.
fn item(head: &Head, visibility: &TokenStream, name: &Ident, source: &Source<'_>) -> TokenStream {
    let private = private(head);
    let attributes = &head.attributes;
    let fields = fields(source, &private);
    let field_names: Vec<&Ident> = fields.iter().map(|field| &field.name).collect();
    let field_docs = fields.iter().map(|field| docs(source, &field.text, &field.doc));
    let field_types = fields.iter().map(|field| field.type_tokens(&private));
    let field_values = fields.iter().map(|field| &field.value);
    let handles = handles(source, &private);
    let tracked = tracked(source);
    let build = match source.model {
        None => quote!(#private::not_compiled()),
        Some(model) => {
            let image = image(model, &source.supplied, &private);
            let supplied = supplied(source, &fields, &private);
            let ids = fields.iter().map(|field| field.id);
            let values = fields.iter().map(|field| field.rate(&private));
            quote! {
                #private::Image::build(
                    #image,
                    &[#(#supplied),*],
                    &[#((#private::ParameterId(#ids), #values)),*],
                )
            }
        }
    };
    let names = source.model.map(|model| known_names(model, &private));
    // The user's crate may deny missing documentation.
    let doc = (!head.is_documented).then(|| format!("The PEPA model `{name}`."));
    let doc = doc.map(|doc| quote!(#[doc = #doc]));
    quote! {
        #attributes
        #doc
        #[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq)]
        #[allow(non_snake_case, dead_code)]
        #visibility struct #name {
            #(#field_docs pub #field_names: #field_types,)*
        }

        #[allow(non_upper_case_globals, non_snake_case, dead_code)]
        impl #name {
            #handles

            /// The model with every rate and size at its written value.
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
            #names

            fn build(&self) -> ::core::result::Result<#private::Model, #private::BuildErrors> {
                #tracked
                #build
            }
        }
    }
}

/// The names that other macros may use of the model: of actions, of local states and of result lines.
fn known_names(model: &Model, private: &TokenStream) -> TokenStream {
    let actions = model.actions().map(|(_, name)| name);
    let states = model.local_states().iter().map(|state| state.name.as_str());
    let results = model.results().iter().map(|line| line.name.as_str());
    quote! {
        const NAMES: #private::Names = &[&[#(#actions),*], &[#(#states),*], &[#(#results),*]];
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
            const _: &[::core::primitive::u8] = ::core::include_bytes!(#path);
        ),
        None => TokenStream::new(),
    }
}

/// A field: a rate or a size that does not depend on another.
struct Field {
    name: Ident,
    /// The name as the model writes it.
    text: String,
    doc: String,
    value: TokenStream,
    id: u32,
    /// Whether it is a whole number, since sizes are made of it.
    is_size: bool,
    /// The Rust expression that it takes its value from, if it does.
    supplied: Option<u32>,
}

impl Field {
    fn type_tokens(&self, private: &TokenStream) -> TokenStream {
        if self.is_size { quote!(::core::primitive::usize) } else { quote!(#private::Rate) }
    }

    /// The field's value as a rate.
    fn rate(&self, private: &TokenStream) -> TokenStream {
        let name = &self.name;
        match self.is_size {
            true => quote!(<#private::Rate as ::core::convert::From<_>>::from(self.#name)),
            false => quote!(::core::clone::Clone::clone(&self.#name)),
        }
    }
}

fn fields(source: &Source<'_>, private: &TokenStream) -> Vec<Field> {
    let Some(model) = source.model else { return written_fields(source.ast, private) };
    let mut fields = Vec::new();
    for (id, parameter) in model.parameters().iter().enumerate() {
        let Some(name) = identifier(&parameter.name) else { continue };
        if !parameter.definition.is_independent() {
            continue;
        }
        let is_size = parameter.is_size;
        let noun = if is_size { "size" } else { "rate" };
        let (value, supplied) = match &parameter.definition {
            ParameterDefinition::Supplied(index) => {
                let expression = &source.supplied[*index as usize];
                let value = match is_size {
                    true => quote!({ #expression }),
                    false => quote!(<#private::Rate as ::core::convert::From<_>>::from({ #expression })),
                };
                (value, Some(*index))
            }
            ParameterDefinition::Expression(_) => (written_value(parameter, private), None),
        };
        let doc = match supplied {
            Some(_) => format!("The {noun} `{}`.", parameter.name),
            None => {
                let value = display_ratio(&parameter.value);
                format!("The {noun} `{}`, {value} unless changed.", parameter.name)
            }
        };
        let text = parameter.name.clone();
        fields.push(Field { name, text, doc, value, id: id as u32, is_size, supplied });
    }
    fields
}

/// The value that a definition in the model says.
fn written_value(parameter: &Parameter, private: &TokenStream) -> TokenStream {
    let text = parameter.value.to_string();
    if parameter.is_size {
        let whole = Literal::usize_unsuffixed(text.parse().unwrap_or(usize::MAX));
        return quote!(#whole);
    }
    quote!(#private::literal_rate(#text))
}

/// The fields of a model with errors, as far as they can be told.
fn written_fields(ast: &Ast<TextSpan>, private: &TokenStream) -> Vec<Field> {
    let sizes = ast.sizes();
    let rates = ast.definitions.iter().filter(|definition| matches!(definition.body, Body::Rate(_)));
    each_once(rates.map(|definition| definition.name.text.clone()))
        .iter()
        .filter_map(|text| Some((identifier(text)?, text.clone())))
        .map(|(name, text)| Field {
            name,
            doc: format!("The rate `{text}`."),
            value: quote!(#private::not_compiled()),
            id: 0,
            is_size: sizes.contains_key(text.as_str()),
            supplied: None,
            text,
        })
        .collect()
}

/// The values from Rust, in order: from the field where there is one.
fn supplied(source: &Source<'_>, fields: &[Field], private: &TokenStream) -> Vec<TokenStream> {
    let mut values: Vec<TokenStream> = source
        .supplied
        .iter()
        .map(|expression| quote!(<#private::Rate as ::core::convert::From<_>>::from({ #expression })))
        .collect();
    for field in fields {
        if let Some(index) = field.supplied {
            values[index as usize] = field.rate(private);
        }
    }
    values
}

/// Functions of the generated type that one calls by its name, `Model::default()`: a constant of the same
/// name would hide them. Methods are found beside constants.
const TAKEN: &[&str] = &["new", "default"];

/// What a handle stands for. Where names clash, an action has the name itself, a local state or a rate its
/// kind behind it.
#[derive(Clone, Copy)]
enum Kind {
    Action,
    LocalState,
    Rate,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Kind::Action => "action",
            Kind::LocalState => "local state",
            Kind::Rate => "rate",
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Kind::Action => "_action",
            Kind::LocalState => "_state",
            Kind::Rate => "_rate",
        }
    }

    fn handle(self) -> TokenStream {
        match self {
            Kind::Action => quote!(ActionOf),
            Kind::LocalState => quote!(LocalStateOf),
            Kind::Rate => quote!(RateOf),
        }
    }
}

/// What documents a rate, a size or a local state: `own`, after what stands before its definition.
fn docs(source: &Source<'_>, name: &str, own: &str) -> TokenStream {
    match source.docs.get(name).filter(|written| !written.is_empty()) {
        Some(written) => quote!(#(#[#written])* #[doc = ""] #[doc = #own]),
        None => quote!(#[doc = #own]),
    }
}

/// Constants for actions, local states and rates. A size has none: with another there are other states, so
/// that nothing which is asked of a state space or of its solution goes by it.
fn handles(source: &Source<'_>, private: &TokenStream) -> TokenStream {
    let names = match source.model {
        Some(model) => names_of(model),
        None => written_names(source.ast),
    };
    let mut taken: HashSet<String> = TAKEN.iter().map(|&name| name.to_owned()).collect();
    let mut handles = TokenStream::new();
    for (kind, name, id) in names {
        let constant = if taken.contains(&name) { format!("{name}{}", kind.suffix()) } else { name.clone() };
        let (true, Some(constant)) = (taken.insert(constant.clone()), identifier(&constant)) else {
            continue;
        };
        let doc = format!("The {} `{name}`.", kind.words());
        let doc = match kind {
            Kind::Action => quote!(#[doc = #doc]),
            Kind::LocalState | Kind::Rate => docs(source, &name, &doc),
        };
        let kind = kind.handle();
        handles.extend(quote! {
            #doc
            pub const #constant: #private::#kind<Self> = #private::#kind::from_generated_code(#id);
        });
    }
    handles
}

/// The names of a model, with their numbers.
fn names_of(model: &Model) -> Vec<(Kind, String, u32)> {
    let mut names: Vec<_> =
        model.actions().map(|(id, action)| (Kind::Action, action.to_owned(), id.0)).collect();
    for (id, state) in model.local_states().iter().enumerate().filter(|(_, state)| state.is_constant) {
        names.push((Kind::LocalState, state.name.clone(), id as u32));
    }
    for (id, rate) in model.parameters().iter().enumerate().filter(|(_, rate)| !rate.is_size) {
        names.push((Kind::Rate, rate.name.clone(), id as u32));
    }
    names
}

/// The names of a model with errors, as far as they can be told. Their numbers are never used.
fn written_names(ast: &Ast<TextSpan>) -> Vec<(Kind, String, u32)> {
    let mut actions = vec!["tau".to_owned()];
    let mut states = Vec::new();
    let mut rates = Vec::new();
    let sizes = ast.sizes();
    for definition in &ast.definitions {
        match &definition.body {
            Body::Rate(_) if sizes.contains_key(definition.name.text.as_str()) => {}
            Body::Rate(_) => rates.push(definition.name.text.clone()),
            Body::Process(process) | Body::Undecided(process) => {
                states.push(definition.name.text.clone());
                written_actions(process, &mut actions);
            }
        }
    }
    ast.system.iter().for_each(|system| written_actions(system, &mut actions));
    let mut names = Vec::new();
    for (kind, written) in [(Kind::Action, actions), (Kind::LocalState, states), (Kind::Rate, rates)] {
        names.extend(each_once(written).into_iter().map(|name| (kind, name, 0)));
    }
    names
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
