//! What holds of any text, read as a description of work that is distributed: a description or errors; what
//! is read can be written, read again and simulated.

use skel_core::diagnostic::Diagnostic;
use skel_distribute::description::{Description, Parsed};

use super::places;

/// The most items of a description that is simulated under all of its schedules.
const MOST_ITEMS: u64 = 3000;

/// The most machines of it.
const MOST_MACHINES: usize = 20;

/// Holds for what the reader made of a text.
pub(crate) fn is_lawful(parsed: &Parsed, text: &str) {
    places::are_within(&parsed.diagnostics, text);
    let has_error = parsed.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(parsed.contents.is_none(), has_error, "{text:?}");
    match &parsed.contents {
        Some(description) => {
            reads_as_written(description);
            ends(description);
        }
        None => assert!(!parsed.clone().into_contents().unwrap_err().to_string().is_empty(), "{text:?}"),
    }
}

fn reads_as_written(description: &Description) {
    let text = description.to_string();
    let again = Description::from_toml(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    assert_eq!(&again, description, "{text}");
}

/// No schedule ends before the bound, and all items are done.
fn ends(description: &Description) {
    let scenario = description.scenario();
    if scenario.items() > MOST_ITEMS || scenario.machines() > MOST_MACHINES {
        return;
    }
    let bound: f64 = scenario.bound().expect("the check has found that the work can be done");
    let schedules = description.schedules();
    for one in scenario.compare(&schedules[..schedules.len().min(12)]).ranked() {
        let (makespan, schedule) = (*one.outcome.makespan(), one.schedule);
        assert!(
            makespan.is_finite() && makespan >= bound * (1.0 - 1e-9),
            "{schedule} {makespan} {bound}\n{description}"
        );
        let done: u64 = one.outcome.loads().iter().map(|load| load.items).sum();
        assert_eq!(done, scenario.items(), "{schedule}\n{description}");
    }
}
