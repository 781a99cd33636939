//! What runs beside the work: its limits, Ctrl-C, and a line on standard error that says how far it is.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use skel::Limits;
use skel::limits::{Cancellation, Progress};
use skel::network::measure;
use skel::{dimension, plan, sweep};

use crate::arguments::LimitArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::report::table::decimal;

/// Work shorter than this shows no progress.
const QUIET_FOR: Duration = Duration::from_millis(500);

/// The surroundings of one exploration and its solution. Ctrl-C cancels it as long as it lives.
pub(crate) struct Session {
    /// The limits, to hand on.
    pub(crate) limits: Limits,
    spinner: ProgressBar,
}

impl Session {
    /// Starts the work. From here on Ctrl-C does not end the command but asks the work to stop, so that it
    /// can say how far it came and clear its files away.
    pub(crate) fn start(arguments: &LimitArguments, json: bool) -> Session {
        let cancellation = Cancellation::default();
        let on_signal = cancellation.clone();
        // Without a handler Ctrl-C ends the command at once, which is the next best.
        let _ = ctrlc::set_handler(move || on_signal.cancel());
        let shows_progress = !json && io::stderr().is_terminal();
        let spinner = if shows_progress { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{spinner} {prefix}{msg}");
        spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        let defaults = Limits::default();
        let limits = Limits {
            states: arguments.max_states.unwrap_or(defaults.states),
            memory: arguments.max_memory.unwrap_or(defaults.memory),
            time: arguments.max_time,
            threads: arguments.threads,
            cancellation,
            progress: shows_progress.then(|| reporter(spinner.clone())),
            ..defaults
        };
        Session { limits, spinner }
    }

    /// Work that has no limits but Ctrl-C.
    pub(crate) fn unlimited(json: bool) -> Session {
        let none = LimitArguments { max_states: None, max_memory: None, max_time: None, threads: None };
        Session::start(&none, json)
    }

    /// Says how much of a time has been gone through.
    pub(crate) fn say_time(&self, doing: &str, at: Duration, of: Duration) {
        if self.spinner.elapsed() >= QUIET_FOR {
            self.spinner.set_message(format!(
                "{doing}: {:.0} of {:.0} s",
                at.as_secs_f64(),
                of.as_secs_f64()
            ));
            self.spinner.tick();
        }
    }

    /// An answer, if nobody pressed Ctrl-C while it was made. Not all work looks at that to its end, and
    /// whoever pressed it wants none.
    pub(crate) fn unless_cancelled<T>(&self, answer: T) -> Result<T, Failure> {
        if self.limits.cancellation.is_cancelled() {
            let problem = Problem::error("limit_reached", "cancelled: the answer was being put together");
            return Err(Failure::new(Exit::Limit, problem));
        }
        Ok(answer)
    }

    /// Says of what the progress is from here on.
    pub(crate) fn work_on(&self, part: String) {
        self.spinner.set_message("");
        self.spinner.set_prefix(part);
    }

    /// A function that says how far work is that consists of many solutions. None of these reports for
    /// itself.
    pub(crate) fn counter(&mut self) -> impl Fn(plan::Progress) + Send + Sync + 'static {
        self.limits.progress = None;
        let (spinner, started) = (self.spinner.clone(), Instant::now());
        move |progress| {
            if started.elapsed() >= QUIET_FOR {
                spinner.set_message(describe_many(progress));
                spinner.tick();
            }
        }
    }

    /// The same for a sweep.
    pub(crate) fn counter_of_points(&mut self) -> impl Fn(sweep::Progress) + Send + Sync + 'static {
        self.limits.progress = None;
        let (spinner, started) = (self.spinner.clone(), Instant::now());
        move |progress| {
            if started.elapsed() >= QUIET_FOR {
                let [done, total] = [progress.done, progress.total].map(|points| HumanCount(points as u64));
                spinner.set_message(format!("solving: {done} of {total} points"));
                spinner.tick();
            }
        }
    }

    /// The same for a search of numbers of replicas.
    pub(crate) fn configurations(&mut self) -> impl Fn(dimension::Progress) + Send + Sync + 'static {
        self.limits.progress = None;
        let (spinner, started) = (self.spinner.clone(), Instant::now());
        move |progress| {
            if started.elapsed() >= QUIET_FOR {
                let (solved, cost) = (HumanCount(progress.solved as u64), HumanCount(progress.cost));
                spinner.set_message(format!(
                    "solving: {solved} chains solved, a cost of at least {cost} is needed"
                ));
                spinner.tick();
            }
        }
    }

    /// A function that says how far the timing of a link is.
    pub(crate) fn counter_of_batches(&self) -> impl Fn(measure::Progress) + Send + Sync + 'static {
        let (spinner, started) = (self.spinner.clone(), Instant::now());
        move |progress| {
            if started.elapsed() >= QUIET_FOR {
                let [done, total] = [progress.done, progress.total].map(|batches| HumanCount(batches.into()));
                spinner.set_message(format!("timing: {done} of {total} batches of messages"));
                spinner.tick();
            }
        }
    }

    /// Prints something while the line of progress is out of the way.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.spinner.suspend(print)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.spinner.finish_and_clear();
    }
}

fn reporter(spinner: ProgressBar) -> Arc<dyn Fn(Progress) + Send + Sync> {
    let started = Instant::now();
    Arc::new(move |progress| {
        if started.elapsed() >= QUIET_FOR {
            spinner.set_message(describe(progress));
            spinner.tick();
        }
    })
}

fn describe_many(progress: plan::Progress) -> String {
    let of = progress.total.map_or_else(String::new, |of| format!(" of {}", HumanCount(of as u64)));
    let mut text = format!("solving: {}{of} mappings solved", HumanCount(progress.solved as u64));
    for (figure, word) in [(progress.best, "best"), (progress.bound, "none above")] {
        if let Some(figure) = figure {
            text += &format!(", {word} {}", decimal(figure.value()));
        }
    }
    text
}

fn describe(progress: Progress) -> String {
    match progress {
        Progress::Exploring { found, explored } => {
            format!("exploring: {} states found, {} explored", HumanCount(found), HumanCount(explored))
        }
        Progress::Refining { blocks, states } => {
            format!("refining: {} states parted into {}", HumanCount(states), HumanCount(blocks))
        }
        Progress::Preparing => "solving: setting up the equations".into(),
        Progress::Iterating { iterations, residual } => {
            format!("solving: {} iterations, residual {residual:.1e}", HumanCount(iterations))
        }
        Progress::Eliminating { done, of } => {
            format!("solving: {} of {} states eliminated", HumanCount(done), HumanCount(of))
        }
        Progress::Stepping { steps, of } => {
            format!("solving: {} of {} steps", HumanCount(steps), HumanCount(of))
        }
        Progress::Lifting { digits } => {
            format!("solving: fractions of up to {} digits searched", HumanCount(digits))
        }
    }
}
