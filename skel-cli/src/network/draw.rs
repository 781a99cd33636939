//! From an answer to what its figure shows.

use skel::network::collective::{Algorithm, Collective, Operation};
use skel::network::select::{Candidate, Selection};
use skel::network::{Bytes, CommunicationModel, Measured, Model, Time};

use super::answer::Answer;
use super::chart::{Curve, Curves, Gantt, Look, Panel, curves, schedule};
use super::models::shown;
use crate::arguments::NetworkChart;
use crate::errors::{Exit, Failure, Problem};

/// The figure as the text of an SVG file.
pub(super) fn svg(answer: &Answer<'_>, what: NetworkChart) -> Result<String, Failure> {
    match what {
        NetworkChart::Schedule => gantt(answer),
        NetworkChart::Gaps => curves(&gaps(answer)),
        NetworkChart::Times => curves(&times(answer)?),
    }
}

/// The sizes of curves: powers of two up to 1 MiB.
fn sizes() -> impl Iterator<Item = Bytes> + Clone {
    (0..=20).map(|power| Bytes::new(1 << power))
}

fn gantt(answer: &Answer<'_>) -> Result<String, Failure> {
    let scheduled = answer.questions.iter().find_map(|question| match &question.between {
        Some(Ok(between)) => Some((question, between)),
        _ => None,
    });
    let Some((question, between)) = scheduled else {
        let problem = Problem::error("nothing_to_draw", "there is no schedule between clusters to draw");
        let help = "ask for a broadcast on a network of several clusters whose links have models";
        return Err(Failure::new(Exit::Limit, problem.help(help)));
    };
    let (name, chosen) = between.best();
    let root = &between.names[answer.root_cluster()];
    let title = format!("{} of {} from {root}, {name}", question.operation, question.size);
    schedule(&Gantt {
        title: &title,
        names: &between.names,
        schedule: chosen,
        grid_unaware: between.grid_unaware,
    })
}

/// A point at each size that a model covers.
fn points(time: impl Fn(Bytes) -> Option<Time>) -> Vec<(f64, f64)> {
    sizes().filter_map(|size| Some((size.as_f64(), time(size)?.as_microseconds()))).collect()
}

/// The gaps of messages inside of each cluster and between clusters: measured, and by each model.
fn gaps(answer: &Answer<'_>) -> Curves {
    /// More panels than that are too small to read.
    const MOST: usize = 12;
    let clusters = answer.clusters;
    let names: Vec<&str> = clusters.network().machines().collect();
    let mut panels = Vec::new();
    for one in shown(clusters).into_iter().take(MOST) {
        let curve = |candidate: &Candidate| Curve {
            name: candidate.model.kind().name().to_owned(),
            look: Look::Model,
            points: points(|size| candidate.model.gap(size).ok()),
        };
        let mut all: Vec<Curve> = one.links.candidates().iter().map(curve).collect();
        let inside = clusters.all().iter().find(|cluster| cluster.links.as_ref() == Some(one.links));
        let is_here = |machine: &str| {
            inside.is_some_and(|cluster| cluster.machines.iter().any(|&number| names[number] == machine))
        };
        let timed = clusters.network().measurements().iter().filter(|run| run.measured == Measured::Gap);
        let timed = timed.filter(|run| is_here(&run.from) && is_here(&run.to));
        let mut measured: Vec<(f64, f64)> =
            timed.map(|run| (run.size.as_f64(), run.time.as_microseconds())).collect();
        measured.sort_by(|one, other| one.0.total_cmp(&other.0));
        all.push(Curve { name: "measured".into(), look: Look::Measured, points: measured });
        panels.push(Panel { title: one.name, curves: all });
    }
    Curves { y_name: "gap of a message".into(), panels }
}

/// The times of the first operation in the cluster of the root: a panel for each algorithm, as the paper's
/// Fig. 5 has them.
fn times(answer: &Answer<'_>) -> Result<Curves, Failure> {
    let cluster = &answer.clusters.all()[answer.root_cluster()];
    let (Some(question), Some(links)) = (answer.questions.first(), &cluster.links) else {
        let message = format!("`{}` is one machine, in which no operation takes time", cluster.name);
        let problem = Problem::error("nothing_to_draw", message);
        return Err(Failure::new(
            Exit::Limit,
            problem.help("name a machine of another cluster with `--root`"),
        ));
    };
    let operation = question.operation;
    let processes = u32::try_from(cluster.machines.len()).unwrap_or(u32::MAX);
    let at = answer.root_cluster();
    let chosen: Vec<(Bytes, Option<Selection>)> =
        sizes().map(|size| (size, answer.clusters.select(at, operation, size).ok().flatten())).collect();
    let first = Collective::new(operation, processes, Bytes::new(1)).expect("a cluster has a machine");
    let panel = |algorithm: Algorithm| {
        let time = |model: &Model, size: Bytes| {
            let collective = Collective::new(operation, processes, size).ok()?;
            collective
                .combining(answer.clusters.network().combine_per_byte())
                .ok()?
                .time(algorithm, model)
                .ok()
        };
        let models = links.candidates().iter().map(|candidate| Curve {
            name: candidate.model.kind().name().to_owned(),
            look: Look::Model,
            points: points(|size| Some(time(&candidate.model, size)?.time)),
        });
        let mut curves: Vec<Curve> = models.collect();
        curves.push(Curve {
            name: "measured".into(),
            look: Look::Measured,
            points: runs(answer, at, operation, algorithm),
        });
        let choice = |pick: &dyn Fn(&Selection) -> Option<Time>| {
            let points = chosen.iter().filter_map(|(size, selection)| {
                Some((size.as_f64(), pick(selection.as_ref()?)?.as_microseconds()))
            });
            points.collect::<Vec<_>>()
        };
        let nearest = choice(&|selection| {
            let case = selection.cases.iter().find(|case| case.predicted.algorithm == algorithm)?;
            Some(case.predicted.time)
        });
        curves.push(Curve { name: "Poly1, the model".into(), look: Look::Chosen, points: nearest });
        let fastest = choice(&|selection| Some(selection.best().predicted.time));
        curves.push(Curve { name: "Poly2, the fastest".into(), look: Look::Fastest, points: fastest });
        Panel { title: format!("{operation} in {}: {algorithm}", cluster.name), curves }
    };
    let panels = first.algorithms().map(panel).collect();
    Ok(Curves { y_name: format!("time of {} {operation}", article(operation.name())), panels })
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// The timed runs of an algorithm in a cluster.
fn runs(answer: &Answer<'_>, cluster: usize, operation: Operation, algorithm: Algorithm) -> Vec<(f64, f64)> {
    let runs = answer.clusters.experiments(cluster).iter();
    let runs = runs.filter(|run| run.operation == operation && run.algorithm == algorithm);
    let mut points: Vec<(f64, f64)> =
        runs.map(|run| (run.size.as_f64(), run.time.as_microseconds())).collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    points
}
