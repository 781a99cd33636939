//! What a description contains.

use std::fmt;

use skel_core::number::{Ratio, display_ratio};

use crate::performance::RelativePerformance;
use crate::schedule::Schedule;
use crate::simulate::Scenario;

/// A scenario with named machines, and the schedules to compare.
///
/// It prints as a text in TOML that reads as the same description.
///
/// # Examples
/// ```
/// use skel_distribute::description::Description;
///
/// let description = Description::from_toml("
///     items = 2500
///     overhead = 0.5
///     schedules = [\"VRP\", \"SS\", \"VRP-SS(2..20)\"]
///     [[machine]]
///     name = \"intel\"
///     count = 4
///     seconds = 1
///     [[machine]]
///     name = \"bio\"
///     count = 4
///     seconds = 1.6
///     [[machine]]
///     name = \"taurus\"
///     count = 6
///     seconds = 8")?;
/// assert_eq!(description.names()[4], "bio-1");
/// let comparison = description.scenario().compare(&description.schedules());
/// let best = &comparison.ranked()[0];
/// assert_eq!((best.schedule.to_string(), *best.outcome.makespan()), ("VRP".to_owned(), 351.0));
/// assert_eq!(Description::from_toml(&description.to_string())?, description);
/// # Ok::<(), skel_core::text::Rejected>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    pub(super) scenario: Scenario,
    pub(super) names: Vec<String>,
    pub(super) schedules: Option<Vec<Schedule>>,
}

impl Description {
    /// The work, the machines, and what happens to them.
    #[must_use]
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// What each machine is called.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The schedules to compare: those that the text asks for or, if it asks for none, [those that are
    /// usual](Scenario::usual_schedules).
    #[must_use]
    pub fn schedules(&self) -> Vec<Schedule> {
        self.schedules.clone().unwrap_or_else(|| self.scenario.usual_schedules())
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scenario = &self.scenario;
        writeln!(f, "items = {}", scenario.items())?;
        writeln!(f, "overhead = {}", number(scenario.overhead()))?;
        if let Some(schedules) = &self.schedules {
            let names: Vec<String> = schedules.iter().map(|schedule| format!("\"{schedule}\"")).collect();
            writeln!(f, "schedules = [{}]", names.join(", "))?;
        }
        let of_times = RelativePerformance::of_times(scenario.seconds().iter().cloned());
        let has_weights = of_times.is_ok_and(|of_times| of_times != *scenario.performance());
        for (machine, (name, seconds)) in self.names.iter().zip(scenario.seconds()).enumerate() {
            writeln!(f, "\n[[machine]]\nname = {}\nseconds = {}", text(name), number(seconds))?;
            if has_weights {
                writeln!(f, "weight = {}", number(&scenario.performance().weights()[machine]))?;
            }
        }
        for change in scenario.changes() {
            let (machine, at, factor) = (change.machine + 1, number(&change.at), number(&change.factor));
            writeln!(f, "\n[[change]]\nmachine = {machine}\nat = {at}\nfactor = {factor}")?;
        }
        for loss in scenario.losses() {
            writeln!(f, "\n[[loss]]\nmachine = {}\nat = {}", loss.machine + 1, number(&loss.at))?;
        }
        Ok(())
    }
}

/// A decimal, or a fraction in quotation marks.
fn number(value: &Ratio) -> String {
    let written = display_ratio(value);
    if written.contains('/') { format!("\"{written}\"") } else { written }
}

/// A text in quotation marks.
fn text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            control if control.is_control() => quoted += &format!("\\U{:08X}", u32::from(control)),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}
