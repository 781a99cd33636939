//! The balance across slow cuts of a chain: as much flows out of a part as into it.
//!
//! Where parts are joined by rates of `1e-12`, the split of the probability between them is seen in no state's balance
//! (see [`certainty`](super::certainty)), but in what flows from part to part: sums of positive numbers, in which no digits
//! cancel. If the flows out of a part and into it differ by a share, so do the probabilities of the parts.
//!
//! The parts are found in levels: at level `d` those that are connected by transitions which a state takes with
//! a probability of at least `10^-d`. Levels nest, so where the parts of one are again joined in groups by slower ones
//! still, the next level sees it. Time: a pass over the transitions for each level until all is connected,
//! two or three for a chain without slow cuts, at most one for each decade of `f64`'s digits and more. Memory: three
//! vectors.
//! The notion is that of H. A. Simon and A. Ando (Econometrica 29 (1961)): nearly decomposable systems.

use super::iterate::{Halt, Iterations};
use crate::chain::Generator;

/// The rarest transitions that join parts: beyond, they are below all rounding.
const LEVELS: i32 = 30;

/// The worst relative difference of the flows out of a part and into it, over the parts of all levels.
pub(super) fn imbalance(
    generator: &Generator<f64>,
    exits: &[f64],
    pi: &[f64],
    budget: &mut Iterations<'_, '_>,
) -> Result<f64, Halt> {
    let count = pi.len();
    let mut parts = Parts { above: (0..count as u32).collect(), count };
    let mut worst = 0.0_f64;
    let (mut out, mut into) = (Vec::new(), Vec::new());
    for level in 1..=LEVELS {
        budget.look()?;
        let before = parts.count;
        let least = 10.0_f64.powi(-level);
        for state in 0..count {
            let rate = least * exits[state];
            for (target, _) in generator.rates_from(state).filter(|(_, value)| **value >= rate) {
                parts.join(state, target);
            }
        }
        if parts.count == 1 {
            break;
        }
        if parts.count == before {
            continue;
        }
        out.clear();
        out.resize(count, 0.0);
        into.clear();
        into.resize(count, 0.0);
        for state in 0..count {
            let part = parts.find(state);
            for (target, rate) in generator.rates_from(state) {
                let other = parts.find(target);
                if other != part {
                    out[part] += pi[state] * rate;
                    into[other] += pi[state] * rate;
                }
            }
        }
        for (out, into) in out.iter().zip(&into) {
            let difference = (out - into).abs();
            if difference.is_nan() {
                return Ok(f64::NAN);
            }
            if difference > 0.0 {
                worst = worst.max(difference / out.min(*into));
            }
        }
    }
    Ok(worst)
}

/// Disjoint sets of states.
struct Parts {
    above: Vec<u32>,
    count: usize,
}

impl Parts {
    fn find(&mut self, mut state: usize) -> usize {
        while self.above[state] as usize != state {
            self.above[state] = self.above[self.above[state] as usize];
            state = self.above[state] as usize;
        }
        state
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        if one != other {
            self.above[one.max(other)] = one.min(other) as u32;
            self.count -= 1;
        }
    }
}
