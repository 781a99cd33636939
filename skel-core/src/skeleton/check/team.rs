//! The check of stages whose workers serve one item together.

use num_traits::One;

use super::Checker;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::number::{Ratio, ratio};
use crate::skeleton::tree::{Stage, StateInput, TaskStage, TeamKind, TeamStage};
use crate::skeleton::word::TeamWord;
use crate::skeleton::written::{Value, Written, WrittenState, WrittenTeam};

impl<S: Span> Checker<S> {
    /// Checks a team and appends it to the table; the number of its workers.
    pub(super) fn team(&mut self, team: &WrittenTeam<S>, depth: usize) -> u64 {
        let count = match team.word {
            TeamWord::FaultTolerant => self.majority(&team.workers),
            word => self.count_of(&team.workers, word.noun(), "workers"),
        };
        let worker = self.worker(team, depth);
        let kind = match (team.word, &team.state) {
            (TeamWord::FaultTolerant, _) => TeamKind::FaultTolerant { early: team.early },
            (TeamWord::MapWithState, Some(state)) => {
                let subject = match &worker.name {
                    Some(name) => format!("of the state of `{name}`"),
                    None => "of the state".to_owned(),
                };
                TeamKind::MapWithState(self.state(state, &subject))
            }
            _ => TeamKind::Map,
        };
        let workers = u32::try_from(count).unwrap_or(u32::MAX);
        self.stages.push(Stage::Team(TeamStage { kind, workers, worker }));
        count
    }

    /// The number of workers that vote: odd, and at least 3.
    fn majority(&mut self, workers: &Value<i128, S>) -> u64 {
        match workers {
            Value::Known(count, span) if *count < 3 => {
                let have = if *count == 1 { "1 worker".to_owned() } else { format!("{count} workers") };
                let message = format!("the fault-tolerant stage has {have}, of which none can be outvoted");
                let help = "write 3 workers or more: two that agree then outvote one that fails";
                self.findings.push(Diagnostic::new(Code::NoMajority, *span, message).help(help));
                3
            }
            Value::Known(count, span) if count % 2 == 0 => {
                let half = count / 2;
                let message = format!("of the {count} workers, {half} can vote against {half}");
                let help = format!(
                    "write an odd number, so that there is a majority: {} or {}",
                    count - 1,
                    count + 1
                );
                self.findings.push(Diagnostic::new(Code::NoMajority, *span, message).help(help));
                3
            }
            workers => self.count_of(workers, TeamWord::FaultTolerant.noun(), "workers"),
        }
    }

    /// What each worker does. Where that cannot be, another in its place.
    fn worker(&mut self, team: &WrittenTeam<S>, depth: usize) -> TaskStage {
        let composite = match &team.worker {
            Written::Task { name, time, .. } => return self.task(name.as_ref(), time),
            Written::FromRust(_) => None,
            Written::Pipe { .. } => Some("a pipe"),
            Written::Replicated { replication, .. } => Some(match replication.word() {
                "farm" => "a farm",
                _ => "a deal",
            }),
            Written::Team(inner) => Some(match inner.word {
                TeamWord::Map => "a map",
                TeamWord::FaultTolerant => "a fault-tolerant stage",
                TeamWord::MapWithState => "a map with state",
            }),
        };
        match composite {
            None => self.is_complete = false,
            Some(kind) => {
                let (word, example) = (team.word.noun(), team.word.example());
                let message = format!("the worker of the {word} is {kind}, and not a task");
                let help = format!(
                    "write the time of one task, `{example}`; what follows it can be a stage of its own: `pipe({example}, task(2.0))`"
                );
                let finding = Diagnostic::new(Code::CompositeWorker, team.worker.span(), message);
                self.findings.push(finding.help(help));
                // What is wrong inside is reported too; none of it becomes part of the table.
                let known = self.stages.len();
                self.stage(&team.worker, depth + 1);
                self.stages.truncate(known);
            }
        }
        TaskStage::unknown()
    }

    fn state(&mut self, state: &WrittenState<S>, subject: &str) -> StateInput {
        let time = self.time(&state.time, subject);
        let items = match &state.items {
            Value::FromRust(_) => {
                self.is_complete = false;
                Ratio::one()
            }
            Value::Known(items, span) => items.to_positive().unwrap_or_else(|_| {
                let message = format!("the number of items for each state is {items}");
                let help = "write how many items there are for each state, on average: a number above 0, such as `10`";
                self.findings.push(Diagnostic::new(Code::NoItemsPerState, *span, message).help(help));
                ratio(1, 1)
            }),
        };
        StateInput { time, items }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::skeletons;

    #[test]
    fn findings() {
        skeletons(&[
            ("map(0, 1);", &["no_replica `0`: the map has 0 workers"]),
            ("map_with_state(-1, 1, state(1, 2));", &["no_replica `-1`: the map with state has -1 workers"]),
            (
                "fault_tolerant(2, 1);",
                &["no_majority `2`: the fault-tolerant stage has 2 workers, of which none can be outvoted"],
            ),
            ("fault_tolerant(4, 1, early);", &["no_majority `4`: of the 4 workers, 2 can vote against 2"]),
            (
                "map(2, pipe(task(0), task(1)));",
                &[
                    "composite_worker `pipe(task(0), task(1))`: the worker of the map is a pipe, and not a task",
                    "rate_not_positive `0`: the rate of the task is 0",
                ],
            ),
            (
                "fault_tolerant(3, map(2, 1));",
                &[
                    "composite_worker `map(2, 1)`: the worker of the fault-tolerant stage is a map, and not a task",
                ],
            ),
            (
                "map_with_state(2, \"find\", 0, state(-1, 0));",
                &[
                    "rate_not_positive `0`: the rate of the task `find` is 0",
                    "rate_not_positive `-1`: the rate of the state of `find` is -1, which is negative",
                    "no_items_per_state `0`: the number of items for each state is 0",
                ],
            ),
            (
                "map(2001, 1);",
                &["skeleton_too_large `map(2001, 1)`: the skeleton has 2001 tasks, more than 2000"],
            ),
        ]);
    }
}
