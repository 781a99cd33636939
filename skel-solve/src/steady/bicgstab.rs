//! BiCGSTAB for the relative defects of the balance equations, as in [`krylov`](super::krylov).
//!
//! The method is restarted from its own result a few times: the flows become the right ones, the residual that
//! it carries along drifts from the true one, and what is tiny only gets its digits from a start that is tiny too.
//! A sweep of Gauss-Seidel before makes all of it positive.
//!
//! Convergence: every run starts from the true defects, and it ends when none is above the target. It stagnates where a run
//! doesn't halve them. Cost of an iteration: two products with the preconditioned matrix. Memory: three vectors in `f64`
//! and five that are kept as [`Kept`] says. H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992).

use super::blocks::{BLOCK, blocks, dot, load, product, weigh, worst};
use super::equations::{Inflows, NEGLIGIBLE};
use super::iterate::{Halt, Iterations, Method};
use super::krylov::{Kept, Kepts, Preconditioner, Preconditioning, random};

pub(super) struct BiCgStab(pub(super) Preconditioning);

/// Runs from a new start; a healthy chain needs two to four.
const RESTARTS: usize = 12;

/// Iterations of one run.
const PER_RUN: usize = 300;

/// What the first run reduces the defects by, whose flows are far from the right ones.
const FIRST_REDUCTION: f64 = 1e-3;

/// From so many states on, vectors are kept in `f32`.
pub(super) const LARGE: usize = 1 << 16;

/// The bytes for each state.
pub(super) fn memory(states: u64) -> u64 {
    let kept = if states as usize >= LARGE { size_of::<f32>() } else { size_of::<f64>() };
    states * (2 * size_of::<f64>() + 4 * kept + size_of::<f32>()) as u64
}

impl Method for BiCgStab {
    fn name(&self) -> &'static str {
        match self.0 {
            Preconditioning::Forward => "BiCGSTAB with Gauss-Seidel",
            Preconditioning::Ilu0 => "BiCGSTAB with ILU(0)",
        }
    }

    fn memory(&self, states: u64, rates: u64) -> u64 {
        memory(states) + self.0.memory(states, rates)
    }

    fn solve(
        &self,
        chain: &dyn Inflows,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let mut preconditioner = self.0.of(chain, budget.watch())?;
        match pi.len() >= LARGE {
            true => solve::<f32>(chain, &mut *preconditioner, pi, target, budget),
            false => solve::<f64>(chain, &mut *preconditioner, pi, target, budget),
        }
    }
}

fn solve<K: Kept>(
    chain: &dyn Inflows,
    preconditioner: &mut dyn Preconditioner,
    pi: &mut [f64],
    target: f64,
    budget: &mut Iterations<'_, '_>,
) -> Result<(), Halt> {
    let mut run = Run::<K>::new(pi.len());
    let mut before = f64::INFINITY;
    for number in 0..RESTARTS {
        let defect = run.start(chain, pi);
        budget.defect = defect;
        if defect <= target {
            return Ok(());
        }
        if defect.is_nan() || defect > 0.5 * before {
            return Err(Halt::Stagnated);
        }
        before = if number == 0 { f64::INFINITY } else { defect };
        let reduction = if number == 0 { FIRST_REDUCTION } else { K::REDUCTION };
        let outcome = run.solve(chain, preconditioner, (0.5 * target).max(reduction * defect), budget);
        for (value, correction) in pi.iter_mut().zip(run.correction(chain, preconditioner)) {
            *value += *correction;
        }
        budget.clipped = chain.make_positive(pi);
        outcome?;
    }
    Err(Halt::Stagnated)
}

/// A linear system `W^-1 A M^-1 W u = r` with flows `W`, and what the method keeps for it.
pub(super) struct Run<K> {
    /// The flows.
    pub(super) flows: Vec<f64>,
    /// The right side `r`, then what is left of it.
    pub(super) residual: Kepts<K>,
    solution: Kepts<K>,
    shadow: Kepts<f32>,
    direction: Kepts<K>,
    along: Kepts<K>,
    /// What products are made in.
    work: Vec<f64>,
}

impl<K: Kept> Run<K> {
    pub(super) fn new(count: usize) -> Self {
        let mut shadow = Kepts::zeros(count);
        for start in blocks(count) {
            shadow.store(start, &std::array::from_fn(|at| random(start + at)));
        }
        Run {
            flows: vec![0.0; count],
            residual: Kepts::zeros(count),
            solution: Kepts::zeros(count),
            shadow,
            direction: Kepts::zeros(count),
            along: Kepts::zeros(count),
            work: vec![0.0; count],
        }
    }

    /// Takes the flows and the defects of an estimate with sum one; the worst of these.
    pub(super) fn start(&mut self, chain: &dyn Inflows, pi: &[f64]) -> f64 {
        let balance = chain.net(pi, &mut self.work);
        for ((flow, &value), exit) in self.flows.iter_mut().zip(pi).zip(chain.exits()) {
            *flow = value.max(NEGLIGIBLE) * exit;
        }
        for start in blocks(self.work.len()) {
            let (net, flows) = (load(&self.work, start, 0.0), load(&self.flows, start, 1.0));
            self.residual.store(start, &std::array::from_fn(|at| net[at] / flows[at]));
        }
        balance.defect
    }

    /// Solves until no residual is above the target, a run's iterations are used up, or the method breaks down. The worst
    /// residual that is left.
    pub(super) fn solve(
        &mut self,
        chain: &dyn Inflows,
        preconditioner: &mut dyn Preconditioner,
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<f64, Halt> {
        self.solution.clear();
        self.direction.clear();
        self.along.clear();
        let (mut rho, mut alpha, mut omega) = (1.0, 1.0, 1.0);
        let (mut left, mut next_rho) = self.state_of_residual();
        for _ in 0..PER_RUN {
            if left <= target {
                break;
            }
            budget.count(left)?;
            let beta = next_rho / rho * (alpha / omega);
            if !beta.is_finite() {
                break;
            }
            self.turn(beta, omega);
            preconditioner.rest(chain, &mut self.work);
            alpha = next_rho / self.take_along();
            if !alpha.is_finite() {
                break;
            }
            self.step(alpha);
            preconditioner.rest(chain, &mut self.work);
            omega = self.smoothing();
            if !omega.is_finite() {
                // The half step is one nevertheless.
                (left, _) = self.smooth(alpha, 0.0);
                break;
            }
            rho = next_rho;
            (left, next_rho) = self.smooth(alpha, omega);
        }
        Ok(left)
    }

    /// The correction that belongs to the solution, `M^-1 W u`.
    pub(super) fn correction(
        &mut self,
        chain: &dyn Inflows,
        preconditioner: &mut dyn Preconditioner,
    ) -> &mut [f64] {
        for start in blocks(self.work.len()) {
            weigh(&self.solution.load(start), &self.flows, &mut self.work, start);
        }
        preconditioner.solve(chain, &mut self.work);
        &mut self.work
    }

    /// The worst residual.
    pub(super) fn worst_residual(&self) -> f64 {
        self.state_of_residual().0
    }

    /// The worst residual, and its product with the shadow.
    fn state_of_residual(&self) -> (f64, f64) {
        let (mut largest, mut rho) = (0.0, 0.0);
        for start in blocks(self.work.len()) {
            let residual = self.residual.load(start);
            largest = super::worst(&[largest, worst(&residual)]);
            rho += dot(&self.shadow.load(start), &residual);
        }
        (largest, rho)
    }

    /// `p := r + beta (p - omega v)`, and a product with it is begun.
    fn turn(&mut self, beta: f64, omega: f64) {
        for start in blocks(self.work.len()) {
            let residual = self.residual.load(start);
            let along = self.along.load(start);
            let mut direction = self.direction.load(start);
            for at in 0..BLOCK {
                let turned = residual[at] + beta * (direction[at] - omega * along[at]);
                direction[at] = K::of(turned).value();
            }
            self.direction.store(start, &direction);
            weigh(&direction, &self.flows, &mut self.work, start);
        }
    }

    /// `v`, the product with `p`; its product with the shadow.
    fn take_along(&mut self) -> f64 {
        let mut sum = 0.0;
        for start in blocks(self.work.len()) {
            let along = product(&self.direction.load(start), &self.work, &self.flows, start);
            self.along.store(start, &along);
            sum += dot(&self.shadow.load(start), &along);
        }
        sum
    }

    /// `r := r - alpha v`, and a product with it is begun.
    fn step(&mut self, alpha: f64) {
        for start in blocks(self.work.len()) {
            let along = self.along.load(start);
            let mut residual = self.residual.load(start);
            for at in 0..BLOCK {
                residual[at] = K::of(residual[at] - alpha * along[at]).value();
            }
            self.residual.store(start, &residual);
            weigh(&residual, &self.flows, &mut self.work, start);
        }
    }

    /// The factor of the product `t` with `r` that leaves least of `r`.
    fn smoothing(&self) -> f64 {
        let (mut across, mut square) = (0.0, 0.0);
        for start in blocks(self.work.len()) {
            let residual = self.residual.load(start);
            let change = product(&residual, &self.work, &self.flows, start);
            across += dot(&change, &residual);
            square += dot(&change, &change);
        }
        across / square
    }

    /// `u := u + alpha p + omega r` and `r := r - omega t`; as [`Self::state_of_residual`].
    fn smooth(&mut self, alpha: f64, omega: f64) -> (f64, f64) {
        let (mut largest, mut rho) = (0.0, 0.0);
        for start in blocks(self.work.len()) {
            let direction = self.direction.load(start);
            let mut residual = self.residual.load(start);
            let mut solution = self.solution.load(start);
            let change = product(&residual, &self.work, &self.flows, start);
            for at in 0..BLOCK {
                solution[at] += alpha * direction[at] + omega * residual[at];
                residual[at] = K::of(residual[at] - omega * change[at]).value();
            }
            self.solution.store(start, &solution);
            self.residual.store(start, &residual);
            largest = super::worst(&[largest, worst(&residual)]);
            rho += dot(&self.shadow.load(start), &residual);
        }
        (largest, rho)
    }
}
