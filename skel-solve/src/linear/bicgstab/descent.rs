//! How the residuals of a run fall, and when it gets no further.
//!
//! The residual that a run updates differs from that of its estimate by rounding, which is about as large as
//! the largest residual was. Once it has fallen that far, the run may go on for hundreds of iterations in
//! vain, while another run that begins with the residual of the estimate needs few. There are two signs of
//! that. The first is the sum of all residual flows. It is zero in exact arithmetic, since whatever flows out
//! of one state flows into another. What rounding adds has another sum, and no iteration takes it away. The
//! second sign is that residuals no longer fall. Those of rare states may stay as they are for dozens of
//! iterations, while a sweep over the estimate, which comes before another run, removes them.
//!
//! A control system of 43,416 states takes 92 iterations so, where 150 were not enough; a tree of three
//! queues with 45 places each takes 226 in place of 443.

/// Residuals have fallen far at this share of the largest.
const FAR: f64 = 1e-9;

/// The sum of the residual flows is computed whenever so many more iterations have not halved the least
/// residual.
const LOOK: u32 = 5;

/// The run ends if that sum is above this share of the sum of the amounts: then rounding made most of what is
/// left.
const FLOWLESS: f64 = 0.5;

/// The run also ends when so many iterations have not halved the least residual.
const PATIENCE: u32 = 25;

/// What the residuals of a run were.
pub(super) struct Descent {
    largest: f64,
    /// The least one, and how many iterations ago a residual was half of the least before.
    least: f64,
    iterations: u32,
}

impl Descent {
    pub(super) fn new() -> Descent {
        Descent { largest: 0.0, least: f64::INFINITY, iterations: 0 }
    }

    /// Records the size of a residual, and says whether the run gets no further. `sums` gives the sum of the
    /// residual flows, and that of their amounts.
    pub(super) fn has_ended(&mut self, left: f64, sums: impl FnOnce() -> [f64; 2]) -> bool {
        self.largest = self.largest.max(left);
        self.iterations += 1;
        if left <= 0.5 * self.least {
            (self.least, self.iterations) = (left, 0);
        }
        let is_far = self.least <= FAR * self.largest;
        if !is_far || self.iterations == 0 || !self.iterations.is_multiple_of(LOOK) {
            return false;
        }
        let is_flowless = |[sum, amount]: [f64; 2]| sum.abs() > FLOWLESS * amount;
        self.iterations >= PATIENCE || is_flowless(sums())
    }
}

#[cfg(test)]
mod tests {
    use super::{Descent, FAR, LOOK, PATIENCE};

    /// After how many residuals a run ends, where the sum of the flows is this share of that of their
    /// amounts.
    fn end(mut residuals: impl Iterator<Item = f64>, share: f64) -> Option<usize> {
        let mut descent = Descent::new();
        residuals.position(|left| descent.has_ended(left, || [-share, 1.0]))
    }

    fn falling(steps: usize) -> impl Iterator<Item = f64> {
        (0..steps).map(|step| 0.5_f64.powi(step as i32))
    }

    #[test]
    fn a_run_goes_on_while_its_residuals_fall_or_have_not_fallen_far() {
        assert_eq!(end(falling(60), 1.0), None);
        assert_eq!(end(falling(20).chain(std::iter::repeat_n(1.0, 200)), 1.0), None);
        // What rises for a while falls again.
        let rises = falling(40).chain(std::iter::repeat_n(1e-6, 20)).chain(falling(80).skip(40));
        assert_eq!(end(rises, 0.0), None);
    }

    #[test]
    fn a_run_ends_where_what_is_left_is_no_flow() {
        let stays = || falling(40).chain(std::iter::repeat_n(1e-11, 100));
        assert!(0.5_f64.powi(39) < FAR);
        assert_eq!(end(stays(), 0.9), Some(39 + LOOK as usize));
        assert_eq!(end(stays(), 0.1), Some(39 + PATIENCE as usize));
    }
}
