//! A skeleton with all its functions, ready to run.

use std::sync::mpsc::SyncSender;

use skel_core::skeleton::{Program, Skeleton, StageOf, Tree};

use crate::control::Control;
use crate::engine::Chain;
use crate::error::Error;
use crate::execution::execute;
use crate::functions::{LastIsMap, LastTakes, Repeatable};
use crate::monitor::{Sampling, Timing};
use crate::report::Report;
use crate::results::Results;
use crate::running::Running;
use crate::settings::{Engine, Settings};
use crate::source::Items;

/// A program with a function for each of its tasks.
///
/// It runs on threads of its own, which end before the call returns; so functions and items may borrow.
/// Results come in the order of their items.
#[must_use = "a run begins with `over`, `collect`, `for_each` or `results`"]
pub struct Run<S, C> {
    program: Program<S>,
    functions: C,
    settings: Settings,
}

impl<S: Skeleton, C: Chain> Run<S, C> {
    /// Runs over these items. The results are dropped; the last task does with them what there is to do.
    ///
    /// # Errors
    /// A skeleton or settings that cannot run, with all that is wrong; an item that a task could not serve.
    pub fn over<I>(self, items: I) -> Result<Report<S>, Error>
    where
        I: Items<Item = C::In>,
    {
        self.for_each(items, drop)
    }

    /// Runs over these items, and collects the results.
    ///
    /// # Errors
    /// As [`Self::over`].
    pub fn collect<I>(self, items: I) -> Result<(Vec<C::Out>, Report<S>), Error>
    where
        I: Items<Item = C::In>,
    {
        self.results(items, |results| results.collect())
    }

    /// Runs over these items. Calls a function with each result, on this thread.
    ///
    /// # Errors
    /// As [`Self::over`].
    pub fn for_each<I>(self, items: I, function: impl FnMut(C::Out)) -> Result<Report<S>, Error>
    where
        I: Items<Item = C::In>,
    {
        let ((), report) = self.results(items, |results| results.give_each(function))?;
        Ok(report)
    }

    /// Runs over these items. Calls a function once, on this thread, with the results as an iterator, which
    /// has each of them as soon as it is there. If the function returns before it has seen all, the run is
    /// cancelled.
    ///
    /// # Errors
    /// As [`Self::over`].
    pub fn results<I, R>(
        self,
        items: I,
        function: impl FnOnce(&mut Results<'_, C::Out>) -> R,
    ) -> Result<(R, Report<S>), Error>
    where
        I: Items<Item = C::In>,
    {
        let (answer, report) =
            execute(&self.program, &self.functions, &self.settings, items.into_source(), function)?;
        Ok((answer, report.typed()))
    }

    /// Runs over these items, and sends the results through a channel. When its receiver is gone, the run is
    /// cancelled.
    ///
    /// # Errors
    /// As [`Self::over`].
    pub fn send_to<I>(self, items: I, sender: &SyncSender<C::Out>) -> Result<Report<S>, Error>
    where
        I: Items<Item = C::In>,
    {
        let send = |results: &mut Results<'_, C::Out>| results.all(|result| sender.send(result).is_ok());
        Ok(self.results(items, send)?.1)
    }

    /// The same with this engine.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.settings.engine = engine;
        self
    }

    /// The engine that was asked for: [`Engine::Automatic`] if none was.
    #[must_use]
    pub fn engine_asked_for(&self) -> Engine {
        self.settings.engine
    }

    /// The same with so many items that travel together. Each task serves one of these parcels after the
    /// other, and buffers count parcels. Without this call the number is chosen by how long the tasks take: 1
    /// where one of them takes more than 100 µs, else up to 1024.
    pub fn batch(mut self, items: usize) -> Self {
        self.settings.batch = Some(items);
        self
    }

    /// The results of a farm pass on as they come, not in the order of their items. The handle is that of the
    /// farm, or of its worker.
    pub fn unordered<H>(mut self, farm: StageOf<S, H>) -> Self {
        self.settings.unordered.push(farm.id());
        self
    }

    /// Bounds how far results can overtake each other before their order is restored: to so many parcels for
    /// each thread in between, 16 without this call.
    pub fn window(mut self, parcels: u32) -> Self {
        self.settings.window = parcels;
        self
    }

    /// Times every service (this is so without this call), or samples: 18 ns of processor time for each
    /// parcel, or 4 ns.
    pub fn timing(mut self, timing: Timing) -> Self {
        self.settings.timing = timing;
        self
    }

    /// Takes snapshots while the program runs, in a thread of their own: [`Report::series`] has them.
    ///
    /// # Examples
    /// ```
    /// use std::time::Duration;
    ///
    /// use skel::prelude::*;
    /// use skel::run::monitor::Sampling;
    ///
    /// pipe! { skeleton Lines { task("number", 1e6), farm(2, "measure", 1e6) } }
    ///
    /// let report = Lines::new().run()
    ///     .number(|line: u64| line + 1)
    ///     .measure(|line| line.to_string().len())
    ///     .sampled(Sampling::every(Duration::from_millis(10)).live_line())
    ///     .over(0..10_000)?;
    /// let series = report.series();
    /// assert_eq!(series.last().unwrap().delivered(), 10_000);
    /// println!("{}", series.to_csv());
    /// # Ok::<(), skel::run::Error>(())
    /// ```
    pub fn sampled(mut self, sampling: Sampling) -> Self {
        self.settings.sampling = Some(sampling);
        self
    }

    /// Each thread stays on one processor: the first on the first, and so on around. Without this call the
    /// system moves threads as it likes. It needs the feature `affinity`, and does nothing where the system
    /// does not allow it.
    #[cfg(feature = "affinity")]
    pub fn pinned(mut self) -> Self {
        self.settings.is_pinned = true;
        self
    }

    /// Another thread may look at the run and change it by this handle.
    pub fn controlled_by(mut self, control: &Control) -> Self {
        self.settings.control = Some(control.clone());
        self
    }

    /// The program as it would run: its tree, with the buffers that it runs with.
    ///
    /// # Errors
    /// A skeleton or settings that cannot run, with all that is wrong.
    pub fn check(&self) -> Result<Program<Tree>, Error> {
        Ok(self.settings.check(&self.program, &self.functions)?.program)
    }
}

impl<S, C> Run<S, C> {
    /// The same with a handle, and that handle: the one of [`Self::controlled_by`], or else a new one.
    pub fn with_control(mut self) -> (Self, Control) {
        let control = self.settings.control.get_or_insert_default().clone();
        (self, control)
    }
}

impl<S, C> Run<S, C>
where
    S: Skeleton + Send + 'static,
    C: Chain + Send + 'static,
    C::Out: 'static,
{
    /// Runs over these items on a thread of its own, and returns at once. Nothing may be borrowed then.
    pub fn start<I>(self, items: I) -> Running<S, C::Out>
    where
        I: Items<Item = C::In> + Send + 'static,
    {
        let (run, control) = self.with_control();
        Running::start(control, move |sender| run.send_to(items, &sender))
    }
}

impl<S, C> Run<S, C> {
    /// A program with its functions. Generated code calls it.
    #[doc(hidden)]
    pub fn from_generated_code(program: Program<S>, functions: C) -> Self {
        Run { program, functions, settings: Settings::default() }
    }

    /// Tries an item that the last task cannot serve so many times again. If that does not help, what is said
    /// of the task besides holds: the run ends or, with [`Self::skip_failures`], the item is left out.
    pub fn retry<A: Repeatable>(mut self, times: u32) -> Self
    where
        C: LastTakes<A>,
    {
        self.functions.policy().retry(times);
        self
    }

    /// Makes one result of those of all workers of the last task, which is a map or a map with state: in
    /// their order, by an associative function of two.
    pub fn reduce<B, G, D>(self, function: G) -> Run<S, D>
    where
        C: LastIsMap<B, G, D>,
        G: Fn(B, B) -> B + Sync,
    {
        Run { program: self.program, functions: self.functions.reduce(function), settings: self.settings }
    }

    /// Leaves out, and counts, items that the last task cannot serve. Otherwise the first of them ends the
    /// run.
    pub fn skip_failures<A>(mut self) -> Self
    where
        C: LastTakes<A>,
    {
        self.functions.policy().skip();
        self
    }
}
