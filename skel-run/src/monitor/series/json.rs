//! A series as JSON lines, and back: one object for each snapshot, with everything that is in it.
//!
//! | field | meaning |
//! |---|---|
//! | `version` | of this format: 1 |
//! | `from_ns`, `at_ns` | which time it is about, in nanoseconds since the start of the run |
//! | `tasks` | in the order of the skeleton |
//! | `tasks[].stage`, `.name` | the number of its node in the tree, and its name |
//! | `.queue`, `.queued_ns` | how many items wait before it (`null` before the first task), and how long all items together waited there |
//! | `.replicas` | each that there was |
//! | `.replicas[].worker`, `.processor` | which it is of the workers that serve an item together, and which processor it stays on, or `null`; earlier lines do not have them |
//! | `.served`, `.items`, `.taken`, `.given` | parcels served and the items in them; items taken, and handed over |
//! | `.busy_ns`, `.starved_ns`, `.blocked_ns`, `.awaiting_ns`, `.overhead_ns` | its time, in five parts; `awaiting` is for other workers of the same item |
//! | `.service_ns` | the sum of all service times |
//! | `.timed`, `.timed_service_ns`, `.squares_ns2` | how many services were timed from beginning to end, the sum of their times, and that of the squares: a text of digits, since it can be larger than the numbers of many readers |
//! | `.in_hand`, `.held_ns` | how many items it holds, and how long all items together were held |
//! | `.states`, `.renewing_ns`, `.kept` | in a map with state: how often the worker took a state, the sum of the times for that, and the states among the items that were taken |
//! | `.skipped`, `.retried`, `.replaced` | items left out, attempts after failures, workers replaced after a panic |
//! | `.first_arrival_ns`, `.last_departure_ns` | moments, or `null` |
//! | `.waiting_for`, `.waiting_since_ns` | `"items"`, `"room"` or `"others"` and a moment, or both `null` |
//! | `.began_ns`, `.left_ns` | moments; `null` while it runs |
//!
//! Readers ignore fields that they do not know. The version changes when a field changes its meaning or is
//! gone.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value, json};
use skel_core::skeleton::StageId;

use super::Series;
use crate::monitor::figures::{ReplicaFigures, Snapshot, TaskFigures, scv};
use crate::monitor::recorder::For;

const VERSION: u64 = 1;

/// A line is not what [`Series::to_json_lines`] writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// The path of the field, as `tasks[0].replicas[1].busy_ns`; empty if it is the whole line.
    pub field: String,
    /// What is wrong with it, and what it should be.
    pub problem: String,
}

/// Everything that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadErrors(Vec<ReadError>);

impl Series {
    /// A line of JSON for each snapshot, with all its figures: enough to replay the run to whoever decides by
    /// snapshots.
    ///
    /// # Fields
    /// In nanoseconds since the start of the run: `from_ns`, `at_ns`, and in each entry of `tasks` and its
    /// `replicas` the fields of [`TaskFigures`] and [`ReplicaFigures`], with `_ns` behind the names of times.
    /// `squares_ns2` is a text of digits. `version` is 1.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::StageId;
    /// use skel_run::monitor::{Monitors, Series};
    ///
    /// let monitors = Monitors::of([(StageId(0), "sharpen".to_owned())]);
    /// let series = Series::of([monitors.snapshot()]);
    /// assert_eq!(Series::from_json_lines(&series.to_json_lines())?, series);
    ///
    /// let errors = Series::from_json_lines(r#"{ "version": 1, "from_ns": 0, "at_ns": -5, "tasks": [] }"#).unwrap_err();
    /// assert_eq!(errors.to_string(), "line 1, `at_ns`: a whole number from 0 on should stand here, and not -5");
    /// # Ok::<(), skel_run::monitor::ReadErrors>(())
    /// ```
    #[must_use]
    pub fn to_json_lines(&self) -> String {
        self.snapshots().iter().map(|snapshot| snapshot.to_json_line() + "\n").collect()
    }

    /// Reads what [`to_json_lines`](Self::to_json_lines) wrote. Empty lines are left out.
    ///
    /// # Errors
    /// Everything that is wrong, with its line and field. Times must not go back from line to line, and the
    /// tasks stay the same.
    pub fn from_json_lines(text: &str) -> Result<Self, ReadErrors> {
        let mut errors = Vec::new();
        let mut series = Series::default();
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        for (number, line) in lines {
            let mut reader = Reader { line: number + 1, errors: &mut errors };
            if let Some(snapshot) = reader.line(line) {
                reader.follows(series.last(), &snapshot);
                series.push(snapshot);
            }
        }
        if errors.is_empty() { Ok(series) } else { Err(ReadErrors(errors)) }
    }
}

impl Snapshot {
    /// One line of JSON with all its figures, without the end of the line; its fields are those of
    /// [`Series::to_json_lines`].
    #[must_use]
    pub fn to_json_line(&self) -> String {
        let tasks: Vec<Value> = self.tasks.iter().map(task).collect();
        json!({ "version": VERSION, "from_ns": ns(self.from), "at_ns": ns(self.at), "tasks": tasks })
            .to_string()
    }
}

fn task(task: &TaskFigures) -> Value {
    let replicas: Vec<Value> = task.replicas.iter().map(replica).collect();
    json!({
        "stage": task.id.0,
        "name": task.name,
        "queue": task.queue,
        "queued_ns": ns(task.queued),
        "replicas": replicas,
    })
}

fn replica(replica: &ReplicaFigures) -> Value {
    let word = |what| match what {
        For::Items => "items",
        For::Room => "room",
        For::Others => "others",
    };
    json!({
        "worker": replica.worker,
        "processor": replica.processor,
        "served": replica.served,
        "items": replica.items,
        "taken": replica.taken,
        "given": replica.given,
        "busy_ns": ns(replica.busy),
        "starved_ns": ns(replica.starved),
        "blocked_ns": ns(replica.blocked),
        "awaiting_ns": ns(replica.awaiting),
        "overhead_ns": ns(replica.overhead),
        "service_ns": ns(replica.service),
        "timed": replica.timed,
        "timed_service_ns": ns(replica.timed_service),
        "squares_ns2": replica.squares.to_string(),
        "in_hand": replica.in_hand,
        "held_ns": ns(replica.held),
        "states": replica.states,
        "renewing_ns": ns(replica.renewing),
        "kept": replica.kept,
        "skipped": replica.skipped,
        "retried": replica.retried,
        "replaced": replica.replaced,
        "first_arrival_ns": replica.first_arrival.map(ns),
        "last_departure_ns": replica.last_departure.map(ns),
        "waiting_for": replica.waiting.map(|(what, _)| word(what)),
        "waiting_since_ns": replica.waiting.map(|(_, since)| ns(since)),
        "began_ns": ns(replica.began),
        "left_ns": replica.left.map(ns),
    })
}

/// All times of a run are below 584 years.
fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Reads one line. What is wrong is noted, and reading goes on.
struct Reader<'e> {
    line: usize,
    errors: &'e mut Vec<ReadError>,
}

/// An object, and the path to it with a point behind, if it is not the whole line.
struct Object<'v> {
    fields: &'v Map<String, Value>,
    path: String,
}

impl Reader<'_> {
    fn line(&mut self, line: &str) -> Option<Snapshot> {
        let value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            Err(error) => {
                self.note("", format!("this is not JSON: {error}"));
                return None;
            }
        };
        let object = self.object(&value, "")?;
        if self.count(&object, "version") != VERSION {
            let known =
                format!("this is written in another version of the format; version {VERSION} can be read");
            self.note("version", known);
            return None;
        }
        let tasks =
            self.list(&object, "tasks").into_iter().filter_map(|(path, value)| self.task(value, &path));
        let tasks = tasks.collect();
        Some(Snapshot { from: self.time(&object, "from_ns"), at: self.time(&object, "at_ns"), tasks })
    }

    fn task(&mut self, value: &Value, path: &str) -> Option<TaskFigures> {
        let object = self.object(value, path)?;
        let stage = self.count(&object, "stage");
        let replicas =
            self.list(&object, "replicas").into_iter().filter_map(|(path, value)| self.replica(value, &path));
        let replicas = replicas.collect();
        Some(TaskFigures {
            id: StageId(self.fitting(&object, "stage", stage)),
            name: self.text(&object, "name"),
            queue: self.count_or_null(&object, "queue"),
            queued: self.time(&object, "queued_ns"),
            replicas,
        })
    }

    fn replica(&mut self, value: &Value, path: &str) -> Option<ReplicaFigures> {
        let object = &self.object(value, path)?;
        let (timed, timed_service) = (self.count(object, "timed"), self.time(object, "timed_service_ns"));
        let squares = self.digits(object, "squares_ns2");
        Some(ReplicaFigures {
            worker: self.optional_place(object, "worker"),
            processor: self.optional_place(object, "processor"),
            served: self.count(object, "served"),
            items: self.count(object, "items"),
            taken: self.count(object, "taken"),
            given: self.count(object, "given"),
            busy: self.time(object, "busy_ns"),
            starved: self.time(object, "starved_ns"),
            blocked: self.time(object, "blocked_ns"),
            awaiting: self.time(object, "awaiting_ns"),
            overhead: self.time(object, "overhead_ns"),
            service: self.time(object, "service_ns"),
            timed,
            timed_service,
            squares,
            scv: scv(timed, timed_service, squares),
            in_hand: self.count(object, "in_hand"),
            held: self.time(object, "held_ns"),
            states: self.count(object, "states"),
            renewing: self.time(object, "renewing_ns"),
            kept: self.count(object, "kept"),
            skipped: self.count(object, "skipped"),
            retried: self.count(object, "retried"),
            replaced: self.count(object, "replaced"),
            first_arrival: self.time_or_null(object, "first_arrival_ns"),
            last_departure: self.time_or_null(object, "last_departure_ns"),
            waiting: self.waiting(object),
            began: self.time(object, "began_ns"),
            left: self.time_or_null(object, "left_ns"),
        })
    }

    fn waiting(&mut self, object: &Object<'_>) -> Option<(For, Duration)> {
        let since = self.time_or_null(object, "waiting_since_ns");
        let what = match self.field(object, "waiting_for")? {
            Value::Null => None,
            Value::String(word) if word == "items" => Some(For::Items),
            Value::String(word) if word == "room" => Some(For::Room),
            Value::String(word) if word == "others" => Some(For::Others),
            other => {
                self.expected(object, "waiting_for", "\"items\", \"room\", \"others\" or null", other);
                None
            }
        };
        what.zip(since)
    }

    /// A run has the same tasks from beginning to end, and replicas are only added.
    fn follows(&mut self, before: Option<&Snapshot>, snapshot: &Snapshot) {
        let Some(before) = before else { return };
        if snapshot.at < before.at {
            let (now, then) = (ns(snapshot.at), ns(before.at));
            self.note("at_ns", format!("{now} is before {then}, the time of the snapshot before"));
        }
        if snapshot.tasks.len() != before.tasks.len() {
            let (now, then) = (snapshot.tasks.len(), before.tasks.len());
            self.note(
                "tasks",
                format!("a run has the same tasks all the time; here are {now}, and there were {then}"),
            );
        }
        for (place, (now, before)) in snapshot.tasks.iter().zip(&before.tasks).enumerate() {
            if (now.id, &now.name) != (before.id, &before.name) {
                let problem = format!("a run has the same tasks all the time; here was `{}`", before.name);
                self.note(&format!("tasks[{place}].name"), problem);
            }
            if now.replicas.len() < before.replicas.len() {
                let (now, then) = (now.replicas.len(), before.replicas.len());
                let problem = format!(
                    "replicas that have left stay in the list; here are {now}, and there were {then}"
                );
                self.note(&format!("tasks[{place}].replicas"), problem);
            }
        }
    }

    fn object<'v>(&mut self, value: &'v Value, path: &str) -> Option<Object<'v>> {
        match value {
            Value::Object(fields) => {
                let point = if path.is_empty() { "" } else { "." };
                Some(Object { fields, path: format!("{path}{point}") })
            }
            other => {
                self.note(path, format!("an object should stand here, and not {}", shortened(other)));
                None
            }
        }
    }

    fn list<'v>(&mut self, object: &Object<'v>, name: &str) -> Vec<(String, &'v Value)> {
        match self.field(object, name) {
            Some(Value::Array(entries)) => {
                let path = |place| format!("{}{name}[{place}]", object.path);
                entries.iter().enumerate().map(|(place, entry)| (path(place), entry)).collect()
            }
            Some(other) => {
                self.expected(object, name, "a list", other);
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    fn text(&mut self, object: &Object<'_>, name: &str) -> String {
        match self.field(object, name) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => {
                self.expected(object, name, "a text", other);
                String::new()
            }
            None => String::new(),
        }
    }

    fn digits(&mut self, object: &Object<'_>, name: &str) -> u128 {
        let text = self.text(object, name);
        text.parse().unwrap_or_else(|_| {
            if object.fields.get(name).is_some_and(Value::is_string) {
                self.expected(object, name, "a whole number, as a text of digits,", &Value::String(text));
            }
            0
        })
    }

    fn count(&mut self, object: &Object<'_>, name: &str) -> u64 {
        match self.field(object, name) {
            Some(value) => value.as_u64().unwrap_or_else(|| {
                self.expected(object, name, "a whole number from 0 on", value);
                0
            }),
            None => 0,
        }
    }

    fn count_or_null(&mut self, object: &Object<'_>, name: &str) -> Option<u64> {
        match object.fields.get(name) {
            Some(Value::Null) => None,
            _ => Some(self.count(object, name)),
        }
    }

    /// A number that lines of earlier versions do not have.
    fn optional_place(&mut self, object: &Object<'_>, name: &str) -> Option<usize> {
        object.fields.get(name)?;
        self.count_or_null(object, name).map(|place| place as usize)
    }

    fn fitting(&mut self, object: &Object<'_>, name: &str, number: u64) -> u32 {
        u32::try_from(number).unwrap_or_else(|_| {
            self.expected(object, name, "the number of a node of the tree", &Value::from(number));
            0
        })
    }

    fn time(&mut self, object: &Object<'_>, name: &str) -> Duration {
        Duration::from_nanos(self.count(object, name))
    }

    fn time_or_null(&mut self, object: &Object<'_>, name: &str) -> Option<Duration> {
        self.count_or_null(object, name).map(Duration::from_nanos)
    }

    fn field<'v>(&mut self, object: &Object<'v>, name: &str) -> Option<&'v Value> {
        let value = object.fields.get(name);
        if value.is_none() {
            self.note(&format!("{}{name}", object.path), "this field is missing".to_owned());
        }
        value
    }

    fn expected(&mut self, object: &Object<'_>, name: &str, what: &str, found: &Value) {
        let problem = format!("{what} should stand here, and not {}", shortened(found));
        self.note(&format!("{}{name}", object.path), problem);
    }

    fn note(&mut self, field: &str, problem: String) {
        self.errors.push(ReadError { line: self.line, field: field.to_owned(), problem });
    }
}

/// A value as it stands there, or its beginning.
fn shortened(value: &Value) -> String {
    const MOST: usize = 40;
    let text = value.to_string();
    match text.chars().count() {
        0..=MOST => text,
        _ => text.chars().take(MOST).chain(['…']).collect(),
    }
}

impl ReadErrors {
    /// Each of them, in the order of the lines.
    #[must_use]
    pub fn all(&self) -> &[ReadError] {
        &self.0
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReadError { line, field, problem } = self;
        match field.is_empty() {
            true => write!(f, "line {line}: {problem}"),
            false => write!(f, "line {line}, `{field}`: {problem}"),
        }
    }
}

impl std::error::Error for ReadError {}

/// The first ten, and how many more there are.
impl fmt::Display for ReadErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 10;
        for (place, error) in self.0.iter().take(MOST).enumerate() {
            let end = if place > 0 { "\n" } else { "" };
            write!(f, "{end}{error}")?;
        }
        match self.0.len().saturating_sub(MOST) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for ReadErrors {}
