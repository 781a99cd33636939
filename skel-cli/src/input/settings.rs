//! `--set NAME=VALUE`: other values for the rates and sizes of a model, and for the numbers that a skeleton
//! names.

use std::collections::BTreeMap;

use serde_json::Map;
use skel::diagnostic::did_you_mean;
use skel::model::{Model, SystemStep};
use skel::rate::RateExpression;
use skel::skeleton::text::Parsed;

use crate::errors::{Exit, Failure, Problem};
use crate::quantity::Setting;

/// The model with other values of its rates and sizes, or everything that is wrong with these.
pub(super) fn with_settings(model: &Model, settings: &[Setting]) -> Result<Model, Failure> {
    let mut changes = Vec::new();
    let mut wrong = repeated(settings);
    for setting in settings {
        match model.parameter_named(&setting.name) {
            Some(id) => changes.push((id, setting.value.clone())),
            None => wrong.push(unknown_in_model(model, &setting.name)),
        }
    }
    let outcome = model.with_rates(&changes).map_err(|errors| Failure::of_rates(&errors));
    if wrong.is_empty() {
        return outcome;
    }
    wrong.extend(outcome.err().into_iter().flat_map(|failure| failure.problems));
    Err(Failure { exit: Exit::CommandLine, source: None, problems: wrong, known: Map::new() })
}

/// What is wrong with values for the numbers of a skeleton, whatever they are.
pub(crate) fn wrong_for_skeleton(parsed: &Parsed, settings: &[Setting]) -> Vec<Problem> {
    let is_unknown = |setting: &&Setting| parsed.names().all(|name| name != setting.name);
    let unknown = settings.iter().filter(is_unknown).map(|setting| {
        let help = match did_you_mean(&setting.name, parsed.names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if parsed.names().len() == 0 => {
                "the file names no number: define one, `n = 3;`, and use it, `farm(n, 1.0)`".into()
            }
            None => format!("the file defines {}", listed(parsed.names())),
        };
        let message = format!("the skeleton defines no `{}` to set", setting.name);
        Problem::error("unknown_rate", message).help(help)
    });
    repeated(settings).into_iter().chain(unknown).collect()
}

/// Names that are set more than once, each with its values.
fn repeated(settings: &[Setting]) -> Vec<Problem> {
    let mut values: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for setting in settings {
        values.entry(&setting.name).or_default().push(format!("`{}`", setting.value));
    }
    let repeated = values.into_iter().filter(|(_, values)| values.len() > 1);
    let problem = |(name, values): (&str, Vec<String>)| {
        let message = format!("`{name}` is set to {}", values.join(" and to "));
        Problem::error("repeated_rate", message).help("set it once")
    };
    repeated.map(problem).collect()
}

fn unknown_in_model(model: &Model, name: &str) -> Problem {
    const CODE: &str = "unknown_rate";
    let names = || model.parameters().iter().map(|parameter| parameter.name.as_str());
    if let Some(count) = copies(model, name) {
        let message = format!("`{name}` is a process: rates and sizes can be set");
        let help = match count {
            RateExpression::Parameter(id) => {
                let size = &model.parameters()[id.index()].name;
                format!("the number of its copies is `{size}`: give `--set {size}=5`, say")
            }
            _ => format!(
                "give the number of its copies a name in the file, to set that: `n = 3;` and `{name}[n]`"
            ),
        };
        return Problem::error(CODE, message).help(help);
    }
    let has_sizes = model.parameters().iter().any(|parameter| parameter.is_size);
    let nouns = if has_sizes { "rate or size" } else { "rate" };
    let help = match did_you_mean(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names().len() == 0 => "the model has no named rates: its rates are numbers".into(),
        None if has_sizes => format!("its named rates and sizes are {}", listed(names())),
        None => format!("its named rates are {}", listed(names())),
    };
    Problem::error(CODE, format!("the model has no {nouns} `{name}` to set")).help(help)
}

/// How many copies of the component of that name an array has.
fn copies<'m>(model: &'m Model, name: &str) -> Option<&'m RateExpression> {
    model.system().windows(2).find_map(|steps| match steps {
        [SystemStep::Component(of), SystemStep::Array { count, .. }] => {
            (model.component_name(*of) == name).then_some(count)
        }
        _ => None,
    })
}

/// The first few names, in words.
pub(crate) fn listed<'n>(mut names: impl ExactSizeIterator<Item = &'n str>) -> String {
    const MOST: usize = 10;
    let shown: Vec<String> = names.by_ref().take(MOST).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
