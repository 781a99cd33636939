//! A report of a loop as a Gantt chart.

use super::LoopReport;
use crate::monitor::gantt::{Bar, Gantt, number};

impl LoopReport {
    /// What each worker did when, as the text of an SVG file: a Gantt chart with a bar for each call of the
    /// function. None if nothing was done.
    ///
    /// # Examples
    /// ```
    /// use skel::run::distribute;
    ///
    /// let sums = distribute(0..1000_u64).over(2).run(|range| range.sum::<u64>())?;
    /// let svg = sums.report().to_svg().expect("something was done");
    /// assert!(svg.contains("worker 1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_svg(&self) -> Option<String> {
        let end = self.timeline.iter().map(|call| call.ended).fold(0.0, f64::max);
        if end <= 0.0 {
            return None;
        }
        let names = (0..self.workers.len()).map(|worker| format!("worker {worker}"));
        let mut gantt = Gantt::new(names.collect(), end);
        for call in &self.timeline {
            let kind = if call.counts { Bar::Work } else { Bar::Lost };
            gantt.add(call.worker, kind, call.started, call.ended);
        }
        // The text is written into memory, which does not fail.
        gantt.to_svg(&format!("{}: {} s", self.schedule, number(self.seconds)), None).ok()
    }
}
