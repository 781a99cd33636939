//! Step after step, until what is left is proven to change nothing more.
//!
//! That a step changes little proves nothing: a chain may be near a state that it leaves after hours. What
//! does is a known limit `l`. Let `rho = |l P - l|`. As `P` makes no vector longer,
//! `|v_m - l| <= |v_k - l| + (m - k) rho` for all `m >= k`, whatever `l` is. So `l` may stand for all vectors
//! up to `v_R`, once this is small for `m = R`. The limit is asked for when the vectors hardly change any
//! more, since it is work to find one.
//!
//! Forwards there is a second way to stop. What isn't in a state that is never left can only become less, so
//! once that is little, all later vectors are near.

use super::UNIT;
use super::chain::Uniformised;
use super::flow::Direction;
use crate::error::Error;
use crate::limits::{Progress, Reached, Stopped, Watch};

/// Steps between two looks at the distance from the limit.
const BETWEEN_DISTANCES: u64 = 50;

/// A limit is not asked for if fewer steps are left.
const WORTH_A_LIMIT: u64 = 200;

/// A limit is asked for when a step changes less than so much.
const STEADY: f64 = 1e-6;

/// Values of states between two looks at the clock.
const BETWEEN_LOOKS: u64 = 1 << 16;

/// Finds a vector that the powers are thought to come near to, in the order of the states; none where there
/// is no such vector.
pub(crate) type FindLimit<'f> = &'f mut dyn FnMut(&mut Watch<'_>) -> Result<Option<Vec<f64>>, Error>;

/// The limit that takes the place of the vectors of all later steps, and how near it is.
#[derive(Clone, Debug)]
pub(crate) struct Settled {
    /// From which step on.
    pub(crate) at: u64,
    /// How far it was from the vector of that step, in proportion to the norm of the first vector.
    distance: f64,
    /// How much it changes in a step itself, in the same proportion.
    drift: f64,
    /// The vector, in the order of the flow.
    limit: Vec<f64>,
}

impl Settled {
    /// A bound on the distance from the vector of a later step, in proportion to the norm of the first
    /// vector.
    pub(crate) fn distance(&self, step: u64) -> f64 {
        self.distance + step.saturating_sub(self.at) as f64 * self.drift
    }

    /// The vector that stands for the later ones, in the order of the flow.
    pub(crate) fn limit(&self) -> &[f64] {
        &self.limit
    }
}

/// The vectors `v_0`, `v_0 P`, `v_0 P^2` and so on.
pub(crate) struct Powers<'c, 'f> {
    chain: &'c Uniformised<'c>,
    vector: Vec<f64>,
    before: Vec<f64>,
    steps: u64,
    since_look: u64,
    /// The norm of the first vector.
    scale: f64,
    find_limit: Option<FindLimit<'f>>,
    limit: Option<(Vec<f64>, f64)>,
}

impl<'c, 'f> Powers<'c, 'f> {
    /// The bytes that the powers take while they are made: two vectors, the limit, and one while its drift is
    /// found.
    pub(crate) fn memory(states: usize) -> u64 {
        4 * 8 * states as u64
    }

    /// Begins with a vector in the order of the states.
    pub(crate) fn new(
        chain: &'c Uniformised<'c>,
        mut start: Vec<f64>,
        find_limit: Option<FindLimit<'f>>,
    ) -> Powers<'c, 'f> {
        chain.reorder(&mut start);
        let scale = chain.norm(start.iter().map(|value| value.abs()));
        let before = vec![0.0; start.len()];
        Powers { chain, vector: start, before, steps: 0, since_look: 0, scale, find_limit, limit: None }
    }

    /// The chain.
    pub(crate) fn chain(&self) -> &'c Uniformised<'c> {
        self.chain
    }

    /// Goes on with steps at another rate of the chain, which is not less than the last.
    pub(crate) fn go_on_with(&mut self, chain: &'c Uniformised<'c>) {
        self.chain = chain;
    }

    /// The vector by now, in the order of the flow.
    pub(crate) fn vector(&self) -> &[f64] {
        &self.vector
    }

    /// The number of steps so far.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// The norm of the first vector, to which errors are in proportion.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Takes a step. `of` is the number of steps that there will be, for reports of progress.
    pub(crate) fn advance(&mut self, of: u64, watch: &mut Watch<'_>) -> Result<(), Stopped> {
        std::mem::swap(&mut self.vector, &mut self.before);
        self.chain.step(&self.before, &mut self.vector);
        self.steps += 1;
        self.since_look += self.vector.len() as u64 + 64;
        if self.since_look >= BETWEEN_LOOKS {
            self.since_look = 0;
            self.look(of, watch)?;
        }
        Ok(())
    }

    /// Looks at the limits of time. A product that was stopped is known only then, so an answer comes after a
    /// look.
    pub(crate) fn look(&self, of: u64, watch: &mut Watch<'_>) -> Result<(), Stopped> {
        let steps = self.steps;
        watch
            .check(|| Progress::Stepping { steps, of })
            .map_err(|limit| Stopped { limit, reached: Reached::Stepping { steps, of } })
    }

    /// What may stand for all vectors from this one to that of the step `last`, with an error below
    /// `tolerance`, if that is known.
    pub(crate) fn settled(
        &mut self,
        last: u64,
        tolerance: f64,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Settled>, Error> {
        if !self.steps.is_multiple_of(BETWEEN_DISTANCES) || self.steps == 0 || self.steps >= last {
            return Ok(None);
        }
        if let Some(settled) = self.ended(tolerance) {
            return Ok(Some(settled));
        }
        if self.limit.is_none() {
            self.ask_for_limit(last, watch)?;
        }
        let Some((limit, drift)) = &self.limit else { return Ok(None) };
        if (last - self.steps) as f64 * drift > tolerance {
            return Ok(None);
        }
        let distance = self.relative(self.chain.distance(&self.vector, limit));
        if distance + (last - self.steps) as f64 * drift > tolerance {
            return Ok(None);
        }
        let (limit, drift) = self.limit.take().unwrap_or_default();
        Ok(Some(Settled { at: self.steps, distance, drift, limit }))
    }

    /// A distance in proportion to the norm of the first vector, as all errors and tolerances are. A vector
    /// of norm zero stays so.
    fn relative(&self, distance: f64) -> f64 {
        let distance = distance * (1.0 + 1e-9);
        if self.scale == 0.0 { distance } else { distance / self.scale }
    }

    /// Stops where nearly all of a distribution is in states that are never left.
    fn ended(&self, tolerance: f64) -> Option<Settled> {
        if !self.chain.has_ends() || self.chain.direction() == Direction::Backwards {
            return None;
        }
        let states = self.vector.iter().zip(self.chain.exits());
        let left = self.chain.norm(states.map(|(value, &exit)| if exit > 0.0 { value.abs() } else { 0.0 }));
        let distance = self.relative(2.0 * left);
        (distance <= tolerance).then(|| Settled {
            at: self.steps,
            distance,
            drift: 0.0,
            limit: self.vector.clone(),
        })
    }

    /// By how much a step at the rate of the chain may make a limit longer: only in states that are faster.
    /// Vectors have nothing there as long as steps are that slow.
    fn growth(&self, limit: &[f64]) -> f64 {
        let rate = self.chain.rate();
        let states = limit.iter().zip(self.chain.exits());
        self.chain.norm(states.map(|(value, &exit)| value.abs() * f64::max(0.0, exit / rate - 1.0)))
            * (1.0 + 1e-9)
    }

    /// Asks for the limit once, if it may be near and is worth its work. How much it changes in a step is
    /// found with the rounding of that.
    fn ask_for_limit(&mut self, last: u64, watch: &mut Watch<'_>) -> Result<(), Error> {
        if last - self.steps < WORTH_A_LIMIT
            || self.chain.distance(&self.vector, &self.before) > STEADY * self.scale
        {
            return Ok(());
        }
        let Some(find) = self.find_limit.take() else { return Ok(()) };
        let Some(mut limit) = find(watch)? else { return Ok(()) };
        self.chain.reorder(&mut limit);
        let mut next = vec![0.0; limit.len()];
        self.chain.step(&limit, &mut next);
        self.look(last, watch)?;
        let norm = self.chain.norm(limit.iter().map(|value| value.abs()));
        let rounded = self.chain.step_error() + UNIT * (limit.len() as f64 / 512.0 + 512.0);
        let drift = self.chain.distance(&next, &limit);
        let drift = drift * (1.0 + rounded) + norm * self.chain.step_error() + self.growth(&limit);
        self.limit = Some((limit, self.relative(drift)));
        Ok(())
    }
}
