//! Solutions in `f64`: small chains are eliminated, large ones iterated, and each solution has a bound on its
//! error.

use crate::error::{Error, NotConverged};
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::elimination::Unsolved;
use crate::over_time::absorption::BeforeEnd;
use crate::over_time::absorption::bound;
use crate::over_time::absorption::factors::Factors;
use crate::over_time::absorption::iterated::Iterated;

/// Chains up to this many states are eliminated at once.
const DIRECT_UP_TO: usize = 1500;

/// The most multiplications of an elimination where iterating gives no answer: some 20 s.
const MOST_WORK: u64 = 10_000_000_000;

/// What runs collect, by the state they begin in, and how far that may be from the truth.
#[derive(Clone, Debug)]
pub(crate) struct Collected {
    pub(crate) values: Vec<f64>,
    /// Per state a bound on the absolute error.
    pub(crate) errors: Vec<f64>,
}

/// The time that runs spend in each state, and how far that may be from the truth.
#[derive(Clone, Debug)]
pub(crate) struct Spent {
    pub(crate) values: Vec<f64>,
    /// Per state a bound on the absolute error.
    pub(crate) errors: Vec<f64>,
}

/// The systems of the states before an end.
pub(crate) struct Systems<'c> {
    chain: &'c BeforeEnd<f64>,
    exits: Vec<f64>,
    limits: &'c Limits,
    budget: MemoryBudget,
    means: Means,
    /// A proved bound on the jumps that a run makes before it leaves.
    jumps: Vec<f64>,
}

enum Means {
    Factors(Factors),
    /// Backwards; forwards is set up where it is asked for.
    Iterated(Iterated),
}

impl<'c> Systems<'c> {
    /// Prepares for any number of right-hand sides: factors or an operator, and the proof that bounds every
    /// error.
    ///
    /// # Errors
    /// A limit was reached, or the rates are so far apart that nothing can be proved in `f64`.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn new(
        chain: &'c BeforeEnd<f64>,
        limits: &'c Limits,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Error> {
        Self::by(chain, chain.states() <= DIRECT_UP_TO, limits, budget, watch)
    }

    /// By elimination if that is to be tried first, else by iteration.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn by(
        chain: &'c BeforeEnd<f64>,
        is_small: bool,
        limits: &'c Limits,
        budget: MemoryBudget,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Error> {
        let exits = chain.exits();
        let mut tried = Vec::new();
        for is_direct in [is_small, !is_small] {
            let (means, estimate) = match is_direct {
                true => {
                    let work = if is_small { u64::MAX } else { MOST_WORK };
                    match Factors::new(chain, budget.left(), work, watch) {
                        Ok(factors) => {
                            let estimate = factors.backwards(&exits);
                            (Means::Factors(factors), estimate)
                        }
                        Err(Unsolved::Stopped(stopped)) => return Err(stopped),
                        Err(Unsolved::Refused) => {
                            tried.push("elimination would take more than is allowed".to_owned());
                            continue;
                        }
                    }
                }
                false => {
                    let iterated = Iterated::backwards(chain, budget, watch)?;
                    match iterated.solve(&exits, limits, watch, &mut tried)? {
                        Some(estimate) => (Means::Iterated(iterated), estimate),
                        None => continue,
                    }
                }
            };
            match bound::jumps(chain, &exits, &estimate) {
                Some(jumps) => return Ok(Systems { chain, exits, limits, budget, means, jumps }),
                None => tried.push("no bound on the error could be proved in `f64`".to_owned()),
            }
        }
        Err(not_converged(tried))
    }

    /// A proved bound on the number of jumps before a run leaves, per state that it begins in.
    pub(crate) fn jumps(&self) -> &[f64] {
        &self.jumps
    }

    /// Solves `-T x = b`.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn backwards(&self, right: &[f64], watch: &mut Watch<'_>) -> Result<Collected, Error> {
        let values = match &self.means {
            Means::Factors(factors) => factors.backwards(right),
            Means::Iterated(iterated) => {
                let mut tried = Vec::new();
                let found = iterated.solve(right, self.limits, watch, &mut tried)?;
                found.ok_or_else(|| not_converged(tried))?
            }
        };
        let residual = bound::backwards(self.chain, &self.exits, right, &values);
        in_range(residual)?;
        let errors = self.jumps.iter().map(|jumps| residual * jumps).collect();
        Ok(Collected { values, errors })
    }

    /// Solves `x (-T) = a`.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn forwards(&self, right: &[f64], watch: &mut Watch<'_>) -> Result<Spent, Error> {
        let values = match &self.means {
            Means::Factors(factors) => factors.forwards(right),
            Means::Iterated(_) => {
                let mut tried = Vec::new();
                let iterated = Iterated::forwards(self.chain, self.budget, watch)?;
                let found = iterated.solve(right, self.limits, watch, &mut tried)?;
                found.ok_or_else(|| not_converged(tried))?
            }
        };
        let incoming = self.chain.rates.transposed();
        let sum = bound::forwards(self.chain, &incoming, &self.exits, right, &values, &self.jumps);
        in_range(sum)?;
        let errors = self.exits.iter().map(|exit| sum / exit).collect();
        Ok(Spent { values, errors })
    }
}

fn in_range(error: f64) -> Result<(), Error> {
    match error.is_finite() {
        true => Ok(()),
        false => Err(not_converged(vec!["numbers beyond the range of `f64` came up".to_owned()])),
    }
}

fn not_converged(tried: Vec<String>) -> Error {
    Error::NotConverged(NotConverged { tolerance: f64::EPSILON, tried })
}
