//! A run from its start to its report: engines one after the other, over one source and to one sink.

mod conductor;
mod present;
mod requests;
mod state;

use std::time::Instant;

use skel_core::skeleton::{Program, Skeleton};

use crate::control::Control;
use crate::engine::Chain;
use crate::error::Error;
use crate::monitor::{Monitors, Sampler};
use crate::progress::{FailedItem, Progress, Who};
use crate::report::{Departures, Ending, Failure, Ran, Report};
use crate::results::Results;
use crate::settings::{Checked, Settings};
use crate::source::{Shelf, Source, Taken};
use crate::sync::{Arc, Mutex, lock, thread};
use conductor::Conductor;
use present::Present;
use state::Common;

/// Runs a program over items. `function` takes the results.
pub(crate) fn execute<S: Skeleton, C: Chain, I, R>(
    program: &Program<S>,
    functions: &C,
    settings: &Settings,
    items: I,
    function: impl FnOnce(&mut Results<'_, C::Out>) -> R,
) -> Result<(R, Report), Error>
where
    I: Source<Item = C::In>,
{
    let Checked { program, capacities } = settings.check(program, functions)?;
    let tree = program.skeleton();
    let common = Common {
        settings: settings.clone(),
        tree: tree.clone(),
        monitors: Monitors::timed(settings.timing, tree.leaves().map(|id| (id, tree.name(id)))),
        progress: Arc::new(Progress::new()),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let shelf: Shelf<I> = Arc::new(Mutex::new(Some(Taken::new(items))));
    #[cfg(feature = "affinity")]
    if settings.is_pinned {
        common.monitors.pin();
    }
    let present = Present::new(program.clone(), capacities, settings.batch);
    let mut departures = Departures::none();
    let sampler = settings.sampling.clone().map(|sampling| sampling.start(&common.monitors));
    let began = Instant::now();
    let (answer, how) = thread::scope(|scope| {
        let _attached =
            settings.control.as_ref().map(|control| Attachment { control, progress: &common.progress });
        let conductor = Conductor::new(scope, functions, &common, present, Arc::clone(&shelf));
        let inlet = conductor.begin();
        let engines = conductor.clone();
        let go_on = Box::new(move || engines.go_on());
        let mut results = Results::new(inlet, go_on, &common.progress, &mut departures, began);
        let answer = function(&mut results);
        drop(results);
        (answer, conductor.how())
    });
    let source = lock(&shelf).take();
    let failed = common.progress.take_failed();
    let taken = source.as_ref().map_or(0, Taken::taken);
    let ending = ending(&common.progress, failed.as_ref(), source.is_some_and(|source| source.has_ended()));
    let series = sampler.map(Sampler::stop).unwrap_or_default();
    let snapshot = common.monitors.snapshot();
    let replicas = snapshot.tasks.iter().flat_map(|task| &task.replicas);
    let report = Report::new(Ran {
        program: how.program,
        execution: how.execution,
        batch: how.batch,
        reason: how.reason,
        elapsed: began.elapsed(),
        ending,
        taken,
        discarded: common.progress.discarded(),
        skipped: replicas.clone().map(|replica| replica.skipped).sum(),
        states: replicas.map(|replica| replica.kept).sum(),
        failed: u64::from(failed.as_ref().is_some_and(|item| matches!(item.who, Who::Task(_)))),
        departures,
        in_order: how.in_order,
        cores: common.cores,
        snapshot,
        series,
    });
    match failed {
        None => Ok((answer, report)),
        Some(item) => Err(failure(item, &common, report)),
    }
}

/// Detaches the handle of a run at its end, however that comes: the thread that answers requests would wait
/// for ever otherwise.
struct Attachment<'a> {
    control: &'a Control,
    progress: &'a Arc<Progress>,
}

impl Drop for Attachment<'_> {
    fn drop(&mut self) {
        self.control.detach(self.progress);
    }
}

fn ending(progress: &Progress, failed: Option<&FailedItem>, has_ended: bool) -> Ending {
    match failed {
        Some(_) => Ending::Failed,
        None if progress.is_cancelled() => Ending::Cancelled,
        None if progress.is_draining() && !has_ended => Ending::Drained,
        None => Ending::Completed,
    }
}

fn failure(item: FailedItem, common: &Common, report: Report) -> Error {
    match item.who {
        Who::Source => Error::source(item.place, &item.cause, report),
        Who::System => Error::NoThreads { reason: item.cause.to_string(), report: Box::new(report) },
        Who::Task(task) => {
            let stage = common.tree.leaves().nth(task).expect("a task that failed is one of the skeleton");
            Error::Failed(Failure::new(stage, item.place, item.cause, report))
        }
    }
}
