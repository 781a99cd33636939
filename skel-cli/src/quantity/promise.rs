//! What a manager keeps, and what happens to a simulated program: contracts, times and loads.

use std::time::Duration;

use skel::manage::Contract;
use skel::manage::simulate::Load;
use skel::time::mean;

/// The units of time, and how many of each a second has.
const UNITS: [(&str, f64); 6] =
    [("ns", 1e9), ("us", 1e6), ("ms", 1e3), ("s", 1.0), ("min", 1.0 / 60.0), ("h", 1.0 / 3600.0)];

/// Reads a contract: `12ms`, `0.012s`, or `80/s`.
pub(crate) fn parse_contract(text: &str) -> Result<Contract, String> {
    const ADVICE: &str = "write a service time as 12ms or 0.012s, or a throughput as 80/s or 4800/min";
    let contract = match text.split_once('/') {
        Some((items, unit)) => {
            let items = number(items).ok_or(ADVICE)?;
            Contract::throughput(items * seconds_in(unit.trim()).ok_or(ADVICE)?)
        }
        None => Contract::service_time(mean(seconds(text).ok_or(ADVICE)?)),
    };
    contract.check().map_err(|errors| format!("{errors}; {ADVICE}"))?;
    Ok(contract)
}

/// Reads a part: `0.05` or `5%`.
pub(crate) fn parse_part(text: &str) -> Result<f64, String> {
    let part = match text.trim().strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| percent / 100.0),
        None => number(text),
    };
    let part = part.filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| "write a part of the service time from 0 to 1, as 0.05 or 5%".to_owned())
}

/// Reads a time: `180s`, `500ms`, `3min`.
pub(crate) fn parse_span(text: &str) -> Result<Duration, String> {
    let seconds = seconds(text).filter(|seconds| *seconds > 0.0);
    let span = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    span.filter(|span| !span.is_zero())
        .ok_or_else(|| "write a time above 0, as 180s, 500ms or 3min".to_owned())
}

/// `--load`: how many times as long a task takes, over time.
#[derive(Clone, Debug)]
pub(crate) struct LoadOf {
    /// The name of the task.
    pub(crate) task: String,
    /// The factors.
    pub(crate) load: Load,
}

/// Reads `NAME: TIME xFACTOR, ...`, where a time may be a span, in which the factor changes evenly.
pub(crate) fn parse_load(text: &str) -> Result<LoadOf, String> {
    const ADVICE: &str = "write a task, and from when on it takes how many times as long, as `sharpen: 60s x2, 120s x1`; or \
                          `60s-80s x2` for a change between two moments";
    let (task, changes) = text.rsplit_once(':').ok_or(ADVICE)?;
    let task = task.trim().trim_matches('"');
    if task.is_empty() {
        return Err(format!("the name of the task is missing; {ADVICE}"));
    }
    let (mut load, mut last) = (Load::none(), Duration::ZERO);
    for change in changes.split(',') {
        let (from, to, factor) =
            parse_change(change).ok_or_else(|| format!("`{}` is no change; {ADVICE}", change.trim()))?;
        if from < last || to < from {
            return Err(format!(
                "`{}` is before what precedes it: give the changes in the order of time",
                change.trim()
            ));
        }
        load = load.ramp(from, to, factor);
        last = to;
    }
    Ok(LoadOf { task: task.to_owned(), load })
}

/// `60s x2` or `60s-80s x2`
fn parse_change(text: &str) -> Option<(Duration, Duration, f64)> {
    let (when, factor) = text.trim().rsplit_once(char::is_whitespace)?;
    let factor = number(factor.strip_prefix('x')?).filter(|factor| *factor > 0.0)?;
    let moment = |text: &str| Duration::try_from_secs_f64(seconds(text)?).ok();
    match when.split_once('-') {
        Some((from, to)) => Some((moment(from)?, moment(to)?, factor)),
        None => Some((moment(when)?, moment(when)?, factor)),
    }
}

/// A number and a unit of time, in seconds.
fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let unit_at = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
    let (value, unit) = text.split_at(unit_at);
    Some(number(value)? / seconds_in(unit)?)
}

/// How many of a unit a second has.
fn seconds_in(unit: &str) -> Option<f64> {
    UNITS.iter().find(|(name, _)| *name == unit).map(|&(_, each)| each)
}

/// A finite number.
fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use skel::manage::ServiceTime;

    use super::*;

    #[test]
    fn a_contract_is_a_service_time_or_a_throughput() {
        for (text, goal) in [
            ("12ms", 0.012),
            (" 0.012 s", 0.012),
            ("12000us", 0.012),
            ("0.5min", 30.0),
            ("80/s", 0.0125),
            ("4800 / min", 0.0125),
        ] {
            let contract = parse_contract(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let goal = ServiceTime::of_seconds(goal);
            assert_eq!(contract.goal().to_string(), goal.to_string(), "{text}");
        }
        for wrong in [
            "",
            "12",
            "0ms",
            "-1ms",
            "0/s",
            "nan/s",
            "inf s",
            "12 parsecs",
            "80/",
            "80/parsec",
            "ms",
            "/s",
            "1e999s",
        ] {
            assert!(parse_contract(wrong).unwrap_err().contains("12ms"), "{wrong}");
        }
    }

    #[test]
    fn a_part_may_be_in_percent() {
        assert_eq!((parse_part("0.05"), parse_part(" 5 %")), (Ok(0.05), Ok(0.05)));
        for wrong in ["", "-1%", "101 %", "1.01", "nan", "x"] {
            assert!(parse_part(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(parse_span("180s"), Ok(Duration::from_secs(180)));
        assert_eq!(parse_span("3 min"), Ok(Duration::from_secs(180)));
        for wrong in ["", "180", "0s", "-1s", "1e30s", "soon"] {
            assert!(parse_span(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_load_has_steps_and_ramps() {
        let LoadOf { task, load } = parse_load("\"a:b\": 60s x2, 120s-140s x1").unwrap();
        let factors = [0, 59, 60, 119, 130, 141].map(|at| load.factor(Duration::from_secs(at)));
        assert_eq!((task.as_str(), factors), ("a:b", [1.0, 1.0, 2.0, 2.0, 1.5, 1.0]));
        for wrong in [
            "sharpen",
            ": 60s x2",
            "sharpen:",
            "sharpen: 60s",
            "sharpen: 60 x2",
            "sharpen: 60s 2",
            "sharpen: 60s x0",
            "sharpen: 60s xnan",
        ] {
            assert!(parse_load(wrong).unwrap_err().contains("60s x2"), "{wrong}");
        }
        for wrong in ["sharpen: 60s x2, 50s x1", "sharpen: 60s-50s x2"] {
            assert!(parse_load(wrong).unwrap_err().contains("order of time"), "{wrong}");
        }
    }
}
