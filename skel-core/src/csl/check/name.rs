//! Labels and local states.

use super::Checker;
use crate::csl::formula::Condition;
use crate::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use crate::model::LocalStateId;
use crate::syntax::ast::Name;
use crate::syntax::cursor::{Read, Reported};

/// The labels that every model has.
const PREDEFINED: [&str; 2] = ["init", "deadlock"];

impl Checker<'_> {
    /// What a name in quotes stands for.
    pub(super) fn label(&mut self, name: &Name<TextSpan>) -> Read<Condition> {
        let text = name.text.as_str();
        let line = self.model.results().iter().find(|line| line.name == text);
        let local = self.model.local_state_named(text);
        let is_predefined = PREDEFINED.contains(&text);
        let mut properties = (0..self.earlier.len()).filter(|&at| self.earlier[at].name == text);
        let (property, other) = (properties.next(), properties.next());
        match (line, local, is_predefined, property, other) {
            (Some(line), None, false, None, _) => Ok(Condition::Pattern(line.pattern.clone())),
            (None, Some(state), false, None, _) => Ok(Condition::occupied(state)),
            (None, None, true, None, _) => {
                Ok(if text == "init" { Condition::Initial } else { Condition::Deadlock })
            }
            (None, None, false, Some(property), None) => self.refer(name, property),
            (None, None, false, None, _) => Err(self.unknown_label(name)),
            (line, local, _, property, other) => {
                let kinds = [
                    line.map(|_| "a result line"),
                    local.map(|_| "a local state"),
                    is_predefined.then_some("a label of every model"),
                    property.map(|_| {
                        if other.is_some() { "the name of several properties" } else { "a property" }
                    }),
                ];
                let kinds: Vec<&str> = kinds.into_iter().flatten().collect();
                let message = format!("`{text}` is {}", kinds.join(" and "));
                let help = match local {
                    _ if other.is_some() => "give each property a name of its own".to_owned(),
                    _ if property.is_some() => "give the property another name".to_owned(),
                    Some(_) => {
                        format!("write `{text} >= 1` for the local state, or give the other another name")
                    }
                    None => "give the result line another name".to_owned(),
                };
                Err(self.report(Diagnostic::new(Code::AmbiguousName, name.at.0, message).help(help)))
            }
        }
    }

    fn unknown_label(&mut self, name: &Name<TextSpan>) -> Reported {
        if let Some(reported) = self.comes_later(name) {
            return reported;
        }
        let message = format!("the model has no result line or local state `{}`", name.text);
        let lines = self.model.results().iter().map(|line| line.name.as_str());
        let states = self.model.local_states().iter().map(|state| state.name.as_str());
        let properties = self.earlier.iter().map(|earlier| earlier.name.as_str());
        let near = did_you_mean(&name.text, lines.chain(states).chain(PREDEFINED).chain(properties));
        let finding = Diagnostic::new(Code::UndefinedName, name.at.0, message);
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "a label is the name of a result line or of a local state, `init` or `deadlock`".to_owned()
            }
        };
        self.report(finding.help(help))
    }

    /// The local state of a name without quotes.
    pub(super) fn population(&mut self, name: &Name<TextSpan>) -> Read<LocalStateId> {
        if let Some(state) = self.model.local_state_named(&name.text) {
            return Ok(state);
        }
        let message = format!("the model has no local state `{}`", name.text);
        let states = self.model.local_states().iter().map(|state| state.name.as_str());
        let finding = Diagnostic::new(Code::UndefinedName, name.at.0, message);
        let is_line = self.model.results().iter().any(|line| line.name == name.text);
        let help = match did_you_mean(&name.text, states) {
            _ if is_line => format!("the result line is written in quotes, `\"{}\"`", name.text),
            Some(near) => format!("did you mean `{near}`?"),
            None => "a name without quotes is the number of components in a local state".to_owned(),
        };
        Err(self.report(finding.help(help)))
    }
}
