//! A sharper bound for pipelines: what a few neighbouring stages could do if those around them never made them wait.
//!
//! Write `M_i(k)` for the time at which move `i` is done for the k-th time, `P_i(k)` for computation `i`, and `A_i(k)`, `B_i(k)`
//! for how long they last: independent, exponentially distributed. A move begins when the stage before it has its item and
//! the stage behind it has sent its last one:
//!
//! ```text
//! M_i(k) = max(P_{i-1}(k), M_{i+1}(k-1)) + A_i(k)
//! P_i(k) = M_i(k) + B_i(k)
//! ```
//!
//! Nothing that has begun is ever given up, since processors and network offer everything always; so these equations are
//! the whole space. All times grow with each of the others and with each duration. To leave out the stages around a window
//! is to leave terms out of the maxima at its two ends, which makes no time later; to raise a rate shortens durations. So
//! the throughput of a window, at rates that are not lower, is a bound on that of the whole. A window of one stage is
//! what it can do alone. (With farms this fails: who is faster may get more work than is good for the whole.)
//!
//! Reference: F. Baccelli, G. Cohen, G. J. Olsder and J.-P. Quadrat, *Synchronization and Linearity*, Wiley, 1992, chapter 7.

use std::collections::HashMap;

use skel_core::number::Ratio;
use skel_core::rate::Rate;
use skel_solve::Error;
use skel_solve::steady::Options;

use super::bound::{BestRates, ROUNDING};
use crate::evaluate::{Job, SharedSpace, Throughputs};
use crate::program::{Application, Rates, Stage};
use crate::quantity::{Data, Work};

/// The stages of windows, the quick ones first: 27, 243 and 2,187 states.
const STAGES: [usize; 3] = [3, 5, 7];

/// Windows of each size, the quick ones first; those that take much less time than the whole, and none where it is no pipeline.
pub(super) fn windows_by_size(application: &Application) -> Result<Vec<Windows>, Error> {
    let tasks = if application.is_pipeline() { application.task_count() } else { 0 };
    let is_quick = |stages: &usize| stages + stages / 3 <= tasks;
    STAGES.into_iter().filter(is_quick).map(Windows::new).collect()
}

/// Solves windows of one size, each once.
pub(super) struct Windows {
    stages: usize,
    application: Application,
    space: SharedSpace,
    solved: HashMap<Vec<u64>, f64>,
}

impl Windows {
    fn new(stages: usize) -> Result<Windows, Error> {
        let alike = (0..stages).map(|_| Stage::new(Work::units(1)));
        let application = Application::pipeline(alike, Data::bytes(1))?;
        let space = SharedSpace::new(&application);
        Ok(Windows { stages, application, space, solved: HashMap::new() })
    }

    /// The least throughput of the windows of the first stages, `placed` in number, at these rates.
    pub(super) fn bound(&mut self, rates: &BestRates, placed: usize, job: &Job<'_>) -> Result<f64, Error> {
        let mut least = f64::INFINITY;
        for first in 0..(placed + 1).saturating_sub(self.stages) {
            let tasks = &rates.tasks[first..first + self.stages];
            let moves = &rates.moves[first..=first + self.stages];
            least = least.min(self.throughput(tasks, moves, job)?);
        }
        Ok(least * (1.0 + ROUNDING))
    }

    fn throughput(&mut self, tasks: &[f64], moves: &[f64], job: &Job<'_>) -> Result<f64, Error> {
        let key: Vec<u64> = tasks.iter().chain(moves).map(|rate| rate.to_bits()).collect();
        if let Some(&solved) = self.solved.get(&key) {
            return Ok(solved);
        }
        if tasks.iter().chain(moves).any(|rate| rate.is_infinite()) {
            return Ok(f64::INFINITY);
        }
        let exact = |rates: &[f64]| -> Option<Vec<Ratio>> {
            rates.iter().map(|&rate| Rate::from(rate).to_positive().ok()).collect()
        };
        // A rate below all that a float can be: there is no link, or it is as good as none.
        let (Some(tasks), Some(moves)) = (exact(tasks), exact(moves)) else { return Ok(0.0) };
        let rates = Rates { tasks, moves };
        let solved = self.space.solve(&rates, &job.remaining_limits()?, &Options::default());
        let pi = match solved.map_err(|error| job.as_limit_of_job(error)) {
            // No bound is missed but this one.
            Err(Error::NotConverged(_)) => return Ok(f64::INFINITY),
            solved => solved?,
        };
        let throughput = Throughputs::from_steady_state(&self.application, &pi).of_program(&self.application);
        self.solved.insert(key, throughput);
        Ok(throughput)
    }
}
