//! The sequential program: what becomes of one item after the other.

use std::collections::HashMap;

use super::item::served;
use super::probe::World;
use super::scramble;

/// What becomes of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Delivered(u64),
    Skipped,
    /// It ends the run, at this task.
    Fails(usize),
}

/// The fates of the first items, up to the one that ends the run.
pub fn fates(world: &World, items: u64) -> Vec<Fate> {
    let mut counts = HashMap::new();
    let mut fates = Vec::new();
    for place in 0..items {
        let fate = fate(world, place, &mut counts);
        fates.push(fate);
        if matches!(fate, Fate::Fails(_)) {
            break;
        }
    }
    fates
}

fn fate(world: &World, place: u64, counts: &mut HashMap<(usize, Vec<u64>), u64>) -> Fate {
    let mut value = scramble(place);
    for (task, known) in world.tasks.iter().enumerate() {
        if known.gives_up(world.seed, task, place) {
            return if known.skips { Fate::Skipped } else { Fate::Fails(task) };
        }
        let mut rest = place;
        let turn = |replicas: u32| {
            let turn = rest % u64::from(replicas);
            rest /= u64::from(replicas);
            turn
        };
        let replica: Vec<u64> = if known.counts {
            known.around.iter().map(|around| around.replicas).map(turn).collect()
        } else {
            Vec::new()
        };
        let count = counts.entry((task, replica)).or_default();
        value = served(value, task, if known.counts { *count } else { 0 });
        *count += 1;
    }
    Fate::Delivered(value)
}
