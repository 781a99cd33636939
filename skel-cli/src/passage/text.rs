//! A passage as tables for people, and as comma-separated values.

use skel::passage::Figure;

use super::answer::{Answer, Known};
use crate::report::table::{decimal, lines, rounded, table};
use crate::report::words::counted;
use crate::solve::text::size;

/// A few lines on the chain and on what was counted, then tables.
pub(super) fn report(answer: &Answer, source: &str) -> String {
    let mut text = format!("{source}: {}\n", size(&answer.chain));
    text += &format!("from {} to {}: {}\n", answer.from, answer.to, answer.way);
    text += &format!("{} before the end; {}\n", counted(answer.states, "state"), ends(answer));
    text += &figures(answer);
    if !answer.quantiles.is_empty() {
        text += &quantiles(answer);
    }
    if !answer.points.is_empty() {
        text += &points(answer);
    }
    text
}

fn ends(answer: &Answer) -> String {
    let error = format!("no figure is off by more than {:.1e}", answer.error());
    match answer.is_sure {
        true => format!("it is reached with probability 1; {error}"),
        false => format!(
            "it is reached with probability {}, so the mean time is infinite; mean, variance and moments are those of the passages \
             that end; {error}",
            digits(answer.ends.figure)
        ),
    }
}

/// As many digits as the error leaves, ten at most.
fn digits(figure: Figure) -> String {
    let Figure { value, error } = figure;
    if error == 0.0 || value == 0.0 {
        return decimal(value);
    }
    let certain = (value.abs() / error).log10().floor().clamp(1.0, 10.0);
    rounded(value, certain as usize)
}

/// The rows of figures: what each is called and, as a key for programs, its kind and number.
fn rows(answer: &Answer) -> Vec<(String, &'static str, String, &Known)> {
    let mut rows = vec![
        ("mean".to_owned(), "mean", String::new(), &answer.mean),
        ("variance".to_owned(), "variance", String::new(), &answer.variance),
    ];
    for (number, moment) in answer.moments.iter().enumerate() {
        let power = number + 1;
        rows.push((format!("moment {power}"), "moment", power.to_string(), moment));
    }
    if let Some(throughput) = &answer.throughput {
        rows.push(("passages per unit of time".to_owned(), "throughput", String::new(), throughput));
    }
    if !answer.is_sure {
        rows.push(("probability to end".to_owned(), "ends", String::new(), &answer.ends));
    }
    rows
}

fn figures(answer: &Answer) -> String {
    let mut headings = vec!["figure", "value"];
    headings.extend(answer.has_exact.then_some("exact"));
    let mut table = table(&headings, &[1]);
    // A table for people has the first moment as the mean alone.
    let shown = rows(answer).into_iter().filter(|(_, kind, at, _)| *kind != "moment" || at.as_str() != "1");
    let few = answer.moments.len() <= 2;
    for (name, _, _, known) in shown.filter(|(_, kind, ..)| !(few && *kind == "moment")) {
        let mut cells = vec![name, digits(known.figure)];
        if answer.has_exact {
            cells.push(known.exact.clone().unwrap_or_default());
        }
        table.add_row(cells);
    }
    format!("\n{}", lines(&table))
}

fn quantiles(answer: &Answer) -> String {
    let mut table = table(&["probability", "time"], &[0, 1]);
    for quantile in &answer.quantiles {
        let time = quantile.time.map_or_else(|| "never".to_owned(), digits);
        table.add_row([decimal(quantile.probability), time]);
    }
    format!("\n{}", lines(&table))
}

fn points(answer: &Answer) -> String {
    let mut table = table(&["t", "probability", "density"], &[0, 1, 2]);
    for point in &answer.points {
        table.add_row([decimal(point.time), digits(point.probability), digits(point.density)]);
    }
    format!("\n{}", lines(&table))
}

/// One table of all: `kind,at,value,error`, and with fractions `exact`.
pub(super) fn csv(answer: &Answer) -> String {
    let mut text = String::from("kind,at,value,error");
    text += if answer.has_exact { ",exact\n" } else { "\n" };
    let mut row = |kind: &str, at: &str, figure: Option<Figure>, exact: Option<&str>| {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let (value, error) = (figure.map(|figure| figure.value), figure.map(|figure| figure.error));
        text += &format!("{kind},{at},{},{}", number(value), number(error));
        if answer.has_exact {
            text += &format!(",{}", exact.unwrap_or_default());
        }
        text.push('\n');
    };
    for (_, kind, at, known) in rows(answer) {
        row(kind, &at, Some(known.figure), known.exact.as_deref());
    }
    for quantile in &answer.quantiles {
        row("quantile", &quantile.probability.to_string(), quantile.time, None);
    }
    for point in &answer.points {
        row("cdf", &point.time.to_string(), Some(point.probability), None);
        row("density", &point.time.to_string(), Some(point.density), None);
    }
    text
}
