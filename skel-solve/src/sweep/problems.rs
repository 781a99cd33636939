//! What is wrong with a sweep before any point is solved.

use num_traits::Signed;
use skel_core::diagnostic::{Code, did_you_mean};
use skel_core::model::{BuildError, Model};
use skel_core::number::Ratio;
use skel_core::rate::Rate;
use skel_core::size::{self, SizeProblem};
use skel_core::skeleton::text::Parsed;
use skel_core::skeleton::{Buffers, Stage, Tree};

use super::order::Axis;
use super::quantity::Quantity;
use super::subject::{SkeletonText, Subject};
use super::values::{MOST_POINTS, Values, bad_sweep};

/// Something that is wrong with a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The number of what varies, in the order in which it was said; none where the whole is concerned.
    pub axis: Option<usize>,
    /// What is wrong, and what to write instead.
    pub error: BuildError,
}

/// The axes of a sweep, or all that is wrong with them.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn checked(
    subject: &Subject,
    varied: &[(Quantity, Values)],
    is_together: bool,
) -> Result<Vec<Axis>, Vec<Problem>> {
    let (mut axes, mut problems): (Vec<Axis>, Vec<Problem>) = (Vec::new(), Vec::new());
    for (number, (quantity, values)) in varied.iter().enumerate() {
        match axis(subject, quantity, values) {
            Ok(axis) if axes.iter().any(|other| other.quantity == axis.quantity) => {
                let error = bad_sweep("the same thing varies twice".to_owned(), "say once how it varies");
                problems.push(Problem { axis: Some(number), error });
            }
            Ok(axis) => axes.push(axis),
            Err(error) => problems.push(Problem { axis: Some(number), error }),
        }
    }
    problems.extend(whole(varied, is_together).map(|error| Problem { axis: None, error }));
    if problems.is_empty() { Ok(axes) } else { Err(problems) }
}

/// What is wrong with the number of points.
#[cfg_attr(debug_assertions, inline)]
fn whole(varied: &[(Quantity, Values)], is_together: bool) -> Option<BuildError> {
    let lengths: Vec<usize> = varied.iter().map(|(_, values)| values.as_slice().len()).collect();
    let Some(first) = lengths.first() else {
        return Some(bad_sweep("nothing varies in the sweep".to_owned(), "say what varies, with `vary`"));
    };
    if is_together && lengths.iter().any(|length| length != first) {
        let words: Vec<String> = lengths.iter().map(usize::to_string).collect();
        let message =
            format!("values that go together are equally many, and here they are {}", words.join(" and "));
        return Some(bad_sweep(message, "give each as many values, or leave out that they go together"));
    }
    let points = match is_together {
        true => *first as u128,
        false => lengths.iter().fold(1, |product: u128, &length| product.saturating_mul(length as u128)),
    };
    (points > MOST_POINTS as u128).then(|| {
        let message = format!("the sweep has {points} points, more than {MOST_POINTS}");
        bad_sweep(message, "take larger steps, or several sweeps")
    })
}

#[cfg_attr(debug_assertions, inline)]
fn axis(subject: &Subject, quantity: &Quantity, values: &Values) -> Result<Axis, BuildError> {
    if values.as_slice().is_empty() {
        return Err(bad_sweep(
            "there are no values to take".to_owned(),
            "write a range or a list, as 1:10:1 or 1,2,4",
        ));
    }
    let (quantity, changes_states) = match (subject, quantity) {
        (Subject::Model(model), quantity) => in_model(model, quantity, values)?,
        (Subject::Program(program), quantity) => in_program(program.skeleton(), quantity, values)?,
        (Subject::Text(text), Quantity::Named(name)) => in_text(text, name, values)?,
        (Subject::Text(_), _) => return Err(elsewhere("a skeleton text", "a name that it defines")),
    };
    let exact = values.as_slice().iter().filter_map(|value| value.exact().cloned());
    Ok(Axis { quantity, values: exact.collect(), changes_states })
}

#[cfg_attr(debug_assertions, inline)]
fn elsewhere(subject: &str, instead: &str) -> BuildError {
    bad_sweep(format!("{subject} has no such thing"), format!("vary {instead}"))
}

#[cfg_attr(debug_assertions, inline)]
fn in_model(model: &Model, quantity: &Quantity, values: &Values) -> Result<(Quantity, bool), BuildError> {
    let id = match quantity {
        Quantity::Parameter(id) => *id,
        Quantity::Named(name) => model.parameter_named(name).ok_or_else(|| unknown_in_model(model, name))?,
        _ => return Err(elsewhere("a model", "a named rate or size")),
    };
    let parameter = &model.parameters()[id.index()];
    let subject = format!("`{}`", parameter.name);
    if parameter.is_size {
        not_whole(values, &subject)?;
    } else {
        not_positive(values, &subject)?;
    }
    Ok((Quantity::Parameter(id), parameter.is_size))
}

#[cfg_attr(debug_assertions, inline)]
fn in_program(tree: &Tree, quantity: &Quantity, values: &Values) -> Result<(Quantity, bool), BuildError> {
    match *quantity {
        Quantity::Rate(task) if tree.stage(task).task().is_some() => {
            not_positive(values, &format!("of `{}`", tree.name(task)))?;
            Ok((Quantity::Rate(task), false))
        }
        Quantity::Rate(stage) => Err(bad_sweep(
            format!("`{}` has no rate of its own", tree.name(stage)),
            "a rate belongs to a task: take the handle of one, such as `worker()` of a farm",
        )),
        Quantity::Replicas(stage) => {
            let Some(replicated) = tree.replicated_at(stage) else {
                let message = format!("`{}` has no replicas", tree.name(stage));
                return Err(bad_sweep(message, "make it a farm or a deal of one first: `farm(1, ..)`"));
            };
            not_whole(values, "of replicas")?;
            Ok((Quantity::Replicas(replicated), true))
        }
        Quantity::Buffers => {
            not_a_capacity(values)?;
            Ok((Quantity::Buffers, true))
        }
        Quantity::BufferBefore(stage) => {
            not_a_capacity(values)?;
            Ok((Quantity::BufferBefore(stage), true))
        }
        Quantity::Named(_) | Quantity::Parameter(_) => Err(elsewhere(
            "a program",
            "a stage by its handle: `rate_of(handle)`, `replicas_of(handle)` or `buffer_before(handle)`",
        )),
    }
}

/// A number that a text names may be a count, a rate or both. Only the text as a whole says what it can be.
#[cfg_attr(debug_assertions, inline)]
fn in_text(subject: &SkeletonText, name: &str, values: &Values) -> Result<(Quantity, bool), BuildError> {
    let mut shapes: Vec<(Vec<u32>, Buffers)> = Vec::new();
    for value in values.as_slice() {
        not_a_number(value, name)?;
        let mut settings = subject.settings.clone();
        settings.push((name.to_owned(), value.clone()));
        let parsed = subject.read(&settings);
        if parsed.names().all(|known| known != name) {
            return Err(unknown_in_text(&parsed, name));
        }
        match &parsed.tree {
            Some(tree) => shapes.push((shape(tree), parsed.buffers.clone())),
            None => return Err(refused_by_text(&parsed, name, value)),
        }
        shapes.dedup();
    }
    Ok((Quantity::Named(name.to_owned()), shapes.len() > 1))
}

#[cfg_attr(debug_assertions, inline)]
fn refused_by_text(parsed: &Parsed, name: &str, value: &Rate) -> BuildError {
    match parsed.diagnostics.first() {
        Some(found) => BuildError {
            code: found.code,
            message: format!("with {name} = {value}, {}", found.message),
            help: found.help.clone().unwrap_or_default(),
        },
        None => bad_sweep(format!("with {name} = {value} the text is no skeleton"), "take other values"),
    }
}

/// The numbers of replicas and of workers: all that a tree says beside rates, and beside what no number of a
/// text can change.
#[cfg_attr(debug_assertions, inline)]
fn shape(tree: &Tree) -> Vec<u32> {
    let replicas = tree.stages().iter().filter_map(|stage| match stage {
        Stage::Replicated { replicas, .. } => Some(*replicas),
        Stage::Team(team) => Some(team.workers),
        Stage::Task(_) | Stage::Pipe(_) => None,
    });
    replicas.collect()
}

#[cfg_attr(debug_assertions, inline)]
fn not_a_number(value: &Rate, name: &str) -> Result<(), BuildError> {
    match value.exact() {
        Some(_) => Ok(()),
        None => Err(bad_sweep(format!("`{name}` cannot be {value}"), "write finite numbers")),
    }
}

/// An error for the first value that no rate can have.
#[cfg_attr(debug_assertions, inline)]
fn not_positive(values: &Values, subject: &str) -> Result<(), BuildError> {
    let explained = values.first_not_positive().and_then(|problem| problem.explain(subject, false));
    match explained {
        None => Ok(()),
        Some((code, message, help)) => Err(BuildError { code, message, help: help.to_owned() }),
    }
}

/// An error for the first value that is no number of copies.
#[cfg_attr(debug_assertions, inline)]
fn not_whole(values: &Values, subject: &str) -> Result<(), BuildError> {
    let whole = |value: &Rate| -> Result<Ratio, SizeProblem> { size::whole(value.to_positive()?) };
    let problem = values.as_slice().iter().find_map(|value| whole(value).err());
    match problem.and_then(|problem| problem.explain(subject)) {
        None => Ok(()),
        Some((code, message, help)) => Err(BuildError { code, message, help }),
    }
}

#[cfg_attr(debug_assertions, inline)]
fn not_a_capacity(values: &Values) -> Result<(), BuildError> {
    let is_capacity =
        |value: &Rate| value.exact().is_some_and(|value| value.is_integer() && !value.is_negative());
    match values.as_slice().iter().find(|value| !is_capacity(value)) {
        None => Ok(()),
        Some(value) => Err(bad_sweep(
            format!("the capacity of a buffer is {value}"),
            "a capacity is a whole number of items; 0 stands for no buffer",
        )),
    }
}

#[cfg_attr(debug_assertions, inline)]
fn unknown_in_model(model: &Model, name: &str) -> BuildError {
    let names = || model.parameters().iter().map(|parameter| parameter.name.as_str());
    unknown(format!("the model has no rate or size `{name}`"), name, &names().collect::<Vec<_>>())
}

#[cfg_attr(debug_assertions, inline)]
fn unknown_in_text(parsed: &Parsed, name: &str) -> BuildError {
    unknown(format!("the skeleton defines no number `{name}`"), name, &parsed.names().collect::<Vec<_>>())
}

/// A name that nothing has, with what there is instead.
#[cfg_attr(debug_assertions, inline)]
fn unknown(message: String, name: &str, names: &[&str]) -> BuildError {
    const MOST: usize = 10;
    let help = match did_you_mean(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "give a number a name there, as in `n = 3;`, to vary it".to_owned(),
        None => {
            let more = names.len().saturating_sub(MOST);
            let shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("what can vary is {}{more}", shown.join(", "))
        }
    };
    BuildError { code: Code::UndefinedRate, message, help }
}
