//! What holds of any text, read as a description of machines and a program: a description or findings, never
//! both; what is read can be written, read again and planned with.

use skel_plan::description::{Parsed, missing_mappings};
use skel_plan::{Description, Planner};
use skel_solve::Limits;

use super::places;

/// The most tasks that are solved: 3 states each, or a few more where they take turns.
const MOST_TASKS: usize = 4;

/// Holds for what either reader made of a text.
pub(crate) fn is_lawful(parsed: &Parsed, text: &str) {
    places::are_within(&parsed.diagnostics, text);
    assert_eq!(parsed.contents.is_none(), !parsed.diagnostics.is_empty(), "{text:?}");
    places::are_within(missing_mappings(parsed).as_slice(), text);
    match &parsed.contents {
        Some(description) => {
            reads_as_written(description);
            plans(description);
        }
        None => assert!(!parsed.clone().into_contents().unwrap_err().to_string().is_empty(), "{text:?}"),
    }
}

/// A `.des` text has no names, and everything else.
fn reads_as_written(description: &Description) {
    let text = description.to_string();
    let again = Description::from_text(&text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    assert_eq!(again.to_string(), text);
    assert_eq!(again.mappings(), description.mappings());
    if names(&again) == names(description) {
        assert_eq!(&again, description);
    }
}

fn names(description: &Description) -> Vec<String> {
    let (application, platform) = (description.application(), description.platform());
    let stages = (0..application.task_count()).map(|stage| application.name(stage));
    stages.chain(platform.processors().map(|id| platform.name(id))).collect()
}

/// A throughput is a positive number, or there is none.
fn plans(description: &Description) {
    let (application, platform) = (description.application().clone(), description.platform().clone());
    if application.task_count() > MOST_TASKS {
        return;
    }
    let limits = Limits {
        states: 100,
        iterations: 50,
        threads: Some(std::num::NonZeroUsize::MIN),
        ..Limits::default()
    };
    let planner = Planner::new(application, platform).with_limits(limits);
    for mapping in description.mappings().iter().take(2) {
        if let Ok(evaluation) = planner.evaluate(mapping) {
            let throughput = evaluation.throughput.value();
            assert!(throughput.is_finite() && throughput > 0.0, "{throughput} for {mapping}\n{description}");
        }
    }
}
