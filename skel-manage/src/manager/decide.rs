//! The loop of a manager: measure, analyse, plan, act, and check what came of it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use skel_core::skeleton::{Program, StageId, Tree};
use skel_run::monitor::Snapshot;

use super::choice::{self, Choice, Intent, Numbers, act};
use super::facts::{AtStage, Look};
use super::settings::Settings;
use super::violation::Reported;
use super::windows::Windows;
use crate::action::{Action, Actuators, Refusal};
use crate::contract::Contract;
use crate::decision::{Decision, Event, Log, Outcome};
use crate::measure::Measures;
use crate::model::{Plan, Prediction};
use crate::placement::{Placement, split};
use crate::quantity::ServiceTime;
use crate::rule::{Rule, Rules, Then};

/// By how many standard errors a service time has to be beyond the limit, in a window of one block and in a
/// long one.
const BEYOND: (f64, f64) = (1.0, 0.5);

/// How many blocks a long window has. Nothing is tolerated in it: the tolerance is for what a shorter one
/// cannot know.
const LONG: f64 = 4.0;

/// By how many standard errors a prediction has to be wrong before predictions are corrected, and by which
/// factors at most.
const WRONG: f64 = 3.0;
const CORRECTIONS: (f64, f64) = (0.5, 2.0);

/// Why no task moves.
const NO_PLATFORM: &str =
    "the rule asks for another processor, and the manager knows no platform: say it with `placed`";

/// Keeps the contract of a program.
///
/// It is given snapshots of the program, decides, and acts by [`Actuators`]. It has no clock and no thread,
/// so that the same snapshots lead to the same decisions: those of a run, of a
/// [`Simulation`](crate::simulate::Simulation), or of a recorded run.
///
/// # Cost
/// Less than 20 microseconds of processor time for a snapshot without a decision.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use skel_core::skeleton::{text::parse, Skeleton};
/// use skel_core::time::TimeUnits;
/// use skel_manage::rule::Rules;
/// use skel_manage::simulate::Simulation;
/// use skel_manage::{Actuators, Contract, Manager, Settings};
///
/// let tree = parse("pipe(task(100), farm(1, 12.5), task(100));").into_tree()?;
/// let mut simulation = Simulation::of(&tree.communicating(1e6).buffers(4))?.seed(1);
/// let mut manager = Manager::new(Contract::service_time(12.ms()), Rules::predefined(), Settings::default());
/// for tick in 1..=100 {
///     simulation.run_until(Duration::from_millis(250) * tick);
///     let snapshot = simulation.snapshot();
///     manager.observe(&snapshot, &mut simulation);
/// }
/// println!("{}", simulation.program().skeleton()); // 8 workers or more
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Manager {
    contract: Contract,
    rules: Rules,
    settings: Settings,
    clock: fn() -> Duration,
    windows: Windows,
    /// Whether the contract was broken and has not been kept since. It counts as kept again only when the
    /// tolerance is not needed, so that a program does not rest where it has hardly stopped to break it.
    is_broken: bool,
    /// For how many windows it still does not take back its last action, and whether that added something.
    rest: u32,
    has_grown: bool,
    /// It looks again before the window is full when it has so many services.
    looks_again_at: u64,
    /// By what factor service times are longer than predicted.
    correction: f64,
    /// What was predicted for the last action, corrected, until it has been checked.
    expected: Option<ServiceTime>,
    /// The smaller program that the last window allowed.
    smaller: Option<Numbers>,
    reported: Option<Reported>,
    /// The rules whose report was noted and whose condition held ever since.
    said: BTreeSet<String>,
    /// Where everything is, if the platform is known.
    placement: Option<Placement>,
    /// The parts of the workers of maps where they were changed.
    shares: BTreeMap<StageId, Vec<u32>>,
    /// What was noted last and not done: it is not noted again as long as it is asked for.
    noted: Vec<Action>,
    /// Whether the last full window asked for that.
    is_repeated: bool,
    log: Log,
}

impl Manager {
    /// A manager that has not seen anything yet.
    #[must_use]
    pub fn new(contract: Contract, rules: Rules, settings: Settings) -> Self {
        Manager {
            contract,
            rules,
            settings,
            clock: || Duration::ZERO,
            windows: Windows::default(),
            is_broken: false,
            rest: 0,
            has_grown: false,
            looks_again_at: 0,
            correction: 1.0,
            expected: None,
            smaller: None,
            reported: None,
            said: BTreeSet::new(),
            placement: None,
            shares: BTreeMap::new(),
            noted: Vec::new(),
            is_repeated: false,
            log: Log::default(),
        }
    }

    /// The same with a clock by which it notes how long decisions take. Without one they take no time.
    #[must_use]
    pub fn clocked_by(self, clock: fn() -> Duration) -> Self {
        Manager { clock, ..self }
    }

    /// The same for a program whose tasks are there on a platform: then a task can move to a faster processor
    /// that is free.
    #[must_use]
    pub fn placed(self, placement: Placement) -> Self {
        Manager { placement: Some(placement), ..self }
    }

    /// The contract.
    #[must_use]
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// How it decides.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Everything that it noted until now.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Looks at what the program did until now, and acts if it should. The answer is what it noted.
    ///
    /// Snapshots are of one run, each of what was done since its start, in the order of time; 4 to 10 for
    /// each second are enough.
    pub fn observe(&mut self, snapshot: &Snapshot, actuators: &mut dyn Actuators) -> Vec<Event> {
        let begin = (self.clock)();
        if self.windows.add(snapshot) {
            (self.looks_again_at, self.smaller) = (0, None);
        }
        let (all, block) = self.windows.services();
        let is_full = block >= self.settings.services;
        let may_be_evident = all >= self.settings.least_services.max(self.looks_again_at);
        if !is_full && !may_be_evident {
            return Vec::new();
        }
        let Some(window) = self.windows.whole() else { return Vec::new() };
        let limit = self.limit(all);
        if !is_full && window.throughput() * limit.seconds() >= 1.0 {
            return Vec::new();
        }
        let program = actuators.program();
        let Ok(measures) = Measures::of(&window, &program) else { return Vec::new() };
        let left = self.left(snapshot, &measures);
        let (contract, settings) = (self.contract, self.settings.clone());
        let mut look = Look::new(&contract, &settings, &program, measures, limit);
        (look.correction, look.left) = (self.correction, left);
        look.placement.clone_from(&self.placement);
        let is_evident = look.is_beyond(settings.evident);
        if !is_full && !is_evident {
            return Vec::new();
        }
        self.looks_again_at = all + all / 4 + 1;
        let mut events = Vec::new();
        if is_full {
            events.extend(self.check(&look));
        }
        look.correction = self.correction;
        let doubt = BEYOND.1 + (BEYOND.0 - BEYOND.1) * self.novelty(all);
        let is_beyond = is_evident || look.is_beyond(doubt);
        look.recent = self.windows.recent(all / 2).and_then(|half| Measures::of(&half, &program).ok());
        self.is_broken = is_beyond || self.is_broken && look.measures.service_time > self.contract.goal();
        let may_act = is_evident || self.rest == 0 || self.has_grown && is_beyond;
        let decided = if may_act { self.decide(&look, is_full, is_beyond, actuators) } else { None };
        if is_full {
            self.rest = self.rest.saturating_sub(1);
            self.windows.begin_block();
        }
        if is_full && !self.is_repeated {
            self.noted.clear();
        }
        if let Some((rule, intent)) = decided {
            let decision = self.carry_out(&look, rule, intent, begin, snapshot, actuators);
            events.push(Event::Decided(Box::new(decision)));
        }
        self.log.events.extend(events.iter().cloned());
        events
    }

    /// The service time beyond which something is done, in a window of so many services: that of the contract
    /// with its tolerance in a window of one block, and without it in a long window, or while a broken
    /// contract is being restored.
    fn limit(&self, services: u64) -> ServiceTime {
        let part = if self.is_broken { 0.0 } else { self.novelty(services) };
        self.contract.goal().times(1.0 + self.contract.tolerated() * part)
    }

    /// 1 of a window of one block or less, 0 of a long one.
    fn novelty(&self, services: u64) -> f64 {
        let blocks = services as f64 / self.settings.services as f64;
        ((LONG - blocks) / (LONG - 1.0)).clamp(0.0, 1.0)
    }

    /// How long the run is still to go on, in seconds.
    fn left(&self, snapshot: &Snapshot, measures: &Measures) -> f64 {
        let until_end = self.settings.ends_at.map(|end| end.saturating_sub(snapshot.at).as_secs_f64());
        let items = self.settings.items.map(|items| items.saturating_sub(snapshot.delivered()) as f64);
        let for_items = items.map(|items| items * measures.service_time.seconds());
        [until_end, for_items].into_iter().flatten().fold(f64::INFINITY, f64::min)
    }

    /// Compares a full window with what was predicted: after an action, and as long as the contract is broken
    /// or predictions are corrected.
    fn check(&mut self, look: &Look<'_>) -> Option<Event> {
        let expected = self.expected.take();
        let is_kept = look.measures.service_time <= self.contract.limit() && self.correction == 1.0;
        if expected.is_none() && is_kept {
            return None;
        }
        let recalibrated = self.recalibrated(look);
        let predicted = expected.or_else(|| recalibrated.map(|_| look.corrected(look.now())))?;
        if let Some(correction) = recalibrated {
            self.correction = correction;
        }
        Some(Event::Checked {
            at: Duration::from_secs_f64(look.measures.at),
            predicted,
            measured: look.measures.service_time,
            error: look.measures.error,
            recalibrated,
        })
    }

    /// The factor by which predictions are to be corrected, if it is another one than now. What source or
    /// output make slower says nothing of the model.
    fn recalibrated(&self, look: &Look<'_>) -> Option<f64> {
        let (measures, predicted) = (&look.measures, look.now().by(self.settings.consult));
        let measured = measures.service_time;
        let ends = [measures.arrival_time, measures.output_time];
        if ends.into_iter().flatten().any(|end| end > predicted) {
            return None;
        }
        let ratio = measured.seconds() / predicted.seconds();
        let doubt = self.contract.tolerated().max(WRONG * measures.error);
        let is_wrong = (ratio - 1.0).abs() > doubt;
        let correction = if is_wrong { ratio.clamp(CORRECTIONS.0, CORRECTIONS.1) } else { 1.0 };
        ((correction / self.correction - 1.0).abs() > doubt && correction.is_finite()).then_some(correction)
    }

    /// What the first rule that fires and helps asks for.
    fn decide(
        &mut self,
        look: &Look<'_>,
        is_full: bool,
        is_beyond: bool,
        actuators: &dyn Actuators,
    ) -> Option<(String, Intent)> {
        let before = if is_full { self.smaller.take() } else { None };
        self.is_repeated = false;
        if look.measures.service_time > look.limit && !is_beyond {
            return None;
        }
        let stages = look.slowest_first();
        let rules = self.rules.clone();
        for rule in rules.rules() {
            let is_asked = |&stage: &usize| {
                rule.stage.as_ref().is_none_or(|name| look.measures.stages[stage].name == *name)
            };
            let fires = |&stage: &usize| rule.when.holds(&AtStage { look, stage });
            let mut firing = stages.iter().copied().filter(is_asked).filter(fires).peekable();
            if firing.peek().is_none() {
                self.said.remove(&rule.name);
            }
            // What is said of one stage may help at the next one; a plan is for the whole program.
            let most = if is_of_a_stage(&rule.then) { usize::MAX } else { 1 };
            for stage in firing.take(most) {
                match self.choose(rule, stage, look, is_full, before.as_ref()) {
                    Choice::Act(intent) if intent.actions == self.noted => {
                        self.is_repeated = true;
                        return None;
                    }
                    Choice::Act(intent)
                        if self.can(&intent, actuators) && self.is_worth(look, &intent, actuators) =>
                    {
                        return Some((rule.name.clone(), intent));
                    }
                    Choice::Confirm(smaller) => {
                        self.smaller = Some(smaller);
                        return None;
                    }
                    Choice::Act(_) | Choice::Nothing => {}
                }
            }
        }
        None
    }

    fn choose(
        &mut self,
        rule: &Rule,
        stage: usize,
        look: &Look<'_>,
        is_full: bool,
        before: Option<&Numbers>,
    ) -> Choice {
        match &rule.then {
            Then::Grow => match look.grow(is_full) {
                Choice::Act(_) if self.reported.as_ref().is_some_and(|reported| reported.stands(look)) => {
                    Choice::Nothing
                }
                choice => choice,
            },
            Then::Shrink if is_full => match self.measures_of_block(look) {
                Some(block) => look.shrink(&block, before),
                None => Choice::Nothing,
            },
            Then::Shrink => Choice::Nothing,
            Then::Add(count) => look.change_by(stage, i64::from(*count)),
            Then::Remove(count) => look.change_by(stage, -i64::from(*count)),
            Then::Buffers(to) => look.buffers(stage, *to),
            Then::Batch(to) => look.batch(*to),
            Then::Violate => self.violation(look, is_full),
            Then::Report(text) => self.say(&rule.name, text),
            Then::Migrate if self.placement.is_none() => self.say(&rule.name, NO_PLATFORM),
            Then::Migrate => look.migrate(self.placement.as_ref()),
            Then::Repartition => look.repartition(stage, &self.shares(look, stage)),
            Then::Nest(workers) => look.nest(stage, &self.shares(look, stage), *workers),
        }
    }

    /// The parts of the workers of a map: equal, unless they were changed.
    fn shares(&self, look: &Look<'_>, stage: usize) -> Vec<u32> {
        let stage = &look.measures.stages[stage];
        let known = self.shares.get(&stage.id).filter(|shares| shares.len() == stage.worker_times.len());
        known.cloned().unwrap_or_else(|| vec![1; stage.worker_times.len()])
    }

    fn measures_of_block(&self, look: &Look<'_>) -> Option<Measures> {
        Measures::of(&self.windows.last_block()?, look.program).ok()
    }

    /// Reports why the contract cannot be kept, if it is broken beyond its tolerance, that is so, and it has
    /// not been reported.
    fn violation(&mut self, look: &Look<'_>, is_full: bool) -> Choice {
        if look.measures.service_time <= self.contract.limit() {
            return Choice::Nothing;
        }
        let Plan::Impossible(obstacle) = look.plan_to_grow(is_full) else { return Choice::Nothing };
        let is_known = |reported: &Reported| reported.covers(&obstacle, look) && reported.stands(look);
        if self.reported.as_ref().is_some_and(is_known) {
            return Choice::Nothing;
        }
        self.reported = Some(Reported::of(&obstacle, look));
        let reason = choice::reason(&self.contract, &obstacle);
        act(Action::Report { reason: reason.clone() }, reason)
    }

    fn say(&mut self, rule: &str, text: &str) -> Choice {
        if !self.said.insert(rule.to_owned()) {
            return Choice::Nothing;
        }
        act(Action::Report { reason: text.to_owned() }, text.to_owned())
    }

    /// Whether the program can be changed so. Where nothing is done, that is not asked.
    fn can(&self, intent: &Intent, actuators: &dyn Actuators) -> bool {
        self.settings.is_dry_run || intent.actions.iter().all(|action| actuators.can(action))
    }

    /// Whether actions gain more than they cost in the time that is left.
    fn is_worth(&self, look: &Look<'_>, intent: &Intent, actuators: &dyn Actuators) -> bool {
        let cost: f64 = intent.actions.iter().map(|action| actuators.cost(action).as_secs_f64()).sum();
        let measured = look.measures.service_time.seconds();
        let then = intent.then.as_ref().map_or(measured, |then| look.corrected(then).seconds());
        let gain = if then < measured { look.left * (1.0 - then / measured) } else { look.left };
        cost == 0.0 || cost < gain
    }

    fn carry_out(
        &mut self,
        look: &Look<'_>,
        rule: String,
        intent: Intent,
        begin: Duration,
        snapshot: &Snapshot,
        actuators: &mut dyn Actuators,
    ) -> Decision {
        let Intent { actions, then, reason } = intent;
        let cost = actions.iter().map(|action| actuators.cost(action)).sum();
        let decided_in = (self.clock)().saturating_sub(begin);
        let outcome = if self.settings.is_dry_run { Outcome::Noted } else { perform(&actions, actuators) };
        let is_changed = match &outcome {
            Outcome::Done => actions.iter().any(|action| !matches!(action, Action::Report { .. })),
            Outcome::Refused { action, .. } => *action > 0,
            Outcome::Noted => false,
        };
        if outcome != Outcome::Done {
            self.noted.clone_from(&actions);
        }
        if is_changed {
            self.has_grown = is_growth(&actions);
            self.follow(look, &actions, &outcome, &actuators.program());
            self.acted(look, then.as_ref(), snapshot);
        }
        Decision {
            at: snapshot.at,
            measures: look.measures.clone(),
            now: look.now().clone(),
            then,
            rule,
            actions,
            reason,
            cost,
            decided_in,
            outcome,
        }
    }

    /// Notes where replicas are now, and which parts workers have.
    fn follow(&mut self, look: &Look<'_>, actions: &[Action], outcome: &Outcome, program: &Program<Tree>) {
        let done = if let Outcome::Refused { action, .. } = outcome { *action } else { actions.len() };
        for action in &actions[..done] {
            if let Some(placement) = &mut self.placement {
                placement.note(action, program.skeleton());
            }
            match action {
                Action::Repartition { stage, shares } => drop(self.shares.insert(*stage, shares.clone())),
                Action::Nest { stage, workers, .. } => {
                    let place = look.measures.stages.iter().position(|of| of.id == *stage);
                    let nested = place.and_then(|place| {
                        let times = &look.measures.stages[place].worker_times;
                        split(&self.shares(look, place), times, *workers)
                    });
                    nested.into_iter().for_each(|nested| drop(self.shares.insert(*stage, nested.shares)));
                }
                Action::SetReplicas { stage, .. } => drop(self.shares.remove(stage)),
                _ => {}
            }
        }
    }

    /// The program is another one from now on.
    fn acted(&mut self, look: &Look<'_>, then: Option<&Prediction>, snapshot: &Snapshot) {
        self.windows.restart(snapshot);
        self.rest = self.settings.cool_down;
        self.looks_again_at = 0;
        self.expected = then.map(|then| look.corrected(then));
        self.smaller = None;
        self.reported = None;
    }
}

/// Whether there are more replicas or workers afterwards.
fn is_growth(actions: &[Action]) -> bool {
    actions.iter().any(|action| matches!(action, Action::SetReplicas { from, to, .. } if to > from))
}

fn is_of_a_stage(then: &Then) -> bool {
    matches!(then, Then::Add(_) | Then::Remove(_) | Then::Buffers(_) | Then::Repartition | Then::Nest(_))
}

fn perform(actions: &[Action], actuators: &mut dyn Actuators) -> Outcome {
    for (number, action) in actions.iter().enumerate() {
        let done = if actuators.can(action) {
            actuators.perform(action)
        } else {
            Err(Refusal("the program cannot do this".to_owned()))
        };
        if let Err(refusal) = done {
            return Outcome::Refused { action: number, refusal };
        }
    }
    Outcome::Done
}
