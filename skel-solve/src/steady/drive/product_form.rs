//! Solves by a product form, where there is one.

use super::sweeps::Shape;
use super::{Outcome, Problem, Tried, Turns};
use crate::error::Error;
use crate::limits::Watch;
use crate::linear::MethodUsed;
use crate::linear::iteration::{Halt, Iterations, IterativeMethod};
use crate::linear::krylov::Width;
use crate::operator::TriangularSweep;
use crate::steady::decomposition::Decomposition;
use crate::steady::product_form;

/// The most iterations for the error of products, and for what they leave of the defects.
const MOST: u64 = 400;

/// The sweeps over the usual start, which leave of its errors those that go away slowly.
const SWEEPS: usize = 10;

/// Probabilities that are products. BiCGSTAB improves them where they are not good enough.
struct Products {
    improve: Box<dyn IterativeMethod>,
    /// Whether nothing is known of the errors that defects make.
    is_first: bool,
}

impl IterativeMethod for Products {
    fn method(&self) -> MethodUsed {
        MethodUsed::ProductForm
    }

    fn memory(&self, states: u64, rates: u64) -> u64 {
        self.improve.memory(states, rates)
    }

    fn at_last(&self) -> MethodUsed {
        self.improve.method()
    }

    fn solve(
        &self,
        chain: &dyn TriangularSweep,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt> {
        budget.defect = chain.balance(pi).defect;
        if budget.defect > target {
            return self.improve.solve(chain, pi, target, budget);
        }
        if !self.is_first || !budget.is_negative.is_empty() {
            return Ok(());
        }
        // An estimate of the error begins with the signs of errors that go away slowly: those that sweeps
        // leave.
        let mut left = chain.start();
        for _ in 0..SWEEPS {
            budget.look()?;
            chain.sweep(&mut left, 1.0);
        }
        budget.remember(1.0, (&left, pi), chain.threads());
        Ok(())
    }
}

impl Problem<'_> {
    /// The outcome of a product form, if there is one and its error is known. It is not looked for where a
    /// solution for nearby rates had none.
    pub(super) fn by_product_form(
        &self,
        (decomposition, width): (&Decomposition, Width),
        tried: &mut Tried,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Outcome>, Error> {
        let had_one = self.known().is_some_and(|known| known.method == MethodUsed::ProductForm);
        let may_have_one = had_one || self.given.former.is_none();
        let Some(space) = self.given.asked.filter(|_| may_have_one) else { return Ok(None) };
        let Some(pi) = product_form::find(self.chain, space, self.budget, watch)? else { return Ok(None) };
        let arrangement = self.with_factors(watch)?;
        let mut pi = arrangement.arranged(&pi);
        let amplification = self.known_amplification();
        let method =
            Box::new(Products { improve: arrangement.method(width), is_first: amplification.is_none() });
        let (most, mut unused) = (MOST.min(self.limits.iterations), Vec::new());
        let turn = Turns::new((decomposition, width), most, &mut unused, tried);
        let mut turn = Turns { amplification, ..turn };
        let outcome = self.in_order((&arrangement, method), &mut pi, &mut turn, watch)?;
        match outcome {
            Outcome::Answer(answer) => Ok(Some(Outcome::Answer(arrangement.answer_by_state(answer)))),
            Outcome::Uncertain => {
                let mut pi = arrangement.by_state(pi);
                let most = self.trial.unwrap_or(self.limits.iterations);
                let mut rest = Turns { most, amplification: None, pi: &mut pi, ..turn };
                self.otherwise(outcome, Shape::Other, &mut rest, watch).map(Some)
            }
            Outcome::Failed | Outcome::Slow => Ok(None),
        }
    }
}
