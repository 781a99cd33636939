//! GMRES, restarted, for the relative defects of the balance equations, as in
//! [`krylov`](crate::linear::krylov).
//!
//! Of all corrections in the Krylov space it takes the one whose residual has the least root mean square. So
//! no iteration increases the residual, and the method cannot break down. It restarts from its own result
//! after thirty iterations.
//!
//! Convergence: every cycle starts from the true defects, and it ends when none is above the target. It
//! stagnates if ten cycles do not halve the worst of them. Cost of an iteration: one product with the
//! preconditioned matrix, and two passes over each vector so far. Memory: two vectors in `f64`, and
//! thirty-one that are kept as [`StoredFloat`] says. Y. Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7
//! (1986).

use crate::linear::MethodUsed;
use crate::linear::iteration::{Halt, Iterations, IterativeMethod, check};
use crate::linear::krylov::{Preconditioning, Width, flows, weigh};
use crate::linear::preconditioner::Preconditioner;
use crate::operator::TriangularSweep;
use crate::vector::{StoredFloat, blocks, dot};

pub(crate) struct Gmres {
    pub(crate) with_factors: bool,
    pub(crate) width: Width,
}

impl Gmres {
    fn preconditioning(&self) -> Preconditioning {
        if self.with_factors { Preconditioning::Ilu0 } else { Preconditioning::Forward }
    }
}

/// Iterations of a cycle.
const CYCLE: usize = 30;

/// The method stagnates if so many cycles do not halve the defects.
const CYCLES_TO_HALVE: u32 = 10;

impl IterativeMethod for Gmres {
    fn method(&self) -> MethodUsed {
        if self.with_factors { MethodUsed::GmresIlu } else { MethodUsed::Gmres }
    }

    fn memory(&self, states: u64, rates: u64) -> u64 {
        states * (2 * size_of::<f64>() + (CYCLE + 1) * self.width.bytes()) as u64
            + self.preconditioning().memory(states, rates)
    }

    fn solve(
        &self,
        chain: &dyn TriangularSweep,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let mut preconditioner = self.preconditioning().of(chain, budget.watch())?;
        match self.width {
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
    let mut cycle = Cycle::<K>::new(pi.len());
    let mut best = f64::INFINITY;
    let mut cycles_without_gain = 0;
    loop {
        let defect = cycle.start(chain, pi);
        budget.defect = defect;
        if defect <= target {
            return Ok(());
        }
        if defect <= 0.5 * best {
            (best, cycles_without_gain) = (defect, 0);
        } else {
            cycles_without_gain += 1;
        }
        if defect.is_nan() || cycles_without_gain > CYCLES_TO_HALVE {
            return Err(Halt::Stagnated);
        }
        let reduction = (0.5 * target / defect).max(K::REDUCTION);
        let outcome = cycle.run(chain, preconditioner, reduction, defect, budget);
        let corrections = cycle.correction(chain, preconditioner);
        pi.iter_mut().zip(corrections).for_each(|(value, correction)| *value += correction);
        budget.remember(defect, (corrections, pi), chain.threads());
        budget.clipped = chain.make_positive(pi);
        outcome?;
    }
}

/// One cycle.
struct Cycle<K> {
    flows: Vec<f64>,
    /// What products are made in.
    work: Vec<f64>,
    /// The orthonormal basis of the space.
    basis: Vec<Vec<K>>,
    /// The triangular system for the coefficients of the correction, column by column, and its right side.
    columns: Vec<Vec<f64>>,
    right: Vec<f64>,
}

impl<K: StoredFloat> Cycle<K> {
    fn new(count: usize) -> Self {
        let vector = || vec![0.0; count];
        Cycle { flows: vector(), work: vector(), basis: Vec::new(), columns: Vec::new(), right: Vec::new() }
    }

    /// Starts from the defects of an estimate with sum one; the worst of them.
    fn start(&mut self, chain: &dyn TriangularSweep, pi: &[f64]) -> f64 {
        let balance = chain.net(pi, &mut self.work);
        flows(chain, pi, &mut self.flows);
        self.work.iter_mut().zip(&self.flows).for_each(|(net, flow)| *net /= flow);
        self.columns.clear();
        self.right.clear();
        let norm = self.push_basis(0);
        self.right.push(norm);
        balance.defect
    }

    /// Makes what is in `work` the unit vector of a number; its length.
    fn push_basis(&mut self, number: usize) -> f64 {
        let norm = dot(&self.work, &self.work).sqrt();
        if self.basis.len() == number {
            self.basis.push(vec![K::of(0.0); self.work.len()]);
        }
        for (unit, value) in self.basis[number].iter_mut().zip(&self.work) {
            *unit = K::of(value / norm);
        }
        norm
    }

    /// Extends the space until the residual is reduced so far, or the cycle ends.
    fn run(
        &mut self,
        chain: &dyn TriangularSweep,
        preconditioner: &mut dyn Preconditioner,
        reduction: f64,
        defect: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let mut rotations: Vec<(f64, f64)> = Vec::new();
        let first = self.right[0];
        for number in 0..CYCLE {
            budget.count(defect * self.right[number].abs() / first)?;
            let mut column = self.orthogonalised(chain, preconditioner, number, budget)?;
            let next = self.push_basis(number + 1);
            for (at, &(cosine, sine)) in rotations.iter().enumerate() {
                let (upper, lower) = (column[at], column[at + 1]);
                column[at] = cosine * upper + sine * lower;
                column[at + 1] = cosine * lower - sine * upper;
            }
            let length = column[number].hypot(next);
            if length == 0.0 || !length.is_finite() {
                return Ok(());
            }
            let (cosine, sine) = (column[number] / length, next / length);
            column[number] = length;
            rotations.push((cosine, sine));
            self.columns.push(column);
            self.right.push(-sine * self.right[number]);
            self.right[number] *= cosine;
            if self.right[number + 1].abs() <= reduction * first {
                break;
            }
        }
        Ok(())
    }

    /// Leaves in `work` the part of a product with a basis vector that is orthogonal to the basis; its other
    /// parts.
    fn orthogonalised(
        &mut self,
        chain: &dyn TriangularSweep,
        preconditioner: &mut dyn Preconditioner,
        number: usize,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<Vec<f64>, Halt> {
        let vector = &self.basis[number];
        weigh(vector, &self.flows, &mut self.work);
        preconditioner.rest(chain, &mut self.work);
        for ((value, unit), flow) in self.work.iter_mut().zip(vector).zip(&self.flows) {
            *value = unit.value() - *value / flow;
        }
        let parts = self.basis[..=number].iter().map(|vector| {
            check(budget.watch())?;
            let part = dot(&self.work, vector);
            self.work.iter_mut().zip(vector).for_each(|(value, unit)| *value -= part * unit.value());
            Ok(part)
        });
        parts.collect()
    }

    /// The correction of the cycle, `M^-1 W u`.
    fn correction(&mut self, chain: &dyn TriangularSweep, preconditioner: &mut dyn Preconditioner) -> &[f64] {
        let count = self.columns.len();
        let mut coefficients = self.right[..count].to_vec();
        for at in (0..count).rev() {
            coefficients[at] /= self.columns[at][at];
            for above in 0..at {
                coefficients[above] -= coefficients[at] * self.columns[at][above];
            }
        }
        for block in blocks(self.work.len()) {
            let sum = &mut self.work[block.clone()];
            sum.fill(0.0);
            for (coefficient, vector) in coefficients.iter().zip(&self.basis) {
                let units = &vector[block.clone()];
                sum.iter_mut().zip(units).for_each(|(sum, unit)| *sum += coefficient * unit.value());
            }
            sum.iter_mut().zip(&self.flows[block]).for_each(|(sum, flow)| *sum *= flow);
        }
        preconditioner.solve(chain, &mut self.work);
        &self.work
    }
}
