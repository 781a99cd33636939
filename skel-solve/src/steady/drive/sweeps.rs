//! Sweeps of Gauss-Seidel before a method, and what they tell of a chain.
//!
//! A rough start is far from the answer in single states, and a few sweeps mend that in less time than a
//! Krylov method takes. On a lattice, as of queues in a line, a sweep balances each state with its
//! neighbours; states that are far apart are balanced only after as many sweeps as the lattice is long. So
//! soon no state is far from its balance, and yet further sweeps hardly reduce what is left. BiCGSTAB with
//! sweeps would be slow there, and is not tried.

use super::{Problem, Turns};
use crate::error::Error;
use crate::limits::Watch;
use crate::linear::iteration::{Halt, Iterations};
use crate::operator::{TriangularSweep, left_and_flow};
use crate::vector::total;

/// The sweeps between two looks at what they leave. They cost as much as an iteration and a quarter of
/// BiCGSTAB.
pub(super) const SWEEPS: usize = 5;

/// The chain is likely to be a lattice if [`SWEEPS`] leave more than this share of the total defect. They
/// leave three quarters to nine tenths where three queues or more have 20 places each, two thirds where they
/// have ten, and a tenth to two fifths on pipelines, Kanban systems and where resources are shared.
const HARDLY_LESS: f64 = 0.7;

/// The same where elimination is within reach, as on lattices of two dimensions, on which the last sweeps
/// leave a third to two thirds.
const LITTLE_LESS: f64 = 0.3;

/// The largest defect of a state that is near its balance. On a ring that a token goes round, other states
/// are far from it.
const NEAR: f64 = 0.2;

/// A chain is uneven if at least this share of its states is unlikely, that is, has less than a thousandth of
/// the mean probability, and the sweeps leave a larger defect of some state. Kanban systems and pipelines
/// have 2 to 10 % of such states, which sweeps bring near their balance.
const UNEVEN: f64 = 0.05;
const UNLIKELY: f64 = 1e-3;
const UNBALANCED: f64 = 0.3;

/// Sweeps along the flow stall if they leave more than this share of the total defect: at first if twice
/// [`SWEEPS`] do, and where probability is [carried](super::flow) if [`SWEEPS`] do.
pub(super) const STALLED: f64 = 0.5;

/// The total defect up to which only what is rare is far from its balance.
pub(super) const FAR: f64 = 1e-3;

/// What a few sweeps tell of a chain.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shape {
    /// Probability is spread over a lattice.
    Lattice,
    /// Many states are unlikely, and some are far from their balance.
    Uneven,
    Other,
}

impl Problem<'_> {
    /// Sweeps over the estimate, and says what they tell of the chain. A method that goes on from there has
    /// to reach a smaller defect to count as quick. Where there is no room to see what sweeps leave, there
    /// are none.
    pub(super) fn shape_by_sweeps(
        &self,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Shape, Error> {
        let of_vector = 8 * self.chain.states() as u64;
        if self.budget.beside(task.decomposition.memory() + of_vector).check(of_vector).is_err() {
            return Ok(Shape::Other);
        }
        let mut budget = Iterations::new(watch, task.most);
        let mut sweep = || {
            sweep_some(self.chain, task.pi, &mut || budget.look()).map_err(|halt| self.preparing(halt))?;
            Ok::<_, Error>(left(self.chain, task.pi))
        };
        let (before, _) = sweep()?;
        let (left, defect) = sweep()?;
        self.chain.make_positive(task.pi);
        task.is_swept = true;
        task.probe = task.probe.map(|small| small * defect.min(1.0));
        let share = if self.trial.is_some() { LITTLE_LESS } else { HARDLY_LESS };
        Ok(match defect <= NEAR {
            true if left > share * before => Shape::Lattice,
            false if defect > UNBALANCED && are_many_unlikely(task.pi) => Shape::Uneven,
            _ => Shape::Other,
        })
    }
}

/// Whether many states are unlikely.
fn are_many_unlikely(pi: &[f64]) -> bool {
    let least = UNLIKELY * total(pi) / pi.len() as f64;
    let unlikely = pi.iter().filter(|value| **value < least).count();
    unlikely as f64 >= UNEVEN * pi.len() as f64
}

/// A few sweeps.
pub(super) fn sweep_some(
    chain: &dyn TriangularSweep,
    pi: &mut [f64],
    look: &mut dyn FnMut() -> Result<(), Halt>,
) -> Result<(), Halt> {
    for _ in 0..SWEEPS {
        look()?;
        chain.sweep(pi, 1.0);
    }
    Ok(())
}

/// So many sweeps, after which the estimate is positive and sums to one.
pub(super) fn smooth(
    chain: &dyn TriangularSweep,
    pi: &mut [f64],
    sweeps: usize,
    budget: &mut Iterations<'_, '_>,
) -> Result<(), Halt> {
    for _ in 0..sweeps {
        budget.look()?;
        chain.sweep(pi, 1.0);
    }
    chain.make_positive(pi);
    Ok(())
}

/// The total defect, relative to the sum of all flows, and the largest of a state.
pub(super) fn left(chain: &dyn TriangularSweep, pi: &[f64]) -> (f64, f64) {
    let mut net = vec![0.0; pi.len()];
    let defect = chain.net(pi, &mut net).defect;
    let [left, flow] = left_and_flow(chain, pi, &net);
    (left / flow, defect)
}
