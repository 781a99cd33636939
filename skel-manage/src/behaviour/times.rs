//! The times that the formulas are about, as they were given and as exact fractions.

use std::fmt;

use num_traits::{Signed, Zero};
use skel_core::number::Ratio;
use skel_core::rate::Rate;

/// The times of a skeleton, in seconds: floats, whole numbers or fractions. What is not said is 0.
///
/// # Examples
/// ```
/// use skel_core::number::ratio;
/// use skel_manage::behaviour::{Behaviour, Pattern, Times};
///
/// let farm = Times::equal(7, 4.0).dispatch(0.5).collect(0.5).arrival(0.6);
/// assert_eq!(Pattern::Farm.service_time(&farm)?, ratio(4, 7));
/// assert_eq!(Pattern::Farm.optimal_service_time(&farm)?, ratio(3, 5));
/// assert_eq!(Pattern::Farm.enough_workers(&farm)?, Some(7));
/// # Ok::<(), skel_manage::behaviour::TimesErrors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Times {
    workers: Vec<Rate>,
    dispatch: Rate,
    collect: Rate,
    arrival: Rate,
    output: Rate,
    state: Option<(Rate, Rate)>,
}

/// The same as exact fractions: there is a worker, and no time is negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactTimes {
    /// `T_W` of each worker; of a pipe the service time of each stage.
    pub workers: Vec<Ratio>,
    /// `T_S`, for handing an item out.
    pub dispatch: Ratio,
    /// `T_C`, for collecting a result.
    pub collect: Ratio,
    /// `T_A`, between two items that arrive.
    pub arrival: Ratio,
    /// `T_D`, for each item that the output takes.
    pub output: Ratio,
    /// `T_I`, the time of a worker for a state, and `m`, the number of items for each, which is positive.
    pub state: Option<(Ratio, Ratio)>,
}

/// Everything that is wrong with times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimesErrors(pub(super) Vec<String>);

impl Times {
    /// `T_W` of each worker.
    #[must_use]
    pub fn of(workers: impl IntoIterator<Item = impl Into<Rate>>) -> Self {
        let none = || Rate::from(0);
        Times {
            workers: workers.into_iter().map(Into::into).collect(),
            dispatch: none(),
            collect: none(),
            arrival: none(),
            output: none(),
            state: None,
        }
    }

    /// So many workers of the same `T_W`.
    #[must_use]
    pub fn equal(workers: u32, time: impl Into<Rate>) -> Self {
        Times::of(std::iter::repeat_n(time.into(), workers as usize))
    }

    /// With `T_S`, for handing an item out.
    #[must_use]
    pub fn dispatch(self, time: impl Into<Rate>) -> Self {
        Times { dispatch: time.into(), ..self }
    }

    /// With `T_C`, for collecting a result.
    #[must_use]
    pub fn collect(self, time: impl Into<Rate>) -> Self {
        Times { collect: time.into(), ..self }
    }

    /// With `T_A`, between two items that arrive.
    #[must_use]
    pub fn arrival(self, time: impl Into<Rate>) -> Self {
        Times { arrival: time.into(), ..self }
    }

    /// With `T_D`, for each item that the output takes.
    #[must_use]
    pub fn output(self, time: impl Into<Rate>) -> Self {
        Times { output: time.into(), ..self }
    }

    /// With `T_I`, the time of a worker for a state, and `m`, the number of items for each state.
    #[must_use]
    pub fn state(self, time: impl Into<Rate>, items: impl Into<Rate>) -> Self {
        Times { state: Some((time.into(), items.into())), ..self }
    }

    /// As exact fractions.
    ///
    /// # Errors
    /// Everything that is wrong: no worker, a time that is negative or not a number, no items for each state.
    pub fn exact(&self) -> Result<ExactTimes, TimesErrors> {
        let mut wrong = Vec::new();
        if self.workers.is_empty() {
            wrong.push("there are no workers: a skeleton has at least one".to_owned());
        }
        let workers = self.workers.iter().enumerate();
        let workers =
            workers.map(|(number, time)| exact(&format!("time of worker {}", number + 1), time, &mut wrong));
        let workers = workers.collect();
        let mut named = |name: &str, time: &Rate| exact(name, time, &mut wrong);
        let dispatch = named("dispatch time T_S", &self.dispatch);
        let collect = named("collect time T_C", &self.collect);
        let arrival = named("inter-arrival time T_A", &self.arrival);
        let output = named("output time T_D", &self.output);
        let state = self.state.as_ref().map(|(time, items)| {
            let time = exact("time for a state T_I", time, &mut wrong);
            (time, items_for_each(items, &mut wrong))
        });
        let exact = ExactTimes { workers, dispatch, collect, arrival, output, state };
        if wrong.is_empty() { Ok(exact) } else { Err(TimesErrors(wrong)) }
    }
}

fn exact(name: &str, time: &Rate, wrong: &mut Vec<String>) -> Ratio {
    match time.exact() {
        Some(exact) if !exact.is_negative() => exact.clone(),
        _ => {
            wrong.push(format!("the {name} is {time}: a time is a number of seconds, 0 or more"));
            Ratio::zero()
        }
    }
}

fn items_for_each(items: &Rate, wrong: &mut Vec<String>) -> Ratio {
    match items.exact() {
        Some(exact) if exact.is_positive() => exact.clone(),
        _ => {
            wrong.push(format!(
                "there are {items} items for each state: there have to be more than 0, on average"
            ));
            Ratio::zero()
        }
    }
}

impl fmt::Display for TimesErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for TimesErrors {}
