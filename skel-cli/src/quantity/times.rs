//! Moments of time: a list, or a range whose moments are exact.

use skel::number::{Number, ratio};
use skel::rate::Rate;
use skel::sweep::Values;

use super::values::parse_values;

/// Moments of time, ascending, with what was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Times(pub(crate) Vec<f64>);

/// The most moments.
const MOST: usize = 100_000;

/// Reads `0,1,5`, `0:10:0.5` with both ends, or `log:1e-3:1e3:30`.
pub(crate) fn parse_times(text: &str) -> Result<Times, String> {
    const ADVICE: &str = "write moments as 0,1,5, a range as 0:10:0.5, or log:1e-3:1e3:30";
    let values: Values = parse_values(text).map_err(|error| format!("{}; {ADVICE}", error.message))?;
    let values = values.as_slice();
    if values.len() > MOST {
        return Err(format!("{} moments are more than the {MOST} that are allowed", values.len()));
    }
    let times: Vec<f64> =
        values.iter().map(|value| value.exact().map_or(f64::NAN, f64::from_ratio)).collect();
    if let Some(at) = times.iter().position(|time| *time < 0.0) {
        return Err(format!("the moment {} is before the beginning, which is 0; {ADVICE}", values[at]));
    }
    if times.iter().any(|time| !time.is_finite()) {
        return Err(format!("a moment is larger than any number of 64 bits; {ADVICE}"));
    }
    if let Some(at) = (1..times.len()).find(|&at| times[at - 1] > times[at]) {
        let (before, after) = (&values[at - 1], &values[at]);
        return Err(format!("{after} comes after {before}: write moments in ascending order"));
    }
    Ok(Times(times))
}

/// Reads the probability of a quantile: `0.99`, `1/2` or `99%`.
pub(crate) fn parse_quantile(text: &str) -> Result<f64, String> {
    const ADVICE: &str = "write probabilities above 0 and below 1, as 0.5,0.99 or 1/2";
    let text = text.trim();
    let (number, share) = match text.strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 100),
        None => (text, 1),
    };
    let value = Rate::parse(number).ok().and_then(|rate| rate.exact().map(|value| value / ratio(share, 1)));
    let probability = value.map(|value| f64::from_ratio(&value)).filter(|value| *value > 0.0 && *value < 1.0);
    probability.ok_or_else(|| format!("there is no quantile of {text}; {ADVICE}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_are_exact() {
        let read = |text| parse_times(text).unwrap().0;
        assert_eq!(read("0,1,5"), [0.0, 1.0, 5.0]);
        assert_eq!(read("0:0.3:0.1"), [0.0, 0.1, 0.2, 0.3]);
        assert_eq!(read("3/2"), [1.5]);
        assert_eq!(read("log:1e-2:1e2:3"), [0.01, 1.0, 100.0]);
    }

    #[test]
    fn quantiles_lie_between_zero_and_one() {
        assert_eq!(["0.5", " 1/4", "99%"].map(parse_quantile), [Ok(0.5), Ok(0.25), Ok(0.99)]);
        for wrong in ["0", "1", "-1/2", "2", "nan", "", "half", "100%"] {
            assert!(parse_quantile(wrong).unwrap_err().contains("above 0 and below 1"), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_time_is_told() {
        for (text, part) in [
            ("-1", "before the beginning"),
            ("5,1", "ascending order"),
            ("0:10:0", "step"),
            ("nan", "write"),
            ("inf", "write"),
            ("1e400", "64 bits"),
            ("", "missing"),
            ("1,,2", "missing"),
            ("10:0:-1", "ascending order"),
        ] {
            let message = parse_times(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
