//! What models are fitted from and asked for: terms, formulas, sizes and processes.

use skel::fit::{Function, Power};
use skel::rate::Rate;

use super::values::parse_values;

/// The variables of a fitted model.
const VARIABLES: [&str; 2] = ["n", "p"];

/// `--terms`: what a model is a sum of, with a coefficient for each.
#[derive(Clone, Debug)]
pub(crate) struct Terms(pub(crate) Vec<[Power; 2]>);

/// Reads `1, n, n^2/p`.
pub(crate) fn parse_terms(text: &str) -> Result<Terms, String> {
    const ADVICE: &str =
        "write terms of n and p with commas between them, as `1, n, n^2/p` or `1, n log2(n)`";
    let mut terms: Vec<[Power; 2]> = Vec::new();
    for part in text.split(',') {
        let part = part.trim();
        let read = Function::read(part, VARIABLES).map_err(|error| format!("`{part}`, {error}; {ADVICE}"))?;
        let mut products = read.terms();
        match (products.next(), products.next()) {
            (Some((powers, 1.0)), None) if terms.contains(&powers) => {
                return Err(format!("`{part}` is there twice: {ADVICE}"));
            }
            (Some((powers, 1.0)), None) => terms.push(powers),
            (Some(_), None) => {
                return Err(format!("`{part}` has a coefficient, which the fit is to find: {ADVICE}"));
            }
            _ => return Err(format!("`{part}` is no term: {ADVICE}")),
        }
    }
    Ok(Terms(terms))
}

/// `--formula`: a model that is given and not fitted.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub(crate) name: String,
    pub(crate) function: Function<2>,
}

/// Reads `NAME=FORMULA`. The formula is one of n and p, or of one variable of any name, which is then n.
pub(crate) fn parse_formula(text: &str) -> Result<Formula, String> {
    const ADVICE: &str = "write NAME=FORMULA, as `SS=2.4 - 6.5e-3 n + 2.3e-9 n^3`";
    let (name, formula) = text.split_once('=').ok_or(ADVICE)?;
    let name = name.trim().to_owned();
    if name.is_empty() {
        return Err(format!("the name is missing before `=`: {ADVICE}"));
    }
    let read = Function::read(formula, VARIABLES).or_else(|error| {
        let of_one: Function = formula.parse().map_err(|_| error)?;
        Ok(Function::of(
            VARIABLES,
            of_one.terms().map(|([power], coefficient)| ([power, Power::ONE], coefficient)),
        ))
    });
    let function = read.map_err(|error: skel::fit::FunctionError| format!("in `{formula}`, {error}"))?;
    Ok(Formula { name, function })
}

/// `--predict`: values of names, each with each.
#[derive(Clone, Debug)]
pub(crate) struct Points(pub(crate) Vec<Vec<(String, f64)>>);

/// The most points that are predicted at once.
const MOST_POINTS: usize = 10_000;

/// Reads `n=2000:4000:500,p=4,6`.
pub(crate) fn parse_points(text: &str) -> Result<Points, String> {
    const ADVICE: &str = "write names with values, as `n=4000,p=6`, with ranges as `n=2000:4000:500,p=6` or lists as `n=1000,2000,p=4,6`";
    let mut points: Vec<Vec<(String, f64)>> = vec![Vec::new()];
    for (name, values) in assignments(text).ok_or(ADVICE)? {
        if points[0].iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            return Err(format!("`{name}` is there twice: {ADVICE}"));
        }
        let values = parse_values(&values)
            .map_err(|error| format!("`{name}={values}`: {}; {}", error.message, error.help))?;
        let values: Vec<f64> = values
            .as_slice()
            .iter()
            .map(|value| {
                positive(value).ok_or_else(|| format!("`{name}` is {value}: it must be above 0 and finite"))
            })
            .collect::<Result<_, _>>()?;
        if points.len() * values.len() > MOST_POINTS {
            return Err(format!("these are more than {MOST_POINTS} points: take fewer values"));
        }
        let with = |point: Vec<(String, f64)>| {
            let pairs = values.iter().map(move |&value| {
                let mut longer = point.clone();
                longer.push((name.to_owned(), value));
                longer
            });
            pairs.collect::<Vec<_>>()
        };
        points = points.into_iter().flat_map(with).collect();
    }
    Ok(Points(points))
}

/// Names with the texts of their values. A comma is before another value unless a name follows it.
fn assignments(text: &str) -> Option<Vec<(&str, String)>> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for part in text.split(',') {
        match (part.split_once('='), found.last_mut()) {
            (Some((name, value)), _) if !name.trim().is_empty() => {
                found.push((name.trim(), value.trim().to_owned()));
            }
            (None, Some((_, values))) => *values = format!("{values},{}", part.trim()),
            _ => return None,
        }
    }
    Some(found)
}

fn positive(value: &Rate) -> Option<f64> {
    let value = skel::number::Number::to_float(value.exact()?);
    (value > 0.0 && value.is_finite()).then_some(value)
}

/// Reads `NAME=VALUE`, a parameter of a graph.
pub(crate) fn parse_parameter(text: &str) -> Result<(String, f64), String> {
    const ADVICE: &str = "write NAME=VALUE, as `steps=10`";
    let (name, value) = text.split_once('=').ok_or(ADVICE)?;
    let value = value.trim().parse::<f64>().ok().filter(|value| value.is_finite()).ok_or(ADVICE)?;
    match name.trim() {
        "" => Err(ADVICE.to_owned()),
        name => Ok((name.to_owned(), value)),
    }
}

/// `--crossovers`: from which size to which.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizeRange {
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// Reads `250..20000`.
pub(crate) fn parse_size_range(text: &str) -> Result<SizeRange, String> {
    const ADVICE: &str = "write the least and the largest size, as 250..20000";
    let (from, to) = text.split_once("..").ok_or(ADVICE)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| ADVICE);
    let (from, to) = (number(from)?, number(to)?);
    match from > 0.0 && from < to && to.is_finite() {
        true => Ok(SizeRange { from, to }),
        false => Err(format!(
            "the range from {from} to {to} has no sizes: it begins above 0 and ends at a larger size; {ADVICE}"
        )),
    }
}

/// Reads the probability of intervals: `0.95` or `95%`.
pub(crate) fn parse_probability(text: &str) -> Result<f64, String> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let probability = match text.trim().strip_suffix('%') {
        Some(percent) => number(percent).map(|percent| percent / 100.0),
        None => number(text),
    };
    let probability = probability.filter(|probability| *probability > 0.0 && *probability < 1.0);
    probability.ok_or_else(|| "write a probability above 0 and below 1, as 0.95 or 95%".to_owned())
}

/// `--count`: how many machines there are of a type.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    pub(crate) machine: String,
    pub(crate) machines: u32,
}

/// Reads `TYPE=NUMBER`.
pub(crate) fn parse_count(text: &str) -> Result<Count, String> {
    const MOST: u32 = 100_000;
    let advice = format!("write a type of machine and how many there are, 1 to {MOST}, as `bio=4`");
    let (machine, machines) = text.rsplit_once('=').ok_or_else(|| advice.clone())?;
    let machines =
        machines.trim().parse().ok().filter(|machines| (1..=MOST).contains(machines)).ok_or(advice)?;
    Ok(Count { machine: machine.trim().to_owned(), machines })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_have_no_coefficients() {
        let shown = |text: &str| -> Vec<String> {
            let terms = parse_terms(text).unwrap().0;
            terms.iter().map(|[n, p]| format!("{} {}", n.of("n"), p.of("p"))).collect()
        };
        assert_eq!(shown("1, n^(3/2), n^2 / p,n log2(n)"), ["1 1", "n^(3/2) 1", "n^2 p^-1", "n log2(n) 1"]);
        for (wrong, why) in [
            ("2 n", "a coefficient"),
            ("1, n, n", "twice"),
            ("n + p", "no term"),
            ("1, m", "`m`, at character 1"),
            ("", "a term is missing"),
        ] {
            let error = parse_terms(wrong).unwrap_err();
            assert!(error.contains(why) && error.contains("`1, n, n^2/p`"), "{wrong}: {error}");
        }
    }

    #[test]
    fn formulas_have_names_and_any_variable() {
        let formula = parse_formula("VRP = 2 N^2 - 1").unwrap();
        assert_eq!((formula.name.as_str(), formula.function.at_point([3.0, 1.0])), ("VRP", 17.0));
        assert_eq!(parse_formula("a=1/p").unwrap().function.at_point([3.0, 4.0]), 0.25);
        for (wrong, why) in
            [("2 n", "NAME=FORMULA"), ("=n", "name is missing"), ("a=2 n k", "`k` is no variable")]
        {
            assert!(parse_formula(wrong).unwrap_err().contains(why), "{wrong}");
        }
    }

    #[test]
    fn points_are_each_with_each() {
        let read = |text| parse_points(text).unwrap().0;
        let point = |n: f64, p: f64| vec![("n".to_owned(), n), ("p".to_owned(), p)];
        assert_eq!(read("n=4000,p=6"), [point(4000.0, 6.0)]);
        assert_eq!(
            read("n=1:2,p=4, 6"),
            [point(1.0, 4.0), point(1.0, 6.0), point(2.0, 4.0), point(2.0, 6.0)]
        );
        assert_eq!(read("n = log:10:1000:3").len(), 3);
        for (wrong, why) in [
            ("", "write names"),
            ("4000", "write names"),
            ("=4", "write names"),
            ("n=4,N=5", "twice"),
            ("n=0", "above 0"),
            ("n=x", "n=x"),
            ("n=1:9:-1", "leads from"),
            ("n=1:1000,p=1:1000", "more than"),
        ] {
            assert!(
                parse_points(wrong).unwrap_err().contains(why),
                "{wrong}: {}",
                parse_points(wrong).unwrap_err()
            );
        }
    }

    #[test]
    fn ranges_probabilities_parameters_and_counts() {
        let range = parse_size_range("250 .. 2e4").unwrap();
        assert_eq!((range.from, range.to), (250.0, 20_000.0));
        for wrong in ["250", "0..5", "5..5", "7..5", "1..inf", "a..b", "nan..1"] {
            assert!(parse_size_range(wrong).unwrap_err().contains("250..20000"), "{wrong}");
        }
        assert_eq!((parse_probability("95 %"), parse_probability("0.9")), (Ok(0.95), Ok(0.9)));
        for wrong in ["0", "1", "100%", "x", "nan"] {
            assert!(parse_probability(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_parameter(" K = 4"), Ok(("K".to_owned(), 4.0)));
        assert!(["K", "=4", "K=x", "K=inf"].iter().all(|wrong| parse_parameter(wrong).is_err()));
        assert_eq!(parse_count("bio=4").unwrap().machines, 4);
        assert!(["bio", "bio=0", "bio=1.5", "bio=1000000"].iter().all(|wrong| parse_count(wrong).is_err()));
    }
}
