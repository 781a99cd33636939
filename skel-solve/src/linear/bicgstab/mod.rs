//! BiCGSTAB for the relative defects of the balance equations, as in [`krylov`](crate::linear::krylov).
//!
//! The method is restarted from its own result a few times, for three reasons. The weights of the equations
//! are the flows of the estimate, and become right as it does. The residual that the recurrence updates
//! drifts from the true one. And very small probabilities get their relative accuracy only from an estimate
//! in which they are small already. Before each restart a sweep of Gauss-Seidel makes the estimate positive.
//!
//! Convergence: every run starts from the true defects, and the method ends when none is above the target. It
//! stagnates if a run does not halve the worst of them. Cost of an iteration: two products with the
//! preconditioned matrix. Memory: three vectors in `f64` and five that are kept as [`StoredFloat`] says.
//! Several threads do an iteration [together](part). H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13
//! (1992).

mod descent;
mod part;
mod run;
mod size;

use crate::linear::MethodUsed;
use crate::linear::iteration::{Halt, Iterations, IterativeMethod};
use crate::linear::krylov::{One, Preconditioning, Source, Width};
use crate::linear::preconditioner::Preconditioner;
use crate::operator::{TriangularSweep, left_and_flow};
use crate::team::in_parts;
use crate::vector::StoredFloat;
pub(crate) use run::Run;
pub(crate) use size::Size;

pub(crate) struct BiCgStab(pub(crate) Preconditioning, pub(crate) Width);

/// The most restarts; most chains need two to four.
const RESTARTS: usize = 12;

/// By how much the first run reduces the defects, if the largest is above [`FAR`]: its weights, the flows of
/// the estimate, are far from the right ones then. What sweeps leave with large defects is rare, so that more
/// is allowed after them.
const FIRST_REDUCTION: f64 = 1e-4;
const FAR: f64 = 0.1;
const FAR_AFTER_SWEEPS: f64 = 2.0;

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
        Preconditioning::Dilu => MethodUsed::BiCgStabDilu,
    }
}

/// The same, by what the preconditioner is made of.
pub(crate) fn method_by(source: Source<'_>) -> MethodUsed {
    match source {
        Source::Chain(preconditioning) => method(preconditioning),
        Source::Blocks(_) => MethodUsed::BiCgStabBlocks,
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
    let mut run = Run::<K>::new(chain);
    let mut before = f64::INFINITY;
    for number in 0..RESTARTS {
        let defect = run.start(chain, pi);
        budget.defect = defect;
        if defect <= target || number > 0 && defect <= budget.accepted {
            return Ok(());
        }
        if defect.is_nan() || defect > 0.5 * before || number > 0 && defect > budget.hopeless {
            return Err(Halt::Stagnated);
        }
        before = if number == 0 { f64::INFINITY } else { defect };
        let far = if budget.is_swept { FAR_AFTER_SWEEPS } else { FAR };
        let reduction = if number == 0 && defect > far { FIRST_REDUCTION } else { K::REDUCTION };
        let outcome = run.solve(chain, preconditioner, (0.5 * target).max(reduction * defect), budget);
        // A correction that leaves larger defects than there were would make the estimate worse.
        if matches!(outcome, Err(Halt::Stagnated)) && budget.defect > defect {
            budget.defect = defect;
            return Err(Halt::Stagnated);
        }
        let corrections = run.correction(chain, preconditioner);
        add(corrections, pi, chain.threads());
        budget.remember(defect, (corrections, pi), chain.threads());
        budget.clipped = chain.make_positive(pi);
        outcome?;
        budget.begin_run();
    }
    Err(Halt::Stagnated)
}

fn add(corrections: &[f64], pi: &mut [f64], threads: usize) {
    in_parts(threads, pi, |first, pi| {
        pi.iter_mut().zip(&corrections[first..]).for_each(|(value, correction)| *value += correction);
    });
}

/// BiCGSTAB for the balance equations as they are: a flow counts as it is large, so that rare states do not
/// hold the others back.
pub(crate) struct Plain<'c> {
    chain: &'c dyn TriangularSweep,
    run: Run<f64, One>,
    preconditioner: Box<dyn Preconditioner + 'c>,
}

impl<'c> Plain<'c> {
    pub(crate) fn new(
        chain: &'c dyn TriangularSweep,
        preconditioner: Box<dyn Preconditioner + 'c>,
    ) -> Plain<'c> {
        Plain { chain, run: Run::plain(chain), preconditioner }
    }

    /// Improves an estimate until the sum of all defects, relative to the sum of all flows, is no larger than
    /// the target, or after a run no larger than what is accepted.
    pub(crate) fn solve(
        &mut self,
        pi: &mut [f64],
        (target, accepted): (f64, f64),
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        let chain = self.chain;
        let mut net = vec![0.0; pi.len()];
        let mut before = f64::INFINITY;
        for number in 0..RESTARTS {
            chain.net(pi, &mut net);
            let [left, flow] = left_and_flow(chain, pi, &net);
            let defect = left / flow;
            budget.defect = defect;
            if defect <= target || number > 0 && defect <= accepted {
                return Ok(());
            }
            if defect.is_nan() || defect > 0.5 * before {
                return Err(Halt::Stagnated);
            }
            before = defect;
            let share = (0.5 * target / defect).max(PLAIN_REDUCTION);
            let (corrections, outcome) = self.correct((&net, flow), share, budget);
            add(corrections, pi, chain.threads());
            budget.clipped = chain.make_positive(pi);
            outcome?;
        }
        Err(Halt::Stagnated)
    }

    /// The corrections that take away what flows into each state too much, relative to a flow, but for a
    /// share of it; and how the run ended.
    pub(crate) fn correct(
        &mut self,
        (net, flow): (&[f64], f64),
        share: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> (&[f64], Result<(), Halt>) {
        self.run.start_plainly(net, flow);
        let enough = share * self.run.left();
        let outcome = self.run.solve(self.chain, &mut *self.preconditioner, enough, budget);
        let corrections = self.run.correction(self.chain, &mut *self.preconditioner);
        corrections.iter_mut().for_each(|correction| *correction *= flow);
        (corrections, outcome.map(|_| ()))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::num::NonZeroUsize;
    use std::time::Duration;

    use super::Run;
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::linear::iteration::Iterations;
    use crate::linear::krylov::Preconditioning;
    use crate::linear::preconditioner::{Preconditioner, Similarity};
    use crate::operator::transposed::{Rows, TransposedRates};
    use crate::operator::{SharedPass, TriangularSweep};
    use crate::team::{Chunk, Member};

    /// A queue of fifty states.
    pub(crate) fn queue(watch: &mut Watch<'_>, budget: MemoryBudget) -> TransposedRates {
        let rows: Rows<'_> = &|_, visit| {
            for state in 0..50_u32 {
                let later = (state < 49).then_some((state + 1, 1.0));
                let earlier = state.checked_sub(1).map(|earlier| (earlier, 1.5));
                visit(state as usize, &[earlier, later].into_iter().flatten().collect::<Vec<_>>());
            }
            Ok(())
        };
        TransposedRates::new(50, rows, budget, watch).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A preconditioner whose products by one thread are counted: there are two in an iteration. If several
    /// share one, most are put aside.
    struct Counting<'c> {
        preconditioner: Box<dyn Preconditioner + 'c>,
        products: usize,
    }

    impl Preconditioner for Counting<'_> {
        fn similarity(&self) -> Option<&dyn Similarity> {
            self.preconditioner.similarity()
        }

        fn solve(&mut self, chain: &dyn TriangularSweep, x: &mut [f64]) {
            self.preconditioner.solve(chain, x);
        }

        fn rest(&mut self, chain: &dyn TriangularSweep, x: &mut [f64]) {
            self.products += 1;
            self.preconditioner.rest(chain, x);
        }

        fn shared<'c>(&'c self, chain: &'c dyn TriangularSweep) -> Option<Box<dyn SharedPass + 'c>> {
            let shared = self.preconditioner.shared(chain)?;
            Some(Box::new(WithSleep(shared)))
        }
    }

    /// The factors of a queue are complete, so the first step of an iteration leaves hardly anything. The
    /// second step is done where that is not looked at, far from the target.
    #[test]
    fn half_an_iteration_is_enough_where_factors_are_complete() {
        let limits = Limits::default();
        let (mut watch, budget) = (Watch::start(&limits), MemoryBudget::new(&limits));
        let chain = queue(&mut watch, budget);
        let pi = chain.start();
        for (target, expected) in [(1e-3, [1, 1]), (5e-5, [1, 2])] {
            let preconditioner =
                Preconditioning::Dilu.of(&chain, &mut watch).unwrap_or_else(|_| panic!("it fits"));
            let mut counting = Counting { preconditioner, products: 0 };
            let mut run = Run::<f64>::new(&chain);
            run.start(&chain, &pi);
            let mut iterations = Iterations::new(&mut watch, 100);
            let left = run.solve(&chain, &mut counting, target, &mut iterations);
            assert!(left.is_ok_and(|left| left <= target), "{target}");
            assert_eq!([iterations.done as usize, counting.products], expected, "{target}");
        }
    }

    /// What threads share, of whom all but the one that leads are put aside in each pass.
    struct WithSleep<'c>(Box<dyn SharedPass + 'c>);

    impl SharedPass for WithSleep<'_> {
        fn threads(&self) -> usize {
            self.0.threads()
        }

        fn threads_of_chunks(&self) -> Vec<usize> {
            self.0.threads_of_chunks()
        }

        fn pass(&self, member: Member<'_>, x: &[Chunk<'_>]) {
            if member.number() > 0 {
                std::thread::sleep(Duration::from_millis(50));
            }
            self.0.pass(member, x);
        }

        fn take_back(&self, member: Member<'_>, x: &[Chunk<'_>]) -> bool {
            self.0.take_back(member, x)
        }
    }

    /// The corrections of a run of ten iterations by so many threads, as bits, and how many passes one thread
    /// did alone.
    fn corrections(threads: usize, preconditioning: Preconditioning) -> (Vec<u64>, usize) {
        let limits = Limits { threads: NonZeroUsize::new(threads), ..Limits::default() };
        let (mut watch, budget) = (Watch::start(&limits), MemoryBudget::new(&limits));
        let chain = TransposedRates::lattice(38).by_level(budget, &mut watch).unwrap();
        let chain = chain.shared(budget, &mut watch).unwrap();
        let preconditioner = preconditioning.of(&chain, &mut watch).unwrap_or_else(|_| panic!("it fits"));
        let mut counting = Counting { preconditioner, products: 0 };
        let mut run = Run::<f64>::new(&chain);
        run.start(&chain, &chain.start());
        let mut iterations = Iterations::new(&mut watch, 10);
        let ended = run.solve(&chain, &mut counting, 0.0, &mut iterations);
        assert!(ended.is_err() && iterations.done == 10);
        let corrections = run.correction(&chain, &mut counting);
        (corrections.iter().map(|value| value.to_bits()).collect(), counting.products)
    }

    #[test]
    fn one_thread_goes_on_where_a_team_was_slower_to_the_same_bits() {
        for preconditioning in [Preconditioning::Dilu, Preconditioning::Forward] {
            let (expected, all) = corrections(1, preconditioning);
            let (found, alone) = corrections(2, preconditioning);
            assert!((1..all).contains(&alone), "{alone} of {all} passes were alone");
            assert!(found == expected);
        }
    }
}
