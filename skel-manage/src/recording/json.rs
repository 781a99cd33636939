//! A recording as JSON lines: the program, and then the snapshots.

use std::fmt;

use serde_json::{Value, json};
use skel_core::model::BuildErrors;
use skel_core::skeleton::text::parse;
use skel_run::monitor::{ReadErrors, Series};

use super::{OtherTasks, Recording};

const VERSION: u64 = 1;

/// Why a text is no recording.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordingErrors {
    /// The program of its first line cannot be read: what is wrong with it.
    Program(String),
    /// Snapshots cannot be read.
    Snapshots(ReadErrors),
    /// There are fewer than two snapshots.
    TooFew(usize),
    /// The snapshots are those of another program.
    OtherTasks(OtherTasks),
}

impl Recording {
    /// One line with the program, and a line for each snapshot, as [`Series::to_json_lines`] writes them.
    ///
    /// # Fields
    /// The first line has `version`, which is 1, and `program`, which is a `.skel` text. All other lines have
    /// the fields of [`Series::to_json_lines`].
    ///
    /// # Errors
    /// If no `.skel` text says what the program has.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{farm, pipe, task, Skeleton};
    /// use skel_manage::Recording;
    /// use skel_run::monitor::{Monitors, Series};
    ///
    /// let program = pipe((task(100.0), farm(8, 12.5))).tree()?.communicating(1e6).buffers(4);
    /// let tasks = program.skeleton().leaves().map(|id| (id, program.skeleton().name(id)));
    /// let monitors = Monitors::of(tasks);
    /// let recording = Recording {
    ///     series: Series::of([monitors.snapshot(), monitors.snapshot()]),
    ///     program: Some(program),
    /// };
    /// let read = Recording::from_json_lines(&recording.to_json_lines()?)?;
    /// assert_eq!(read.series, recording.series);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_json_lines(&self) -> Result<String, BuildErrors> {
        let program = match &self.program {
            Some(program) => format!("{}\n", json!({ "version": VERSION, "program": program.to_skel()? })),
            None => String::new(),
        };
        Ok(program + &self.series.to_json_lines())
    }

    /// Reads what [`Self::to_json_lines`] wrote, or [`Series::to_json_lines`], which has no program.
    ///
    /// # Errors
    /// A program or snapshots that cannot be read; fewer than two snapshots; snapshots of other tasks than
    /// those of the program.
    pub fn from_json_lines(text: &str) -> Result<Self, RecordingErrors> {
        let (program, rest) = match program_of(text) {
            // An empty line in its place, so that the numbers of the others stay.
            Some((program, behind)) => (Some(program), format!("\n{behind}")),
            None => (None, text.to_owned()),
        };
        let program = program.map(|text| {
            let parsed = parse(&text);
            let wrong = || parsed.diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            parsed.program().ok_or_else(|| RecordingErrors::Program(wrong()))
        });
        let series = Series::from_json_lines(&rest).map_err(RecordingErrors::Snapshots)?;
        let recording = Recording { program: program.transpose()?, series };
        recording.checked()
    }

    fn checked(self) -> Result<Self, RecordingErrors> {
        let snapshots = self.series.snapshots();
        if snapshots.len() < 2 {
            return Err(RecordingErrors::TooFew(snapshots.len()));
        }
        match &self.program {
            Some(program) => match self.fits(program) {
                Ok(()) => Ok(self),
                Err(other) => Err(RecordingErrors::OtherTasks(other)),
            },
            None => Ok(self),
        }
    }
}

/// The program of the first line, and the lines behind it.
fn program_of(text: &str) -> Option<(String, &str)> {
    let (first, behind) = text.split_once('\n').unwrap_or((text, ""));
    let line: Value = serde_json::from_str(first).ok()?;
    let program = line.get("program")?.as_str()?;
    Some((program.to_owned(), behind))
}

impl fmt::Display for RecordingErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingErrors::Program(problem) => write!(f, "line 1, `program`: {problem}"),
            RecordingErrors::Snapshots(errors) => errors.fmt(f),
            RecordingErrors::TooFew(number) => write!(
                f,
                "a recording has two snapshots at least, so that something happens between them; here are {number}"
            ),
            RecordingErrors::OtherTasks(other) => other.fmt(f),
        }
    }
}

impl std::error::Error for RecordingErrors {}

#[cfg(test)]
mod tests {
    use skel_core::skeleton::{Skeleton, farm, pipe, task};
    use skel_run::monitor::Monitors;

    use super::*;

    fn recording() -> Recording {
        let stages = pipe((task(100.0).named("read"), farm(8, task(12.5).named("sharpen"))));
        let tree = stages.tree().unwrap();
        let monitors = Monitors::of(tree.leaves().map(|id| (id, tree.name(id))));
        let series = Series::of([monitors.snapshot(), monitors.snapshot()]);
        Recording { program: Some(tree.communicating(1e6).buffers(4)), series }
    }

    #[test]
    fn it_is_read_back_with_its_program_and_without() {
        let recording = recording();
        let text = recording.to_json_lines().unwrap();
        let read = Recording::from_json_lines(&text).unwrap();
        assert_eq!(read.series, recording.series);
        assert_eq!(read.to_json_lines().unwrap(), text);
        let alone = recording.series.to_json_lines();
        let read = Recording::from_json_lines(&alone).unwrap();
        assert!(read.program.is_none());
        assert_eq!(read.to_json_lines().unwrap(), alone);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let text = recording().to_json_lines().unwrap();
        let wrong = |text: &str| Recording::from_json_lines(text).unwrap_err().to_string();
        let lines: Vec<&str> = text.lines().collect();
        insta::assert_snapshot!([
            wrong(""),
            wrong(lines[0]),
            wrong(&text.replace("farm(", "form(")),
            wrong(&text.replacen("\"from_ns\":0", "\"from_ns\":-1", 1)),
            wrong(&text.replace("\\\"sharpen\\\"", "\\\"blur\\\"")),
            wrong(&text.replace("\"stage\":3", "\"stage\":2")),
        ].join("\n"), @r"
        a recording has two snapshots at least, so that something happens between them; here are 0
        a recording has two snapshots at least, so that something happens between them; here are 0
        line 1, `program`: `form` is not a kind of stage; help: did you mean `farm`?
        line 2, `from_ns`: a whole number from 0 on should stand here, and not -1
        the recording is of another program: it has the tasks `read`, `sharpen`, and the program has `read`, `blur`
        the recording is of another program: it has the tasks `read` (node 1), `sharpen` (node 2), and the program has `read` (node 1), `sharpen` (node 3)
        ");
    }
}
