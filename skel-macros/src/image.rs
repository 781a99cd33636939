//! A checked model as constant data: what the generated code hands to `skel-core` to build.
//!
//! The data stands in a block of its own, where short names are imported and nothing of the user's is in
//! sight.

use proc_macro2::TokenStream;
use quote::quote;

use skel_core::model::{ActionSet, Model, ParameterDefinition, ParameterId, SystemStep};
use skel_core::rate::{ProductOperator, RateExpression, SumOperator};

/// A static value, in which the names of the facade's private module are known; `supplied` are the Rust
/// expressions that give rates.
pub(crate) fn image(model: &Model, supplied: &[TokenStream], private: &TokenStream) -> TokenStream {
    let actions = model.actions().map(|(_, name)| name);
    let parameters = model.parameters().iter().map(|parameter| {
        let name = match &parameter.definition {
            ParameterDefinition::Supplied(index) if parameter.name.starts_with('{') => {
                shown(&supplied[*index as usize])
            }
            _ => parameter.name.clone(),
        };
        let definition = match &parameter.definition {
            ParameterDefinition::Expression(expression) => {
                let steps = steps(expression);
                quote!(Expression(&[#(#steps),*]))
            }
            ParameterDefinition::Supplied(index) => quote!(Supplied(#index)),
        };
        quote!((#name, ParameterImage::#definition))
    });
    let order = model.evaluation_order().iter().map(|id| id.0);
    let rates = model.rates().iter().map(|entry| {
        let passive = entry.expression.is_passive();
        let steps = steps(entry.expression.magnitude());
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
    let is_size = |(id, _): &(usize, _)| model.is_size(ParameterId::at(*id));
    let sizes = model.parameters().iter().enumerate().filter(is_size).map(|(id, _)| id as u32);
    let system = model.system().iter().map(system_step);
    let fixed = model.fixed_positions();
    let results = model.results().iter().map(|line| {
        let name = &line.name;
        let factor = option(line.factor.as_ref().map(|factor| {
            let steps = steps(factor);
            quote!(&[#(#steps),*])
        }));
        let pattern = fixed.iter().map(|&at| {
            option(line.pattern[at].map(|state| {
                let state = state.0;
                quote!(#state)
            }))
        });
        quote!((#name, #factor, &[#(#pattern),*]))
    });
    quote!({
        static IMAGE: #private::Image = {
            use #private::*;
            Image {
            actions: &[#(#actions),*],
            parameters: &[#(#parameters),*],
            evaluation_order: &[#(#order),*],
            rates: &[#(#rates),*],
            local_states: &[#(#local_states),*],
            components: &[#(#components),*],
            sizes: &[#(#sizes),*],
            system: &[#(#system),*],
            results: &[#(#results),*],
            }
        };
        &IMAGE
    })
}

/// A step of the system equation.
fn system_step(step: &SystemStep) -> TokenStream {
    let actions = |set: &ActionSet| -> Vec<u32> { set.iter().map(|action| action.0).collect() };
    let step = match step {
        SystemStep::Component(component) => {
            let component = component.0;
            quote!(Component(#component))
        }
        SystemStep::Cooperation(set) => {
            let set = actions(set);
            quote!(Cooperation(&[#(#set),*]))
        }
        SystemStep::Hiding(set) => {
            let set = actions(set);
            quote!(Hiding(&[#(#set),*]))
        }
        SystemStep::Array { steps: copied, count, set } => {
            let (count, set) = (steps(count), actions(set));
            quote!(Array(#copied, &[#(#count),*], &[#(#set),*]))
        }
    };
    quote!(SystemImage::#step)
}

/// A Rust expression in the middle of an activity, as messages show it in place of a name.
fn shown(expression: &TokenStream) -> String {
    const LONGEST: usize = 60;
    let text = expression.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{{ {}... }}", &text[..end]),
        None => format!("{{ {text} }}"),
    }
}

fn option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(Some(#value)),
        None => quote!(None),
    }
}

/// An expression in postfix order.
fn steps(expression: &RateExpression) -> Vec<TokenStream> {
    match expression {
        RateExpression::Number(value) => {
            let text = value.to_string();
            vec![quote!(Step::Number(#text))]
        }
        RateExpression::Parameter(id) => {
            let id = id.0;
            vec![quote!(Step::Parameter(#id))]
        }
        RateExpression::Negative(inner) => {
            let mut all = steps(inner);
            all.push(quote!(Step::Negative));
            all
        }
        RateExpression::Sum(first, rest) => {
            let mut all = steps(first);
            rest.iter().for_each(|(_, term)| all.extend(steps(term)));
            let minus = rest.iter().map(|(operator, _)| *operator == SumOperator::Minus);
            all.push(quote!(Step::Sum(&[#(#minus),*])));
            all
        }
        RateExpression::Product(first, rest) => {
            let mut all = steps(first);
            rest.iter().for_each(|(_, factor)| all.extend(steps(factor)));
            let over = rest.iter().map(|(operator, _)| *operator == ProductOperator::Over);
            all.push(quote!(Step::Product(&[#(#over),*])));
            all
        }
    }
}
