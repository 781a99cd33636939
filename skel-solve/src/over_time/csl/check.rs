//! The question as users ask it: a property, a space, and options.

use skel_core::csl::formula::{Filter, Query, Question};
use skel_core::csl::tree::{FilterKind, Property};
use skel_core::csl::{PropertyOf, parse, resolve};
use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::model::Model;
use skel_core::text::Rejected;

use super::answer::{Answer, Checked, Value, Witness};
use super::chain::Chain;
use super::evaluate::{self, Numbers};
use super::filter::{self, PerState, figure, filtered};
use super::values::{Sets, Values, Wanted};
use super::witness;
use crate::error::Error;
use crate::limits::Limits;
use crate::over_time::states::numbers_of;
use crate::over_time::uniformisation::{MOST_STEPS, TOLERANCE};
use crate::refused::Refused;
use crate::space::StateSpace;

/// When fractions are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fractions {
    /// Never.
    Never,
    /// Where floats do not decide a comparison or keep the tolerance, and the operator has no bound on time.
    #[default]
    WhereNeeded,
    /// Always. A value with a bound on time is no fraction, so it has no answer then; a comparison of such a
    /// value is decided in floats.
    Always,
}

/// A property of the model `M`: a text, or what the macro `csl!` of the facade makes.
pub trait AsProperty<M: ?Sized> {
    /// The property with the names of a model.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    fn query(&self, model: &Model) -> Result<Query, Error>;
}

impl<M: ?Sized> AsProperty<M> for str {
    fn query(&self, model: &Model) -> Result<Query, Error> {
        let reject = |found| Error::Rejected(Rejected::new(found, self.to_owned()));
        let mut parsed = parse(self);
        if !parsed.diagnostics.is_empty() {
            return Err(reject(parsed.diagnostics));
        }
        if parsed.entries.len() != 1 {
            let whole = TextSpan { start: 0, end: self.trim_end().len() };
            let message = format!("expected one property, found {}", parsed.entries.len());
            let finding = Diagnostic::new(Code::Syntax, whole, message);
            return Err(reject(vec![finding.help("ask for each of them alone")]));
        }
        match parsed.entries.remove(0).property {
            Some(property) => resolve(&property, model).map_err(reject),
            None => Err(reject(Vec::new())),
        }
    }
}

impl<M: ?Sized> AsProperty<M> for String {
    fn query(&self, model: &Model) -> Result<Query, Error> {
        AsProperty::<M>::query(self.as_str(), model)
    }
}

impl<M: ?Sized> AsProperty<M> for Property {
    fn query(&self, model: &Model) -> Result<Query, Error> {
        AsProperty::<M>::query(&self.to_string(), model)
    }
}

impl<M: ?Sized> AsProperty<M> for PropertyOf<M> {
    fn query(&self, model: &Model) -> Result<Query, Error> {
        AsProperty::<M>::query(self.text(), model)
    }
}

impl<M: ?Sized> AsProperty<M> for Query {
    /// The query itself, which has to be one of this model.
    fn query(&self, _: &Model) -> Result<Query, Error> {
        Ok(self.clone())
    }
}

impl<M: ?Sized, P: AsProperty<M> + ?Sized> AsProperty<M> for &P {
    fn query(&self, model: &Model) -> Result<Query, Error> {
        (**self).query(model)
    }
}

/// A check that has not begun yet. Set the options that differ, then call [`Checker::check`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Checker<'s, M: ?Sized> {
    space: &'s StateSpace<M>,
    limits: Limits,
    tolerance: f64,
    fractions: Fractions,
    most_steps: u64,
}

impl<M: ?Sized> StateSpace<M> {
    /// Checks a property: the probability of what runs do, a reward, or whether one of them is within a
    /// bound.
    ///
    /// The value is that of the initial state, unless the property has a filter. Its error is at most 1e-9;
    /// see [`checker`](Self::checker) for other options.
    ///
    /// # Errors
    /// The property is wrong, or it tells apart what was lumped; the error cannot be kept; or a limit was
    /// reached.
    ///
    /// # Examples
    /// ```
    /// use skel::csl::Verdict;
    /// use skel::prelude::*;
    /// let space = Model::from_text("Up = (fail, 3/10).Down; Down = (mend, 2).Up; Up")?.explore()?;
    /// let down = space.check("P=? [ F[1,1] Down = 1 ]")?;
    /// let expected = 0.3 / 2.3 * (1.0 - f64::exp(-2.3));
    /// assert!((down.figure().unwrap().value() - expected).abs() < 1e-9);
    /// assert_eq!(space.check("S<0.2 [ Down = 1 ]")?.verdict(), Some(Verdict::True));
    /// assert!(space.check("S<0.2 [ Dwon = 1 ]").unwrap_err().to_string().contains("did you mean `Down`?"));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn check(&self, property: impl AsProperty<M>) -> Result<Checked, Error> {
        self.checker().check(property)
    }

    /// Checks a property in fractions.
    ///
    /// # Errors
    /// As [`check`](Self::check), and for a value with a bound on time, which is no fraction.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let space = Model::from_text("Up = (fail, 3/10).Down; Down = (mend, 2).Up; Up")?.explore()?;
    /// let down = space.check_exact("S=? [ Down = 1 ]")?;
    /// assert_eq!(down.figure().unwrap().exact(), Some(&ratio(3, 23)));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn check_exact(&self, property: impl AsProperty<M>) -> Result<Checked, Error> {
        self.checker().fractions(Fractions::Always).check(property)
    }

    /// Begins a check with other options.
    ///
    /// # Examples
    /// ```
    /// use skel::csl::{Fractions, Verdict};
    /// use skel::prelude::*;
    /// let space = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P")?.explore()?;
    /// let floats = space.checker().fractions(Fractions::Never).tolerance(1e-6);
    /// assert_eq!(floats.check("S>=1/3 [ Q = 1 ]")?.verdict(), Some(Verdict::Undecided));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn checker(&self) -> Checker<'_, M> {
        Checker {
            space: self,
            limits: Limits::default(),
            tolerance: TOLERANCE,
            fractions: Fractions::default(),
            most_steps: MOST_STEPS,
        }
    }
}

impl<M: ?Sized> Checker<'_, M> {
    /// Sets the limits of each check.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// Sets the largest absolute error of a value, 1e-9 unless said.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Sets when fractions are used.
    pub fn fractions(mut self, fractions: Fractions) -> Self {
        self.fractions = fractions;
        self
    }

    /// Sets the most steps that uniformisation may take, ten million unless said.
    pub fn most_steps(mut self, steps: u64) -> Self {
        self.most_steps = steps;
        self
    }

    /// Checks a property.
    ///
    /// # Errors
    /// As for [`StateSpace::check`].
    #[cfg_attr(debug_assertions, inline)]
    pub fn check(&self, property: impl AsProperty<M>) -> Result<Checked, Error> {
        let query = property.query(self.space.model())?;
        let space = self.space.untyped();
        let chain = Chain::of(&space, &self.limits, self.most_steps, self.fractions != Fractions::Never);
        Check { chain, query: &query, numbers: self.numbers(), fractions: self.fractions }.run()
    }

    fn numbers(&self) -> Numbers {
        match self.fractions {
            Fractions::Always => Numbers::Exact(self.tolerance),
            Fractions::Never | Fractions::WhereNeeded => Numbers::Floats(self.tolerance),
        }
    }
}

/// One property on one chain.
struct Check<'c, 's> {
    chain: Chain<'s>,
    query: &'c Query,
    numbers: Numbers,
    fractions: Fractions,
}

impl Check<'_, '_> {
    #[cfg_attr(debug_assertions, inline)]
    fn run(mut self) -> Result<Checked, Error> {
        let (answer, witness) = match &self.query.filter {
            None if self.chain.space.starts_vanishing() => {
                return Err(Error::Unknown(
                    "immediate actions leave the initial state, so a property has no value in it: use a filter"
                        .into(),
                ));
            }
            None => self.initially()?,
            Some(filter) => {
                let states = self.states(filter)?;
                match filter.kind {
                    FilterKind::State => {
                        let state = filter::only(self.chain.space, &states)?;
                        (Answer::One(self.value_in(state)?), None)
                    }
                    kind => self.filtered(kind, &states)?,
                }
            }
        };
        Ok(Checked {
            name: self.query.name.clone(),
            property: self.query.text.clone(),
            answer,
            witness,
            decided_in_fractions: self.chain.decided_in_fractions,
        })
    }

    /// The answer for the initial state, and the run that shows it.
    #[cfg_attr(debug_assertions, inline)]
    fn initially(&mut self) -> Result<(Answer, Option<Witness>), Error> {
        let value = self.value_in(0)?;
        let witness = match &value {
            Value::Verdict(verdict) => {
                witness::of_initial(&mut self.chain, self.query, *verdict, self.numbers)?
            }
            Value::Figure(_) => None,
        };
        Ok((Answer::One(value), witness))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn value_in(&mut self, state: usize) -> Result<Value, Error> {
        let counted = Sets::definite(vec![true]);
        Ok(self.per_state(Wanted::Only(state), &counted)?.value(0))
    }

    /// The answer of a filter over some states.
    #[cfg_attr(debug_assertions, inline)]
    fn filtered(&mut self, kind: FilterKind, states: &Sets) -> Result<(Answer, Option<Witness>), Error> {
        let of = self.per_state(Wanted::Every, states)?;
        let answer = filtered(self.chain.space, kind, &of, states)?;
        let witness = match &answer {
            Answer::One(Value::Verdict(verdict)) => {
                witness::of_filter(&mut self.chain, kind, &of, states, *verdict)?
            }
            _ => None,
        };
        Ok((answer, witness))
    }

    /// The states of a filter.
    #[cfg_attr(debug_assertions, inline)]
    fn states(&mut self, filter: &Filter) -> Result<Sets, Error> {
        match &filter.states {
            None => Ok(Sets::definite(vec![true; self.chain.states()])),
            Some(states) => evaluate::states(&mut self.chain, states, Wanted::Every, self.numbers),
        }
    }

    /// The values in the states that are wanted, of which some count.
    #[cfg_attr(debug_assertions, inline)]
    fn per_state(&mut self, wanted: Wanted, counted: &Sets) -> Result<PerState, Error> {
        match &self.query.question {
            Question::Condition(condition) => {
                Ok(PerState::Conditions(evaluate::states(&mut self.chain, condition, wanted, self.numbers)?))
            }
            Question::Number(number) => {
                let numbers = numbers_of(self.chain.space, number, &mut self.chain.watch)?;
                let values = Values::exact(numbers.into_iter().map(Some).collect());
                Ok(PerState::Numbers(values.only(wanted)))
            }
            Question::Quantity(quantity) => {
                let values = evaluate::values(&mut self.chain, quantity, wanted, self.numbers);
                let values = match (values, self.numbers) {
                    (Ok(values), Numbers::Floats(tolerance)) => {
                        let error = largest_error(&values, counted);
                        if error <= tolerance || values.is_undecided {
                            return Ok(PerState::Numbers(values));
                        }
                        Err(Refused::unattainable(tolerance, error).into())
                    }
                    (values, _) => values,
                };
                let is_small = self.chain.states() <= evaluate::MOST_STATES_IN_FRACTIONS;
                let may_be_exact = self.fractions == Fractions::WhereNeeded && is_small;
                match values {
                    Err(Error::OverTime(_) | Error::NotConverged(_))
                        if may_be_exact && !evaluate::has_times(quantity) =>
                    {
                        let numbers = Numbers::Exact(self.numbers.tolerance());
                        let values = evaluate::values(&mut self.chain, quantity, wanted, numbers)?;
                        self.chain.decided_in_fractions = true;
                        Ok(PerState::Numbers(values))
                    }
                    values => values.map(PerState::Numbers),
                }
            }
        }
    }
}

/// The largest error of a value that counts.
fn largest_error(values: &Values, states: &Sets) -> f64 {
    let counted = (0..states.possible.len()).filter(|&state| states.possible[state]);
    counted.map(|state| figure(values, state).error()).fold(0.0, f64::max)
}
