//! Findings point into the text that they are about: no reader may name a place that a report cannot show.

use skel_core::diagnostic::{Diagnostic, TextSpan};

/// Every finding says something, and each of its places is a part of the text, in whole characters.
pub(crate) fn are_within(findings: &[Diagnostic<TextSpan>], text: &str) {
    for finding in findings {
        assert!(!finding.message.is_empty(), "{finding:?} of {text:?}");
        let related = finding.related.iter().map(|(place, _)| place);
        for place in std::iter::once(&finding.span).chain(related) {
            assert!(text.get(place.start..place.end).is_some(), "{finding:?} of {text:?}");
        }
    }
}
