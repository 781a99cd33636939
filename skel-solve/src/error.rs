//! Why there is no answer.

use std::fmt;

use skel_core::diagnostic::did_you_mean;
use skel_core::model::{ActionId, BuildErrors, Model};
use skel_core::semantics::NotWellDefined;
use skel_core::text::Rejected;

pub use crate::limits::{Reached, Stopped};

/// Why exploring or solving gave no answer.
///
/// A `main` that returns it prints what is wrong in words: its `Debug` form is its message.
///
/// # Examples
/// ```
/// use skel_core::model::Model;
/// use skel_solve::Explore;
/// let answer = || -> Result<(), skel_solve::Error> {
///     Model::from_text("P = (go, 0).P; P")?.explore()?;
///     Ok(())
/// };
/// let error = answer().unwrap_err();
/// assert_eq!(format!("{error:?}"), error.to_string());
/// assert!(std::error::Error::source(&error).is_some());
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum Error {
    /// A text that is no model.
    Rejected(Rejected),
    /// The model cannot be built: a rate that is not positive, a skeleton that does not hold together.
    NotBuilt(BuildErrors),
    /// A reachable state in which an activity has no rate.
    NotWellDefined(IllDefinedState),
    /// A limit was reached, or the work was cancelled.
    Stopped(Stopped),
    /// The chain has several recurrent classes, so the steady state depends on where a run ends. For runs
    /// from the initial state ask [`Solver::long_run`](crate::steady::Solver::long_run).
    SeveralRecurrentClasses(Classes),
    /// Every run ends in a deadlock, a state that nothing leaves, so the steady state would be a list of
    /// zeros. For the figures of that state ask [`Solver::long_run`](crate::steady::Solver::long_run), or set
    /// [`crate::steady::Options::allow_deadlock`].
    Deadlock(Deadlock),
    /// A skeleton whose model does not come back to every state: its one steady state would describe how runs
    /// end, a deadlock perhaps, and not how they go on.
    NotIrreducible(NotIrreducible),
    /// No method gave an answer that is within the tolerance for certain.
    NotConverged(NotConverged),
    /// An answer over time that cannot be had as it was asked for.
    #[cfg(feature = "over-time")]
    OverTime(crate::refused::Refused),
    /// A name that the model does not have.
    Unknown(String),
}

/// A reachable state in which an activity has no rate.
#[derive(Clone, Debug)]
pub struct IllDefinedState {
    /// What is wrong.
    pub problem: NotWellDefined,
    pub(crate) message: String,
}

impl IllDefinedState {
    pub(crate) fn new(model: &Model, problem: NotWellDefined, path: &[ActionId], state: &str) -> Self {
        let separator = if path.is_empty() { "" } else { ", in the state" };
        let path = skel_core::semantics::explore::display_path(model, path);
        let message = format!("{}: {path}{separator} `{state}`", problem.describe(model));
        IllDefinedState { problem, message }
    }
}

/// The recurrent classes of a chain that has several.
#[derive(Clone, Debug)]
pub struct Classes {
    /// How many there are.
    pub count: usize,
    pub(crate) lines: Vec<String>,
}

/// The deadlocks of a chain in which every run comes to one.
#[derive(Clone, Debug)]
pub struct Deadlock {
    /// All of them, without lumping.
    pub(crate) count: Option<u128>,
    pub(crate) states: usize,
    pub(crate) transient: usize,
    pub(crate) path: Box<[String]>,
    /// The path in words.
    pub(crate) reached: Box<str>,
    pub(crate) state: Box<str>,
}

/// The model of a skeleton that runs leave states of for ever.
#[derive(Clone, Debug)]
pub struct NotIrreducible {
    /// The states that are left.
    pub transient: usize,
    /// All states.
    pub states: usize,
    /// Whether runs end in a state that no activity leaves.
    pub is_deadlock: bool,
    /// Where runs end, and how they get there.
    pub(crate) end: String,
}

/// What each method reached that should have been within the tolerance.
#[derive(Clone, Debug, PartialEq)]
pub struct NotConverged {
    /// The relative error asked for.
    pub tolerance: f64,
    /// Each method that was tried, with what it reached.
    pub tried: Vec<String>,
}

impl NotConverged {
    /// What ends the line of a method for which there was no room.
    pub(crate) const TOO_LARGE: &str = "would take more memory than is allowed";

    /// Whether some method was left out since it would have taken more than [`Limits::memory`]. With more, it
    /// may have an answer.
    ///
    /// [`Limits::memory`]: crate::limits::Limits::memory
    ///
    /// # Examples
    /// ```
    /// let tried = ["BiCGSTAB with Gauss-Seidel reached the limit of 1000 iterations at the defect 2.1e-7"];
    /// let mut failure = skel::error::NotConverged { tolerance: 1e-10, tried: tried.map(String::from).to_vec() };
    /// assert!(!failure.lacked_memory());
    /// failure.tried.push("GMRES(30) with ILU(0) would take more memory than is allowed".to_owned());
    /// assert!(failure.lacked_memory());
    /// ```
    #[must_use]
    pub fn lacked_memory(&self) -> bool {
        self.tried.iter().any(|method| method.ends_with(Self::TOO_LARGE))
    }

    /// That a method met numbers which are too large or too small, in words.
    pub(crate) fn beyond_range(method: impl fmt::Display) -> String {
        format!("{method} met numbers beyond the range of `f64`")
    }
}

impl Error {
    /// A name that the model does not have, with the name of this kind that was probably meant.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn unknown(kind: &str, name: &str, candidates: &mut dyn Iterator<Item = &str>) -> Error {
        let help = match did_you_mean(name, candidates) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        Error::Unknown(format!("the model has no {kind} `{name}`{help}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Rejected(rejected) => write!(f, "{rejected}"),
            Error::NotBuilt(errors) => write!(f, "{errors}"),
            Error::NotWellDefined(state) => f.write_str(&state.message),
            Error::Stopped(stopped) => write!(f, "{stopped}"),
            Error::SeveralRecurrentClasses(classes) => write!(f, "{classes}"),
            Error::Deadlock(deadlock) => write!(f, "{deadlock}"),
            Error::NotIrreducible(failure) => write!(f, "{failure}"),
            Error::NotConverged(failure) => write!(
                f,
                "no method gave an answer that is right to {:e} for certain: {}",
                failure.tolerance,
                failure.tried.join("; ")
            ),
            #[cfg(feature = "over-time")]
            Error::OverTime(refused) => write!(f, "{refused}"),
            Error::Unknown(message) => f.write_str(message),
        }
    }
}

impl Classes {
    /// How many classes there are and, of the first ones, how a run gets there.
    #[must_use]
    pub fn explanation(&self) -> String {
        let mut text = format!(
            "the chain has {} recurrent classes, so there is no one steady state: where a run ends depends on chance",
            self.count
        );
        for line in &self.lines {
            text.push_str("\n  ");
            text.push_str(line);
        }
        text
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\nhelp: `long_run` answers for runs from the initial state", self.explanation())
    }
}

impl Deadlock {
    /// The state that a run comes to first, as it is written in messages: many equal copies are counted.
    #[must_use]
    pub fn state(&self) -> &str {
        &self.state
    }

    /// The actions of a shortest way there from the initial state, by name.
    #[must_use]
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// How many deadlocks there are, without lumping; none beyond 128 bits.
    #[must_use]
    pub fn count(&self) -> Option<u128> {
        self.count
    }

    /// What is wrong and the way there, without advice: in the words of `check(deadlock_free)`.
    #[must_use]
    pub fn explanation(&self) -> String {
        let separator = if self.path.is_empty() { "" } else { ", in the state" };
        let more = match self.count {
            Some(1) => String::new(),
            Some(2) => ", and in one more state".into(),
            Some(count) => format!(", and in {} more states", count - 1),
            None => ", and in more than 2^128 more states".into(),
        };
        format!("the model deadlocks {}{separator} `{}`{more}", self.reached, self.state)
    }

    /// The same for a skeleton, whose model is asked to come back to every state.
    pub(crate) fn of_skeleton(self) -> NotIrreducible {
        NotIrreducible {
            transient: self.transient,
            states: self.states,
            is_deadlock: true,
            end: format!("a deadlock, reached {}: `{}`", self.reached, self.state),
        }
    }
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}\nhelp: {DEADLOCK_ADVICE}\nhelp: {} answers for {} in which every run ends",
            self.explanation(),
            if self.count == Some(1) {
                "`solver().long_run()` or `solver().allow_deadlock()`"
            } else {
                "`solver().long_run()`"
            },
            if self.count == Some(1) { "the state" } else { "the states" },
        )
    }
}

/// What to do about a deadlock.
const DEADLOCK_ADVICE: &str =
    "each component waits there for partners that cannot join it: look at the cooperation sets";

impl fmt::Display for NotIrreducible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotIrreducible { transient, states, is_deadlock, end } = self;
        if *is_deadlock {
            return write!(
                f,
                "the skeleton deadlocks: every run comes to a state that no activity leaves\n  {end}"
            );
        }
        write!(
            f,
            "the skeleton's model is not irreducible: {transient} of {states} states are left for ever\n  {end}"
        )
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Rejected(rejected) => Some(rejected),
            Error::NotBuilt(errors) => Some(errors),
            _ => None,
        }
    }
}

#[cfg(feature = "over-time")]
impl From<crate::refused::Refused> for Error {
    fn from(refused: crate::refused::Refused) -> Error {
        Error::OverTime(refused)
    }
}

impl From<BuildErrors> for Error {
    fn from(errors: BuildErrors) -> Self {
        Error::NotBuilt(errors)
    }
}

impl From<Rejected> for Error {
    fn from(rejected: Rejected) -> Self {
        Error::Rejected(rejected)
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        Error::Stopped(stopped)
    }
}
