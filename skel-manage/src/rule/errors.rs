//! Everything that is wrong with rules.

use std::fmt;

use skel_core::diagnostic::{Diagnostic, TextSpan, line_and_column};

/// Everything that is wrong with rules.
///
/// # Examples
/// ```
/// use skel_manage::rule::Rules;
///
/// let errors = Rules::from_toml("[[rule]]\nname = 'more'\npriority = 10\nwhen = 'queue > 10 ms'\nthen = 'add 1'").unwrap_err();
/// assert_eq!(errors.to_string(), "4:17: `queue` is a number and `10 ms` is a time, so they cannot be compared");
/// assert_eq!(errors.diagnostics()[0].code.word(), "wrong_unit");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RuleErrors {
    diagnostics: Vec<Diagnostic<TextSpan>>,
    text: String,
}

impl RuleErrors {
    /// Findings in the order of a text. The text is empty if they have no places.
    pub(super) fn new(mut diagnostics: Vec<Diagnostic<TextSpan>>, text: &str) -> Self {
        diagnostics.sort_by_key(|found| (found.span.start, found.span.end));
        RuleErrors { diagnostics, text: text.to_owned() }
    }

    /// All findings, in the order of the text. Their places are [`TextSpan::NOWHERE`] if the rules are not
    /// from a text.
    pub fn diagnostics(&self) -> &[Diagnostic<TextSpan>] {
        &self.diagnostics
    }

    /// The text that the places are in: that of a condition, of an action or of a file. Empty if the rules
    /// are from none.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A line for each finding: `line:column: message; help: ...`.
impl fmt::Display for RuleErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, found) in self.diagnostics.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "\n" })?;
            if !self.text.is_empty() {
                let (line, column) = line_and_column(&self.text, found.span.start);
                write!(f, "{line}:{column}: ")?;
            }
            write!(f, "{found}")?;
        }
        Ok(())
    }
}

impl std::error::Error for RuleErrors {}
