//! The graph of a matrix, without directions and loops.

use crate::chain::{Matrix, transposed_lists};

/// Per state those to which or from which a transition leads.
pub(super) struct Neighbours {
    offsets: Vec<usize>,
    states: Vec<u32>,
}

impl Neighbours {
    pub(super) fn new<N>(matrix: &Matrix<N>) -> Neighbours {
        let count = matrix.rows();
        let (offsets, targets, _) = matrix.parts();
        let (sources_at, sources) = transposed_lists(offsets, targets, count);
        let mut neighbours = Neighbours {
            offsets: Vec::with_capacity(count + 1),
            states: Vec::with_capacity(2 * matrix.entries()),
        };
        neighbours.offsets.push(0);
        let mut found_by = vec![u32::MAX; count];
        for state in 0..count {
            found_by[state] = state as u32;
            let sources = &sources[sources_at[state]..sources_at[state + 1]];
            for &neighbour in matrix.columns_of(state).iter().chain(sources) {
                if std::mem::replace(&mut found_by[neighbour as usize], state as u32) != state as u32 {
                    neighbours.states.push(neighbour);
                }
            }
            neighbours.offsets.push(neighbours.states.len());
        }
        neighbours
    }

    /// The number of states.
    pub(super) fn states(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Where each state's neighbours begin among [all](Self::all), and where those of the last one end.
    pub(super) fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    pub(super) fn all(&self) -> &[u32] {
        &self.states
    }

    pub(super) fn of(&self, state: u32) -> &[u32] {
        &self.states[self.offsets[state as usize]..self.offsets[state as usize + 1]]
    }
}
