//! The five questions of the methodology, which every behavioural skeleton answers, and its formulas in exact
//! fractions.
//!
//! 1. Which activities are parallel, and where do they wait for each other? [`Behaviour::semantics`]
//! 2. Which known model are they reduced to? [`Behaviour::reduction`], with the formula `f(T_W, n)`:
//!    [`Behaviour::of_workers`]
//! 3. Which parameters does that have? [`Behaviour::parameters`]
//! 4. What is the best performance, beyond which no worker helps? [`Behaviour::optimal_service_time`],
//!    [`Behaviour::enough_workers`]
//! 5. Which rules keep a contract? [`Behaviour::rules`]
//!
//! [`Pattern`] answers them for the skeletons of this crate, and [`table`] writes the answers into a table.
//!
//! Source: D.NFCF.03, section 5, where they are the steps of a methodology.

pub mod formula;
mod pattern;
mod table;
mod times;

use num_traits::Zero;
use skel_core::number::Ratio;

pub use pattern::Pattern;
pub use table::table;
pub use times::{ExactTimes, Times, TimesErrors};

/// The five questions of the methodology.
///
/// # Examples
/// A user's own skeleton: a race, in which all workers do the same and the fastest one's result is passed on.
/// ```
/// use skel_core::number::{Ratio, ratio};
/// use skel_manage::behaviour::{Behaviour, ExactTimes, Times};
///
/// struct Race;
///
/// impl Behaviour for Race {
///     fn name(&self) -> String { "race".to_owned() }
///     fn semantics(&self) -> String { "each item goes to all workers; the first result is passed on".to_owned() }
///     fn reduction(&self) -> String { "a pipe of dispatch, the fastest worker, and collect".to_owned() }
///     fn parameters(&self) -> Vec<&'static str> { vec!["T_S", "T_Wi", "T_C"] }
///     fn formula(&self) -> String { "min T_Wi".to_owned() }
///     fn of_workers(&self, times: &ExactTimes) -> Ratio {
///         times.workers.iter().min().cloned().unwrap_or_default()
///     }
///     fn rules(&self) -> Vec<&'static str> { vec!["migrate", "violate"] }
/// }
///
/// let times = Times::of([4.0, 9.0]).dispatch(1.0);
/// assert_eq!(Race.service_time(&times)?, ratio(4, 1));
/// let wrong = Race.service_time(&Times::of([f64::NAN])).unwrap_err();
/// assert_eq!(wrong.to_string(), "the time of worker 1 is NaN: a time is a number of seconds, 0 or more");
/// # Ok::<(), skel_manage::behaviour::TimesErrors>(())
/// ```
pub trait Behaviour {
    /// Its name.
    fn name(&self) -> String;

    /// First question, the parallel semantics: which activities are parallel, and where they wait for each
    /// other.
    fn semantics(&self) -> String;

    /// Second question: the known model that it is reduced to.
    fn reduction(&self) -> String;

    /// Third question: the parameters of that model.
    fn parameters(&self) -> Vec<&'static str>;

    /// `f(T_W, n)` as it is written.
    fn formula(&self) -> String;

    /// `f(T_W, n)`: the service time of the workers. There is at least one worker.
    fn of_workers(&self, times: &ExactTimes) -> Ratio;

    /// Fifth question: the names of the predefined rules that keep a contract.
    fn rules(&self) -> Vec<&'static str>;

    /// What is wrong with times, beyond what is wrong with any: no times that are negative or no numbers come
    /// here.
    fn wrong(&self, times: &ExactTimes) -> Vec<String> {
        let _ = times;
        Vec::new()
    }

    /// The time that one worker would take for an item if it did all that there is to do; none where more
    /// workers make nothing faster.
    fn of_one_worker(&self, times: &ExactTimes) -> Option<Ratio> {
        let _ = times;
        None
    }

    /// `T = max{T_S, f(T_W, n), T_C}`.
    ///
    /// # Errors
    /// Everything that is wrong with the times: no worker, a time that is negative or not a number, no items
    /// for each state.
    fn service_time(&self, times: &Times) -> Result<Ratio, TimesErrors> {
        let times = self.checked(times)?;
        Ok(self.of_workers(&times).max(times.dispatch).max(times.collect))
    }

    /// Fourth question: the service time that needs no improvement, `max{T_A, T_D}`, since items do not come
    /// or leave faster. 0 where neither is known.
    ///
    /// # Errors
    /// As [`Self::service_time`].
    fn optimal_service_time(&self, times: &Times) -> Result<Ratio, TimesErrors> {
        let times = self.checked(times)?;
        Ok(times.arrival.max(times.output))
    }

    /// The number of workers beyond which no further one helps: `n* = ceil(T_W / max{T_S, T_C, T_A, T_D})`,
    /// where `T_W` is the time of one worker alone. None where more workers make nothing faster, or nothing
    /// else takes time.
    ///
    /// # Errors
    /// As [`Self::service_time`].
    fn enough_workers(&self, times: &Times) -> Result<Option<u64>, TimesErrors> {
        let times = self.checked(times)?;
        let others = [&times.dispatch, &times.collect, &times.arrival, &times.output];
        let slowest = others.into_iter().max().cloned().unwrap_or_default();
        let enough = |alone: Ratio| u64::try_from((alone / &slowest).ceil().to_integer()).ok();
        Ok(self.of_one_worker(&times).filter(|_| !slowest.is_zero()).and_then(enough))
    }

    /// The times, if nothing is wrong with them.
    ///
    /// # Errors
    /// As [`Self::service_time`].
    fn checked(&self, times: &Times) -> Result<ExactTimes, TimesErrors> {
        let exact = times.exact()?;
        let wrong = self.wrong(&exact);
        if wrong.is_empty() { Ok(exact) } else { Err(TimesErrors(wrong)) }
    }
}
