//! The report for people.

use std::fmt::Write as _;

use super::fitted::{DIGITS, column, column_of_some, more, percent, section};
use crate::fit::answer::{Answer, Parts};
use crate::fit::model::{Caution, Model};
use crate::fit::questions::compare::Compared;
use crate::fit::questions::overtake::{Overtaking, Pair};
use crate::fit::questions::place::Place;
use crate::fit::questions::predict::Predicted;
use crate::fit::questions::shares::Shared;
use crate::fit::questions::subject::Subject;
use crate::report::table::{lines, printable, rounded, table};
use crate::report::words::counted;

/// The most rows of a table.
const MOST_ROWS: usize = 200;

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

fn values<'c>(place: &Place, names: &[&'c str]) -> Vec<String> {
    names.iter().map(|name| place.value(name).map_or_else(String::new, |value| rounded(value, 15))).collect()
}

/// The columns from one on.
fn right(from: usize, to: usize) -> Vec<usize> {
    (from..to).collect()
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
    let shown = answer.predicted.as_slice();
    let names = names(shown.first().map(|_| shown.iter().map(|one| &one.place))?);
    let intervals = format!("{} from", percent(answer.probability));
    let headings: Vec<&str> = ["predicted"]
        .into_iter()
        .chain(names.iter().copied())
        .chain(["seconds", &intervals, "to", ""])
        .collect();
    let mut drawn = table(&headings, &right(1, headings.len() - 1));
    let end = |end: fn(&skel::fit::runs::Interval) -> f64| {
        column_of_some(&shown.iter().map(|one| one.estimate.interval.as_ref().map(end)).collect::<Vec<_>>())
    };
    let columns = [
        column(shown.iter().map(|one| one.estimate.seconds)),
        end(|range| range.low),
        end(|range| range.high),
    ];
    for (row, Predicted { subject, place, estimate }) in shown.iter().enumerate().take(MOST_ROWS) {
        let mut cells = vec![printable(answer.subjects[*subject].name())];
        cells.extend(values(place, &names));
        cells.extend(columns.iter().map(|column| column[row].clone()));
        cells.push(words(&estimate.cautions));
        drawn.add_row(cells);
    }
    let cautions = shown.iter().map(|one| (one.subject, one.estimate.cautions.as_slice()));
    Some(lines(&drawn) + &more(shown.len(), MOST_ROWS) + &explained(cautions, answer))
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
    const MOST: usize = 20;
    let shown: String = said.iter().take(MOST).map(|sentence| format!("{sentence}\n")).collect();
    shown + &more(said.len(), MOST)
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
    let ranges: Vec<String> = [range(0, "n"), range(1, "p")].into_iter().flatten().collect();
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
    let title = format!("seconds of {}", printable(name));
    let headings: Vec<&str> =
        [title.as_str(), "times"].into_iter().chain(titles.iter().map(String::as_str)).collect();
    let mut shown = table(&headings, &right(1, headings.len()));
    let columns: Vec<Vec<String>> = all
        .iter()
        .map(|parts| {
            let each = parts
                .times
                .parts
                .iter()
                .map(|part| if part.is_decisive { part.once * part.times } else { 0.0 });
            column(each.chain([parts.times.seconds]))
        })
        .collect();
    let count = all[0].times.parts.len();
    let mut has_hidden = false;
    for row in 0..count {
        let part = &all[0].times.parts[row];
        let often: Vec<String> =
            all.iter().map(|parts| rounded(parts.times.parts[row].times, DIGITS)).collect();
        let often =
            if often.iter().all(|one| *one == often[0]) { often[0].clone() } else { "varies".to_owned() };
        let cells =
            all.iter().zip(&columns).map(|(parts, column)| match parts.times.parts[row].is_decisive {
                true => column[row].clone(),
                false => {
                    has_hidden = true;
                    "waits".to_owned()
                }
            });
        let cells: Vec<String> =
            [format!("{} {}", part.kind.word(), part.name), often].into_iter().chain(cells).collect();
        shown.add_row(cells);
    }
    let sums = columns.iter().map(|column| column[count].clone());
    shown.add_row(["the program".to_owned(), String::new()].into_iter().chain(sums));
    let waits = "waits: another process is slower there, so that its time is none of the program's\n";
    lines(&shown) + if has_hidden { waits } else { "" }
}

/// Estimated beside measured, as in the paper's tables.
fn comparison(answer: &Answer<'_>) -> Option<String> {
    let all = answer.compared.as_slice();
    all.first()?;
    let headings = ["compared", "n", "p", "runs", "estimated (s)", "measured (s)", "error (%)", ""];
    let mut shown = table(&headings, &right(1, 7));
    let columns =
        [column(all.iter().map(|one| one.estimate.seconds)), column(all.iter().map(|one| one.measured))];
    for (row, one) in all.iter().enumerate().take(MOST_ROWS) {
        let mut cells = vec![
            printable(answer.subjects[one.subject].name()),
            rounded(one.n, 15),
            one.p.to_string(),
            one.runs.to_string(),
        ];
        cells.extend(columns.iter().map(|column| column[row].clone()));
        cells.extend([format!("{:.2}", one.error_percent()), words(&one.estimate.cautions)]);
        shown.add_row(cells);
    }
    let cautions = all.iter().map(|one| (one.subject, one.estimate.cautions.as_slice()));
    Some(lines(&shown) + &more(all.len(), MOST_ROWS) + &explained(cautions, answer) + &summary(all))
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
    let mut shown = table(&["models", "n", "seconds", "", ""], &[1, 2]);
    let met = || found.pairs.iter().flat_map(|pair| pair.crossings.iter().map(move |met| (pair, met)));
    let columns = [column(met().map(|(_, met)| met.n)), column(met().map(|(_, met)| met.seconds))];
    for (row, (pair, met)) in met().enumerate().take(MOST_ROWS) {
        let mut cells = vec![both(pair, models)];
        cells.extend(columns.iter().map(|column| column[row].clone()));
        cells.extend([
            met.kind.to_string(),
            if met.is_extrapolated { "extrapolated".to_owned() } else { String::new() },
        ]);
        shown.add_row(cells);
    }
    if met().next().is_some() {
        text += &(lines(&shown) + &more(met().count(), MOST_ROWS));
    }
    for pair in found.pairs.iter().filter(|pair| pair.crossings.is_empty()) {
        let why = if pair.are_identical { "are identical" } else { "have no crossover" };
        let _ = writeln!(text, "{} {why}", both(pair, models));
    }
    let mut parts = table(&["from", "to", "the cheapest"], &[0, 1]);
    let columns = [
        column(found.cheapest.iter().map(|part| part.from)),
        column(found.cheapest.iter().map(|part| part.to)),
    ];
    for (row, part) in found.cheapest.iter().enumerate().take(MOST_ROWS) {
        parts.add_row([
            columns[0][row].clone(),
            columns[1][row].clone(),
            printable(&models[part.function].name),
        ]);
    }
    let _ = write!(text, "\n{}{}", lines(&parts), more(found.cheapest.len(), MOST_ROWS));
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
    let names = names(all.first().map(|_| all.iter().map(|one| &one.place))?);
    let mut text = format!("shares of {}\n", counted(answer.items, "item"));
    let headings: Vec<&str> = ["segment"]
        .into_iter()
        .chain(names.iter().copied())
        .chain(["machine", "machines", "seconds alone", "relative performance", "items of each"])
        .collect();
    let mut shown = table(&headings, &right(1, names.len() + 1));
    for (number, right) in [(2, true), (3, true), (4, true), (5, true)] {
        if let (Some(column), true) = (shown.column_mut(names.len() + number), right) {
            column.set_cell_alignment(comfy_table::CellAlignment::Right);
        }
    }
    for one in all {
        for machine in &one.machines {
            let mut cells = vec![printable(&one.segment)];
            cells.extend(values(&one.place, &names));
            cells.extend([
                printable(&machine.name),
                machine.count.to_string(),
                rounded(machine.seconds, DIGITS),
                rounded(machine.performance, 5),
                each(&machine.items),
            ]);
            shown.add_row(cells);
        }
    }
    let _ = write!(text, "{}\n{}", lines(&shown), ends(all, &names));
    Some(text)
}

/// `178`, or `178 to 179`
fn each(items: &[u64]) -> String {
    match (items.iter().min(), items.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
        (Some(least), _) => least.to_string(),
        _ => String::new(),
    }
}

/// When the last machine ends, by relative performance at each place, by that of the first place at all, and by equal shares.
fn ends(all: &[Shared], names: &[&str]) -> String {
    let first: Vec<String> =
        all[0].place.0.iter().map(|(name, value)| format!("{name} = {}", rounded(*value, 15))).collect();
    let fixed = format!("by those of {} (s)", first.join(", "));
    let headings: Vec<&str> = ["segment"]
        .into_iter()
        .chain(names.iter().copied())
        .chain(["ends by these shares (s)", &fixed, "by equal shares (s)"])
        .collect();
    let mut shown = table(&headings, &right(1, headings.len()));
    let columns = [
        column(all.iter().map(|one| one.end)),
        column(all.iter().map(|one| one.end_if_fixed)),
        column(all.iter().map(|one| one.end_if_equal)),
    ];
    for (row, one) in all.iter().enumerate() {
        let mut cells = vec![printable(&one.segment)];
        cells.extend(values(&one.place, names));
        cells.extend(columns.iter().map(|column| column[row].clone()));
        shown.add_row(cells);
    }
    lines(&shown)
}
