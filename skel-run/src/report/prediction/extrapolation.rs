//! From chains whose times vary more than was measured to the times as they are.
//!
//! A chain with steady times is large. Where only those with less steady ones are within the limits, the two
//! finest of them are extrapolated, linearly in the standard deviations of the times. That throughput is
//! nearly linear in these is known of long queues, and it was measured here: simulated pipes and farms with
//! Erlang 16 times differ from chains of Erlang 4 times by up to 6 %, and from this extrapolation by up to 1
//! %; with constant times and an exponential one among them by up to 2 %. So this is an estimate, and is
//! called one.

use skel_core::number::Number;

use super::limiting;
use super::shares::Shares;
use super::solution::{Extrapolation, Solution};
use crate::report::calibration::{Calibrated, CalibratedTask};

/// Extrapolates a solution, with the help of one of a coarser grain, to the variations that were measured.
pub(super) fn extrapolate(fine: &mut Solution, coarse: &Solution, calibrated: &Calibrated) {
    let deviation = |task: &CalibratedTask, solution: &Solution| {
        solution.grain.of(&task.fitted.time).scv().to_float().sqrt()
    };
    let sum = |of: &dyn Fn(&CalibratedTask) -> f64| calibrated.tasks.iter().map(of).sum::<f64>();
    let measured = sum(&|task| task.fitted.scv.unwrap_or(1.0).max(0.0).sqrt().min(deviation(task, fine)));
    let (in_fine, in_coarse) = (sum(&|task| deviation(task, fine)), sum(&|task| deviation(task, coarse)));
    if in_coarse <= in_fine {
        return;
    }
    let steps = (in_fine - measured) / (in_coarse - in_fine);
    fine.extrapolation = Some(Extrapolation {
        fine: (fine.grain.least_variation(), fine.throughput),
        coarse: (coarse.grain.least_variation(), coarse.throughput),
    });
    let beyond = |fine: f64, coarse: f64| fine + steps * (fine - coarse);
    let bound = limiting::throughput(calibrated);
    fine.throughput = beyond(fine.throughput, coarse.throughput).clamp(0.0, bound);
    let busy = limiting::busy_at(calibrated, fine.throughput);
    for ((shares, coarse), busy) in fine.shares.iter_mut().zip(&coarse.shares).zip(busy) {
        let starved = shares.starved.zip(coarse.starved).map(|(fine, coarse)| beyond(fine, coarse));
        let starved = starved.map(|starved| starved.clamp(0.0, 1.0 - busy));
        let waiting = shares.waiting.zip(coarse.waiting).map(|(fine, coarse)| beyond(fine, coarse).max(0.0));
        let rest = |(starved, waiting): (f64, f64)| (1.0 - busy - starved - waiting).max(0.0);
        *shares = Shares { busy, starved, blocked: starved.zip(waiting).map(rest), waiting, ..*shares };
    }
}
