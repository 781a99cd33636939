//! The bias of a measure's rewards over the recurrent class of a space, and the effect of a change of one
//! rate.

use num_traits::Zero;
use skel_core::model::{ActionId, Model, ParameterId};
use skel_core::number::{Number, ratio};
use skel_core::rate::{ActivityRate, Rate};

use crate::chain::Generator;
use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::linear::MethodUsed;
use crate::linear::elimination::number::Scalar;
use crate::quotient::measure::{Quantity, Reward};
use crate::sensitivity::dual::{Differentiable, Dual};
use crate::sensitivity::slopes::Slopes;
use crate::space::{Labelled, StateSpace};
use crate::steady::bias::{Bias, Rewarded};

/// The recurrent class of a space, and the stationary distribution.
pub(super) struct RecurrentClass<'c, N> {
    space: &'c StateSpace,
    states: &'c [u32],
    /// The probabilities of all states of the space.
    pi: &'c [N],
}

impl<'c, N: Differentiable + Scalar> RecurrentClass<'c, N> {
    pub(super) fn new(space: &'c StateSpace, states: &'c [u32], pi: &'c [N]) -> Self {
        RecurrentClass { space, states, pi }
    }

    pub(super) fn states(&self) -> impl Iterator<Item = usize> {
        self.states.iter().map(|&state| state as usize)
    }

    /// The bias of the rewards, in the order of the states of the class.
    pub(super) fn bias(
        &self,
        reward: &Reward,
        limits: &Limits,
        watch: &mut Watch<'_>,
        solve: impl FnOnce(&Rewarded<'_, N>, &mut Watch<'_>) -> Result<Bias<N>, Error>,
    ) -> Result<Bias<N>, Error> {
        let entries = Generator::<N>::most_entries(self.space, self.states, || watch.prepare())? as u64;
        let numbers = size_of::<N>() as u64;
        let vectors = self.space.states() as u64 * (4 + 5 * numbers);
        let budget = MemoryBudget::new(limits).beside(self.space.memory());
        let budget = budget.take(entries * (4 + numbers) + vectors)?;
        let rewards = self.rewards(reward, watch)?;
        if self.states.len() == 1 {
            let values = vec![N::zero()];
            let mean = rewards[0].clone();
            return Ok(Bias { mean, values, method: MethodUsed::Direct, iterations: 0, residual: 0.0 });
        }
        let mut places = vec![0; self.space.states()];
        for (place, &state) in self.states.iter().enumerate() {
            places[state as usize] = place as u32;
        }
        let pause = || watch.prepare();
        let generator = Generator::restricted(self.space, self.states, &places, pause)?;
        let pi: Vec<N> = self.states().map(|state| self.pi[state].clone()).collect();
        solve(&Rewarded { generator: &generator, pi: &pi, rewards: &rewards, budget }, watch)
    }

    /// The reward of each state of the class.
    fn rewards(&self, reward: &Reward, watch: &mut Watch<'_>) -> Result<Vec<N>, Error> {
        let of_state = |state| {
            let counts = reward.parts.iter().map(|(count, factor)| {
                let number = count.number(self.space, state);
                if number == 0 { N::zero() } else { N::from_ratio(&(factor * ratio(number.into(), 1))) }
            });
            counts.fold(N::zero(), |sum, more| sum + more)
        };
        let mut rewards: Vec<N> = self.states().map(of_state).collect();
        if reward.parts.iter().any(|(count, _)| count.action().is_some()) {
            let impulses = ImpulseRewards::new(reward);
            let mut places = 0..;
            let pause = || Ok(watch.prepare()?);
            self.space.for_each_row_of::<N, Error>(self.states(), pause, |_, row| {
                let reward: &mut N = &mut rewards[places.next().unwrap_or_default()];
                for Labelled { action, rate, .. } in row.iter() {
                    if let Some(impulse) = impulses.of_action(*action) {
                        *reward = reward.clone() + rate.clone() * impulse;
                    }
                }
                Ok(())
            })?;
        }
        Ok(rewards)
    }

    /// The derivatives for an increase and for a decrease of a rate, if the measure has a constant factor.
    pub(super) fn slope(
        &self,
        slopes: &Slopes<'_>,
        by: ParameterId,
        reward: &Reward,
        bias: &[N],
        watch: &mut Watch<'_>,
    ) -> Result<(N, N), Error> {
        let (mut rising, mut falling) = (N::zero(), N::zero());
        let Some(rates) = dual_rates::<N>(self.space.model(), slopes) else { return Ok((rising, falling)) };
        self.refuse_where_lumped(by)?;
        let impulses = ImpulseRewards::new(reward);
        let pause = || watch.prepare();
        self.space.for_each_transition_with_rates(&rates, self.states(), pause, |state, transition| {
            let Labelled { target, action, rate } = transition;
            if rate.rising.is_zero() && rate.falling.is_zero() {
                return;
            }
            let mut gain = bias[*target as usize].clone() - bias[state].clone();
            if let Some(impulse) = impulses.of_action(*action) {
                gain = gain + impulse;
            }
            let gain = self.pi[state].clone() * gain;
            rising = rising.clone() + gain.clone() * rate.rising.clone();
            falling = falling.clone() + gain * rate.falling.clone();
        })?;
        Ok((rising, falling))
    }

    /// Returns an error for a rate that belongs to one of several parts that were lumped.
    fn refuse_where_lumped(&self, by: ParameterId) -> Result<(), Error> {
        let parameter = &self.space.model().parameters()[by.index()];
        // Any other value of the rate shows this, unless the parts happen to be equal again with it.
        let other = parameter.value.clone() * ratio(1_000_004, 1_000_003);
        let is_as_lumped = match self.space.model().with_rates(&[(by, Rate::from(other))]) {
            Ok(changed) => self.space.is_lumped_as(&changed),
            Err(_) => true,
        };
        match is_as_lumped {
            true => Ok(()),
            false => Err(Error::Unknown(format!(
                "the rate `{}` tells apart components that were lumped; explore without lumping for derivatives by it",
                parameter.name
            ))),
        }
    }

    /// The mean of the quantities that a measure counts, without their factors.
    pub(super) fn mean_count(&self, reward: &Reward) -> N {
        let counts = |state: usize| -> u32 {
            reward.parts.iter().map(|(count, _): &(Quantity, _)| count.number(self.space, state)).sum()
        };
        self.states().filter(|&state| counts(state) > 0).fold(N::zero(), |sum, state| {
            sum + self.pi[state].clone() * N::from_ratio(&ratio(counts(state).into(), 1))
        })
    }
}

/// For each action that the measure counts the impulse reward of an activity.
struct ImpulseRewards<N>(Vec<(ActionId, N)>);

impl<N: Number> ImpulseRewards<N> {
    fn new(reward: &Reward) -> Self {
        let parts = reward.parts.iter();
        ImpulseRewards(
            parts.filter_map(|(count, factor)| Some((count.action()?, N::from_ratio(factor)))).collect(),
        )
    }

    fn of_action(&self, action: ActionId) -> Option<N> {
        self.0.iter().find(|(counted, _)| *counted == action).map(|(_, impulse)| impulse.clone())
    }
}

/// The rates of a model as dual numbers; `None` if all their derivatives are zero.
fn dual_rates<N: Number>(model: &Model, slopes: &Slopes<'_>) -> Option<Vec<ActivityRate<Dual<N>>>> {
    let mut depends = false;
    let mut rates = Vec::with_capacity(model.rates().len());
    for entry in model.rates() {
        let slope = slopes.of(entry.expression.magnitude());
        depends |= !slope.is_zero();
        let slope = N::from_ratio(&slope);
        rates.push(entry.value.map(|value| Dual::new(N::from_ratio(value), slope.clone())));
    }
    depends.then_some(rates)
}
