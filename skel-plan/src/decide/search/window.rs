//! A tighter bound for pipelines: how fast a few neighbouring stages would be if the stages around them never
//! made them wait.
//!
//! Let `M_i(k)` be the time at which move `i` is completed for the k-th time, and `P_i(k)` that for
//! computation `i`. Let `A_i(k)` and `B_i(k)` be their durations, which are independent. A move begins as
//! soon as the stage before it has computed its item and the stage behind it has sent its last one:
//!
//! ```text
//! M_i(k) = max(P_{i-1}(k), M_{i+1}(k-1)) + A_i(k)
//! P_i(k) = M_i(k) + B_i(k)
//! ```
//!
//! A move or a computation that has begun is never interrupted, since processors and network offer everything
//! at any time. So these equations describe the whole model. Every time grows with the other times and with
//! every duration. If the stages around a window are left out, some terms of the maxima at the two ends of
//! the window are left out, and no time becomes later. If a rate is raised, its durations become shorter. So
//! the throughput of a window, at rates that are not lower, is an upper bound on the throughput of the whole
//! pipeline. A window of one stage has the throughput of one task alone. (With farms this does not hold: a
//! faster worker may get more work than is good for the whole.)
//!
//! None of this depends on the distributions of the durations. The duration of a computation is one over its
//! rate, times a duration of mean 1 that no mapping changes. So it becomes shorter with a higher rate
//! whatever its shape is, as long as the window has the stages with their own shapes.
//!
//! Reference: F. Baccelli, G. Cohen, G. J. Olsder and J.-P. Quadrat, *Synchronization and Linearity*, Wiley,
//! 1992, chapter 7.

use std::collections::HashMap;

use skel_core::number::Ratio;
use skel_core::rate::Rate;
use skel_solve::Error;
use skel_solve::steady::Options;

use super::bound::{BestRates, ROUNDING};
use crate::evaluate::{Job, SharedSpace, Throughputs};
use crate::program::{Application, Rates, states_of_pipeline};

/// How many stages the windows have, the quick ones first. If all times are exponential, they have 27, 243
/// and 2,187 states.
const STAGES: [usize; 3] = [3, 5, 7];

/// The most states of a window. Times of many phases have more, and such a window is left out.
const MOST_STATES: u128 = 2_187;

/// Windows of each size that take much less time than the whole pipeline, the quick ones first. Other
/// programs have none.
pub(super) fn windows_by_size(application: &Application) -> Result<Vec<Windows>, Error> {
    let tasks = if application.is_pipeline() { application.task_count() } else { 0 };
    let is_quick = |stages: &usize| stages + stages / 3 <= tasks;
    STAGES.into_iter().filter(is_quick).map(|stages| Windows::new(stages, application)).collect()
}

/// Windows of one size. Each is solved once.
pub(super) struct Windows {
    stages: usize,
    /// For each first stage of a window the number of its program, unless it has too many states.
    kinds: Vec<Option<usize>>,
    /// The programs, which differ in the shapes of their times.
    programs: Vec<(Application, SharedSpace)>,
    /// The throughputs by the number of the program and the rates.
    solved: HashMap<(usize, Vec<u64>), f64>,
}

impl Windows {
    fn new(stages: usize, whole: &Application) -> Result<Windows, Error> {
        let (mut kinds, mut programs) = (Vec::new(), Vec::<(Application, SharedSpace)>::new());
        for first in 0..=whole.task_count() - stages {
            let shapes = || whole.tasks[first..first + stages].iter().map(|task| task.service.shape());
            if states_of_pipeline(shapes()) > MOST_STATES {
                kinds.push(None);
                continue;
            }
            let is_known = |(known, _): &(Application, SharedSpace)| {
                known.tasks.iter().map(|task| task.service.shape()).eq(shapes())
            };
            let known = programs.iter().position(is_known);
            kinds.push(Some(known.unwrap_or(programs.len())));
            if known.is_none() {
                let window = whole.window(first..first + stages)?;
                let space = SharedSpace::new(&window);
                programs.push((window, space));
            }
        }
        Ok(Windows { stages, kinds, programs, solved: HashMap::new() })
    }

    /// The lowest throughput of the windows among the first `placed` stages, at these rates.
    pub(super) fn bound(&mut self, rates: &BestRates, placed: usize, job: &Job<'_>) -> Result<f64, Error> {
        let mut least = f64::INFINITY;
        for first in 0..(placed + 1).saturating_sub(self.stages) {
            let Some(kind) = self.kinds[first] else { continue };
            let tasks = &rates.tasks[first..first + self.stages];
            let moves = &rates.moves[first..=first + self.stages];
            least = least.min(self.throughput(kind, tasks, moves, job)?);
        }
        Ok(least * (1.0 + ROUNDING))
    }

    fn throughput(&mut self, kind: usize, tasks: &[f64], moves: &[f64], job: &Job<'_>) -> Result<f64, Error> {
        let key = (kind, tasks.iter().chain(moves).map(|rate| rate.to_bits()).collect());
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
        let (application, space) = &self.programs[kind];
        let solved = space.solve(&rates, &job.remaining_limits()?, &Options::default());
        let pi = match solved.map_err(|error| job.as_limit_of_job(error)) {
            // Without a certain answer this window is no bound.
            Err(Error::NotConverged(_)) => return Ok(f64::INFINITY),
            solved => solved?,
        };
        let throughput = Throughputs::from_steady_state(application, &pi).of_program(application);
        self.solved.insert(key, throughput);
        Ok(throughput)
    }
}
