//! What a preconditioner is asked for; see [`krylov`](super::krylov).

use crate::operator::{SharedSweep, TriangularSweep};

/// A matrix `M` close to `A`.
pub(crate) trait Preconditioner {
    /// `x := M^-1 x`
    fn solve(&mut self, chain: &dyn TriangularSweep, x: &mut [f64]);

    /// `x := (M - A) M^-1 x`
    fn rest(&mut self, chain: &dyn TriangularSweep, x: &mut [f64]);

    /// [`Self::rest`] as several threads share it; none where one does it.
    fn shared<'c>(&self, _: &'c dyn TriangularSweep) -> Option<Box<dyn SharedSweep + 'c>> {
        None
    }
}
