//! Answers for people, and as comma-separated values.

use skel::csl::{Answer, Checked, Figure, Value, Verdict};

use super::answer::{Answered, Answers};
use crate::report::csv::cell;
use crate::report::table::{decimal, lines, printable, rounded, table};
use crate::report::words::counted;

/// All answers: a property, and below it what is said of it.
pub(super) fn report(answers: &Answers) -> String {
    let mut text = String::new();
    for (number, answered) in answers.answers.iter().enumerate() {
        text.push_str(if number == 0 { "" } else { "\n" });
        text.push_str(&printable(&answered.title()));
        text.push('\n');
        for line in said(answered).lines() {
            text.push_str(format!("  {line}").trim_end());
            text.push('\n');
        }
    }
    text
}

fn said(answered: &Answered) -> String {
    let checked = &answered.checked;
    match &checked.answer {
        Answer::One(Value::Verdict(verdict)) => of_verdict(*verdict, checked),
        Answer::One(Value::Figure(figure)) => of_figure(figure),
        Answer::Count(least, most) if least == most => counted_states(*least),
        Answer::Count(least, most) => format!("at least {}, at most {most}", counted_states(*least)),
        Answer::Range(least, largest) => {
            format!("from {}\nto   {}", of_figure(least), of_figure(largest))
        }
        Answer::States(_) => of_states(answered),
        _ => String::new(),
    }
}

fn counted_states(count: u128) -> String {
    if count == 1 { "1 state".to_owned() } else { format!("{count} states") }
}

/// The verdict, and the run that shows it.
fn of_verdict(verdict: Verdict, checked: &Checked) -> String {
    let mut text = verdict.word().to_owned();
    if verdict == Verdict::Undecided {
        text.push_str(": the bound is within the error of the value");
    }
    if checked.decided_in_fractions {
        text.push_str(" (decided in fractions)");
    }
    if let Some(witness) = &checked.witness {
        let path = match witness.path.as_slice() {
            [] => "the initial state".to_owned(),
            path => format!(
                "after {}",
                path.iter().map(|action| printable(action)).collect::<Vec<_>>().join(", ")
            ),
        };
        text.push_str(&format!("\n{path}: `{}`", printable(&witness.state)));
    }
    text
}

/// The number and its error, or the fraction; where an inner formula is not decided, what it is between.
fn of_figure(figure: &Figure) -> String {
    const NOTABLE: f64 = 1e-4;
    if figure.value().is_infinite() && figure.at_least().is_infinite() {
        return "infinity: it may never come to that".to_owned();
    }
    if figure.at_most().is_infinite() || figure.error() > NOTABLE * figure.value().abs().max(NOTABLE) {
        let most = match figure.at_most() {
            most if most.is_infinite() => "infinity".to_owned(),
            most => decimal(most),
        };
        return format!(
            "between {} and {most}, since a formula inside is undecided",
            decimal(figure.at_least())
        );
    }
    match figure.exact() {
        Some(exact) if exact.is_integer() => exact.to_string(),
        Some(exact) => format!("{} = {exact}", decimal(figure.value())),
        None if figure.error() == 0.0 => decimal(figure.value()),
        None => format!("{}  (error at most {})", decimal(figure.value()), rounded(figure.error(), 2)),
    }
}

/// A table of the states with their values.
fn of_states(answered: &Answered) -> String {
    let has_lumped = answered.states.iter().any(|state| state.stands_for != Some(1));
    let has_exact = answered.of_states().any(|(_, _, value, _)| exact(value).is_some());
    let mut headings = vec!["state", "value"];
    headings.extend(has_exact.then_some("exact"));
    headings.extend(has_lumped.then_some("stands for"));
    let mut rows = table(&headings, &[]);
    let mut error = 0.0_f64;
    for (shown, _, value, is_certain) in answered.of_states() {
        let name = printable(&shown.name);
        let (value, of_value, exact) = match value {
            Value::Verdict(verdict) => (verdict.word().to_owned(), 0.0, String::new()),
            Value::Figure(figure) => {
                (decimal(figure.value()), figure.error(), exact(value).unwrap_or_default())
            }
        };
        error = error.max(of_value);
        let value = if is_certain { value } else { format!("{value} (perhaps a state of the filter)") };
        let mut cells = vec![name, value];
        cells.extend(has_exact.then_some(exact));
        cells.extend(has_lumped.then(|| shown.stands_for.map_or("?".to_owned(), |count| count.to_string())));
        rows.add_row(cells);
    }
    let mut text = lines(&rows);
    let count = answered.states.len();
    text.push_str(&counted(count as u64, "state"));
    if error > 0.0 {
        text.push_str(&format!(", error at most {}", rounded(error, 2)));
    }
    text
}

fn exact(value: &Value) -> Option<String> {
    match value {
        Value::Figure(figure) => figure.exact().map(ToString::to_string),
        Value::Verdict(_) => None,
    }
}

/// One table: `name,property,state,value,error,exact`, with a row for each value.
pub(super) fn csv(answers: &Answers) -> String {
    let mut text = String::from("name,property,state,value,error,exact\n");
    for answered in &answers.answers {
        let checked = &answered.checked;
        let mut row = |state: &str, value: &str, error: String, exact: Option<String>| {
            let name = checked.name.as_deref().unwrap_or_default();
            let cells = [
                cell(name),
                cell(&checked.property),
                cell(state),
                value.to_owned(),
                error,
                exact.unwrap_or_default(),
            ];
            text.push_str(&cells.join(","));
            text.push('\n');
        };
        let mut value = |state: &str, value: &Value| match value {
            Value::Verdict(verdict) => row(state, verdict.word(), String::new(), None),
            Value::Figure(figure) => {
                row(state, &figure.value().to_string(), format!("{:e}", figure.error()), exact(value));
            }
        };
        match &checked.answer {
            Answer::One(one) => value("", one),
            Answer::Range(least, largest) => {
                value("least", &Value::Figure(least.clone()));
                value("largest", &Value::Figure(largest.clone()));
            }
            Answer::Count(least, most) => {
                let middle = *least as f64 / 2.0 + *most as f64 / 2.0;
                row("", &middle.to_string(), ((*most - *least) as f64 / 2.0).to_string(), None);
            }
            _ => answered.of_states().for_each(|(shown, _, of_state, _)| value(&shown.name, of_state)),
        }
    }
    text
}
