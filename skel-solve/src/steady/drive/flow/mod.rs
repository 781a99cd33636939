//! Chains in which probability flows in a direction: most transitions are unlikely, as where queues are
//! nearly always full, customers are few, or machines fail seldom.
//!
//! In the [order of the flow](crate::order), a sweep of Gauss-Seidel carries what flows onward all the way.
//! Often some sweeps then do what takes a Krylov method dozens of iterations in another order, and it has
//! only the last digits left to find. Where the sweeps leave states whose probabilities are far from right,
//! these are too rare for relative defects, and sums are solved for. Where no state is far from its balance,
//! but sweeps are slow, as for transfer lines, incomplete factors take their place, or, where the chain falls
//! into [blocks](crate::linear::blocks) between which all rates are small, elimination within these. And where
//! the sweeps stall, the probability is first brought [roughly](rough) to where it belongs, and a method with
//! incomplete factors goes on from there.

mod ordered;
mod rough;

use super::arrangement::Arrangement;
use super::likely::{RARE, count_likely};
use super::sums::{Beginning, Sums};
use super::sweeps::{FAR, STALLED, SWEEPS, left, sweep_some};
use super::{Answer, LEAST_FOR_SUMS, Outcome, Problem, Tried, Turns};
use crate::error::{Error, Reached, Stopped};
use crate::limits::Watch;
use crate::limits::memory::MemoryBudget;
use crate::linear::elimination::worth;
use crate::linear::iteration::{Halt, Iterations, IterativeMethod, SMALL};
use crate::linear::multilevel;
use crate::operator::TriangularSweep;
use crate::order::Direction;
use ordered::{Flow, Ordered};
use rough::{cycle, solve_roughly};

/// From this share of unlikely transitions on, probability flows in a direction. Closed networks have none,
/// tandem queues and clusters more than half.
const DIRECTED: f64 = 0.25;

/// Up to this probability that leads back, the states are in the order of the flow. It is below 0.03 for
/// tandem queues, and above 0.25 for polling, clusters and systems that fail.
const FOLLOWED: f64 = 0.1;

/// The most sweeps.
const MOST_SWEEPS: usize = 30;

/// The most iterations from where slow sweeps have brought all states near their balance. A transfer line
/// with two buffers of 90 places takes 351.
const MOST_FROM_CLOSE: u64 = 500;

/// Sweeps are slow if [`SWEEPS`] leave more than this share of the total defect. Of polling systems they
/// leave a twentieth, of transfer lines a half or more.
const SLOW: f64 = 0.25;

/// The largest defect of a state that sweeps have brought close to its probability.
const CLOSE: f64 = 0.2;

/// Up to this total defect, only rounding is left. If the largest defect of a state is then still more than
/// this share of what it was a few sweeps before, further sweeps do not bring that rare state to its balance.
const ROUNDING: f64 = 1e-15;
const RARE_STAY: f64 = 0.99;

/// Where probability flows in a direction, as through queues, elimination is likely to take so many times
/// less time than in the order that states have.
const ELIMINATED_BETTER: u64 = 4;

/// Where no more than this share of the states is likely, equations for them alone take less time than
/// elimination. A chain of two parts drawn at random has 0.08, and is solved in a fifth of the time that
/// elimination takes.
const FEW_LIKELY: f64 = 0.25;

/// The direction, if probability flows in one.
pub(super) fn is_directed(direction: &Direction) -> bool {
    direction.unlikely >= DIRECTED
}

/// Whether the order that states have is that of the flow.
pub(super) fn is_followed(direction: &Direction) -> bool {
    direction.back <= FOLLOWED
}

/// A chain in the order of its flow, and an estimate.
struct Swept {
    arrangement: Arrangement,
    pi: Vec<f64>,
    reach: Reach,
    /// Whether it was aggregated by component.
    is_aggregated: bool,
}

impl Problem<'_> {
    /// Solves a chain in the order of its flow, for all probabilities or for sums. `None` if there is no room
    /// for another order, or if that is of no use, and no method was tried.
    pub(super) fn along_flow(
        &self,
        direction: &Direction,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Outcome>, Error> {
        let mut flow = self.swept(direction, task, watch).map_err(|halt| self.preparing(halt))?;
        if let Flow::FewAreLikely = flow {
            if let Some(answer) = self.sums_by_truncation(task, watch)? {
                return Ok(Some(Outcome::Answer(answer)));
            }
            task.had_truncation = true;
            flow = self.swept(direction, task, watch).map_err(|halt| self.preparing(halt))?;
        }
        let Flow::Found(Swept { arrangement, mut pi, reach, is_aggregated }) = flow else { return Ok(None) };
        let mut outcome = Outcome::Failed;
        let is_slow = matches!(reach, Reach::CloseSlowly);
        if is_slow && let Some(answer) = self.in_blocks_if_slow((&arrangement, &mut pi), task, watch)? {
            return Ok(Some(Outcome::Answer(answer)));
        }
        if is_slow || matches!(reach, Reach::Close) {
            let method = arrangement.method(task.width);
            // Where sweeps were slow, defects fall late, but with all states near their balance the method
            // gets there.
            let (most, probe) = match is_slow {
                true => (self.most_before_elimination().min(MOST_FROM_CLOSE), None),
                false => (task.most, task.probe),
            };
            let mut turn = Turns { most, probe, is_swept: true, pi: task.pi, tried: task.tried, ..*task };
            outcome = match self.in_order((&arrangement, method), &mut pi, &mut turn, watch)? {
                Outcome::Answer(answer) => {
                    return Ok(Some(Outcome::Answer(arrangement.answer_by_state(answer))));
                }
                // In another order there would be no other error.
                Outcome::Uncertain => Outcome::Uncertain,
                Outcome::Failed | Outcome::Slow => Outcome::Failed,
            };
        }
        if self.is_eliminated_before_sums(direction, &pi) || is_slow && self.trial.is_some() {
            return Ok(Some(Outcome::Slow));
        }
        let worth = self.trial.map_or(task.most, |trial| trial / ELIMINATED_BETTER);
        let most = worth.max(LEAST_FOR_SUMS).min(self.limits.iterations);
        let estimate = arrangement.by_state(pi.clone());
        let arrangement = Box::new(arrangement);
        let beginning = Beginning::Arranged { pi, arrangement, knows_rare_states: is_aggregated };
        let sums = self.with_sums_instead(most, beginning, task.tried, watch)?;
        let answer = match sums.answer() {
            None => self.sums_in_blocks(Some(&estimate), task, watch)?,
            answer => answer,
        };
        Ok(Some(answer.map_or(outcome, Outcome::Answer)))
    }

    /// The answer for a chain that falls into blocks: by incomplete factors if these are quick, as they are
    /// where each block is hardly more than a line, and otherwise with the blocks eliminated. `None` for other
    /// chains.
    fn in_blocks_if_slow(
        &self,
        (arrangement, pi): (&Arrangement, &mut Vec<f64>),
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Answer>, Error> {
        let blocks = self.blocks(arrangement.chain(self.chain), watch);
        if blocks.map_err(|halt| self.preparing(halt))?.is_none() {
            return Ok(None);
        }
        let (most, probe) = (self.most_before_elimination(), Some(SMALL));
        let mut turn =
            Turns { most, probe, is_swept: true, pi: task.pi, tried: &mut Tried::default(), ..*task };
        let by_factors = (arrangement, arrangement.method(task.width));
        if let Outcome::Answer(answer) = self.in_order(by_factors, pi, &mut turn, watch)? {
            return Ok(Some(arrangement.answer_by_state(answer)));
        }
        let estimate = arrangement.by_state(pi.clone());
        self.sums_in_blocks(Some(&estimate), task, watch)
    }

    /// Solves for sums, after an aggregation by component or cycles of multilevel aggregation, where no
    /// direction was found and other methods are slow all the same: as in a queue of hundreds whose states
    /// are nearly all rare.
    pub(super) fn after_aggregation(
        &self,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Sums, Error> {
        let (states, rates) = (self.chain.states() as u64, self.chain.rates());
        let memory = self.budget.beside(task.decomposition.memory() + 4 * 8 * states);
        if memory.check(multilevel::memory(states, rates)).is_err() {
            return Ok(Sums::Unsolved);
        }
        let mut pi = self.chain.start();
        let is_by_component = self.aggregate(&mut pi, memory, task, watch);
        let is_by_component = is_by_component.map_err(|halt| self.preparing(halt))?;
        let arrangement = Box::new(self.with_factors(watch)?);
        let pi = arrangement.arranged(&pi);
        let most = task.most.max(LEAST_FOR_SUMS).min(self.limits.iterations);
        let beginning = Beginning::Arranged { pi, arrangement, knows_rare_states: is_by_component };
        self.with_sums_instead(most, beginning, task.tried, watch)
    }

    /// An aggregation of the usual start by component, or cycles over it where that is of no use; whether it
    /// was the former.
    fn aggregate(
        &self,
        pi: &mut Vec<f64>,
        memory: MemoryBudget,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Halt> {
        let mut budget = Iterations::new(watch, task.most);
        if !std::mem::replace(&mut task.had_components, true) {
            let start = pi.clone();
            sweep_some(self.chain, pi, &mut || budget.look())?;
            if let Some(found) = self.aggregated((self.chain, None), (pi, memory), &mut budget)? {
                *pi = found;
                return Ok(true);
            }
            *pi = start;
        }
        cycle(self.chain, pi, memory, &mut budget)?;
        self.chain.make_positive(pi);
        Ok(false)
    }

    /// The error of a preparation that was stopped.
    pub(super) fn preparing(&self, halt: Halt) -> Error {
        let limit = if let Halt::Limit(limit) = halt { limit } else { self.budget.limit() };
        Error::Stopped(Stopped { limit, reached: Reached::Preparing })
    }

    /// Tries a method on the arranged chain. If there is no answer, the estimate is as it was before.
    pub(super) fn in_order(
        &self,
        by: (&Arrangement, Box<dyn IterativeMethod>),
        pi: &mut Vec<f64>,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        let before = pi.clone();
        let outcome = self.improve_in_order(by, pi, task, watch)?;
        if !matches!(outcome, Outcome::Answer(_)) {
            *pi = before;
        }
        Ok(outcome)
    }

    /// Tries a method on the arranged chain.
    pub(super) fn improve_in_order(
        &self,
        (arrangement, method): (&Arrangement, Box<dyn IterativeMethod>),
        pi: &mut Vec<f64>,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, Error> {
        let arranged = arrangement.order().map(|order| task.decomposition.arranged(order));
        let decomposition = arranged.as_ref().unwrap_or(task.decomposition);
        let problem = self.in_arrangement(arrangement, None, decomposition.memory() + 8 * pi.len() as u64);
        let tried = &mut *task.tried;
        let mut task = Turns { decomposition, pi, tried, ..*task };
        problem.by_method(&*method, &mut task, watch)
    }

    /// Whether elimination takes less time than all that is tried where sweeps along the flow do not bring
    /// every state near its balance: not where few states are likely by an estimate.
    fn is_eliminated_before_sums(&self, direction: &Direction, pi: &[f64]) -> bool {
        let is_cheap = self.trial.is_some_and(|worth| worth < worth::QUICK_FAR);
        is_cheap && !is_followed(direction) && count_likely(pi, RARE) as f64 > FEW_LIKELY * pi.len() as f64
    }

    /// The chain in the order of its flow, and what sweeps and cycles make of the usual start. It is of no use
    /// if there is no room for the order, or if sweeps in it stall though no probability is on its way.
    fn swept(
        &self,
        direction: &Direction,
        task: &mut Turns<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<Flow<Swept>, Halt> {
        let budget = &mut Iterations::new(watch, task.most);
        let states = self.chain.states() as u64;
        let mut pi = self.chain.start();
        let ordered = match is_followed(direction) {
            true => Ordered { arrangement: self.with_factors(budget.watch())?, goes_back_and_forth: false },
            false => match self.own_or_by_flow(&mut pi, task.had_truncation, budget)? {
                Flow::Found(ordered) => ordered,
                Flow::FewAreLikely => return Ok(Flow::FewAreLikely),
                Flow::OfNoUse => return Ok(Flow::OfNoUse),
            },
        };
        let Ordered { arrangement, goes_back_and_forth } = ordered;
        let chain = arrangement.chain(self.chain);
        let mut pi = arrangement.arranged(&pi);
        let reach = sweep(chain, &mut pi, budget)?;
        if goes_back_and_forth && matches!(reach, Reach::Stalled) {
            return Ok(Flow::OfNoUse);
        }
        let memory = self.budget.beside(arrangement.memory() + 4 * 8 * states);
        let aggregated = match reach {
            // Where the order of the states is that of the flow, sweeps find soon which few states are likely.
            Reach::Stalled
                if !is_followed(direction) && !std::mem::replace(&mut task.had_components, true) =>
            {
                let order = arrangement.order().map(|order| &**order);
                self.aggregated((chain, order), (&pi, memory), budget)?
            }
            _ => None,
        };
        let is_aggregated = aggregated.is_some();
        pi = aggregated.unwrap_or(pi);
        let is_on_its_way = is_aggregated
            || !matches!(reach, Reach::Stalled)
            || solve_roughly(chain, &mut pi, memory, budget)?;
        if !is_on_its_way && !self.is_eliminated_before_sums(direction, &pi) {
            return Ok(Flow::OfNoUse);
        }
        chain.make_positive(&mut pi);
        // With sweeps alone as preconditioner, a Krylov method would be slow, too.
        let are_slow = matches!(reach, Reach::CloseSlowly | Reach::Stalled);
        let arrangement = if are_slow { arrangement.with_dilu() } else { arrangement };
        Ok(Flow::Found(Swept { arrangement, pi, reach, is_aggregated }))
    }
}

/// What sweeps have reached.
enum Reach {
    /// Every state is near its balance.
    Close,
    /// The same, but the last sweeps were slow.
    CloseSlowly,
    /// Sweeps hardly reduce a total defect that is still large.
    Stalled,
    /// Some states are far from their balance, and they are rare or come closer to it.
    Partly,
}

/// Sweeps until no state is far from its balance, sweeps stall, or there were enough.
fn sweep(
    chain: &dyn TriangularSweep,
    pi: &mut [f64],
    budget: &mut Iterations<'_, '_>,
) -> Result<Reach, Halt> {
    let [mut before, mut last, mut worst] = [f64::INFINITY; 3];
    for _ in (0..MOST_SWEEPS).step_by(SWEEPS) {
        sweep_some(chain, pi, &mut || budget.look())?;
        let (left, defect) = left(chain, pi);
        if defect <= CLOSE && last.is_finite() {
            let are_slow = left > ROUNDING && left > SLOW * last;
            return Ok(if are_slow { Reach::CloseSlowly } else { Reach::Close });
        }
        // Where nothing is left but rounding, rare states may still come closer to their balance.
        let is_done = left <= ROUNDING && defect > RARE_STAY * worst;
        if is_done || left > STALLED * before {
            return Ok(if left > FAR { Reach::Stalled } else { Reach::Partly });
        }
        (before, last, worst) = (last, left, defect);
    }
    Ok(Reach::Partly)
}
