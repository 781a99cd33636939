//! Names that vary in a model: what else they may stand for, and the copies of arrays.

use skel::diagnostic::{Code, did_you_mean};
use skel::model::{BuildError, Model};

use super::vary::Vary;
use crate::errors::Problem;
use crate::input::settings::listed;

/// `Client[]` as the size of the array of `Client`, which gets a name in the model unless it has one.
pub(super) fn in_array(model: &mut Model, vary: Vary) -> Result<Vary, Box<Problem>> {
    let Some(component) = vary.name.strip_suffix("[]") else { return Ok(vary) };
    match model.with_named_copies(component.trim_end()) {
        Ok((named, size)) => {
            let name = named.parameters()[size.index()].name.clone();
            *model = named;
            Ok(vary.renamed(name))
        }
        Err(errors) => Err(Box::new(errors.0.first().map_or_else(
            || Problem::error(Code::UndefinedSize.word(), "there is no such array"),
            |error| vary.problem(error),
        ))),
    }
}

/// What is wrong with a name that is no rate and no size.
pub(super) fn unknown_in_model(model: &Model, name: &str) -> BuildError {
    let names = || model.parameters().iter().map(|parameter| parameter.name.as_str());
    let error = |message: String, help: String| BuildError { code: Code::UndefinedRate, message, help };
    let is_component = model.components().iter().any(|one| model.local_state(one.initial).name == name);
    if is_component && model.with_named_copies(name).is_ok() {
        let message = format!("`{name}` is a process: rates and sizes can vary");
        return error(message, format!("for the number of its copies, write `{name}[]=1:10`"));
    }
    if let Some(what) = other_kind(model, name) {
        let help = match names().len() {
            0 => "give a rate a name in the file, as in `mu = 2;`, and vary that".to_owned(),
            _ => format!("its named rates and sizes are {}", listed(names())),
        };
        return error(format!("`{name}` is {what}: rates and sizes can vary"), help);
    }
    let help = match did_you_mean(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names().len() == 0 => {
            "the model has no named rates: give one a name in the file, as in `mu = 2;`".to_owned()
        }
        None => format!("its named rates and sizes are {}", listed(names())),
    };
    error(format!("the model has no rate or size `{name}`"), help)
}

fn other_kind(model: &Model, name: &str) -> Option<&'static str> {
    if model.action_named(name).is_some() {
        return Some("an action");
    }
    if model.local_state_named(name).is_some() {
        return Some("a process");
    }
    model.results().iter().any(|line| line.name == name).then_some("a result")
}
