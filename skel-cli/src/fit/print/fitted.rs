//! What the report says of each model: its points, its formula, and how good it is.

use std::fmt::Write as _;

use skel::fit::runs::{Interval, Rule};
use skel::fit::{Function, Power, TwoSteps};

use super::columns::Columns;
use crate::fit::answer::Answer;
use crate::fit::model::{Fit, Model, Searched};
use crate::report::figure::{Figure, aligned};
use crate::report::table::{lines, printable, rounded, table};
use crate::report::words::counted;

/// The digits of times and coefficients in the report.
pub(super) const DIGITS: usize = 7;

/// The most rows of a table.
const MOST_ROWS: usize = 60;

/// All that is said of a model.
pub(super) fn section(model: &Model, answer: &Answer<'_>) -> String {
    let name = printable(&model.name);
    if let Fit::Formula(function) = &model.fit {
        return format!("{name}: {}\n", short(function));
    }
    let mut text = format!(
        "{name}: {} of {}{}\n\n{}",
        counted(model.points.len(), "point"),
        counted(model.runs(), "run"),
        rejections(model),
        points(model, answer.probability),
    );
    text += &outliers(model);
    let _ = write!(text, "\nseconds = {}\n{}", short(model.function()), quality(model));
    match &model.fit {
        Fit::TwoSteps(steps) => text += &two_steps(steps),
        _ => text += &coefficients(model),
    }
    if let Fit::Searched(found) = &model.fit {
        text += &others(found);
    }
    text
}

/// A function with coefficients of few digits.
pub(super) fn short(function: &Function<2>) -> String {
    let digits = |value: f64| format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value);
    let terms = function.terms().map(|(powers, coefficient)| (powers, digits(coefficient)));
    Function::of(function.variables(), terms).to_string()
}

fn rejections(model: &Model) -> String {
    match model.rejected() {
        0 => String::new(),
        count => format!(
            ", of which {count} {} rejected as {}",
            if count == 1 { "is" } else { "are" },
            if count == 1 { "an outlier" } else { "outliers" }
        ),
    }
}

/// Numbers below each other with few digits.
pub(super) fn column(values: impl Iterator<Item = f64>) -> Vec<String> {
    let figures: Vec<Figure> = values
        .map(|value| Figure {
            value: format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value),
            exact: None,
        })
        .collect();
    aligned(figures.iter())
}

/// A probability in percent.
pub(crate) fn percent(probability: f64) -> String {
    format!("{} %", rounded(100.0 * probability, 6))
}

fn points(model: &Model, probability: f64) -> String {
    let (all, has_p) = (&model.points, has_processes(model));
    let intervals: Vec<_> = all.iter().map(|point| point.interval_of(probability)).collect();
    let fitted: Vec<f64> =
        all.iter().map(|point| model.function().at_point([point.n, f64::from(point.p)])).collect();
    let residuals = all.iter().zip(&fitted).map(|(point, fitted)| residual(point.mean, *fitted));
    let [low, high] = ends(&intervals);
    Columns::default()
        .numbers("n", all.iter().map(|point| rounded(point.n, 15)))
        .numbers("p", all.iter().map(|point| if has_p { point.p.to_string() } else { String::new() }))
        .numbers("runs", all.iter().map(|point| point.kept.len().to_string()))
        .numbers("mean (s)", column(all.iter().map(|point| point.mean)))
        .numbers(&format!("{} from", percent(probability)), low)
        .numbers("to", high)
        .numbers("fitted (s)", column(fitted.iter().copied()))
        .numbers("residual (s)", column(residuals))
        .shown(MOST_ROWS)
}

/// Whether there is anything to say of p.
pub(super) fn has_processes(model: &Model) -> bool {
    model.range(1).is_some_and(|(_, most)| most > 1.0)
}

/// The lower and the upper ends of intervals, where there are any.
pub(super) fn ends(intervals: &[Option<Interval>]) -> [Vec<String>; 2] {
    let of = |end: fn(&Interval) -> f64| {
        let values: Vec<Option<f64>> = intervals.iter().map(|interval| interval.as_ref().map(end)).collect();
        let mut shown = column(values.iter().flatten().copied()).into_iter();
        values.iter().map(|value| value.and_then(|_| shown.next()).unwrap_or_default()).collect()
    };
    [of(|interval| interval.low), of(|interval| interval.high)]
}

/// The difference of a measured and a fitted time, of which more digits say nothing. What rounding leaves
/// is 0.
fn residual(measured: f64, fitted: f64) -> f64 {
    const ROUNDING: f64 = 1e-12;
    match measured - fitted {
        difference if difference.abs() < ROUNDING * measured => 0.0,
        difference => format!("{difference:.2e}").parse().unwrap_or(difference),
    }
}

/// That a table has more rows than are shown.
pub(super) fn more(rows: usize, shown: usize) -> String {
    match rows.saturating_sub(shown) {
        0 => String::new(),
        more => format!("and {more} more, which `--json` lists\n"),
    }
}

/// Which runs were rejected, and by which rule.
fn outliers(model: &Model) -> String {
    let mut text = String::new();
    let rejected =
        || model.points.iter().flat_map(|point| point.rejected.iter().map(move |run| (point, run)));
    for (point, run) in rejected().take(MOST_ROWS) {
        let p = if has_processes(model) { format!(", p = {}", point.p) } else { String::new() };
        let _ = writeln!(
            text,
            "rejected: run {} at n = {}{p}, which took {} s: its score {}, {}, is beyond 3.5",
            run.run,
            point.n,
            rounded(run.seconds, DIGITS),
            rounded(run.score, 3),
            rule(point.rule),
        );
    }
    text + &more(rejected().count(), MOST_ROWS)
}

/// The unit of scores.
pub(super) fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::MedianDeviation => "0.6745 (x - median) / MAD",
        Rule::MeanDeviation => "(x - median) / (1.253314 mean |x - median|) as the MAD is 0",
        Rule::None => "not measured",
    }
}

fn quality(model: &Model) -> String {
    let Some(quality) = model.quality() else { return String::new() };
    let mut text =
        format!("R^2 = {}, SMAPE = {} %", rounded(quality.r_squared, DIGITS), rounded(quality.smape, 3));
    if let Fit::Searched(found) = &model.fit {
        let _ = write!(
            text,
            ", relative error of a point left out = {} %",
            rounded(100.0 * found.left_out_error, 3)
        );
    }
    let _ = writeln!(text, ", {}", degrees(quality.degrees_of_freedom));
    if quality.degrees_of_freedom == 0 {
        text += "There are as many coefficients as points, so that nothing says how good the model is.\n";
    }
    text
}

fn degrees(count: usize) -> String {
    format!("{count} {} of freedom", if count == 1 { "degree" } else { "degrees" })
}

fn term(powers: [Power; 2]) -> String {
    let factors = powers.iter().zip(["n", "p"]).filter(|(power, _)| **power != Power::ONE);
    let factors: Vec<String> = factors.map(|(power, name)| power.of(name)).collect();
    if factors.is_empty() { "1".to_owned() } else { factors.join(" ") }
}

fn coefficients(model: &Model) -> String {
    let Some(linear) = model.linear() else { return String::new() };
    let errors = linear.standard_errors();
    let headings = ["term", "coefficient", "standard error"];
    let mut shown = table(&headings[..if errors.is_some() { 3 } else { 2 }], &[1, 2]);
    for (row, (powers, coefficient)) in linear.coefficients().enumerate() {
        let mut cells = vec![term(powers), rounded(coefficient, DIGITS)];
        cells.extend(errors.as_ref().map(|errors| rounded(errors[row], 3)));
        shown.add_row(cells);
    }
    format!("\n{}", lines(&shown))
}

/// The next best functions of a search.
fn others(found: &Searched) -> String {
    let mut shown = table(&["next best", "error of a point left out"], &[1]);
    for (function, error) in &found.others {
        shown.add_row([short(function), format!("{} %", rounded(100.0 * error, 3))]);
    }
    if found.others.is_empty() { String::new() } else { format!("\n{}", lines(&shown)) }
}

/// The coefficients for each number of processes, and those as functions of it: the paper's Tables 2 and 3.
fn two_steps(steps: &TwoSteps) -> String {
    let terms: Vec<String> = steps.second.iter().map(|step| step.term.of("n")).collect();
    let headings: Vec<&str> =
        ["p"].into_iter().chain(terms.iter().map(String::as_str)).chain(["R^2"]).collect();
    let mut first = table(&headings, &(0..headings.len()).collect::<Vec<_>>());
    for step in &steps.first {
        let coefficients = step.model.coefficients().map(|(_, value)| rounded(value, DIGITS));
        let cells = [step.p.to_string()].into_iter().chain(coefficients);
        first.add_row(cells.chain([rounded(step.model.quality.r_squared, DIGITS)]));
    }
    let mut second = table(&["coefficient of", "constant", "times 1/p", "R^2"], &[1, 2, 3]);
    for (step, term) in steps.second.iter().zip(&terms) {
        let numbers =
            [step.constant, step.per_inverse_p, step.quality.r_squared].map(|value| rounded(value, DIGITS));
        second.add_row([term.clone()].into_iter().chain(numbers));
    }
    let mut text = format!(
        "\nstep 1, the coefficients for each p:\n{}\nstep 2, each of them as a function of p:\n{}",
        lines(&first),
        lines(&second)
    );
    if !steps.is_joint {
        text += "Not every p has the same sizes, so the two steps differ from a fit of all coefficients at once, from which the intervals are taken.\n";
    }
    text
}
