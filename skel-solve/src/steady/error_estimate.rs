//! How far an estimate with small defects may be from the answer.
//!
//! Small defects alone say little: where two parts of a chain are joined by rates of `1e-12`, every split of
//! the probability between them has defects of `1e-12`. With `pi(j) (1 + e(j))` the right answer, the
//! relative errors `e` solve `A (pi e) = W d`, for defects `d` and flows `W`. How much a solution is larger
//! than the right side, in the worst state, is the chain's *amplification*. It is about the number of steps
//! after which the distribution no longer depends on where a run began. Error = amplification times defect,
//! where rounding counts as a defect too.
//!
//! It is estimated in the manner of N. J. Higham's norms of inverses (ACM Trans. Math. Softw. 14 (1988)):
//! solve for defects that add up over the parts between which the chain errs, and see how large the errors
//! are.
//!
//! - The last correction of a Krylov method is rich in what the method finds hard, since everything else is
//!   gone from it by then. Its signs, with random sizes, are the first defects. [What it adds to all states
//!   in proportion](Iterations::remember) does not count. They add up over every part that is slow, if the
//!   method has seen it: from a random start it has, unless the part takes more than about `1e8` steps to
//!   converge.
//! - For such a part the sizes are still random, and add up to about one in the root of the states. So the
//!   system is solved until [a small share](enough) is left; where BiCGSTAB does not get there, there is no
//!   estimate. Such a part then shows by large errors.
//! - Where the errors have nearly the same signs as these defects, larger errors are not to be found in this
//!   way. Where they have other signs, others are likely, and what is stated is [ten times](UNALIKE) larger.
//!   Where that would be above the tolerance, a few more iterations often bring it below: near the end a
//!   Krylov method is quick. Where they don't or are not likely to, or where there is no correction to start
//!   from, there is a second look: the signs of the errors are the next defects, which is solved to a tenth.
//!
//! Errors are compared with the mean size of the defects, since others may all be as large as the largest.
//!
//! Cost: a solution to few digits, seldom two. In 355,000 random chains of up to 512 states, among them many
//! with two likely parts and rare states between them, 31 errors were larger than was stated, and none of
//! 5,300 in chains of 5,000 states or more. What the last run of the method did to the defects that it began
//! with costs nothing to know, and says too little: a thousand times as much was still below the error in
//! 1,980 of 90,000 chains.
//!
//! A chain with nearly the same rates has nearly the same amplification. So what was solved for one chain is
//! solved again for the next, from the errors that were found: the same defects, until a tenth of them is
//! left. That takes a product, and seldom an iteration. It says how large these errors are now; that no other
//! defects have larger ones is known from the chain before, as long as [no rate is
//! far](crate::steady::former) from what it was there.
//!
//! Random defects of two parts may cancel by chance. Therefore the flows between [nearly decomposable
//! parts](crate::steady::decomposition) are compared first, which does not depend on chance. The result is an
//! estimate, not a bound.

use crate::linear::bicgstab;
use crate::linear::bicgstab::Run;
use crate::linear::iteration::{Halt, Iterations};
use crate::linear::krylov;
use crate::linear::krylov::{Preconditioning, Width};
use crate::linear::preconditioner::Preconditioner;
use crate::operator::{NEGLIGIBLE, TriangularSweep};
use crate::steady::decomposition::Split;
use crate::team::{in_parts, sums};
use crate::vector::{self, StoredFloat, sum_of, worst};

/// The defect that rounding alone may leave, even where the computed defect is smaller.
const ROUNDING: f64 = 1e-15;

/// The defect that further iterations are likely to end with: mostly two to five times [`ROUNDING`].
const LIKELY_AT_LAST: f64 = 3e-15;

/// What an estimate leaves for that of a chain with nearly the same rates.
pub(crate) struct Amplification {
    /// Which defects were negative.
    signs: Vec<bool>,
    /// Whether their sizes were random, or all the same.
    are_random: bool,
    /// The relative errors that belong to these defects.
    errors: Vec<f32>,
    /// By how much the amplification was larger than these errors, relative to the defects.
    factor: f64,
    /// How much larger than the worst defect the error was said to be.
    pub(crate) amplified: f64,
}

impl Amplification {
    /// The bytes for so many states.
    fn memory(states: u64) -> u64 {
        states * (size_of::<f32>() + size_of::<bool>()) as u64
    }

    /// The bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        Amplification::memory(self.errors.len() as u64)
    }

    fn defect(&self, chain: &dyn TriangularSweep, state: usize) -> f64 {
        let size = if self.are_random { chain.random(state) } else { 1.0 };
        if self.signs[state] { -size } else { size }
    }
}

/// An estimated error, and what is left for the next estimate.
pub(crate) struct Estimate {
    pub(crate) error: f64,
    /// How much larger it is than the worst defect.
    pub(crate) amplified: f64,
    pub(crate) amplification: Option<Amplification>,
    /// What the first look showed, where a second one may show that the error is smaller.
    pub(crate) first_look: Option<FirstLook>,
}

/// What random defects showed of the errors.
pub(crate) struct FirstLook {
    /// How much larger the errors were than the defects.
    ratio: f64,
    /// Which errors were negative.
    are_negative: Vec<bool>,
}

impl Estimate {
    /// There is no estimate.
    pub(crate) const NONE: Estimate =
        Estimate { error: f64::INFINITY, amplified: f64::INFINITY, amplification: None, first_look: None };

    fn new(amplified: f64, defect: f64, amplification: Option<Amplification>) -> Estimate {
        let error = amplified * (defect + ROUNDING);
        Estimate { error, amplified, amplification, first_look: None }
    }

    /// The error of a better estimate for the same chain, with this defect.
    pub(crate) fn with_defect(self, defect: f64) -> Estimate {
        Estimate { error: self.error_with(defect), ..self }
    }

    /// The error that belongs to another defect.
    pub(crate) fn error_with(&self, defect: f64) -> f64 {
        self.amplified * (defect + ROUNDING)
    }

    /// Whether further iterations come first: where they are likely to bring the error within a tolerance,
    /// and where a second look could not.
    fn is_worth_iterations(&self, tolerance: f64) -> bool {
        self.error_with(LIKELY_AT_LAST) <= tolerance || self.error > UNALIKE * tolerance
    }
}

/// What there is for an estimate beside the chain.
pub(crate) struct Means {
    pub(crate) preconditioning: Preconditioning,
    pub(crate) width: Width,
    /// The largest error that is of use.
    pub(crate) tolerance: f64,
    /// The bytes that what an estimate leaves may take.
    pub(crate) bytes: u64,
    /// Whether the answer may still become better, so that a second look may wait.
    pub(crate) goes_on: bool,
    /// What the first look at the chain showed, if there was one.
    pub(crate) first_look: Option<FirstLook>,
}

/// The worst relative error of a probability, estimated; infinite where there is no estimate.
///
/// Between the parts of a [`Split`] it is known from what flows there; within them it is estimated, for
/// defects that add up to none in each, and up to the share of each.
pub(crate) fn error(
    (chain, within): (&dyn TriangularSweep, &dyn TriangularSweep),
    split: Split<'_>,
    pi: &[f64],
    means: Means,
    budget: &mut Iterations<'_, '_>,
) -> Result<Estimate, Halt> {
    let Means { preconditioning, width, tolerance, bytes, goes_on, first_look } = means;
    let mut preconditioner = preconditioning.of(within, budget.watch())?;
    let is_kept = split.count() == 1 && Amplification::memory(pi.len() as u64) <= bytes;
    let task = Task { chain, within, split, pi, tolerance, is_kept, goes_on };
    match width {
        Width::Single => estimate::<f32>(&task, first_look, &mut *preconditioner, budget),
        Width::Double => estimate::<f64>(&task, first_look, &mut *preconditioner, budget),
    }
}

/// An estimate whose error is to be estimated.
struct Task<'t> {
    chain: &'t dyn TriangularSweep,
    /// The chain that is solved for errors within parts.
    within: &'t dyn TriangularSweep,
    split: Split<'t>,
    pi: &'t [f64],
    /// The largest error that is of use.
    tolerance: f64,
    /// Whether errors are kept for the next estimate.
    is_kept: bool,
    /// Whether the answer may still become better.
    goes_on: bool,
}

/// How errors answer to defects.
struct Answer {
    /// How much larger the worst relative error is than the defects, by their mean size.
    ratio: f64,
    /// Which errors are negative.
    are_negative: Vec<bool>,
    /// The errors, if they are kept.
    errors: Option<Vec<f32>>,
}

fn estimate<K: StoredFloat>(
    task: &Task<'_>,
    first_look: Option<FirstLook>,
    preconditioner: &mut dyn Preconditioner,
    budget: &mut Iterations<'_, '_>,
) -> Result<Estimate, Halt> {
    let mut run = Run::<K>::new(task.within);
    let defect = run.start(task.chain, task.pi);
    // An error within parts is one of the rates between them, and there once more.
    let safety = if task.split.count() > 1 { SAFETY * SAFETY } else { SAFETY };
    let FirstLook { ratio, are_negative: signs } = match first_look {
        Some(known) => known,
        None => match look(task, (safety, defect), preconditioner, &mut run, budget)? {
            Look::Enough(estimate) => return Ok(estimate),
            Look::Unsure(first) => first,
        },
    };
    let aligned = |state: usize| if signs[state] { -1.0 } else { 1.0 };
    let Some(answer) = amplify(task, 0.1, &aligned, preconditioner, &mut run, budget)? else {
        return Ok(Estimate::NONE);
    };
    let amplified = worst(&[ratio, answer.ratio]);
    let factor = amplified / answer.ratio;
    let amplified = safety * amplified;
    let keep = |errors| Amplification { signs, are_random: false, errors, factor, amplified };
    Ok(Estimate::new(amplified, defect, answer.errors.map(keep)))
}

/// What a first look leads to.
enum Look {
    /// There is an estimate, or there is none.
    Enough(Estimate),
    /// Other defects may have larger errors, and there is to be a second look.
    Unsure(FirstLook),
}

/// Looks at the errors of random defects, for an answer with this defect.
fn look<K: StoredFloat>(
    task: &Task<'_>,
    (safety, defect): (f64, f64),
    preconditioner: &mut dyn Preconditioner,
    run: &mut Run<K>,
    budget: &mut Iterations<'_, '_>,
) -> Result<Look, Halt> {
    let seen = budget.is_negative.clone();
    let mixed = |state: usize| match seen.get(state) {
        Some(true) => -task.chain.random(state),
        Some(false) => task.chain.random(state),
        None => 2.0 * (task.chain.random(state) - 1.0),
    };
    let Some(answer) = amplify(task, enough(task.pi.len()), &mixed, preconditioner, run, budget)? else {
        return Ok(Look::Enough(Estimate::NONE));
    };
    let Answer { ratio, are_negative, errors } = answer;
    if seen.is_empty() {
        return Ok(Look::Unsure(FirstLook { ratio, are_negative }));
    }
    let are_alike = alike(&seen, &are_negative) >= ALIKE;
    let factor = if are_alike { 1.0 } else { UNALIKE };
    let amplified = safety * factor * ratio;
    let keep = |errors| Amplification { signs: seen, are_random: true, errors, factor, amplified };
    let estimate = Estimate::new(amplified, defect, errors.map(keep));
    let first = FirstLook { ratio, are_negative };
    Ok(match are_alike || estimate.error <= task.tolerance {
        true => Look::Enough(estimate),
        false if task.goes_on && estimate.is_worth_iterations(task.tolerance) => {
            Look::Enough(Estimate { first_look: Some(first), ..estimate })
        }
        false => Look::Unsure(first),
    })
}

/// The share of random defects that may be left for so many states. Over a part that the method has not seen
/// they add up to about one in the root of the states. Below 100 states a hundredth of that may be left, then
/// a thousandth of the defects, and from 90,000 states on three tenths of the sum, so that the part shows.
fn enough(states: usize) -> f64 {
    let sum = 1.0 / (states as f64).sqrt();
    (0.01 * sum).max(1e-3).min(0.3 * sum)
}

/// How many times larger than the errors of random defects those of others may be, where the signs of the
/// errors are not those of the defects.
const UNALIKE: f64 = 10.0;

/// The share of the states in which errors have the signs of their defects, where another look is not asked
/// for.
const ALIKE: f64 = 0.9;

/// The share of the signs that are the same, if all signs of one may be turned.
fn alike(one: &[bool], other: &[bool]) -> f64 {
    let same = one.iter().zip(other).filter(|(one, other)| one == other).count();
    same.max(one.len() - same) as f64 / one.len() as f64
}

/// A factor for safety: the estimate may be slightly too small.
const SAFETY: f64 = 3.0;

/// How much larger the relative errors are than some defects, of which a share may be left.
fn amplify<K: StoredFloat>(
    task: &Task<'_>,
    enough: f64,
    defects: &(dyn Fn(usize) -> f64 + Sync),
    preconditioner: &mut dyn Preconditioner,
    run: &mut Run<K>,
    budget: &mut Iterations<'_, '_>,
) -> Result<Option<Answer>, Halt> {
    let Task { within, split, pi, is_kept, .. } = *task;
    let threads = within.threads();
    let flows = split.sums(&run.flows, threads);
    in_parts(threads, &mut run.work, |first, given| {
        (first..).zip(given).for_each(|(state, defect)| *defect = defects(state));
    });
    let nets = split.sums_of_products(&run.flows, &run.work, threads);
    let of_parts = in_parts(threads, &mut run.residual, |first, residual| {
        for ((state, defect), residual) in (first..).zip(&run.work[first..]).zip(&mut *residual) {
            let part = split.part(state);
            *residual = K::of(defect - nets[part] / flows[part]);
        }
        vector::worst(residual)
    });
    let defect = vector::worst(&of_parts);
    let size = mean_size(&run.residual, threads);
    let left = run.solve(within, preconditioner, enough * defect, budget)?;
    if left.is_nan() || left > enough * defect {
        return Ok(None);
    }
    let errors = run.correction(within, preconditioner);
    let (all, masses) = (split.sums(errors, threads), split.sums(pi, threads));
    let of_parts = in_parts(threads, errors, |first, errors| {
        for ((state, value), error) in (first..).zip(&pi[first..]).zip(&mut *errors) {
            let part = split.part(state);
            *error = if *value > 0.0 { *error / value - all[part] / masses[part] } else { 0.0 };
        }
        vector::worst(errors)
    });
    Ok(Some(Answer {
        ratio: vector::worst(&of_parts) / size,
        are_negative: errors.iter().map(|error| *error < 0.0).collect(),
        errors: is_kept.then(|| errors.iter().map(|error| *error as f32).collect()),
    }))
}

/// The mean size of defects. Errors add up over many states; so would those of defects all of which are as
/// large as the largest.
fn mean_size<K: StoredFloat>(defects: &[K], threads: usize) -> f64 {
    let [sum] = sums(threads, defects.len(), |block| [sum_of(&defects[block], f64::abs)]);
    sum / defects.len() as f64
}

/// The share of former defects that may be left.
const LEFT: f64 = 0.1;

/// The bytes of an estimate by former defects.
pub(crate) fn memory_again(states: u64, width: Width) -> u64 {
    3 * 8 * states + bicgstab::memory(states, width) + Amplification::memory(states)
}

/// The same by the defects of a former estimate, for an estimate with this defect of a chain in one part,
/// whose rates are nearly the same. `None` if errors can't be compared with the former ones.
pub(crate) fn again(
    chain: &dyn TriangularSweep,
    (pi, defect): (&[f64], f64),
    former: &Amplification,
    width: Width,
    budget: &mut Iterations<'_, '_>,
) -> Result<Option<Estimate>, Halt> {
    if former.errors.len() != pi.len() {
        return Ok(None);
    }
    let mut amplified = former.with_rates_of(chain, pi);
    if amplified.left.is_nan() {
        return Ok(None);
    }
    if amplified.left > LEFT * amplified.largest {
        let mut preconditioner = Preconditioning::Forward.of(chain, budget.watch())?;
        let is_solved = match width {
            Width::Single => amplified.solve::<f32>(chain, pi, &mut *preconditioner, budget)?,
            Width::Double => amplified.solve::<f64>(chain, pi, &mut *preconditioner, budget)?,
        };
        if !is_solved {
            return Ok(None);
        }
    }
    let ratio = amplified.ratio(pi) / (1.0 - LEFT);
    let errors = amplified.errors.iter().map(|error| *error as f32).collect();
    let Amplification { signs, are_random, factor, .. } = former;
    let amplified = SAFETY * factor * ratio;
    let amplification =
        Amplification { signs: signs.clone(), are_random: *are_random, errors, factor: *factor, amplified };
    Ok(Some(Estimate::new(amplified, defect, Some(amplification))))
}

/// Former errors with new rates.
struct Amplified {
    /// The relative errors.
    errors: Vec<f64>,
    /// The defects that they leave, the worst of them, and the largest of those that there were.
    defects: Vec<f64>,
    left: f64,
    largest: f64,
    /// The mean size of those that there were.
    size: f64,
}

impl Amplification {
    /// What the errors leave of the defects with the rates of a chain.
    fn with_rates_of(&self, chain: &dyn TriangularSweep, pi: &[f64]) -> Amplified {
        let flow = |state: usize| pi[state].max(NEGLIGIBLE) * chain.exits()[state];
        let errors: Vec<f64> = self.errors.iter().map(|&error| f64::from(error)).collect();
        let mut defects = vec![0.0; pi.len()];
        let moved: Vec<f64> = errors.iter().zip(pi).map(|(error, value)| error * value).collect();
        chain.inflow(&moved, &mut defects);
        let (mut flows, mut nets) = (0.0, 0.0);
        for state in 0..pi.len() {
            flows += flow(state);
            nets += flow(state) * self.defect(chain, state);
        }
        let mean = nets / flows;
        let (mut largest, mut sizes) = (0.0_f64, 0.0);
        for (state, defect) in defects.iter_mut().enumerate() {
            let balanced = self.defect(chain, state) - mean;
            largest = largest.max(balanced.abs());
            sizes += balanced.abs();
            *defect = balanced + (*defect - chain.exits()[state] * moved[state]) / flow(state);
        }
        let left = worst(&defects);
        let size = sizes / pi.len() as f64;
        Amplified { errors, defects, left, largest, size }
    }
}

impl Amplified {
    /// Solves for what is left of the defects; whether that succeeds.
    fn solve<K: StoredFloat>(
        &mut self,
        chain: &dyn TriangularSweep,
        pi: &[f64],
        preconditioner: &mut dyn Preconditioner,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<bool, Halt> {
        let mut run = Run::<K>::new(chain);
        krylov::flows(chain, pi, &mut run.flows);
        run.residual.iter_mut().zip(&self.defects).for_each(|(residual, defect)| *residual = K::of(*defect));
        let left = run.solve(chain, preconditioner, LEFT * self.largest, budget)?;
        let corrections = run.correction(chain, preconditioner);
        for ((error, correction), value) in self.errors.iter_mut().zip(&*corrections).zip(pi) {
            *error += if *value > 0.0 { correction / value } else { 0.0 };
        }
        Ok(left <= LEFT * self.largest)
    }

    /// How much larger the errors are than the defects.
    fn ratio(&mut self, pi: &[f64]) -> f64 {
        let mean: f64 = self.errors.iter().zip(pi).map(|(error, value)| error * value).sum();
        self.errors.iter_mut().for_each(|error| *error -= mean);
        worst(&self.errors) / self.size
    }
}

#[cfg(test)]
mod tests {
    use super::{Estimate, Means, UNALIKE};
    use crate::limits::memory::MemoryBudget;
    use crate::limits::{Limits, Watch};
    use crate::linear::bicgstab::tests::queue;
    use crate::linear::iteration::Iterations;
    use crate::linear::krylov::{Preconditioning, Width};
    use crate::operator::{RateOperator, TriangularSweep};
    use crate::steady::decomposition::Decomposition;

    /// Errors whose signs are not those of their defects: a second look waits as long as a better answer may
    /// make it needless, and then goes on from what the first one showed.
    #[test]
    fn a_second_look_waits() {
        let limits = Limits::default();
        let (mut watch, budget) = (Watch::start(&limits), MemoryBudget::new(&limits));
        let chain = queue(&mut watch, budget);
        let decomposition = Decomposition::find(&chain, u64::MAX, &mut watch).unwrap_or_else(|_| panic!());
        let mut pi: Vec<f64> =
            (0..50).map(|state| 1.5_f64.powi(-state) * (1.0 + 1e-12 * f64::from(state % 3))).collect();
        chain.make_positive(&mut pi);
        let defect = chain.balance(&pi).defect;
        let mut iterations = Iterations::new(&mut watch, 1000);
        // As if the last correction had had other signs in every second state.
        let corrections: Vec<f64> = (0..50).map(|state| if state % 2 == 0 { 1.0 } else { -1.0 }).collect();
        iterations.remember(1.0, (&corrections, &pi), 1);
        let mut estimate = |tolerance, goes_on, first_look| {
            let (preconditioning, width) = (Preconditioning::Forward, Width::Double);
            let means = Means { preconditioning, width, tolerance, bytes: 0, goes_on, first_look };
            super::error((&chain, &chain), decomposition.split(), &pi, means, &mut iterations)
                .unwrap_or_else(|_| panic!("a limit"))
        };
        let enough = estimate(1.0, false, None);
        assert!(enough.first_look.is_none() && enough.error < 1e-9, "{}", enough.error);
        // Below what is stated, and above what a better answer would have.
        let tolerance = 0.9 * enough.error;
        let Estimate { error, first_look, .. } = estimate(tolerance, true, None);
        assert!(error == enough.error && first_look.is_some());
        let second = [estimate(tolerance, true, first_look), estimate(tolerance, false, None)];
        assert_eq!(second[0].error, second[1].error, "{defect}");
        assert!(second[0].first_look.is_none());
        assert!(second[0].error < enough.error && UNALIKE * second[0].error > 0.99 * enough.error);
    }
}
