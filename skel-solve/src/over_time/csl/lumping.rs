//! Whether a property tells apart components that lumping exchanges.

use skel_core::csl::formula::{Condition, Number, Path, Quantity, Query, Question, Reward, Until};
use skel_core::model::LocalStateId;

use crate::space::StateSpace;

/// Whether a property tells apart states that were lumped: by a pattern, or by a local state or an action of one of several
/// components that are exchanged. Such a property is asked of a space without lumping.
///
/// # Examples
/// ```
/// use skel::csl::{parse, resolve, tells_apart};
/// use skel::prelude::*;
/// let model = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P || P")?;
/// let space = model.explorer().lumped().explore()?;
/// let query = |text: &str| resolve(parse(text).entries[0].property.as_ref().unwrap(), &model).unwrap();
/// assert!(!tells_apart(&query("S=? [ Q = 2 ]"), &space));
/// assert!(tells_apart(&query("S=? [ {Q || **} ]"), &space));
/// # Ok::<(), skel::Error>(())
/// ```
#[must_use]
#[cfg_attr(debug_assertions, inline)]
pub fn tells_apart<M: ?Sized>(query: &Query, space: &StateSpace<M>) -> bool {
    if space.lumping().is_none() {
        return false;
    }
    let space = Lumped(&space.untyped());
    let of_filter = query.filter.as_ref().and_then(|filter| filter.states.as_ref());
    of_filter.is_some_and(|states| space.condition(states))
        || match &query.question {
            Question::Condition(condition) => space.condition(condition),
            Question::Number(number) => space.number(number),
            Question::Quantity(quantity) => space.quantity(quantity),
        }
}

/// A lumped space, and whether something tells its states apart.
struct Lumped<'s>(&'s StateSpace);

impl Lumped<'_> {
    fn condition(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Truth(_) | Condition::Initial | Condition::Deadlock => false,
            Condition::Pattern(pattern) => self.pattern(pattern),
            Condition::Compare(left, _, right) => self.number(left) || self.number(right),
            Condition::Not(inner) => self.condition(inner),
            Condition::And(parts) | Condition::Or(parts) => parts.iter().any(|part| self.condition(part)),
            Condition::Bounded(quantity, ..) => self.quantity(quantity),
        }
    }

    fn pattern(&self, pattern: &[Option<LocalStateId>]) -> bool {
        let mut positions = pattern.iter().enumerate().filter(|(_, state)| state.is_some());
        positions.any(|(at, _)| self.0.equivalent_positions(at).len() > 1)
    }

    fn number(&self, number: &Number) -> bool {
        let mut tells_apart = false;
        number.for_each_population(&mut |state| tells_apart |= self.population(state));
        tells_apart
    }

    fn population(&self, state: LocalStateId) -> bool {
        (0..self.0.model().positions()).any(|position| {
            let own = self.0.local_number(position, state);
            let others = self.0.equivalent_positions(position);
            others.iter().any(|&other| self.0.local_number(other as usize, state) != own)
        })
    }

    fn quantity(&self, quantity: &Quantity) -> bool {
        match quantity {
            Quantity::Probability(Path::Next(then) | Path::Finally(_, then) | Path::Globally(_, then))
            | Quantity::LongRun(then) => self.condition(then),
            Quantity::Probability(Path::Binary(first, _, _, second)) => {
                self.condition(first) || self.condition(second)
            }
            Quantity::Reward(reward, until) => {
                let of_goals = matches!(until, Until::Reach(goals) if self.condition(goals));
                of_goals || self.reward(reward)
            }
        }
    }

    fn reward(&self, reward: &Reward) -> bool {
        match reward {
            Reward::Time => false,
            Reward::Population(state) => self.population(*state),
            Reward::Result(line) => self.pattern(&self.0.model().results()[*line].pattern),
            Reward::Action(action) => {
                self.0.lumping().is_some_and(|lumping| lumping.equivalent_actions(*action) > 1)
            }
        }
    }
}
