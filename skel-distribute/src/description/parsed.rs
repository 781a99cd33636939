//! From a text to a description, or to all that is wrong with the text.

use std::collections::HashSet;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::model::BuildErrors;
use skel_core::number::Ratio;
use skel_core::rate::Rate;
use skel_core::text::{Reading, Rejected};
use skel_toml::{Findings, Located};

use super::changes::Happenings;
use super::contents::Description;
use super::entries::Entries;
use super::machines::Machines;
use super::schedules;
use crate::performance::RelativePerformance;
use crate::simulate::Scenario;

/// The result of reading a text.
pub type Parsed = Reading<Description>;

/// Reads and checks a description in TOML. Never panics; the cost is about linear in the text.
///
/// # Examples
/// ```
/// use skel_distribute::description::parse;
/// let parsed = parse("items = 0\n[[machine]]\nsecond = 1");
/// let messages: Vec<&str> = parsed.diagnostics.iter().map(|found| found.message.as_str()).collect();
/// assert_eq!(messages, [
///     "the number of items is 0",
///     "machine 1 has no time for an item",
///     "a machine has no key `second`",
/// ]);
/// ```
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let mut found = Findings::default();
    let description = read(text, &mut found);
    Reading::new(description, without_consequences(found.in_order(), text), text)
}

impl Description {
    /// The description of a text in TOML.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn from_toml(text: &str) -> Result<Description, Rejected> {
        parse(text).into_contents()
    }
}

fn read(text: &str, found: &mut Findings) -> Option<Description> {
    let end = text.trim_end().len();
    let whole = TextSpan { start: end, end };
    let file = found.file(text);
    let is_partial = found.has_errors();
    let names = ["items", "overhead", "schedules", "machine", "change", "loss"];
    let file = Entries::of(&file, whole, "the description", &names, found);
    let items = items(&file, is_partial, found);
    let overhead = file.not_negative("overhead", "the overhead of a chunk", found);
    let schedules = schedules::read(&file, found);
    let machines = Machines::read(&file, is_partial, found);
    let happenings = Happenings::read(&file, &machines, is_partial, found);
    if found.has_errors() {
        return None;
    }
    let items = items?;
    let seconds: Vec<Rate> = machines.seconds.iter().flatten().cloned().map(Rate::from).collect();
    if items.value < machines.names.len() as u64 {
        let message = format!(
            "there are {} for {}",
            counted(items.value, "item"),
            counted(seconds.len() as u64, "machine")
        );
        let help = "some machines get nothing";
        found.report(Code::TooFewItems, items.at, message, help);
    }
    let overhead = overhead.map_or_else(Ratio::default, |overhead| overhead.value);
    let scenario = built(scenario(&items, seconds, overhead, &machines, &happenings), items.at, found)?;
    can_end(&scenario, &happenings, found);
    Some(Description { scenario, names: machines.names, schedules })
}

/// The findings without those in a line that has an error of the syntax: what was read of such a line is a
/// guess.
fn without_consequences(found: Vec<Diagnostic<TextSpan>>, text: &str) -> Vec<Diagnostic<TextSpan>> {
    let is_guessed = |finding: &Diagnostic<TextSpan>| finding.help.is_none();
    if !found.iter().any(is_guessed) {
        return found;
    }
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |finding: &Diagnostic<TextSpan>| ends.partition_point(|&end| end < finding.span.start);
    let guessed: HashSet<usize> = found.iter().filter(|finding| is_guessed(finding)).map(line).collect();
    let is_kept = |finding: &Diagnostic<TextSpan>| is_guessed(finding) || !guessed.contains(&line(finding));
    found.into_iter().filter(is_kept).collect()
}

fn items(file: &Entries<'_, '_>, is_partial: bool, found: &mut Findings) -> Option<Located<u64>> {
    if file.value("items").is_none() && !is_partial {
        let help = "write how many there are: `items = 2500`";
        found.report(Code::MissingEntry, file.at, "the description has no number of items", help);
    }
    file.count("items", "the number of items", u64::MAX, found)
}

fn scenario(
    items: &Located<u64>,
    seconds: Vec<Rate>,
    overhead: Ratio,
    machines: &Machines,
    happenings: &Happenings,
) -> Result<Scenario, BuildErrors> {
    let mut scenario = Scenario::new(items.value, seconds)?.with_overhead(overhead)?;
    if let Some(weights) = &machines.weights {
        scenario = scenario.with_performance(RelativePerformance::of_weights(weights.iter().cloned())?)?;
    }
    for ((machine, at), (factor, _)) in &happenings.changes {
        scenario = scenario.with_change(*machine, at.clone(), factor.clone())?;
    }
    for (machine, (at, _)) in &happenings.losses {
        scenario = scenario.with_loss(*machine, at.clone())?;
    }
    Ok(scenario)
}

/// What is wrong with values only when they are put together.
fn built(scenario: Result<Scenario, BuildErrors>, at: TextSpan, found: &mut Findings) -> Option<Scenario> {
    let report = |errors: BuildErrors| {
        errors.0.into_iter().for_each(|error| found.report(error.code, at, error.message, error.help));
    };
    scenario.map_err(report).ok()
}

/// Reports that all machines are lost before they could have done the work.
fn can_end(scenario: &Scenario, happenings: &Happenings, found: &mut Findings) {
    if scenario.bound::<f64>().is_some() {
        return;
    }
    let Some((_, at)) = happenings.losses.values().max_by(|one, other| one.0.cmp(&other.0)) else { return };
    let message = "all machines are lost before the work can be done, whatever the schedule";
    let help = "let a machine remain, or be lost later";
    found.report(Code::AllMachinesLost, *at, message, help);
}

/// `1 item`, `2 items`
fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
