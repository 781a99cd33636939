//! A run that is simulated, event by event: an independent way to the figures that a chain predicts.
//!
//! A pipe of stages with replicas that share one buffer before them. A replica serves an item, and then holds
//! it until the next stage has a place for it. Without a buffer that is a replica that waits.

use std::time::Duration;

use crate::monitor::{ReplicaFigures, Snapshot, TaskFigures};
use crate::report::Departures;
use skel_core::skeleton::{Program, Tree};

/// A service time by its mean and its phases: 0 phases are a constant time, 1 an exponential one, more an
/// Erlang one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Service {
    pub(super) mean: f64,
    pub(super) phases: u32,
}

/// A stage of the simulated pipe.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimulatedStage {
    pub(super) replicas: usize,
    pub(super) service: Service,
}

/// What was simulated.
pub(super) struct Simulated {
    pub(super) snapshot: Snapshot,
    pub(super) departures: Departures,
    pub(super) elapsed: Duration,
}

/// What a replica does, and since when.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    Starved,
    Busy,
    Blocked,
}

#[derive(Clone, Debug)]
struct Replica {
    doing: Doing,
    since: f64,
    /// When it ends what it serves.
    until: f64,
    times: [f64; 3],
    served: u64,
    squares: f64,
}

struct Simulation<'s> {
    stages: &'s [SimulatedStage],
    capacity: usize,
    /// The time that each item takes from the source, for the first stage alone.
    source: Option<Service>,
    replicas: Vec<Vec<Replica>>,
    queues: Vec<usize>,
    items: u64,
    now: f64,
    random: u64,
    departures: Departures,
}

/// Simulates so many items through a pipe.
pub(super) fn simulate(
    program: &Program<Tree>,
    stages: &[SimulatedStage],
    capacity: usize,
    source: Option<Service>,
    items: u64,
    seed: u64,
) -> Simulated {
    let idle =
        Replica { doing: Doing::Starved, since: 0.0, until: 0.0, times: [0.0; 3], served: 0, squares: 0.0 };
    let mut simulation = Simulation {
        stages,
        capacity,
        source,
        replicas: stages.iter().map(|stage| vec![idle.clone(); stage.replicas]).collect(),
        queues: vec![0; stages.len()],
        items,
        now: 0.0,
        random: seed,
        departures: Departures::none(),
    };
    simulation.run();
    let tree = program.skeleton();
    let ids: Vec<_> = {
        let mut ids = tree.tasks();
        ids.dedup();
        ids
    };
    let task = |(stage, id): (usize, &skel_core::skeleton::StageId)| TaskFigures {
        id: *id,
        name: tree.name(*id),
        queue: None,
        queued: Duration::ZERO,
        replicas: simulation.replicas[stage].iter().map(|replica| figures(replica, simulation.now)).collect(),
    };
    let elapsed = Duration::from_secs_f64(simulation.now);
    Simulated {
        snapshot: Snapshot {
            from: Duration::ZERO,
            at: elapsed,
            tasks: ids.iter().enumerate().map(task).collect(),
        },
        departures: simulation.departures.clone(),
        elapsed,
    }
}

fn figures(replica: &Replica, end: f64) -> ReplicaFigures {
    let [starved, busy, blocked] = replica.times.map(Duration::from_secs_f64);
    let (count, mean) = (replica.served as f64, replica.times[1] / replica.served as f64);
    let variance = (replica.squares - count * mean * mean) / (count - 1.0);
    ReplicaFigures {
        served: replica.served,
        items: replica.served,
        taken: replica.served,
        given: replica.served,
        busy,
        starved,
        blocked,
        timed: replica.served,
        service: busy,
        timed_service: busy,
        squares: (replica.squares * 1e18) as u128,
        scv: (replica.served > 1).then(|| (variance / (mean * mean)).max(0.0)),
        left: Some(Duration::from_secs_f64(end)),
        ..ReplicaFigures::default()
    }
}

impl Simulation<'_> {
    fn run(&mut self) {
        loop {
            while self.settle() {}
            let busy = self.replicas.iter().enumerate().flat_map(|(stage, replicas)| {
                replicas.iter().enumerate().map(move |(number, replica)| (stage, number, replica))
            });
            let busy = busy.filter(|(.., replica)| replica.doing == Doing::Busy);
            let next = busy.min_by(|(.., a), (.., b)| a.until.total_cmp(&b.until));
            let Some((stage, number, replica)) =
                next.map(|(stage, number, replica)| (stage, number, replica.until))
            else {
                return;
            };
            self.now = replica;
            self.change(stage, number, Doing::Blocked);
        }
    }

    /// Moves one item on, if one can move.
    fn settle(&mut self) -> bool {
        for stage in (0..self.stages.len()).rev() {
            if let Some(number) = self.first(stage, Doing::Blocked)
                && self.hand_over(stage, number)
            {
                self.change(stage, number, Doing::Starved);
                return true;
            }
            let Some(number) = self.first(stage, Doing::Starved) else { continue };
            if stage == 0 && self.items > 0 {
                self.items -= 1;
                self.begin(stage, number);
                return true;
            }
            if self.queues[stage] > 0 {
                self.queues[stage] -= 1;
                self.begin(stage, number);
                return true;
            }
        }
        false
    }

    fn hand_over(&mut self, stage: usize, _: usize) -> bool {
        let next = stage + 1;
        if next == self.stages.len() {
            let now = Duration::from_secs_f64(self.now);
            self.departures.left(1, || now);
            return true;
        }
        if self.queues[next] < self.capacity {
            self.queues[next] += 1;
            return true;
        }
        match self.first(next, Doing::Starved) {
            Some(receiver) if self.queues[next] == 0 => {
                self.begin(next, receiver);
                true
            }
            _ => false,
        }
    }

    /// The replica of a stage that has done this for the longest time.
    fn first(&self, stage: usize, doing: Doing) -> Option<usize> {
        let all = self.replicas[stage].iter().enumerate().filter(|(_, replica)| replica.doing == doing);
        all.min_by(|(_, a), (_, b)| a.since.total_cmp(&b.since)).map(|(number, _)| number)
    }

    fn begin(&mut self, stage: usize, number: usize) {
        let time = self.time(self.stages[stage].service);
        let wait = match (stage, self.source) {
            (0, Some(source)) => self.time(source),
            _ => 0.0,
        };
        self.change(stage, number, Doing::Busy);
        let replica = &mut self.replicas[stage][number];
        replica.times[0] += wait;
        replica.since += wait;
        replica.until = self.now + wait + time;
        replica.served += 1;
        replica.squares += time * time;
    }

    fn change(&mut self, stage: usize, number: usize, doing: Doing) {
        let now = self.now;
        let replica = &mut self.replicas[stage][number];
        replica.times[replica.doing as usize] += now - replica.since;
        (replica.doing, replica.since) = (doing, now);
    }

    fn time(&mut self, service: Service) -> f64 {
        match service.phases {
            0 => service.mean,
            phases => {
                (0..phases).map(|_| -self.uniform().ln()).sum::<f64>() * service.mean / f64::from(phases)
            }
        }
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
