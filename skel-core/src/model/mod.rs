//! The resolved model: what is left when every name has been looked up and every check has passed.
//!
//! A model is a tree of cooperations and hidings over *sequential components*, each a small graph of *local
//! states* (derivatives) and activities. All references are typed indices; the checks of [`crate::check`]
//! hold for every value of this type, so later phases repeat none of them. Rates are kept as expressions over
//! named parameters beside their exact values: [`Model::with_rates`] gives the same structure other rates.

mod array_size;
pub mod brief;
mod display;
pub(crate) mod equation;
pub mod handle;
pub mod image;
pub(crate) mod parameter;
mod structure;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Code, did_you_mean};
pub use crate::id::{ActionId, ComponentId, LocalStateId, NodeId, ParameterId, Position, RateId};
pub use crate::model::equation::{ActionSet, Array, Node, SystemStep};
pub use crate::model::parameter::{Parameter, ParameterDefinition};
use crate::model::parameter::{Within, expression_text};
use crate::number::Ratio;
use crate::rate::{ActivityRate, Rate, RateExpression, RateProblem, positive};
use crate::size::{self, SizeProblem};
use crate::syntax::name::quote_name;

/// The rate of one or more activities, as written and as a value.
#[derive(Clone, Debug, PartialEq)]
pub struct ActivityRateEntry {
    /// The expression: a rate, or a weight where passive.
    pub expression: ActivityRate<RateExpression>,
    /// Its exact value.
    pub value: ActivityRate<Ratio>,
}

/// `(action, rate).target` of a local state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Activity {
    /// The action type.
    pub action: ActionId,
    /// The rate.
    pub rate: RateId,
    /// The local state it leads to.
    pub target: LocalStateId,
}

/// A local state (derivative) and what it can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalState {
    /// The constant's name, without quotes, or, where it has none, the term itself: `(serve, mu).Idle`.
    pub name: String,
    /// Whether it is a constant, so that the name is one of the model's own.
    pub is_constant: bool,
    /// Its activities, a multiset: two equal ones race and count twice.
    pub activities: Vec<Activity>,
}

/// A sequential component: the local states that can be reached from its initial one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// The initial local state.
    pub initial: LocalStateId,
    /// The reachable local states in ascending order of their ids.
    pub local_states: Vec<LocalStateId>,
}

/// A result line `name = rate * {pattern};`: the rate times the probability that the pattern matches.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultLine {
    /// The name of the result.
    pub name: String,
    /// The factor; one where there is none.
    pub factor: Option<RateExpression>,
    /// Per position the local state that it must have, or `None` for `**`.
    pub pattern: Vec<Option<LocalStateId>>,
}

/// A checked PEPA model.
///
/// It is made from a text ([`crate::text`]) or by the macros, and cannot be wrong in the ways that
/// [`crate::check`] tests.
///
/// # Examples
/// ```
/// let text = "P = (go, 1).Q; Q = (back, 2).P; P || P";
/// let model = skel_core::text::parse(text).into_model().unwrap();
/// assert_eq!(model.positions(), 2);
/// assert_eq!(model.action_named("back").map(|a| model.action(a)), Some("back"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub(crate) actions: Vec<String>,
    pub(crate) parameters: Vec<Parameter>,
    /// Every parameter after those that its definition uses.
    pub(crate) evaluation_order: Vec<ParameterId>,
    pub(crate) rates: Vec<ActivityRateEntry>,
    /// Shared with all models that differ in their rates and sizes alone.
    pub(crate) local_states: Arc<[LocalState]>,
    pub(crate) components: Vec<Component>,
    /// The system equation.
    pub(crate) system: Vec<SystemStep>,
    /// Per step of it the number of copies, if it is an array, else 0.
    pub(crate) copies: Vec<u32>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) leaves: Vec<ComponentId>,
    pub(crate) arrays: Vec<Array>,
    pub(crate) results: Vec<ResultLine>,
}

impl Model {
    /// The action types, `tau` first.
    pub fn actions(&self) -> impl ExactSizeIterator<Item = (ActionId, &str)> {
        self.actions.iter().enumerate().map(|(index, name)| (ActionId::at(index), name.as_str()))
    }

    /// The name of an action type.
    #[must_use]
    pub fn action(&self, id: ActionId) -> &str {
        &self.actions[id.index()]
    }

    /// The action type of a name.
    #[must_use]
    pub fn action_named(&self, name: &str) -> Option<ActionId> {
        self.actions.iter().position(|action| action == name).map(ActionId::at)
    }

    /// The named rates, in the order in which they are defined.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The named rate of a name.
    #[must_use]
    pub fn parameter_named(&self, name: &str) -> Option<ParameterId> {
        self.parameters.iter().position(|parameter| parameter.name == name).map(ParameterId::at)
    }

    /// The named rates, each after those that its definition uses.
    #[must_use]
    pub fn evaluation_order(&self) -> &[ParameterId] {
        &self.evaluation_order
    }

    /// The rates of activities, each distinct expression once.
    #[must_use]
    pub fn rates(&self) -> &[ActivityRateEntry] {
        &self.rates
    }

    /// All local states of all components.
    #[must_use]
    pub fn local_states(&self) -> &[LocalState] {
        &self.local_states
    }

    /// One local state.
    #[must_use]
    pub fn local_state(&self, id: LocalStateId) -> &LocalState {
        &self.local_states[id.index()]
    }

    /// The local state of a constant or of a term written as the model writes it.
    #[must_use]
    pub fn local_state_named(&self, name: &str) -> Option<LocalStateId> {
        self.local_states.iter().position(|state| state.name == name).map(LocalStateId::at)
    }

    /// The sequential components.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// One sequential component.
    #[must_use]
    pub fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.index()]
    }

    /// The name of a component: that of its initial local state.
    #[must_use]
    pub fn component_name(&self, id: ComponentId) -> &str {
        &self.local_state(self.component(id).initial).name
    }

    /// The system equation in postfix order, with its arrays as they are written.
    #[must_use]
    pub fn system(&self) -> &[SystemStep] {
        &self.system
    }

    /// The system's tree, children before parents; the last node is the root.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The number of components in the system equation: the length of a state vector.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.leaves.len()
    }

    /// Which component stands at a position.
    #[must_use]
    pub fn component_at(&self, position: Position) -> ComponentId {
        self.leaves[position.index()]
    }

    /// What the component at a position can do in its initial local state, in the order in which the model
    /// says it.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::{Model, Position};
    /// let model = Model::from_text("P = (left, 1).P + (right, 2).Q; Q = (back, 3).P; P")?;
    /// let actions = model.initial_activities(Position(0)).iter().map(|activity| model.action(activity.action));
    /// assert!(actions.eq(["left", "right"]));
    /// # Ok::<(), skel_core::text::Rejected>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn initial_activities(&self, position: Position) -> &[Activity] {
        &self.local_state(self.component(self.component_at(position)).initial).activities
    }

    /// The arrays of the system equation, inner ones before those that contain them.
    #[must_use]
    pub fn arrays(&self) -> &[Array] {
        &self.arrays
    }

    /// The result lines of the file.
    #[must_use]
    pub fn results(&self) -> &[ResultLine] {
        &self.results
    }

    /// The initial state: the initial local state of every position.
    #[must_use]
    pub fn initial_state(&self) -> Vec<LocalStateId> {
        self.leaves.iter().map(|&component| self.component(component).initial).collect()
    }

    /// A state as one writes it: the local states separated by `||`.
    #[must_use]
    pub fn display_state(&self, state: &[LocalStateId]) -> String {
        let written = |&local: &LocalStateId| match self.local_state(local) {
            LocalState { name, is_constant: true, .. } => quote_name(name),
            LocalState { name, .. } => name.clone(),
        };
        state.iter().map(written).collect::<Vec<_>>().join(" || ")
    }

    /// Whether the number of copies of an array depends on this name.
    #[must_use]
    pub fn is_size(&self, id: ParameterId) -> bool {
        self.parameters[id.index()].is_size
    }

    /// The value of the factor of a result line; one where there is none.
    ///
    /// # Errors
    /// A division by zero, or too many digits.
    pub fn factor(&self, result: &ResultLine) -> Result<Ratio, RateProblem> {
        match &result.factor {
            None => Ok(num_traits::One::one()),
            Some(factor) => factor.evaluate(&|id| Ok(self.parameters[id.index()].value.clone())),
        }
    }

    /// The same model with other values of named rates and sizes; what is defined by them follows.
    ///
    /// A rate that is given a value here keeps it, whatever its own definition says and whatever is changed
    /// later. With another size there are other positions; the numbers of actions, local states and rates
    /// stay what they are.
    ///
    /// # Errors
    /// Every rate that is then not positive or has no value, and every size that is no whole number from 1 to
    /// its limit.
    ///
    /// # Examples
    /// ```
    /// # use skel_core::{number::ratio, rate::Rate};
    /// let text = "mu = 2; fast = 10 * mu; P = (go, fast).P; P";
    /// let model = skel_core::text::parse(text).into_model().unwrap();
    /// let mu = model.parameter_named("mu").unwrap();
    /// let faster = model.with_rates(&[(mu, Rate::from(3))]).unwrap();
    /// assert_eq!(faster.rates()[0].value.magnitude(), &ratio(30, 1));
    /// assert!(model.with_rates(&[(mu, Rate::from(0))]).is_err());
    /// let fast = model.parameter_named("fast").unwrap();
    /// let both = faster.with_rates(&[(fast, Rate::from(7))]).unwrap();
    /// assert_eq!((&both.parameters()[mu.index()].value, &both.rates()[0].value.magnitude()), (&ratio(3, 1), &&ratio(7, 1)));
    /// ```
    pub fn with_rates(&self, changes: &[(ParameterId, Rate)]) -> Result<Model, BuildErrors> {
        let mut model = self.clone();
        model.evaluate(&[], changes).map_err(BuildErrors)?;
        Ok(model)
    }

    /// Gives every parameter and every activity its value.
    pub(crate) fn evaluate(
        &mut self,
        supplied: &[Rate],
        changes: &[(ParameterId, Rate)],
    ) -> Result<(), Vec<BuildError>> {
        let mut errors = Vec::new();
        let mut values: Vec<Result<Ratio, RateProblem>> =
            self.parameters.iter().map(|parameter| Ok(parameter.value.clone())).collect();
        for &id in &self.evaluation_order {
            let parameter = &self.parameters[id.index()];
            let change = changes.iter().rev().find(|(changed, _)| *changed == id);
            let value = match (change, &parameter.definition) {
                (Some((_, rate)), _) => rate.to_positive(),
                (None, ParameterDefinition::Expression(expression)) => {
                    expression.evaluate(&lookup(&values)).and_then(positive)
                }
                (None, ParameterDefinition::Supplied(index)) => match supplied.get(*index as usize) {
                    Some(rate) => rate.to_positive(),
                    None => Ok(parameter.value.clone()),
                },
            };
            let subject = || format!("`{}`", parameter.name);
            let is_own = change.is_some() || parameter.definition.is_independent();
            let value = match (value, parameter.is_size) {
                (value, false) => value.map_err(|problem| BuildError::of_rate(&subject(), &problem, false)),
                (Ok(value), true) if !is_own => Ok(value),
                (value, true) => value
                    .map_err(SizeProblem::from)
                    .and_then(size::whole)
                    .map_err(|problem| BuildError::of_size(&subject(), &problem)),
            };
            values[id.index()] = value.map_err(|error| {
                errors.extend(error);
                RateProblem::Inherited
            });
        }
        for entry in &mut self.rates {
            let value = entry.expression.magnitude().evaluate(&lookup(&values)).and_then(positive);
            match value {
                Ok(value) => entry.value = entry.expression.map(|_| value),
                Err(problem) => {
                    errors.extend(BuildError::of_rate(
                        "of an activity",
                        &problem,
                        entry.expression.is_passive(),
                    ));
                }
            }
        }
        match self.copies_with(&values) {
            Ok(copies) if copies != self.copies => self.expand(copies),
            Ok(_) => {}
            Err(wrong) => errors.extend(wrong),
        }
        for (parameter, value) in self.parameters.iter_mut().zip(values) {
            if let Ok(value) = value {
                parameter.value = value;
            }
        }
        for (id, _) in changes {
            let parameter = &mut self.parameters[id.index()];
            let value = RateExpression::Number(parameter.value.clone());
            parameter.definition = ParameterDefinition::Expression(value);
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// How many copies each array of the system equation has with these values: a number for each step.
    fn copies_with(&self, values: &[Result<Ratio, RateProblem>]) -> Result<Vec<u32>, Vec<BuildError>> {
        let mut errors = Vec::new();
        let mut is_known = true;
        let mut copies = vec![0; self.system.len()];
        for (copies, step) in copies.iter_mut().zip(&self.system) {
            let SystemStep::Array { count, .. } = step else { continue };
            let value = count.evaluate(&lookup(values)).map_err(SizeProblem::from);
            match value.and_then(size::copies) {
                Ok(value) => *copies = value,
                Err(problem) => {
                    is_known = false;
                    let subject = expression_text(&self.parameters, count, Within::Nothing);
                    errors.extend(BuildError::of_size(&format!("`{subject}`"), &problem));
                }
            }
        }
        if is_known && equation::positions(&self.system, &copies) > size::MOST_COMPONENTS {
            errors.push(BuildError {
                code: Code::SystemTooLarge,
                message: format!("the system has more than {} components", size::MOST_COMPONENTS),
                help: "use smaller arrays, or compose fewer components".into(),
            });
        }
        if is_known && errors.is_empty() { Ok(copies) } else { Err(errors) }
    }

    /// Makes the tree of the system equation anew, with so many copies. What result lines say of components
    /// that are in no array of variable size goes with these.
    fn expand(&mut self, copies: Vec<u32>) {
        let expansion = equation::expand(&self.system, &copies);
        let is_fixed = expansion.is_fixed();
        let was_fixed = match self.nodes.is_empty() {
            // The patterns of an image are over fixed positions alone.
            true => vec![true; is_fixed.len()],
            false => equation::expand(&self.system, &self.copies).is_fixed(),
        };
        for line in &mut self.results {
            let entries = line.pattern.iter().zip(&was_fixed).filter(|(_, was_fixed)| **was_fixed);
            let mut entries = entries.map(|(entry, _)| *entry);
            let place = |&is_fixed: &bool| if is_fixed { entries.next().flatten() } else { None };
            line.pattern = is_fixed.iter().map(place).collect();
        }
        self.copies = copies;
        self.nodes = expansion.nodes;
        self.leaves = expansion.leaves;
        self.arrays = expansion.arrays;
    }

    /// The positions that are in no array whose size has a name: those that a result line can name.
    #[must_use]
    pub fn fixed_positions(&self) -> Vec<usize> {
        let is_fixed = equation::expand(&self.system, &self.copies).is_fixed();
        (0..is_fixed.len()).filter(|&at| is_fixed[at]).collect()
    }

    /// The positions of each array of variable size that is in no other, in ascending order.
    pub(crate) fn variable_positions(&self) -> Vec<Range<usize>> {
        equation::expand(&self.system, &self.copies).variable
    }

    /// The positions below each node, as a range, since positions are numbered from left to right.
    #[must_use]
    pub fn position_ranges(&self) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            ranges.push(match node {
                Node::Leaf(position) => position.index()..position.index() + 1,
                Node::Cooperation { left, right, .. } => {
                    ranges[left.index()].start..ranges[right.index()].end
                }
                Node::Hiding { of, .. } => ranges[of.index()].clone(),
            });
        }
        ranges
    }
}

fn lookup(values: &[Result<Ratio, RateProblem>]) -> impl Fn(ParameterId) -> Result<Ratio, RateProblem> + '_ {
    |id| values[id.index()].clone()
}

/// One reason why a model cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// The kind of problem.
    pub code: Code,
    /// What is wrong with which rate.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl BuildError {
    fn of_size(subject: &str, problem: &SizeProblem) -> Option<BuildError> {
        let (code, message, help) = problem.explain(subject)?;
        Some(BuildError { code, message, help })
    }

    fn of_rate(subject: &str, problem: &RateProblem, is_weight: bool) -> Option<BuildError> {
        let (code, message, help) = problem.explain(subject, is_weight)?;
        Some(BuildError { code, message, help: help.to_owned() })
    }

    /// A rate or size that the model does not have.
    pub(crate) fn unknown_rate<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> BuildError {
        // A rate that Rust gives in the middle of an activity has a description in braces.
        let names: Vec<&str> = names.filter(|name| !name.starts_with('{')).collect();
        let help = match did_you_mean(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "its rates are numbers, without names".into(),
            None => format!("its named rates are `{}`", names.join("`, `")),
        };
        BuildError { code: Code::UndefinedRate, message: format!("the model has no rate `{name}`"), help }
    }
}

/// All reasons why a model cannot be built from the values that Rust gives it: rates that are not positive,
/// and skeletons with errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildErrors(pub Vec<BuildError>);

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}; help: {}", error.message, error.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildErrors {}
