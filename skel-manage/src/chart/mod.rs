//! A managed run over time as a figure, as the paper's figure 7: the throughput with the band of the
//! contract, the workers with marks for actions, and the load.

mod curves;
mod panels;

use std::fmt;

use skel_run::monitor::Series;

use crate::contract::Contract;
use crate::decision::{Event, Log};
use crate::quantity::ServiceTime;
use curves::Curves;

/// A figure of a managed run: from the top, the throughput with the band that the contract tolerates, the
/// replicas of each task that has several, and the mean service time of each task, which is the load.
/// Vertical lines are decisions, numbered in the order of the log.
///
/// Each line has a pattern of its own, so the figure can be read in black and white.
///
/// # Examples
/// ```
/// use skel_core::{skeleton::StageId, time::TimeUnits};
/// use skel_manage::{Chart, Contract, Log};
/// use skel_run::monitor::{Monitors, Series};
///
/// let monitors = Monitors::of([(StageId(0), "sharpen".to_owned())]);
/// let replica = monitors.replica(0);
/// let series = Series::of([monitors.snapshot(), monitors.snapshot()]);
/// let figure = Chart::of(&Contract::service_time(12.ms()), &series, &Log::default()).titled("a short run");
/// assert!(figure.to_svg()?.contains("a short run"));
/// # drop(replica);
/// # Ok::<(), skel_manage::NothingToDraw>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chart {
    title: Option<String>,
    contract: Contract,
    series: Series,
    marks: Vec<Mark>,
}

/// A decision on the axis of time.
#[derive(Clone, Debug)]
struct Mark {
    /// In seconds.
    at: f64,
    /// Whether nothing was done: it was a report, it was refused, or it was noted alone.
    is_idle: bool,
}

/// A figure that cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NothingToDraw(String);

impl Chart {
    /// Of a run with this contract, its snapshots, and what its manager decided.
    #[must_use]
    pub fn of(contract: &Contract, series: &Series, log: &Log) -> Self {
        let marks = log.events.iter().filter_map(mark).collect();
        Chart { title: None, contract: *contract, series: series.clone(), marks }
    }

    /// With this line above it.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The text of an SVG file.
    ///
    /// # Errors
    /// [`NothingToDraw`] if there are fewer than two snapshots, or no task.
    pub fn to_svg(&self) -> Result<String, NothingToDraw> {
        Chart::side_by_side(std::slice::from_ref(self))
    }

    /// Several figures beside each other, with the same axes: the text of an SVG file.
    ///
    /// # Errors
    /// As [`Self::to_svg`]; no figure at all.
    pub fn side_by_side(charts: &[Chart]) -> Result<String, NothingToDraw> {
        let curves = charts.iter().map(Chart::curves).collect::<Result<Vec<_>, _>>()?;
        if curves.is_empty() {
            return Err(NothingToDraw("there is no run to draw".to_owned()));
        }
        panels::draw(&curves).map_err(|error| NothingToDraw(error.to_string()))
    }

    fn curves(&self) -> Result<Curves<'_>, NothingToDraw> {
        let (snapshots, tasks) =
            (self.series.snapshots().len(), self.series.last().map_or(0, |last| last.tasks.len()));
        if snapshots < 2 || tasks == 0 {
            return Err(NothingToDraw(format!(
                "a chart needs two snapshots and a task; there are {snapshots} and {tasks}. Let the manager look more often: `tick`"
            )));
        }
        Ok(Curves::of(self))
    }

    /// The contract in words: `12 ms`.
    fn goal(&self) -> ServiceTime {
        self.contract.goal()
    }
}

fn mark(event: &Event) -> Option<Mark> {
    use crate::action::Action;
    use crate::decision::Outcome;
    let Event::Decided(decision) = event else { return None };
    let does = |action: &Action| !matches!(action, Action::Report { .. });
    let is_idle = decision.outcome != Outcome::Done || !decision.actions.iter().any(does);
    Some(Mark { at: decision.at.as_secs_f64(), is_idle })
}

impl fmt::Display for NothingToDraw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NothingToDraw {}

#[cfg(test)]
mod tests;
