//! One of several copies of a component: `Client@1:Wait`.

use num_traits::{One, ToPrimitive};

use super::Checker;
use crate::csl::formula::Condition;
use crate::csl::tree::Place;
use crate::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use crate::model::{Component, LocalStateId, Position};
use crate::number::Ratio;
use crate::syntax::ast::Name;
use crate::syntax::cursor::Read;

impl Checker<'_> {
    /// The pattern in which one copy is in a local state, and all else is anything.
    pub(super) fn copy(
        &mut self,
        component: &Name<TextSpan>,
        number: &(Ratio, Place),
        state: &Name<TextSpan>,
    ) -> Read<Condition> {
        let positions = self.positions_of(component)?;
        let (position, local) =
            (self.numbered(&positions, component, number), self.local_state_of(component, state));
        let mut pattern = vec![None; self.model.positions()];
        pattern[position?.index()] = Some(local?);
        Ok(Condition::Pattern(pattern))
    }

    /// The positions at which a component stands in the system equation.
    fn positions_of(&mut self, component: &Name<TextSpan>) -> Read<Vec<Position>> {
        let positions = (0..self.model.positions()).map(Position::at);
        let is_there =
            |&at: &Position| self.model.component_name(self.model.component_at(at)) == component.text;
        let found: Vec<Position> = positions.filter(is_there).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let message = format!("the system equation has no component `{}`", component.text);
        let components = self.model.components().iter().map(|known| known.initial);
        let names = components.map(|initial| self.model.local_state(initial).name.as_str());
        let near = did_you_mean(&component.text, names);
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a component is named by the local state that it begins in".to_owned(),
        };
        let finding = Diagnostic::new(Code::UndefinedName, component.at.0, message);
        Err(self.report(finding.help(help)))
    }

    fn numbered(
        &mut self,
        positions: &[Position],
        component: &Name<TextSpan>,
        (number, at): &(Ratio, Place),
    ) -> Read<Position> {
        let number = number.is_integer().then(|| number - Ratio::one()).and_then(|number| number.to_usize());
        if let Some(position) = number.and_then(|number| positions.get(number)) {
            return Ok(*position);
        }
        let (name, copies) = (&component.text, positions.len());
        let message = match copies {
            1 => format!("the system equation has one `{name}`"),
            _ => format!("the system equation has {copies} copies of `{name}`"),
        };
        let help = match copies {
            1 => format!("write `{name}@1`"),
            _ => format!("copies are numbered from left to right, from `{name}@1` to `{name}@{copies}`"),
        };
        Err(self.report(Diagnostic::new(Code::BadNumber, at.0, message).help(help)))
    }

    fn local_state_of(&mut self, component: &Name<TextSpan>, state: &Name<TextSpan>) -> Read<LocalStateId> {
        let local = self.population(state)?;
        let name = |known: &Component| &self.model.local_state(known.initial).name;
        let mut named = self.model.components().iter().filter(|known| *name(known) == component.text);
        if named.any(|known| known.local_states.contains(&local)) {
            return Ok(local);
        }
        let message = format!("`{}` is never in `{}`", component.text, state.text);
        let finding = Diagnostic::new(Code::UndefinedName, state.at.0, message);
        Err(self.report(finding.help(format!("name a local state that `{}` comes to", component.text))))
    }
}
