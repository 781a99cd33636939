//! What the timed runs of one execution have in common.

use super::TimedRun;

/// One execution of a program: the size of its problem, the number of its processes, and which repetition it
/// is. All its segments have these in common.
///
/// # Examples
/// ```
/// use skel_fit::runs::Trial;
/// let trial = Trial::new(1000.0).processes(4).number(2);
/// let run = trial.timed("rows", "bio", 0.82);
/// assert_eq!((run.n, run.p, run.run), (1000.0, 4, 2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    n: f64,
    p: u32,
    run: u32,
}

impl Trial {
    /// The first execution with a problem of this size, in one process.
    #[must_use]
    pub fn new(n: f64) -> Self {
        Trial { n, p: 1, run: 1 }
    }

    /// The same with so many processes.
    #[must_use]
    pub fn processes(self, p: u32) -> Self {
        Trial { p, ..self }
    }

    /// The same as the repetition of this number, from 1.
    #[must_use]
    pub fn number(self, run: u32) -> Self {
        Trial { run, ..self }
    }

    /// A timed run of a segment in it.
    #[must_use]
    pub fn timed(self, segment: &str, machine: &str, seconds: f64) -> TimedRun {
        let Trial { n, p, run } = self;
        TimedRun { segment: segment.to_owned(), machine: machine.to_owned(), n, p, seconds, run }
    }
}
