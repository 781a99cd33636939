//! What the unit tests of the checks share: a text, and what is found in it.

use crate::diagnostic::{Diagnostic, TextSpan};
use crate::skeleton;
use crate::text;

/// A text, and its findings: the code, the place as an excerpt, and the message.
pub(crate) type Case = (&'static str, &'static [&'static str]);

/// Reads each text as a model and compares what is found.
pub(crate) fn models(cases: &[Case]) {
    compare(cases, |text| text::parse(text).diagnostics);
}

/// Reads each text as a skeleton and compares what is found.
pub(crate) fn skeletons(cases: &[Case]) {
    compare(cases, |text| skeleton::text::parse(text).diagnostics);
}

/// As [`skeletons`], with what is found on the way to a model.
pub(crate) fn systems(cases: &[Case]) {
    compare(cases, |text| skeleton::text::parse(text).lower(None).err().unwrap_or_default());
}

pub(crate) fn compare(cases: &[Case], find: impl Fn(&str) -> Vec<Diagnostic<TextSpan>>) {
    for (text, expected) in cases {
        let shown = |found: Diagnostic<TextSpan>| {
            let place = &text[found.span.start..found.span.end];
            format!("{} `{place}`: {}", found.code.word(), found.message)
        };
        let found: Vec<String> = find(text).into_iter().map(shown).collect();
        assert_eq!(found, *expected, "in {text:?}");
    }
}
