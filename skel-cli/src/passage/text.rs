//! A passage as tables for people.

use super::answer::Answer;
use crate::random_time::text::{digits, tables};
use crate::report::words::counted;
use crate::solve::text::size;

/// A few lines on the chain and on what was counted, then tables.
pub(super) fn report(answer: &Answer, source: &str) -> String {
    let mut text = format!("{source}: {}\n", size(&answer.chain));
    text += &format!("from {} to {}: {}\n", answer.from, answer.to, answer.way);
    text += &format!("{} before the end; {}\n", counted(answer.states, "state"), ends(answer));
    text + &tables(&answer.time, "passages per unit of time")
}

fn ends(answer: &Answer) -> String {
    let error = format!("no figure is off by more than {:.1e}", answer.time.error());
    match answer.time.is_sure {
        true => format!("it is reached with probability 1; {error}"),
        false => format!(
            "it is reached with probability {}, so the mean time is infinite; mean, variance and moments are those of the passages \
             that end; {error}",
            digits(answer.time.ends.figure)
        ),
    }
}
