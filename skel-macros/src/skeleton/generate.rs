//! From a call as it is spelled out to constructors, types and handles.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use skel_core::skeleton::Replication;

use super::handles::Handle;
use super::parameters::Parameters;
use super::parse::{Argument, StageCall};
use crate::head::Head;

/// The value of a call. With errors it is a stub of the same type, as far as that is known.
pub(super) fn expression(head: &Head, call: &StageCall, is_sound: bool) -> TokenStream {
    let skeleton = path(head);
    if is_sound || call.has_rust() { value(call, &skeleton) } else { stub(call, &skeleton) }
}

/// A type that stands for the skeleton, with a handle for each named task.
pub(super) fn item(
    head: &Head,
    visibility: &TokenStream,
    name: &Ident,
    parameters: &Parameters,
    call: &StageCall,
    handles: &[Handle],
    is_sound: bool,
) -> TokenStream {
    let (skeleton, private) = (path(head), private(head));
    let attributes = &head.attributes;
    let doc = (!head.is_documented).then(|| format!("The skeleton `{name}`."));
    let doc = doc.map(|doc| quote!(#[doc = #doc]));
    let structure = structure(call, &skeleton);
    let value = if is_sound { value(call, &skeleton) } else { stub(call, &skeleton) };
    let handles = constants(handles, &skeleton);
    let new = constructor(parameters, &value, is_sound);
    let default = parameters.is_empty().then(|| default_of(name));
    let worker = matches!(call, StageCall::Replicated { .. }).then(|| {
        quote! {
            impl #skeleton::HasWorker for #name {
                type Worker = <#structure as #skeleton::HasWorker>::Worker;
            }
        }
    });
    let stages = matches!(call, StageCall::Pipe { .. }).then(|| {
        quote! {
            impl<const N: ::core::primitive::usize> #skeleton::HasStage<N> for #name
            where
                #structure: #skeleton::HasStage<N>,
            {
                type Stage = <#structure as #skeleton::HasStage<N>>::Stage;
                const BEFORE: ::core::primitive::u32 = <#structure as #skeleton::HasStage<N>>::BEFORE;
            }
        }
    });
    quote! {
        #attributes
        #doc
        #[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq)]
        #[allow(dead_code)]
        #visibility struct #name {
            structure: #structure,
        }

        #[allow(non_upper_case_globals, non_snake_case, dead_code)]
        impl #name {
            #handles

            #new
        }

        #default

        impl #skeleton::Skeleton for #name {
            fn tree(&self) -> ::core::result::Result<#skeleton::Tree, #private::BuildErrors> {
                #skeleton::Skeleton::tree(&self.structure)
            }
        }

        impl #skeleton::Structured for #name {
            const STAGES: ::core::primitive::u32 = <#structure as #skeleton::Structured>::STAGES;

            fn written_from(&self, here: #skeleton::StageId) -> #skeleton::Written<#skeleton::StageId> {
                #skeleton::Structured::written_from(&self.structure, here)
            }
        }

        impl #skeleton::IntoSkeleton for #name {
            type Skeleton = Self;

            fn into_skeleton(self) -> Self {
                self
            }
        }

        #worker
        #stages
    }
}

/// `new`, with a value for each parameter.
fn constructor(parameters: &Parameters, value: &TokenStream, is_sound: bool) -> TokenStream {
    let doc = match parameters.is_empty() {
        true => "The skeleton, with the rates, counts and names as they are written.",
        false => "The skeleton with these values, which are checked when it is built.",
    };
    // What stands in for a skeleton with errors uses no parameter, and that is no further finding.
    let allow = (!is_sound).then(|| quote!(#[allow(unused_variables)]));
    let parameters = &parameters.tokens;
    quote! {
        #[doc = #doc]
        #[must_use]
        #allow
        pub fn new(#parameters) -> Self {
            Self { structure: #value }
        }
    }
}

/// Without parameters there is one value for all to begin with.
fn default_of(name: &Ident) -> TokenStream {
    quote! {
        impl ::core::default::Default for #name {
            fn default() -> Self {
                Self::new()
            }
        }
    }
}

pub(super) fn private(head: &Head) -> TokenStream {
    let facade = &head.facade;
    quote!(#facade::__private)
}

/// The constructors and types of skeletons, and what stands in for them.
fn path(head: &Head) -> TokenStream {
    let private = private(head);
    quote!(#private::skeleton)
}

/// Stands where a skeleton with errors would be.
fn stub(call: &StageCall, skeleton: &TokenStream) -> TokenStream {
    let structure = structure(call, skeleton);
    quote!(#skeleton::not_compiled::<#structure>())
}

pub(super) fn value(call: &StageCall, skeleton: &TokenStream) -> TokenStream {
    match call {
        StageCall::Task { name, rate, .. } => {
            let rate = rate_value(rate, skeleton);
            let name = name.as_ref().map(|name| {
                let name = &name.tokens;
                quote!(.named(#name))
            });
            quote!(#skeleton::task(#rate) #name)
        }
        StageCall::Broken(_) => stub(call, skeleton),
        StageCall::Pipe { stages, .. } if stages.is_empty() => stub(call, skeleton),
        StageCall::Pipe { stages, .. } => {
            let stages = stages.iter().map(|stage| value(stage, skeleton));
            quote!(#skeleton::pipe((#(#stages,)*)))
        }
        StageCall::Replicated { replication, replicas, worker, .. } => {
            let word = format_ident!("{}", replication.word());
            let (replicas, worker) = (&replicas.tokens, value(worker, skeleton));
            quote!(#skeleton::#word(#replicas, #worker))
        }
        StageCall::Team(team) => {
            let worker = value(&team.worker, skeleton);
            team.value(skeleton, &worker, |number| rate_value(number, skeleton))
        }
        StageCall::Rust(argument) => argument.tokens.clone(),
    }
}

/// A literal stays what is written, digit for digit; anything else is an expression.
fn rate_value(rate: &Argument, skeleton: &TokenStream) -> TokenStream {
    match rate.number() {
        Some(number) => quote!(#skeleton::literal_rate(#number)),
        None => rate.tokens.clone(),
    }
}

fn structure(call: &StageCall, skeleton: &TokenStream) -> TokenStream {
    match call {
        StageCall::Task { .. } => quote!(#skeleton::Task),
        StageCall::Pipe { stages, .. } if stages.is_empty() => quote!(#skeleton::Pipe<(#skeleton::Task,)>),
        StageCall::Pipe { stages, .. } => {
            let stages = stages.iter().map(|stage| structure(stage, skeleton));
            quote!(#skeleton::Pipe<(#(#stages,)*)>)
        }
        StageCall::Replicated { replication, worker, .. } => {
            let word = match replication {
                Replication::Deal => quote!(Deal),
                Replication::Farm => quote!(Farm),
            };
            let worker = structure(worker, skeleton);
            quote!(#skeleton::#word<#worker>)
        }
        StageCall::Team(team) => {
            let word = team.type_name();
            quote!(#skeleton::#word)
        }
        StageCall::Rust(_) | StageCall::Broken(_) => quote!(#skeleton::Task),
    }
}

/// A constant for each handle.
fn constants(handles: &[Handle], skeleton: &TokenStream) -> TokenStream {
    let constant = |Handle { constant, task, id }: &Handle| {
        let doc = format!("The task `{task}`, with all its replicas.");
        quote! {
            #[doc = #doc]
            pub const #constant: #skeleton::StageOf<Self, #skeleton::Task> =
                #skeleton::StageOf::from_generated_code(#id);
        }
    };
    handles.iter().map(constant).collect()
}
