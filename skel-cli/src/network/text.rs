//! What `skel network` prints: a report, or the choices as comma-separated values. Times are in microseconds.

use std::fmt::Write as _;

use skel::network::select::{Basis, Candidate, Cluster, Selection};
use skel::network::{Model, Time};

use super::answer::{Answer, Question};
use super::between::Between;
use super::choice::{basis_word, errors, printed};
use super::models::shown;
use crate::report::csv::cell;
use crate::report::table::{decimal, lines, printable, table};
use crate::report::words::counted;

/// Of so many clusters, and links between them, each is shown. Of more the first ones are.
const MOST_CLUSTERS: usize = 30;
const MOST_LINKS: usize = 24;

/// The whole report.
pub(super) fn report(answer: &Answer<'_>) -> String {
    let all = answer.clusters.all();
    let machines = counted(answer.clusters.network().machine_count(), "machine");
    let rho = answer.clusters.levels()[0].rho.get();
    let count = counted(all.len(), "cluster");
    let mut text = format!("{}: {machines} in {count}, rho = {}; times in us\n", answer.name, decimal(rho));
    text += &clusters(answer);
    text += &latencies(answer);
    text += &levels(answer);
    text += &models(answer);
    for question in &answer.questions {
        text += &self::question(answer, question);
    }
    text
}

/// A time in microseconds. Digits that are rounding are left out.
pub(super) fn us(time: Time) -> String {
    decimal((time.as_microseconds() * 1e4).round() / 1e4)
}

fn percent(part: f64) -> String {
    match 100.0 * part {
        large if large >= 1000.0 => format!("{large:.0} %"),
        part => format!("{part:.1} %"),
    }
}

fn clusters(answer: &Answer<'_>) -> String {
    let mut shown = table(&["cluster", "machines", "least latency", "mean", "most"], &[1, 2, 3, 4]);
    let all = answer.clusters.all();
    for cluster in all.iter().take(MOST_CLUSTERS) {
        let mut row = vec![printable(&cluster.name), cluster.machines.len().to_string()];
        match cluster.latency {
            Some(spread) => row.extend([spread.least, spread.mean, spread.most].map(us)),
            None => row.extend(["-"; 3].map(str::to_owned)),
        }
        shown.add_row(row);
    }
    format!("\n{}{}", lines(&shown), left_out(all.len(), MOST_CLUSTERS, "cluster"))
}

fn left_out(count: usize, most: usize, noun: &str) -> String {
    match count.checked_sub(most) {
        None | Some(0) => String::new(),
        Some(more) => format!("and {} more, which --json lists\n", counted(more, noun)),
    }
}

/// The mean latencies inside of clusters and between them.
fn latencies(answer: &Answer<'_>) -> String {
    const MOST: usize = 12;
    let all = answer.clusters.all();
    if all.len() < 2 || all.len() > MOST {
        return String::new();
    }
    let names: Vec<String> = all.iter().map(|cluster| printable(&cluster.name)).collect();
    let headings: Vec<&str> =
        std::iter::once("mean latency").chain(names.iter().map(String::as_str)).collect();
    let right: Vec<usize> = (1..=all.len()).collect();
    let mut shown = table(&headings, &right);
    for (one, name) in names.iter().enumerate() {
        let cells =
            (0..all.len()).map(|other| answer.clusters.latency(one, other).map_or_else(|| "-".into(), us));
        shown.add_row(std::iter::once(name.clone()).chain(cells));
    }
    format!("\n{}", lines(&shown))
}

/// Which clusters are together at the higher levels.
fn levels(answer: &Answer<'_>) -> String {
    let names: Vec<&str> = answer.clusters.names().collect();
    let cluster_of = answer.clusters.levels()[0].cluster_of_each();
    let mut text = String::new();
    for (above, level) in answer.clusters.levels().iter().enumerate().skip(1) {
        if level.clusters.len() == 1 || level.clusters.len() > MOST_CLUSTERS {
            continue;
        }
        let group = |machines: &[usize]| {
            let mut together: Vec<usize> = machines.iter().map(|&machine| cluster_of[machine]).collect();
            together.dedup();
            together.sort_unstable();
            together.dedup();
            let names: Vec<String> = together.iter().map(|&at| printable(names[at])).collect();
            if names.len() == 1 { names[0].clone() } else { format!("({})", names.join(", ")) }
        };
        let groups: Vec<String> = level.clusters.iter().map(|cluster| group(&cluster.machines)).collect();
        let _ = writeln!(text, "level {}: {}", above + 1, groups.join("  "));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// The models of links: what was given, what was fitted and how well.
fn models(answer: &Answer<'_>) -> String {
    let all = shown(answer.clusters);
    let mut models = table(&["links", "model", "from"], &[]);
    let mut remarks = String::new();
    for one in all.iter().take(MOST_LINKS) {
        let name = printable(&one.name);
        for (at, candidate) in one.links.candidates().iter().enumerate() {
            let first = if at == 0 { name.as_str() } else { "" };
            models.add_row([first, &parameters(candidate), &origin(candidate)]);
            for remark in candidate.fit.iter().flat_map(|fit| &fit.remarks) {
                let _ = writeln!(remarks, "{name}, {}: {remark}", candidate.model.kind());
            }
        }
        if one.links.candidates().is_empty() {
            models.add_row([name.as_str(), "none", "nothing given, and nothing fitted"]);
        }
        for (_, error) in one.links.unfitted() {
            // What the model needs in all is in the guide; what is missing is before that.
            let error = error.to_string();
            let _ =
                writeln!(remarks, "{name}: not fitted: {}", error.split("; help").next().unwrap_or_default());
        }
        for remark in one.links.remarks() {
            let _ = writeln!(remarks, "{name}: {remark}");
        }
    }
    format!("\n{}{}{remarks}", lines(&models), left_out(all.len(), MOST_LINKS, "link"))
}

/// A model with its parameters: as they were given, or as they were fitted, with their standard errors.
fn parameters(candidate: &Candidate) -> String {
    let Some(fit) = &candidate.fit else { return candidate.model.to_string() };
    let shown = |parameter: &skel::network::fit::Parameter| format!("{} {parameter}", parameter.name);
    match &candidate.model {
        Model::PLogP(model) => {
            let (least, most) = model.g().range();
            let latency = fit.parameters.first().map(shown).unwrap_or_default();
            format!("pLogP: {latency}, g(m) at {} sizes from {least} to {most}", model.g().knots().len())
        }
        model => {
            let all: Vec<String> = fit.parameters.iter().map(shown).collect();
            format!("{}: {}", model.kind(), all.join(", "))
        }
    }
}

/// Where a model comes from, and how far its fit is from the runs.
fn origin(candidate: &Candidate) -> String {
    let Some(fit) = &candidate.fit else { return "given".to_owned() };
    let outliers = match fit.outliers.len() {
        0 => String::new(),
        some => format!(", {}", counted(some, "outlier")),
    };
    let runs = counted(fit.residuals.len(), "run");
    format!("{runs}, median error {}{outliers}", percent(fit.median_error()))
}

fn question(answer: &Answer<'_>, question: &Question) -> String {
    let (operation, size) = (question.operation, question.size);
    let mut text = format!("\n{operation} of {size}\n{}", "-".repeat(format!("{operation} of {size}").len()));
    text += &format!("\n{}", choices(answer, question));
    text += &losses(answer, question);
    text += &reasons(answer, question);
    match &question.between {
        Some(Ok(between)) => text += &schedules(answer, between),
        Some(Err(why)) => text += &format!("\nnothing is scheduled between clusters: {why}\n"),
        None => {}
    }
    text
}

/// The paper's Table 4: the model and the algorithm of each cluster.
fn choices(answer: &Answer<'_>, question: &Question) -> String {
    let headings =
        ["cluster", "processes", "model", "algorithm", "segment", "time", "as printed", "chosen by"];
    let mut shown = table(&headings, &[1, 4, 5, 6]);
    for (at, (cluster, chosen)) in
        answer.clusters.all().iter().zip(&question.inside).enumerate().take(MOST_CLUSTERS)
    {
        let has_experiments = !answer.clusters.experiments(at).is_empty();
        let first = [printable(&cluster.name), cluster.machines.len().to_string()];
        let rest = match chosen {
            Ok(Some(selection)) => choice(selection, cluster, has_experiments),
            Ok(None) => vec![
                "-".into(),
                "-".into(),
                String::new(),
                "0".into(),
                String::new(),
                "one machine alone".into(),
            ],
            Err(_) => vec![
                "-".into(),
                "-".into(),
                String::new(),
                "-".into(),
                String::new(),
                "nothing: see below".into(),
            ],
        };
        shown.add_row(first.into_iter().chain(rest));
    }
    lines(&shown) + &left_out(question.inside.len(), MOST_CLUSTERS, "cluster")
}

fn choice(selection: &Selection, cluster: &Cluster, has_experiments: bool) -> Vec<String> {
    let best = selection.best();
    let basis = match selection.basis {
        Basis::Experiments(runs) => counted(runs, "timed run"),
        Basis::Messages => "timed messages".to_owned(),
        Basis::Given => "the given model".to_owned(),
    };
    let lacks = has_experiments && !matches!(selection.basis, Basis::Experiments(_));
    vec![
        best.model.to_string(),
        best.predicted.algorithm.to_string(),
        best.predicted.segment.map_or_else(String::new, |segment| segment.to_string()),
        us(best.predicted.time),
        printed(selection, best, cluster).map_or_else(String::new, us),
        if lacks { format!("{basis}, no run of this size") } else { basis },
    ]
}

/// By how much the other algorithms end later, and how far the models are from the timed runs.
fn losses(answer: &Answer<'_>, question: &Question) -> String {
    let mut rows: Vec<[String; 3]> = Vec::new();
    for (cluster, chosen) in answer.clusters.all().iter().zip(&question.inside).take(MOST_CLUSTERS) {
        let Ok(Some(selection)) = chosen else { continue };
        let others = selection.cases[1..].iter().map(|case| {
            let segment = case.predicted.segment.map_or_else(String::new, |segment| format!(" by {segment}"));
            format!("{}{segment} {}", case.predicted.algorithm, percent(selection.loss(case)))
        });
        let errors = errors(selection, cluster);
        let errors = errors.iter().map(|(kind, error)| format!("{kind} {}", percent(*error)));
        let row = [
            printable(&cluster.name),
            others.collect::<Vec<_>>().join(", "),
            errors.collect::<Vec<_>>().join(", "),
        ];
        rows.push(row);
    }
    if rows.is_empty() {
        return String::new();
    }
    // Given models have no errors where nothing was timed.
    let columns = if rows.iter().all(|[.., errors]| errors.is_empty()) { 2 } else { 3 };
    let mut shown = table(&["cluster", "others end later by", "errors of models"][..columns], &[]);
    for row in rows {
        shown.add_row(row.into_iter().take(columns));
    }
    format!("\n{}", lines(&shown))
}

/// What has no choice or no prediction, and why.
fn reasons(answer: &Answer<'_>, question: &Question) -> String {
    let mut text = String::new();
    for (cluster, chosen) in answer.clusters.all().iter().zip(&question.inside).take(MOST_CLUSTERS) {
        let name = printable(&cluster.name);
        match chosen {
            Err(none) => text += &format!("{name}: {none}\n"),
            Ok(None) => {}
            Ok(Some(selection)) => {
                for (algorithm, why) in &selection.unpredicted {
                    let _ = writeln!(text, "{name}: {algorithm} has no prediction: {why}");
                }
                if !selection.not_covered.is_empty() {
                    let names: Vec<&str> = selection.not_covered.iter().map(|one| one.name()).collect();
                    let _ = writeln!(
                        text,
                        "{name}: not compared, since no run of it was timed: {}",
                        names.join(", ")
                    );
                }
            }
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// All schedules side by side, and the one that was chosen.
fn schedules(answer: &Answer<'_>, between: &Between) -> String {
    let mut shown = table(
        &["between clusters", "last arrival", "all done", "last arrival by latencies alone"],
        &[1, 2, 3],
    );
    for (at, (name, schedule)) in between.schedules.iter().enumerate() {
        let alone = answer.latencies_alone.as_ref().and_then(|alone| alone.schedules.get(at));
        let alone = alone.map_or_else(String::new, |(_, schedule)| us(schedule.last_arrival));
        shown.add_row([(*name).to_owned(), us(schedule.last_arrival), us(schedule.completion), alone]);
    }
    let (name, schedule) = between.best();
    if let Some(unaware) = between.grid_unaware {
        shown.add_row([
            "binomial tree over all machines".to_owned(),
            us(unaware),
            us(unaware),
            String::new(),
        ]);
    }
    let mut text = format!("\n{}", lines(&shown));
    if let Some(why) = &between.unsearched {
        let _ = writeln!(text, "{why}");
    }
    let _ = write!(text, "chosen: {name}, all done after {}", us(schedule.completion));
    if let Some(unaware) = between.grid_unaware {
        let _ = write!(
            text,
            "; the tree that knows nothing of clusters takes {:.2} times as long",
            unaware / schedule.completion
        );
    }
    let mut messages = table(&["from", "to", "start", "sender free", "arrival"], &[2, 3, 4]);
    for transfer in &schedule.transfers {
        let names = [transfer.from, transfer.to].map(|at| printable(&between.names[at]));
        let times = [transfer.start, transfer.sender_free, transfer.arrival].map(us);
        messages.add_row(names.into_iter().chain(times));
    }
    format!("{text}\n\n{}", lines(&messages))
}

/// A line for each algorithm of each cluster.
pub(super) fn csv(answer: &Answer<'_>) -> String {
    let mut text = String::from(
        "operation,bytes,cluster,processes,algorithm,segment,model,us,as_printed_us,later_by,error,chosen,basis,why_not\n",
    );
    for question in &answer.questions {
        for (cluster, chosen) in answer.clusters.all().iter().zip(&question.inside) {
            let name = cell(&cluster.name);
            let head =
                format!("{},{},{name},{}", question.operation, question.size.get(), cluster.machines.len());
            match chosen {
                Ok(Some(selection)) => csv_of(&mut text, &head, selection, cluster),
                Ok(None) => text += &format!("{head},,,,0,,,,,one machine,\n"),
                Err(none) => text += &format!("{head},,,,,,,,,,{}\n", cell(&none.to_string())),
            }
        }
    }
    text
}

fn csv_of(text: &mut String, head: &str, selection: &Selection, cluster: &Cluster) {
    let optional = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for (at, case) in selection.cases.iter().enumerate() {
        let segment = case.predicted.segment.map_or_else(String::new, |segment| segment.get().to_string());
        let printed = optional(printed(selection, case, cluster).map(Time::as_microseconds));
        let cells = [
            case.predicted.algorithm.to_string(),
            segment,
            case.model.to_string(),
            case.predicted.time.as_microseconds().to_string(),
            printed,
            selection.loss(case).to_string(),
            optional(case.error()),
            (at == 0).to_string(),
            basis_word(selection.basis).to_owned(),
        ];
        let _ = writeln!(text, "{head},{},", cells.join(","));
    }
}
