//! Asking a space for a passage time.

use super::answer::{Inner, Passage};
use super::begin::Asked;
use super::found::{Found, Settings, time};
use super::question::{Event, From, Kind, To};
use super::way::Way;
use crate::error::Error;
use crate::limits::{Limits, Watch};
use crate::over_time::uniformisation::{MOST_STEPS, TOLERANCE};
use crate::space::StateSpace;

/// Up to this many states before the end, moments are found in exact fractions and rounded.
const EXACT_UP_TO: usize = 120;

impl<M: ?Sized> StateSpace<M> {
    /// The time from one event to another; see [`passage`](crate::over_time::passage) for the ways to count
    /// them.
    ///
    /// # Errors
    /// A name is unknown, a condition cannot be read or tells apart components that were lumped; no passage
    /// begins or ends, the chain has several recurrent classes, or a default limit was reached.
    ///
    /// # Examples
    /// How long until three machines are all busy for the first time, and how long until one of them is idle
    /// again.
    /// ```
    /// use skel::passage::{From, To};
    /// use skel::prelude::*;
    /// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E[3]")?.explore()?;
    /// let full = space.passage(From::initial(), To::pattern("E = 0"))?;
    /// assert!((full.mean()?.value - 25.0 / 3.0).abs() < 1e-9);
    /// let idle = space.passage(From::pattern("E = 0"), To::pattern("E >= 1"))?;
    /// let within = idle.at(&[0.1])?[0].probability;
    /// assert!((within.value - (1.0 - f64::exp(-0.9))).abs() <= within.error);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn passage(&self, from: From<M>, to: To<M>) -> Result<Passage<M>, Error> {
        self.passages(from, to).solve()
    }

    /// Asks for a passage time in another way: from every action or visit, within other limits, with another
    /// tolerance.
    ///
    /// # Examples
    /// From one action to the next of its kind is the reciprocal of the throughput, where every one counts.
    /// ```
    /// use skel::passage::{From, To};
    /// use skel::prelude::*;
    /// let space = Model::from_text("E = (arrive, 1).F; F = (serve, 3).E; E[3]")?.explore()?;
    /// let cycle = space.passages(From::action("serve"), To::action("serve")).every().solve()?;
    /// let throughput = space.steady_state()?.throughput_named("serve")?;
    /// assert!((cycle.mean()?.value - 1.0 / throughput).abs() < 1e-9);
    /// # Ok::<(), skel::Error>(())
    /// ```
    pub fn passages(&self, from: From<M>, to: To<M>) -> Passages<'_, M> {
        Passages {
            space: self,
            from,
            to,
            every: false,
            all_visits: false,
            limits: Limits::default(),
            tolerance: TOLERANCE,
            most_steps: MOST_STEPS,
        }
    }
}

/// A question for a passage time that is about to be answered: set what is to be different, then call
/// [`Passages::solve`].
#[must_use]
pub struct Passages<'s, M: ?Sized> {
    space: &'s StateSpace<M>,
    from: From<M>,
    to: To<M>,
    every: bool,
    all_visits: bool,
    limits: Limits,
    tolerance: f64,
    most_steps: u64,
}

impl<M: ?Sized> Passages<'_, M> {
    /// Counts a passage from every action that begins one, also while another is under way.
    pub fn every(mut self) -> Self {
        self.every = true;
        self
    }

    /// Counts a passage from every visit to one of the states, moves among them included.
    pub fn all_visits(mut self) -> Self {
        self.all_visits = true;
        self
    }

    /// Answers within these limits.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// The largest absolute error of a probability; `1e-9` unless set. Densities and moments have it in
    /// proportion to the largest rate into the end and to their own size, where these are above one.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// The most steps of uniformisation; ten million unless set.
    pub fn most_steps(mut self, steps: u64) -> Self {
        self.most_steps = steps;
        self
    }

    /// Finds where passages begin and which states they visit.
    ///
    /// # Errors
    /// As [`StateSpace::passage`].
    pub fn solve(self) -> Result<Passage<M>, Error> {
        let space = self.space.untyped();
        let mut watch = Watch::start(&self.limits);
        let (from, from_text) = Event::of(&self.from.kind, &space, &mut watch)?;
        let (to, to_text) = Event::of(&self.to.kind, &space, &mut watch)?;
        let way = self.way(&space)?;
        let asked = Asked { from, to, way, to_text: to_text.clone() };
        let settings =
            Settings { limits: self.limits.clone(), tolerance: self.tolerance, most_steps: self.most_steps };
        let inner = solve(space, asked, [from_text, to_text], settings)?;
        Ok(Passage::new(inner, self.space))
    }

    fn way(&self, space: &StateSpace) -> Result<Way, Error> {
        let wrong = |what: &str| Err(Error::Unknown(what.to_owned()));
        match (&self.from.kind, self.every, self.all_visits) {
            (_, true, true) => wrong("a passage begins with every action or with all visits, not both"),
            (Kind::Actions(_), every, false) => Ok(if every { Way::Every } else { Way::Probe }),
            (Kind::Actions(_), _, true) => wrong(
                "all visits are counted where a passage begins in states, and this one begins with an action; count `every` action instead",
            ),
            (Kind::Initial, false, false) if space.starts_vanishing() => wrong(
                "the initial state is left at once by actions that take no time, so no passage begins there",
            ),
            (Kind::Initial, false, false) => Ok(Way::Initial),
            (Kind::Initial, ..) => {
                wrong("a passage from the initial state begins once, so there is nothing more to count")
            }
            (_, true, false) => wrong(
                "every action is counted where a passage begins with one, and this one begins in states; count `all visits` instead",
            ),
            (_, false, true) if space.lumping().is_some() => {
                wrong("visits by moves among lumped states cannot be counted; explore without lumping for it")
            }
            (_, false, is_all) => Ok(if is_all { Way::AllVisits } else { Way::Entries }),
        }
    }
}

/// The passage in `f64`, and whether its moments are to be found in fractions.
fn solve(space: StateSpace, asked: Asked, texts: [String; 2], settings: Settings) -> Result<Inner, Error> {
    let Found { time, frequency } = time::<f64>(&space, &asked, &settings.limits)?;
    if time.is_impossible() {
        return Err(asked.never_ends());
    }
    let in_fractions = time.states() <= EXACT_UP_TO && space.states() <= 4 * EXACT_UP_TO;
    Ok(Inner { space, asked, texts, settings, time, frequency, in_fractions })
}
