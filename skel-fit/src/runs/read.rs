//! Runs from texts.

use std::collections::HashMap;

use serde_json::Value;

use super::problem::{RunProblem, RunsError};
use super::{Runs, TimedRun};

/// The names of the parts of a run.
pub(super) const NAMES: [&str; 6] = ["segment", "machine", "n", "p", "seconds", "run"];

/// The segment of runs that name none.
const SEGMENT: &str = "program";

pub(super) fn csv(text: &str) -> Result<Runs, RunsError> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut reading = Reading::default();
    let names: Vec<String> = match reader.headers() {
        Ok(headers) => headers.iter().map(str::to_owned).collect(),
        Err(error) => return RunsError::or([unreadable(&error)], Runs::default()),
    };
    RunsError::or(wrong_names(&names), ())?;
    for record in reader.records() {
        match record {
            Ok(record) => {
                let line = record.position().map_or(0, |position| position.line() as usize);
                let field = |name: &str| {
                    let at = names.iter().position(|known| known == name)?;
                    record.get(at).filter(|text| !text.is_empty()).map(str::to_owned)
                };
                if record.len() > names.len() {
                    let (found, known) = (record.len(), names.len());
                    reading.wrong(
                        line,
                        format!("there are {found} values, and {known} names in the first line"),
                        "write a value for each name",
                    );
                } else {
                    reading.take(line, field);
                }
            }
            Err(error) => reading.problems.push(unreadable(&error)),
        }
    }
    reading.end()
}

pub(super) fn json_lines(text: &str) -> Result<Runs, RunsError> {
    let mut reading = Reading::default();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(run)) => {
                let unknown: Vec<&String> = run.keys().filter(|key| !NAMES.contains(&key.as_str())).collect();
                for name in unknown {
                    reading.wrong(index + 1, format!("`{name}` is no part of a run"), &known_names());
                }
                reading.take(index + 1, |name| run.get(name).map(plain));
            }
            Ok(_) => reading.wrong(index + 1, "this is no object".into(), EXAMPLE),
            Err(error) => reading.wrong(index + 1, format!("this is no JSON: {error}"), EXAMPLE),
        }
    }
    reading.end()
}

const EXAMPLE: &str = r#"write a line such as {"segment": "rows", "machine": "bio", "n": 500, "p": 4, "seconds": 0.82, "run": 1}"#;

fn known_names() -> String {
    format!("the names are {}", NAMES.join(", "))
}

/// A value of JSON without the quotation marks of a string.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn unreadable(error: &csv::Error) -> RunProblem {
    let line = error.position().map_or(1, |position| position.line() as usize);
    RunProblem {
        line,
        message: format!("this is no CSV: {error}"),
        help: "write UTF-8 text with a comma between values".into(),
    }
}

fn wrong_names(names: &[String]) -> Vec<RunProblem> {
    if let [only] = names
        && let Some(separator) = only.chars().find(|letter| [';', '\t'].contains(letter))
    {
        let separator = if separator == ';' { "semicolons" } else { "tabs" };
        let message = format!("the values are separated by {separator}");
        let help = "write commas between values, and a point before decimals, as in `rows,500,0.82`";
        return vec![RunProblem { line: 1, message, help: help.into() }];
    }
    let mut problems = Vec::new();
    let mut wrong = |message: String| problems.push(RunProblem { line: 1, message, help: known_names() });
    for (index, name) in names.iter().enumerate() {
        if !NAMES.contains(&name.as_str()) {
            wrong(format!("`{name}` is no part of a run"));
        } else if names[..index].contains(name) {
            wrong(format!("`{name}` is there twice"));
        }
    }
    for name in ["n", "seconds"].into_iter().filter(|name| !names.iter().any(|known| known == name)) {
        wrong(format!("`{name}` is missing in the first line"));
    }
    problems
}

/// What was read so far.
#[derive(Default)]
struct Reading {
    runs: Vec<TimedRun>,
    problems: Vec<RunProblem>,
    /// How many runs each point has, for those that are not numbered.
    counts: HashMap<(String, String, u64, u32), u32>,
}

impl Reading {
    /// Takes a run from the texts of its parts.
    fn take(&mut self, line: usize, field: impl Fn(&str) -> Option<String>) {
        let before = self.problems.len();
        let n = self.number::<f64>(line, "n", field("n"));
        let seconds = self.number::<f64>(line, "seconds", field("seconds"));
        let p = if let Some(text) = field("p") { self.number::<u32>(line, "p", Some(text)) } else { Some(1) };
        let run = if let Some(text) = field("run") {
            self.number::<u32>(line, "run", Some(text)).map(Some)
        } else {
            Some(None)
        };
        let (Some(n), Some(seconds), Some(p), Some(run)) = (n, seconds, p, run) else { return };
        let name = |part: &str| field(part).map_or(String::new(), |text| text.trim().to_owned());
        let (segment, machine) = (segment_or_default(name("segment")), name("machine"));
        let count = self.counts.entry((segment.clone(), machine.clone(), n.to_bits(), p)).or_insert(0);
        *count += 1;
        let run = TimedRun { segment, machine, n, p, seconds, run: run.unwrap_or(*count) };
        self.problems.extend(wrong_values(&run, line));
        if self.problems.len() == before {
            self.runs.push(run);
        }
    }

    fn number<T: std::str::FromStr>(&mut self, line: usize, name: &str, text: Option<String>) -> Option<T> {
        let Some(text) = text else {
            self.wrong(line, format!("`{name}` is missing"), &format!("write a number for `{name}`"));
            return None;
        };
        let number = text.parse().ok();
        if number.is_none() {
            let kind = if matches!(name, "p" | "run") { "whole number" } else { "number" };
            self.wrong(line, format!("`{name}` is `{text}`"), &format!("write a {kind}"));
        }
        number
    }

    fn wrong(&mut self, line: usize, message: String, help: &str) {
        self.problems.push(RunProblem { line, message, help: help.into() });
    }

    fn end(mut self) -> Result<Runs, RunsError> {
        if self.runs.is_empty() && self.problems.is_empty() {
            self.wrong(
                1,
                "there is no run".into(),
                "write the names in the first line, and a run in each line after it",
            );
        }
        RunsError::or(self.problems, Runs(self.runs))
    }
}

/// The same run with names as a file would have them.
pub(super) fn without_spaces(mut run: TimedRun) -> TimedRun {
    run.segment = segment_or_default(run.segment.trim().to_owned());
    run.machine = run.machine.trim().to_owned();
    run
}

fn segment_or_default(name: String) -> String {
    if name.is_empty() { SEGMENT.into() } else { name }
}

/// What is wrong with the numbers of a run.
pub(super) fn wrong_values(run: &TimedRun, line: usize) -> Vec<RunProblem> {
    let mut problems = Vec::new();
    for (name, value) in [("n", run.n), ("seconds", run.seconds)] {
        if !(value > 0.0 && value.is_finite()) {
            problems.push(RunProblem {
                line,
                message: format!("`{name}` is {value}"),
                help: "it must be above 0 and finite".into(),
            });
        }
    }
    if run.p == 0 {
        problems.push(RunProblem {
            line,
            message: "`p` is 0".into(),
            help: "at least one process has run".into(),
        });
    }
    problems
}
