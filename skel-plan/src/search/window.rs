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
//! the whole model. All times grow with each of the others and with each duration. To leave out the stages around a window
//! is to leave terms out of the maxima at its two ends, which makes no time later; to raise a rate shortens durations. So
//! the throughput of a window, at rates that are not lower, is a bound on that of the whole. A window of one stage is
//! what it can do alone. (With farms this fails: who is faster may get more work than is good for the whole.)
//!
//! Reference: F. Baccelli, G. Cohen, G. J. Olsder and J.-P. Quadrat, *Synchronization and Linearity*, Wiley, 1992, chapter 7.

use std::collections::HashMap;

use skel_core::number::Ratio;
use skel_core::rate::Rate;
use skel_solve::{Error, Limits};

use super::bound::{BestRates, ROUNDING};
use crate::application::{Application, Stage};
use crate::mapping::Rates;
use crate::quantity::{Data, Work};
use crate::structure::{Flows, Structure};

/// The stages of a window: 27 states, a twentieth of a millisecond.
const STAGES: usize = 3;

/// Solves windows, each once.
pub(super) struct Windows {
    application: Application,
    structure: Structure,
    known: HashMap<[u64; 2 * STAGES + 1], f64>,
}

impl Windows {
    /// Windows of an application; none where they would not be smaller than the whole, or it is no pipeline.
    pub(super) fn of(application: &Application) -> Result<Option<Windows>, Error> {
        if !application.has_ends() || application.tasks() <= STAGES {
            return Ok(None);
        }
        let stages = (0..STAGES).map(|_| Stage::new(Work::units(1)));
        let application = Application::pipeline(stages, Data::bytes(1))?;
        let structure = Structure::of(&application)?;
        Ok(Some(Windows { application, structure, known: HashMap::new() }))
    }

    /// The least throughput of the windows of the first stages, `placed` in number, at these rates.
    pub(super) fn bound(&mut self, rates: &BestRates, placed: usize, limits: &Limits) -> Result<f64, Error> {
        let mut least = f64::INFINITY;
        for first in 0..(placed + 1).saturating_sub(STAGES) {
            let tasks = &rates.tasks[first..first + STAGES];
            let moves = &rates.moves[first..=first + STAGES];
            least = least.min(self.throughput(tasks, moves, limits)?);
        }
        Ok(least * (1.0 + ROUNDING))
    }

    fn throughput(&mut self, tasks: &[f64], moves: &[f64], limits: &Limits) -> Result<f64, Error> {
        let mut key = [0; 2 * STAGES + 1];
        key.iter_mut().zip(tasks.iter().chain(moves)).for_each(|(bits, rate)| *bits = rate.to_bits());
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let exact = |rates: &[f64]| -> Option<Vec<Ratio>> {
            rates.iter().map(|&rate| Rate::from(rate).to_positive().ok()).collect()
        };
        // A rate of zero: there is no link.
        let (Some(tasks), Some(moves)) = (exact(tasks), exact(moves)) else { return Ok(0.0) };
        let pi = self.structure.solve(&Rates { tasks, moves }, limits, &Default::default())?;
        let throughput = Flows::of(&self.application, &pi)?.throughput(&self.application);
        self.known.insert(key, throughput);
        Ok(throughput)
    }
}
