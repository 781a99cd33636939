//! The order in which slots first leave their initial local states.

use skel_core::number::Number;

use crate::space::explicit::Explicit;
use crate::state::layout::Layout;
use crate::transition::compile::Compiled;

/// The slots in the order in which they first leave their initial local states, in the states of a list that is found breadth first. Slots that have not
/// moved in any of these follow by the number of steps after which they [may](levels).
pub(crate) fn slots_by_first_move<N: Number>(
    explicit: &Explicit,
    layout: &Layout,
    compiled: &Compiled<N>,
) -> Vec<usize> {
    let first_state = |slot: usize| {
        let field = layout.field(layout.slots()[slot].fields().start);
        (0..explicit.store.len()).find(|&state| field.get(explicit.store.get(state)) != 0)
    };
    let levels = levels(layout, compiled);
    let mut slots: Vec<usize> = (0..layout.slots().len()).collect();
    slots.sort_by_cached_key(|&slot| (first_state(slot).unwrap_or(usize::MAX), levels[slot]));
    slots
}

/// For each slot, the least number of steps after which it may leave its initial local state, if a slot that has reached a local state counts as being
/// there from then on. No run is quicker, and in a chain of stages some run is as quick.
fn levels<N: Number>(layout: &Layout, compiled: &Compiled<N>) -> Vec<usize> {
    let local_states = |slot: usize| layout.slots()[slot].local_states() as usize;
    let mut reached: Vec<Vec<bool>> = (0..layout.slots().len())
        .map(|slot| (0..local_states(slot)).map(|local| local == 0).collect())
        .collect();
    let mut levels = vec![usize::MAX; reached.len()];
    for level in 1.. {
        let mut found = Vec::new();
        compiled.for_each_firing(|_, slots, _| {
            if slots.iter().all(|&(slot, from, _)| reached[slot as usize][from as usize]) {
                let moved = slots.iter().map(|&(slot, _, to)| (slot as usize, to as usize));
                found.extend(moved.filter(|&(slot, to)| !reached[slot][to]));
            }
            true
        });
        for &(slot, to) in &found {
            reached[slot][to] = true;
            levels[slot] = levels[slot].min(level);
        }
        if found.is_empty() || !levels.contains(&usize::MAX) {
            break;
        }
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
