//! How fast items move from one task to the next.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic};
use crate::number::Ratio;
use crate::rate::{Rate, RateProblem};
use crate::skeleton::tree::StageId;

/// How long a move along a link takes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MoveTime<R> {
    /// An exponential time of this rate.
    Exponential(R),
    /// No time.
    Negligible,
}

type TimeOfLink = dyn Fn(usize, usize) -> Option<MoveTime<Rate>> + Send + Sync;

/// The rates of moves between tasks, in moves per unit of time: one for all, or one for each link. Moves may
/// also take no time at all.
///
/// A rate is that of *each* link. A task that may send to several idle workers sends at the sum of their
/// links' rates: three idle workers make the wire three times as wide.
///
/// The default has no rates. A skeleton with moves then has no model, and the error names a move without a
/// rate.
///
/// # Examples
/// ```
/// use skel_core::skeleton::{pipe, task, Communication, Skeleton};
/// let stages = pipe((task(2.0), task(3.0)));
/// // All moves at rate 5; a matrix; a function of sender and receiver.
/// let rates = [
///     Communication::everywhere(5.0),
///     Communication::matrix([[0.0, 5.0], [0.0, 0.0]]),
///     Communication::per_link(|from, to| 5.0 * (to - from) as f64),
/// ];
/// for communication in rates {
///     let system = stages.clone().communicating(communication).lower()?;
///     assert!(system.to_string().contains("(move_0_1, 5.0)"));
/// }
/// # Ok::<(), skel_core::model::BuildErrors>(())
/// ```
#[derive(Clone, Default)]
pub struct Communication(Option<Arc<TimeOfLink>>);

impl fmt::Debug for Communication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Communication(..)" } else { "Communication(none)" })
    }
}

impl Communication {
    /// One rate for all moves.
    #[must_use]
    pub fn everywhere(rate: impl Into<Rate>) -> Self {
        let rate = rate.into();
        Communication(Some(Arc::new(move |_, _| Some(MoveTime::Exponential(rate.clone())))))
    }

    /// Moves that take no time. The performance is then the limit of that with ever faster moves, and exactly
    /// that: the moves are removed from the chain, and nobody has to choose a large rate. Where several
    /// workers are idle, each receives the next item with the same probability.
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let program = pipe!(task(2.0), task(3.0)).communicating(Communication::negligible());
    /// // With no buffer, both begin an item together: on average every 1/2 + 1/3 - 1/5.
    /// assert_eq!(*program.performance_exact()?.throughput(), ratio(30, 19));
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    pub fn negligible() -> Self {
        Communication(Some(Arc::new(|_, _| Some(MoveTime::Negligible))))
    }

    /// Moves that take no time, on the links that are named; the others have no rate yet. See [`Self::or`].
    ///
    /// # Examples
    /// ```
    /// use skel::prelude::*;
    /// let on_one_machine = Communication::negligible_on([(0, 1)]);
    /// let stages = pipe!(task(2.0), task(3.0), task(2.0));
    /// let program = stages.communicating(on_one_machine.or(Communication::everywhere(10.0)));
    /// assert!(*program.performance()?.throughput() > 1.0);
    /// # Ok::<(), skel::Error>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn negligible_on(links: impl IntoIterator<Item = (usize, usize)>) -> Self {
        Communication::from_times(links.into_iter().map(|link| (link, MoveTime::Negligible)), None)
    }

    /// The rate of the link from task `i` to task `j` in row `i`, column `j`. Entries of pairs between which
    /// nothing moves are not looked at.
    #[must_use]
    pub fn matrix<T: Into<Rate>>(rows: impl IntoIterator<Item = impl IntoIterator<Item = T>>) -> Self {
        let rows: Vec<Vec<Rate>> =
            rows.into_iter().map(|row| row.into_iter().map(Into::into).collect()).collect();
        Communication(Some(Arc::new(move |from, to| {
            rows.get(from)?.get(to).cloned().map(MoveTime::Exponential)
        })))
    }

    /// The rate of each link as a function of the sending and the receiving task.
    #[must_use]
    pub fn per_link<T: Into<Rate>>(rate: impl Fn(usize, usize) -> T + Send + Sync + 'static) -> Self {
        Communication(Some(Arc::new(move |from, to| Some(MoveTime::Exponential(rate(from, to).into())))))
    }

    /// The rates of the links that are named; `others` for the rest.
    #[must_use]
    pub fn links(links: impl IntoIterator<Item = ((usize, usize), Rate)>, others: Option<Rate>) -> Self {
        let links = links.into_iter().map(|(link, rate)| (link, MoveTime::Exponential(rate)));
        Communication::from_times(links, others.map(MoveTime::Exponential))
    }

    /// The times of the links that are named; `others` for the rest.
    pub(super) fn from_times(
        links: impl IntoIterator<Item = ((usize, usize), MoveTime<Rate>)>,
        others: Option<MoveTime<Rate>>,
    ) -> Self {
        let links: HashMap<(usize, usize), MoveTime<Rate>> = links.into_iter().collect();
        if links.is_empty() && others.is_none() {
            return Communication::default();
        }
        Communication(Some(Arc::new(move |from, to| links.get(&(from, to)).or(others.as_ref()).cloned())))
    }

    /// These rates, and for the links that have none those of `others`.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{pipe, task, Communication, Skeleton};
    /// let slow = Communication::links([((1, 2), 0.5.into())], None);
    /// let stages = pipe((task(1.0), task(1.0), task(1.0)));
    /// let text = stages.communicating(slow.or(Communication::everywhere(10.0))).lower()?.to_string();
    /// assert!(text.contains("(move_0_1, 10.0).Network + (move_1_2, 0.5).Network"));
    /// # Ok::<(), skel_core::model::BuildErrors>(())
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn or(self, others: Communication) -> Self {
        match (self.0, others.0) {
            (Some(first), Some(second)) => {
                Communication(Some(Arc::new(move |from, to| first(from, to).or_else(|| second(from, to)))))
            }
            (first, second) => Communication(first.or(second)),
        }
    }

    /// How long each move among the first `tasks` tasks takes, from a task to a later one, if it is the same
    /// for all: the rate, or none inside where moves take no time. Asks for each pair.
    ///
    /// # Examples
    /// ```
    /// use skel_core::{number::ratio, skeleton::Communication};
    /// assert_eq!(Communication::everywhere(5.0).uniform_rate(100), Some(Some(ratio(5, 1))));
    /// assert_eq!(Communication::negligible().uniform_rate(100), Some(None));
    /// assert_eq!(Communication::links([((1, 2), 0.5.into())], Some(10.into())).uniform_rate(100), None);
    /// ```
    #[must_use]
    #[cfg_attr(debug_assertions, inline)]
    pub fn uniform_rate(&self, tasks: usize) -> Option<Option<Ratio>> {
        let time = self.0.as_ref()?;
        let first = time(0, 1)?;
        let mut pairs = (1..tasks).flat_map(|to| (0..to).map(move |from| (from, to)));
        if !pairs.all(|(from, to)| time(from, to).as_ref() == Some(&first)) {
            return None;
        }
        match first {
            MoveTime::Negligible => Some(None),
            MoveTime::Exponential(rate) => rate.to_positive().ok().map(Some),
        }
    }

    /// Whether there is no rate at all.
    pub(super) fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// How long a move along one link takes, with the exact rate; `at` is the receiver's place.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn time(
        &self,
        from: u32,
        to: u32,
        at: StageId,
    ) -> Result<MoveTime<Ratio>, Diagnostic<StageId>> {
        match self.0.as_ref().and_then(|time| time(from as usize, to as usize)) {
            None => {
                let message = format!("the move from task {from} to task {to} has no communication rate");
                Err(missing_communication(message, at))
            }
            Some(MoveTime::Negligible) => Ok(MoveTime::Negligible),
            Some(MoveTime::Exponential(rate)) => {
                let subject = || format!("of the move from task {from} to task {to}");
                match rate.to_positive() {
                    Ok(rate) => Ok(MoveTime::Exponential(rate)),
                    Err(problem) if is_infinite(&problem) => {
                        let help = "for moves that take no time give `Communication::negligible()`";
                        Err(not_positive(&problem, &subject(), at).help(help))
                    }
                    Err(problem) => Err(not_positive(&problem, &subject(), at)),
                }
            }
        }
    }
}

/// A move without a rate; `at` is the receiver's place.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn missing_communication(message: String, at: StageId) -> Diagnostic<StageId> {
    Diagnostic::new(Code::MissingCommunication, at, message)
        .help("give one rate for all moves, or one for each link, in moves per unit of time")
}

#[cfg_attr(debug_assertions, inline)]
pub(super) fn not_positive(problem: &RateProblem, subject: &str, at: StageId) -> Diagnostic<StageId> {
    let explanation = problem.explain(subject, false);
    let (code, message, help) = explanation.expect("a value of its own has a problem of its own");
    Diagnostic::new(code, at, message).help(help)
}

fn is_infinite(problem: &RateProblem) -> bool {
    matches!(problem, RateProblem::NotANumber(value) if value.to_ascii_lowercase().starts_with("inf"))
}

#[cfg(test)]
mod tests {
    use crate::testing::systems;

    #[test]
    fn findings() {
        systems(&[
            (
                "pipe(task(1), task(1));",
                &[
                    "missing_communication `task(1)`: the move from task 0 to task 1 has no communication rate",
                ],
            ),
            (
                "pipe(task(1), task(1), task(1)); communication(0, 1, 5);",
                &[
                    "missing_communication `task(1)`: the move from task 1 to task 2 has no communication rate",
                ],
            ),
            (
                "pipe(task(1), task(1)); communication(0);",
                &["rate_not_positive `0`: the rate of communication is 0"],
            ),
            (
                "pipe(task(1), task(1), task(1)); communication(1); communication(1, 2, none);",
                &["negligible_communication `task(1)`: a PEPA model cannot say that moves take no time"],
            ),
            (
                "pipe(task(1), task(1)); communication(0, 1, 0);",
                &["rate_not_positive `0`: the rate of communication is 0"],
            ),
        ]);
    }
}
