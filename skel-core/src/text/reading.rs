//! What reading any text gives.

use super::Rejected;
use crate::diagnostic::{Diagnostic, TextSpan};

/// What reading a text gives: its contents, unless there are errors, and everything that was found.
///
/// # Examples
/// ```
/// use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
/// use skel_core::text::Reading;
///
/// let at = TextSpan { start: 8, end: 9 };
/// let finding = Diagnostic::new(Code::OutOfRange, at, "the number of items is 0");
/// let reading = Reading::new(Some(0), vec![finding], "items = 0");
/// assert!(reading.contents.is_none());
/// assert_eq!(reading.into_contents().unwrap_err().to_string(), "1:9: the number of items is 0");
/// ```
#[derive(Clone, Debug)]
pub struct Reading<T> {
    /// What the text says, unless there are errors.
    pub contents: Option<T>,
    /// All findings, errors and warnings, in the order of the text.
    pub diagnostics: Vec<Diagnostic<TextSpan>>,
    text: String,
}

impl<T> Reading<T> {
    /// The result of reading this text. Contents beside an error are dropped.
    #[must_use]
    pub fn new(contents: Option<T>, mut diagnostics: Vec<Diagnostic<TextSpan>>, text: &str) -> Self {
        diagnostics.sort_by_key(|finding| (finding.span.start, finding.span.end));
        let has_errors = diagnostics.iter().any(Diagnostic::is_error);
        Reading { contents: contents.filter(|_| !has_errors), diagnostics, text: text.to_owned() }
    }

    /// The text that was read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The contents, or what is wrong with the text.
    ///
    /// # Errors
    /// All findings, if one of them is an error.
    pub fn into_contents(self) -> Result<T, Rejected> {
        self.contents.ok_or_else(|| Rejected::new(self.diagnostics, self.text))
    }
}
