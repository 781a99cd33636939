//! A simulation by a clock that ticks, in whole numbers: the independent computation that that of the crate
//! is compared with. Nothing in it jumps to the next event, and the formulas of chunks are written anew.

use skel_core::number::{Ratio, ratio};
use skel_distribute::Schedule;

use crate::generated::Small;

/// Ticks of a second. Each of up to three machines may change its speed within a chunk once, by a factor of
/// up to four.
const TICKS: u64 = 64;

/// Parts of an item. A machine of 4 s for an item does one in a tick.
const PARTS: u64 = 4 * TICKS;

pub(crate) struct Expected {
    pub(crate) makespan: Ratio,
    pub(crate) chunks: u64,
    pub(crate) items: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    /// Asked at a tick.
    Asking(u64),
    /// Is told by the master what to do until a tick.
    Told {
        until: u64,
        items: u64,
    },
    /// Has so many parts of items left.
    Working {
        parts: u64,
        items: u64,
    },
    Nothing,
    Lost,
}

/// What the master knows.
struct Master<'s> {
    small: &'s Small,
    schedule: &'s Schedule,
    left: u64,
    chunks: u64,
    batch: (u64, u64),
}

impl Master<'_> {
    fn size(&mut self, machine: usize) -> u64 {
        let machines = self.small.seconds.len() as u64;
        let up = u64::div_ceil;
        let weights = self.small.weights();
        let (weight, sum) = (weights[machine], weights.iter().sum::<u64>());
        let size = match *self.schedule {
            Schedule::SelfScheduling => 1,
            Schedule::Chunked { items } => items,
            Schedule::Guided { .. } => up(self.left, machines),
            Schedule::Factoring => {
                if self.batch.0 == 0 {
                    self.batch = (machines, up(self.left, 2 * machines));
                }
                self.batch.0 -= 1;
                self.batch.1
            }
            Schedule::VrpSelfScheduling { phases } => up(self.small.items * weight, phases * sum),
            Schedule::WeightedFactoring => up(self.left * weight, 2 * sum),
            Schedule::Trapezoid { .. } => {
                let first = up(self.small.items, 2 * machines);
                let count = up(2 * self.small.items, first + 1);
                let step = if count > 1 { (first - 1) / (count - 1) } else { 0 };
                first.saturating_sub(self.chunks * step)
            }
            _ => unreachable!("no other schedule is compared"),
        };
        self.chunks += 1;
        let size = size.max(1).min(self.left);
        self.left -= size;
        size
    }
}

/// The end of the work, unless all machines are lost before.
pub(crate) fn run(small: &Small, schedule: &Schedule) -> Option<Expected> {
    let machines = small.seconds.len();
    let mut master = Master { small, schedule, left: small.items, chunks: 0, batch: (0, 0) };
    let mut doing = vec![Doing::Asking(0); machines];
    let mut done = vec![0; machines];
    let (mut free, mut last) = (0, 0);
    for tick in 0.. {
        for (doing, done) in doing.iter_mut().zip(&mut done) {
            finish(doing, done, tick, &mut last);
        }
        lose(small, &mut doing, tick, &mut master.left);
        serve(&mut master, &mut doing, tick, &mut free);
        for (machine, doing) in doing.iter_mut().enumerate() {
            work(small, machine, doing, tick);
        }
        if master.left == 0 && doing.iter().all(|doing| matches!(doing, Doing::Nothing | Doing::Lost)) {
            break;
        }
        if doing.iter().all(|doing| *doing == Doing::Lost) {
            return None;
        }
    }
    Some(Expected { makespan: ratio(last as i64, TICKS as i64), chunks: master.chunks, items: done })
}

fn finish(doing: &mut Doing, done: &mut u64, tick: u64, last: &mut u64) {
    if let Doing::Working { parts: 0, items } = *doing {
        *done += items;
        *last = tick;
        *doing = Doing::Asking(tick);
    }
}

fn lose(small: &Small, doing: &mut [Doing], tick: u64, left: &mut u64) {
    for machine in 0..doing.len() {
        if small.losses[machine].is_none_or(|at| at * TICKS != tick) {
            continue;
        }
        if let Doing::Told { items, .. } | Doing::Working { items, .. } = doing[machine] {
            *left += items;
        }
        doing[machine] = Doing::Lost;
        doing
            .iter_mut()
            .filter(|doing| **doing == Doing::Nothing)
            .for_each(|doing| *doing = Doing::Asking(tick));
    }
}

/// The master serves as many requests as it can at this tick.
fn serve(master: &mut Master<'_>, doing: &mut [Doing], tick: u64, free: &mut u64) {
    loop {
        let asking = doing.iter().enumerate().filter_map(|(machine, doing)| match doing {
            Doing::Asking(at) => Some((*at, machine)),
            _ => None,
        });
        let Some((_, machine)) = asking.min() else { return };
        if master.left == 0 {
            doing[machine] = Doing::Nothing;
            continue;
        }
        if *free > tick {
            return;
        }
        *free = tick + master.small.overhead * TICKS;
        doing[machine] = Doing::Told { until: *free, items: master.size(machine) };
    }
}

/// One tick of work.
fn work(small: &Small, machine: usize, doing: &mut Doing, tick: u64) {
    if let Doing::Told { until, items } = *doing
        && until == tick
    {
        *doing = Doing::Working { parts: items * PARTS, items };
    }
    if let Doing::Working { parts, .. } = doing {
        let seconds = match small.changes[machine] {
            Some((at, seconds)) if at * TICKS <= tick => seconds,
            _ => small.seconds[machine],
        };
        *parts = parts.checked_sub(4 / seconds).expect("chunks end at ticks");
    }
}
