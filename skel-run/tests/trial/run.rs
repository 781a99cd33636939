//! One run under trial, and what must be true of it afterwards.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;

use skel_core::skeleton::{Program, Replication, StageId, StageOf, Tree};
use skel_run::Chain;
use skel_run::report::Ending;
use skel_run::{Control, Engine, Error, Report, Run};

use super::chain::{WithChain, chain};
use super::item::{Census, Item};
use super::reference::{Fate, fates};
use super::shape::Kind;
use super::watchdog::{threads, watch};
use super::world::{Task, World, wait};
use super::{Random, shape};

/// How the results are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consumer {
    TakesAll,
    /// It waits now and then.
    IsSlow,
    StopsAfter(u64),
    PanicsAfter(u64),
}

/// What another thread does to the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Cancel,
    Drain,
    Look,
    SetReplicas(StageId, u32),
    SetBatch(usize),
    /// Before a stage, or everywhere.
    SetBuffers(Option<StageId>, u32),
    /// Equal but for the first worker, which gets this weight.
    SetShares(StageId, u32),
    SplitWorker(StageId, usize),
}

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A thread of its own.
    Other,
    /// Whoever takes the results, when it has so many.
    Consumer(u64),
    /// The source, when it is asked for this item.
    Source(u64),
}

/// A run under trial.
#[derive(Clone, Debug)]
pub struct Trial {
    pub skeleton: String,
    pub buffers: u32,
    pub batch: Option<usize>,
    pub window: u32,
    pub engine: Engine,
    pub unordered: Vec<StageId>,
    pub seed: u64,
    pub tasks: Vec<Task>,
    /// How many items the source has; none for any number.
    pub items: Option<u64>,
    pub source_panics_at: Option<u64>,
    pub source_waits: u64,
    /// One item in so many panics when it is dropped; 0 for none.
    pub armed: u64,
    pub consumer: Consumer,
    pub actions: Vec<(Actor, Action)>,
}

impl Trial {
    /// A trial in which nothing happens.
    pub fn quiet(skeleton: &str, items: u64) -> Self {
        let program = shape::program(skeleton);
        let task = |(around, team)| Task {
            around,
            team,
            counts: false,
            fails: 0,
            waits: 0,
            retries: 0,
            skips: false,
        };
        Trial {
            skeleton: skeleton.to_owned(),
            buffers: 1,
            batch: Some(1),
            window: 16,
            engine: Engine::Threads,
            unordered: Vec::new(),
            seed: 1,
            tasks: shape::tasks(program.skeleton()).into_iter().map(task).collect(),
            items: Some(items),
            source_panics_at: None,
            source_waits: 0,
            armed: 0,
            consumer: Consumer::TakesAll,
            actions: Vec::new(),
        }
    }

    /// The deals and farms.
    pub fn groups(&self) -> Vec<shape::Around> {
        let mut groups: Vec<shape::Around> = self.tasks.iter().flat_map(|task| task.around.clone()).collect();
        groups.sort_by_key(|group| group.id);
        groups.dedup();
        groups
    }

    /// The stages whose replicas or workers may change.
    fn changeable(&self) -> Vec<StageId> {
        let groups = self.groups().into_iter().map(|group| group.id);
        groups.chain(self.tasks.iter().filter_map(|task| task.team.map(|team| team.id))).collect()
    }

    fn has_team(&self, is_meant: impl Fn(Kind) -> bool) -> bool {
        self.tasks.iter().any(|task| task.team.is_some_and(|team| is_meant(team.kind)))
    }

    fn acts(&self, action: impl Fn(&Action) -> bool) -> bool {
        self.actions.iter().any(|(_, known)| action(known))
    }

    /// Whether every task sees items in the order of the source.
    fn keeps_order(&self) -> bool {
        self.unordered.is_empty()
    }
}

/// What came of a trial.
struct Outcome {
    /// Places and values, as they came.
    results: Vec<(u64, u64)>,
    /// None if the consumer panicked.
    answer: Option<Result<Report<Tree>, Error>>,
}

/// Runs a trial. Says what is wrong.
pub fn run(trial: &Trial) -> Result<(), String> {
    quiet_panics();
    let control = Control::new();
    let _watched = watch(format!("{trial:?}"), Some(&control));
    let before = threads();
    let (world, census) = (World::new(trial.seed, trial.tasks.clone()), Arc::new(Census::default()));
    let is_over = AtomicBool::new(false);
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| act_from_outside(trial, &control, &is_over));
        let run = Started { trial, control: &control, census: &census };
        let outcome = chain(&world, trial.keeps_order(), run);
        is_over.store(true, Ordering::SeqCst);
        outcome
    });
    check(trial, &world, &outcome)?;
    if let Some(violation) = world.violation.lock().unwrap().take() {
        return Err(violation);
    }
    drop(outcome);
    if census.alive() != 0 {
        return Err(format!("{} items are still there after the run", census.alive()));
    }
    if COUNTS_THREADS.load(Ordering::SeqCst) { all_threads_end(before) } else { Ok(()) }
}

/// Whether a trial looks for threads that are left. No other test may run at the same time then.
pub static COUNTS_THREADS: AtomicBool = AtomicBool::new(false);

fn all_threads_end(before: usize) -> Result<(), String> {
    for _ in 0..2_000 {
        if threads() <= before {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(format!("{before} threads before the run, and {} after it", threads()))
}

/// Panics that are part of a trial are not printed.
fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let message = message_of(info.payload());
            let is_expected = ["task ", "item ", "the source panics", "the consumer panics"];
            if !is_expected.iter().any(|start| message.starts_with(start)) {
                before(info);
            }
        }));
    });
}

fn message_of(thrown: &dyn Any) -> &str {
    let text = thrown.downcast_ref::<&str>().copied();
    text.or_else(|| thrown.downcast_ref::<String>().map(String::as_str)).unwrap_or_default()
}

fn act_from_outside(trial: &Trial, control: &Control, is_over: &AtomicBool) {
    let mut random = Random::new(trial.seed ^ 0x5EED);
    for (_, action) in trial.actions.iter().filter(|(actor, _)| *actor == Actor::Other) {
        for _ in 0..random.below(8) {
            wait(random.next());
        }
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        act(control, *action);
    }
    // A source without an end needs one, however the other actions went.
    if trial.items.is_none() {
        while control.snapshot().is_none() && !is_over.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        control.drain();
    }
}

fn act(control: &Control, action: Action) {
    match action {
        Action::Cancel => control.cancel(),
        Action::Drain => control.drain(),
        Action::Look => drop(control.snapshot()),
        Action::SetReplicas(stage, replicas) => {
            // It may have ended.
            let _ = control.set_replicas_of(stage, replicas);
        }
        // What cannot be is refused.
        Action::SetBatch(items) => drop(control.set_batch(items)),
        Action::SetBuffers(Some(stage), capacity) => drop(control.set_buffers_before_of(stage, capacity)),
        Action::SetBuffers(None, capacity) => drop(control.set_buffers(capacity)),
        Action::SetShares(stage, weight) => drop(control.set_shares_of(stage, &[weight, 2, 2])),
        Action::SplitWorker(stage, worker) => drop(control.split_worker_of(stage, worker, 2)),
    }
}

struct Started<'a> {
    trial: &'a Trial,
    control: &'a Control,
    census: &'a Arc<Census>,
}

impl WithChain for Started<'_> {
    type Answer = Outcome;

    fn with<C: Chain<In = Item, Out = Item>>(self, functions: C) -> Outcome {
        let Started { trial, control, census } = self;
        let program: Program<Tree> = shape::program(&trial.skeleton).buffers(trial.buffers);
        let mut run = Run::from_generated_code(program, functions)
            .engine(trial.engine)
            .window(trial.window)
            .controlled_by(control);
        if let Some(batch) = trial.batch {
            run = run.batch(batch);
        }
        for &farm in &trial.unordered {
            run = run.unordered(StageOf::<Tree, ()>::from_generated_code(farm.0));
        }
        let results = Mutex::new(Vec::new());
        let next = AtomicU64::new(0);
        let source = std::iter::from_fn(|| ask(trial, control, census, &next));
        let source: Box<dyn Iterator<Item = Item> + Send> = Box::new(source);
        let answer = catch_unwind(AssertUnwindSafe(|| {
            run.results(source, |items| consume(trial, control, &results, items))
        }));
        let answer = answer.ok().map(|answer| answer.map(|((), report)| report));
        Outcome { results: results.into_inner().unwrap(), answer }
    }
}

fn ask(trial: &Trial, control: &Control, census: &Arc<Census>, next: &AtomicU64) -> Option<Item> {
    let place = next.load(Ordering::SeqCst);
    for (actor, action) in &trial.actions {
        if *actor == Actor::Source(place) {
            act(control, *action);
        }
    }
    if trial.source_panics_at == Some(place) {
        panic!("the source panics");
    }
    let dice = super::scramble(trial.seed ^ place ^ 0x50);
    if trial.source_waits > 0 && dice.is_multiple_of(trial.source_waits) {
        wait(super::scramble(dice));
    }
    if trial.items.is_some_and(|items| place >= items) {
        return None;
    }
    next.store(place + 1, Ordering::SeqCst);
    let is_armed = trial.armed > 0 && super::scramble(dice ^ 0xB0).is_multiple_of(trial.armed);
    Some(Item::new(place, is_armed, census))
}

fn consume(
    trial: &Trial,
    control: &Control,
    results: &Mutex<Vec<(u64, u64)>>,
    items: &mut dyn Iterator<Item = Item>,
) {
    let mut count = 0;
    loop {
        for (actor, action) in &trial.actions {
            if *actor == Actor::Consumer(count) {
                act(control, *action);
            }
        }
        match trial.consumer {
            Consumer::StopsAfter(most) if count == most => return,
            Consumer::PanicsAfter(most) if count == most => panic!("the consumer panics"),
            Consumer::IsSlow if super::scramble(count).is_multiple_of(4) => wait(super::scramble(count ^ 1)),
            _ => {}
        }
        let Some(mut item) = items.next() else { return };
        item.is_armed = false;
        results.lock().unwrap().push((item.place, item.value));
        count += 1;
    }
}

/// What must be true of every run.
fn check(trial: &Trial, world: &World, outcome: &Outcome) -> Result<(), String> {
    let results = &outcome.results;
    let most = results.iter().map(|(place, _)| place + 1).max().unwrap_or(0);
    let fates_before = fates(world, most);
    let Some(answer) = &outcome.answer else {
        if !matches!(trial.consumer, Consumer::PanicsAfter(_)) {
            return Err("the run panicked".to_owned());
        }
        return each_as_expected(trial, results, &fates_before);
    };
    let (report, failed) = match answer {
        Ok(report) => (report, None),
        Err(error) => match (error.report(), error) {
            (Some(report), Error::Failed(failure)) => {
                let tasks = report.tasks();
                let task = tasks.iter().position(|task| task.id == failure.stage());
                (report, Some((failure.place(), task)))
            }
            (Some(report), Error::SourceFailed { place, .. }) => (report, Some((*place, None))),
            _ => return Err(format!("the run did not begin: {error}")),
        },
    };
    let all = fates(world, report.taken() + 1);
    each_as_expected(trial, results, &all)?;
    let sum = report.delivered() + report.skipped() + report.states() + report.discarded() + report.failed();
    if report.taken() != sum {
        return Err(format!(
            "{} taken, {} delivered, {} skipped, {} states, {} discarded, {} failed; {:?}",
            report.taken(),
            report.delivered(),
            report.skipped(),
            report.states(),
            report.discarded(),
            report.failed(),
            report.ending()
        ));
    }
    if report.delivered() != results.len() as u64 {
        return Err(format!("{} delivered, {} came", report.delivered(), results.len()));
    }
    ended_as_expected(trial, results, report, failed, &all).map_err(|problem| match answer {
        Ok(_) => problem,
        Err(error) => format!("{problem}: {error}"),
    })
}

/// Each result is that of the sequential program, none comes twice, and in order.
fn each_as_expected(trial: &Trial, results: &[(u64, u64)], fates: &[Fate]) -> Result<(), String> {
    let mut seen = HashMap::new();
    for &(place, value) in results {
        if seen.insert(place, value).is_some() {
            return Err(format!("item {place} came twice"));
        }
        match fates.get(place as usize) {
            Some(Fate::Delivered(expected)) if *expected == value => {}
            None if !trial.keeps_order() => {}
            other => return Err(format!("item {place} came as {value:x}, expected {other:x?}")),
        }
    }
    if trial.keeps_order() {
        let expected = fates.iter().enumerate().filter(|(_, fate)| matches!(fate, Fate::Delivered(_)));
        let expected = expected.map(|(place, _)| place as u64);
        if let Some(((place, _), due)) = results.iter().zip(expected).find(|((place, _), due)| place != due) {
            return Err(format!("item {place} came when item {due} was due"));
        }
    }
    Ok(())
}

fn ended_as_expected(
    trial: &Trial,
    results: &[(u64, u64)],
    report: &Report<Tree>,
    failed: Option<(u64, Option<usize>)>,
    fates: &[Fate],
) -> Result<(), String> {
    let is_cancelled =
        trial.acts(|action| *action == Action::Cancel) || matches!(trial.consumer, Consumer::StopsAfter(_));
    let first_failure = fates.iter().enumerate().find_map(|(place, fate)| match fate {
        Fate::Fails(task) => Some((place as u64, Some(*task))),
        _ => None,
    });
    let first_failure = first_failure.filter(|(place, _)| *place < report.taken());
    let expected = match trial.source_panics_at {
        Some(place) if report.taken() == place && failed.is_some() => first_failure.or(Some((place, None))),
        _ => first_failure,
    };
    let is_failed = failed.is_some();
    if is_failed != (report.ending() == Ending::Failed) {
        return Err(format!("{failed:?}, but it {}", report.ending()));
    }
    if is_cancelled {
        // Which items were still served is a matter of chance.
        return Ok(());
    }
    if failed != expected {
        return Err(format!("failed at {failed:?}, expected {expected:?}"));
    }
    let end = failed.map_or(report.taken(), |(place, _)| place);
    let due = fates[..end as usize].iter().filter(|fate| matches!(fate, Fate::Delivered(_))).count();
    let came = results.iter().filter(|(place, _)| *place < end).count();
    if came != due || (trial.keeps_order() && results.len() != due) {
        return Err(format!("{came} of {due} came before item {end}, and {} in all", results.len()));
    }
    if report.ending() == Ending::Completed && trial.items.is_some_and(|items| items != report.taken()) {
        return Err(format!("completed after {} of {:?} items", report.taken(), trial.items));
    }
    if report.ending() == Ending::Cancelled {
        return Err("nobody cancelled it".to_owned());
    }
    if report.ending() == Ending::Drained
        && !trial.acts(|action| *action == Action::Drain)
        && trial.items.is_some()
    {
        return Err("nobody drained it".to_owned());
    }
    if is_failed { Ok(()) } else { skips(report, fates) }
}

fn skips(report: &Report<Tree>, fates: &[Fate]) -> Result<(), String> {
    let count = |meant| fates[..report.taken() as usize].iter().filter(|fate| **fate == meant).count() as u64;
    let expected = (count(Fate::Skipped), count(Fate::Kept));
    if (report.skipped(), report.states()) == expected {
        return Ok(());
    }
    let (skipped, states) = (report.skipped(), report.states());
    Err(format!("{skipped} skipped and {states} states, expected {expected:?}"))
}

/// A trial of everything, from a seed.
pub fn random_trial(seed: u64) -> Trial {
    let mut random = Random::new(seed);
    let deals = !random.one_in(4);
    let depth = 1 + random.below(4) as u32;
    let most = 1 + random.below(12);
    let skeleton = loop {
        let shape = shape::Shape::random(&mut random, most, depth, deals);
        if shape.threads() <= 40 {
            break shape.text();
        }
    };
    trial_of(seed, &skeleton, random)
}

/// A trial of everything with teams, from a seed.
pub fn random_team_trial(seed: u64) -> Trial {
    let mut random = Random::new(!seed);
    let skeleton = loop {
        let (depth, most) = (1 + random.below(4) as u32, 1 + random.below(12));
        let deals = !random.one_in(4);
        let shape = shape::Shape::random(&mut random, most, depth, deals).with_teams(&mut random, false);
        let text = shape.text();
        // Some of all shapes have one stage, which is a team.
        let text = if random.one_in(6) { shape::Shape::team(&mut random, false).text() } else { text };
        let has_team = ["map", "fault_tolerant"].iter().any(|word| text.contains(word));
        if has_team && shape.threads() <= 40 {
            break text;
        }
    };
    trial_of(seed, &skeleton, random)
}

fn trial_of(seed: u64, skeleton: &str, mut random: Random) -> Trial {
    let mut trial = Trial::quiet(skeleton, random.below(300));
    trial.seed = seed;
    trial.buffers = *random.pick(&[0, 0, 1, 2, 4]);
    trial.batch = *random.pick(&[None, Some(1), Some(1), Some(3), Some(16)]);
    trial.window = *random.pick(&[1, 1, 2, 16]);
    let pulls = 1 + random.below(3) as usize;
    let has_deal = trial.groups().iter().any(|group| group.kind == Replication::Deal);
    trial.engine = match random.below(4) {
        0 if !has_deal => Engine::Pull(pulls),
        1 => Engine::Automatic,
        _ => Engine::Threads,
    };
    let farms: Vec<StageId> =
        trial.groups().iter().filter(|group| group.kind == Replication::Farm).map(|group| group.id).collect();
    let has_state = trial.has_team(|kind| kind == Kind::WithState);
    if !farms.is_empty() && random.one_in(5) && !has_state {
        trial.unordered.push(*random.pick(&farms));
    }
    if trial.has_team(|_| true) {
        (trial.engine, trial.batch) = (Engine::Threads, *random.pick(&[None, Some(1)]));
    }
    with_faults(&mut trial, &mut random);
    with_actions(&mut trial, &mut random);
    with_counting(&mut trial);
    trial
}

fn with_faults(trial: &mut Trial, random: &mut Random) {
    for task in &mut trial.tasks {
        if random.one_in(3) {
            task.waits = 1 + random.below(30);
        }
        match random.below(6) {
            0 => task.fails = 20 + random.below(200),
            1 => (task.fails, task.skips) = (2 + random.below(30), true),
            2 => {
                (task.fails, task.skips) = (2 + random.below(30), random.one_in(2));
                task.retries = 1 + random.below(3) as u32;
            }
            _ => {}
        }
    }
    if random.one_in(8) {
        trial.source_panics_at = Some(random.below(trial.items.unwrap_or(100) + 1));
    }
    if random.one_in(3) {
        trial.source_waits = 1 + random.below(20);
    }
    if random.one_in(3) {
        trial.armed = 1 + random.below(20);
    }
    trial.consumer = match random.below(8) {
        0 => Consumer::StopsAfter(random.below(100)),
        1 => Consumer::PanicsAfter(random.below(100)),
        2 => Consumer::IsSlow,
        _ => Consumer::TakesAll,
    };
}

fn with_actions(trial: &mut Trial, random: &mut Random) {
    let stages = trial.changeable();
    if !stages.is_empty() && random.one_in(2) {
        for _ in 0..random.below(12) {
            let group = *random.pick(&stages);
            let actor = match random.below(6) {
                0 => Actor::Consumer(random.below(50)),
                1 => Actor::Source(random.below(50)),
                _ => Actor::Other,
            };
            trial.actions.push((actor, Action::SetReplicas(group, 1 + random.below(4) as u32)));
        }
    }
    if random.one_in(3) {
        trial.actions.push((Actor::Other, Action::Look));
    }
    if random.one_in(8) {
        trial.actions.push((Actor::Other, Action::Cancel));
    }
    if random.one_in(8) {
        trial.actions.push((Actor::Other, Action::Drain));
        if random.one_in(2) && trial.source_panics_at.is_none() {
            trial.items = None;
        }
    }
    with_other_actions(trial, random);
}

/// Other parcels, buffers and parts.
fn with_other_actions(trial: &mut Trial, random: &mut Random) {
    if !random.one_in(2) {
        return;
    }
    let stages = shape::program(&trial.skeleton).skeleton().stages().len() as u64;
    for _ in 0..random.below(8) {
        let stage = StageId(random.below(stages) as u32);
        let actor = match random.below(6) {
            0 => Actor::Consumer(random.below(50)),
            1 => Actor::Source(random.below(50)),
            _ => Actor::Other,
        };
        let action = match random.below(6) {
            0 => Action::SetBatch(1 + random.below(20) as usize),
            1 | 2 => Action::SetBuffers(None, random.below(5) as u32),
            3 => Action::SetBuffers(Some(stage), random.below(5) as u32),
            4 => Action::SetShares(stage, random.below(5) as u32),
            _ => Action::SplitWorker(stage, random.below(3) as usize),
        };
        trial.actions.push((actor, action));
    }
}

/// Tasks count where that has one right answer.
fn with_counting(trial: &mut Trial) {
    if !trial.keeps_order() {
        return;
    }
    let members_change = trial.acts(|action| {
        matches!(action, Action::SetReplicas(..) | Action::SetBatch(_) | Action::SetBuffers(..))
    });
    let turns_are_known = trial.batch == Some(1) && !members_change;
    for task in &mut trial.tasks {
        task.counts = task.team.is_none()
            && (task.is_alone() || (task.is_dealt() && task.fails == 0 && turns_are_known));
    }
}
