//! A run over time as a figure: throughput, busy parts and replicas of each task, as SVG.

use std::fmt;

use plotters::prelude::*;

use super::Series;
use super::axes::{Area, Axes, COLOURS, Drawn, NAMES, WIDTH, shortened};
use crate::monitor::figures::{Snapshot, TaskFigures, labels};

const HEIGHT_OF_PANEL: u32 = 260;

/// A series that cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NothingToDraw(String);

/// One system of axes: a number of each task over time.
struct Panel {
    y_name: &'static str,
    /// What the vertical axis goes up to at least.
    least_top: f64,
    figure: fn(&TaskFigures, &Snapshot) -> f64,
}

const PANELS: [Panel; 3] = [
    Panel {
        y_name: "items per second",
        least_top: 0.0,
        figure: |task, window| task.throughput(window.span()),
    },
    Panel { y_name: "busy", least_top: 1.0, figure: |task, _| task.busy_fraction() },
    Panel { y_name: "replicas", least_top: 2.0, figure: |task, window| task.mean_running(window.span()) },
];

impl Series {
    /// A figure of the run over time, as the text of an SVG file: for each task its throughput, the part of
    /// the time that its replicas were busy, and how many of them there were. A line is level from one
    /// snapshot to the next.
    ///
    /// # Errors
    /// [`NothingToDraw`] if there are fewer than two snapshots, or no task.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::StageId;
    /// use skel_run::monitor::{Monitors, Series};
    ///
    /// let monitors = Monitors::of([(StageId(0), "sharpen".to_owned())]);
    /// let series = Series::of([monitors.snapshot(), monitors.snapshot()]);
    /// assert!(series.to_svg()?.contains("sharpen"));
    /// # Ok::<(), skel_run::monitor::NothingToDraw>(())
    /// ```
    pub fn to_svg(&self) -> Result<String, NothingToDraw> {
        let windows: Vec<Snapshot> = self.windows().collect();
        if windows.first().is_none_or(|window| window.tasks.is_empty()) {
            let (snapshots, tasks) = (self.snapshots().len(), self.last().map_or(0, |last| last.tasks.len()));
            let problem = format!(
                "a chart needs two snapshots and a task; there are {snapshots} and {tasks}. Sample at shorter intervals"
            );
            return Err(NothingToDraw(problem));
        }
        draw(&windows).map_err(|error| NothingToDraw(error.to_string()))
    }
}

fn draw(windows: &[Snapshot]) -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    let height = HEIGHT_OF_PANEL * PANELS.len() as u32;
    let root = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE)?;
    for (panel, area) in PANELS.iter().zip(root.split_evenly((PANELS.len(), 1))) {
        let (plot, names) = area.split_horizontally(WIDTH as i32 - NAMES);
        in_axes(&plot, panel, windows)?;
        legend(&names, &windows[0].tasks)?;
    }
    root.present()?;
    drop(root);
    Ok(text)
}

fn in_axes(area: &Area<'_>, panel: &Panel, windows: &[Snapshot]) -> Drawn {
    let seconds = |time: std::time::Duration| time.as_secs_f64();
    let (from, at) = (seconds(windows[0].from), seconds(windows[windows.len() - 1].at));
    let figures =
        windows.iter().flat_map(|window| window.tasks.iter().map(|task| (panel.figure)(task, window)));
    let top = figures.fold(panel.least_top, f64::max);
    let top = if top > 0.0 { top * 1.06 } else { 1.0 };
    let axes = Axes { x: (from, at), x_name: "seconds", bottom: 0.0, top, y_name: panel.y_name };
    let mut chart = axes.draw(area)?;
    for (place, colour) in (0..windows[0].tasks.len()).zip(COLOURS.iter().cycle()) {
        let steps = windows.iter().flat_map(|window| {
            let figure = (panel.figure)(&window.tasks[place], window);
            [(seconds(window.from), figure), (seconds(window.at), figure)]
        });
        chart.draw_series(LineSeries::new(steps, colour.stroke_width(2)))?;
    }
    Ok(())
}

/// The names of the tasks, one below the other, as many as there is room for.
fn legend(area: &Area<'_>, tasks: &[TaskFigures]) -> Drawn {
    const LINE: i32 = 20;
    let room = (HEIGHT_OF_PANEL as i32 / LINE - 2) as usize;
    for (place, (name, colour)) in labels(tasks).iter().zip(COLOURS.iter().cycle()).take(room).enumerate() {
        let y = 22 + LINE * place as i32;
        area.draw(&PathElement::new(vec![(4, y), (28, y)], colour.stroke_width(2)))?;
        area.draw(&Text::new(shortened(name), (34, y - 6), ("sans-serif", 13)))?;
    }
    if let more @ 1.. = tasks.len().saturating_sub(room) {
        let y = 22 + LINE * room as i32;
        area.draw(&Text::new(format!("and {more} more"), (34, y - 6), ("sans-serif", 13)))?;
    }
    Ok(())
}

impl fmt::Display for NothingToDraw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NothingToDraw {}
