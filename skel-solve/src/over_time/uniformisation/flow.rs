//! What a step of uniformisation needs of a chain: exit rates, and the product with the other rates.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use crate::limits::memory::MemoryBudget;
use crate::limits::{Stopped, Watch};
use crate::operator::transposed::TransposedRates;
use crate::operator::{RateOperator, uniformise};

/// Which way a vector is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// A distribution: `v Q`.
    Forwards,
    /// A value for each state: `Q u`.
    Backwards,
}

/// Exit rates, and products with the rates between different states.
///
/// Backwards, states are numbered from the last to the first. Callers that run a
/// [`Powers`](super::powers::Powers) see them in their own order.
pub(crate) trait Flow: Sync {
    /// Which way it multiplies.
    fn direction(&self) -> Direction;

    /// The exit rate of each state.
    fn exits(&self) -> &[f64];

    /// The product. What a stop leaves means nothing, as in [`RateOperator`].
    fn inflow(&self, x: &[f64], inflow: &mut [f64]);

    /// The largest number of rates into a state and the largest number out of one, added.
    fn terms(&self) -> u64;

    /// A step of the chain that is [uniformised](uniformise) at the rate `1 / share`.
    fn uniformised(&self, x: &[f64], share: f64, next: &mut [f64]) {
        self.inflow(x, next);
        uniformise(x, self.exits(), share, next);
    }

    /// The number of states.
    fn states(&self) -> usize {
        self.exits().len()
    }
}

/// The products `v Q` of a chain.
pub(crate) struct Forwards<'c> {
    chain: &'c dyn RateOperator,
    terms: u64,
}

impl<'c> Forwards<'c> {
    /// Counts the rates of each state, in one pass.
    pub(crate) fn new(chain: &'c dyn RateOperator, watch: &mut Watch<'_>) -> Result<Forwards<'c>, Stopped> {
        let terms = most_terms(chain);
        watch.prepare()?;
        Ok(Forwards { chain, terms })
    }
}

impl Flow for Forwards<'_> {
    fn direction(&self) -> Direction {
        Direction::Forwards
    }

    fn exits(&self) -> &[f64] {
        self.chain.exits()
    }

    fn inflow(&self, x: &[f64], inflow: &mut [f64]) {
        self.chain.inflow(x, inflow);
    }

    fn uniformised(&self, x: &[f64], share: f64, next: &mut [f64]) {
        self.chain.uniformised(x, share, next);
    }

    fn terms(&self) -> u64 {
        self.terms
    }
}

/// The products `Q u` of a chain, whose rates are listed by source.
pub(crate) struct Backwards {
    dual: TransposedRates,
    terms: u64,
}

impl Backwards {
    /// Lists the rates of a chain by source: 5 bytes or more for each, which must fit the budget.
    pub(crate) fn new(
        chain: &dyn RateOperator,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Backwards, Stopped> {
        let terms = most_terms(chain);
        watch.prepare()?;
        let dual = TransposedRates::dual(chain, budget, watch)?.ok_or_else(|| budget.stopped())?;
        Ok(Backwards { dual, terms })
    }

    /// The number of bytes that the list takes.
    pub(crate) fn memory(&self) -> u64 {
        self.dual.memory()
    }
}

impl Flow for Backwards {
    fn direction(&self) -> Direction {
        Direction::Backwards
    }

    fn exits(&self) -> &[f64] {
        self.dual.exits()
    }

    fn inflow(&self, x: &[f64], inflow: &mut [f64]) {
        self.dual.inflow(x, inflow);
    }

    fn terms(&self) -> u64 {
        self.terms
    }
}

/// A chain in which some states are never left any more.
pub(crate) struct Ended<'c> {
    chain: &'c dyn Flow,
    exits: Vec<f64>,
    has_ended: Vec<bool>,
    end: End,
    /// Room for a vector without what is in states that are not left.
    without: Mutex<Vec<f64>>,
}

/// What becomes of a run that comes to a state that is not left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It stays there.
    Absorbed,
    /// It is left out of all vectors from then on. Vectors must begin with zeros in these states.
    Removed,
}

impl<'c> Ended<'c> {
    /// Ends all runs of a chain in some states, given in the order of the space.
    pub(crate) fn new(chain: &'c dyn Flow, mut has_ended: Vec<bool>, end: End) -> Ended<'c> {
        if chain.direction() == Direction::Backwards {
            has_ended.reverse();
        }
        let exits = chain.exits().iter().zip(&has_ended);
        let exits = exits.map(|(&exit, &has_ended)| if has_ended { 0.0 } else { exit }).collect();
        Ended { chain, exits, has_ended, end, without: Mutex::new(Vec::new()) }
    }

    /// Sets the values of ended states to zero.
    fn clear(&self, values: &mut [f64]) {
        for (value, &has_ended) in values.iter_mut().zip(&self.has_ended) {
            if has_ended {
                *value = 0.0;
            }
        }
    }
}

impl Flow for Ended<'_> {
    fn direction(&self) -> Direction {
        self.chain.direction()
    }

    fn exits(&self) -> &[f64] {
        &self.exits
    }

    fn inflow(&self, x: &[f64], inflow: &mut [f64]) {
        if self.direction() == Direction::Forwards && self.end == End::Absorbed {
            // What is in an ended state stays there, and must not flow on.
            let mut without = self.without.lock().unwrap_or_else(PoisonError::into_inner);
            without.clear();
            without.extend_from_slice(x);
            self.clear(&mut without);
            self.chain.inflow(&without, inflow);
        } else {
            self.chain.inflow(x, inflow);
            self.clear(inflow);
        }
    }

    fn terms(&self) -> u64 {
        self.chain.terms()
    }
}

/// The largest number of rates into a state and the largest number out of one, added.
fn most_terms(chain: &dyn RateOperator) -> u64 {
    let mut out_of = vec![0_u32; chain.states()];
    let (mut into, mut most_into, mut last) = (0_u32, 0, usize::MAX);
    chain.for_each_rate(&mut |from, to, _| {
        out_of[from] += 1;
        into = if to == last { into + 1 } else { 1 };
        last = to;
        most_into = most_into.max(into);
        ControlFlow::Continue(())
    });
    u64::from(most_into) + u64::from(out_of.into_iter().max().unwrap_or(0))
}
