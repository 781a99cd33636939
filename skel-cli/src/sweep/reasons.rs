//! Why points have no figures: one problem for each kind of reason, with the first point that has it.

use skel::Error;
use skel::diagnostic::TextSpan;
use skel::limits::Limit;
use skel::number::display_ratio;

use super::answer::{Axis, Row};
use crate::errors::{Exit, Failure, Problem, option_of};

/// The problems of all points, and of the whole where it was stopped.
pub(super) fn of_rows(axes: &[Axis], rows: &[Row], stopped: Option<Limit>) -> Vec<Problem> {
    let mut problems: Vec<(usize, String, Problem)> = Vec::new();
    for row in rows.iter().filter(|row| !row.is_left) {
        let Err(error) = &row.outcome else { continue };
        let problem = reason(error);
        match problems.iter_mut().find(|(.., known)| known.code == problem.code) {
            Some((count, ..)) => *count += 1,
            None => problems.push((1, place(axes, row), problem)),
        }
    }
    let of_points = problems.into_iter().map(|(count, first, problem)| {
        let who = match count {
            1 => format!("{first} has no figures"),
            _ => format!("{count} points have no figures, beginning with {first}"),
        };
        Problem { message: format!("{who}: {}", problem.message), ..problem }
    });
    of_points.chain(stopped.map(|limit| of_whole(limit, rows))).collect()
}

/// The reason of one point, without a place in the text.
pub(super) fn reason(error: &Error) -> Problem {
    let nowhere = TextSpan { start: 0, end: 0 };
    let problem = match error {
        Error::Rejected(rejected) => {
            let first = rejected.diagnostics().first().cloned().map(Problem::from);
            first.unwrap_or_else(|| Problem::error("syntax", error.to_string()))
        }
        _ => {
            let first = Failure::of_error(error, nowhere).problems.into_iter().next();
            first.unwrap_or_else(|| Problem::error("no_value", error.to_string()))
        }
    };
    let help = match error {
        Error::Deadlock(_) => Some(
            "each component waits there for partners that cannot join it: look at the cooperation sets; `--allow deadlock` gives \
             the figures of a single deadlock"
                .to_owned(),
        ),
        Error::SeveralRecurrentClasses(_) => Some(
            "give all but one a way out; for one point, `skel solve --long-run` with `--set` has the average over where runs end"
                .to_owned(),
        ),
        Error::Stopped(stopped) => match stopped.limit {
            Limit::Time(_) => Some("raise `--max-time-per-point`, or make the model smaller".to_owned()),
            _ => problem.help.clone(),
        },
        _ => problem.help.clone(),
    };
    Problem { place: None, help, ..problem }
}

/// The point of a row, as `making = 1, eating = 2`.
fn place(axes: &[Axis], row: &Row) -> String {
    let pairs = axes.iter().zip(&row.values);
    let words: Vec<String> =
        pairs.map(|(axis, value)| format!("{} = {}", axis.name, display_ratio(value))).collect();
    words.join(", ")
}

fn of_whole(limit: Limit, rows: &[Row]) -> Problem {
    let solved = rows.iter().filter(|row| row.outcome.is_ok()).count();
    let message =
        format!("{limit}: {solved} of {} points are solved, and the answer is incomplete", rows.len());
    let problem = Problem::error("limit_reached", message);
    match option_of(limit) {
        Some(option) => problem.help(format!("raise `{option}`, or take fewer points")),
        None => problem,
    }
}

/// How the command ends with these problems.
pub(super) fn exit(problems: &[Problem]) -> Exit {
    if problems.is_empty() { Exit::Answered } else { Exit::Limit }
}
