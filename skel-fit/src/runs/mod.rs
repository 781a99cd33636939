//! Timed runs: what was measured, read from files, and what several runs of one point say together.

mod append;
mod outliers;
mod point;
mod problem;
mod read;
mod trial;
mod write;

pub use append::AppendError;
pub use outliers::{Rule, Scores, median};
pub use point::{Interval, Point, Rejected};
pub use problem::{RunProblem, RunsError};
pub use trial::Trial;

/// One timed run of a segment of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedRun {
    /// The part of the program that was timed.
    pub segment: String,
    /// The type of the machine that it ran on.
    pub machine: String,
    /// The size of the problem.
    pub n: f64,
    /// The number of processes.
    pub p: u32,
    /// How long it took.
    pub seconds: f64,
    /// Which run of this point it was.
    pub run: u32,
}

/// Timed runs, checked.
///
/// # Files
/// CSV with a line of names first: `segment,machine,n,p,seconds,run`, in any order. Only `n` and `seconds`
/// must be there. Lines that begin with `#` are comments. JSON lines have an object with the same names in
/// each line. Without them, the segment is `program`, the machine has no name, `p` is 1, and runs of a point
/// are counted. Spaces around names do not count.
///
/// # Examples
/// ```
/// use skel_fit::runs::Runs;
/// let runs = Runs::from_csv("n,p,seconds\n1000,2,5.11\n1000,2,5.13\n1000,2,5.12\n1000,2,9.99\n")?;
/// let points = runs.points();
/// assert_eq!(points.len(), 1);
/// // The last run is far from the others.
/// assert_eq!(points[0].rejected.len(), 1);
/// assert!((points[0].mean - 5.12).abs() < 1e-12);
/// # Ok::<(), skel_fit::runs::RunsError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Runs(Vec<TimedRun>);

impl Runs {
    /// Checks runs.
    ///
    /// # Errors
    /// Every run with a size or a time that is not above 0 and finite, or without processes.
    pub fn new(runs: impl IntoIterator<Item = TimedRun>) -> Result<Self, RunsError> {
        let runs: Vec<TimedRun> = runs.into_iter().map(read::without_spaces).collect();
        let problems = runs.iter().enumerate().flat_map(|(index, run)| read::wrong_values(run, index + 1));
        RunsError::or(problems.collect::<Vec<_>>(), Runs(runs))
    }

    /// Reads a CSV text.
    ///
    /// # Errors
    /// Every line that cannot be read or that has a wrong value.
    pub fn from_csv(text: &str) -> Result<Self, RunsError> {
        read::csv(text)
    }

    /// Reads lines of JSON.
    ///
    /// # Errors
    /// Every line that cannot be read or that has a wrong value.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::runs::Runs;
    /// let runs = Runs::from_json_lines(r#"{"segment": "rows", "machine": "bio", "n": 500, "p": 4, "seconds": 0.82}"#)?;
    /// assert_eq!(runs.iter().next().unwrap().machine, "bio");
    /// # Ok::<(), skel_fit::runs::RunsError>(())
    /// ```
    pub fn from_json_lines(text: &str) -> Result<Self, RunsError> {
        read::json_lines(text)
    }

    /// The runs as CSV, as [`from_csv`](Runs::from_csv) reads it.
    #[must_use]
    pub fn to_csv(&self) -> String {
        write::csv(&self.0)
    }

    /// The runs as lines of JSON.
    #[must_use]
    pub fn to_json_lines(&self) -> String {
        write::json_lines(&self.0)
    }

    /// Adds other runs behind these.
    pub fn append(&mut self, more: Runs) {
        self.0.extend(more.0);
    }

    /// The runs, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &TimedRun> {
        self.0.iter()
    }

    /// The points: runs of one segment on one type of machine, with one size and one number of processes.
    /// They are in order of these.
    #[must_use]
    pub fn points(&self) -> Vec<Point> {
        point::points(&self.0)
    }

    /// The names of the segments, in order.
    #[must_use]
    pub fn segments(&self) -> Vec<&str> {
        sorted(self.0.iter().map(|run| run.segment.as_str()))
    }

    /// The types of machines, in order.
    #[must_use]
    pub fn machines(&self) -> Vec<&str> {
        sorted(self.0.iter().map(|run| run.machine.as_str()))
    }
}

fn sorted<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}
