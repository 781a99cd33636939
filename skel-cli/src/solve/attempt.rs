//! From a model to an answer, lumped where that changes nothing that is printed.
//!
//! Equal parts that may change places are lumped while the model is explored ([`skel::space::Lumping`]):
//! throughputs and utilisations stay what they are. What lumping would change is left as it is:
//! - a result line that tells apart equal parts is asked of a space without lumping;
//! - recurrent classes that differ only in an exchange of equal parts would be counted as one, so a chain
//!   that is not known to have one class without lumping, too, is explored again without it;
//! - so is a model with an ill-defined state, whose message has a way there.

use skel::chain::{Classification, classify};
use skel::limits::Limit;
use skel::model::Model;
use skel::number::Number;
use skel::space;
use skel::{Error, Explore, Limits, StateSpace, SteadyState};

use super::answer::{Answer, Chain};
use super::keep::Kept;
use super::options::chosen;
use super::states::States;
use crate::arguments::SolveArguments;

/// What there is to do.
pub(super) struct Task<'t> {
    pub(super) model: &'t Model,
    pub(super) arguments: &'t SolveArguments,
    pub(super) kept: Kept<'t>,
    pub(super) limits: &'t Limits,
}

/// What became of it.
pub(super) struct Outcome {
    pub(super) chain: Chain,
    pub(super) answer: Result<Answer, Error>,
    /// Whether classes that differ only in an exchange of equal parts were counted as one.
    pub(super) is_up_to_exchange: bool,
}

impl Task<'_> {
    /// Explores and solves.
    pub(super) fn run(&self) -> Result<Outcome, Error> {
        if self.arguments.unlumped {
            return self.attempt(false, self.limits);
        }
        match self.attempt(true, self.limits) {
            Err(error @ Error::NotWellDefined(_)) => self.unlumped_if_small().unwrap_or(Err(error)),
            Ok(lumped) if !lumped.is_up_to_exchange => Ok(lumped),
            // There are several classes without lumping, too: exploring would only count them.
            Ok(lumped) if matches!(lumped.answer, Err(Error::SeveralRecurrentClasses(_))) => {
                self.unlumped_if_small().unwrap_or(Ok(lumped))
            }
            Ok(_) => self.attempt(false, self.limits),
            Err(error) => Err(error),
        }
    }

    /// What there is without lumping; none where the states are too many for a better message alone.
    fn unlumped_if_small(&self) -> Option<Result<Outcome, Error>> {
        const MOST_COMPONENTS: u64 = 1 << 22;
        let states = MOST_COMPONENTS / self.model.positions().max(1) as u64;
        let limits = Limits { states: self.limits.states.min(states), ..self.limits.clone() };
        match self.attempt(false, &limits) {
            Err(Error::Stopped(stopped)) if stopped.limit != Limit::Cancelled => None,
            outcome => Some(outcome),
        }
    }

    fn attempt(&self, is_lumped: bool, limits: &Limits) -> Result<Outcome, Error> {
        let keeps_results = self.kept.is_empty() || self.kept.has_results();
        let options = space::Options { is_lumped, keeps_results, ..space::Options::default() };
        let space = self.model.explorer().options(&options).limits(limits).explore()?;
        if !self.kept.is_empty() {
            return Ok(self.solve_quotient(&space));
        }
        match self.solve(&space) {
            Ok(outcome) => Ok(outcome),
            // To classify may take as long as what was stopped, or more memory.
            Err(error @ Error::Stopped(_)) => {
                Ok(Outcome { chain: Chain::of_space(&space), answer: Err(error), is_up_to_exchange: false })
            }
            Err(error) => Ok(outcome(&space, &classify(&space), Err(error))),
        }
    }

    fn solve_quotient(&self, space: &StateSpace<Model>) -> Outcome {
        let (quotient, answer) = match self.kept.solve(space, self.arguments, self.limits) {
            Ok((quotient, answer)) => (Some(quotient), Ok(answer)),
            Err(error) => (None, Err(error)),
        };
        let mut outcome = outcome(space, &classify(space), answer);
        outcome.chain.quotient = quotient;
        outcome
    }

    fn solve(&self, space: &StateSpace<Model>) -> Result<Outcome, Error> {
        let limits = self.limits;
        let options = chosen(self.arguments);
        match (self.arguments.exact, self.arguments.long_run) {
            (true, false) => {
                self.of_solution(&space.solver().options(&options).exact().limits(limits).solve()?)
            }
            (true, true) => self.of_solution(&space.solver().long_run().exact().limits(limits).solve()?),
            (false, false) => self.of_solution(&space.solver().options(&options).limits(limits).solve()?),
            (false, true) => {
                self.of_solution(&space.solver().long_run().options(&options).limits(limits).solve()?)
            }
        }
    }

    fn of_solution<N: Number>(&self, solution: &SteadyState<Model, N>) -> Result<Outcome, Error> {
        let states = self.arguments.states.map(|most| States::of(solution, most));
        let answer = Answer { states, ..Answer::of(solution)? };
        Ok(outcome(solution.space(), solution.classification(), Ok(answer)))
    }
}

fn outcome(
    space: &StateSpace<Model>,
    classification: &Classification,
    answer: Result<Answer, Error>,
) -> Outcome {
    let is_lumped = space.lumping().is_some();
    Outcome {
        chain: Chain::of(space, classification),
        // The deadlocks are known by number without lumping.
        is_up_to_exchange: is_lumped
            && !matches!(answer, Err(Error::Deadlock(_)))
            && !classification.is_one_class_unlumped(space),
        answer,
    }
}
