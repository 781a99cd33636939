//! Conditions on states alone: formulas without `P`, `S` and `R`.

use super::check;
use super::formula::Condition;
use super::parse::parse;
use crate::diagnostic::{Code, Diagnostic, TextSpan, sort_by_place};
use crate::model::Model;
use crate::text::Rejected;

/// A condition on the states of a model: `"full" & !Down >= 1`.
///
/// # Examples
/// ```
/// use skel_core::csl::Predicate;
/// let model = skel_core::text::parse("P = (go, 1).Q; Q = (back, 2).P; P || P").into_model().unwrap();
/// let predicate = Predicate::parse("P = 1 | {Q || **}", &model).unwrap();
/// assert_eq!(predicate.to_string(), "P = 1 | {Q || **}");
/// let rejected = Predicate::parse("P >= 1 & R = 2", &model).unwrap_err();
/// assert!(rejected.to_string().starts_with("1:10: the model has no local state `R`"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    condition: Condition,
    text: String,
}

impl Predicate {
    /// Reads a condition on the states of a model.
    ///
    /// # Errors
    /// Everything that is wrong with the text, with its places.
    #[cfg_attr(debug_assertions, inline)]
    pub fn parse(text: &str, model: &Model) -> Result<Predicate, Rejected> {
        let reject = |mut findings: Vec<Diagnostic<TextSpan>>| {
            sort_by_place(&mut findings);
            Rejected::new(findings, text.to_owned())
        };
        let mut parsed = parse(text);
        let whole = TextSpan { start: 0, end: text.trim_end().len() };
        if !parsed.diagnostics.is_empty() {
            return Err(reject(parsed.diagnostics));
        }
        let property = match (parsed.entries.len(), parsed.constants.first()) {
            (1, None) => parsed.entries.remove(0).property,
            _ => None,
        };
        let Some(property) = property.filter(|property| property.name.is_none()) else {
            let finding = Diagnostic::new(Code::Syntax, whole, "expected one condition on states");
            return Err(reject(vec![
                finding.help("write a formula, such as `\"full\"` or `Busy >= 2`, without a `;`"),
            ]));
        };
        let condition = check::predicate(&property.formula, model).map_err(reject)?;
        Ok(Predicate { condition, text: property.formula.to_string() })
    }

    /// The condition, which has no [`Condition::Bounded`] in it.
    #[must_use]
    pub fn condition(&self) -> &Condition {
        &self.condition
    }
}

impl std::fmt::Display for Predicate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}
