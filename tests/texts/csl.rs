//! What holds of any text, read as properties: findings have places in the text, what is read prints as a
//! text that reads the same, and names are looked up without a panic.

use std::sync::LazyLock;

use skel_core::csl::{self, Predicate};
use skel_core::model::Model;

use super::places;

/// A model that some of the names are of.
static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let text = include_str!("../../models/mm1k.pepa");
    Model::from_text(text).expect("a model of this repository is right")
});

/// Holds for a text.
pub(crate) fn is_lawful(text: &str) {
    let parsed = csl::parse(text);
    places::are_within(&parsed.diagnostics, text);
    let has_failed = parsed.entries.iter().any(|entry| entry.property.is_none());
    assert!(!has_failed || !parsed.diagnostics.is_empty(), "{text:?}");
    for entry in &parsed.entries {
        assert!(text.get(entry.span.start..entry.span.end).is_some(), "{:?} of {text:?}", entry.span);
        let Some(property) = &entry.property else { continue };
        let printed = property.to_string();
        let again = csl::parse(&printed);
        assert!(again.diagnostics.is_empty(), "{:?}\n{printed}\n{text:?}", again.diagnostics);
        assert_eq!(again.entries[0].property.as_ref(), Some(property), "{printed}\n{text:?}");
    }
    let (queries, findings) = csl::resolve_all(&parsed, &MODEL);
    places::are_within(&findings, text);
    assert!(queries.iter().all(Option::is_some) || !findings.is_empty(), "{text:?}");
    if let Err(rejected) = Predicate::parse(text, &MODEL) {
        places::are_within(rejected.diagnostics(), text);
    }
}
