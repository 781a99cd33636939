//! A random time as tables for people, and as comma-separated values.

use skel::passage::Figure;

use super::{Known, RandomTime};
use crate::report::table::{decimal, lines, rounded, table};

/// Tables of its figures, its quantiles and its points. `noun` says what the throughput is.
pub(crate) fn tables(time: &RandomTime, noun: &str) -> String {
    let mut text = figures(time, noun);
    if !time.quantiles.is_empty() {
        text += &quantiles(time);
    }
    if !time.points.is_empty() {
        text += &points(time);
    }
    text
}

/// As many digits as the error leaves, ten at most.
pub(crate) fn digits(figure: Figure) -> String {
    let Figure { value, error } = figure;
    if error == 0.0 || value == 0.0 {
        return decimal(value);
    }
    let certain = (value.abs() / error).log10().floor().clamp(1.0, 10.0);
    rounded(value, certain as usize)
}

/// The rows of figures: what each is called and, as a key for programs, its kind and number.
fn rows<'t>(time: &'t RandomTime, noun: &str) -> Vec<(String, &'static str, String, &'t Known)> {
    let mut rows = vec![
        ("mean".to_owned(), "mean", String::new(), &time.mean),
        ("variance".to_owned(), "variance", String::new(), &time.variance),
    ];
    for (number, moment) in time.moments.iter().enumerate() {
        let power = number + 1;
        rows.push((format!("moment {power}"), "moment", power.to_string(), moment));
    }
    if let Some(throughput) = &time.throughput {
        rows.push((noun.to_owned(), "throughput", String::new(), throughput));
    }
    if !time.is_sure {
        rows.push(("probability to end".to_owned(), "ends", String::new(), &time.ends));
    }
    rows
}

fn figures(time: &RandomTime, noun: &str) -> String {
    let mut headings = vec!["figure", "value"];
    headings.extend(time.has_exact.then_some("exact"));
    let mut table = table(&headings, &[1]);
    // A table for people has the first moment as the mean alone.
    let shown =
        rows(time, noun).into_iter().filter(|(_, kind, at, _)| *kind != "moment" || at.as_str() != "1");
    let few = time.moments.len() <= 2;
    for (name, _, _, known) in shown.filter(|(_, kind, ..)| !(few && *kind == "moment")) {
        let mut cells = vec![name, digits(known.figure)];
        if time.has_exact {
            cells.push(known.exact.clone().unwrap_or_default());
        }
        table.add_row(cells);
    }
    format!("\n{}", lines(&table))
}

fn quantiles(time: &RandomTime) -> String {
    let mut table = table(&["probability", "time"], &[0, 1]);
    for quantile in &time.quantiles {
        let time = quantile.time.map_or_else(|| "never".to_owned(), digits);
        table.add_row([decimal(quantile.probability), time]);
    }
    format!("\n{}", lines(&table))
}

fn points(time: &RandomTime) -> String {
    let mut table = table(&["t", "probability", "density"], &[0, 1, 2]);
    for point in &time.points {
        table.add_row([decimal(point.time), digits(point.probability), digits(point.density)]);
    }
    format!("\n{}", lines(&table))
}

/// One table of all: `kind,at,value,error`, and with fractions `exact`.
pub(crate) fn csv(time: &RandomTime) -> String {
    let mut text = String::from("kind,at,value,error");
    text += if time.has_exact { ",exact\n" } else { "\n" };
    let mut row = |kind: &str, at: &str, figure: Option<Figure>, exact: Option<&str>| {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let (value, error) = (figure.map(|figure| figure.value), figure.map(|figure| figure.error));
        text += &format!("{kind},{at},{},{}", number(value), number(error));
        if time.has_exact {
            text += &format!(",{}", exact.unwrap_or_default());
        }
        text.push('\n');
    };
    for (_, kind, at, known) in rows(time, "") {
        row(kind, &at, Some(known.figure), known.exact.as_deref());
    }
    for quantile in &time.quantiles {
        row("quantile", &quantile.probability.to_string(), quantile.time, None);
    }
    for point in &time.points {
        row("cdf", &point.time.to_string(), Some(point.probability), None);
        row("density", &point.time.to_string(), Some(point.density), None);
    }
    text
}
