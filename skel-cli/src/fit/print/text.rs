//! The report for people.

use std::fmt::Write as _;

use super::columns::Columns;
use super::fitted::{DIGITS, column, ends, has_processes, more, percent, section};
use crate::fit::answer::{Answer, Parts};
use crate::fit::model::{Caution, Model};
use crate::fit::questions::compare::Compared;
use crate::fit::questions::overtake::{Met, Overtaking, Pair};
use crate::fit::questions::place::Place;
use crate::fit::questions::shares::{Shared, Type};
use crate::fit::questions::subject::Subject;
use crate::report::table::{printable, rounded};
use crate::report::words::counted;

/// The most rows of a table.
const MOST_ROWS: usize = 200;

/// The most sentences that explain words beside estimates.
const MOST_SENTENCES: usize = 20;

/// The whole report.
pub(crate) fn report(answer: &Answer<'_>) -> String {
    let mut sections: Vec<String> = Vec::new();
    if let Some((name, runs)) = answer.timed {
        sections.push(format!("{}: {}\n", printable(name), counted(runs, "run")));
    }
    let is_formula = |model: &&Model| model.points.is_empty();
    sections
        .extend(answer.models.iter().filter(|model| !is_formula(model)).map(|model| section(model, answer)));
    let formulas: String =
        answer.models.iter().filter(is_formula).map(|model| section(model, answer)).collect();
    sections.extend(Some(formulas).filter(|formulas| !formulas.is_empty()));
    sections.extend(answer.graph.map(graph));
    sections.extend(predictions(answer));
    sections.extend(programs(answer));
    sections.extend(comparison(answer));
    sections.extend(answer.overtaking.as_ref().map(|found| crossovers(found, answer.models)));
    sections.extend(shares(answer));
    sections.join("\n")
}

/// The name of a graph, and which of its segments take their times from models.
fn graph(graph: &skel::fit::graph::Graph) -> String {
    let parameters: Vec<&str> = graph.parameters().collect();
    let fitted = graph.fitted_segments();
    let models = match fitted.as_slice() {
        [] => "every segment has its seconds".to_owned(),
        names => format!("with models of {}", names.join(", ")),
    };
    format!("graph {}({}): {models}\n", graph.name(), parameters.join(", "))
}

/// The names of the values of some places, in the order in which they first appear.
fn names<'p>(places: impl Iterator<Item = &'p Place>) -> Vec<&'p str> {
    places.flat_map(|place| &place.0).fold(Vec::new(), |mut names, (name, _)| {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
        names
    })
}

/// A column for each name, with its value at each place.
fn at_places(columns: Columns, places: &[&Place]) -> Columns {
    names(places.iter().copied()).into_iter().fold(columns, |columns, name| {
        let value = |place: &&Place| place.value(name).map_or_else(String::new, |value| rounded(value, 15));
        columns.numbers(name, places.iter().map(value))
    })
}

fn words(cautions: &[Caution]) -> String {
    let mut words: Vec<&str> = Vec::new();
    for caution in cautions {
        if !words.contains(&caution.word) {
            words.push(caution.word);
        }
    }
    words.join(", ")
}

fn predictions(answer: &Answer<'_>) -> Option<String> {
    let all = answer.predicted.as_slice();
    all.first()?;
    let places: Vec<&Place> = all.iter().map(|one| &one.place).collect();
    let [low, high] = ends(&all.iter().map(|one| one.estimate.interval).collect::<Vec<_>>());
    let columns = Columns::default().words("predicted", all.iter().map(|one| name_of(answer, one.subject)));
    let shown = at_places(columns, &places)
        .numbers("seconds", column(all.iter().map(|one| one.estimate.seconds)))
        .numbers(&format!("{} from", percent(answer.probability)), low)
        .numbers("to", high)
        .words("", all.iter().map(|one| words(&one.estimate.cautions)))
        .shown(MOST_ROWS);
    let cautions = all.iter().map(|one| (one.subject, one.estimate.cautions.as_slice()));
    Some(shown + &explained(cautions, answer))
}

fn name_of(answer: &Answer<'_>, subject: usize) -> String {
    printable(answer.subjects[subject].name())
}

/// What the words beside estimates mean, once for each model.
fn explained<'c>(cautions: impl Iterator<Item = (usize, &'c [Caution])>, answer: &Answer<'_>) -> String {
    let mut said: Vec<String> = Vec::new();
    for (subject, cautions) in cautions {
        for caution in cautions {
            let sentence = match (caution.word, &answer.subjects[subject]) {
                ("extrapolated", Subject::Model(model)) => extrapolated(model),
                ("negative", subject) => {
                    format!(
                        "negative: no time is negative, so that `{}` does not hold there",
                        printable(subject.name())
                    )
                }
                _ => caution.text.clone(),
            };
            if !said.contains(&sentence) {
                said.push(sentence);
            }
        }
    }
    let shown: String = said.iter().take(MOST_SENTENCES).map(|sentence| format!("{sentence}\n")).collect();
    shown + &more(said.len(), MOST_SENTENCES)
}

fn extrapolated(model: &Model) -> String {
    let range = |at: usize, name: &str| {
        let (least, most) = model.range(at)?;
        let (least, most) = (rounded(least, 15), rounded(most, 15));
        Some(if least == most {
            format!("{name} = {least}")
        } else {
            format!("{name} from {least} to {most}")
        })
    };
    let of_p = range(1, "p").filter(|_| has_processes(model));
    let ranges: Vec<String> = [range(0, "n"), of_p].into_iter().flatten().collect();
    format!("extrapolated: `{}` was measured for {}", printable(&model.name), ranges.join(" and "))
}

/// The parts of each program: a column for each place, or the sums alone where there are too many.
fn programs(answer: &Answer<'_>) -> Vec<String> {
    const MOST: usize = 6;
    let of = |number: usize| {
        answer.programs.iter().filter(|parts| parts.subject == number).collect::<Vec<&Parts>>()
    };
    let programs = (0..answer.subjects.len()).map(|number| (number, of(number)));
    let few = programs.filter(|(_, parts)| !parts.is_empty() && parts.len() <= MOST);
    few.map(|(number, all)| parts(answer.subjects[number].name(), &all)).collect()
}

fn parts(name: &str, all: &[&Parts]) -> String {
    let names = names(all.iter().map(|parts| &parts.place));
    let titles: Vec<String> = all
        .iter()
        .map(|parts| {
            let values = names.iter().filter_map(|name| Some((name, parts.place.value(name)?)));
            let values: Vec<String> =
                values.map(|(name, value)| format!("{name}={}", rounded(value, 15))).collect();
            if values.is_empty() { "seconds".to_owned() } else { values.join(" ") }
        })
        .collect();
    let first = &all[0].times.parts;
    let often = |row: usize| {
        let each: Vec<String> =
            all.iter().map(|parts| rounded(parts.times.parts[row].times, DIGITS)).collect();
        if each.iter().all(|one| *one == each[0]) { each[0].clone() } else { "varies".to_owned() }
    };
    let segments = first.iter().map(|part| format!("{} {}", part.kind.word(), part.name));
    let columns = Columns::default()
        .words(&format!("seconds of {}", printable(name)), segments.chain(["the program".to_owned()]))
        .numbers("times", (0..first.len()).map(often).chain([String::new()]));
    let columns = all
        .iter()
        .zip(&titles)
        .fold(columns, |columns, (parts, title)| columns.numbers(title, seconds(parts)));
    let waits = "waits: another process is slower there, so that its time is none of the program's\n";
    let has_waiting = all.iter().flat_map(|parts| &parts.times.parts).any(|part| !part.is_decisive);
    columns.shown(MOST_ROWS) + if has_waiting { waits } else { "" }
}

/// The seconds of each part, and of the program.
fn seconds(parts: &Parts) -> Vec<String> {
    let each =
        parts.times.parts.iter().map(|part| if part.is_decisive { part.once * part.times } else { 0.0 });
    let mut shown = column(each.chain([parts.times.seconds]));
    for (cell, _) in shown.iter_mut().zip(&parts.times.parts).filter(|(_, part)| !part.is_decisive) {
        "waits".clone_into(cell);
    }
    shown
}

/// Estimated beside measured, as in the paper's tables.
fn comparison(answer: &Answer<'_>) -> Option<String> {
    let all = answer.compared.as_slice();
    all.first()?;
    let shown = Columns::default()
        .words("compared", all.iter().map(|one| name_of(answer, one.subject)))
        .numbers("n", all.iter().map(|one| rounded(one.n, 15)))
        .numbers("p", all.iter().map(|one| one.p.to_string()))
        .numbers("runs", all.iter().map(|one| one.runs.to_string()))
        .numbers("estimated (s)", column(all.iter().map(|one| one.estimate.seconds)))
        .numbers("measured (s)", column(all.iter().map(|one| one.measured)))
        .numbers("error (%)", all.iter().map(|one| format!("{:.2}", one.error_percent())))
        .words("", all.iter().map(|one| words(&one.estimate.cautions)))
        .shown(MOST_ROWS);
    let cautions = all.iter().map(|one| (one.subject, one.estimate.cautions.as_slice()));
    let of = answer
        .measured
        .map_or_else(String::new, |name| format!("estimated beside measured, of {}\n", printable(name)));
    Some(of + &shown + &explained(cautions, answer) + &summary(all))
}

/// How large the errors are.
fn summary(all: &[Compared]) -> String {
    let sizes: Vec<f64> = all.iter().map(|one| one.error_percent().abs()).collect();
    let Some(median) = skel::fit::runs::median(&sizes) else { return String::new() };
    let worst =
        all.iter().max_by(|one, other| one.error_percent().abs().total_cmp(&other.error_percent().abs()));
    let within = sizes.iter().filter(|size| **size < 10.0).count();
    let worst = worst.map_or_else(String::new, |one| {
        format!(
            ", the largest {:.2} % at n = {}, p = {}",
            one.error_percent().abs(),
            rounded(one.n, 15),
            one.p
        )
    });
    format!(
        "size of the errors: the median is {median:.2} %{worst}; {within} of {} are below 10 %\n",
        all.len()
    )
}

fn crossovers(found: &Overtaking, models: &[Model]) -> String {
    let range = found.range;
    let mut text = format!(
        "crossovers for n from {} to {}{}\n",
        rounded(range.from, 15),
        rounded(range.to, 15),
        at_processes(found)
    );
    let met: Vec<(&Pair, &Met)> =
        found.pairs.iter().flat_map(|pair| pair.crossings.iter().map(move |met| (pair, met))).collect();
    if !met.is_empty() {
        text += &Columns::default()
            .words("models", met.iter().map(|(pair, _)| both(pair, models)))
            .numbers("n", column(met.iter().map(|(_, met)| met.n)))
            .numbers("seconds", column(met.iter().map(|(_, met)| met.seconds)))
            .words("", met.iter().map(|(_, met)| met.kind.to_string()))
            .words(
                "",
                met.iter()
                    .map(|(_, met)| if met.is_extrapolated { "extrapolated".into() } else { String::new() }),
            )
            .shown(MOST_ROWS);
    }
    for pair in found.pairs.iter().filter(|pair| pair.crossings.is_empty()) {
        let why = if pair.are_identical { "are identical" } else { "have no crossover" };
        let _ = writeln!(text, "{} {why}", both(pair, models));
    }
    text.push('\n');
    text += &Columns::default()
        .numbers("from", column(found.cheapest.iter().map(|part| part.from)))
        .numbers("to", column(found.cheapest.iter().map(|part| part.to)))
        .words("the cheapest", found.cheapest.iter().map(|part| printable(&models[part.function].name)))
        .shown(MOST_ROWS);
    for part in &found.negative {
        let _ = writeln!(
            text,
            "negative: `{}` is below 0 for n from {} to {}, so that it does not hold there",
            printable(&models[part.model].name),
            rounded(part.from, DIGITS),
            rounded(part.to, DIGITS),
        );
    }
    text
}

fn at_processes(found: &Overtaking) -> String {
    let mut all: Vec<f64> = found.processes.iter().flatten().copied().collect();
    all.dedup();
    match all.as_slice() {
        [p] => format!(", p = {p}"),
        _ => String::new(),
    }
}

fn both(pair: &Pair, models: &[Model]) -> String {
    let [one, other] = pair.models.map(|at| printable(&models[at].name));
    format!("{one} and {other}")
}

/// Shares of items by relative performance, and when the last machine ends by them.
fn shares(answer: &Answer<'_>) -> Option<String> {
    let all = answer.shares.as_slice();
    let machines = all.first()?.machines;
    let rows: Vec<(&Shared, &Type)> =
        all.iter().flat_map(|one| one.types.iter().map(move |of| (one, of))).collect();
    let shown = Columns::default()
        .words("segment", rows.iter().map(|(one, _)| printable(&one.segment)))
        .numbers("n", rows.iter().map(|(one, _)| rounded(one.n, 15)))
        .words("machine", rows.iter().map(|(_, of)| printable(&of.name)))
        .numbers("machines", rows.iter().map(|(_, of)| of.count.to_string()))
        .numbers(&format!("seconds of {machines} such"), column(rows.iter().map(|(_, of)| of.seconds)))
        .numbers("relative performance", rows.iter().map(|(_, of)| rounded(of.performance, 5)))
        .numbers("items of each", rows.iter().map(|(_, of)| each(&of.items)))
        .shown(MOST_ROWS);
    let (items, machines) = (counted(answer.items, "item"), counted(machines, "machine"));
    Some(format!("shares of {items} on {machines}\n{shown}\n{}{}", last_ends(all), cautions_of(all)))
}

/// Why shares may be far off, each reason once.
fn cautions_of(all: &[Shared]) -> String {
    let mut said: Vec<&str> = all.iter().flat_map(|one| &one.cautions).map(String::as_str).collect();
    said.dedup();
    let shown: String = said.iter().take(MOST_SENTENCES).map(|sentence| format!("{sentence}\n")).collect();
    shown + &more(said.len(), MOST_SENTENCES)
}

/// `178`, or `178 to 179`
fn each(items: &[u64]) -> String {
    match (items.iter().min(), items.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
        (Some(least), _) => least.to_string(),
        _ => String::new(),
    }
}

/// When the last machine ends, by relative performance at each n, by that of the first n at all, and by equal
/// shares.
fn last_ends(all: &[Shared]) -> String {
    Columns::default()
        .words("segment", all.iter().map(|one| printable(&one.segment)))
        .numbers("n", all.iter().map(|one| rounded(one.n, 15)))
        .numbers("ends by these shares (s)", column(all.iter().map(|one| one.end)))
        .numbers(
            &format!("by those of n = {} (s)", rounded(all[0].n, 15)),
            column(all.iter().map(|one| one.end_if_fixed)),
        )
        .numbers("by equal shares (s)", column(all.iter().map(|one| one.end_if_equal)))
        .shown(MOST_ROWS)
}
