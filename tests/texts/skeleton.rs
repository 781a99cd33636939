//! What holds of any text, read as a skeleton: a tree or findings, never both; a printed tree reads as the
//! same tree, and its PEPA text as the same model.

use skel_core::skeleton::text::{Parsed, parse};

use super::places;

/// The most tasks of a skeleton that is lowered.
const MOST_TASKS: usize = 24;

/// Holds for what became of a text.
pub(crate) fn is_lawful(text: &str) {
    let parsed = parse(text);
    places::are_within(&parsed.diagnostics, text);
    assert_eq!(parsed.tree.is_some(), parsed.diagnostics.is_empty(), "{text:?}");
    let Some(tree) = &parsed.tree else {
        assert!(!parsed.into_tree().unwrap_err().to_string().is_empty(), "{text:?}");
        return;
    };
    let printed = tree.to_string();
    let again = parse(&printed).into_tree().unwrap_or_else(|errors| panic!("{errors}\n{printed}"));
    assert_eq!(&again, tree, "{printed}");
    if tree.tasks().len() <= MOST_TASKS {
        lowers(&parsed, text);
    }
}

/// With the rates that the text gives to moves, and with one for all.
fn lowers(parsed: &Parsed, text: &str) {
    for communication in [None, Some(1.into())] {
        match parsed.lower(communication) {
            Ok(system) => {
                places::are_within(&parsed.idle_links(system.graph()), text);
                let printed = system.to_string();
                let again = skel_core::text::parse(&printed).model;
                assert_eq!(again.as_ref(), Some(system.model()), "{text:?}\n{printed}");
            }
            Err(findings) => {
                assert!(!findings.is_empty(), "{text:?}");
                places::are_within(&findings, text);
            }
        }
    }
}
