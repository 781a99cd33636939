//! A recorded run through another contract or other rules, to see what a manager would have done.

use std::fmt;

use skel_core::skeleton::{Program, Tree};

use crate::contract::Contract;
use crate::decision::{Event, Log};
use crate::manager::{Manager, Settings};
use crate::recorded::Recorded;
use crate::recording::Recording;
use crate::rule::Rules;

/// A recorded run that a manager looks at: what it would have done is noted, and nothing is carried out.
///
/// The recording cannot react. So what is decided after the first decision is decided on the recorded numbers
/// of workers, and not on those that the manager would have set. A [simulation](crate::simulate) reacts.
///
/// # Examples
/// ```
/// use std::{thread::sleep, time::Duration};
///
/// use skel::manage::Replay;
/// use skel::prelude::*;
///
/// pipe! { skeleton Images { task("read", 1000.0), farm(2, "sharpen", 100.0) } }
///
/// let managed = Images::new().run()
///     .read(|number: u64| number)
///     .sharpen(|number| { sleep(Duration::from_millis(2)); number })
///     .contract(Contract::service_time(20.ms()))
///     .over(0..200)?;
/// // What would have been done for a shorter service time?
/// let log = Replay::of(managed.recording(), Contract::service_time(1.ms())).log()?;
/// println!("{log}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is replayed before `log`"]
pub struct Replay<'r> {
    recording: &'r Recording,
    contract: Contract,
    rules: Rules,
    settings: Settings,
}

/// Everything that is in the way of a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotReplayed(Vec<String>);

impl<'r> Replay<'r> {
    /// With this contract, [`Rules::predefined`] and the default settings.
    pub fn of(recording: &'r Recording, contract: Contract) -> Self {
        Replay { recording, contract, rules: Rules::predefined(), settings: Settings::default() }
    }

    /// By these rules.
    pub fn rules(self, rules: Rules) -> Self {
        Replay { rules, ..self }
    }

    /// With these settings.
    pub fn settings(self, settings: Settings) -> Self {
        Replay { settings, ..self }
    }

    /// What the manager would have decided.
    ///
    /// # Errors
    /// A contract that cannot be; a recording without a program, or with the tasks of another.
    pub fn log(self) -> Result<Log, NotReplayed> {
        Ok(Log { events: self.steps()?.flatten().collect() })
    }

    /// What the manager would have decided at each snapshot, one after the other, so that whoever replays a
    /// long run can stop.
    ///
    /// # Errors
    /// As [`Self::log`].
    pub fn steps(self) -> Result<impl Iterator<Item = Vec<Event>> + 'r, NotReplayed> {
        let program = self.checked()?;
        let mut manager = Manager::new(self.contract, self.rules, self.settings.dry_run());
        let mut run = Recorded::of(&program);
        Ok(self.recording.series.snapshots().iter().map(move |snapshot| {
            run.look_at(snapshot);
            manager.observe(snapshot, &mut run)
        }))
    }

    /// The program, or everything that is wrong.
    fn checked(&self) -> Result<Program<Tree>, NotReplayed> {
        let mut problems = Vec::new();
        problems.extend(self.contract.check().err().map(|errors| errors.to_string()));
        match &self.recording.program {
            None => problems.push("the recording does not say what its program is".to_owned()),
            Some(program) => {
                problems.extend(self.recording.fits(program).err().map(|other| other.to_string()));
                problems.extend(self.rules.unknown_stages(program.skeleton()));
            }
        }
        match &self.recording.program {
            Some(program) if problems.is_empty() => Ok(program.clone()),
            _ => Err(NotReplayed(problems)),
        }
    }
}

impl NotReplayed {
    /// A sentence for each.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for NotReplayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for NotReplayed {}
