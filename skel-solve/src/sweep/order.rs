//! The points of a sweep: which values each has, in which order they come, which of them have the same
//! states, and which are solved one after the other.
//!
//! The first thing that varies varies slowest. Points are solved in *blocks*: consecutive points of one row
//! with the same states, of which each starts from the solution of the one before. The blocks depend on the
//! points alone, so no figure depends on the number of threads.

use std::ops::Range;

use skel_core::number::Ratio;

use super::quantity::Quantity;

/// The most points of a block. The last seven of eight points start from a solution, and eight solutions are
/// kept.
const MOST_IN_BLOCK: usize = 8;

/// What varies, and the values that it takes.
#[derive(Clone)]
pub(super) struct Axis {
    pub(super) quantity: Quantity,
    pub(super) values: Vec<Ratio>,
    /// Whether points that differ in it have different states, and not only different rates.
    pub(super) changes_states: bool,
}

/// All points of a sweep, without their answers.
#[derive(Clone)]
pub(super) struct Order {
    pub(super) axes: Vec<Axis>,
    /// Whether all axes go forward in step, in place of a grid.
    pub(super) is_together: bool,
}

impl Order {
    /// The number of points.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn points(&self) -> usize {
        match self.is_together {
            true => self.axes.first().map_or(1, |axis| axis.values.len()),
            false => self.axes.iter().map(|axis| axis.values.len()).product(),
        }
    }

    /// For each axis the number of its value at a point.
    #[cfg_attr(debug_assertions, inline)]
    fn places(&self, point: usize) -> Vec<usize> {
        if self.is_together {
            return vec![point; self.axes.len()];
        }
        let mut rest = point;
        let mut places = vec![0; self.axes.len()];
        for (place, axis) in places.iter_mut().zip(&self.axes).rev() {
            *place = rest % axis.values.len();
            rest /= axis.values.len();
        }
        places
    }

    /// The values at a point, one for each axis.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn values(&self, point: usize) -> Vec<Ratio> {
        let places = self.places(point);
        self.axes.iter().zip(places).map(|(axis, place)| axis.values[place].clone()).collect()
    }

    /// The number of the set of states that a point has; points with the same number have the same states.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn states_of(&self, point: usize) -> usize {
        let places = self.places(point);
        let changing = || self.axes.iter().zip(&places).filter(|(axis, _)| axis.changes_states);
        match self.is_together {
            true => changing().next().map_or(0, |(_, &place)| place),
            false => changing().fold(0, |number, (axis, &place)| number * axis.values.len() + place),
        }
    }

    /// The number of different sets of states.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn sets_of_states(&self) -> usize {
        self.states_of(self.points() - 1) + 1
    }

    /// The blocks, in the order of their points.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn blocks(&self) -> Vec<Range<usize>> {
        let row = match (self.is_together, self.axes.last()) {
            (false, Some(axis)) => axis.values.len(),
            _ => self.points(),
        };
        let mut blocks: Vec<Range<usize>> = Vec::new();
        let mut states_before = None;
        for point in 0..self.points() {
            let states = Some(self.states_of(point));
            match blocks.last_mut() {
                Some(block) if block.len() < MOST_IN_BLOCK && point % row != 0 && states == states_before => {
                    block.end = point + 1;
                }
                _ => blocks.push(point..point + 1),
            }
            states_before = states;
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use skel_core::number::ratio;

    use super::*;

    fn order(lengths: &[(i64, bool)], is_together: bool) -> Order {
        let axis = |&(length, changes_states): &(i64, bool)| Axis {
            quantity: Quantity::Named("x".to_owned()),
            values: (1..=length).map(|value| ratio(value, 1)).collect(),
            changes_states,
        };
        Order { axes: lengths.iter().map(axis).collect(), is_together }
    }

    #[test]
    fn the_first_axis_varies_slowest() {
        let grid = order(&[(2, false), (3, false)], false);
        let places: Vec<Vec<usize>> = (0..grid.points()).map(|point| grid.places(point)).collect();
        assert_eq!(places, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        assert_eq!(grid.values(5), [ratio(2, 1), ratio(3, 1)]);
        assert_eq!(order(&[(3, false), (3, true)], true).places(1), [1, 1]);
    }

    #[test]
    fn a_block_is_a_part_of_a_row_with_the_same_states() {
        assert_eq!(order(&[(20, false)], false).blocks(), [0..8, 8..16, 16..20]);
        assert_eq!(order(&[(2, false), (3, false)], false).blocks(), [0..3, 3..6]);
        assert_eq!(order(&[(2, false), (3, true)], false).blocks().len(), 6);
        assert_eq!(order(&[(2, true), (10, false)], false).blocks(), [0..8, 8..10, 10..18, 18..20]);
        assert_eq!(order(&[(3, false), (3, true)], true).blocks().len(), 3);
    }

    #[test]
    fn sets_of_states_are_counted_by_what_changes_them() {
        let grid = order(&[(2, false), (3, true), (2, true)], false);
        assert_eq!(grid.sets_of_states(), 6);
        assert_eq!((grid.states_of(4), grid.states_of(10)), (4, 4));
        assert_eq!(order(&[(5, false)], false).sets_of_states(), 1);
        assert_eq!(order(&[(4, false), (4, true)], true).sets_of_states(), 4);
    }
}
