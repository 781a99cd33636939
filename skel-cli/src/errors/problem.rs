//! One error or warning, in one shape for excerpts and for JSON.

use serde_json::{Value, json};
use skel::diagnostic::{Diagnostic, Severity, TextSpan};

use crate::source::Source;

/// One error or warning.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// A stable word.
    pub(crate) code: &'static str,
    /// An error, or a warning.
    pub(crate) severity: Severity,
    /// What is wrong; further lines are details.
    pub(crate) message: String,
    /// What to do instead.
    pub(crate) help: Option<String>,
    /// Where in the model, if it is anywhere.
    pub(crate) place: Option<Place>,
}

/// A place in the model, and others that explain it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The text at fault.
    pub(crate) span: TextSpan,
    /// A few words beside it; may be empty.
    pub(crate) label: String,
    /// Other places, with a few words each.
    pub(crate) related: Vec<(TextSpan, String)>,
}

impl Problem {
    /// An error without a place.
    pub(crate) fn error(code: &'static str, message: impl Into<String>) -> Problem {
        Problem { code, severity: Severity::Error, message: message.into(), help: None, place: None }
    }

    /// The same at a place in the model.
    pub(crate) fn at(mut self, span: TextSpan, label: impl Into<String>) -> Problem {
        self.place = Some(Place { span, label: label.into(), related: Vec::new() });
        self
    }

    /// The same with advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// Whether it is an error.
    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// An entry of `errors` or `warnings` under `--json`.
    pub(crate) fn to_json(&self, source: Option<&Source>) -> Value {
        let place = source.zip(self.place.as_ref());
        let place = place.map(|(source, place)| source.line_and_column(place.span.start));
        json!({
            "code": self.code,
            "message": self.message,
            "line": place.map(|(line, _)| line),
            "column": place.map(|(_, column)| column),
            "help": self.help,
        })
    }
}

impl From<Diagnostic<TextSpan>> for Problem {
    fn from(diagnostic: Diagnostic<TextSpan>) -> Self {
        Problem {
            code: diagnostic.code.word(),
            severity: diagnostic.severity,
            message: diagnostic.message,
            help: diagnostic.help,
            place: Some(Place {
                span: diagnostic.span,
                label: diagnostic.label,
                related: diagnostic.related,
            }),
        }
    }
}
