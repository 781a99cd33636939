//! What a prediction rests on, and what makes it doubtful.

use super::Method;
use super::chain;
use super::solution::{Extrapolation, Grain, Solution};
use super::source::Source;
use crate::report::Report;
use crate::report::calibration::fits::FEW;
use crate::report::calibration::{Calibrated, CalibratedTask};
use crate::report::ending::Execution;
use crate::report::figures::TaskReport;
use crate::report::numbers::{percent, rate, time};

/// What there is to tell of a prediction.
pub(super) struct Told<'r, S> {
    pub(super) report: &'r Report<S>,
    /// The program by its measured times, without the wait for a source.
    pub(super) calibrated: &'r Calibrated,
    pub(super) source: Option<Source>,
    pub(super) method: &'r Method,
    pub(super) chain: Option<Solution>,
    /// The predicted throughput, in items per second.
    pub(super) predicted: f64,
}

/// What the prediction rests on, a sentence each.
pub(super) fn assumptions<S>(told: &Told<'_, S>) -> Vec<String> {
    let mut said = vec![method(told.method)];
    said.extend(told.calibrated.tasks.iter().map(CalibratedTask::in_words));
    said.extend(told.chain.iter().flat_map(|chain| kept(told.report.items_in_a_parcel(), chain)));
    said.extend(told.source.map(|source| wait_for_source(told, source)));
    said.extend(parcels(told.report));
    said.push(hop(told));
    said.extend(told.chain.iter().flat_map(|chain| chain.assumptions.iter().filter(is_of_the_run).cloned()));
    said
}

fn method(method: &Method) -> String {
    match method {
        Method::Chain => "the prediction is the steady state of the program's Markov chain, with the measured times".to_owned(),
        Method::Extrapolated => "the prediction follows from steady states of the program's Markov chain".to_owned(),
        Method::Steady => {
            "all times vary too little for a chain (scv below 1/64), so the prediction is the paper's formula: the slowest stage sets the pace"
                .to_owned()
        }
        Method::BeyondLimit(stopped) => format!(
            "the chain is too large even with exponential times ({stopped}), so the prediction is the paper's formula, which leaves variation \
             out and is an upper bound"
        ),
        Method::Pull(threads) => format!(
            "each thread takes an item through all tasks: the prediction is {threads} over the sum of all times or, if that is less, the rate of \
             the slowest task outside of farms, which one thread serves at a time"
        ),
    }
}

/// What the chain kept of the variation of the times, where it is not all.
fn kept(items: f64, chain: &Solution) -> Option<String> {
    let stopped = chain.coarser_because.as_ref()?;
    let too_large = format!("a chain with all measured variations is too large ({stopped})");
    Some(match (chain.extrapolation, chain.grain) {
        (Some(Extrapolation { fine, coarse }), _) => {
            let of = |(scv, throughput): (f64, f64)| format!("{scv} ({} items/s)", rate(throughput * items));
            format!(
                "{too_large}: the prediction is an estimate, extrapolated from chains in which no time has an scv below {} and below {}",
                of(fine),
                of(coarse)
            )
        }
        (None, Grain::Exponential) => {
            format!("{too_large}: all times are exponential in the one that was solved")
        }
        (None, grain) => {
            format!(
                "{too_large}: in the one that was solved no time has an scv below {}",
                grain.least_variation()
            )
        }
    })
}

fn wait_for_source<S>(told: &Told<'_, S>, source: Source) -> String {
    let name = told.report.tasks.first().map_or("", |task| &task.name);
    format!(
        "`{name}` waited {} for each parcel from the source; the model has no source, so this time, taken for exponential, is a part of the \
         service of `{name}`, and what is predicted for its starvation follows from it",
        time(source.wait)
    )
}

fn parcels<S>(report: &Report<S>) -> Option<String> {
    let items = report.items_in_a_parcel();
    let is_plain = report.ran.batch == 1 && report.ran.skipped == 0;
    (!is_plain).then(|| {
        format!(
            "items travel in parcels, and an item of the model is a parcel; {items:.3} items were delivered for each parcel, and rates are \
             multiplied by that"
        )
    })
}

fn hop<S>(told: &Told<'_, S>) -> String {
    let hop = time(told.calibrated.hop.as_secs_f64());
    let measured = format!("an item takes {hop} from one thread to the next on this machine");
    match (told.method, chain::are_moves_negligible(told.calibrated)) {
        (Method::Chain | Method::Extrapolated, true) => {
            format!("{measured}, which is left out beside the service times")
        }
        (Method::Chain | Method::Extrapolated, false) => {
            format!("{measured}; a move takes so long in the model")
        }
        _ => format!("{measured}, which is left out"),
    }
}

/// The sentences of the model's own assumptions that do not tell times over again.
fn is_of_the_run(sentence: &&String) -> bool {
    !["the service time of", "service times are", "the other service times", "moves whose communication"]
        .iter()
        .any(|told| sentence.starts_with(told))
}

/// What makes the prediction doubtful, a sentence each.
pub(super) fn warnings<S>(told: &Told<'_, S>) -> Vec<String> {
    let report = told.report;
    let mut said: Vec<String> = few_times(&report.tasks).into_iter().collect();
    said.extend(told.chain.iter().flat_map(|chain| far_from_exponential(told.calibrated, chain)));
    if report.ran.execution == Execution::Threads {
        said.extend(source_is_slow(report));
        said.extend(sink_is_slow(report));
    }
    said.extend(too_few_processors(report));
    said.extend(uncertain(report));
    said.extend(short(report));
    said.extend(hop_counts(told.calibrated));
    said.extend(order_waits(told));
    said.extend(nobody_is_busy(told));
    said.extend(report.tasks.iter().filter_map(|task| changed(report, task)));
    said
}

/// Tasks that served too few parcels.
fn few_times(tasks: &[TaskReport]) -> Option<String> {
    let few = tasks.iter().filter(|task| task.timed < FEW);
    let few: Vec<String> = few.map(|task| format!("{} of `{}`", task.timed, task.name)).collect();
    (!few.is_empty()).then(|| {
        format!(
            "few services were timed, {}, so that mean times and variations are hardly known: let a run have {FEW} or more",
            few.join(", ")
        )
    })
}

/// Tasks whose times vary otherwise than in a chain with exponential times.
fn far_from_exponential(calibrated: &Calibrated, chain: &Solution) -> Option<String> {
    let far = |task: &&CalibratedTask| !(0.5..=2.0).contains(&task.fitted.scv_of_time());
    let names: Vec<String> =
        calibrated.tasks.iter().filter(far).map(|task| format!("`{}`", task.name)).collect();
    (chain.extrapolation.is_none() && chain.grain.least_variation() >= 1.0 && !names.is_empty()).then(|| {
        format!(
            "the variation of {} is far from that of exponential times, which the prediction takes for granted: steadier tasks make the program \
             faster than predicted, less steady ones slower",
            names.join(", ")
        )
    })
}

fn source_is_slow<S>(report: &Report<S>) -> Option<String> {
    const MUCH: f64 = 0.05;
    let first = report.tasks.first().filter(|first| first.starved > MUCH)?;
    Some(format!(
        "the source is slower than the program: `{}` waited for it for {} of the time, so more workers would not make the run faster",
        first.name,
        percent(first.starved)
    ))
}

fn sink_is_slow<S>(report: &Report<S>) -> Option<String> {
    const MUCH: f64 = 0.05;
    let last = report.tasks.last().filter(|last| last.blocked > MUCH)?;
    Some(format!(
        "what takes the results is slower than the program: `{}` waited for it for {} of the time; the model takes every result at once",
        last.name,
        percent(last.blocked)
    ))
}

fn too_few_processors<S>(report: &Report<S>) -> Option<String> {
    let busy: f64 = report.tasks.iter().map(|task| task.processors).sum();
    let cores = report.ran.cores;
    // A replica that computes on a core of its own is busy for a little more than the time that it computes.
    (busy > cores as f64 * 1.02).then(|| {
        let noun = if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") };
        format!(
            "{busy:.1} replicas were busy on average, on {noun}: they took turns, so that the measured times are longer than the work; the model \
             has a processor for each replica, and is right for this machine and these numbers of replicas alone"
        )
    })
}

fn uncertain<S>(report: &Report<S>) -> Option<String> {
    const WIDE: f64 = 0.05;
    let throughput = report.throughput();
    match throughput.half_width.map(|half| half / throughput.rate) {
        None => Some("too few items left the program to say how certain its throughput is".to_owned()),
        Some(part) if part > WIDE => Some(format!(
            "the measured throughput is uncertain by ± {}: a longer run tells more",
            percent(part)
        )),
        Some(_) => None,
    }
}

fn short<S>(report: &Report<S>) -> Option<String> {
    const MUCH: f64 = 0.05;
    let first = report.ran.departures.first()?;
    let part = first.as_secs_f64() / report.ran.elapsed.as_secs_f64();
    (part > MUCH).then(|| {
        format!(
            "the run was short: its first item left after {} of the time, in which busy, starved and blocked are not those of steady flow",
            percent(part)
        )
    })
}

fn hop_counts(calibrated: &Calibrated) -> Option<String> {
    const MUCH: f64 = 0.02;
    let shortest = calibrated.tasks.iter().min_by(|a, b| a.fitted.mean.total_cmp(&b.fitted.mean))?;
    let part = calibrated.hop.as_secs_f64() / shortest.fitted.mean;
    (part > MUCH).then(|| {
        format!(
            "a hop takes {} of the service time of `{}`, so the prediction depends on it: batches of more items make it count less",
            percent(part),
            shortest.name
        )
    })
}

/// Where order is restored, results wait for the one whose turn it is: beside the queue, so that nobody waits
/// for them, but no further than the window. It becomes full where a few services are very long. Up to an scv
/// of 1 it costs under 2 % of the throughput, at 4 some 3 %, and at 10 a third (simulated for 8 workers).
fn order_waits<S>(told: &Told<'_, S>) -> Option<String> {
    const MUCH: f64 = 2.0;
    let is_concerned = |task: &&TaskReport| told.report.ran.in_order.contains(&task.id);
    let names: Vec<String> =
        told.report.tasks.iter().filter(is_concerned).map(|task| format!("`{}`", task.name)).collect();
    let workers = told.report.tasks.iter().filter(|task| task.replicas > 1);
    let varying = workers.max_by(|a, b| a.scv.unwrap_or(0.0).total_cmp(&b.scv.unwrap_or(0.0)))?;
    let scv = varying.scv.filter(|&scv| scv > MUCH)?;
    let is_chain = matches!(told.method, Method::Chain | Method::Extrapolated);
    (is_chain && !names.is_empty()).then(|| {
        format!(
            "`{}` has a few services that are very long (scv {scv:.1}), and {} waits for the item whose turn it is; results behind it fill the window, which              the model does not have, so it predicts too much: a wider `window` or `unordered` helps",
            varying.name,
            names.join(", ")
        )
    })
}

/// A run in which all wait: it is threads that wait, and not tasks.
fn nobody_is_busy<S>(told: &Told<'_, S>) -> Option<String> {
    const MUCH: f64 = 1.2;
    const HARDLY: f64 = 0.5;
    let busiest = told.report.tasks.iter().map(|task| task.busy).fold(0.0, f64::max);
    (told.predicted > MUCH * told.report.throughput().rate && busiest < HARDLY).then(|| {
        format!(
            "the run was much slower than predicted, though no task was busy for more than {} of the time: threads waited to be woken, or for a \
             processor, which the model leaves out; larger batches, or less other work on the machine, make that less",
            percent(busiest)
        )
    })
}

/// A task that had other replicas for a part of the run.
fn changed<S>(report: &Report<S>, task: &TaskReport) -> Option<String> {
    let figures = report.ran.snapshot.tasks.iter().find(|figures| figures.id == task.id)?;
    let is_pull = matches!(report.ran.execution, Execution::Pull(_));
    // Whoever hands out the items of a fault-tolerant stage is none of its workers.
    let had = figures.replicas.iter().filter(|replica| !replica.present().is_zero()).count();
    (!is_pull && had > task.replicas).then(|| {
        format!(
            "`{}` had {} replicas over the run and {} in the end: the prediction is for those of the end, and what was measured is of all",
            task.name,
            had,
            task.replicas
        )
    })
}
