//! A model as a text in the syntax of `.pepa` files.
//!
//! The text is made from the resolved model, so that it shows how the checks understood the model: the actions that a set `<*>`
//! stands for, the activities of every constant, and the present values of rates. The text parses to the same model again, with
//! two exceptions: the parts may be numbered in another way, and local states without a name that do the same become one.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::ops::Range;

use fixedbitset::FixedBitSet;

use crate::model::{
    ActionId, ActionSet, Activity, Array, LocalStateId, Model, Node, ParameterDefinition, ParameterId,
    Position,
};
use crate::number::{Ratio, display_ratio};
use crate::rate::{ActivityRate, ProductOperator, RateExpression, SumOperator};
use crate::syntax::name::quote_name;

impl fmt::Display for Model {
    /// The model in the syntax of `.pepa` files.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// let text = "mu = 3; P = (go, mu).(back, infty).P; Q = (back, 1).Q; P[2] <*> Q";
    /// let model = Model::from_text(text).unwrap();
    /// let printed = "mu = 3;\nP = (go, mu).(back, infty).P;\nQ = (back, 1).Q;\nP[2] <back> Q\n";
    /// assert_eq!(model.to_string(), printed);
    /// assert_eq!(Model::from_text(printed).unwrap(), model);
    /// ```
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if blocks(self) {
            f.write_str("// skel: allow(blocked_action)\n")?;
        }
        for at in 0..self.parameters().len() {
            let parameter = &self.parameters()[at];
            if !is_nameless(&parameter.name) {
                writeln!(f, "{} = {};", quote_name(&parameter.name), rate_definition(self, at))?;
            }
        }
        for state in constants(self) {
            let name = quote_name(&self.local_state(state).name);
            writeln!(f, "{name} = {};", choice(self, state))?;
        }
        let system = SystemPrinter::new(self);
        for (text, name) in &system.groups {
            writeln!(f, "{name} = {text};")?;
        }
        let end = if self.results().is_empty() { "" } else { ";" };
        writeln!(f, "{}{end}", system.text())?;
        for line in self.results() {
            write!(f, "{} = ", quote_name(&line.name))?;
            if let Some(factor) = &line.factor {
                write!(f, "{} * ", expression(self, factor, Within::Product))?;
            }
            let entry = |state: &Option<LocalStateId>| state.map_or("**".into(), |state| term(self, state));
            writeln!(f, "{{{}}};", line.pattern.iter().map(entry).collect::<Vec<_>>().join(" || "))?;
        }
        Ok(())
    }
}

// Rates

/// Whether a rate is given by Rust in the middle of an activity. It is called by its expression in braces instead of a name.
fn is_nameless(name: &str) -> bool {
    name.starts_with('{')
}

/// The expression that defines a named rate or, where its value was changed since, the value.
#[inline]
fn rate_definition(model: &Model, at: usize) -> String {
    let parameter = &model.parameters()[at];
    match &parameter.definition {
        ParameterDefinition::Expression(written) => {
            let value = written.evaluate(&|id: ParameterId| Ok(model.parameters()[id.index()].value.clone()));
            if value.as_ref() == Ok(&parameter.value) {
                return expression(model, written, Within::Nothing);
            }
            number(&parameter.value, Within::Nothing)
        }
        ParameterDefinition::Supplied(_) => number(&parameter.value, Within::Nothing),
    }
}

/// What an expression is an operand of.
#[derive(Clone, Copy, PartialEq)]
enum Within {
    Nothing,
    Sum,
    Product,
}

#[inline]
fn expression(model: &Model, written: &RateExpression, within: Within) -> String {
    let bracketed = |text: String, brackets: bool| if brackets { format!("({text})") } else { text };
    match written {
        RateExpression::Number(value) => number(value, within),
        RateExpression::Parameter(id) => match &model.parameters()[id.index()] {
            parameter if is_nameless(&parameter.name) => number(&parameter.value, within),
            parameter => quote_name(&parameter.name),
        },
        RateExpression::Negative(inner) => format!("-{}", expression(model, inner, Within::Product)),
        RateExpression::Sum(first, rest) => {
            let mut text = expression(model, first, Within::Sum);
            for (operator, operand) in rest {
                let sign = if *operator == SumOperator::Plus { "+" } else { "-" };
                text.push_str(&format!(" {sign} {}", expression(model, operand, Within::Sum)));
            }
            bracketed(text, within != Within::Nothing)
        }
        RateExpression::Product(first, rest) => {
            let mut text = expression(model, first, Within::Product);
            for (operator, operand) in rest {
                let sign = if *operator == ProductOperator::Times { "*" } else { "/" };
                text.push_str(&format!(" {sign} {}", expression(model, operand, Within::Product)));
            }
            bracketed(text, within == Within::Product)
        }
    }
}

fn number(value: &Ratio, within: Within) -> String {
    let text = display_ratio(value).replace('/', " / ");
    if within == Within::Product && text.contains('/') { format!("({text})") } else { text }
}

#[inline]
fn activity(model: &Model, activity: &Activity) -> String {
    let rate = match &model.rates()[activity.rate.index()].expression {
        ActivityRate::Active(rate) => expression(model, rate, Within::Nothing),
        ActivityRate::Passive(weight) if *weight == RateExpression::Number(Ratio::from_integer(1.into())) => {
            "infty".into()
        }
        ActivityRate::Passive(RateExpression::Product(first, rest)) => {
            let weight = RateExpression::Product(first.clone(), rest.clone());
            format!("{} * infty", expression(model, &weight, Within::Nothing))
        }
        ActivityRate::Passive(weight) => format!("{} * infty", expression(model, weight, Within::Product)),
    };
    format!("({}, {rate}).", quote_name(model.action(activity.action)))
}

// Processes

/// The local states with names, in the order in which a run of the components comes to them.
#[inline]
fn constants(model: &Model) -> Vec<LocalStateId> {
    let mut seen = vec![false; model.local_states().len()];
    let mut queue: VecDeque<LocalStateId> = model.initial_state().into();
    let mut named = Vec::new();
    while let Some(state) = queue.pop_front() {
        if std::mem::replace(&mut seen[state.index()], true) {
            continue;
        }
        let local = model.local_state(state);
        named.extend(local.is_constant.then_some(state));
        queue.extend(local.activities.iter().map(|activity| activity.target));
    }
    named
}

/// What a local state does: its activities with what follows them.
#[inline]
fn choice(model: &Model, state: LocalStateId) -> String {
    let activities = model.local_state(state).activities.iter();
    activities.map(|first| chain(model, first)).collect::<Vec<_>>().join(" + ")
}

/// An activity and what follows it, up to a constant or a choice.
#[inline]
fn chain(model: &Model, first: &Activity) -> String {
    let mut text = activity(model, first);
    let mut target = first.target;
    loop {
        match model.local_state(target) {
            local if local.is_constant => return text + &quote_name(&local.name),
            local => match local.activities.as_slice() {
                [next] => {
                    text.push_str(&activity(model, next));
                    target = next.target;
                }
                _ => return format!("{text}({})", choice(model, target)),
            },
        }
    }
}

/// A local state as an operand.
#[inline]
fn term(model: &Model, state: LocalStateId) -> String {
    let local = model.local_state(state);
    match local.activities.as_slice() {
        _ if local.is_constant => quote_name(&local.name),
        [only] => chain(model, only),
        _ => format!("({})", choice(model, state)),
    }
}

// The system equation

/// The system equation while it is made from the leaves up, so that no tree is too deep.
struct SystemPrinter<'m> {
    model: &'m Model,
    /// Per node its text, until that is part of its parent's.
    parts: Vec<(String, Kind)>,
    /// For each node the arrays of more than one copy that it stands for.
    arrays: Vec<Vec<&'m Array>>,
    /// The last node over a range of positions.
    last_over: HashMap<Range<usize>, usize>,
    /// Per node its text, if it is what an array copies first.
    copied: Vec<Option<String>>,
    /// Compositions that arrays copy, by text and name.
    groups: Vec<(String, String)>,
    /// The actions that some component does. A text knows no others, so it can't hide them.
    done: FixedBitSet,
}

/// What a part of the system equation is.
#[derive(Clone, Copy, Default, PartialEq)]
enum Kind {
    #[default]
    Operand,
    Hiding,
    Cooperation,
}

impl<'m> SystemPrinter<'m> {
    #[inline]
    fn new(model: &'m Model) -> Self {
        let ranges = model.position_ranges().into_iter().enumerate();
        let mut arrays: Vec<Vec<&Array>> = vec![Vec::new(); model.nodes().len()];
        for array in model.arrays().iter().filter(|array| array.copies > 1) {
            arrays[array.node.index()].push(array);
        }
        let mut system = SystemPrinter {
            model,
            parts: Vec::with_capacity(model.nodes().len()),
            arrays,
            last_over: ranges.map(|(node, range)| (range, node)).collect(),
            copied: vec![None; model.nodes().len()],
            groups: Vec::new(),
            done: done(model),
        };
        for array in system.arrays.iter().flatten() {
            let node = system.copy(array);
            system.copied[node] = Some(String::new());
        }
        for (at, node) in model.nodes().iter().enumerate() {
            let mut part = system.part(node);
            for array in std::mem::take(&mut system.arrays[at]) {
                part = (system.array(array), Kind::Operand);
            }
            if let Some(text) = &mut system.copied[at] {
                text.clone_from(&part.0);
            }
            system.parts.push(part);
        }
        system
    }

    /// The node of the first copy of an array.
    #[inline]
    fn copy(&self, array: &Array) -> usize {
        let first = array.first.index();
        self.last_over[&(first..first + array.width as usize)]
    }

    fn text(&self) -> &str {
        self.parts.last().map_or("", |(text, _)| text)
    }

    #[inline]
    fn part(&mut self, node: &Node) -> (String, Kind) {
        match node {
            Node::Leaf(position) => {
                let component = self.model.component_at(*position);
                (term(self.model, self.model.component(component).initial), Kind::Operand)
            }
            Node::Hiding { of, set } => {
                let (of, kind) = std::mem::take(&mut self.parts[of.index()]);
                let of = if kind == Kind::Operand { of } else { format!("({of})") };
                let hidden: ActionSet =
                    set.iter().filter(|action| self.done.contains(action.index())).collect();
                (format!("{of}/{{{}}}", actions(self.model, &hidden)), Kind::Hiding)
            }
            Node::Cooperation { left, right, set } => {
                let (mut text, _) = std::mem::take(&mut self.parts[left.index()]);
                let (right, kind) = std::mem::take(&mut self.parts[right.index()]);
                let right = if kind == Kind::Cooperation { format!("({right})") } else { right };
                let operator = match set.is_empty() {
                    true => "||".into(),
                    false => format!("<{}>", actions(self.model, set)),
                };
                text.push_str(&format!(" {operator} {right}"));
                (text, Kind::Cooperation)
            }
        }
    }

    #[inline]
    fn array(&mut self, array: &Array) -> String {
        let node = self.copy(array);
        let copied = self.copied[node].clone().unwrap_or_default();
        let of = match &self.model.nodes()[node] {
            Node::Leaf(position) if self.is_constant(*position) => copied,
            _ => self.group(copied),
        };
        let set = match &self.model.nodes()[array.node.index()] {
            Node::Cooperation { set, .. } if !set.is_empty() => format!(", {{{}}}", actions(self.model, set)),
            _ => String::new(),
        };
        format!("{of}[{}{set}]", array.copies)
    }

    /// The name of a composition that an array copies.
    #[inline]
    fn group(&mut self, text: String) -> String {
        if let Some((_, name)) = self.groups.iter().find(|(known, _)| *known == text) {
            return name.clone();
        }
        let name = fresh(self.model, self.groups.len());
        self.groups.push((text, name.clone()));
        name
    }

    fn is_constant(&self, position: Position) -> bool {
        let component = self.model.component(self.model.component_at(position));
        self.model.local_state(component.initial).is_constant
    }
}

/// A name for the n-th composition that an array copies.
#[inline]
fn fresh(model: &Model, number: usize) -> String {
    let is_taken = |name: &str| {
        model.parameter_named(name).is_some()
            || model.local_state_named(name).is_some_and(|state| model.local_state(state).is_constant)
    };
    let mut name = format!("Group{}", number + 1);
    while is_taken(&name) {
        name.push('_');
    }
    name
}

/// The actions of a set by name, as a list.
#[inline]
fn actions(model: &Model, set: &ActionSet) -> String {
    let mut names: Vec<String> = set.iter().map(|action| quote_name(model.action(action))).collect();
    names.sort_unstable();
    names.join(", ")
}

#[inline]
fn done(model: &Model) -> FixedBitSet {
    let mut done = FixedBitSet::with_capacity(model.actions().len());
    let states = model.components().iter().flat_map(|component| &component.local_states);
    let activities = states.flat_map(|&state| &model.local_state(state).activities);
    activities.for_each(|activity| done.insert(activity.action.index()));
    done
}

/// Whether a set has an action that one side cannot do. The model allowed that, so its text has to allow it too.
#[inline]
fn blocks(model: &Model) -> bool {
    let mut abilities: Vec<FixedBitSet> = Vec::with_capacity(model.nodes().len());
    for node in model.nodes() {
        let mut can = FixedBitSet::with_capacity(model.actions().len());
        match node {
            Node::Leaf(position) => {
                let states = &model.component(model.component_at(*position)).local_states;
                let activities = states.iter().flat_map(|&state| &model.local_state(state).activities);
                activities.for_each(|activity| can.insert(activity.action.index()));
            }
            Node::Hiding { of, set } => {
                can = std::mem::take(&mut abilities[of.index()]);
                set.iter().for_each(|action| can.set(action.index(), false));
            }
            Node::Cooperation { left, right, set } => {
                let left = std::mem::take(&mut abilities[left.index()]);
                let right = std::mem::take(&mut abilities[right.index()]);
                let is_blocked = |action: ActionId| left[action.index()] != right[action.index()];
                if set.iter().any(is_blocked) {
                    return true;
                }
                can = &left | &right;
            }
        }
        abilities.push(can);
    }
    false
}
