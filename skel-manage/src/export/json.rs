//! A log as JSON lines, and back: one object for each event.
//!
//! | field | meaning |
//! |---|---|
//! | `version` | of this format: 1 |
//! | `event` | `"decided"` or `"checked"` |
//! | `at_ns` | when, in nanoseconds since the start of the run |
//!
//! Of an event `"decided"`:
//!
//! | field | meaning |
//! |---|---|
//! | `rule`, `reason` | the name of the rule, and why, in words |
//! | `actions` | what is done, in this order |
//! | `actions[].action` | `"set_replicas"`, `"repartition"`, `"nest"`, `"move"`, `"set_buffers"`, `"set_batch"` or `"report"` |
//! | `.stage`, `.from`, `.to`, `.shares`, `.worker`, `.workers`, `.replica`, `.reason` | what the action has of these; `stage` is the number of a node in the tree |
//! | `measures` | what was measured: `at_s`, `span_s`, `items`, `items_in_a_parcel`, `service_time_s`, `error`, `arrival_time_s`, `output_time_s` |
//! | `measures.stages` | each task: `stage`, `name`, `replicas`, `workers`, `services`, `time_s`, `scv`, `worker_times_s`, `busy`, `starved`, `blocked`, `waiting`, `queue`, `visits`, and `state`, which is `null` but in a map with state: `time_s` and `items` |
//! | `now`, `then` | what is predicted for the program as it is, and after the actions (or `null`): `formula_s`, `chain_s`, and `method`, which is `"chain"`, `"interpolated"`, `"neighbours"`, `"reduced"` or `"formula"` |
//! | `cost_ns`, `decided_in_ns` | for how long the program makes less, and how long it took to decide |
//! | `outcome` | `"done"`, `"noted"`, or `{"refused": {"action": 0, "why": ".."}}` |
//!
//! Of an event `"checked"`: `predicted_s`, `measured_s`, `error`, and `recalibrated`, which is a factor or
//! `null`.
//!
//! A number that is not finite is `null`, and is read as one that is not a number. Readers ignore fields that
//! they do not know. The version changes when a field changes its meaning or is gone.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};
use skel_core::skeleton::StageId;

use crate::action::{Action, Refusal};
use crate::decision::{Decision, Event, Log, Outcome};
use crate::measure::{Measures, StageMeasures, StateMeasures};
use crate::model::{Method, Prediction};
use crate::quantity::ServiceTime;

const VERSION: u64 = 1;

/// A line is not what [`Log::to_json_lines`] writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it, and what it should be.
    pub problem: String,
}

/// Everything that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogErrors(Vec<LogError>);

impl Log {
    /// A line of JSON for each event, with all that is in it.
    ///
    /// # Fields
    /// `version` is 1; `event` is `"decided"` or `"checked"`; the others are the fields of [`Decision`] and
    /// [`Event::Checked`], with the unit behind their names: `_ns` or `_s`.
    ///
    /// # Examples
    /// ```
    /// use skel_manage::Log;
    ///
    /// let line = r#"{ "version": 1, "event": "checked", "at_ns": 3000000000, "predicted_s": 0.0119, "measured_s": 0.0121,
    ///     "error": 0.02, "recalibrated": null }"#.replace('\n', "");
    /// let log = Log::from_json_lines(&line)?;
    /// assert_eq!(log.events.len(), 1);
    /// assert_eq!(Log::from_json_lines(&log.to_json_lines())?, log);
    ///
    /// let errors = Log::from_json_lines(r#"{ "version": 1, "event": "guessed" }"#).unwrap_err();
    /// assert_eq!(errors.to_string(), "line 1: unknown variant `guessed`, expected `decided` or `checked`");
    /// # Ok::<(), skel_manage::LogErrors>(())
    /// ```
    #[must_use]
    pub fn to_json_lines(&self) -> String {
        self.events.iter().map(|event| event.to_json_line() + "\n").collect()
    }

    /// Reads what [`Self::to_json_lines`] wrote. Empty lines are left out.
    ///
    /// # Errors
    /// Everything that is wrong, with its line.
    pub fn from_json_lines(text: &str) -> Result<Self, LogErrors> {
        let (mut events, mut errors) = (Vec::new(), Vec::new());
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match read(line) {
                Ok(event) => events.push(event),
                Err(problem) => errors.push(LogError { line: number + 1, problem }),
            }
        }
        if errors.is_empty() { Ok(Log { events }) } else { Err(LogErrors(errors)) }
    }
}

impl Event {
    /// One line of JSON, without the end of the line; its fields are those of [`Log::to_json_lines`].
    #[must_use]
    pub fn to_json_line(&self) -> String {
        let line = Line { version: VERSION, event: self.into() };
        serde_json::to_string(&line).expect("numbers, texts and lists become JSON")
    }
}

fn read(line: &str) -> Result<Event, String> {
    #[derive(Deserialize)]
    struct Version {
        version: u64,
    }
    let problem = |error: serde_json::Error| {
        let words = error.to_string();
        words.rsplit_once(" at line ").map_or(words.clone(), |(problem, _)| problem.to_owned())
    };
    let Version { version } = serde_json::from_str(line).map_err(problem)?;
    if version != VERSION {
        return Err(format!(
            "this is written in version {version} of the format; version {VERSION} can be read"
        ));
    }
    let line: Line = serde_json::from_str(line).map_err(problem)?;
    Ok(line.event.into())
}

#[derive(Serialize, Deserialize)]
struct Line {
    version: u64,
    #[serde(flatten)]
    event: EventLine,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum EventLine {
    Decided(Box<DecisionLine>),
    Checked {
        at_ns: u64,
        #[serde(deserialize_with = "number")]
        predicted_s: f64,
        #[serde(deserialize_with = "number")]
        measured_s: f64,
        #[serde(deserialize_with = "number")]
        error: f64,
        recalibrated: Option<f64>,
    },
}

#[derive(Serialize, Deserialize)]
struct DecisionLine {
    at_ns: u64,
    rule: String,
    reason: String,
    actions: Vec<ActionLine>,
    measures: MeasuresLine,
    now: PredictionLine,
    then: Option<PredictionLine>,
    cost_ns: u64,
    decided_in_ns: u64,
    outcome: OutcomeLine,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
enum ActionLine {
    SetReplicas { stage: u32, from: u32, to: u32 },
    Repartition { stage: u32, shares: Vec<u32> },
    Nest { stage: u32, worker: u32, workers: u32 },
    Move { stage: u32, replica: u32, to: u32 },
    SetBuffers { from: u32, to: u32 },
    SetBatch { from: u32, to: u32 },
    Report { reason: String },
}

#[derive(Serialize, Deserialize)]
struct MeasuresLine {
    at_s: f64,
    span_s: f64,
    items: u64,
    items_in_a_parcel: f64,
    #[serde(deserialize_with = "number")]
    service_time_s: f64,
    #[serde(deserialize_with = "number")]
    error: f64,
    arrival_time_s: Option<f64>,
    output_time_s: Option<f64>,
    stages: Vec<StageLine>,
}

#[derive(Serialize, Deserialize)]
struct StageLine {
    stage: u32,
    name: String,
    replicas: u32,
    workers: u32,
    services: u64,
    #[serde(deserialize_with = "number")]
    time_s: f64,
    scv: Option<f64>,
    worker_times_s: Vec<f64>,
    busy: f64,
    starved: f64,
    blocked: f64,
    waiting: f64,
    queue: Option<u64>,
    visits: f64,
    state: Option<StateLine>,
}

#[derive(Serialize, Deserialize)]
struct StateLine {
    time_s: f64,
    #[serde(deserialize_with = "number")]
    items: f64,
}

#[derive(Serialize, Deserialize)]
struct PredictionLine {
    #[serde(deserialize_with = "number")]
    formula_s: f64,
    #[serde(deserialize_with = "number")]
    chain_s: f64,
    method: MethodLine,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum MethodLine {
    Chain,
    Interpolated,
    Neighbours,
    Reduced,
    Formula,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OutcomeLine {
    Done,
    Noted,
    Refused { action: usize, why: String },
}

/// A number, or `null` where it was not finite.
fn number<'d, D: Deserializer<'d>>(value: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(value)?.unwrap_or(f64::NAN))
}

/// All times of a run are below 584 years.
fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl From<&Event> for EventLine {
    fn from(event: &Event) -> Self {
        match event {
            Event::Decided(decision) => EventLine::Decided(Box::new((&**decision).into())),
            Event::Checked { at, predicted, measured, error, recalibrated } => EventLine::Checked {
                at_ns: ns(*at),
                predicted_s: predicted.seconds(),
                measured_s: measured.seconds(),
                error: *error,
                recalibrated: *recalibrated,
            },
        }
    }
}

impl From<EventLine> for Event {
    fn from(line: EventLine) -> Self {
        match line {
            EventLine::Decided(decision) => Event::Decided(Box::new((*decision).into())),
            EventLine::Checked { at_ns, predicted_s, measured_s, error, recalibrated } => Event::Checked {
                at: Duration::from_nanos(at_ns),
                predicted: ServiceTime::of_seconds(predicted_s),
                measured: ServiceTime::of_seconds(measured_s),
                error,
                recalibrated,
            },
        }
    }
}

impl From<&Decision> for DecisionLine {
    fn from(decision: &Decision) -> Self {
        DecisionLine {
            at_ns: ns(decision.at),
            rule: decision.rule.clone(),
            reason: decision.reason.clone(),
            actions: decision.actions.iter().map(ActionLine::from).collect(),
            measures: (&decision.measures).into(),
            now: (&decision.now).into(),
            then: decision.then.as_ref().map(PredictionLine::from),
            cost_ns: ns(decision.cost),
            decided_in_ns: ns(decision.decided_in),
            outcome: match &decision.outcome {
                Outcome::Done => OutcomeLine::Done,
                Outcome::Noted => OutcomeLine::Noted,
                Outcome::Refused { action, refusal } => {
                    OutcomeLine::Refused { action: *action, why: refusal.0.clone() }
                }
            },
        }
    }
}

impl From<DecisionLine> for Decision {
    fn from(line: DecisionLine) -> Self {
        Decision {
            at: Duration::from_nanos(line.at_ns),
            measures: line.measures.into(),
            now: line.now.into(),
            then: line.then.map(Prediction::from),
            rule: line.rule,
            actions: line.actions.into_iter().map(Action::from).collect(),
            reason: line.reason,
            cost: Duration::from_nanos(line.cost_ns),
            decided_in: Duration::from_nanos(line.decided_in_ns),
            outcome: match line.outcome {
                OutcomeLine::Done => Outcome::Done,
                OutcomeLine::Noted => Outcome::Noted,
                OutcomeLine::Refused { action, why } => Outcome::Refused { action, refusal: Refusal(why) },
            },
        }
    }
}

impl From<&Action> for ActionLine {
    fn from(action: &Action) -> Self {
        match action {
            Action::SetReplicas { stage, from, to } => {
                ActionLine::SetReplicas { stage: stage.0, from: *from, to: *to }
            }
            Action::Repartition { stage, shares } => {
                ActionLine::Repartition { stage: stage.0, shares: shares.clone() }
            }
            Action::Nest { stage, worker, workers } => {
                ActionLine::Nest { stage: stage.0, worker: *worker, workers: *workers }
            }
            Action::Move { stage, replica, to } => {
                ActionLine::Move { stage: stage.0, replica: *replica, to: to.number() }
            }
            Action::SetBuffers { from, to } => ActionLine::SetBuffers { from: *from, to: *to },
            Action::SetBatch { from, to } => ActionLine::SetBatch { from: *from, to: *to },
            Action::Report { reason } => ActionLine::Report { reason: reason.clone() },
        }
    }
}

impl From<ActionLine> for Action {
    fn from(line: ActionLine) -> Self {
        match line {
            ActionLine::SetReplicas { stage, from, to } => {
                Action::SetReplicas { stage: StageId(stage), from, to }
            }
            ActionLine::Repartition { stage, shares } => {
                Action::Repartition { stage: StageId(stage), shares }
            }
            ActionLine::Nest { stage, worker, workers } => {
                Action::Nest { stage: StageId(stage), worker, workers }
            }
            ActionLine::Move { stage, replica, to } => {
                Action::Move { stage: StageId(stage), replica, to: to.into() }
            }
            ActionLine::SetBuffers { from, to } => Action::SetBuffers { from, to },
            ActionLine::SetBatch { from, to } => Action::SetBatch { from, to },
            ActionLine::Report { reason } => Action::Report { reason },
        }
    }
}

impl From<&Measures> for MeasuresLine {
    fn from(measures: &Measures) -> Self {
        MeasuresLine {
            at_s: measures.at,
            span_s: measures.span,
            items: measures.items,
            items_in_a_parcel: measures.items_in_a_parcel,
            service_time_s: measures.service_time.seconds(),
            error: measures.error,
            arrival_time_s: measures.arrival_time.map(ServiceTime::seconds),
            output_time_s: measures.output_time.map(ServiceTime::seconds),
            stages: measures.stages.iter().map(StageLine::from).collect(),
        }
    }
}

impl From<MeasuresLine> for Measures {
    fn from(line: MeasuresLine) -> Self {
        Measures {
            at: line.at_s,
            span: line.span_s,
            items: line.items,
            items_in_a_parcel: line.items_in_a_parcel,
            service_time: ServiceTime::of_seconds(line.service_time_s),
            error: line.error,
            arrival_time: line.arrival_time_s.map(ServiceTime::of_seconds),
            output_time: line.output_time_s.map(ServiceTime::of_seconds),
            stages: line.stages.into_iter().map(StageMeasures::from).collect(),
        }
    }
}

impl From<&StageMeasures> for StageLine {
    fn from(stage: &StageMeasures) -> Self {
        StageLine {
            stage: stage.id.0,
            name: stage.name.clone(),
            replicas: stage.replicas,
            workers: stage.workers,
            services: stage.services,
            time_s: stage.time,
            scv: stage.scv,
            worker_times_s: stage.worker_times.clone(),
            busy: stage.busy,
            starved: stage.starved,
            blocked: stage.blocked,
            waiting: stage.waiting,
            queue: stage.queue,
            visits: stage.visits,
            state: stage.state.as_ref().map(|state| StateLine { time_s: state.time, items: state.items }),
        }
    }
}

impl From<StageLine> for StageMeasures {
    fn from(line: StageLine) -> Self {
        StageMeasures {
            id: StageId(line.stage),
            name: line.name,
            replicas: line.replicas,
            workers: line.workers,
            services: line.services,
            time: line.time_s,
            scv: line.scv,
            worker_times: line.worker_times_s,
            busy: line.busy,
            starved: line.starved,
            blocked: line.blocked,
            waiting: line.waiting,
            queue: line.queue,
            visits: line.visits,
            state: line.state.map(|state| StateMeasures { time: state.time_s, items: state.items }),
        }
    }
}

impl From<&Prediction> for PredictionLine {
    fn from(prediction: &Prediction) -> Self {
        PredictionLine {
            formula_s: prediction.formula.seconds(),
            chain_s: prediction.chain.seconds(),
            method: match prediction.method {
                Method::Chain => MethodLine::Chain,
                Method::Interpolated => MethodLine::Interpolated,
                Method::Neighbours => MethodLine::Neighbours,
                Method::Reduced => MethodLine::Reduced,
                Method::Formula => MethodLine::Formula,
            },
        }
    }
}

impl From<PredictionLine> for Prediction {
    fn from(line: PredictionLine) -> Self {
        Prediction {
            formula: ServiceTime::of_seconds(line.formula_s),
            chain: ServiceTime::of_seconds(line.chain_s),
            method: match line.method {
                MethodLine::Chain => Method::Chain,
                MethodLine::Interpolated => Method::Interpolated,
                MethodLine::Neighbours => Method::Neighbours,
                MethodLine::Reduced => Method::Reduced,
                MethodLine::Formula => Method::Formula,
            },
        }
    }
}

impl fmt::Display for LogErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> =
            self.0.iter().map(|error| format!("line {}: {}", error.line, error.problem)).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for LogErrors {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::samples::{decision, log};

    #[test]
    fn a_log_is_read_back() {
        let stage = StageId(2);
        let actions = vec![
            Action::Repartition { stage, shares: vec![2, 1, 1] },
            Action::Nest { stage, worker: 1, workers: 3 },
            Action::Move { stage, replica: 0, to: 2.into() },
            Action::SetBuffers { from: 4, to: 16 },
            Action::SetBatch { from: 1, to: 8 },
        ];
        let mut log = log();
        log.events.push(Event::Decided(Box::new(Decision { actions, ..decision() })));
        let text = log.to_json_lines();
        assert_eq!(Log::from_json_lines(&text).unwrap(), log);
        insta::assert_snapshot!(text.lines().next().unwrap(), @r#"{"version":1,"event":"decided","at_ns":62400000000,"rule":"grow","reason":"the service time of 19.6 ms is beyond the limit of 12.6 ms","actions":[{"action":"set_replicas","stage":2,"from":8,"to":15}],"measures":{"at_s":62.4,"span_s":3.2,"items":163,"items_in_a_parcel":1.0,"service_time_s":0.019600000000000003,"error":0.02,"arrival_time_s":null,"output_time_s":null,"stages":[{"stage":1,"name":"read","replicas":1,"workers":1,"services":400,"time_s":0.01,"scv":1.02,"worker_times_s":[0.01],"busy":0.51,"starved":0.49,"blocked":0.0,"waiting":0.0,"queue":null,"visits":1.0,"state":null},{"stage":3,"name":"sharpen","replicas":8,"workers":1,"services":400,"time_s":0.157,"scv":1.02,"worker_times_s":[0.157],"busy":0.99,"starved":0.010000000000000009,"blocked":0.0,"waiting":0.0,"queue":4,"visits":1.0,"state":null},{"stage":4,"name":"write","replicas":1,"workers":1,"services":400,"time_s":0.01,"scv":1.02,"worker_times_s":[0.01],"busy":0.5,"starved":0.5,"blocked":0.0,"waiting":0.0,"queue":4,"visits":1.0,"state":null}]},"now":{"formula_s":0.019600000000000003,"chain_s":0.0201,"method":"chain"},"then":{"formula_s":0.0105,"chain_s":0.0119,"method":"interpolated"},"cost_ns":300000,"decided_in_ns":4200000,"outcome":"done"}"#);
    }

    #[test]
    fn what_is_not_finite_is_null() {
        let checked = Event::Checked {
            at: Duration::ZERO,
            predicted: ServiceTime::of_seconds(f64::INFINITY),
            measured: ServiceTime::of_seconds(0.5),
            error: f64::NAN,
            recalibrated: None,
        };
        let log = Log::from_json_lines(&checked.to_json_line()).unwrap();
        let [Event::Checked { predicted, error, .. }] = log.events[..] else { panic!("{log:?}") };
        assert!(predicted.seconds().is_nan() && error.is_nan());
    }

    #[test]
    fn all_lines_that_are_wrong_are_named() {
        let good = log().to_json_lines();
        let text = format!(
            "{good}\n{{}}\n{{ \"version\": 2 }}\nno\n{{ \"version\": 1, \"event\": \"checked\", \"at_ns\": -1 }}\n"
        );
        let errors = Log::from_json_lines(&text).unwrap_err();
        insta::assert_snapshot!(errors.to_string(), @r"
        line 5: missing field `version`
        line 6: this is written in version 2 of the format; version 1 can be read
        line 7: expected ident
        line 8: invalid value: integer `-1`, expected u64
        ");
    }
}
