//! In which order to eliminate a chain that is longer than wide: like a wave that goes through it.
//!
//! States are taken in order of their distance from one at an end, where a transition counts in both
//! directions (E. Cuthill, J. McKee, Proc. 24th National Conf. of the ACM (1969)). What is joined to those
//! that are gone is the *wavefront*, and no other state is touched; so a chain that counts copies, of a few
//! kinds, costs its states times the square of its width (B. M. Irons, Int. J. Numer. Meth. Eng. 2 (1970)). A
//! minimum degree cuts such a chain into pieces whose ends come to be joined with one another, at two or
//! three times the cost. The wavefront is also known without any elimination, in time linear in the
//! transitions.

use crate::chain::Matrix;
use crate::limits::{BETWEEN_LOOKS, Limit, Progress, Watch};
use crate::linear::elimination::fronts::Fronts;
use crate::linear::elimination::fronts::groups::{Borders, Groups};
use crate::linear::elimination::ordering::Price;

/// A wave is given up once it is so many times as wide as one that is worth it. Beginning in the middle of a
/// chain, instead of at an end, only doubles the width.
const FAR_TOO_WIDE: usize = 4;

/// Up to this width a state is eliminated in about the time in which an order finds it a place.
const NARROW: usize = 32;

/// An order of the states, and what it costs; or of some of them, if it is given up.
pub(crate) struct Wave {
    order: Vec<u32>,
    /// Per place the first place that is joined to it.
    first: Vec<u32>,
    pub(crate) price: Price,
    /// The largest wavefront.
    width: usize,
    pub(crate) is_given_up: bool,
}

impl Wave {
    /// The cheaper of two waves: from the first state, and from one farthest from it, through the states that
    /// are joined to the first. The matrix is given by rows and by columns.
    pub(crate) fn new<N>(
        matrix: &Matrix<N>,
        transposed: &Matrix<N>,
        watch: &mut Watch<'_>,
    ) -> Result<Wave, Limit> {
        let mut from = |state| Wave::from(state, [matrix, transposed], watch);
        let wave = from(0)?;
        if wave.is_given_up {
            return Ok(wave);
        }
        let back = from(wave.order[wave.order.len() - 1])?;
        Ok(if back.price.work < wave.price.work { back } else { wave })
    }

    fn from<N>(state: u32, matrices: [&Matrix<N>; 2], watch: &mut Watch<'_>) -> Result<Wave, Limit> {
        let count = matrices[0].rows();
        let (mut order, mut first) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut is_found = vec![false; count];
        is_found[state as usize] = true;
        order.push(state);
        first.push(0);
        let (mut price, mut width) = (Price { entries: 0, work: 0 }, 0);
        let widest = FAR_TOO_WIDE * count.isqrt();
        for place in 0..count {
            if place.is_multiple_of(BETWEEN_LOOKS) {
                watch.check(|| Progress::Eliminating { done: 0, of: count as u64 })?;
            }
            // The others are not joined to these.
            let Some(&state) = order.get(place) else { break };
            let state = state as usize;
            for matrix in matrices {
                for &next in matrix.columns_of(state) {
                    if !std::mem::replace(&mut is_found[next as usize], true) {
                        order.push(next);
                        first.push(place as u32);
                    }
                }
            }
            let front = order.len() - place - 1;
            width = width.max(front);
            price.entries += front as u64;
            price.work += (front * front) as u64;
            if width > widest {
                break;
            }
        }
        Ok(Wave { order, first, price, width, is_given_up: width > widest })
    }

    /// Whether it came to its end before it had been to so many states: the chain is not connected.
    pub(crate) fn leaves_some_out(&self, states: usize) -> bool {
        !self.is_given_up && self.order.len() < states
    }

    /// Whether another order is hardly worth the time to find it.
    pub(crate) fn is_narrow(&self) -> bool {
        self.width <= NARROW
    }

    /// Whether no other order is likely to cost much less.
    pub(crate) fn is_longer_than_wide(&self) -> bool {
        !self.is_given_up && self.width.saturating_mul(self.width) <= self.order.len()
    }

    /// The fronts, some states in each: the more, the less is taken over from one to the next, but the larger
    /// they are.
    pub(crate) fn fronts(&self) -> Fronts {
        const MOST: usize = 32;
        let together = (self.width / 8).clamp(1, MOST);
        let count = self.order.len();
        let starts: Vec<u32> = (0..count).step_by(together).map(|start| start as u32).collect();
        let mut borders = Borders { offsets: vec![0], positions: Vec::new() };
        for start in (0..count).step_by(together) {
            let end = count.min(start + together);
            // What was found before the front's end is joined to somebody in it or before.
            let reached = self.first.partition_point(|&first| (first as usize) < end);
            borders.positions.extend(end as u32..reached.max(end) as u32);
            borders.offsets.push(borders.positions.len());
        }
        Fronts::new(&Groups { order: self.order.clone(), starts }, &borders)
    }
}

#[cfg(test)]
mod tests {
    use super::Wave;
    use crate::chain::Matrix;
    use crate::limits::{Limits, Watch};
    use crate::linear::elimination::ordering::{self, Price};
    use crate::random_chain::grid;

    /// What a wave through a matrix costs, and what the least degrees do.
    fn prices(matrix: &Matrix<f64>) -> (Wave, Price) {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let wave = Wave::new(matrix, matrix, &mut watch).unwrap_or_else(|_| panic!("a limit"));
        let most = Price { entries: u64::MAX, work: u64::MAX };
        let price = ordering::price(matrix, most, &mut watch).unwrap_or_else(|_| panic!("a limit"));
        (wave, price)
    }

    #[test]
    fn a_wave_does_not_come_to_what_nothing_joins() {
        let apart = Matrix::new(vec![0, 1, 2, 3, 4], vec![1, 0, 3, 2], vec![1.0; 4]);
        assert!(prices(&grid(3, 3)).0.leaves_some_out(10) && !prices(&grid(3, 3)).0.leaves_some_out(9));
        assert!(prices(&apart).0.leaves_some_out(4));
    }

    #[test]
    fn a_wave_is_for_what_is_long_and_narrow() {
        let (wave, degrees) = prices(&grid(100, 100));
        assert!(wave.is_longer_than_wide() && !wave.is_narrow());
        assert!(2 * degrees.work < wave.price.work, "{} and {}", degrees.work, wave.price.work);
        let (wave, degrees) = prices(&grid(10, 1000));
        assert!(wave.is_longer_than_wide() && wave.is_narrow());
        assert!(wave.price.work < 2 * degrees.work, "{} and {}", degrees.work, wave.price.work);
    }
}
