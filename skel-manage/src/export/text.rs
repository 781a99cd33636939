//! A log as a text that a stranger can read: when, what and why, what was measured, and what was predicted.

use std::fmt;
use std::time::Duration;

use crate::action::Action;
use crate::decision::{Decision, Event, Log, Outcome};
use crate::measure::{Measures, StageMeasures};
use crate::model::{Method, Prediction};
use crate::quantity::ServiceTime;
use skel_core::skeleton::StageId;

/// One event after the other, in the order of time.
impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.events.is_empty() {
            return f.write_str("nothing had to be decided\n");
        }
        self.events.iter().try_for_each(|event| event.fmt(f))
    }
}

/// A line for what happened, and more behind it with what it rests on; each ends with a line feed.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Decided(decision) => decision.fmt(f),
            Event::Checked { at, predicted, measured, error, recalibrated } => {
                write!(f, "{}: the prediction of {predicted} is checked: {measured}", moment(*at))?;
                let difference = measured.seconds() / predicted.seconds() - 1.0;
                writeln!(
                    f,
                    "{} was measured; {}",
                    within(*error),
                    consequence(*recalibrated, difference, *error)
                )
            }
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actions: Vec<String> =
            self.actions.iter().map(|action| in_words(action, &self.measures)).collect();
        let actions = if actions.is_empty() { "nothing".to_owned() } else { actions.join("; ") };
        writeln!(f, "{}: {actions} (rule `{}`)", moment(self.at), self.rule)?;
        writeln!(f, "  why        {}", self.reason)?;
        writeln!(f, "  measured   {}", measured(&self.measures))?;
        for stage in &self.measures.stages {
            writeln!(f, "             {}", of_stage(stage))?;
        }
        writeln!(f, "  predicted  as it is: {}", predicted(&self.now))?;
        if let Some(then) = &self.then {
            writeln!(f, "             after this: {}", predicted(then))?;
        }
        writeln!(f, "  cost       {}{}", cost(self.cost), decided_in(self.decided_in))?;
        writeln!(f, "  outcome    {}", outcome(&self.outcome))
    }
}

/// When something happened, since the start of the run.
fn moment(at: Duration) -> String {
    format!("at {:.2} s", at.as_secs_f64())
}

/// How uncertain a mean is: twice its standard error.
fn within(error: f64) -> String {
    if error.is_finite() { format!(" ± {:.1} %", 200.0 * error) } else { String::new() }
}

/// By how many standard errors a prediction may be off, and still be called right.
const OFF: f64 = 3.0;

/// What follows from a prediction that was off by this part.
fn consequence(recalibrated: Option<f64>, difference: f64, error: f64) -> String {
    match recalibrated {
        Some(factor) => {
            format!("the model was wrong, and its predictions are multiplied by {factor:.3} from now on")
        }
        None if difference.abs() <= OFF * error => "it was right within the errors".to_owned(),
        None => format!(
            "it was off by {:.1} %, but with the times that the tasks have now the model is right",
            100.0 * difference.abs()
        ),
    }
}

/// What is done, with the names of tasks.
pub(crate) fn in_words(action: &Action, measures: &Measures) -> String {
    let name = |stage| name_of(stage, measures);
    match action {
        Action::SetReplicas { stage, from, to } => {
            let verb = if to > from { "grows" } else { "shrinks" };
            format!("`{}` {verb} from {from} to {to}", name(*stage))
        }
        Action::Repartition { stage, shares } => {
            let shares: Vec<String> = shares.iter().map(u32::to_string).collect();
            format!("the workers of `{}` get parts of each item as {}", name(*stage), shares.join(" : "))
        }
        Action::Nest { stage, worker, workers } => {
            format!("{workers} workers serve the part of worker {worker} of `{}`", name(*stage))
        }
        Action::Move { stage, replica, to } => {
            format!("replica {replica} of `{}` moves to processor {}", name(*stage), to.number())
        }
        Action::SetBuffers { from, to } => format!("buffers hold {to} items, not {from}"),
        Action::SetBatch { from, to } => format!("{to} items travel together, not {from}"),
        Action::Report { reason } => format!("reported: {reason}"),
    }
}

/// The task that a stage is, or the first one in it. Nodes are numbered depth first, so its number is the
/// next one.
pub(crate) fn name_of(stage: StageId, measures: &Measures) -> &str {
    let first = measures.stages.iter().filter(|task| task.id >= stage).min_by_key(|task| task.id);
    first.map_or("?", |task| task.name.as_str())
}

/// `19.6 ms for each item ± 4.0 %, over 3.2 s with 163 items`
fn measured(measures: &Measures) -> String {
    let Measures { service_time, error, span, items, .. } = measures;
    let known = |what: &str, time: Option<ServiceTime>| {
        time.map_or_else(String::new, |time| format!("; {what} every {time}"))
    };
    format!(
        "{service_time} for each item{}, over {span:.2} s with {items} items{}{}",
        within(*error),
        known("an item arrives", measures.arrival_time),
        known("the output takes one", measures.output_time),
    )
}

/// `sharpen x 8: 157 ms, scv 1.02, busy 99 %, 4 wait`
fn of_stage(stage: &StageMeasures) -> String {
    let replicas = match (stage.replicas, stage.workers) {
        (1, 1) => String::new(),
        (replicas, 1) => format!(" x {replicas}"),
        (1, workers) => format!(" x {workers} together"),
        (replicas, workers) => format!(" x {replicas} x {workers} together"),
    };
    let scv = stage.scv.map_or_else(String::new, |scv| format!(", scv {scv:.2}"));
    let queue = stage.queue.map_or_else(String::new, |queue| format!(", {queue} wait in front of it"));
    let time = ServiceTime::of_seconds(stage.time);
    format!("{}{replicas}: {time}{scv}, busy {:.0} %{queue}", stage.name, 100.0 * stage.busy)
}

/// `formula 20 ms, chain 20.4 ms`
fn predicted(prediction: &Prediction) -> String {
    let Prediction { formula, chain, method } = prediction;
    let method = match method {
        Method::Chain => "",
        Method::Interpolated => " (between exponential and constant times)",
        Method::Neighbours => " (by parts, at least)",
        Method::Reduced => " (of a simpler program)",
        Method::Formula => " (as the formula: the chain is too large)",
    };
    format!("formula {formula}, chain {chain}{method}")
}

fn cost(cost: Duration) -> String {
    match cost {
        Duration::ZERO => "none".to_owned(),
        cost => format!("{} in which the program makes less", span(cost)),
    }
}

/// Nothing where no clock was looked at, as in virtual time.
fn decided_in(time: Duration) -> String {
    if time.is_zero() { String::new() } else { format!("; decided in {}", span(time)) }
}

/// Three digits and a unit, as times for an item have.
fn span(time: Duration) -> ServiceTime {
    ServiceTime::of_seconds(time.as_secs_f64())
}

fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Done => "done".to_owned(),
        Outcome::Noted => "noted, not carried out".to_owned(),
        Outcome::Refused { action, refusal } => format!("action {} was refused: {refusal}", action + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::samples::{decision, log};

    #[test]
    fn a_stranger_can_read_it() {
        insta::assert_snapshot!(log().to_string(), @r"
        at 62.40 s: `sharpen` grows from 8 to 15 (rule `grow`)
          why        the service time of 19.6 ms is beyond the limit of 12.6 ms
          measured   19.6 ms for each item ± 4.0 %, over 3.20 s with 163 items
                     read: 10 ms, scv 1.02, busy 51 %
                     sharpen x 8: 157 ms, scv 1.02, busy 99 %, 4 wait in front of it
                     write: 10 ms, scv 1.02, busy 50 %, 4 wait in front of it
          predicted  as it is: formula 19.6 ms, chain 20.1 ms
                     after this: formula 10.5 ms, chain 11.9 ms (between exponential and constant times)
          cost       300 µs in which the program makes less; decided in 4.2 ms
          outcome    done
        at 70.00 s: the prediction of 11.9 ms is checked: 14.1 ms ± 3.0 % was measured; the model was wrong, and its predictions are multiplied by 1.185 from now on
        at 70.00 s: reported: `read` alone takes 20 ms for each item (rule `violate`)
          why        the service time of 19.6 ms is beyond the limit of 12.6 ms
          measured   19.6 ms for each item ± 4.0 %, over 3.20 s with 163 items
                     read: 10 ms, scv 1.02, busy 51 %
                     sharpen x 8: 157 ms, scv 1.02, busy 99 %, 4 wait in front of it
                     write: 10 ms, scv 1.02, busy 50 %, 4 wait in front of it
          predicted  as it is: formula 19.6 ms, chain 20.1 ms
          cost       none; decided in 4.2 ms
          outcome    action 1 was refused: the run has ended
        ");
    }

    #[test]
    fn a_quiet_run_says_so() {
        assert_eq!(Log::default().to_string(), "nothing had to be decided\n");
    }

    #[test]
    fn every_action_has_words() {
        let measures = &decision().measures;
        let stage = StageId(2);
        let actions = [
            Action::SetReplicas { stage, from: 15, to: 8 },
            Action::Repartition { stage, shares: vec![2, 1, 1] },
            Action::Nest { stage, worker: 1, workers: 3 },
            Action::Move { stage, replica: 0, to: 2.into() },
            Action::SetBuffers { from: 4, to: 16 },
            Action::SetBatch { from: 1, to: 8 },
            Action::Report { reason: "`read` alone takes 20 ms".to_owned() },
        ];
        let words: Vec<String> = actions.iter().map(|action| in_words(action, measures)).collect();
        insta::assert_snapshot!(words.join("\n"), @r"
        `sharpen` shrinks from 15 to 8
        the workers of `sharpen` get parts of each item as 2 : 1 : 1
        3 workers serve the part of worker 1 of `sharpen`
        replica 0 of `sharpen` moves to processor 2
        buffers hold 16 items, not 4
        8 items travel together, not 1
        reported: `read` alone takes 20 ms
        ");
    }
}
