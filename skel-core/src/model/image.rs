//! A model as constant data, for generated code: what `pepa!` expands to.
//!
//! The macro has checked the model at compile time; [`Image`] carries the result into the program as plain
//! slices, without any code that would parse or check again. Only rates and sizes
//! can still be wrong at run time.

use crate::model::{
    ActionId, ActionSet, Activity, ActivityRateEntry, BuildError, BuildErrors, Component, ComponentId,
    LocalState, LocalStateId, Model, Parameter, ParameterDefinition, ParameterId, RateId, ResultLine,
    SystemStep,
};
use crate::number::{Ratio, ratio};
use crate::rate::{ActivityRate, ProductOperator, Rate, RateExpression, SumOperator};

/// One step of an expression in postfix order.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Push a literal, `numerator/denominator`.
    Number(&'static str),
    /// Push a named rate.
    Parameter(u32),
    /// Negate the top.
    Negative,
    /// Pop one operand more than there are entries, and add them up. An entry says for each operand after the
    /// first whether it is subtracted instead.
    Sum(&'static [bool]),
    /// The same for a product. An entry says whether its operand divides instead.
    Product(&'static [bool]),
}

/// Where a named rate has its value from.
#[derive(Clone, Copy, Debug)]
pub enum ParameterImage {
    /// An expression.
    Expression(&'static [Step]),
    /// The n-th value from Rust.
    Supplied(u32),
}

/// A step of the system equation; see [`SystemStep`].
#[derive(Clone, Copy, Debug)]
pub enum SystemImage {
    /// A component.
    Component(u32),
    /// The set.
    Cooperation(&'static [u32]),
    /// The set.
    Hiding(&'static [u32]),
    /// The number of steps that are copied, the number of copies, the set.
    Array(u32, &'static [Step], &'static [u32]),
}

/// A local state: its name, whether it is a constant, and its activities as action, rate, target.
pub type LocalStateImage = (&'static str, bool, &'static [(u32, u32, u32)]);

/// A result line: its name, its factor, and its pattern over the positions that are in no array of variable
/// size.
pub type ResultImage = (&'static str, Option<&'static [Step]>, &'static [Option<u32>]);

/// A whole model. The fields are those of [`Model`].
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Image {
    pub actions: &'static [&'static str],
    pub parameters: &'static [(&'static str, ParameterImage)],
    pub evaluation_order: &'static [u32],
    pub rates: &'static [(bool, &'static [Step])],
    pub local_states: &'static [LocalStateImage],
    pub components: &'static [(u32, &'static [u32])],
    pub sizes: &'static [u32],
    pub system: &'static [SystemImage],
    pub results: &'static [ResultImage],
}

impl Image {
    /// The model, with the values from Rust and with changed named rates and sizes.
    ///
    /// # Errors
    /// Every rate that is not positive, and every size that is no whole number from 1 to its limit.
    pub fn build(&self, supplied: &[Rate], changes: &[(ParameterId, Rate)]) -> Result<Model, BuildErrors> {
        let mut model = Model {
            actions: self.actions.iter().map(|&name| name.to_owned()).collect(),
            parameters: self.parameters.iter().map(|(name, image)| parameter(name, image)).collect(),
            evaluation_order: self.evaluation_order.iter().map(|&id| ParameterId(id)).collect(),
            rates: self.rates.iter().map(|&(passive, steps)| entry(passive, steps)).collect(),
            local_states: self.local_states.iter().map(local_state).collect(),
            components: self
                .components
                .iter()
                .map(|&(initial, states)| Component {
                    initial: LocalStateId(initial),
                    local_states: states.iter().map(|&state| LocalStateId(state)).collect(),
                })
                .collect(),
            system: self.system.iter().map(step).collect(),
            copies: Vec::new(),
            nodes: Vec::new(),
            leaves: Vec::new(),
            arrays: Vec::new(),
            results: self.results.iter().map(result).collect(),
        };
        for &size in self.sizes {
            model.parameters[size as usize].is_size = true;
        }
        model.evaluate(supplied, changes).map_err(BuildErrors)?;
        Ok(model)
    }
}

fn parameter(name: &str, image: &ParameterImage) -> Parameter {
    let definition = match image {
        ParameterImage::Expression(steps) => ParameterDefinition::Expression(expression(steps)),
        ParameterImage::Supplied(index) => ParameterDefinition::Supplied(*index),
    };
    Parameter { name: name.to_owned(), definition, value: ratio(1, 1), is_size: false }
}

fn entry(passive: bool, steps: &[Step]) -> ActivityRateEntry {
    let kind = if passive { ActivityRate::Passive } else { ActivityRate::Active };
    let one: fn(Ratio) -> ActivityRate<Ratio> =
        if passive { ActivityRate::Passive } else { ActivityRate::Active };
    ActivityRateEntry { expression: kind(expression(steps)), value: one(ratio(1, 1)) }
}

fn local_state(&(name, is_constant, activities): &LocalStateImage) -> LocalState {
    let activities = activities
        .iter()
        .map(|&(action, rate, target)| Activity {
            action: ActionId(action),
            rate: RateId(rate),
            target: LocalStateId(target),
        })
        .collect();
    LocalState { name: name.to_owned(), is_constant, activities }
}

fn step(image: &SystemImage) -> SystemStep {
    let actions = |set: &[u32]| set.iter().map(|&action| ActionId(action)).collect::<ActionSet>();
    match *image {
        SystemImage::Component(component) => SystemStep::Component(ComponentId(component)),
        SystemImage::Cooperation(set) => SystemStep::Cooperation(actions(set)),
        SystemImage::Hiding(set) => SystemStep::Hiding(actions(set)),
        SystemImage::Array(steps, count, set) => {
            SystemStep::Array { steps, count: expression(count), set: actions(set) }
        }
    }
}

fn result(&(name, factor, pattern): &ResultImage) -> ResultLine {
    ResultLine {
        name: name.to_owned(),
        factor: factor.map(expression),
        pattern: pattern.iter().map(|state| state.map(LocalStateId)).collect(),
    }
}

/// Rebuilds an expression from its steps.
///
/// # Panics
/// If the steps are not what the macro generates.
fn expression(steps: &[Step]) -> RateExpression {
    const BROKEN: &str = "generated steps form one expression";
    let mut stack: Vec<RateExpression> = Vec::new();
    for step in steps {
        let value = match *step {
            Step::Number(text) => {
                let rate = Rate::parse(text).ok().and_then(|rate| rate.exact().cloned());
                RateExpression::Number(rate.expect(BROKEN))
            }
            Step::Parameter(id) => RateExpression::Parameter(ParameterId(id)),
            Step::Negative => RateExpression::Negative(Box::new(stack.pop().expect(BROKEN))),
            Step::Sum(minus) => {
                let rest = stack.split_off(stack.len() - minus.len());
                let operators =
                    minus.iter().map(|&minus| if minus { SumOperator::Minus } else { SumOperator::Plus });
                let first = Box::new(stack.pop().expect(BROKEN));
                RateExpression::Sum(first, operators.zip(rest).collect())
            }
            Step::Product(over) => {
                let rest = stack.split_off(stack.len() - over.len());
                let operators = over
                    .iter()
                    .map(|&over| if over { ProductOperator::Over } else { ProductOperator::Times });
                let first = Box::new(stack.pop().expect(BROKEN));
                RateExpression::Product(first, operators.zip(rest).collect())
            }
        };
        stack.push(value);
    }
    stack.pop().expect(BROKEN)
}

/// A model whose rates can still be given other values: the value of `pepa! { ... }` as an expression.
///
/// # Errors
/// [`Template::build`](crate::model::handle::Modelled::build) says which rates are not positive, and which
/// the model does not have.
#[derive(Clone, Debug)]
pub struct Template {
    image: &'static Image,
    supplied: Vec<Rate>,
    changes: Vec<(ParameterId, Rate)>,
    unknown: Vec<BuildError>,
}

impl Template {
    /// The model of an image, with the values of its `{ expression }` rates.
    #[must_use]
    pub fn new(image: &'static Image, supplied: Vec<Rate>) -> Self {
        Template { image, supplied, changes: Vec::new(), unknown: Vec::new() }
    }

    /// The same with another value of a named rate. A name that the model does not have is an error when the
    /// model is built.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let queue = pepa! { mu = 1; Empty = (arrive, 1).Full; Full = (serve, mu).Empty; Empty };
    /// let pi = queue.clone().with("mu", 3).explore()?.steady_state_exact()?;
    /// assert_eq!(pi.throughput_named("serve")?, ratio(3, 4));
    /// let errors = queue.with("nu", 3).build().unwrap_err();
    /// assert_eq!(errors.to_string(), "the model has no rate `nu`; help: did you mean `mu`?");
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Rate>) -> Self {
        let names = || self.image.parameters.iter().map(|(known, _)| *known);
        match names().position(|known| known == name) {
            Some(id) => self.changes.push((ParameterId::at(id), value.into())),
            None => {
                let unknown = BuildError::unknown_rate(name, names());
                self.unknown.push(unknown);
            }
        }
        self
    }
}

impl crate::model::handle::Modelled for Template {
    fn build(&self) -> Result<Model, BuildErrors> {
        let model = self.image.build(&self.supplied, &self.changes);
        if self.unknown.is_empty() {
            return model;
        }
        let rates = model.err().map_or_else(Vec::new, |errors| errors.0);
        Err(BuildErrors(self.unknown.iter().cloned().chain(rates).collect()))
    }
}
