//! What is kept of a solution, to solve a chain with the same states and nearly the same rates in less time.
//!
//! An estimate to start from saves few of the iterations: from an error of a thousandth it is still ten
//! decades to the last digits. What saves most is what need not be found again: which method has an answer,
//! the order of the states, the function of a [certificate](crate::steady::drive), whether elimination would
//! be cheap, and which defects the chain [amplifies](crate::steady::error_estimate). None of it is believed.
//! Methods end as they always do, inequalities are checked with the new rates, and amplified defects are
//! balanced with them. Where that fails, everything is done as if there were no former solution.

use std::sync::Arc;

use skel_core::model::Model;
use skel_core::number::Number;

use super::error_estimate::Amplification;
use crate::linear::MethodUsed;
use crate::linear::krylov::Preconditioning;
use crate::order::{Direction, Order};

/// By which factor a rate may differ from its value where the amplification was estimated in full.
const NEAR: f64 = 1.05;

/// What is kept of a solution.
pub(crate) struct Former {
    pub(crate) way: Way,
    pub(crate) traits: Traits,
    /// The rates of the model where the amplification was estimated in full.
    rates: Arc<[f64]>,
}

/// What a chain is like, as far as that was asked.
#[derive(Clone, Copy)]
pub(crate) struct Traits {
    /// How many iterations elimination was found to be worth: it depends on the transitions alone.
    pub(crate) trial: Option<Option<u64>>,
    /// Whether its states were in the order of their levels.
    pub(crate) is_by_level: bool,
    /// The direction in which probability flows, if there is one.
    pub(crate) direction: Option<Option<Direction>>,
}

/// The way to an answer.
pub(crate) enum Way {
    /// All probabilities.
    Probabilities(Box<Iterated>),
    /// What may be asked.
    Sums(Box<Certifying>),
    /// Elimination, since no method had an answer.
    Elimination,
    /// Each independent part by itself.
    ByParts,
}

/// How all probabilities were found.
pub(crate) struct Iterated {
    pub(crate) method: MethodUsed,
    /// The order of the states, if it was not theirs. The amplification is of the states in this order.
    pub(crate) order: Option<Arc<Order>>,
    pub(crate) amplification: Option<Amplification>,
    pub(crate) estimated_by: EstimatedBy,
    /// Whether no parts of the chain were joined by slow transitions alone.
    pub(crate) is_in_one_part: bool,
}

/// How an error was estimated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum EstimatedBy {
    /// Solving for new defects.
    NewDefects,
    /// Solving for the defects of a former estimate.
    FormerDefects,
}

/// How sums were solved for and certified.
pub(crate) struct Certifying {
    pub(crate) preconditioning: Preconditioning,
    /// Whether blocks of the chain were eliminated for a preconditioner instead.
    pub(crate) is_in_blocks: bool,
    /// Whether the likely states were solved for by themselves.
    pub(crate) is_truncated: bool,
    pub(crate) order: Option<Arc<Order>>,
    /// The total defect that should be enough for the certificate.
    pub(crate) defect: f64,
    pub(crate) function: Function,
}

/// The comparison function of a certificate.
#[derive(Clone)]
pub(crate) struct Function {
    /// The state where it vanishes.
    pub(crate) origin: usize,
    /// Its values.
    pub(crate) values: Vec<f64>,
    /// The most rates into a state or out of it.
    pub(crate) longest: f64,
}

impl Former {
    /// Of a solution with the rates of this model, perhaps found with the help of another.
    pub(crate) fn new(way: Way, traits: Traits, model: &Model, before: Option<&Former>) -> Former {
        let rates = match (&way, before) {
            (Way::Probabilities(iterated), Some(before))
                if iterated.estimated_by == EstimatedBy::FormerDefects =>
            {
                Arc::clone(&before.rates)
            }
            _ => rates(model).collect(),
        };
        Former { way, traits, rates }
    }

    /// Whether all rates of a model with the same structure are near those for which the amplification was
    /// estimated in full.
    pub(crate) fn has_rates_near(&self, model: &Model) -> bool {
        rates(model).zip(&*self.rates).all(|(now, before)| now <= before * NEAR && *before <= now * NEAR)
    }

    /// The bytes that it takes.
    pub(crate) fn memory(&self) -> u64 {
        match &self.way {
            Way::Probabilities(iterated) => {
                iterated.amplification.as_ref().map_or(0, Amplification::bytes) + of_order(&iterated.order)
            }
            Way::Sums(certifying) => {
                of_order(&certifying.order) + 8 * certifying.function.values.len() as u64
            }
            Way::Elimination | Way::ByParts => 0,
        }
    }
}

fn of_order(order: &Option<Arc<Order>>) -> u64 {
    order.as_ref().map_or(0, |order| Order::memory(order.places().len() as u64))
}

/// The rates and weights of a model's activities.
fn rates(model: &Model) -> impl Iterator<Item = f64> {
    model.rates().iter().map(|entry| f64::from_ratio(entry.value.magnitude()))
}
