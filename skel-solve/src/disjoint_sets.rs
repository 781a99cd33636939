//! Disjoint sets that are joined pair by pair: union and find, nearly constant time a step.

/// Numbers from 0, and which of them are in one set.
pub(crate) struct DisjointSets(Vec<u32>);

impl DisjointSets {
    /// Each number in a set of its own.
    pub(crate) fn new(count: usize) -> Self {
        DisjointSets((0..count as u32).collect())
    }

    /// The least member of the set of a number.
    pub(crate) fn find(&mut self, mut at: usize) -> usize {
        while self.0[at] as usize != at {
            self.0[at] = self.0[self.0[at] as usize];
            at = self.0[at] as usize;
        }
        at
    }

    /// Whether a number is the least member of its set, as it is while it is alone.
    pub(crate) fn is_least(&self, at: usize) -> bool {
        self.0[at] as usize == at
    }

    /// Joins the sets of two numbers; `false` where they are one already.
    pub(crate) fn join(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other)] = one.min(other) as u32;
        one != other
    }

    /// The least member of the set of each.
    pub(crate) fn least(mut self) -> Vec<u32> {
        (0..self.0.len()).map(|at| self.find(at) as u32).collect()
    }
}
