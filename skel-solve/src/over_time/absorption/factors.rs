//! Elimination without subtraction: factors of `-T` that serve any number of right-hand sides, in both
//! directions.
//!
//! As in [`elimination`](crate::linear::elimination), eliminating a state replaces the ways through it by
//! direct rates, and here the rate at which states are left is handed on too. It stands in for the diagonal,
//! which is never computed by subtraction: each state's exit rate is the sum of what leads onward. With `L`
//! the rates into eliminated states and `U` those onward, `-T = (I - L D^-1) (D - U)`, so both substitutions
//! only add where the right-hand side is not negative. Every number is then right but for the last few
//! digits, however stiff the chain (C. A. O'Cinneide, Numer. Math. 65 (1993)).
//!
//! The order is one of minimum degree, and the cost is known before: two numbers for each entry of the
//! pattern, and some 2 ns a multiplication.

use crate::error::{Error, Reached, Stopped};
use crate::limits::{Limit, Progress, Watch};
use crate::linear::elimination::Unsolved;
use crate::linear::elimination::fronts::{Fronts, Pattern};
use crate::linear::elimination::ordering::{self, Price, Refusal};
use crate::over_time::absorption::BeforeEnd;

pub(super) struct Factors {
    fronts: Fronts,
    /// Per place the later places that it is joined with, and the earlier ones.
    later: Pattern,
    earlier: Pattern,
    /// Along `earlier`: the rates into eliminated places.
    back: Vec<f64>,
    /// Along `later`: the rates onward.
    onward: Vec<f64>,
    /// Per place the rate at which it is left for later places or for the end.
    exits: Vec<f64>,
}

/// Places between two looks at the clock.
const BETWEEN_LOOKS: usize = 64;

/// The bytes of an entry of the pattern: its two places and its two numbers.
const ENTRY: u64 = 24;

impl Factors {
    /// Factorises within so many bytes and multiplications.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(
        chain: &BeforeEnd<f64>,
        bytes: u64,
        work: u64,
        watch: &mut Watch<'_>,
    ) -> Result<Factors, Unsolved> {
        let count = chain.states();
        let most = Price { entries: bytes / ENTRY, work };
        let fronts = ordering::order(&chain.rates, most, watch).map_err(|refusal| match refusal {
            Refusal::Limit(limit) => Unsolved::Stopped(stopped(limit, 0, count)),
            Refusal::Price => Unsolved::Refused,
        })?;
        let later = fronts.pattern();
        let (offsets, places) = later.earlier();
        let earlier = Pattern { offsets, later: places };
        let (back, onward) = (vec![0.0; earlier.later.len()], vec![0.0; later.later.len()]);
        let mut factors = Factors { fronts, later, earlier, back, onward, exits: Vec::with_capacity(count) };
        factors.eliminate(chain, watch)?;
        Ok(factors)
    }

    fn eliminate(&mut self, chain: &BeforeEnd<f64>, watch: &mut Watch<'_>) -> Result<(), Unsolved> {
        let count = chain.states();
        let mut row = vec![0.0; count];
        let mut leaves: Vec<f64> = Vec::with_capacity(count);
        for place in 0..count {
            if place.is_multiple_of(BETWEEN_LOOKS) {
                let progress = || Progress::Eliminating { done: place as u64, of: count as u64 };
                watch.check(progress).map_err(|limit| Unsolved::Stopped(stopped(limit, place, count)))?;
            }
            let state = self.fronts.states[place] as usize;
            for (target, rate) in chain.rates.row(state) {
                row[self.fronts.places[target] as usize] = *rate;
            }
            let mut leave = chain.leaves[state];
            for at in self.earlier.range(place) {
                let through = self.earlier.later[at] as usize;
                let rate = std::mem::take(&mut row[through]);
                self.back[at] = rate;
                if rate == 0.0 {
                    continue;
                }
                let visits = rate / self.exits[through];
                let entries = self.later.range(through);
                for (&to, onward) in self.later.later[entries.clone()].iter().zip(&self.onward[entries]) {
                    row[to as usize] += visits * onward;
                }
                leave += visits * leaves[through];
            }
            // What comes back to the state itself is no way out.
            row[place] = 0.0;
            let mut exit = leave;
            for at in self.later.range(place) {
                self.onward[at] = std::mem::take(&mut row[self.later.later[at] as usize]);
                exit += self.onward[at];
            }
            leaves.push(leave);
            self.exits.push(exit);
        }
        Ok(())
    }

    /// Solves `-T x = b`, by states.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn backwards(&self, right: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = self.fronts.states.iter().map(|&state| right[state as usize]).collect();
        for place in 0..x.len() {
            let visits = |at: usize| {
                let through = self.earlier.later[at] as usize;
                self.back[at] / self.exits[through] * x[through]
            };
            x[place] += self.earlier.range(place).map(visits).sum::<f64>();
        }
        for place in (0..x.len()).rev() {
            let onward = |at: usize| self.onward[at] * x[self.later.later[at] as usize];
            x[place] = (x[place] + self.later.range(place).map(onward).sum::<f64>()) / self.exits[place];
        }
        self.by_states(&x)
    }

    /// Solves `x (-T) = a`, by states.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn forwards(&self, right: &[f64]) -> Vec<f64> {
        let mut x: Vec<f64> = self.fronts.states.iter().map(|&state| right[state as usize]).collect();
        for place in 0..x.len() {
            x[place] /= self.exits[place];
            for at in self.later.range(place) {
                x[self.later.later[at] as usize] += x[place] * self.onward[at];
            }
        }
        for place in (0..x.len()).rev() {
            for at in self.earlier.range(place) {
                let through = self.earlier.later[at] as usize;
                x[through] += x[place] * self.back[at] / self.exits[through];
            }
        }
        self.by_states(&x)
    }

    fn by_states(&self, x: &[f64]) -> Vec<f64> {
        self.fronts.places.iter().map(|&place| x[place as usize]).collect()
    }
}

fn stopped(limit: Limit, done: usize, of: usize) -> Error {
    Error::Stopped(Stopped { limit, reached: Reached::Eliminating { done: done as u64, of: of as u64 } })
}
