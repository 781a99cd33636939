//! One line on a terminal that says how a contract is kept.

use std::time::Duration;

use skel_run::monitor::{LiveLine, Snapshot};

use crate::contract::Contract;
use crate::decision::{Decision, Event};
use crate::export::in_words;
use crate::quantity::ServiceTime;

/// Over how long the service time is measured that is shown.
const SHOWN: Duration = Duration::from_secs(2);

/// The line, and what it is about. It is cleared at its end.
#[derive(Debug)]
pub(super) struct Live {
    line: LiveLine,
    contract: Contract,
    /// The snapshots of the last while, the oldest first.
    recent: Vec<Snapshot>,
    /// How many decisions there were, and the last one.
    decisions: usize,
    last: Option<String>,
}

impl Live {
    /// None where the standard error is no terminal.
    pub(super) fn new(contract: Contract) -> Option<Self> {
        let line = LiveLine::of_standard_error()?;
        Some(Live { line, contract, recent: Vec::new(), decisions: 0, last: None })
    }

    pub(super) fn show(&mut self, snapshot: &Snapshot, events: &[Event]) {
        for event in events {
            if let Event::Decided(decision) = event {
                self.decisions += 1;
                self.last = Some(in_brief(decision));
            }
        }
        self.recent.push(snapshot.clone());
        let since = snapshot.at.saturating_sub(SHOWN);
        let old = self.recent.iter().take_while(|before| before.at < since).count();
        self.recent.drain(..old.min(self.recent.len() - 1));
        let window = snapshot.since(&self.recent[0]);
        self.line.show(&line(&window, &self.contract, self.decisions, self.last.as_deref()));
    }
}

fn in_brief(decision: &Decision) -> String {
    let actions: Vec<String> =
        decision.actions.iter().map(|action| in_words(action, &decision.measures)).collect();
    format!("at {:.1} s {}", decision.at.as_secs_f64(), actions.join("; "))
}

/// `12.4 s, 11.9 ms an item (contract 12 ms, kept), sharpen x 15, 2 decisions, at 8.2 s sharpen grows from 8 to 15`
fn line(window: &Snapshot, contract: &Contract, decisions: usize, last: Option<&str>) -> String {
    let service_time = ServiceTime::of_seconds(window.span().as_secs_f64() / window.delivered() as f64);
    let measured = match window.delivered() {
        0 => "no item".to_owned(),
        _ if service_time <= contract.limit() => {
            format!("{service_time} an item (contract {}, kept)", contract.goal())
        }
        _ => format!("{service_time} an item (contract {}, broken)", contract.goal()),
    };
    let several = window.tasks.iter().filter(|task| task.running() > 1);
    let workers: String = several.map(|task| format!(", {} x {}", task.name, task.running())).collect();
    let decided = match (decisions, last) {
        (0, _) | (_, None) => String::new(),
        (1, Some(last)) => format!(", 1 decision: {last}"),
        (more, Some(last)) => format!(", {more} decisions, the last {last}"),
    };
    format!("{:.1} s, {measured}{workers}{decided}", window.at.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use skel_core::skeleton::StageId;
    use skel_core::time::TimeUnits;
    use skel_run::monitor::{ReplicaFigures, TaskFigures};

    use super::*;

    fn window(given: u64) -> Snapshot {
        let task = |name: &str, running, given| TaskFigures {
            id: StageId(0),
            name: name.to_owned(),
            queue: None,
            queued: Duration::ZERO,
            replicas: vec![ReplicaFigures { given, ..ReplicaFigures::default() }; running],
        };
        let (from, at) = (Duration::from_millis(10_400), Duration::from_millis(12_400));
        Snapshot { from, at, tasks: vec![task("sharpen", 15, 1), task("write", 1, given)] }
    }

    #[test]
    fn it_says_whether_the_contract_is_kept() {
        let contract = Contract::service_time(12.ms());
        let shown = [
            line(&window(168), &contract, 0, None),
            line(&window(100), &contract, 1, Some("at 8.2 s `sharpen` grows from 8 to 15")),
            line(&window(0), &contract, 2, Some("at 8.2 s `sharpen` grows from 8 to 15")),
        ];
        insta::assert_snapshot!(shown.join("\n"), @r"
        12.4 s, 11.9 ms an item (contract 12 ms, kept), sharpen x 15
        12.4 s, 20 ms an item (contract 12 ms, broken), sharpen x 15, 1 decision: at 8.2 s `sharpen` grows from 8 to 15
        12.4 s, no item, sharpen x 15, 2 decisions, the last at 8.2 s `sharpen` grows from 8 to 15
        ");
    }
}
