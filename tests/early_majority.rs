//! An experiment on a fault-tolerant stage that passes on early: what its threads do, simulated event by
//! event, has the figures that the model predicts. It stands between two tasks that are often in its way,
//! since then workers are late while an item waits to be handed over.

use skel::prelude::*;
use skel::skeleton::text;

/// A service time by its mean and its phases, which are 1 for an exponential time.
#[derive(Clone, Copy)]
struct Service {
    mean: f64,
    phases: u32,
}

/// What the leader of the stage does.
#[derive(Clone, Copy, PartialEq)]
enum Leader {
    WaitsForItem,
    CountsReplies,
    HandsOver,
}

/// A worker. `seen` is the round of the item that it began last, and `done` the time at which it will be done
/// with it, while it works.
#[derive(Clone, Copy, Default)]
struct Worker {
    seen: u64,
    done: Option<f64>,
}

/// A task, the stage and a task, where moves take no time and nothing is stored in between.
struct Experiment {
    random: u64,
    majority: usize,
    services: [Service; 3],
    now: f64,
    /// When the first task is done with its item; none while it waits to hand it over.
    first: Option<f64>,
    /// When the last task is done with its item; none while it waits for one.
    last: Option<f64>,
    leader: Leader,
    workers: Vec<Worker>,
    round: u64,
    /// The item is on the board: a worker that is free takes it unless it has seen it.
    is_published: bool,
    replies: usize,
    left: u64,
    /// The time for which workers worked, waited for an item, for room, and for each other.
    times: [f64; 4],
}

impl Experiment {
    fn new(workers: usize, services: [Service; 3], seed: u64) -> Self {
        Experiment {
            random: seed,
            majority: workers / 2 + 1,
            services,
            now: 0.0,
            first: Some(0.0),
            last: None,
            leader: Leader::WaitsForItem,
            workers: vec![Worker::default(); workers],
            round: 0,
            is_published: false,
            replies: 0,
            left: 0,
            times: [0.0; 4],
        }
    }

    /// Runs until so many items have left.
    fn run(&mut self, items: u64) {
        while self.left < items {
            while self.moves_on() {}
            let of_workers = self.workers.iter().filter_map(|worker| worker.done);
            let next = of_workers.chain(self.first).chain(self.last).fold(f64::INFINITY, f64::min);
            self.spend(next - self.now);
            self.now = next;
            self.ends();
        }
    }

    /// One thing that takes no time: an item is taken from the task before or given to the one behind, or a
    /// worker takes what is on the board.
    fn moves_on(&mut self) -> bool {
        let free = self.workers.iter().position(|worker| worker.done.is_none() && worker.seen < self.round);
        match (self.leader, free) {
            (Leader::WaitsForItem, _) if self.first.is_none() => {
                self.first = Some(self.after(0));
                self.round += 1;
                (self.leader, self.is_published, self.replies) = (Leader::CountsReplies, true, 0);
            }
            (Leader::HandsOver, _) if self.last.is_none() => {
                self.last = Some(self.after(2));
                self.leader = Leader::WaitsForItem;
            }
            (_, Some(free)) if self.is_published => {
                self.workers[free] = Worker { seen: self.round, done: Some(self.after(1)) };
            }
            _ => return false,
        }
        true
    }

    /// Whoever is done at this moment. A reply counts if its item is still on the board, and the majority
    /// takes it off.
    fn ends(&mut self) {
        if self.first == Some(self.now) {
            self.first = None;
        }
        if self.last == Some(self.now) {
            self.last = None;
            self.left += 1;
        }
        for worker in &mut self.workers {
            if worker.done == Some(self.now) {
                worker.done = None;
                self.replies += usize::from(self.is_published && worker.seen == self.round);
            }
        }
        if self.is_published && self.replies == self.majority {
            (self.leader, self.is_published) = (Leader::HandsOver, false);
        }
    }

    fn spend(&mut self, time: f64) {
        let working = self.workers.iter().filter(|worker| worker.done.is_some()).count();
        let idle = match self.leader {
            Leader::WaitsForItem => 1,
            Leader::HandsOver => 2,
            Leader::CountsReplies => 3,
        };
        self.times[0] += time * working as f64;
        self.times[idle] += time * (self.workers.len() - working) as f64;
    }

    fn after(&mut self, stage: usize) -> f64 {
        let Service { mean, phases } = self.services[stage];
        let sum: f64 = (0..phases).map(|_| -self.uniform().ln()).sum();
        self.now + sum * mean / f64::from(phases)
    }

    /// A number above 0 and up to 1. G. Steele, D. Lea and C. Flood, *Fast splittable pseudorandom number
    /// generators*, 2014.
    fn uniform(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.random;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        ((bits >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }
}

/// The predicted throughput and the parts of the workers' time, and those of a long experiment.
fn both(workers: usize, services: [Service; 3]) -> ([f64; 5], [f64; 5]) {
    let time = |Service { mean, phases }: Service| format!("erlang({phases}, {mean})");
    let [first, worker, last] = services.map(time);
    let text = format!(
        "pipe(task({first}), fault_tolerant({workers}, {worker}, early), task({last})); communication(none); buffers(0);"
    );
    let performance = text::parse(&text).program().expect("a program").performance().expect("a chain");
    let team = &performance.tasks()[1];
    let predicted = [*performance.throughput(), team.busy, team.starved, team.blocked, team.waiting];
    let mut experiment = Experiment::new(workers, services, 7);
    experiment.run(400_000);
    let whole = experiment.now * workers as f64;
    let [busy, starved, blocked, waiting] = experiment.times.map(|time| time / whole);
    (predicted, [experiment.left as f64 / experiment.now, busy, starved, blocked, waiting])
}

#[test]
fn the_experiment_has_the_figures_of_the_model() {
    for (workers, times) in [
        (3, [(0.5, 1), (1.0, 1), (0.8, 1)]),
        (3, [(0.2, 1), (1.0, 2), (1.5, 1)]),
        (5, [(0.5, 2), (1.0, 1), (1.0, 2)]),
    ] {
        let (predicted, measured) = both(workers, times.map(|(mean, phases)| Service { mean, phases }));
        println!("{workers} {times:?}: {predicted:.4?} {measured:.4?}");
        for (predicted, measured) in predicted.iter().zip(measured) {
            // Three standard deviations of the mean of 400,000 items are half a percent, or less.
            assert!((predicted - measured).abs() < 0.005, "{workers} {times:?}: {predicted} {measured}");
        }
    }
}
