//! A response time as tables for people.

use super::answer::Answer;
use crate::random_time::text::{digits, tables};
use crate::report::words::counted;

/// A few lines on what was counted, then tables, and what is assumed.
pub(super) fn report(answer: &Answer, source: &str) -> String {
    let [states, with_item] = [answer.states, answer.states_with_item].map(|states| counted(states, "state"));
    let mut text = format!("{source}: {states}, and {with_item} with the position of an item\n");
    text += &match &answer.path {
        Some(path) => format!("the response time of an item: {path}\n"),
        None => "the response time of an item, from when the first stage begins it to when the last stage has computed it\n".to_owned(),
    };
    text += &ends(answer);
    text += &tables(&answer.time, "items per unit of time");
    if let Some(inside) = &answer.inside {
        text += &format!("\n{} items are inside on average\n", digits(inside.figure));
    }
    if !answer.assumptions.is_empty() {
        text += "\nassumed of the program:\n";
        answer.assumptions.iter().for_each(|one| text += &format!("  - {one}\n"));
    }
    text
}

fn ends(answer: &Answer) -> String {
    let error = format!("no figure is off by more than {:.1e}\n", answer.time.error());
    match answer.time.is_sure {
        true => error,
        false => format!(
            "an item goes out with probability {}, so the mean time is infinite; mean, variance and moments are those of the items that go \
             out; {error}",
            digits(answer.time.ends.figure)
        ),
    }
}
