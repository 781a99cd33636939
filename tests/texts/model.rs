//! What holds of any text, read as a model: a model or an error; a printed tree parses to the same tree, a
//! printed model to the same model, a tree has the findings of its text, and both implementations of the
//! semantics find as many states.

use skel_core::check::{Syntax, check};
use skel_core::diagnostic::{Code, Diagnostic};
use skel_core::model::Model;
use skel_core::semantics::explore::explore;
use skel_core::syntax::print::print;
use skel_core::text::{Parsed, parse, parse_with};
use skel_solve::{Explore, Limits};

use super::places;

/// The most components of a model that is printed and explored, and the most states.
const MOST_COMPONENTS: usize = 12;
const MOST_STATES: u64 = 60;

/// Holds for what became of a text, unless it asks for a long search.
pub(crate) fn is_lawful(text: &str) {
    if asks_for_many_states(text) {
        return;
    }
    let parsed = parse(text);
    places::are_within(&parsed.diagnostics, text);
    let has_error = parsed.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(parsed.model.is_none(), has_error, "{text:?}");
    if parsed.diagnostics.iter().all(|found| found.code > Code::BadDirective) {
        parses_as_printed(&parsed, text);
        checks_as_a_tree(&parsed, text);
    }
    let Ok(model) = parsed.into_model().map_err(|errors| assert!(!errors.to_string().is_empty())) else {
        return;
    };
    if model.positions() <= MOST_COMPONENTS {
        prints_as_itself(&model);
        explores(&model);
    }
}

/// A text may allow its check as many states as it likes, by a number of so many digits.
fn asks_for_many_states(text: &str) -> bool {
    let has_long_number =
        |text: &str| text.as_bytes().windows(4).any(|four| four.iter().all(u8::is_ascii_digit));
    text.contains("max_states") && has_long_number(text)
}

fn parses_as_printed(parsed: &Parsed, text: &str) {
    let printed = print(&parsed.ast());
    let again = parse_with(&printed, parsed.requests.clone());
    assert_eq!(again.ast(), parsed.ast(), "{text:?}\n{printed}");
    assert_eq!(again.model, parsed.model, "{text:?}\n{printed}");
}

/// Most definitions are kept as numbers while a text is read. From the tree of the whole text the same is
/// found.
fn checks_as_a_tree(parsed: &Parsed, text: &str) {
    let mut checked = check(&parsed.ast(), &parsed.requests, Syntax::Correct);
    checked.diagnostics.sort_by_key(|found| (found.span.start, found.span.end));
    assert_eq!(checked.diagnostics, parsed.diagnostics, "{text:?}");
    assert_eq!(checked.model, parsed.model, "{text:?}");
}

fn prints_as_itself(model: &Model) {
    let text = model.to_string();
    let again = Model::from_text(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    assert_eq!(again.to_string(), text);
    assert_eq!(again.positions(), model.positions());
}

fn explores(model: &Model) {
    let limits = Limits {
        states: MOST_STATES,
        memory: 1 << 24,
        threads: Some(std::num::NonZeroUsize::MIN),
        ..Limits::default()
    };
    let reference = explore::<f64>(model, MOST_STATES).ok().map(|graph| graph.states.len());
    let found = model.explorer().limits(&limits).explore().ok().map(|space| space.states());
    assert_eq!(found, reference, "{model}");
}
