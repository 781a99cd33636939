//! A report as a table.

use std::fmt;

use super::numbers::{percent, rate, time};
use super::{Ending, Prediction, Report, TaskReport, Throughput};

/// A report with the prediction beside what was measured. It prints as a table.
#[derive(Debug)]
pub struct WithPrediction<'r, S> {
    pub(super) report: &'r Report<S>,
    pub(super) prediction: Prediction,
}

impl<S> WithPrediction<'_, S> {
    /// The prediction.
    #[must_use]
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// The report with the prediction as a JSON object: that of [`Report::to_json`] with a member
    /// `prediction`.
    #[must_use]
    pub fn to_json(&self) -> String {
        super::json::with_prediction(self.report, &self.prediction)
    }
}

impl<S> fmt::Display for Report<S> {
    /// How the run ended and how fast it was, and a line for each task.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        summary(self, f)?;
        let mut head = vec!["task", "replicas", "items", "mean time", "scv", "busy", "starved", "blocked"];
        let has_team = self.has_team();
        head.extend(has_team.then_some("waiting"));
        let mut rows = vec![head.into_iter().map(str::to_owned).collect()];
        rows.extend(self.tasks.iter().map(|task| {
            let mut cells = figures(task);
            cells.extend([task.busy, task.starved, task.blocked].map(percent));
            cells.extend(has_team.then(|| percent(task.waiting)));
            cells
        }));
        table(&rows, f)?;
        self.tasks.iter().try_for_each(|task| incidents(task, f))
    }
}

impl<S> fmt::Display for WithPrediction<'_, S> {
    /// What was measured and what is predicted, side by side; then what the prediction rests on, and what
    /// makes it doubtful.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WithPrediction { report, prediction } = self;
        summary(report, f)?;
        comparison(report.throughput(), prediction, f)?;
        let head = ["task", "replicas", "items", "mean time", "scv"].map(str::to_owned);
        let shares = ["busy", "predicted", "starved", "predicted", "blocked", "predicted"].map(str::to_owned);
        let mut rows = vec![[head.to_vec(), shares.to_vec()].concat()];
        let has_team = report.has_team();
        if has_team {
            rows[0].extend(["waiting", "predicted"].map(str::to_owned));
        }
        let unknown = || "-".to_owned();
        rows.extend(report.tasks.iter().zip(&prediction.tasks).map(|(task, shares)| {
            let mut cells = figures(task);
            cells.extend([percent(task.busy), percent(shares.busy)]);
            cells.extend([percent(task.starved), shares.starved.map_or_else(unknown, percent)]);
            cells.extend([percent(task.blocked), shares.blocked.map_or_else(unknown, percent)]);
            if has_team {
                cells.extend([percent(task.waiting), shares.waiting.map_or_else(unknown, percent)]);
            }
            cells
        }));
        table(&rows, f)?;
        report.tasks.iter().try_for_each(|task| incidents(task, f))?;
        paragraph("warning", &prediction.warnings, f)?;
        paragraph("assumed", &prediction.assumptions, f)
    }
}

/// How the run ended, how it was executed, and how fast it was.
fn summary<S>(report: &Report<S>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (ending, elapsed) = (report.ending(), time(report.elapsed().as_secs_f64()));
    write!(f, "{ending}: {} items delivered in {elapsed}", report.delivered())?;
    if report.skipped() > 0 {
        write!(f, ", {} left out", report.skipped())?;
    }
    if report.states() > 0 {
        write!(f, ", {} states taken", report.states())?;
    }
    if ending == Ending::Failed {
        write!(f, ", {} failed", report.failed())?;
    }
    let throughput = report.throughput();
    write!(f, "; {}", in_words(throughput))?;
    writeln!(f, ", {} an item", time(report.service_time()))?;
    let parcels = match report.batch() {
        1 => "items travel one by one".to_owned(),
        batch => format!("up to {batch} items travel together"),
    };
    write!(f, "{}; {parcels}", report.execution())?;
    match report.reason() {
        "" => writeln!(f),
        reason => writeln!(f, " ({reason})"),
    }
}

/// A throughput with its confidence interval.
fn in_words(throughput: Throughput) -> String {
    let shown = format!("{} items/s", rate(throughput.rate));
    match throughput.half_width {
        Some(half) => format!("{shown} ± {}", percent(half / throughput.rate)),
        None => shown,
    }
}

/// The throughput measured and predicted, how far they are apart, and whether the run was long enough to
/// tell.
fn comparison(measured: Throughput, prediction: &Prediction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let apart = |predicted: f64| {
        let difference = predicted / measured.rate - 1.0;
        format!("{}{}", if difference >= 0.0 { "+" } else { "" }, percent(difference))
    };
    let judged = match measured.half_width {
        Some(half) if (prediction.throughput - measured.rate).abs() <= half => {
            "within what this run can tell"
        }
        Some(_) => "more than chance explains",
        None => "the run is too short to judge it",
    };
    let (predicted, formula) = (prediction.throughput, prediction.formula);
    writeln!(f, "predicted {} items/s ({}, {judged})", rate(predicted), apart(predicted))?;
    writeln!(f, "the formula without variation {} items/s ({})", rate(formula), apart(formula))
}

/// The cells of a task that no prediction has.
fn figures(task: &TaskReport) -> Vec<String> {
    vec![
        task.name.clone(),
        task.replicas.to_string(),
        task.items.to_string(),
        task.mean.map_or_else(|| "-".to_owned(), time),
        task.scv.map_or_else(|| "-".to_owned(), |scv| format!("{scv:.2}")),
    ]
}

/// What went wrong at a task and was made good.
fn incidents(task: &TaskReport, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let counted = [
        (task.skipped, "item left out", "items left out"),
        (task.retried, "further attempt", "further attempts"),
        (task.replaced, "worker replaced after a panic", "workers replaced after a panic"),
    ];
    let in_words = |&(count, one, many): &(u64, &str, &str)| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{count} {many}")),
    };
    let said: Vec<String> = counted.iter().filter_map(in_words).collect();
    if said.is_empty() { Ok(()) } else { writeln!(f, "`{}`: {}", task.name, said.join(", ")) }
}

fn paragraph(word: &str, sentences: &[String], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    sentences.iter().try_for_each(|sentence| writeln!(f, "{word}: {sentence}"))
}

/// Rows of equal length, the first with the names of the columns: the first column to the left, all others to
/// the right.
pub(crate) fn table(rows: &[Vec<String>], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let columns = rows.first().map_or(0, Vec::len);
    let length = |cell: &String| cell.chars().count();
    let width = |column: usize| rows.iter().map(|row| length(&row[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            match column {
                0 => line += &format!("{cell:<width$}"),
                _ => line += &format!("  {cell:>width$}"),
            }
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}
