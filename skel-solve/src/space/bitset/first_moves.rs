//! The order in which slots first leave their initial local states.

use skel_core::number::Number;

use crate::space::explicit::Explicit;
use crate::state::layout::Layout;
use crate::transition::compile::Compiled;

/// The states of a list that are looked at. Lists have more by then, and how many depends on the number of
/// threads and on the clock; the order of slots does not.
const LOOKED_AT: usize = 1 << 12;

/// The slots in the order in which they first leave their initial local states, in the first states of a list
/// that is found breadth first. Slots that have not moved in any of these follow, by the number of steps
/// after which they [may](levels).
pub(crate) fn slots_by_first_move<N: Number>(
    explicit: &Explicit,
    layout: &Layout,
    compiled: &Compiled<N>,
) -> Vec<usize> {
    let first_state = |slot: usize| {
        let field = layout.field(layout.slots()[slot].fields().start);
        let looked_at = 0..explicit.store.len().min(LOOKED_AT);
        looked_at.into_iter().find(|&state| field.get(explicit.store.get(state)) != 0).unwrap_or(usize::MAX)
    };
    let first_states: Vec<usize> = (0..layout.slots().len()).map(first_state).collect();
    let levels = match first_states.contains(&usize::MAX) {
        true => levels(layout, compiled),
        false => vec![0; first_states.len()],
    };
    let mut slots: Vec<usize> = (0..first_states.len()).collect();
    slots.sort_by_key(|&slot| (first_states[slot], levels[slot]));
    slots
}

/// An activity in one combination of the local states of its slots.
struct Firing {
    /// How many of these local states are not reached yet.
    left: usize,
    /// For each slot the local state afterwards.
    to: Vec<(u32, u32)>,
}

/// For each slot, the least number of steps after which it may leave its initial local state, if a slot that
/// has reached a local state counts as being there from then on. No run is quicker, and in a chain of stages
/// some run is as quick. Each firing is looked at once for each of its slots.
fn levels<N: Number>(layout: &Layout, compiled: &Compiled<N>) -> Vec<usize> {
    let mut firings = Vec::new();
    // For each slot and local state the firings that need it.
    let of_slot = |slot: usize| vec![Vec::new(); layout.slots()[slot].local_states() as usize];
    let mut needing: Vec<Vec<Vec<usize>>> = (0..layout.slots().len()).map(of_slot).collect();
    compiled.for_each_firing(|_, slots, _| {
        for &(slot, from, _) in slots {
            needing[slot as usize][from as usize].push(firings.len());
        }
        let to = slots.iter().map(|&(slot, _, to)| (slot, to)).collect();
        firings.push(Firing { left: slots.len(), to });
        true
    });
    let mut levels = vec![usize::MAX; needing.len()];
    let mut reached: Vec<(u32, u32)> = (0..needing.len() as u32).map(|slot| (slot, 0)).collect();
    for level in 1.. {
        let mut found = Vec::new();
        for (slot, local) in reached {
            for number in std::mem::take(&mut needing[slot as usize][local as usize]) {
                firings[number].left -= 1;
                if firings[number].left == 0 {
                    found.append(&mut firings[number].to);
                }
            }
        }
        if found.is_empty() {
            break;
        }
        for &(slot, _) in found.iter().filter(|&&(_, local)| local != 0) {
            levels[slot as usize] = levels[slot as usize].min(level);
        }
        reached = found;
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::{levels, slots_by_first_move};
    use crate::space::explicit::Explicit;
    use crate::space::labels::Labels;
    use crate::space::{StateSet, Storage, explored};

    /// The last of some stages, in whatever order they are written, moves after the others.
    #[test]
    fn slots_that_have_not_moved_follow_in_the_order_in_which_they_may() {
        let text = "S0 = (a0, 1).(a1, 1).S0; S1 = (a1, 1).(a2, 1).S1; S2 = (a2, 1).(a3, 1).S2; Never = (no, 1).Never;
                    (S2 <a2> (S0 <a1> S1)) || Never";
        let space = explored(text, Storage::Explicit);
        let (layout, compiled) = (space.layout(), &space.inner.compiled);
        assert_eq!(levels(layout, compiled), [3, 1, 2, usize::MAX]);
        let StateSet::Explicit(whole) = space.kept() else { panic!("a list") };
        let begun = Explicit::new(whole.store.get(0), Labels::of(compiled));
        for list in [&begun, whole] {
            assert_eq!(slots_by_first_move(list, layout, compiled), [1, 2, 0, 3]);
        }
    }
}
