//! A program with its functions and a contract, ready to run.

use std::sync::OnceLock;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use skel_core::skeleton::{Program, Skeleton, Tree};
use skel_plan::Platform;
use skel_run::{Chain, Engine, Items, Results, Run};

use super::error::Error;
use super::keeper::{Keeper, Management};
use super::live::Live;
use super::report::ManagedReport;
use super::running::ManagedRunning;
use crate::contract::Contract;
use crate::manager::{Manager, Settings};
use crate::model::Consult;
use crate::placement::Placement;
use crate::rule::{RuleErrors, Rules};

/// Gives a program with its functions a contract. The prelude has it.
pub trait Manage: Sized {
    /// Its skeleton.
    type Skeleton;
    /// Its functions.
    type Functions;

    /// The same program with a manager, which keeps this contract while it runs. What is said of the run
    /// itself (`batch`, `unordered`, `controlled_by` and so on) comes before.
    ///
    /// # Examples
    /// ```
    /// use std::{thread::sleep, time::Duration};
    ///
    /// use skel::prelude::*;
    ///
    /// pipe! { skeleton Images { task("read", 1000.0), farm(1, "sharpen", 100.0) } }
    ///
    /// let managed = Images::new().run()
    ///     .read(|number: u64| number)
    ///     .sharpen(|number| { sleep(Duration::from_millis(4)); number })
    ///     .contract(Contract::service_time(2.ms()))
    ///     .over(0..300)?;
    /// println!("{}", managed.log());
    /// # assert_eq!(managed.report().delivered(), 300);
    ///
    /// let error = Images::new().run()
    ///     .read(|number: u64| number)
    ///     .sharpen(|number| number)
    ///     .contract(Contract::throughput(0.0).tolerance(2.0))
    ///     .over(0..300)
    ///     .unwrap_err();
    /// assert_eq!(error.to_string(), "\
    /// a contract of 0 items/s: a throughput has to be a positive number of items per second
    /// a tolerance of 2: it is a part of the service time, from 0 to 1, such as 0.05");
    /// # Ok::<(), skel::manage::Error>(())
    /// ```
    fn contract(self, contract: Contract) -> Managed<Self::Skeleton, Self::Functions>;
}

impl<S, C> Manage for Run<S, C> {
    type Skeleton = S;
    type Functions = C;

    fn contract(self, contract: Contract) -> Managed<S, C> {
        Managed {
            run: self,
            contract,
            rules: Ok(Rules::predefined()),
            settings: Settings::default(),
            platform: None,
            placement: None,
            tick: None,
            is_live: false,
            most: SNAPSHOTS,
        }
    }
}

/// Rules, or what is wrong with them: [`Managed::rules`] takes both, so that all that is wrong with a run is
/// said at once.
pub trait IntoRules {
    /// The rules.
    ///
    /// # Errors
    /// What is wrong with them.
    fn into_rules(self) -> Result<Rules, RuleErrors>;
}

impl IntoRules for Rules {
    fn into_rules(self) -> Result<Rules, RuleErrors> {
        Ok(self)
    }
}

impl IntoRules for Result<Rules, RuleErrors> {
    fn into_rules(self) -> Result<Rules, RuleErrors> {
        self
    }
}

/// A program with a function for each of its tasks, and a contract that a manager keeps while it runs.
///
/// The manager is a thread beside those of the run, which ends with it. It looks at the run's figures at each
/// tick, and decides by rules. Its decisions and what they rest on are in the [`ManagedReport`].
///
/// A manager changes numbers of replicas, so each replica has a thread of its own, as with
/// [`Engine::Threads`].
#[must_use = "a run begins with `over`, `collect`, `for_each`, `results`, `send_to` or `start`"]
pub struct Managed<S, C> {
    run: Run<S, C>,
    contract: Contract,
    rules: Result<Rules, RuleErrors>,
    settings: Settings,
    platform: Option<Platform>,
    placement: Option<Placement>,
    tick: Option<Duration>,
    is_live: bool,
    /// How many snapshots are kept.
    most: usize,
}

/// How many snapshots are kept, unless it is said.
const SNAPSHOTS: usize = 1000;

/// The shortest and the longest time between two looks at the run, unless it is said.
const TICKS: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(200));

/// Between two looks, so many items leave a program that keeps its contract: a tenth of those that a decision
/// needs.
const ITEMS_IN_A_TICK: f64 = 40.0;

/// A run that can begin, and what manages it.
struct Ready<S, C> {
    run: Run<S, C>,
    program: Program<Tree>,
    keeper: Keeper,
}

impl<S, C> Managed<S, C> {
    /// By these rules, in the place of [`Rules::predefined`].
    pub fn rules(mut self, rules: impl IntoRules) -> Self {
        self.rules = rules.into_rules();
        self
    }

    /// With these settings, in the place of all that were given before.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Decides and notes, but does nothing.
    pub fn dry_run(mut self) -> Self {
        self.settings = self.settings.dry_run();
        self
    }

    /// With no more workers and replicas than this, those of all stages together.
    pub fn most_workers(mut self, most: u32) -> Self {
        self.settings = self.settings.most_workers(most);
        self
    }

    /// The run ends so long after its start: nothing is done that costs more than it gains until then.
    pub fn ends_at(mut self, end: Duration) -> Self {
        self.settings = self.settings.ends_at(end);
        self
    }

    /// The run has so many items in all: nothing is done that costs more than it gains until they have left.
    pub fn items(mut self, items: u64) -> Self {
        self.settings = self.settings.items(items);
        self
    }

    /// Decides by this prediction.
    pub fn consult(mut self, consult: Consult) -> Self {
        self.settings = self.settings.consult(consult);
        self
    }

    /// The program runs on this platform, each replica on the processor that is the least used, and of
    /// several the fastest: so rules can ask for a faster processor that is free. A processor of the
    /// platform, counted from 1, is one of the machine, counted from 0.
    ///
    /// Threads move only with the feature `affinity`. Without it a move is refused, and the log says so.
    pub fn on(mut self, platform: Platform) -> Self {
        self.platform = Some(platform);
        self
    }

    /// As [`Self::on`], where replicas are on other processors in the beginning.
    pub fn placed(mut self, placement: Placement) -> Self {
        self.placement = Some(placement);
        self
    }

    /// Looks at the run's figures so often. Without this call, 40 items of a program that keeps its contract
    /// leave between two looks, but the time is from 10 to 200 ms. It is at least 1 ms.
    pub fn tick(mut self, tick: Duration) -> Self {
        self.tick = Some(tick.max(Duration::from_millis(1)));
        self
    }

    /// Shows on the terminal, in one line that changes, the service time beside the contract, the numbers of
    /// replicas and the last decision. Nothing is shown where the standard error is no terminal.
    pub fn live(mut self) -> Self {
        self.is_live = true;
        self
    }

    /// Keeps so many snapshots of the run, and at least 2, in the place of 1000. When there are more, every
    /// second one is left out, and those that follow are kept half as often.
    pub fn recorded(mut self, snapshots: usize) -> Self {
        self.most = snapshots.max(2);
        self
    }
}

impl<S: Skeleton, C: Chain> Managed<S, C> {
    /// Runs over these items. The results are dropped; the last task does with them what there is to do.
    ///
    /// # Errors
    /// A contract, rules, settings or a program that cannot be, with all that is wrong; an item that a task
    /// could not serve.
    pub fn over<I>(self, items: I) -> Result<ManagedReport<S>, Error>
    where
        I: Items<Item = C::In>,
    {
        self.for_each(items, drop)
    }

    /// Runs over these items, and collects the results.
    ///
    /// # Errors
    /// As [`Self::over`].
    pub fn collect<I>(self, items: I) -> Result<(Vec<C::Out>, ManagedReport<S>), Error>
    where
        I: Items<Item = C::In>,
    {
        self.results(items, |results| results.collect())
    }

    /// Runs over these items. Calls a function with each result, on this thread.
    ///
    /// # Errors
    /// As [`Self::over`].
    pub fn for_each<I>(self, items: I, function: impl FnMut(C::Out)) -> Result<ManagedReport<S>, Error>
    where
        I: Items<Item = C::In>,
    {
        let ((), report) = self.results(items, |results| results.for_each(function))?;
        Ok(report)
    }

    /// Runs over these items. Calls a function once, on this thread, with the results as an iterator. If the
    /// function returns before it has seen all, the run is cancelled.
    ///
    /// # Errors
    /// As [`Self::over`].
    pub fn results<I, R>(
        self,
        items: I,
        function: impl FnOnce(&mut Results<'_, C::Out>) -> R,
    ) -> Result<(R, ManagedReport<S>), Error>
    where
        I: Items<Item = C::In>,
    {
        let contract = self.contract;
        let Ready { run, program, keeper } = self.ready()?;
        let answer = run.results(items, function);
        let kept = keeper.stop();
        match answer {
            Ok((answer, report)) => Ok((answer, ManagedReport::new(contract, program, report, kept))),
            Err(error) => Err(Error::Ended { error, log: kept.log }),
        }
    }

    /// Runs over these items, and sends the results through a channel. When its receiver is gone, the run is
    /// cancelled.
    ///
    /// # Errors
    /// As [`Self::over`].
    pub fn send_to<I>(self, items: I, sender: &SyncSender<C::Out>) -> Result<ManagedReport<S>, Error>
    where
        I: Items<Item = C::In>,
    {
        let send = |results: &mut Results<'_, C::Out>| {
            let _ = results.try_for_each(|result| sender.send(result));
        };
        Ok(self.results(items, send)?.1)
    }

    /// Runs over these items on a thread of its own, and returns at once. Nothing may be borrowed then.
    ///
    /// # Errors
    /// A contract, rules, settings or a program that cannot be, with all that is wrong.
    pub fn start<I>(self, items: I) -> Result<ManagedRunning<S, C::Out>, Error>
    where
        S: Send + 'static,
        C: Send + 'static,
        C::Out: 'static,
        I: Items<Item = C::In> + Send + 'static,
    {
        let contract = self.contract;
        let Ready { run, program, keeper } = self.ready()?;
        Ok(ManagedRunning::new(run.start(items), keeper, contract, program))
    }

    /// Everything that is wrong, or a run that can begin.
    fn ready(self) -> Result<Ready<S, C>, Error> {
        let Managed { run, contract, rules, settings, platform, placement, tick, is_live, most } = self;
        let program = run.check();
        let mut problems = Vec::new();
        problems.extend(contract.check().err().map(|errors| errors.to_string()));
        match (&rules, &program) {
            (Err(errors), _) => problems.push(format!("the rules: {errors}")),
            (Ok(rules), Ok(program)) => problems.extend(rules.unknown_stages(program.skeleton())),
            (Ok(_), Err(_)) => {}
        }
        if let Engine::Pull(_) = run.engine_asked_for() {
            problems.push(
                "the pull engine has no replicas that a manager could add or remove: take `Engine::Threads`"
                    .to_owned(),
            );
        }
        problems.extend(program.as_ref().err().map(ToString::to_string));
        let (Ok(program), Ok(rules), true) = (program, rules, problems.is_empty()) else {
            return Err(Error::NotBegun(problems));
        };
        let (run, control) = run.engine(Engine::Threads).with_control();
        let manager = Manager::new(contract, rules, settings).clocked_by(clock);
        let spread = || Some(Placement::spread(platform?, program.skeleton()));
        let management = Management {
            manager: match placement.or_else(spread) {
                Some(placement) => manager.placed(placement),
                None => manager,
            },
            control,
            program: program.clone(),
            tick: tick.unwrap_or_else(|| tick_of(&contract)),
            most,
            live: is_live.then(|| Live::new(contract)).flatten(),
        };
        let no_thread = |error| Error::NotBegun(vec![format!("there is no thread for the manager: {error}")]);
        let keeper = Keeper::start(management).map_err(no_thread)?;
        Ok(Ready { run, program, keeper })
    }
}

fn tick_of(contract: &Contract) -> Duration {
    let seconds = contract.goal().seconds() * ITEMS_IN_A_TICK;
    Duration::try_from_secs_f64(seconds).unwrap_or(TICKS.1).clamp(TICKS.0, TICKS.1)
}

/// The time since this was first asked.
fn clock() -> Duration {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed()
}
