//! Quantities on the command line: sizes, times, tolerances, settings of rates.

mod fitting;
mod items;
mod message;
mod promise;
mod times;
pub(crate) mod values;

pub(crate) use fitting::{
    Count, Formula, Points, SizeRange, Terms, parse_count, parse_formula, parse_parameter, parse_points,
    parse_probability, parse_size_range, parse_terms,
};
pub(crate) use items::{Carry, EndOfPath, parse_carry, parse_end_of_path};
pub(crate) use message::{parse_rho, parse_size};
pub(crate) use promise::{LoadOf, parse_contract, parse_load, parse_part, parse_span};
pub(crate) use times::{Times, parse_quantile, parse_times};

use std::num::NonZeroUsize;
use std::time::Duration;

use skel::Target;
use skel::distribute::Schedule;
use skel::number::ratio;
use skel::rate::Rate;
use skel::time::mean;

/// `NAME=VALUE`: another value of a named rate.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// The name of the rate, as in the model but without quotes.
    pub(crate) name: String,
    /// Its value, which may still be none that a rate can have.
    pub(crate) value: Rate,
}

/// Reads `NAME=VALUE`. The last `=` counts: a quoted name may contain one, a value never does.
pub(crate) fn parse_setting(text: &str) -> Result<Setting, String> {
    let (name, value) = text.rsplit_once('=').ok_or("write NAME=VALUE, as in `mu=2.5` or `mu=10/3`")?;
    let name = name.trim().trim_matches('"');
    if name.is_empty() {
        return Err("the name of the rate is missing before `=`".into());
    }
    let value = Rate::parse(value.trim()).map_err(|error| match error.is_out_of_range() {
        true => format!("{error}: choose another unit of time"),
        false => format!("{error}; write a decimal or a fraction, as 2.5 or 10/3"),
    })?;
    Ok(Setting { name: name.to_owned(), value })
}

/// The schedules of a name whose parameter may be a range.
#[derive(Clone, Debug)]
pub(crate) struct Schedules(pub(crate) Vec<Schedule>);

/// Reads the name of a schedule, as `CSS(20)` or `VRP-SS(2..40)`.
pub(crate) fn parse_schedules(text: &str) -> Result<Schedules, String> {
    let schedules =
        Schedule::parse_list(text).map_err(|unknown| format!("{}; {}", unknown.message, unknown.help))?;
    for schedule in &schedules {
        schedule.check().map_err(|errors| format!("{}; {}", errors.0[0].message, errors.0[0].help))?;
    }
    Ok(Schedules(schedules))
}

/// What stands in the place of a communication rate where moves take no time.
const NO_TIME: &str = "none";

impl LinkRate {
    /// The rate as it is written.
    pub(crate) fn shown(&self) -> String {
        self.rate.as_ref().map_or_else(|| NO_TIME.to_owned(), Rate::to_string)
    }
}

/// `RATE` or `FROM-TO=RATE`: a communication rate.
#[derive(Clone, Debug)]
pub(crate) struct LinkRate {
    /// Sender and receiver; none for all moves.
    pub(crate) link: Option<(usize, usize)>,
    /// A positive rate; none where moves take no time.
    pub(crate) rate: Option<Rate>,
}

/// Reads `RATE` or `FROM-TO=RATE`, with `none` for a rate where moves take no time.
pub(crate) fn parse_link_rate(text: &str) -> Result<LinkRate, String> {
    let parse_rate = |text: &str| match text.trim() {
        NO_TIME => Ok(None),
        _ => parse_rate(text)
            .map(Some)
            .map_err(|error| format!("{error}, or `{NO_TIME}` where moves take no time")),
    };
    let Some((link, rate)) = text.rsplit_once('=') else {
        return Ok(LinkRate { link: None, rate: parse_rate(text)? });
    };
    let advice = "write a rate for all moves, as 1.0, or one for a link, as 0-1=2.5";
    let (from, to) = link.split_once('-').ok_or(advice)?;
    let task = |text: &str| text.trim().parse().map_err(|_| advice);
    Ok(LinkRate { link: Some((task(from)?, task(to)?)), rate: parse_rate(rate)? })
}

/// `CAPACITY` or `NAME=CAPACITY`: how many items can wait.
#[derive(Clone, Debug)]
pub(crate) struct Capacity {
    /// The name of the stage behind the buffer; none for all buffers.
    pub(crate) before: Option<String>,
    pub(crate) items: u32,
}

/// Reads `CAPACITY` or `NAME=CAPACITY`.
pub(crate) fn parse_capacity(text: &str) -> Result<Capacity, String> {
    let items = |text: &str| {
        let items = text.trim().parse().ok().filter(|&items| items <= 1_000_000);
        items.ok_or(
            "write a number of items from 0 to 1000000, as 4, or one for the buffer before a stage, as write=4",
        )
    };
    let Some((name, capacity)) = text.rsplit_once('=') else {
        return Ok(Capacity { before: None, items: items(text)? });
    };
    Ok(Capacity { before: Some(name.trim().to_owned()), items: items(capacity)? })
}

/// Reads `RATE` or `none`: how fast all moves are.
pub(crate) fn parse_rate_of_moves(text: &str) -> Result<LinkRate, String> {
    match parse_link_rate(text) {
        Ok(LinkRate { link: Some(_), .. }) => {
            Err("a sweep has one rate for all moves: write it alone, as 10 or 2.5".to_owned())
        }
        read => read,
    }
}

/// Reads a rate that a model can have.
pub(crate) fn parse_rate(text: &str) -> Result<Rate, String> {
    let rate = Rate::parse(text.trim()).map_err(|error| format!("{error}; write a decimal or a fraction"))?;
    match rate.to_positive() {
        Ok(_) => Ok(rate),
        Err(problem) => Err(format!("the rate {problem}, but must be above 0")),
    }
}

/// `--target`: what a program has to keep, with the unit that was written.
#[derive(Clone, Debug)]
pub(crate) struct Aim {
    /// The target.
    pub(crate) target: Target,
    /// The unit of time: a second where one was written, else that of the rates of the file.
    pub(crate) unit: &'static str,
}

/// The units of time of a target, and how many seconds each has, as a fraction.
const UNITS: [(&str, (i64, i64)); 5] =
    [("s", (1, 1)), ("ms", (1, 1000)), ("us", (1, 1_000_000)), ("min", (60, 1)), ("h", (3600, 1))];

/// Reads `200/s`, `200/min` or `200`, a throughput in items per second, per minute or per unit of time;
/// `0.2 s`, `300ms`, a mean response time; or `99% in 300ms`, a response time for a part of the items.
pub(crate) fn parse_target(text: &str) -> Result<Aim, String> {
    const ADVICE: &str = "write a throughput as 200/s, 200/min, or 200 per unit of time of the file, a mean response time as 300ms, or a response time for a part of the items as `99% in 300ms`";
    let text = text.trim();
    let (part, text) = match text.split_once('%') {
        None => (None, text),
        Some((part, rest)) => {
            let part = parse_quantile(&format!("{}%", part.trim())).map_err(|_| {
                format!("`{}%` is no part of the items above 0 % and below 100 %; {ADVICE}", part.trim())
            })?;
            let rest = rest.trim_start();
            (Some(part), rest.strip_prefix("in ").unwrap_or(rest).trim_start())
        }
    };
    let unit_at = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
    let (number, unit) = text.split_at(unit_at);
    let (number, is_rate) = match number.trim_end().strip_suffix('/') {
        Some(number) => (number.trim_end(), true),
        None => (number.trim_end(), unit.is_empty()),
    };
    let is_number = number.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let seconds =
        UNITS.iter().find(|(name, _)| *name == unit).map(|&(_, (above, below))| ratio(above, below));
    if !is_number || (seconds.is_none() && !unit.is_empty()) || (unit.is_empty() && text.ends_with('/')) {
        let what = if is_number && !unit.is_empty() {
            format!("`{unit}` is not a unit of time: ")
        } else {
            String::new()
        };
        return Err(format!("{what}{ADVICE}"));
    }
    let wrong = |problem: String| format!("{problem}; {ADVICE}");
    let value = Rate::parse(number).map_err(|error| wrong(error.to_string()))?;
    let value =
        value.to_positive().map_err(|problem| wrong(format!("the target {problem}, but must be above 0")))?;
    let time = |value| match part {
        None => Target::response_time(mean(value)),
        Some(part) => Target::response_time_of(part, mean(value)),
    };
    let target = match (seconds, is_rate) {
        (Some(_), true) if part.is_some() => {
            return Err(wrong("a part of the items is for a time, not for a throughput".to_owned()));
        }
        (None, _) if part.is_some() => return Ok(Aim { target: time(value), unit: "unit of time" }),
        (None, _) => return Ok(Aim { target: Target::throughput(value), unit: "unit of time" }),
        (Some(seconds), true) => Target::throughput(value / seconds),
        (Some(seconds), false) => time(value * seconds),
    };
    Ok(Aim { target, unit: "second" })
}

/// `--cost`: what each replica of a stage costs.
#[derive(Clone, Debug)]
pub(crate) struct Cost {
    /// The name of a task.
    pub(crate) name: String,
    /// The cost of each, above 0.
    pub(crate) each: u32,
}

/// Reads `NAME=NUMBER`.
pub(crate) fn parse_cost(text: &str) -> Result<Cost, String> {
    const ADVICE: &str = "write the name of a task and a whole number above 0, as enrich=2";
    let (name, each) = text.rsplit_once('=').ok_or(ADVICE)?;
    let name = name.trim().trim_matches('"').to_owned();
    let each = each.trim().parse().ok().filter(|&each| each > 0).ok_or_else(|| {
        format!(
            "`{}` is no cost: {ADVICE}; for fractions choose a smaller unit, and give all tasks their costs",
            each.trim()
        )
    })?;
    if name.is_empty() { Err(ADVICE.to_owned()) } else { Ok(Cost { name, each }) }
}

/// Reads the number of a processor.
pub(crate) fn parse_processor(text: &str) -> Result<usize, String> {
    let advice = "write the number of a processor for each task, from 0, as 0,0,1";
    text.trim().parse().map_err(|_| advice.to_owned())
}

/// Reads a number of things, of which there is one at least.
pub(crate) fn parse_number(text: &str) -> Result<usize, String> {
    let number = text.trim().parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| "write a whole number above 0".to_owned())
}

/// Reads a number of threads.
pub(crate) fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.trim().parse().ok();
    number.ok_or_else(|| "write how many threads may work at once, 1 or more".to_owned())
}

/// Reads a number of bytes: a number, and a unit in powers of 1000 (`MB`) or of 1024 (`MiB`, `M`).
pub(crate) fn parse_memory(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let advice = "write a size as 500MB, 2GiB or 1000000";
    let number: f64 = number.trim().parse().map_err(|_| advice)?;
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1000,
        "mb" => 1000_u64.pow(2),
        "gb" => 1000_u64.pow(3),
        "tb" => 1000_u64.pow(4),
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        _ => return Err(format!("`{unit}` is not a unit of memory: {advice}")),
    };
    match number * factor as f64 {
        bytes if bytes > u64::MAX as f64 => {
            Err("no machine has so much memory: leave the option out for the default".into())
        }
        bytes if bytes >= 1.0 => Ok(bytes as u64),
        _ => Err(format!("the size must be at least one byte: {advice}")),
    }
}

/// Reads a time in seconds, above zero.
pub(crate) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let number = text.trim().trim_end_matches('s').trim_end();
    let seconds: f64 = number.parse().map_err(|_| "write a number of seconds, as 60 or 0.5")?;
    if seconds.is_nan() || seconds <= 0.0 {
        return Err("the number of seconds must be above 0".into());
    }
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if time > Duration::ZERO => Ok(time),
        Ok(_) => Err("the time must be at least a nanosecond".into()),
        Err(_) => Err("that is longer than any run: leave the option out for no limit".into()),
    }
}

/// Reads a tolerance, above zero and below one.
pub(crate) fn parse_tolerance(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(tolerance) if tolerance > 0.0 && tolerance < 1.0 => Ok(tolerance),
        _ => Err("write a number above 0 and below 1, as 1e-9".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_both_kinds() {
        assert_eq!(parse_memory("500MB"), Ok(500_000_000));
        assert_eq!(parse_memory("2GiB"), Ok(2 << 30));
        assert_eq!(parse_memory("1.5 kib"), Ok(1536));
        assert_eq!(parse_memory("4096"), Ok(4096));
        for wrong in ["", "GB", "2 parsecs", "-1", "0", "nan", "1e300TB"] {
            assert!(parse_memory(wrong).is_err(), "{wrong}");
        }
        assert!(parse_memory("0").unwrap_err().contains("at least one byte"));
        assert!(parse_memory("999999999999GiB").unwrap_err().contains("no machine"));
    }

    #[test]
    fn processors_are_numbered_from_zero() {
        assert_eq!(parse_processor(" 2"), Ok(2));
        for wrong in ["", "x", "-1", "1.5", "99999999999999999999999"] {
            assert!(parse_processor(wrong).unwrap_err().contains("from 0"), "{wrong}");
        }
    }

    #[test]
    fn times_are_positive() {
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_seconds("60s"), Ok(Duration::from_secs(60)));
        for wrong in ["", "soon", "0", "-1", "nan", "-inf", "1e-12", "inf", "1e30"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
        assert!(parse_seconds("1e30").unwrap_err().contains("longer than any run"));
        assert!(parse_seconds("0").unwrap_err().contains("above 0"));
    }

    #[test]
    fn settings_split_at_the_last_equals_sign() {
        let setting = parse_setting("\"a=b\" = 10/3").unwrap();
        assert_eq!((setting.name.as_str(), setting.value.to_string().as_str()), ("a=b", "10/3"));
        for wrong in ["r", "=1", "r=", "r=one", "r=1/0", "r=1e500"] {
            assert!(parse_setting(wrong).is_err(), "{wrong}");
        }
        assert!(!parse_setting("r=1e500").unwrap_err().contains("write a decimal"));
    }

    #[test]
    fn a_communication_rate_is_for_all_moves_or_for_a_link() {
        let read = |text| parse_link_rate(text).map(|one| (one.link, one.shown()));
        assert_eq!(read("10/3"), Ok((None, "10/3".into())));
        assert_eq!(read("0-12 = 2.5"), Ok((Some((0, 12)), "2.5".into())));
        assert_eq!(read("none"), Ok((None, "none".into())));
        assert_eq!(read("0-12=none"), Ok((Some((0, 12)), "none".into())));
        for wrong in ["", "fast", "None", "0", "-1", "1/0", "0-1=", "0-1=0", "0=1", "a-b=1", "-1=2", "1e999"]
        {
            assert!(parse_link_rate(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_target_is_a_throughput_or_a_time() {
        let throughput = |rate: f64| Target::throughput(rate);
        let time = |seconds: f64| Target::response_time(mean(seconds));
        for (text, target, unit) in [
            ("200/s", throughput(200.0), "second"),
            (" 200 / s ", throughput(200.0), "second"),
            ("0.2/ms", throughput(200.0), "second"),
            ("90/min", throughput(1.5), "second"),
            ("7200/h", throughput(2.0), "second"),
            ("2.5", throughput(2.5), "unit of time"),
            ("10/4", throughput(2.5), "unit of time"),
            ("10/4/s", throughput(2.5), "second"),
            ("0.2 s", time(0.2), "second"),
            ("300ms", time(0.3), "second"),
            ("2min", time(120.0), "second"),
            ("99% in 250ms", Target::response_time_of(0.99, mean(0.25)), "second"),
            (" 99.9 %  0.25 s", Target::response_time_of(0.999, mean(0.25)), "second"),
            ("50% in 3", Target::response_time_of(0.5, mean(3.0)), "unit of time"),
        ] {
            let aim = parse_target(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((aim.target, aim.unit), (target, unit), "{text}");
        }
        for wrong in [
            "",
            "/s",
            "0",
            "0/s",
            "0ms",
            "-3/s",
            "nan",
            "inf/s",
            "200/parsec",
            "200 items",
            "200/",
            "1/0",
            "ms",
            "1e999/s",
            "100% in 1s",
            "0% in 1s",
            "% in 1s",
            "99%",
            "99% in 200/s",
            "99% in 0ms",
        ] {
            assert!(parse_target(wrong).unwrap_err().contains("200/s"), "{wrong}");
        }
    }

    #[test]
    fn costs_are_whole() {
        let cost = parse_cost("\"a=b\" = 3").unwrap();
        assert_eq!((cost.name.as_str(), cost.each), ("a=b", 3));
        for wrong in ["a", "a=", "=2", "a=0", "a=-1", "a=1.5", "a=5000000000"] {
            assert!(parse_cost(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn tolerances_are_small() {
        assert_eq!(parse_tolerance("1e-9"), Ok(1e-9));
        for wrong in ["0", "1", "-1e-9", "nan"] {
            assert!(parse_tolerance(wrong).is_err(), "{wrong}");
        }
    }
}
