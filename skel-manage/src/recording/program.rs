//! The program as a snapshot shows it: how many replicas and workers ran.

use skel_core::skeleton::{Program, Stage, StageId, Tree};
use skel_run::monitor::{Snapshot, TaskFigures};

/// The program with the numbers of replicas and workers that ran at a snapshot.
///
/// A task that no replica serves, as before the start and after the end, keeps its numbers. Of several numbers whose product runs,
/// the innermost is taken to be the one that changed, if its change explains what runs.
pub(crate) fn program_at(program: &Program<Tree>, snapshot: &Snapshot) -> Program<Tree> {
    snapshot.tasks.iter().fold(program.clone(), |program, task| {
        match change(program.skeleton(), task) {
            None => program,
            Some((id, number)) if is_team(program.skeleton(), id) => {
                program.with_skeleton(program.skeleton().with_workers(&[(id, number)]))
            }
            Some((id, number)) => program.with_replicas(&[(id, number)]),
        }
    })
}

/// Which number differs from what runs, and what it is.
fn change(tree: &Tree, task: &TaskFigures) -> Option<(StageId, u32)> {
    let running = u32::try_from(task.running()).ok().filter(|&running| running > 0)?;
    let numbers = numbers(tree, task.id);
    let product: u32 = numbers.iter().map(|(_, number)| number).product();
    if product == running {
        return None;
    }
    numbers.iter().rev().find_map(|&(id, number)| {
        let others = product / number;
        let fits = running.is_multiple_of(others) && can_be(tree, id, running / others);
        fits.then_some((id, running / others))
    })
}

/// The numbers whose product is how many threads serve a task, the outermost first.
fn numbers(tree: &Tree, task: StageId) -> Vec<(StageId, u32)> {
    let number = |id| match tree.stage(id) {
        Stage::Replicated { replicas, .. } if contains(tree, id, task) => Some((id, *replicas)),
        Stage::Team(team) if id == task => Some((id, team.workers)),
        _ => None,
    };
    tree.ids().filter_map(number).collect()
}

fn contains(tree: &Tree, above: StageId, id: StageId) -> bool {
    above == id
        || match tree.stage(above) {
            Stage::Task(_) | Stage::Team(_) => false,
            Stage::Pipe(stages) => stages.iter().any(|&stage| contains(tree, stage, id)),
            Stage::Replicated { worker, .. } => contains(tree, *worker, id),
        }
}

fn is_team(tree: &Tree, id: StageId) -> bool {
    matches!(tree.stage(id), Stage::Team(_))
}

/// Workers that vote are an odd number from 3 on.
fn can_be(tree: &Tree, id: StageId, number: u32) -> bool {
    use skel_core::skeleton::{TeamKind, TeamStage};
    let votes =
        matches!(tree.stage(id), Stage::Team(TeamStage { kind: TeamKind::FaultTolerant { .. }, .. }));
    !votes || (number >= 3 && number % 2 == 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use skel_core::skeleton::text::parse;
    use skel_run::monitor::ReplicaFigures;

    use super::*;

    /// What the program is when so many replicas of its tasks run.
    fn seen(text: &str, running: &[usize]) -> String {
        let tree = parse(text).into_tree().unwrap();
        let ids: Vec<StageId> = tree.leaves().collect();
        let task = |(&id, &running): (&StageId, &usize)| TaskFigures {
            id,
            name: tree.name(id),
            queue: None,
            queued: Duration::ZERO,
            replicas: vec![ReplicaFigures::default(); running],
        };
        let tasks = ids.iter().zip(running).map(task).collect();
        let snapshot = Snapshot { from: Duration::ZERO, at: Duration::ZERO, tasks };
        program_at(&Program::new(tree.clone(), 1.0), &snapshot).skeleton().to_string().replace('\n', " ")
    }

    #[test]
    fn replicas_and_workers_are_those_that_run() {
        let pipe = "pipe(task(1), farm(2, 2), map(3, 1));";
        assert_eq!(seen(pipe, &[1, 5, 4]), "pipe(3); task(1.0); farm(5, 2.0); map(4, 1.0); ");
        // Before the start and after the end nothing runs.
        assert_eq!(seen(pipe, &[0, 0, 0]), "pipe(3); task(1.0); farm(2, 2.0); map(3, 1.0); ");
    }

    #[test]
    fn of_nested_numbers_the_innermost_that_can_changes() {
        assert_eq!(seen("farm(2, farm(3, 1));", &[10]), "farm(2); farm(5, 1.0); ");
        assert_eq!(seen("farm(2, farm(3, 1));", &[9]), "farm(3); farm(3, 1.0); ");
        // While replicas come and go, a number may be seen that none explains.
        assert_eq!(seen("farm(2, farm(3, 1));", &[7]), "farm(2); farm(3, 1.0); ");
        assert_eq!(seen("farm(2, pipe(task(1), task(2)));", &[4, 4]), "farm(4); pipe(2); task(1.0); task(2.0); ");
    }
}
