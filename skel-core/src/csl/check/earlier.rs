//! Properties that others name: `"often": P>=0.5 [ F<=1 "full" ]; S=? [ "often" ]`.
//!
//! A property can be named in the properties that come after it, where its name stands for its condition. So
//! no property can contain itself. The condition is copied to each such place, and there is a limit on how
//! large and how deep conditions may grow in this way.

use super::Checker;
use crate::csl::formula::{Condition, Query, Question};
use crate::csl::parse::Entry;
use crate::diagnostic::{Code, Diagnostic, TextSpan};
use crate::syntax::MAX_DEPTH;
use crate::syntax::ast::Name;
use crate::syntax::cursor::{Read, Reported};

/// The most conditions that a property has with those of the properties that it names.
const MOST_CONDITIONS: usize = 10_000;

/// A property that comes before.
pub(super) struct Earlier {
    pub(super) name: String,
    meaning: Meaning,
    extent: Extent,
}

/// What a property is to others.
enum Meaning {
    Condition(Condition),
    Number,
    Filtered,
    /// Something is wrong with it, which is reported there.
    Wrong,
}

/// How large a formula is.
#[derive(Clone, Copy, Default)]
pub(super) struct Extent {
    /// The number of its conditions.
    pub(super) conditions: usize,
    /// How many of them are inside one another.
    pub(super) depth: usize,
}

impl Earlier {
    /// What a property with a name is to those behind it.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn of(entry: &Entry, query: Option<&Query>, extent: Extent) -> Option<Earlier> {
        let meaning = match query {
            None => Meaning::Wrong,
            Some(Query { filter: Some(_), .. }) => Meaning::Filtered,
            Some(Query { question: Question::Condition(condition), .. }) => {
                Meaning::Condition(condition.clone())
            }
            Some(_) => Meaning::Number,
        };
        entry.name.clone().map(|name| Earlier { name, meaning, extent })
    }
}

impl Checker<'_> {
    /// The condition of a property that comes before, named by another one.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn refer(&mut self, name: &Name<TextSpan>, at: usize) -> Read<Condition> {
        let earlier = &self.earlier[at];
        let (depth, conditions) =
            (self.depth + earlier.extent.depth, self.extent.conditions + earlier.extent.conditions);
        let message = match &earlier.meaning {
            Meaning::Condition(condition) if depth <= 2 * MAX_DEPTH && conditions <= MOST_CONDITIONS => {
                self.extent.conditions = conditions;
                self.extent.depth = self.extent.depth.max(depth);
                return Ok(condition.clone());
            }
            Meaning::Condition(_) => {
                let message = format!("with the property `{}`, this one is too large", name.text);
                let finding = Diagnostic::new(Code::NestingTooDeep, name.at.0, message);
                let help = "name fewer properties in one another, or ask for the parts alone";
                return Err(self.report(finding.help(help)));
            }
            Meaning::Wrong => return Err(Reported),
            Meaning::Filtered => {
                format!("the property `{}` has a filter, and no other formula has one inside", name.text)
            }
            Meaning::Number => {
                format!("the property `{}` is a number, where a condition is needed", name.text)
            }
        };
        let finding = Diagnostic::new(Code::WrongUnit, name.at.0, message);
        Err(self.report(finding.help("name a condition, such as a property with a bound in place of `=?`")))
    }

    /// Reports a name that belongs to a later property, or to the property that contains it.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn comes_later(&mut self, name: &Name<TextSpan>) -> Option<Reported> {
        let at = self.later.iter().position(|entry| entry.name.as_ref() == Some(&name.text))?;
        let (message, help) = match at {
            0 => {
                let message = format!("the property `{}` is part of itself", name.text);
                (message, "write out the condition that is meant")
            }
            _ => {
                let message = format!("the property `{}` comes behind the one that names it", name.text);
                (message, "move it before this one")
            }
        };
        Some(self.report(Diagnostic::new(Code::UndefinedName, name.at.0, message).help(help)))
    }
}
