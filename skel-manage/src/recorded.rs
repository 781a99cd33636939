//! What a recorded run was: actions are not carried out.

use std::time::Duration;

use skel_core::skeleton::{Program, Stage, StageId, TeamKind, Tree};
use skel_run::monitor::{Snapshot, TaskFigures};

use crate::action::{Action, Actuators, Refusal};

/// A program that was recorded. Its numbers of replicas are those of the snapshot that was looked at last,
/// and nothing can be done to it.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use skel_core::skeleton::{text::parse, Skeleton};
/// use skel_core::time::TimeUnits;
/// use skel_manage::rule::Rules;
/// use skel_manage::simulate::Simulation;
/// use skel_manage::{Contract, Manager, Recorded, Settings};
/// use skel_run::monitor::Series;
///
/// let program = parse("pipe(task(100), farm(2, 12.5), task(100));").into_tree()?.communicating(1e6).buffers(4);
/// let mut simulation = Simulation::of(&program)?;
/// let snapshots = (1..=40).map(|tick| {
///     simulation.run_until(Duration::from_secs(tick));
///     simulation.snapshot()
/// });
/// let series = Series::of(snapshots);
///
/// let mut manager = Manager::new(Contract::service_time(12.ms()), Rules::predefined(), Settings::default().dry_run());
/// let mut recorded = Recorded::of(&program);
/// for snapshot in series.snapshots() {
///     recorded.look_at(snapshot);
///     manager.observe(snapshot, &mut recorded);
/// }
/// println!("{:?}", manager.log());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recorded {
    program: Program<Tree>,
}

impl Recorded {
    /// The program that was run. Its times are not needed: they are measured.
    #[must_use]
    pub fn of(program: &Program<Tree>) -> Self {
        Recorded { program: program.clone() }
    }

    /// The program has the numbers of replicas and workers that run in this snapshot. Where farms or deals
    /// are nested, the innermost is taken to have changed.
    pub fn look_at(&mut self, snapshot: &Snapshot) {
        let tree = self.program.skeleton();
        let numbers: Vec<(StageId, u32)> =
            snapshot.tasks.iter().filter_map(|task| number_of(tree, task)).collect();
        let (teams, replicated): (Vec<_>, Vec<_>) =
            numbers.into_iter().partition(|&(stage, _)| matches!(tree.stage(stage), Stage::Team(_)));
        if teams.is_empty() && replicated.is_empty() {
            return;
        }
        let tree = tree.with_workers(&teams);
        self.program = self.program.with_skeleton(tree).with_replicas(&replicated);
    }
}

/// The deal, farm or team whose number explains how many replicas of a task run, if that is another one than
/// before.
fn number_of(tree: &Tree, task: &TaskFigures) -> Option<(StageId, u32)> {
    let running = task.running() as u32;
    let before = tree.tasks().iter().filter(|&&of| of == task.id).count() as u32;
    let (place, now, unit) = match (tree.replicated_by(task.id), tree.stages().get(task.id.index())?) {
        (Some(place), stage) => {
            let Stage::Replicated { replicas, .. } = tree.stage(place) else { return None };
            let workers = if let Stage::Team(team) = stage { team.workers } else { 1 };
            (place, *replicas, before / replicas * workers)
        }
        (None, Stage::Team(team)) => (task.id, team.workers, before),
        (None, _) => return None,
    };
    let number = running / unit.max(1);
    let votes =
        matches!(tree.stage(place), Stage::Team(team) if matches!(team.kind, TeamKind::FaultTolerant { .. }));
    let can_be =
        number > 0 && number * unit == running && (!votes || number >= 3 && !number.is_multiple_of(2));
    (can_be && number != now).then_some((place, number))
}

impl Actuators for Recorded {
    fn program(&self) -> Program<Tree> {
        self.program.clone()
    }

    fn perform(&mut self, action: &Action) -> Result<(), Refusal> {
        let _ = action;
        Err(Refusal("this run was recorded: nothing can be done to it any more".to_owned()))
    }

    fn cost(&self, action: &Action) -> Duration {
        let _ = action;
        Duration::ZERO
    }

    fn can(&self, action: &Action) -> bool {
        let _ = action;
        true
    }
}
