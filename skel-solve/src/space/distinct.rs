//! Counts the distinct transitions of a state: transitions with the same action and the same target count
//! once.

use skel_core::model::ActionId;

/// The transitions of a state, in memory that is reused.
#[derive(Debug, Default)]
pub(crate) struct DistinctTransitions {
    /// For each transition its action, and the number of transitions of counted copies that it stands for.
    transitions: Vec<(ActionId, u64)>,
    targets: Vec<u64>,
    order: Vec<u32>,
    /// How many others there are, of which it is known that no two are the same.
    apart: u128,
}

impl DistinctTransitions {
    pub(crate) fn clear(&mut self) {
        self.transitions.clear();
        self.targets.clear();
        self.apart = 0;
    }

    /// The number of bytes that the lists take.
    pub(crate) fn memory(&self) -> u64 {
        (self.transitions.capacity() * 16 + self.targets.capacity() * 8 + self.order.capacity() * 4) as u64
    }

    #[inline]
    pub(crate) fn push(&mut self, action: ActionId, target: &[u64], multiplicity: u64) {
        self.push_action(action, multiplicity);
        self.targets.extend_from_slice(target);
    }

    /// As [`Self::push`], for a target that is kept elsewhere.
    #[inline]
    pub(crate) fn push_action(&mut self, action: ActionId, multiplicity: u64) {
        self.transitions.push((action, multiplicity));
    }

    /// Adds a transition that is known to differ from all others.
    #[inline]
    pub(crate) fn push_apart(&mut self, multiplicity: u64) {
        self.apart += u128::from(multiplicity);
    }

    /// The number of distinct transitions, each counted as often as it stands for. A few transitions are
    /// compared in pairs; more are sorted.
    pub(crate) fn count(&mut self) -> u128 {
        let targets = std::mem::take(&mut self.targets);
        let count = self.count_with(&targets);
        self.targets = targets;
        count
    }

    /// As [`Self::count`], with the targets of all transitions, one after the other.
    pub(crate) fn count_with(&mut self, targets: &[u64]) -> u128 {
        const FEW: usize = 24;
        let count = self.transitions.len();
        let words = targets.len().checked_div(count).unwrap_or_default();
        let transitions = &self.transitions;
        let key = |at: usize| (transitions[at].0, &targets[at * words..(at + 1) * words]);
        let multiplicity = |at: usize| u128::from(transitions[at].1);
        if count <= FEW {
            let is_first = |&at: &usize| {
                // A target has few words, so a call to compare memory would take longer.
                let is_same = |earlier| key(earlier).1.iter().zip(key(at).1).all(|(one, other)| one == other);
                let alike =
                    |&earlier: &usize| transitions[earlier].0 == transitions[at].0 && is_same(earlier);
                !(0..at).any(|earlier| alike(&earlier))
            };
            return self.apart + (0..count).filter(is_first).map(multiplicity).sum::<u128>();
        }
        self.order.clear();
        self.order.extend(0..count as u32);
        self.order.sort_unstable_by_key(|&at| key(at as usize));
        let is_first =
            |&at: &usize| at == 0 || key(self.order[at - 1] as usize) != key(self.order[at] as usize);
        let counted: u128 = (0..count).filter(is_first).map(|at| multiplicity(self.order[at] as usize)).sum();
        self.apart + counted
    }
}
