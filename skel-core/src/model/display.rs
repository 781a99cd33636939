//! A model as a text in the syntax of `.pepa` files.
//!
//! The text is made from the resolved model, so that it shows how the checks understood the model: the
//! actions that a set `<*>` stands for, the activities of every constant, and the present values of rates.
//! The text parses to the same model again, with two exceptions: the parts may be numbered in another way,
//! and local states without a name that do the same become one.

use std::collections::VecDeque;
use std::fmt;

use fixedbitset::FixedBitSet;
use num_traits::One;

use crate::model::parameter::{Within, expression_text, is_nameless, number_text};
use crate::model::{
    ActionId, ActionSet, Activity, LocalStateId, Model, Node, ParameterDefinition, ParameterId, SystemStep,
};
use crate::number::Ratio;
use crate::rate::{ActivityRate, RateExpression};
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
    #[cfg_attr(debug_assertions, inline)]
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
                write!(f, "{} * ", expression_text(self.parameters(), factor, Within::Product))?;
            }
            writeln!(f, "{{{}}};", pattern(self, &line.pattern))?;
        }
        Ok(())
    }
}

// Rates

/// The expression that defines a named rate or, where its value was changed since, the value.
#[cfg_attr(debug_assertions, inline)]
fn rate_definition(model: &Model, at: usize) -> String {
    let parameter = &model.parameters()[at];
    match &parameter.definition {
        ParameterDefinition::Expression(written) => {
            let value = written.evaluate(&|id: ParameterId| Ok(model.parameters()[id.index()].value.clone()));
            if value.as_ref() == Ok(&parameter.value) {
                return expression_text(model.parameters(), written, Within::Nothing);
            }
            number_text(&parameter.value, Within::Nothing)
        }
        ParameterDefinition::Supplied(_) => number_text(&parameter.value, Within::Nothing),
    }
}

#[cfg_attr(debug_assertions, inline)]
fn activity(model: &Model, activity: &Activity) -> String {
    let rate = match &model.rates()[activity.rate.index()].expression {
        ActivityRate::Active(rate) => expression_text(model.parameters(), rate, Within::Nothing),
        ActivityRate::Passive(weight) if *weight == RateExpression::Number(Ratio::from_integer(1.into())) => {
            "infty".into()
        }
        ActivityRate::Passive(weight) => {
            // A sum alone needs brackets: a fraction and a product go on with `infty`, and are read as that
            // again.
            let is_sum = matches!(weight, RateExpression::Sum(..));
            let within = if is_sum { Within::Product } else { Within::Nothing };
            format!("{} * infty", expression_text(model.parameters(), weight, within))
        }
    };
    format!("({}, {rate}).", quote_name(model.action(activity.action)))
}

// Processes

/// The local states with names, in the order in which a run of the components comes to them.
#[cfg_attr(debug_assertions, inline)]
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
#[cfg_attr(debug_assertions, inline)]
fn choice(model: &Model, state: LocalStateId) -> String {
    let activities = model.local_state(state).activities.iter();
    activities.map(|first| chain(model, first)).collect::<Vec<_>>().join(" + ")
}

/// An activity and what follows it, up to a constant or a choice.
#[cfg_attr(debug_assertions, inline)]
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
#[cfg_attr(debug_assertions, inline)]
fn term(model: &Model, state: LocalStateId) -> String {
    let local = model.local_state(state);
    match local.activities.as_slice() {
        _ if local.is_constant => quote_name(&local.name),
        [only] => chain(model, only),
        _ => format!("({})", choice(model, state)),
    }
}

/// A pattern without brackets: an entry for each component, and one for each array of variable size.
#[cfg_attr(debug_assertions, inline)]
fn pattern(model: &Model, pattern: &[Option<LocalStateId>]) -> String {
    let mut variable = model.variable_positions().into_iter().peekable();
    let mut entries: Vec<String> = Vec::new();
    let mut at = 0;
    while at < pattern.len() {
        let array = variable.next_if(|range| range.start == at);
        entries.push(pattern[at].map_or("**".into(), |state| term(model, state)));
        at = array.map_or(at + 1, |range| range.end);
    }
    entries.join(" || ")
}

// The system equation

/// The system equation while it is made from its steps, so that no tree is too deep.
struct SystemPrinter<'m> {
    model: &'m Model,
    /// The operands that are still to be composed.
    operands: Vec<Operand>,
    /// Compositions that arrays copy, by text and name.
    groups: Vec<(String, String)>,
    /// The actions that some component does. A text knows no others, so it can't hide them.
    done: FixedBitSet,
}

/// A part of the system equation.
#[derive(Default)]
struct Operand {
    text: String,
    kind: Kind,
}

/// What a part of the system equation is.
#[derive(Clone, Copy, Default, PartialEq)]
enum Kind {
    /// A name, which an array can copy.
    #[default]
    Name,
    Operand,
    Hiding,
    Cooperation,
}

impl<'m> SystemPrinter<'m> {
    #[cfg_attr(debug_assertions, inline)]
    fn new(model: &'m Model) -> Self {
        let mut printer =
            SystemPrinter { model, operands: Vec::new(), groups: Vec::new(), done: done(model) };
        for step in model.system() {
            let operand = printer.operand(step);
            printer.operands.push(operand);
        }
        printer
    }

    fn text(&self) -> &str {
        self.operands.last().map_or("", |operand| &operand.text)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn operand(&mut self, step: &SystemStep) -> Operand {
        match step {
            SystemStep::Component(component) => {
                let initial = self.model.component(*component).initial;
                let is_name = self.model.local_state(initial).is_constant;
                let kind = if is_name { Kind::Name } else { Kind::Operand };
                Operand { text: term(self.model, initial), kind }
            }
            SystemStep::Hiding(set) => {
                let of = self.pop();
                let has_brackets = matches!(of.kind, Kind::Hiding | Kind::Cooperation);
                let of = if has_brackets { format!("({})", of.text) } else { of.text };
                let hidden: ActionSet =
                    set.iter().filter(|action| self.done.contains(action.index())).collect();
                let text = format!("{of}/{{{}}}", actions(self.model, &hidden));
                Operand { text, kind: Kind::Hiding }
            }
            SystemStep::Cooperation(set) => {
                let (right, mut left) = (self.pop(), self.pop());
                let has_brackets = right.kind == Kind::Cooperation;
                let right = if has_brackets { format!("({})", right.text) } else { right.text };
                let operator = match set.is_empty() {
                    true => "||".into(),
                    false => format!("<{}>", actions(self.model, set)),
                };
                left.text.push_str(&format!(" {operator} {right}"));
                Operand { text: left.text, kind: Kind::Cooperation }
            }
            SystemStep::Array { count: RateExpression::Number(one), .. } if one.is_one() => self.pop(),
            SystemStep::Array { count, set, .. } => self.array(count, set),
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn array(&mut self, count: &RateExpression, set: &ActionSet) -> Operand {
        let copied = self.pop();
        let of = if copied.kind == Kind::Name { copied.text } else { self.group(copied.text) };
        let count = expression_text(self.model.parameters(), count, Within::Nothing);
        let set = match set.is_empty() {
            true => String::new(),
            false => format!(", {{{}}}", actions(self.model, set)),
        };
        Operand { text: format!("{of}[{count}{set}]"), kind: Kind::Operand }
    }

    /// The name of a composition that an array copies.
    #[cfg_attr(debug_assertions, inline)]
    fn group(&mut self, text: String) -> String {
        if let Some((_, name)) = self.groups.iter().find(|(known, _)| *known == text) {
            return name.clone();
        }
        let name = fresh(self.model, self.groups.len());
        self.groups.push((text, name.clone()));
        name
    }

    fn pop(&mut self) -> Operand {
        self.operands.pop().unwrap_or_default()
    }
}

/// A name for the n-th composition that an array copies.
#[cfg_attr(debug_assertions, inline)]
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
#[cfg_attr(debug_assertions, inline)]
fn actions(model: &Model, set: &ActionSet) -> String {
    let mut names: Vec<String> = set.iter().map(|action| quote_name(model.action(action))).collect();
    names.sort_unstable();
    names.join(", ")
}

#[cfg_attr(debug_assertions, inline)]
fn done(model: &Model) -> FixedBitSet {
    let mut done = FixedBitSet::with_capacity(model.actions().len());
    let states = model.components().iter().flat_map(|component| &component.local_states);
    let activities = states.flat_map(|&state| &model.local_state(state).activities);
    activities.for_each(|activity| done.insert(activity.action.index()));
    done
}

/// Whether a set has an action that one side cannot do. The model allowed that, so its text has to allow it
/// too.
#[cfg_attr(debug_assertions, inline)]
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
