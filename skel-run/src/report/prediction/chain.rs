//! The Markov chain of a calibrated program, within a budget.
//!
//! The chain is as large as its times are steady: a time of scv 1/16 takes 16 phases, and several such tasks
//! multiply. So the fits are made coarser until the chain is within the limits: times that vary less than
//! 1/32, 1/16, 1/8, 1/4, 1/2 and 1 are taken for times that vary so much, and in the end all times are
//! exponential. What is lost is made good by `extrapolation`, and what was done is said.

use std::time::{Duration, Instant};

use skel_core::skeleton::{Communication, Program, Tree};
use skel_core::time::{LEAST_VARIATION, ServiceTime};
use skel_solve::error::Stopped;
use skel_solve::limits::Limit;
use skel_solve::{Error, Limits, Perform};

use super::extrapolation;
use super::shares::Shares;
use super::solution::{Grain, Solution};
use crate::report::calibration::Calibrated;

/// Moves that take less than this part of the shortest service time are taken to take none.
const NEGLIGIBLE: f64 = 1e-3;

/// The grains, from the finest to the coarsest.
const GRAINS: [Grain; 8] = [
    Grain::Phases(LEAST_VARIATION as u32),
    Grain::Phases(32),
    Grain::Phases(16),
    Grain::Phases(8),
    Grain::Phases(4),
    Grain::Phases(2),
    Grain::Phases(1),
    Grain::Exponential,
];

/// No chain is within the limits.
#[derive(Clone, Debug)]
pub(super) enum NoSolution {
    /// Not even that with exponential times.
    TooLarge(Stopped),
    /// There is none, or it cannot be solved.
    Failed(Error),
}

/// The budget unless another one is given. The states bound the time to some seconds; the limit of time is
/// for machines that are very slow, since an answer must not depend on what else a machine does.
pub(in crate::report) fn default_limits() -> Limits {
    Limits { states: 50_000, memory: 1 << 30, time: Some(Duration::from_secs(60)), ..Limits::default() }
}

/// Solves the chain of a program with the finest fits that the limits allow; their time is that of all
/// attempts together.
pub(super) fn solve(calibrated: &Calibrated, limits: &Limits) -> Result<Solution, NoSolution> {
    let attempts = Attempts { calibrated, program: with_moves(calibrated), limits, begin: Instant::now() };
    let mut tried: Option<Tree> = None;
    let mut reached: Option<Stopped> = None;
    for (place, grain) in GRAINS.into_iter().enumerate() {
        let tree = attempts.tree(grain);
        if tried.as_ref() == Some(&tree) {
            continue;
        }
        match attempts.solve(&tree, grain) {
            Ok(mut solution) => {
                solution.coarser_because = reached;
                let coarser = GRAINS[place..].iter().find(|&&coarser| attempts.tree(coarser) != tree);
                if let (Some(_), Some(&coarser @ Grain::Phases(_))) = (&solution.coarser_because, coarser)
                    && let Ok(other) = attempts.solve(&attempts.tree(coarser), coarser)
                {
                    extrapolation::extrapolate(&mut solution, &other, calibrated);
                }
                return Ok(solution);
            }
            Err(Error::Stopped(stopped)) if stopped.limit != Limit::Cancelled => {
                reached.get_or_insert(stopped);
                tried = Some(tree);
            }
            Err(error) => return Err(NoSolution::Failed(error)),
        }
    }
    Err(NoSolution::TooLarge(reached.expect("an attempt was stopped")))
}

/// Attempts at the chain of a program, within one time.
struct Attempts<'a> {
    calibrated: &'a Calibrated,
    program: Program<Tree>,
    limits: &'a Limits,
    begin: Instant,
}

impl Attempts<'_> {
    fn tree(&self, grain: Grain) -> Tree {
        let tree = self.program.skeleton();
        match grain {
            Grain::Exponential => tree.exponential(),
            Grain::Phases(_) => tree.with_times(&|_, time: &ServiceTime| grain.of(time)),
        }
    }

    /// Solves the chain with these times, in half of the time that is left.
    fn solve(&self, tree: &Tree, grain: Grain) -> Result<Solution, Error> {
        let program = self.program.with_skeleton(tree.clone());
        let time = self.limits.time.map(|time| time.saturating_sub(self.begin.elapsed()) / 2);
        let performance = program.evaluator().limits(&Limits { time, ..self.limits.clone() }).evaluate()?;
        let share = |id| Shares {
            id,
            busy: performance.busy_at(id),
            starved: Some(performance.starved_at(id)),
            blocked: Some(performance.blocked_at(id)),
            waiting: Some(performance.waiting_at(id)),
        };
        Ok(Solution {
            throughput: *performance.throughput(),
            shares: self.calibrated.tasks.iter().map(|task| share(task.id)).collect(),
            assumptions: performance.system().assumptions(),
            grain,
            coarser_because: None,
            extrapolation: None,
        })
    }
}

/// The program, with moves that take no time where the hop is short beside all services: the chain is then
/// smaller, and not stiff.
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
