//! What is answered of a passage.

use skel::passage::Way;

use crate::errors::Problem;
use crate::random_time::RandomTime;
use crate::solve::answer::Chain;

/// Everything that is printed.
pub(super) struct Answer {
    pub(super) chain: Chain,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) way: Way,
    /// The states before the end.
    pub(super) states: usize,
    pub(super) is_over_at_once: bool,
    pub(super) time: RandomTime,
    /// How long it took, in seconds.
    pub(super) solved_in: f64,
}

impl Answer {
    /// What is worth a look in the question.
    pub(super) fn warning(&self) -> Option<Problem> {
        self.is_over_at_once.then(|| {
            let mut problem = Problem::error(
                "passage_over_at_once",
                format!(
                    "every passage is over when it begins: `{}` is reached with `{}`",
                    self.to, self.from
                ),
            );
            problem.severity = skel::diagnostic::Severity::Warning;
            problem.help("so its time is 0; name another end")
        })
    }
}
