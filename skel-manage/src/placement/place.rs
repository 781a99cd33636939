//! Where every replica and every worker is.

use std::collections::BTreeMap;

use skel_core::number::Number;
use skel_core::skeleton::{Stage, StageId, Tree};
use skel_plan::{Mapping, Planner, Platform, ProcessorId};

use super::relocation::Relocation;
use crate::action::Action;
use crate::measure::{Measures, StageMeasures};

/// Which replica or worker of a program is on which processor of a platform.
///
/// Tasks and teams are named by their nodes. The workers of a team that has replicas itself are counted one
/// replica after the other.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{text::parse, StageId};
/// use skel_manage::placement::Placement;
/// use skel_manage::Action;
/// use skel_plan::{Links, Platform, Power, Processor};
///
/// let tree = parse("pipe(task(1), farm(2, 1));").into_tree()?;
/// let (read, farm, work) = (StageId(1), StageId(2), StageId(3));
/// let processors = [1, 1, 1, 3].map(|power| Processor::new(Power::per_second(power)));
/// let platform = Platform::new(processors, &Links::none())?;
///
/// let mut placement = Placement::given(platform, [(read, vec![1]), (work, vec![2, 3])], &tree);
/// let relocation = placement.relocation(read).expect("processor 4 is free and faster");
/// assert_eq!((relocation.to(), relocation.ratio()), (4.into(), 3.0));
///
/// placement.note(&relocation.action(), &tree);
/// assert!(placement.relocation(work).is_none(), "none of the others is faster");
///
/// let grown = parse("pipe(task(1), farm(3, 1));").into_tree()?;
/// placement.note(&Action::SetReplicas { stage: farm, from: 2, to: 3 }, &grown);
/// assert_eq!(placement.processors_of(work), [2.into(), 3.into(), 1.into()]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Placement {
    platform: Platform,
    planner: Option<Planner>,
    places: BTreeMap<StageId, Vec<ProcessorId>>,
}

impl Placement {
    /// Every replica and worker of a program in its order, each on the processor that is the least used then.
    #[must_use]
    pub fn spread(platform: Platform, tree: &Tree) -> Self {
        Placement::given(platform, [] as [(StageId, Vec<ProcessorId>); 0], tree)
    }

    /// As it is given for tasks and teams. What is not given, or not on the platform, goes to the least used
    /// processors.
    #[must_use]
    pub fn given(
        platform: Platform,
        places: impl IntoIterator<Item = (StageId, Vec<impl Into<ProcessorId>>)>,
        tree: &Tree,
    ) -> Self {
        let known = |id: &ProcessorId| platform.contains(*id);
        let places = places
            .into_iter()
            .map(|(stage, on)| (stage, on.into_iter().map(Into::into).filter(known).collect()));
        let mut placement = Placement { places: places.collect(), planner: None, platform };
        placement.fit(tree);
        placement
    }

    /// The same with a program that is mapped to the platform: where several processors are faster, the one
    /// with the best predicted throughput is chosen, so that links count.
    ///
    /// The tasks are those of the planner's application with all replicas, in its order. As long as the
    /// running program has another number of them, or a mapping cannot be solved, the powers decide.
    #[must_use]
    pub fn planned_by(self, planner: Planner) -> Self {
        Placement { planner: Some(planner), ..self }
    }

    /// The processors.
    #[must_use]
    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    /// Where the replicas of a task are, or the workers of a team. Empty if there is no such stage.
    #[must_use]
    pub fn processors_of(&self, stage: StageId) -> &[ProcessorId] {
        self.places.get(&stage).map_or(&[], Vec::as_slice)
    }

    /// How many replicas and workers are on a processor.
    #[must_use]
    pub fn load(&self, processor: ProcessorId) -> usize {
        self.places.values().flatten().filter(|&&on| on == processor).count()
    }

    /// The processor with the fewest replicas and workers; of those with equally many the fastest, and of
    /// those the first.
    #[must_use]
    pub fn least_used(&self) -> ProcessorId {
        let mut best = ProcessorId::from(1);
        for id in self.platform.processors() {
            let (load, least) = (self.load(id), self.load(best));
            if load < least || (load == least && self.platform.power(id) > self.platform.power(best)) {
                best = id;
            }
        }
        best
    }

    /// The processors on which nothing is, in their order.
    pub fn free(&self) -> impl Iterator<Item = ProcessorId> + '_ {
        self.platform.processors().filter(|&id| self.load(id) == 0)
    }

    /// The move of a task's replica, or a team's worker, that gains most: from the slowest processor that the
    /// stage is on to a faster one that is free. None if there is no such processor, or no such stage.
    ///
    /// The time of a task is inversely proportional to the power of its processor, so the gain is the ratio
    /// of the powers. Of several faster processors it is the one with the best predicted throughput, if that
    /// [is known](Self::planned_by), and else the fastest. This takes a solution of the planner's model for
    /// each of them.
    #[must_use]
    pub fn relocation(&self, stage: StageId) -> Option<Relocation> {
        let on = self.processors_of(stage);
        let (replica, &from) = on
            .iter()
            .enumerate()
            .min_by(|(_, one), (_, other)| self.platform.power(**one).cmp(self.platform.power(**other)))?;
        let is_faster = |id: &ProcessorId| self.platform.power(*id) > self.platform.power(from);
        let mut faster: Vec<ProcessorId> = self.free().filter(is_faster).collect();
        // The sort is stable, so that of equally fast ones the first stays first.
        faster.sort_by(|one, other| self.platform.power(*other).cmp(self.platform.power(*one)));
        let to = self.best_planned(stage, replica, &faster).or(faster.first().copied())?;
        let power = |id: ProcessorId| self.platform.power(id).to_float();
        let powers = on.iter().copied().map(power).collect();
        Some(Relocation { stage, replica, from, to, powers, power: power(to) })
    }

    /// The relocation that lowers the service time of a program: that of the slowest stage by these measures,
    /// if it is a task without replicas.
    ///
    /// A stage that is slower than its neighbours because of its workers needs more of them. And workers of a
    /// stage that is not the slowest do not move, since that cannot lower the largest of the times.
    #[must_use]
    pub fn relief(&self, measures: &Measures, tree: &Tree) -> Option<Relocation> {
        let time = |stage: &&StageMeasures| {
            let of_one = stage.worker_times.iter().copied().fold(stage.time, f64::max);
            stage.visits * of_one / f64::from(stage.replicas.max(1))
        };
        let slowest = measures.stages.iter().max_by(|one, other| time(one).total_cmp(&time(other)))?;
        let is_task = matches!(tree.stages().get(slowest.id.index()), Some(Stage::Task(_)));
        if is_task && tree.replicated_by(slowest.id).is_none() { self.relocation(slowest.id) } else { None }
    }

    /// Follows an action that was carried out; `tree` is the program after it. New replicas are on the least
    /// used processors, and the last ones are those that are gone.
    pub fn note(&mut self, action: &Action, tree: &Tree) {
        match action {
            Action::Move { stage, replica, to } if self.platform.contains(*to) => {
                let on = self.places.get_mut(stage).and_then(|on| on.get_mut(*replica as usize));
                on.into_iter().for_each(|on| *on = *to);
            }
            Action::Nest { stage, worker, workers } => {
                let replicas = tree.tasks().into_iter().filter(|task| task == stage).count();
                self.nest(*stage, *worker as usize, *workers as usize, replicas);
            }
            _ => {}
        }
        self.fit(tree);
    }

    /// New workers come directly behind the one whose part they serve, in each replica of the team.
    fn nest(&mut self, stage: StageId, worker: usize, workers: usize, replicas: usize) {
        let of_one = self.processors_of(stage).len() / replicas.max(1);
        for replica in (0..replicas).rev().filter(|_| worker < of_one) {
            for _ in 1..workers {
                let to = self.least_used();
                let on = self.places.entry(stage).or_default();
                on.insert(replica * of_one + worker + 1, to);
            }
        }
    }

    /// Places for everything that a program has, and for nothing else.
    fn fit(&mut self, tree: &Tree) {
        let mut counts: BTreeMap<StageId, usize> = BTreeMap::new();
        for task in tree.tasks() {
            let workers = if let Stage::Team(team) = tree.stage(task) { team.workers as usize } else { 1 };
            *counts.entry(task).or_default() += workers;
        }
        self.places.retain(|stage, _| counts.contains_key(stage));
        for (&stage, &count) in &counts {
            self.places.entry(stage).or_default().truncate(count);
            while self.processors_of(stage).len() < count {
                let to = self.least_used();
                self.places.entry(stage).or_default().push(to);
            }
        }
    }

    /// The processor with the best predicted throughput, if one can be predicted.
    fn best_planned(&self, stage: StageId, replica: usize, faster: &[ProcessorId]) -> Option<ProcessorId> {
        let planner = self.planner.as_ref()?;
        let mut best: Option<(f64, ProcessorId)> = None;
        for &to in faster {
            let Ok(found) = planner.evaluate(&self.mapping(planner, (stage, replica), to)?) else { continue };
            let throughput = found.throughput.value();
            if best.is_none_or(|(most, _)| throughput > most) {
                best = Some((throughput, to));
            }
        }
        best.map(|(_, to)| to)
    }

    /// Where the tasks are after a move, in the order of the planner's application; none if it has other
    /// tasks.
    fn mapping(&self, planner: &Planner, moved: (StageId, usize), to: ProcessorId) -> Option<Mapping> {
        let (application, tree) = (planner.application(), planner.application().as_skeleton()?.0);
        let mut next: BTreeMap<StageId, usize> = BTreeMap::new();
        let on = tree.tasks().into_iter().map(|task| {
            let replica = next.entry(task).or_default();
            let place = self.processors_of(task).get(*replica).copied();
            let place = if (task, *replica) == moved { Some(to) } else { place };
            *replica += 1;
            place
        });
        let on: Vec<ProcessorId> = on.collect::<Option<_>>()?;
        let is_all = next.iter().all(|(task, count)| self.processors_of(*task).len() == *count);
        (is_all && on.len() == application.task_count() && next.len() == self.places.len())
            .then(|| Mapping::new(on))
    }
}
