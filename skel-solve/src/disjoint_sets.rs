//! Disjoint sets that are joined pair by pair (union-find), in nearly constant time for each step.

/// A partition of the numbers from 0 upwards into sets.
#[derive(Clone)]
pub(crate) struct DisjointSets(Vec<u32>);

impl DisjointSets {
    /// Each number is in a set of its own.
    pub(crate) fn new(count: usize) -> Self {
        DisjointSets((0..count as u32).collect())
    }

    /// The least member of the set that contains a number.
    pub(crate) fn find(&mut self, mut at: usize) -> usize {
        while self.0[at] as usize != at {
            self.0[at] = self.0[self.0[at] as usize];
            at = self.0[at] as usize;
        }
        at
    }

    /// Whether a number is the least member of its set. A number that was never joined is.
    pub(crate) fn is_least(&self, at: usize) -> bool {
        self.0[at] as usize == at
    }

    /// Makes [`are_joined`](Self::are_joined) see all that has been joined so far.
    pub(crate) fn settle(&mut self) {
        for at in 0..self.0.len() {
            // What is less is settled already.
            self.0[at] = self.0[self.0[at] as usize];
        }
    }

    /// Whether two numbers were in one set when the sets were [settled](Self::settle), without a search.
    pub(crate) fn are_joined(&self, one: usize, other: usize) -> bool {
        self.0[one] == self.0[other]
    }

    /// Joins the sets of two numbers; returns `false` if they were in one set already.
    pub(crate) fn join(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other)] = one.min(other) as u32;
        one != other
    }

    /// Joins all that are in one set of another partition; by how many there are fewer sets then.
    pub(crate) fn join_all(&mut self, other: &mut DisjointSets) -> usize {
        (0..self.0.len()).filter(|&at| self.join(at, other.find(at))).count()
    }

    /// For each number the least member of its set.
    pub(crate) fn least(mut self) -> Vec<u32> {
        (0..self.0.len()).map(|at| self.find(at) as u32).collect()
    }
}
