//! The Markov chain of a calibrated program, within a budget.
//!
//! The chain is as large as its times are steady: a time of scv 1/16 takes 16 phases, and several such tasks multiply. So the fits are
//! made coarser until the chain is within the limits: times that vary less than one in 32, 16, 8, 4 and 2 are taken for
//! times that vary so much, and in the end all times are exponential. What was given up is said.

use std::time::{Duration, Instant};

use skel_core::number::Number;
use skel_core::skeleton::{Communication, Program, Tree};
use skel_core::time::{LEAST_VARIATION, ServiceTime};
use skel_solve::error::Stopped;
use skel_solve::limits::Limit;
use skel_solve::{Error, Limits, Perform};

use super::shares::Shares;
use crate::report::calibration::Calibrated;

/// Moves that take less than this part of the shortest service time are taken to take none.
const NEGLIGIBLE: f64 = 1e-3;

/// A solution of the chain.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    /// Parcels per second.
    pub(super) throughput: f64,
    /// What each task does.
    pub(super) shares: Vec<Shares>,
    /// What the model assumes, a sentence each.
    pub(super) assumptions: Vec<String>,
    /// The least variation that was kept: times that vary less have this scv.
    pub(super) least_variation: f64,
    /// The limit that a chain with finer fits reached.
    pub(super) coarser_because: Option<Stopped>,
}

/// No chain is within the limits.
#[derive(Clone, Debug)]
pub(super) enum NoSolution {
    /// Not even that with exponential times.
    TooLarge(Stopped),
    /// There is none, or it cannot be solved.
    Failed(Error),
}

/// The largest budget unless another one is given: what takes seconds at most.
pub(in crate::report) fn default_limits() -> Limits {
    Limits { states: 100_000, memory: 1 << 30, time: Some(Duration::from_secs(5)), ..Limits::default() }
}

/// Solves the chain of a program with the finest fits that the limits allow; their time is that of all attempts together.
pub(super) fn solve(calibrated: &Calibrated, limits: &Limits) -> Result<Solution, NoSolution> {
    let begin = Instant::now();
    let program = with_moves(calibrated);
    let mut tried: Option<Tree> = None;
    let mut reached: Option<Stopped> = None;
    for phases in [LEAST_VARIATION, 32, 16, 8, 4, 2, 1] {
        let tree = coarser(program.skeleton(), phases);
        if tried.as_ref() == Some(&tree) {
            continue;
        }
        let attempt = program.with_skeleton(tree.clone());
        tried = Some(tree);
        let left = limits.time.map(|time| time.saturating_sub(begin.elapsed()) / 2);
        match attempt.evaluator().limits(&Limits { time: left, ..limits.clone() }).evaluate() {
            Ok(performance) => {
                let share = |id| Shares {
                    id,
                    busy: performance.busy_at(id),
                    starved: Some(performance.starved_at(id)),
                    blocked: Some(performance.blocked_at(id)),
                };
                return Ok(Solution {
                    throughput: *performance.throughput(),
                    shares: calibrated.tasks.iter().map(|task| share(task.id)).collect(),
                    assumptions: performance.system().assumptions(),
                    least_variation: 1.0 / phases as f64,
                    coarser_because: reached,
                });
            }
            Err(Error::Stopped(stopped)) if stopped.limit != Limit::Cancelled => {
                reached.get_or_insert(stopped);
            }
            Err(error) => return Err(NoSolution::Failed(error)),
        }
    }
    Err(NoSolution::TooLarge(reached.expect("the last attempt was stopped")))
}

/// The program, with moves that take no time where the hop is short beside all services: the chain is then smaller, and not stiff.
fn with_moves(calibrated: &Calibrated) -> Program<Tree> {
    let program = calibrated.program.clone();
    match are_moves_negligible(calibrated) {
        true => program.with_communication(Communication::negligible()),
        false => program,
    }
}

/// Whether moves take so little time that the chain leaves it out.
pub(super) fn are_moves_negligible(calibrated: &Calibrated) -> bool {
    let shortest = calibrated.tasks.iter().map(|task| task.fitted.mean).fold(f64::INFINITY, f64::min);
    calibrated.hop.as_secs_f64() < NEGLIGIBLE * shortest
}

/// The tree with times that have so many phases at most; all are exponential if that is one.
fn coarser(tree: &Tree, phases: i64) -> Tree {
    if phases == 1 {
        return tree.exponential();
    }
    tree.with_times(&|_, time: &ServiceTime| match time.scv().to_float() < 1.0 / phases as f64 {
        true => time.as_erlang(phases as u32),
        false => time.clone(),
    })
}
