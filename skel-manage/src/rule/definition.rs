//! A rule, as it is written in Rust.

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};

use super::condition::{self, Condition};
use super::errors::RuleErrors;
use super::then::Then;

/// A rule.
///
/// # Examples
/// ```
/// use skel_manage::rule::{Rule, Rules, Then};
///
/// let two_more = Rule::new("two_more", 110, "service_time > limit and queue > 50", Then::Add(2))?.at("sharpen");
/// let rules = Rules::predefined().with([two_more])?;
/// assert!(rules.rules().iter().any(|rule| rule.name == "two_more"));
/// # Ok::<(), skel_manage::rule::RuleErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// Rules of a higher priority are asked first.
    pub priority: i32,
    /// The stage that it looks at, by its task's name; all stages, the slowest first, if none is said.
    pub stage: Option<String>,
    /// When it fires.
    pub when: Condition,
    /// What is done then.
    pub then: Then,
    /// The rules that it takes the place of, beside one of its own name. In a set that was checked they are
    /// gone, and this is empty.
    pub overrides: Vec<String>,
}

impl Rule {
    /// A rule that looks at all stages and takes the place of no other.
    ///
    /// # Errors
    /// An empty name, everything that is wrong with the condition, a number of the action that is out of its
    /// bounds.
    ///
    /// # Examples
    /// ```
    /// use skel_manage::rule::{Rule, Then};
    /// let errors = Rule::new("more", 10, "queue > 10 and", Then::Add(0)).unwrap_err();
    /// assert_eq!(errors.to_string(), "\
    /// the condition of `more`: expected a measure, a number or `(`, found the end of the condition
    /// the action of `more`: `add 0`: the number has to be a whole one from 1 to 2000");
    /// ```
    pub fn new(name: impl Into<String>, priority: i32, when: &str, then: Then) -> Result<Rule, RuleErrors> {
        let name = name.into();
        let nowhere = |code, message| Diagnostic::new(code, TextSpan::NOWHERE, message);
        let mut found = Vec::new();
        if name.trim().is_empty() {
            found.push(nowhere(Code::BadRule, "a rule has no name".to_owned()));
        }
        let condition = condition::read(when).map_err(|wrong| {
            found.extend(wrong.into_iter().map(|wrong| Diagnostic {
                message: format!("the condition of `{name}`: {}", wrong.message),
                ..wrong.at(|_| TextSpan::NOWHERE)
            }));
        });
        if let Some(wrong) = then.wrong() {
            found.push(nowhere(Code::BadRule, format!("the action of `{name}`: {wrong}")));
        }
        match condition {
            Ok(when) if found.is_empty() => {
                Ok(Rule { name, priority, stage: None, when, then, overrides: Vec::new() })
            }
            _ => Err(RuleErrors::new(found, "")),
        }
    }

    /// The same rule for one stage alone, by its task's name.
    #[must_use]
    pub fn at(self, stage: impl Into<String>) -> Rule {
        Rule { stage: Some(stage.into()), ..self }
    }

    /// The same rule in the place of another, beside those that it already takes the place of.
    #[must_use]
    pub fn overriding(mut self, name: impl Into<String>) -> Rule {
        self.overrides.push(name.into());
        self
    }
}
