//! Changes the values of named rates without another exploration.
//!
//! The reachable states and transitions do not depend on the rates as long as these are positive, and a
//! [`Model`] has only positive rates. So the new space shares the states with the old one. Only the model,
//! with the expressions of its rates, and the tables of [`compile`](crate::transition::compile) are made
//! again. The time is that of compiling the model, whatever the number of states, and the memory is that of a
//! second model.
//!
//! Where the [labels](crate::space::labels) of transitions hold for the old rates only, a solution first
//! evaluates the model once in each state and labels all transitions again, in two bytes each, rather than to
//! evaluate it whenever it reads them.
//!
//! Lumping rests on a [symmetry](crate::symmetry::automorphism) of the model, which includes its rates. So
//! every exchange that a space was lumped by is verified again with the new rates. If one fails, the lumped
//! states no longer represent all states, and the result is an error.

use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use skel_core::model::handle::RateOf;
use skel_core::model::{Model, ParameterId};
use skel_core::rate::Rate;

use crate::error::Error;
use crate::limits::memory::MemoryBudget;
use crate::limits::{BETWEEN_LOOKS, Stopped, Watch};
use crate::space::labels::{FoundLabels, Kind, Labels};
use crate::space::rows::Rows;
use crate::space::{Explored, Inner, StateSet, StateSpace};
use crate::transition::compile::{NO_ENTRY, rates};

/// Labels are found again if they take no more than one in so many bytes that are left.
const PART: u64 = 16;

/// A way to name a rate of the model `M`: its handle, its id, or its name.
///
/// A handle of another model does not compile. A name or an id that the model does not have is an error.
pub trait NamedRate<M: ?Sized>: Copy {
    /// The id of the rate in the model.
    ///
    /// # Errors
    /// The model has no such rate. The error suggests a similar name.
    fn id_in(self, model: &Model) -> Result<ParameterId, Error>;
}

impl<M: ?Sized> NamedRate<M> for RateOf<M> {
    fn id_in(self, _: &Model) -> Result<ParameterId, Error> {
        Ok(self.id())
    }
}

impl<M: ?Sized> NamedRate<M> for ParameterId {
    fn id_in(self, model: &Model) -> Result<ParameterId, Error> {
        let count = model.parameters().len();
        match self.index() < count {
            true => Ok(self),
            false => Err(Error::Unknown(format!(
                "there is no rate of number {}: the model has {count} named rates",
                self.index()
            ))),
        }
    }
}

impl<M: ?Sized> NamedRate<M> for &str {
    fn id_in(self, model: &Model) -> Result<ParameterId, Error> {
        let mut names = model.parameters().iter().map(|parameter| parameter.name.as_str());
        model.parameter_named(self).ok_or_else(|| Error::unknown("rate", self, &mut names))
    }
}

impl<M: ?Sized> StateSpace<M> {
    /// The same states with other values of named rates, without another exploration. Rates that are defined
    /// by a changed rate change with it, as in [`Model::with_rates`]. If a rate is given twice, the later
    /// value counts.
    ///
    /// The states are shared, so the cost is that of compiling the model: 32 microseconds for a pipeline of
    /// eight stages, whose 6,561 states take 2 milliseconds to explore. In a lumped space the symmetry is
    /// verified in addition. Where actions have thousands of combinations of local states, the first solution
    /// keeps two bytes a transition with the new space.
    ///
    /// # Errors
    /// The model has no such rate, a rate is not positive, the size of an array changes, or the parts that
    /// were lumped are not interchangeable with the new rates. In the last two cases explore the model again.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// pepa! { model Queue { lambda = 1; mu = 2; E = (arrive, lambda).F; F = (serve, mu).E; E[3] } }
    /// let space = Queue::new().explore()?;
    /// let faster = space.with_rates(&[(Queue::mu, 5.into())])?;
    /// assert_eq!(faster.steady_state_exact()?.throughput_of(Queue::serve), ratio(5, 2));
    /// assert_eq!(*space.rate(Queue::mu), ratio(2, 1)); // it stays as it is
    ///
    /// let misspelt = space.with_rates(&[("lamda", 5.into())]).unwrap_err();
    /// assert_eq!(misspelt.to_string(), "the model has no rate `lamda`; did you mean `lambda`?");
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn with_rates<R: NamedRate<M>>(&self, changes: &[(R, Rate)]) -> Result<StateSpace<M>, Error> {
        let change = |(rate, value): &(R, Rate)| Ok((rate.id_in(self.model())?, value.clone()));
        let changes: Vec<(ParameterId, Rate)> = changes.iter().map(change).collect::<Result<_, Error>>()?;
        Ok(StateSpace { inner: Arc::new(self.inner.with_rates(&changes)?), model: PhantomData })
    }
}

impl StateSpace {
    /// The same states for another model, if it [has the structure](Model::has_structure_of) of this one's
    /// and its rates leave the lumped parts interchangeable.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn with_model(&self, model: &Model) -> Option<StateSpace> {
        if !model.has_structure_of(self.model()) || !self.is_lumped_as(model) {
            return None;
        }
        let explored = &self.inner.explored;
        let compiled = explored.compile(&rates(model), model);
        let explored = Arc::clone(explored);
        let inner = Inner {
            model: model.clone(),
            compiled,
            has_explored_rates: false,
            labelled_again: OnceLock::new(),
            explored,
        };
        Some(StateSpace { inner: Arc::new(inner), model: PhantomData })
    }

    /// Labels the transitions of a list of states again, if what labels there are does not hold for the
    /// present rates, and if there is room for others.
    pub(crate) fn label_again(&self, budget: MemoryBudget, watch: &mut Watch<'_>) -> Result<(), Stopped> {
        let inner = &*self.inner;
        let had_labels =
            matches!(&inner.explored.kept, StateSet::Explicit(explicit) if explicit.labels.is_some());
        let is_labelled = || inner.labelled(&inner.compiled).is_some();
        if had_labels
            && !is_labelled()
            && let Some(labels) = self.found_labels(budget, watch)?
        {
            // Who else has found them meanwhile has found the same.
            let _ = inner.labelled_again.set(labels);
        }
        Ok(())
    }

    /// The labels of all transitions with the present rates; `None` where they are too many for their numbers
    /// or for the budget.
    fn found_labels(&self, budget: MemoryBudget, watch: &mut Watch<'_>) -> Result<Option<Labels>, Stopped> {
        let compiled = &self.inner.compiled;
        let Some(mut labels) = Labels::of(compiled).filter(|labels| labels.kind() == Kind::Pairs) else {
            return Ok(None);
        };
        let (mut rows, mut row, mut found) =
            (Rows::of_many(&self.inner, compiled), Vec::new(), FoundLabels::default());
        for first in (0..self.states()).step_by(BETWEEN_LOOKS) {
            watch.prepare()?;
            found.clear(Some(Kind::Pairs));
            for state in first..self.states().min(first + BETWEEN_LOOKS) {
                rows.list(state, &mut row);
                row.iter().for_each(|of_one| found.push(NO_ENTRY, of_one.action, of_one.rate));
            }
            // Without labels, all is still right: they take a small part of what is left.
            let left = (budget.left() / PART).saturating_sub(labels.memory() + found.memory());
            if !labels.add(&found, left) {
                return Ok(None);
            }
        }
        Ok(Some(labels))
    }

    /// Whether two spaces have the same states because one was made from the other by changing rates.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn shares_states_with(&self, other: &StateSpace) -> bool {
        Arc::ptr_eq(&self.inner.explored, &other.inner.explored)
    }

    /// The same space for a model that has a type of its own, which has to be the type of this space's model.
    pub(crate) fn typed<M: ?Sized>(&self) -> StateSpace<M> {
        StateSpace { inner: Arc::clone(&self.inner), model: PhantomData }
    }

    /// Whether the lumping of this space, if it has one, also holds for a model that differs at most in its
    /// rates.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn is_lumped_as(&self, model: &Model) -> bool {
        self.inner.explored.is_lumped_as(model)
    }
}

impl Explored {
    #[cfg_attr(debug_assertions, inline)]
    fn is_lumped_as(&self, model: &Model) -> bool {
        self.lumping.as_ref().is_none_or(|lumping| lumping.holds_for(model, &self.numbers))
    }
}

impl Inner {
    /// Returns an error if the size of an array changes, since the reachable states depend on it.
    #[cfg_attr(debug_assertions, inline)]
    fn refuse_sizes(&self, changes: &[(ParameterId, Rate)]) -> Result<(), Error> {
        let parameters = self.model.parameters();
        let changed = |(id, value): &&(ParameterId, Rate)| {
            let known = &parameters[id.index()];
            known.is_size && value.exact() != Some(&known.value)
        };
        match changes.iter().find(changed) {
            None => Ok(()),
            Some((id, _)) => Err(Error::Unknown(format!(
                "the size `{}` cannot change in a state space, which has the states of one size; explore the model with the other",
                parameters[id.index()].name
            ))),
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn with_rates(&self, changes: &[(ParameterId, Rate)]) -> Result<Inner, Error> {
        self.refuse_sizes(changes)?;
        let model = self.model.with_rates(changes)?;
        if !self.explored.is_lumped_as(&model) {
            return Err(Error::Unknown(
                "with these rates, parts of the model that were lumped are no longer interchangeable; explore it anew"
                    .to_owned(),
            ));
        }
        let compiled = self.explored.compile(&rates(&model), &model);
        Ok(Inner {
            model,
            compiled,
            has_explored_rates: false,
            labelled_again: OnceLock::new(),
            explored: Arc::clone(&self.explored),
        })
    }
}
