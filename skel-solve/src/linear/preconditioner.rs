//! What a preconditioner is asked for; see [`krylov`](super::krylov).

use crate::operator::{SharedPass, TriangularSweep};

/// A matrix `M` close to `A`. The methods see `S A M^-1 S^-1`, where `S` is a [`Similarity`] if there is one,
/// and the identity otherwise.
pub(crate) trait Preconditioner {
    fn similarity(&self) -> Option<&dyn Similarity> {
        None
    }

    /// `x := M^-1 S^-1 x`
    fn solve(&mut self, chain: &dyn TriangularSweep, x: &mut [f64]);

    /// `x := S (M - A) M^-1 S^-1 x`
    fn rest(&mut self, chain: &dyn TriangularSweep, x: &mut [f64]);

    /// [`Self::rest`] as several threads share it; none where one does it.
    fn shared<'c>(&'c self, _: &'c dyn TriangularSweep) -> Option<Box<dyn SharedPass + 'c>> {
        None
    }
}

/// A matrix `S` by which residuals are multiplied before a method sees them.
pub(crate) trait Similarity {
    /// `x := S x`
    fn apply(&self, x: &mut [f64]);

    /// `x := S^-1 x`
    fn take_back(&self, x: &mut [f64]);
}
