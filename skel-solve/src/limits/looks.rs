//! For tests: where the limits are looked at, how often, and for how long they are not.
//!
//! Each look is known by the place in the code that asks for it. Only looks of the thread that records are
//! seen, which is the one that solves.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::Location;
use std::time::{Duration, Instant};

use super::Cancellation;

/// A file, and a line in it.
type Place = (&'static str, u32);

/// The looks of some work.
pub(crate) struct Looks {
    last: Instant,
    before: Place,
    /// Per pair of places between which there was no look, the longest time from one to the other.
    pub(crate) silences: BTreeMap<(Place, Place), Duration>,
    /// Per file its looks.
    counts: BTreeMap<&'static str, usize>,
    /// How many looks there were.
    pub(crate) count: usize,
    /// The look, by number, at which the work is cancelled.
    cancel: Option<(usize, Cancellation)>,
}

thread_local! {
    static LOOKS: RefCell<Option<Looks>> = const { RefCell::new(None) };
}

impl Looks {
    /// Does some work and records its looks. Cancels it at the look of a number, if one is given.
    pub(crate) fn of<R>(cancel: Option<(usize, Cancellation)>, work: impl FnOnce() -> R) -> (R, Looks) {
        let looks = Looks {
            last: Instant::now(),
            before: ("the beginning", 0),
            silences: BTreeMap::new(),
            counts: BTreeMap::new(),
            count: 0,
            cancel,
        };
        LOOKS.set(Some(looks));
        let result = work();
        let mut looks = LOOKS.take().expect("they are being recorded");
        looks.pass(("the end", 0));
        (result, looks)
    }

    /// How often the limits were looked at from a file, whose path ends so.
    pub(crate) fn from(&self, file: &str) -> usize {
        self.counts.iter().filter(|(path, _)| path.ends_with(file)).map(|(_, count)| count).sum()
    }

    /// The longest time without a look, and the places before and after it.
    pub(crate) fn longest(&self) -> (Duration, (Place, Place)) {
        let longest = self.silences.iter().map(|(&places, &silence)| (silence, places)).max();
        longest.expect("there is a beginning and an end")
    }

    fn pass(&mut self, place: Place) {
        let now = Instant::now();
        let longest = self.silences.entry((self.before, place)).or_default();
        *longest = (now - self.last).max(*longest);
        (self.last, self.before) = (now, place);
    }
}

/// Records a look from a place.
pub(super) fn look(from: &Location<'static>) {
    LOOKS.with_borrow_mut(|looks| {
        let Some(looks) = looks else { return };
        looks.pass((from.file(), from.line()));
        *looks.counts.entry(from.file()).or_default() += 1;
        looks.count += 1;
        if let Some((number, cancellation)) = &looks.cancel
            && looks.count == *number
        {
            cancellation.cancel();
        }
    });
}
