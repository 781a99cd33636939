//! One error or warning, in one shape for excerpts and for JSON.

use std::sync::Arc;

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
    /// The text that the place is in, where a command reads several.
    pub(crate) source: Option<Arc<Source>>,
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
        Problem {
            code,
            severity: Severity::Error,
            message: message.into(),
            help: None,
            place: None,
            source: None,
        }
    }

    /// The same at a place in the model.
    pub(crate) fn at(mut self, span: TextSpan, label: impl Into<String>) -> Problem {
        self.place = Some(Place { span, label: label.into(), related: Vec::new() });
        self
    }

    /// The same in a text of its own.
    pub(crate) fn of(mut self, source: &Arc<Source>) -> Problem {
        self.source = Some(Arc::clone(source));
        self
    }

    /// The same with advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// The same with long names cut: a name in a message is to be recognised, and a file may have one of
    /// megabytes.
    pub(crate) fn in_brief(mut self) -> Problem {
        self.message = cut_names(&self.message);
        self.help = self.help.map(|help| cut_names(&help));
        if let Some(place) = &mut self.place {
            place.label = cut_names(&place.label);
            place.related.iter_mut().for_each(|(_, label)| *label = cut_names(label));
        }
        self
    }

    /// Whether it is an error.
    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// An entry of `errors` or `warnings` under `--json`.
    pub(crate) fn to_json(&self, source: Option<&Source>) -> Value {
        let place = self.source.as_deref().or(source).zip(self.place.as_ref());
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

/// A text whose long words are cut in the middle.
fn cut_names(text: &str) -> String {
    const LONGEST: usize = 300;
    const KEPT: usize = 60;
    let mut brief = String::with_capacity(text.len().min(1 << 12));
    for word in text.split_inclusive(char::is_whitespace) {
        if word.len() <= LONGEST {
            brief.push_str(word);
            continue;
        }
        let start: String = word.chars().take(KEPT).collect();
        let end: Vec<char> = word.chars().rev().take(KEPT).collect();
        let left_out = word.chars().count() - 2 * KEPT;
        brief.push_str(&format!("{start}... ({left_out} characters) ..."));
        brief.extend(end.iter().rev());
    }
    brief
}

impl From<Diagnostic<TextSpan>> for Problem {
    fn from(diagnostic: Diagnostic<TextSpan>) -> Self {
        let code = diagnostic.code.word();
        let in_words = format!("say `allow({code})`");
        let on_the_command_line =
            format!("give `--allow {code}`, or write `// skel: allow({code})` in the file");
        Problem {
            code,
            severity: diagnostic.severity,
            message: diagnostic.message,
            help: diagnostic.help.map(|help| help.replace(&in_words, &on_the_command_line)),
            place: Some(Place {
                span: diagnostic.span,
                label: diagnostic.label,
                related: diagnostic.related,
            }),
            source: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_and_sentences_are_not() {
        let sentence = "a sentence of many words, ".repeat(40);
        let name = format!("`{}é`", "é".repeat(1000));
        let brief =
            Problem::error("code", format!("{sentence}{name} is unknown")).help(name.clone()).in_brief();
        assert!(brief.message.starts_with(&sentence) && brief.message.ends_with("éé` is unknown"));
        assert!(brief.message.contains("é... (884 characters) ...é"), "{}", brief.message);
        assert!(brief.help.unwrap().len() < 400);
    }
}
