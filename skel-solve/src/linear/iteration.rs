//! The interface of the iterative methods, the count of their iterations, and the reasons for which they end.

use crate::limits::{Limit, Progress, Stopped, Watch};
use crate::linear::MethodUsed;
use crate::operator::TriangularSweep;
use crate::team::{in_parts, sums};
use crate::vector::total;

/// An iterative method for the steady state of an irreducible chain.
pub(crate) trait IterativeMethod {
    /// The method, as reports name it.
    fn method(&self) -> MethodUsed;

    /// The bytes that it takes for so many states, and rates between two of them.
    fn memory(&self, states: u64, rates: u64) -> u64;

    /// The method of its last iterations, if it begins with something else.
    fn at_last(&self) -> MethodUsed {
        self.method()
    }

    /// Improves `pi` until no defect is above the target, or it gets no further.
    fn solve(
        &self,
        chain: &dyn TriangularSweep,
        pi: &mut [f64],
        target: f64,
        budget: &mut Iterations<'_, '_>,
    ) -> Result<(), Halt>;
}

/// Why an iterative method ended without an answer.
#[derive(Clone, Copy)]
pub(crate) enum Halt {
    Limit(Limit),
    /// It would take more than `Limits::memory`; the next method may need less.
    Memory,
    /// `Limits::iterations` is reached, or the end of a trial; the next method has as many.
    Iterations,
    /// The defects no longer fall; the next method may do better.
    Stagnated,
    /// After the iterations of a [probe](Iterations::probing) the defects are still large and hardly fall;
    /// another method may be faster.
    Slow,
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Halt {
        Halt::Limit(stopped.limit)
    }
}

/// The defect that a method is to reach in its first iterations. Polling with 12 stations reaches `1e-7`, a
/// Kanban system `1e-10`; a tandem queue, a closed network of 40 customers and a large cluster of
/// workstations are above `0.1`.
pub(crate) const SMALL: f64 = 1e-3;

/// Judges by the first iterations whether a method converges soon. Defects of Krylov methods go up and down,
/// so the least of ten iterations counts.
struct Probe {
    /// The iterations before a method is judged.
    first: u64,
    /// The defect that is small enough then.
    small: f64,
    /// The least defect of these ten iterations, and that of the ten before.
    least: f64,
    before: f64,
}

impl Probe {
    /// The iterations before a method is judged, with some patience and with more, and those between two
    /// judgements.
    const FIRST: u64 = 30;
    const FIRST_WITH_PATIENCE: u64 = 90;
    const BETWEEN: u64 = 10;

    fn new(small: f64, is_patient: bool) -> Probe {
        Probe::judging_after(if is_patient { Probe::FIRST_WITH_PATIENCE } else { Probe::FIRST }, small)
    }

    fn judging_after(first: u64, small: f64) -> Probe {
        Probe { first, small, least: f64::INFINITY, before: f64::INFINITY }
    }

    /// A probe of what begins after so many iterations: it judges as many later, and no earlier than this one
    /// would.
    fn after(&self, done: u64) -> Probe {
        let first = done.next_multiple_of(Probe::BETWEEN) + Probe::FIRST;
        Probe::judging_after(first.max(self.first), self.small)
    }

    /// A method whose defects fall by this factor in ten iterations is on its way, as a closed network of 20
    /// customers and a cluster of 16 workstations are.
    const FALL: f64 = 0.2;

    /// Records the defect of an iteration. Every ten iterations, it may give a verdict on the method.
    fn judge(&mut self, done: u64, defect: f64) -> Option<Verdict> {
        self.least = self.least.min(defect);
        if !done.is_multiple_of(Self::BETWEEN) {
            return None;
        }
        let least = std::mem::replace(&mut self.least, f64::INFINITY);
        let before = std::mem::replace(&mut self.before, least);
        let falls = least.is_finite() && least <= Self::FALL * before;
        // The defects of closed networks and of queues in a line rise from the first ten iterations to the
        // next.
        let rises = least > self.small.max(before) && self.first == Self::FIRST;
        match done >= self.first {
            true if least <= self.small => Some(Verdict::Quick),
            true if !falls => Some(Verdict::Slow),
            false if rises => Some(Verdict::Slow),
            _ => None,
        }
    }
}

/// Sees when a Krylov method goes no further: its residuals then go up and down near what rounding allows.
struct Stall {
    /// The defect from which on that is looked for.
    usable: f64,
    /// The iterations that have to halve the least defect.
    to_halve: u64,
    /// The least defect, and how many iterations ago one was half as large as the least before.
    least: f64,
    iterations: u64,
}

impl Stall {
    /// The fewest iterations that have to halve the least defect, and how many later it ends wherever the
    /// defect is.
    const TO_HALVE: u64 = 25;
    const IN_ANY_CASE: u64 = 10;

    fn new(usable: f64, to_halve: u64) -> Stall {
        Stall { usable, to_halve: to_halve.max(Self::TO_HALVE), least: f64::INFINITY, iterations: 0 }
    }

    /// Records the defect of an iteration; whether the method should end here, which it does where the defect
    /// is small.
    fn is_reached(&mut self, defect: f64) -> bool {
        self.iterations += 1;
        if defect <= 0.5 * self.least {
            (self.least, self.iterations) = (defect, 0);
        }
        let is_near = defect <= 2.0 * self.least || self.iterations >= self.to_halve + Self::IN_ANY_CASE;
        self.least <= self.usable && self.iterations >= self.to_halve && is_near
    }
}

/// What a probe shows.
#[derive(Debug, PartialEq)]
enum Verdict {
    Quick,
    Slow,
}

/// Counts iterations and watches the limits.
pub(crate) struct Iterations<'w, 'l> {
    watch: &'w mut Watch<'l>,
    /// The most iterations, and how many more were done [beside](Self::beside) these.
    most: u64,
    pub(crate) aside: u64,
    probe: Option<Probe>,
    stall: Option<Stall>,
    /// Whether the estimate that the method begins with has been swept.
    pub(crate) is_swept: bool,
    /// The defect at which a method may end after its first run, though its target is smaller. Zero if it has
    /// to reach the target.
    pub(crate) accepted: f64,
    /// A larger defect after a run of a method shows that rare states keep it from its target.
    pub(crate) hopeless: f64,
    pub(crate) done: u64,
    pub(crate) defect: f64,
    /// The largest negative value that the last correction left, which was set to zero.
    pub(crate) clipped: f64,
    /// Where the last correction of all states was negative; empty where a method makes none.
    pub(crate) is_negative: Vec<bool>,
}

impl<'w, 'l> Iterations<'w, 'l> {
    pub(crate) fn new(watch: &'w mut Watch<'l>, most: u64) -> Self {
        let (defect, clipped, is_negative) = (f64::INFINITY, 0.0, Vec::new());
        let (probe, stall, is_swept, accepted, hopeless) = (None, None, false, 0.0, f64::INFINITY);
        Iterations {
            watch,
            most,
            aside: 0,
            probe,
            stall,
            is_swept,
            accepted,
            hopeless,
            done: 0,
            defect,
            clipped,
            is_negative,
        }
    }

    /// The same, but a method that is slow ends early, unless it reaches a small defect, or somewhat later
    /// where it needs patience: at first nothing falls where parts of a chain are balanced in between, or
    /// where probability has far to go.
    pub(crate) fn probing(self, small: Option<f64>, is_patient: bool) -> Self {
        let probe = small.map(|small| Probe::new(small, is_patient));
        Iterations { probe, ..self }
    }

    /// A run of the method has reached its aim, and the next one begins with residuals of its own: those of
    /// rare states, which the correction left far from their balance, may be large, and are soon gone.
    pub(crate) fn begin_run(&mut self) {
        self.probe = self.probe.as_ref().map(|probe| probe.after(self.done));
    }

    /// Does work on a smaller chain, which may take as many iterations as there may be on this one. They are
    /// counted, but not taken away from these. `None` if it ends without a result for another reason than a
    /// limit.
    pub(crate) fn beside<R>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<R, Halt>,
    ) -> Result<Option<R>, Halt> {
        self.beside_with(self.most, work)
    }

    /// The same where the work may take so many iterations.
    pub(crate) fn beside_with<R>(
        &mut self,
        most: u64,
        work: impl FnOnce(&mut Self) -> Result<R, Halt>,
    ) -> Result<Option<R>, Halt> {
        let (before, aside) = (self.done, self.aside);
        // What counts meanwhile are the iterations of the work alone.
        self.aside = before;
        let of_all = self.most;
        self.most = most.min(of_all);
        let result = work(self);
        self.most = of_all;
        self.aside = aside + (self.done - before);
        match result {
            Ok(result) => Ok(Some(result)),
            Err(Halt::Limit(limit)) => Err(Halt::Limit(limit)),
            Err(_) => Ok(None),
        }
    }

    /// As many iterations as were done may follow once more, up to the most that there may be of any method.
    pub(crate) fn allow_as_many(&mut self, most_of_all: u64) {
        self.most = most_of_all.min(self.most.saturating_add(self.done - self.aside)).max(self.most);
    }

    /// The method was not slow.
    pub(crate) fn end_probe(&mut self) {
        self.probe = None;
    }

    /// From a defect on that is usable, a method stagnates if its residuals no longer fall: if so many
    /// iterations do not halve them, or 25 if that is more.
    pub(crate) fn stalling(&mut self, usable: f64, to_halve: u64) {
        self.stall = Some(Stall::new(usable, to_halve));
    }

    /// Residuals may fall as slowly as they like.
    pub(crate) fn end_stalling(&mut self) {
        self.stall = None;
    }

    /// Counts one iteration that reached a defect.
    #[cfg_attr(test, track_caller)]
    pub(crate) fn count(&mut self, defect: f64) -> Result<(), Halt> {
        self.done += 1;
        let progress = Progress::Iterating { iterations: self.done, residual: defect };
        self.watch.check(|| progress).map_err(Halt::Limit)?;
        let verdict = self.probe.as_mut().and_then(|probe| probe.judge(self.done, defect));
        if verdict == Some(Verdict::Quick) {
            self.end_probe();
        }
        match self.done - self.aside >= self.most {
            true => Err(Halt::Iterations),
            false if verdict == Some(Verdict::Slow) => Err(Halt::Slow),
            false if self.stall.as_mut().is_some_and(|stall| stall.is_reached(defect)) => {
                self.defect = defect;
                Err(Halt::Stagnated)
            }
            false => Ok(()),
        }
    }

    /// Looks at the limits between iterations.
    pub(crate) fn look(&mut self) -> Result<(), Halt> {
        check(self.watch)
    }

    /// Remembers in which states a correction was negative, if it was made at a defect well above rounding.
    /// What it added to all states in proportion to what is there now does not count, since estimates are
    /// scaled to sum one.
    pub(crate) fn remember(
        &mut self,
        defect: f64,
        (corrections, corrected): (&[f64], &[f64]),
        threads: usize,
    ) {
        const WELL_ABOVE_ROUNDING: f64 = 1e-10;
        if defect > WELL_ABOVE_ROUNDING {
            let [correction, all] = sums(threads, corrected.len(), |block| {
                [total(&corrections[block.clone()]), total(&corrected[block])]
            });
            let share = correction / all;
            self.is_negative.resize(corrected.len(), false);
            in_parts(threads, &mut self.is_negative, |first, is_negative| {
                let pairs = corrections[first..].iter().zip(&corrected[first..]);
                for (is_negative, (correction, value)) in is_negative.iter_mut().zip(pairs) {
                    *is_negative = *correction < share * value;
                }
            });
        }
    }

    /// What watches the limits.
    pub(crate) fn watch(&mut self) -> &mut Watch<'l> {
        self.watch
    }
}

/// Looks at the limits where no iteration is counted.
#[cfg_attr(test, track_caller)]
pub(crate) fn check(watch: &mut Watch<'_>) -> Result<(), Halt> {
    watch.check(|| Progress::Preparing).map_err(Halt::Limit)
}

#[cfg(test)]
mod tests {
    use super::{Iterations, Probe, SMALL, Stall, Verdict};
    use crate::limits::{Limits, Watch};

    /// A correction may add more to every state, in proportion to what is there, than it changes the
    /// proportions by.
    #[test]
    fn what_a_correction_adds_in_proportion_has_no_sign() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let mut budget = Iterations::new(&mut watch, 1);
        let (before, changes) = ([0.4, 0.3, 0.2, 0.1], [0.01, -0.01, 0.02, -0.02]);
        for scale in [-0.5, 0.0, 3.0] {
            let corrections: Vec<f64> =
                before.iter().zip(changes).map(|(value, change)| scale * value + change).collect();
            let after: Vec<f64> =
                before.iter().zip(&corrections).map(|(value, change)| value + change).collect();
            budget.remember(1.0, (&corrections, &after), 1);
            assert_eq!(budget.is_negative, [false, true, false, true], "{scale}");
        }
    }

    #[test]
    fn iterations_beside_take_none_away() {
        let limits = Limits::default();
        let mut watch = Watch::start(&limits);
        let mut budget = Iterations::new(&mut watch, 10);
        let count = |budget: &mut Iterations<'_, '_>, most: usize| -> usize {
            (0..most).take_while(|_| budget.count(1.0).is_ok()).count()
        };
        assert_eq!(count(&mut budget, 3), 3);
        let within = budget.beside(|budget| Ok(count(budget, 8)));
        assert!(within.is_ok_and(|done| done == Some(8)) && budget.done == 11);
        let beyond = budget.beside(|budget| (0..20).try_for_each(|_| budget.count(1.0)));
        assert!(beyond.is_ok_and(|done| done.is_none()) && budget.done == 21);
        // The fifth of five iterations is refused already, and so is the tenth of ten.
        let within_few = budget.beside_with(5, |budget| Ok(count(budget, 20)));
        assert!(within_few.is_ok_and(|done| done == Some(4)) && budget.done == 26);
        assert_eq!(count(&mut budget, 20), 6);
    }

    #[test]
    fn an_answer_may_be_estimated_in_as_many_iterations_as_it_took() {
        let limits = Limits::default();
        let count = |most_of_all: u64| {
            let mut watch = Watch::start(&limits);
            let mut budget = Iterations::new(&mut watch, 10);
            (0..8).for_each(|_| assert!(budget.count(1.0).is_ok()));
            budget.allow_as_many(most_of_all);
            (0..100).take_while(|_| budget.count(1.0).is_ok()).count()
        };
        // The last iteration of those allowed is refused.
        assert_eq!([count(10), count(14), count(100)], [1, 5, 9]);
    }

    fn verdict(defects: impl Iterator<Item = f64>) -> Option<(u64, Verdict)> {
        verdict_of(Probe::new(SMALL, false), 1, defects)
    }

    fn verdict_of(
        mut probe: Probe,
        first: u64,
        defects: impl Iterator<Item = f64>,
    ) -> Option<(u64, Verdict)> {
        let mut judged = (first..).zip(defects).map(|(done, defect)| (done, probe.judge(done, defect)));
        judged.find_map(|(done, verdict)| verdict.map(|verdict| (done, verdict)))
    }

    #[test]
    fn a_method_that_goes_no_further_ends_where_its_defect_is_small() {
        let ends_after = |defects: &[f64]| {
            let mut stall = Stall::new(1e-12, 0);
            defects.iter().position(|&defect| stall.is_reached(defect))
        };
        let falling: Vec<f64> = (0..60).map(|step| 0.5_f64.powi(step)).collect();
        assert_eq!(ends_after(&falling), None);
        // From the first small one on the residuals go up and down, and it ends at one of those that are
        // down.
        let lost: Vec<f64> = falling.iter().take(45).copied().chain(std::iter::repeat_n(1e-10, 60)).collect();
        assert_eq!(ends_after(&lost), Some(44 + 35));
        let dithering = |least: f64| {
            let last = (0..60).map(move |step| if step % 7 == 2 { least } else { 40.0 * least });
            falling[..30].iter().copied().chain(last).collect::<Vec<_>>()
        };
        assert_eq!(ends_after(&dithering(1e-13)), Some(30 + 2 + 28));
        assert_eq!(ends_after(&dithering(1e-11)), None);
    }

    #[test]
    fn a_probe_ends_when_defects_are_small_or_hardly_fall() {
        let falling = |factor: f64, from: f64| (0..200).map(move |step| from * factor.powi(step));
        assert_eq!(verdict(falling(0.7, 10.0)), Some((30, Verdict::Quick)));
        assert_eq!(verdict(falling(0.95, 10.0)), Some((30, Verdict::Slow)));
        // What falls fast is waited for, and no longer than it does.
        assert_eq!(verdict(falling(0.7, 1e5)), Some((60, Verdict::Quick)));
        let stops = (0..200).map(|step| if step < 45 { 1e6 * 0.7_f64.powi(step) } else { 0.5 });
        assert_eq!(verdict(stops), Some((60, Verdict::Slow)));
        // Ten iterations that reach no less than the ten before are enough, unless patience is needed.
        let rising = |factor: f64| (0..200).map(move |step| if step < 10 { 1.0 } else { factor });
        assert_eq!(verdict(rising(1.5)), Some((20, Verdict::Slow)));
        assert_eq!(verdict(rising(0.9)), Some((30, Verdict::Slow)));
        let mut patient = Probe::new(SMALL, true);
        assert!((1..90).all(|done| patient.judge(done, 1.0 + done as f64).is_none()));
        // A run that begins after 17 iterations has as many as one that begins at once, and may rise from the
        // first ten to the next.
        let of_run = |defects: &mut dyn Iterator<Item = f64>| {
            verdict_of(Probe::new(SMALL, false).after(17), 18, defects)
        };
        assert_eq!(of_run(&mut rising(1.5)), Some((50, Verdict::Slow)));
        assert_eq!(of_run(&mut falling(0.5, 1e14)), Some((80, Verdict::Quick)));
        // A single rise says nothing, and what is no number is slow.
        let rises = (1..=200).map(|step| if step % 10 == 0 { 1e3 } else { 10.0 * 0.7_f64.powi(step) });
        assert_eq!(verdict(rises), Some((30, Verdict::Quick)));
        assert_eq!(verdict(std::iter::repeat_n(f64::NAN, 200)), Some((30, Verdict::Slow)));
    }
}
