//! What holds of any text, read as timed runs: runs or problems with their lines; what is read can be
//! written, read again and put together into points.

use skel_fit::runs::{Runs, RunsError};

/// The most problems that are told one by one.
const TOLD: usize = 20;

/// Holds for a text, read as CSV and as lines of JSON.
pub(crate) fn is_lawful(text: &str) {
    judge(Runs::from_csv(text), text);
    judge(Runs::from_json_lines(text), text);
}

fn judge(read: Result<Runs, RunsError>, text: &str) {
    match read {
        Ok(runs) => {
            reads_as_written(&runs);
            has_points(&runs);
        }
        Err(error) => {
            // A carriage return ends a line of CSV, too.
            let lines = text.split(['\n', '\r']).count();
            assert!((1..=TOLD).contains(&error.problems.len()), "{text:?}");
            for problem in &error.problems {
                assert!((1..=lines).contains(&problem.line), "{problem} of {text:?}");
                assert!(!problem.message.is_empty() && !problem.help.is_empty(), "{problem} of {text:?}");
            }
        }
    }
}

fn reads_as_written(runs: &Runs) {
    let (csv, json) = (runs.to_csv(), runs.to_json_lines());
    let again = Runs::from_csv(&csv).unwrap_or_else(|error| panic!("{error}\n{csv}"));
    assert_eq!(&again, runs, "{csv}");
    let again = Runs::from_json_lines(&json).unwrap_or_else(|error| panic!("{error}\n{json}"));
    assert_eq!(&again, runs, "{json}");
}

/// Every run is kept or rejected, and a mean lies among what was kept.
fn has_points(runs: &Runs) {
    let points = runs.points();
    let counted: usize = points.iter().map(|point| point.kept.len() + point.rejected.len()).sum();
    assert_eq!(counted, runs.iter().count());
    for point in points {
        let least = point.kept.iter().copied().fold(f64::INFINITY, f64::min);
        let most = point.kept.iter().copied().fold(0.0, f64::max);
        assert!(point.mean >= least * (1.0 - 1e-12) && point.mean <= most * (1.0 + 1e-12), "{point:?}");
    }
}
