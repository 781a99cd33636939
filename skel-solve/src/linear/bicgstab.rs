//! BiCGSTAB for the relative defects of the balance equations, as in [`krylov`](crate::linear::krylov).
//!
//! The method is restarted from its own result a few times, for three reasons. The weights of the equations are the flows of the
//! estimate, and become right as it does. The residual that the recurrence updates drifts from the true one. And very small
//! probabilities get their relative accuracy only from an estimate in which they are small already. Before each restart a sweep of
//! Gauss-Seidel makes the estimate positive.
//!
//! Convergence: every run starts from the true defects, and the method ends when none is above the target. It stagnates if a run
//! does not halve the worst of them. Cost of an iteration: two products with the preconditioned matrix. Memory: three vectors in `f64`
//! and five that are kept as [`StoredFloat`] says. H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992).

use crate::limits::Watch;
use crate::linear::MethodUsed;
use crate::linear::iteration::{Halt, Iterations, IterativeMethod};
use crate::linear::krylov::{Preconditioning, Width, flows, weigh};
use crate::linear::preconditioner::Preconditioner;
use crate::operator::TriangularSweep;
use crate::vector::{StoredFloat, blocks, dot, random, total, worst};

pub(crate) struct BiCgStab(pub(crate) Preconditioning, pub(crate) Width);

/// The most restarts; most chains need two to four.
const RESTARTS: usize = 12;

/// Iterations of one run.
const PER_RUN: usize = 300;

/// By how much the first run reduces the defects, if these show that its flows are far from the right ones.
const FIRST_REDUCTION: f64 = 1e-4;
const FAR: f64 = 0.1;

/// The least share of the residuals that one run for the plain equations aims to leave.
const PLAIN_REDUCTION: f64 = 1e-14;

/// The bytes that it takes beside a preconditioner.
pub(crate) fn memory(states: u64, width: Width) -> u64 {
    states * (2 * size_of::<f64>() + 4 * width.bytes() + size_of::<f32>()) as u64
}

/// The name of the method in reports.
pub(crate) fn method(preconditioning: Preconditioning) -> MethodUsed {
    match preconditioning {
        Preconditioning::Forward => MethodUsed::BiCgStab,
        Preconditioning::Ilu0 => MethodUsed::BiCgStabIlu,
    }
}

impl IterativeMethod for BiCgStab {
    fn method(&self) -> MethodUsed {
        method(self.0)
    }

    fn memory(&self, states: u64, rates: u64) -> u64 {
        memory(states, self.1) + self.0.memory(states, rates)
    }

    fn solve(
        &self,
        chain: &dyn TriangularSweep,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let mut preconditioner = self.0.of(chain, budget.watch())?;
        match self.1 {
            Width::Single => solve::<f32>(chain, &mut *preconditioner, pi, target, budget),
            Width::Double => solve::<f64>(chain, &mut *preconditioner, pi, target, budget),
        }
    }
}

fn solve<K: StoredFloat>(
    chain: &dyn TriangularSweep,
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
        let reduction = if number == 0 && defect > FAR { FIRST_REDUCTION } else { K::REDUCTION };
        let outcome = run.solve(chain, preconditioner, (0.5 * target).max(reduction * defect), budget);
        let corrections = run.correction(chain, preconditioner);
        pi.iter_mut().zip(&*corrections).for_each(|(value, correction)| *value += correction);
        budget.remember(defect, corrections);
        budget.clipped = chain.make_positive(pi);
        outcome?;
    }
    Err(Halt::Stagnated)
}

/// BiCGSTAB for the balance equations as they are: a flow counts as it is large, so that rare states do not hold the others back.
pub(crate) struct Plain {
    run: Run<f64>,
    preconditioner: Box<dyn Preconditioner>,
}

impl Plain {
    /// The bytes that it takes.
    pub(crate) fn memory(preconditioning: Preconditioning, states: u64, rates: u64) -> u64 {
        memory(states, Width::Double) + preconditioning.memory(states, rates)
    }

    pub(crate) fn new(
        chain: &dyn TriangularSweep,
        preconditioning: Preconditioning,
        watch: &mut Watch<'_>,
    ) -> Result<Plain, Halt> {
        Ok(Plain {
            run: Run::measured_by(Size::Total, chain.states()),
            preconditioner: preconditioning.of(chain, watch)?,
        })
    }

    /// Improves an estimate until the sum of all defects, relative to the sum of all flows, is no larger than the target.
    pub(crate) fn solve(
        &mut self,
        chain: &dyn TriangularSweep,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let mut before = f64::INFINITY;
        for _ in 0..RESTARTS {
            let defect = self.run.start_plainly(chain, pi);
            budget.defect = defect;
            if defect <= target {
                return Ok(());
            }
            if defect.is_nan() || defect > 0.5 * before {
                return Err(Halt::Stagnated);
            }
            before = defect;
            let reduction = (0.3 * target / defect).max(PLAIN_REDUCTION);
            let enough = reduction * self.run.size.of(&self.run.residual);
            let outcome = self.run.solve(chain, &mut *self.preconditioner, enough, budget);
            let corrections = self.run.correction(chain, &mut *self.preconditioner);
            pi.iter_mut().zip(&*corrections).for_each(|(value, correction)| *value += correction);
            budget.clipped = chain.make_positive(pi);
            outcome?;
        }
        Err(Halt::Stagnated)
    }
}

/// How large a vector is.
#[derive(Clone, Copy)]
enum Size {
    /// By its largest element.
    Worst,
    /// By the sum of all magnitudes.
    Total,
}

impl Size {
    fn of<K: StoredFloat>(self, vector: &[K]) -> f64 {
        match self {
            Size::Worst => worst(vector),
            Size::Total => vector.iter().map(|element| element.value().abs()).sum(),
        }
    }

    /// Of two parts of a vector.
    fn and(self, one: f64, other: f64) -> f64 {
        match self {
            Size::Worst => worst(&[one, other]),
            Size::Total => one + other,
        }
    }
}

/// A linear system `W^-1 A M^-1 W u = r` with flows `W`, and what the method keeps for it.
pub(crate) struct Run<K> {
    /// The flows.
    pub(crate) flows: Vec<f64>,
    /// The right side `r`, then what is left of it.
    pub(crate) residual: Vec<K>,
    solution: Vec<K>,
    /// Random, with as many positive as negative elements. The equations leave one vector open, all of whose elements are positive, and
    /// rounding adds a little of it to the residual. A positive shadow sees that a hundred times larger than the rest,
    /// and the method then stays at `1e-13` for hundreds of iterations, at the end of which the estimate has lost its scale.
    shadow: Vec<f32>,
    /// How residuals are measured.
    size: Size,
    direction: Vec<K>,
    along: Vec<K>,
    /// What products are made in.
    work: Vec<f64>,
}

impl<K: StoredFloat> Run<K> {
    pub(crate) fn new(count: usize) -> Self {
        Run::measured_by(Size::Worst, count)
    }

    fn measured_by(size: Size, count: usize) -> Self {
        let zeros = || vec![K::of(0.0); count];
        Run {
            flows: vec![0.0; count],
            residual: zeros(),
            solution: zeros(),
            shadow: (0..count).map(|state| (random(state) - 1.0) as f32).collect(),
            size,
            direction: zeros(),
            along: zeros(),
            work: vec![0.0; count],
        }
    }

    /// Takes the flows and the defects of an estimate with sum one; the worst of these.
    pub(crate) fn start(&mut self, chain: &dyn TriangularSweep, pi: &[f64]) -> f64 {
        let balance = chain.net(pi, &mut self.work);
        flows(chain, pi, &mut self.flows);
        for ((residual, net), flow) in self.residual.iter_mut().zip(&self.work).zip(&self.flows) {
            *residual = K::of(net / flow);
        }
        balance.defect
    }

    /// Takes one as the flow of every state, and what flows into each too much; the sum of that, relative to the sum of all
    /// flows.
    fn start_plainly(&mut self, chain: &dyn TriangularSweep, pi: &[f64]) -> f64 {
        chain.net(pi, &mut self.work);
        self.flows
            .iter_mut()
            .zip(pi)
            .zip(chain.exits())
            .for_each(|((flow, value), exit)| *flow = value * exit);
        let flow = total(&self.flows);
        self.flows.fill(1.0);
        for (residual, net) in self.residual.iter_mut().zip(&self.work) {
            *residual = K::of(*net);
        }
        self.work.iter_mut().for_each(|net| *net = net.abs());
        total(&self.work) / flow
    }

    /// Solves until the residuals are no larger than the target, a run's iterations are used up, or the method breaks down. The size of
    /// what is left.
    pub(crate) fn solve(
        &mut self,
        chain: &dyn TriangularSweep,
        preconditioner: &mut dyn Preconditioner,
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<f64, Halt> {
        for vector in [&mut self.solution, &mut self.direction, &mut self.along] {
            vector.fill(K::of(0.0));
        }
        let (mut rho, mut alpha, mut omega) = (1.0, 1.0, 1.0);
        let mut left = self.size.of(&self.residual);
        let mut next_rho = dot(&self.shadow, &self.residual);
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
            let smoothing = self.take_change();
            // Where nothing is left, there is nothing to smooth.
            omega = if smoothing.is_finite() { smoothing } else { 0.0 };
            rho = next_rho;
            (left, next_rho) = self.smooth(alpha, omega);
        }
        Ok(left)
    }

    /// The correction that belongs to the solution, `M^-1 W u`.
    pub(crate) fn correction(
        &mut self,
        chain: &dyn TriangularSweep,
        preconditioner: &mut dyn Preconditioner,
    ) -> &mut [f64] {
        weigh(&self.solution, &self.flows, &mut self.work);
        preconditioner.solve(chain, &mut self.work);
        &mut self.work
    }

    /// `p := r + beta (p - omega v)`, and a product with it is begun.
    fn turn(&mut self, beta: f64, omega: f64) {
        let known = self.residual.iter().zip(&self.along).zip(&self.flows);
        let changed = self.direction.iter_mut().zip(&mut self.work);
        for (((residual, along), flow), (direction, work)) in known.zip(changed) {
            *direction = K::of(residual.value() + beta * (direction.value() - omega * along.value()));
            *work = flow * direction.value();
        }
    }

    /// `v`, the product with `p`; its product with the shadow.
    fn take_along(&mut self) -> f64 {
        let mut sum = 0.0;
        for block in blocks(self.work.len()) {
            let along = &mut self.along[block.clone()];
            let rests = self.work[block.clone()].iter().zip(&self.flows[block.clone()]);
            for ((along, direction), (rest, flow)) in
                along.iter_mut().zip(&self.direction[block.clone()]).zip(rests)
            {
                *along = K::of(direction.value() - rest / flow);
            }
            sum += dot(&self.shadow[block], along);
        }
        sum
    }

    /// `r := r - alpha v`, and a product with it is begun.
    fn step(&mut self, alpha: f64) {
        let known = self.along.iter().zip(&self.flows);
        let changed = self.residual.iter_mut().zip(&mut self.work);
        for ((along, flow), (residual, work)) in known.zip(changed) {
            *residual = K::of(residual.value() - alpha * along.value());
            *work = flow * residual.value();
        }
    }

    /// `t`, the product with `r`; the factor of it that leaves least of `r`.
    fn take_change(&mut self) -> f64 {
        let (mut across, mut square) = (0.0, 0.0);
        for block in blocks(self.work.len()) {
            let residual = &self.residual[block.clone()];
            let change = &mut self.work[block.clone()];
            for ((change, residual), flow) in change.iter_mut().zip(residual).zip(&self.flows[block]) {
                *change = residual.value() - *change / flow;
            }
            across += dot(change, residual);
            square += dot(change, change);
        }
        across / square
    }

    /// `u := u + alpha p + omega r` and `r := r - omega t`; the size of `r`, and its product with the shadow.
    fn smooth(&mut self, alpha: f64, omega: f64) -> (f64, f64) {
        let (mut left, mut rho) = (0.0, 0.0);
        for block in blocks(self.work.len()) {
            let residual = &mut self.residual[block.clone()];
            let known = self.direction[block.clone()].iter().zip(&self.work[block.clone()]);
            let changed = self.solution[block.clone()].iter_mut().zip(&mut *residual);
            for ((direction, change), (solution, residual)) in known.zip(changed) {
                let moved = alpha * direction.value() + omega * residual.value();
                *solution = K::of(solution.value() + moved);
                *residual = K::of(residual.value() - omega * change);
            }
            left = self.size.and(left, self.size.of(residual));
            rho += dot(&self.shadow[block], residual);
        }
        (left, rho)
    }
}
