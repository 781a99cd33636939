//! Runs at the end of a file.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::Path;

use super::read::NAMES;
use super::{Runs, write};

/// Why runs cannot be added to a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum AppendError {
    /// The file cannot be read or written.
    File(io::Error),
    /// The first line of a CSV file does not have the names of all parts of a run, and of nothing else.
    Names {
        /// What it says.
        found: String,
    },
}

impl fmt::Display for AppendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppendError::File(error) => error.fmt(f),
            AppendError::Names { found } => {
                let names = NAMES.join(",");
                write!(
                    f,
                    "the first line of the file is `{found}`, so there is no place for all parts of a run; help: write `{names}`, in any order, or take another file"
                )
            }
        }
    }
}

impl std::error::Error for AppendError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            AppendError::File(error) => Some(error),
            AppendError::Names { .. } => None,
        }
    }
}

impl From<io::Error> for AppendError {
    fn from(error: io::Error) -> Self {
        AppendError::File(error)
    }
}

impl Runs {
    /// Adds the runs to the end of a file, which is made if need be: lines of JSON if its name ends with
    /// `.jsonl` or `.json`, and CSV otherwise, with the parts in the order of the names in its first line.
    /// All runs are written at once.
    ///
    /// # Errors
    /// The file cannot be read or written, or its first line has other names.
    ///
    /// # Examples
    /// ```
    /// use skel_fit::runs::{Runs, Trial};
    /// let folder = tempfile::tempdir()?;
    /// let file = folder.path().join("rows.csv");
    /// for run in 1..=3 {
    ///     Runs::new([Trial::new(500.0).number(run).timed("rows", "bio", 0.25)])?.append_to_file(&file)?;
    /// }
    /// let runs = Runs::from_csv(&std::fs::read_to_string(&file)?)?;
    /// assert_eq!(runs.points()[0].kept, [0.25; 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn append_to_file(&self, path: impl AsRef<Path>) -> Result<(), AppendError> {
        let path = path.as_ref();
        let is_json = path.extension().is_some_and(|extension| extension == "jsonl" || extension == "json");
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut before = String::new();
        file.read_to_string(&mut before)?;
        let lines = if is_json { self.to_json_lines() } else { self.lines_after(&before)? };
        let separator = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        Ok(file.write_all(format!("{separator}{lines}").as_bytes())?)
    }

    /// The lines of CSV that come after a text.
    fn lines_after(&self, before: &str) -> Result<String, AppendError> {
        let is_content = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        let Some(first) = before.lines().find(is_content) else { return Ok(self.to_csv()) };
        let names: Vec<&str> = first.split(',').map(|name| name.trim().trim_matches('"')).collect();
        let order: Option<Vec<usize>> =
            names.iter().map(|name| NAMES.iter().position(|known| known == name)).collect();
        let mut sorted = order.clone().unwrap_or_default();
        sorted.sort_unstable();
        match order {
            Some(order) if sorted == [0, 1, 2, 3, 4, 5] => Ok(write::rows(&self.0, &order)),
            _ => Err(AppendError::Names { found: first.trim().to_owned() }),
        }
    }
}
