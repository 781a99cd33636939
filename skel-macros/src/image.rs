//! A checked model as constant data: what the generated code hands to `skel-core` to build.
//!
//! The data stands in a block of its own, where short names are imported and nothing of the user's is in sight.

use proc_macro2::TokenStream;
use quote::quote;

use skel_core::model::{Model, Node, ParameterDefinition};
use skel_core::rate::{ProductOperator, RateExpression, SumOperator};

/// A static value, in which the names of the facade's private module are known; `supplied` are the Rust expressions that give rates.
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
        quote!(NodeImage::#node)
    });
    let leaves = (0..model.positions()).map(|at| model.component_at(skel_core::model::Position::at(at)).0);
    let arrays = model.arrays().iter().map(|array| {
        let (node, first, copies, width) = (array.node.0, array.first.0, array.copies, array.width);
        quote!((#node, #first, #copies, #width))
    });
    let results = model.results().iter().map(|line| {
        let name = &line.name;
        let factor = option(line.factor.as_ref().map(|factor| {
            let steps = steps(factor);
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
            nodes: &[#(#nodes),*],
            leaves: &[#(#leaves),*],
            arrays: &[#(#arrays),*],
            results: &[#(#results),*],
            }
        };
        &IMAGE
    })
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
