//! A schedule as a Gantt chart: a line for each machine, with a bar for each chunk from its beginning to its
//! end, as SVG.

use skel::distribute::Schedule;
use skel::distribute::description::Description;
use skel::run::monitor::gantt::{Bar, Gantt};

use crate::report::table::{printable, rounded};

/// The figure as the text of an SVG file, for a schedule that ends.
pub(super) fn svg(description: &Description, schedule: Schedule, bound: f64) -> Result<String, String> {
    let scenario = description.scenario();
    let end = *scenario.simulate(&schedule).map_err(|why| why.to_string())?.makespan();
    let names = description.names().iter().map(|name| printable(name)).collect();
    let mut gantt = Gantt::new(names, end);
    scenario
        .observe::<f64>(&schedule, |piece| {
            gantt.add(piece.machine, Bar::Waiting, piece.asked, piece.started);
            let kind = if piece.is_finished { Bar::Work } else { Bar::Lost };
            gantt.add(piece.machine, kind, piece.started, piece.ended);
        })
        .map_err(|why| why.to_string())?;
    let title = format!("{schedule}: ends after {} s", rounded(end, 5));
    gantt.to_svg(&title, Some(bound)).map_err(|why| why.to_string())
}
