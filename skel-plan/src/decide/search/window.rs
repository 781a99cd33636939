//! A tighter bound for pipelines: how fast a few neighbouring stages would be if the stages around them never made them wait.
//!
//! Let `M_i(k)` be the time at which move `i` is completed for the k-th time, and `P_i(k)` that for computation `i`. Let `A_i(k)` and
//! `B_i(k)` be their durations, which are independent and exponentially distributed. A move begins as soon as the stage before it has
//! computed its item and the stage behind it has sent its last one:
//!
//! ```text
//! M_i(k) = max(P_{i-1}(k), M_{i+1}(k-1)) + A_i(k)
//! P_i(k) = M_i(k) + B_i(k)
//! ```
//!
//! A move or a computation that has begun is never interrupted, since processors and network offer everything at any time. So
//! these equations describe the whole model. Every time grows with the other times and with every duration. If the stages around a
//! window are left out, some terms of the maxima at the two ends of the window are left out, and no time becomes later. If a rate is
//! raised, its durations become shorter. So the throughput of a window, at rates that are not lower, is an upper bound on the
//! throughput of the whole pipeline. A window of one stage has the throughput of one task alone. (With farms this does not hold: a
//! faster worker may get more work than is good for the whole.)
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

/// How many stages the windows have, the quick ones first. They have 27, 243 and 2,187 states.
const STAGES: [usize; 3] = [3, 5, 7];

/// Windows of each size that take much less time than the whole pipeline, the quick ones first. Other programs have none.
pub(super) fn windows_by_size(application: &Application) -> Result<Vec<Windows>, Error> {
    let tasks = if application.is_pipeline() { application.task_count() } else { 0 };
    let is_quick = |stages: &usize| stages + stages / 3 <= tasks;
    STAGES.into_iter().filter(is_quick).map(Windows::new).collect()
}

/// Windows of one size. Each is solved once.
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

    /// The lowest throughput of the windows among the first `placed` stages, at these rates.
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
        // A rate that is too small for a float is as good as zero, which stands for a missing link.
        let (Some(tasks), Some(moves)) = (exact(tasks), exact(moves)) else { return Ok(0.0) };
        let rates = Rates { tasks, moves };
        let solved = self.space.solve(&rates, &job.remaining_limits()?, &Options::default());
        let pi = match solved.map_err(|error| job.as_limit_of_job(error)) {
            // Without a certain answer this window is no bound.
            Err(Error::NotConverged(_)) => return Ok(f64::INFINITY),
            solved => solved?,
        };
        let throughput = Throughputs::from_steady_state(&self.application, &pi).of_program(&self.application);
        self.solved.insert(key, throughput);
        Ok(throughput)
    }
}
