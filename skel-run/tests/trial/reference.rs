//! The sequential program: what becomes of one item after the other.

use std::collections::HashMap;

use super::item::served;
use super::scramble;
use super::shape::Kind;
use super::team::{is_state, served_by_team};
use super::world::World;

/// What becomes of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Delivered(u64),
    Skipped,
    /// It is a state that a map with state has taken.
    Kept,
    /// It ends the run, at this task.
    Fails(usize),
}

/// The fates of the first items, up to the one that ends the run.
pub fn fates(world: &World, items: u64) -> Vec<Fate> {
    let mut kept = Kept::default();
    let mut fates = Vec::new();
    for place in 0..items {
        let fate = fate(world, place, &mut kept);
        fates.push(fate);
        if matches!(fate, Fate::Fails(_)) {
            break;
        }
    }
    fates
}

/// What tasks keep from item to item.
#[derive(Default)]
struct Kept {
    counts: HashMap<(usize, Vec<u64>), u64>,
    /// The states of maps with state, by their tasks.
    states: HashMap<usize, u64>,
}

fn fate(world: &World, place: u64, Kept { counts, states }: &mut Kept) -> Fate {
    let mut value = scramble(place);
    for (task, known) in world.tasks.iter().enumerate() {
        let kind = known.team.map(|team| team.kind);
        let is_state = kind == Some(Kind::WithState) && is_state(world.seed, task, place);
        let old_state = if is_state { states.remove(&task) } else { states.get(&task).copied() };
        let lacks_state = kind == Some(Kind::WithState) && !is_state && old_state.is_none();
        if lacks_state || known.gives_up(world.seed, task, place) {
            return if known.skips { Fate::Skipped } else { Fate::Fails(task) };
        }
        if is_state {
            states.insert(task, value);
            return Fate::Kept;
        }
        if let Some(kind) = kind {
            value = served_by_team(kind, value, task, old_state.unwrap_or(0));
            continue;
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
