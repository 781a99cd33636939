//! Several values of a number: a range, whose numbers are exact, or a list.

use skel::model::{BuildError, BuildErrors};
use skel::rate::Rate;
use skel::sweep::Values;

/// What a logarithmic range begins with.
pub(crate) const LOGARITHMIC: &str = "log:";

/// Reads `first:last:step`, `1,2,4` or `log:first:last:count`.
pub(crate) fn parse_values(text: &str) -> Result<Values, BuildError> {
    let text = text.trim();
    if let Some(ends) = text.strip_prefix(LOGARITHMIC) {
        return logarithmic(ends);
    }
    if text.contains(',') {
        let values: Vec<Rate> = text.split(',').map(number).collect::<Result<_, _>>()?;
        return Ok(Values::from(values));
    }
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        [one] => Ok(Values::from([number(one)?])),
        [from, to] => Values::range(number(from)?, number(to)?, 1).map_err(first),
        [from, to, step] => Values::range(number(from)?, number(to)?, number(step)?).map_err(first),
        _ => Err(unreadable(
            &format!(
                "a range has a first value, a last one and a step, and here are {} numbers",
                parts.len()
            ),
            "write 1:10:1, or a list as 1,2,4",
        )),
    }
}

fn logarithmic(ends: &str) -> Result<Values, BuildError> {
    let parts: Vec<&str> = ends.split(':').collect();
    let [from, to, count] = parts[..] else {
        let message = "a logarithmic range has a first value, a last one and a number of values";
        return Err(unreadable(message, "write log:1e-3:1e3:30"));
    };
    let (from, to) = (number(from)?, number(to)?);
    match count.trim().parse() {
        Ok(count) => Values::logarithmic(from, to, count).map_err(first),
        Err(_) => Err(unreadable(
            &format!("`{}` is no number of values", count.trim()),
            "the last number says how many values there are: write log:1e-3:1e3:30",
        )),
    }
}

fn number(text: &str) -> Result<Rate, BuildError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(unreadable("a number is missing", "write a range or a list, as 1:10:1 or 1,2,4"));
    }
    Rate::parse(text)
        .map_err(|error| unreadable(&error.to_string(), "write decimals or fractions, as 2.5 or 1/2"))
}

/// A text that is neither a range nor a list.
pub(crate) fn unreadable(message: &str, help: &str) -> BuildError {
    let code = skel::diagnostic::Code::BadSweep;
    BuildError { code, message: message.to_owned(), help: help.to_owned() }
}

/// The library says one thing about a range.
fn first(errors: BuildErrors) -> BuildError {
    let first = errors.0.into_iter().next();
    first.unwrap_or_else(|| unreadable("the range cannot be read", "write 1:10:1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Values {
        parse_values(text).unwrap()
    }

    #[test]
    fn ranges_and_lists_are_exact() {
        assert_eq!(values("1:10:3"), Values::from([1, 4, 7, 10]));
        assert_eq!(values("0.1:0.3:0.1"), Values::from([0.1, 0.2, 0.3]));
        assert_eq!(values("1/2 : 2 : 1/2"), Values::from([0.5, 1.0, 1.5, 2.0]));
        assert_eq!(values("1:4"), Values::from([1, 2, 3, 4]));
        assert_eq!(values("3:1:-1"), Values::from([3, 2, 1]));
        assert_eq!(values("4, 1/4,2"), Values::from([4.0, 0.25, 2.0]));
        assert_eq!(values("log:1e-1:10:3"), Values::from([0.1, 1.0, 10.0]));
        assert_eq!(values("7"), Values::from([7]));
    }
}
