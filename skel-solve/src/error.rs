//! Why there is no answer.

use std::fmt;

use skel_core::model::{ActionId, BuildErrors, Model};
use skel_core::semantics::NotWellDefined;
use skel_core::text::Rejected;

use crate::limits::Limit;

/// Why exploring or solving gave no answer.
#[derive(Clone, Debug)]
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
    /// The chain has several recurrent classes, so the steady state depends on where a run ends. For runs from the
    /// initial state ask [`crate::StateSpace::long_run`].
    SeveralRecurrentClasses(Classes),
    /// Every run ends in a deadlock, a state that nothing leaves, so the steady state would be a list of zeros. For the figures of
    /// that state ask [`crate::StateSpace::long_run`], or set [`crate::steady::Options::allow_deadlock`].
    Deadlock(Deadlock),
    /// A skeleton whose model does not come back to every state: its one steady state would describe how runs
    /// end, a deadlock perhaps, and not how they go on.
    NotIrreducible(NotIrreducible),
    /// No method gave an answer that is within the tolerance for certain.
    NotConverged(NotConverged),
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
        let path = skel_core::explore::display_path(model, path);
        let message = format!("{}: {path}{separator} `{state}`", problem.describe(model));
        IllDefinedState { problem, message }
    }
}

/// A limit that was reached, and how far the work came.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// Which limit.
    pub limit: Limit,
    /// What had been done.
    pub reached: Reached,
}

/// How far the work came before it was stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reached {
    /// While exploring.
    Exploring {
        /// States found.
        states: u64,
        /// Transitions found.
        transitions: u64,
        /// States found and not yet explored.
        waiting: u64,
        /// The states without lumping that the explored ones stand for; none where nothing is lumped, or beyond
        /// 128 bits.
        unlumped: Option<u128>,
    },
    /// While parting states, for a quotient.
    Refining {
        /// Blocks by then.
        blocks: u64,
        /// States in all.
        states: u64,
    },
    /// While eliminating states.
    Eliminating {
        /// States eliminated.
        done: u64,
        /// States in all.
        of: u64,
    },
    /// Before exploring, since the number of states is known.
    Foreseen {
        /// States in all; the largest number where it is beyond 128 bits.
        states: u128,
    },
    /// Before eliminating exactly, since what would come up does not fit.
    TooDense {
        /// States in all.
        states: u64,
    },
    /// While finding exact fractions, digit by digit.
    Lifting {
        /// Decimal digits that a numerator and its denominator may have had together.
        digits: u64,
    },
    /// While iterating.
    Iterating {
        /// Iterations done.
        iterations: u64,
        /// The relative residual by then.
        residual: f64,
    },
    /// While preparing a solution.
    Preparing,
    /// While solving one model after the other.
    Solving {
        /// Models solved.
        solved: u64,
    },
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
            Error::Unknown(message) => f.write_str(message),
        }
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.limit)?;
        match self.reached {
            Reached::Exploring { states, transitions, waiting, unlumped } => {
                let explored = states - waiting;
                let (states, transitions) = (counted(states, "state"), counted(transitions, "transition"));
                let waiting = counted(waiting, "state");
                write!(f, "{states} and {transitions} found, {waiting} still to explore")?;
                unlumped.map_or(Ok(()), |all| {
                    write!(f, "; the {explored} explored ones stand for {all} without lumping")
                })
            }
            Reached::Foreseen { states: u128::MAX } => f.write_str("the model has more than can be counted"),
            Reached::Foreseen { states } => write!(f, "the model has {states} states"),
            Reached::Refining { blocks, states } => {
                write!(f, "{} parted into {}", counted(states, "state"), counted(blocks, "block"))
            }
            Reached::Eliminating { done, of } => write!(f, "{done} of {} eliminated", counted(of, "state")),
            Reached::TooDense { states } => write!(
                f,
                "the exact solution of {} would take more; lump what is interchangeable, or solve in `f64`",
                counted(states, "state")
            ),
            Reached::Lifting { digits } => {
                write!(f, "the exact fractions have more than {} in all", counted(digits, "digit"))
            }
            Reached::Iterating { iterations, residual } => {
                write!(f, "{} done, at the residual {residual:.1e}", counted(iterations, "iteration"))
            }
            Reached::Preparing => f.write_str("while setting up the equations"),
            Reached::Solving { solved } => write!(f, "{} solved", counted(solved, "model")),
        }
    }
}

/// `1 state`, `2 states`
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
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
            "{}\nhelp: {DEADLOCK_ADVICE}\nhelp: `long_run`, or `allow_deadlock` in the options, answers for the state in which \
             every run ends",
            self.explanation()
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

impl std::error::Error for Error {}

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
