//! What conditions and properties tell apart.

use skel_core::csl::Predicate;
use skel_core::csl::formula::{Condition, Number, Path, Quantity, Query, Question, Reward, Until};
use skel_core::model::{LocalStateId, Model};

use crate::space::ToldApart;

impl ToldApart {
    /// What a condition on states tells apart: components, by a pattern, and local states, by their
    /// populations.
    ///
    /// # Examples
    /// ```
    /// use skel::csl::Predicate;
    /// use skel::prelude::*;
    /// use skel::space::ToldApart;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P[10]")?;
    /// let first_is_back = Predicate::parse("{Q || ** || ** || ** || ** || ** || ** || ** || ** || **}", &model)?;
    /// let told_apart = ToldApart::by_condition(&first_is_back);
    /// let space = model.explorer().lumped().telling_apart(&told_apart).explore()?;
    /// assert_eq!(space.states(), 2 * 10);
    /// assert_eq!(space.holds_in(&first_is_back)?.iter().filter(|holds| **holds).count(), 10);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn by_condition(predicate: &Predicate) -> ToldApart {
        let mut collector = Collector { model: None, told_apart: ToldApart::default() };
        collector.condition(predicate.condition());
        collector.told_apart
    }

    /// What a property tells apart. `model` is that of the property.
    ///
    /// # Examples
    /// ```
    /// use skel::csl::{parse, resolve};
    /// use skel::prelude::*;
    /// use skel::space::ToldApart;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P || P")?;
    /// let space = model.explorer().lumped().explore()?;
    /// let query = |text: &str| resolve(parse(text).entries[0].property.as_ref().unwrap(), &model).unwrap();
    /// assert!(space.keeps(&ToldApart::by_property(&query("S=? [ Q = 2 ]"), &model)));
    /// assert!(!space.keeps(&ToldApart::by_property(&query("S=? [ {Q || **} ]"), &model)));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn by_property(query: &Query, model: &Model) -> ToldApart {
        let mut collector = Collector { model: Some(model), told_apart: ToldApart::default() };
        if let Some(states) = query.filter.as_ref().and_then(|filter| filter.states.as_ref()) {
            collector.condition(states);
        }
        match &query.question {
            Question::Condition(condition) => collector.condition(condition),
            Question::Number(number) => collector.number(number),
            Question::Quantity(quantity) => collector.quantity(quantity),
        }
        collector.told_apart
    }
}

/// Collects what formulas tell apart.
struct Collector<'m> {
    /// The model of rewards; a condition on states has none.
    model: Option<&'m Model>,
    told_apart: ToldApart,
}

impl Collector<'_> {
    fn add(&mut self, more: impl FnOnce(ToldApart) -> ToldApart) {
        self.told_apart = more(std::mem::take(&mut self.told_apart));
    }

    #[cfg_attr(debug_assertions, inline)]
    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Truth(_) | Condition::Initial | Condition::Deadlock => {}
            Condition::Pattern(pattern) => self.pattern(pattern),
            Condition::Compare(left, _, right) => {
                self.number(left);
                self.number(right);
            }
            Condition::Not(inner) => self.condition(inner),
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().for_each(|part| self.condition(part));
            }
            Condition::Bounded(quantity, ..) => self.quantity(quantity),
        }
    }

    fn pattern(&mut self, pattern: &[Option<LocalStateId>]) {
        self.add(|told_apart| told_apart.pattern(pattern));
    }

    fn number(&mut self, number: &Number) {
        number.for_each_population(&mut |state| self.add(|told_apart| told_apart.population(state)));
    }

    #[cfg_attr(debug_assertions, inline)]
    fn quantity(&mut self, quantity: &Quantity) {
        match quantity {
            Quantity::Probability(Path::Next(then) | Path::Finally(_, then) | Path::Globally(_, then))
            | Quantity::LongRun(then) => self.condition(then),
            Quantity::Probability(Path::Binary(first, _, _, second)) => {
                self.condition(first);
                self.condition(second);
            }
            Quantity::Reward(reward, until) => {
                self.reward(reward);
                if let Until::Reach(goals) = until {
                    self.condition(goals);
                }
            }
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn reward(&mut self, reward: &Reward) {
        match reward {
            Reward::Time => {}
            Reward::Population(state) => self.add(|told_apart| told_apart.population(*state)),
            Reward::Action(action) => self.add(|told_apart| told_apart.actions([*action])),
            Reward::Result(line) => {
                if let Some(line) = self.model.and_then(|model| model.results().get(*line)) {
                    self.pattern(&line.pattern);
                }
            }
        }
    }
}
