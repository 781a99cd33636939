//! How fast each worker of a loop was, and when that changed.

use skel_core::number::Number;
use skel_distribute::{RelativePerformance, Scenario};

use super::LoopReport;
use super::piece::LoopPiece;

/// The work of a worker is looked at in so many parts of about the same time, at most: many short chunks vary
/// more than the speed does.
const PARTS: f64 = 32.0;

/// A time for an item that differs by more than this factor from that before is a change of speed.
const CHANGED: f64 = 1.2;

/// The speeds of the workers of a loop, and what a chunk cost.
#[derive(Clone, Debug)]
pub(in super::super) struct Measured {
    /// For how many items.
    pub(in super::super) items: u64,
    /// For each worker the times for an item, each with the time from which on it was so, in seconds; the
    /// first is from 0 on.
    pub(in super::super) speeds: Vec<Vec<Step>>,
    /// The time for an item of each worker on average.
    pub(in super::super) means: Vec<f64>,
    /// In seconds.
    pub(in super::super) overhead: f64,
}

/// A time for an item.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct Step {
    pub(in super::super) at: f64,
    pub(in super::super) seconds: f64,
}

/// What a loop measured. None if no item was finished, or the clock is too coarse.
pub(in super::super) fn measured(report: &LoopReport) -> Option<Measured> {
    let mut speeds: Vec<Vec<Step>> = (0..report.workers.len()).map(|worker| steps(report, worker)).collect();
    let mut means: Vec<Option<f64>> =
        report.workers.iter().map(|worker| worker.seconds_per_item().filter(|mean| *mean > 0.0)).collect();
    let weights: Vec<f64> = report.performance.weights().iter().map(Number::to_float).collect();
    let unit = unit(&means, &weights)?;
    for (mean, weight) in means.iter_mut().zip(weights) {
        // A worker that has shown nothing is as fast as it was said to be.
        mean.get_or_insert(if weight > 0.0 { unit / weight } else { unit });
    }
    let means: Vec<f64> = means.into_iter().flatten().collect();
    for (steps, mean) in speeds.iter_mut().zip(&means) {
        if steps.is_empty() {
            steps.push(Step { at: 0.0, seconds: *mean });
        }
    }
    Some(Measured { items: report.items, speeds, means, overhead: report.overhead_per_chunk().max(0.0) })
}

/// The time for an item of a worker of weight 1, by those workers that have finished some.
fn unit(means: &[Option<f64>], weights: &[f64]) -> Option<f64> {
    let known = means.iter().zip(weights).filter_map(|(mean, weight)| {
        Some((*mean)?).map(|mean| mean * if *weight > 0.0 { *weight } else { 1.0 })
    });
    let known: Vec<f64> = known.collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

/// The times for an item of a worker. None if it has finished nothing.
fn steps(report: &LoopReport, worker: usize) -> Vec<Step> {
    let pieces = report.timeline.iter().filter(|piece| piece.worker == worker && piece.counts);
    let part = report.workers[worker].counted_work / PARTS;
    let mut steps: Vec<Average> = Vec::new();
    for one in parts(pieces, part) {
        match steps.last_mut() {
            Some(last) if is_same(last.seconds(), one.seconds()) => last.join(one),
            _ => steps.push(one),
        }
    }
    let mut steps: Vec<Step> =
        steps.iter().map(|step| Step { at: step.from, seconds: step.seconds() }).collect();
    if let Some(first) = steps.first_mut() {
        first.at = 0.0;
    }
    steps
}

fn is_same(before: f64, now: f64) -> bool {
    now < before * CHANGED && before < now * CHANGED
}

/// Some pieces, one behind the other.
#[derive(Clone, Copy, Debug)]
struct Average {
    from: f64,
    items: u64,
    work: f64,
}

impl Average {
    fn seconds(&self) -> f64 {
        self.work / self.items as f64
    }

    fn join(&mut self, other: Average) {
        self.items += other.items;
        self.work += other.work;
    }
}

/// Pieces in parts of so much work, at least. What remains is of the last part.
fn parts<'p>(pieces: impl Iterator<Item = &'p LoopPiece>, work: f64) -> Vec<Average> {
    let mut parts: Vec<Average> = Vec::new();
    let mut is_full = true;
    for piece in pieces {
        let one =
            Average { from: piece.started, items: piece.items.end - piece.items.start, work: piece.work() };
        match parts.last_mut() {
            Some(last) if !is_full => last.join(one),
            _ => parts.push(one),
        }
        is_full = parts.last().is_some_and(|last| last.work >= work);
    }
    match parts.pop() {
        Some(rest) if !is_full && !parts.is_empty() => {
            let last = parts.len() - 1;
            parts[last].join(rest);
        }
        last => parts.extend(last),
    }
    parts.retain(|part| part.work > 0.0);
    parts
}

impl Measured {
    /// The scenario of so many items. Changes of speed come when the same part of the work is done.
    pub(in super::super) fn scenario(&self, items: u64) -> Option<Scenario> {
        let stretched = items as f64 / self.items as f64;
        let first = self.speeds.iter().map(|steps| steps[0].seconds);
        let mut scenario = Scenario::new(items, first).ok()?.with_overhead(self.overhead).ok()?;
        for (worker, steps) in self.speeds.iter().enumerate() {
            for step in &steps[1..] {
                let factor = step.seconds / steps[0].seconds;
                scenario = scenario.with_change(worker, step.at * stretched, factor).ok()?;
            }
        }
        scenario.with_performance(self.performance()?).ok()
    }

    /// The relative performance by the average speeds.
    pub(in super::super) fn performance(&self) -> Option<RelativePerformance> {
        RelativePerformance::of_times(self.means.iter().copied()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(items: u64, started: f64, ended: f64) -> LoopPiece {
        LoopPiece { worker: 0, items: 0..items, asked: started, started, ended, counts: true }
    }

    #[test]
    fn short_pieces_are_looked_at_together() {
        let pieces = [piece(1, 0.0, 1.0), piece(2, 1.0, 4.0), piece(4, 4.0, 8.0), piece(1, 8.0, 9.0)];
        let averages: Vec<(f64, u64, f64)> =
            parts(pieces.iter(), 4.0).iter().map(|part| (part.from, part.items, part.work)).collect();
        assert_eq!(averages, [(0.0, 3, 4.0), (4.0, 5, 5.0)]);
    }
}
