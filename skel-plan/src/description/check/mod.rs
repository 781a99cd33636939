//! From what is written to a description, or to all that is wrong with it.

mod checker;
mod machines;
mod mappings;
mod program;
mod words;

use skel_core::diagnostic::{Diagnostic, TextSpan};
use skel_core::model::BuildErrors;

use super::contents::Description;
use super::written::Written;
use checker::Checker;
use machines::{PROCESSORS, platform};

/// Checks everything. There is a description if nothing was found.
pub(super) fn check(written: &Written, found: &mut Vec<Diagnostic<TextSpan>>) -> Option<Description> {
    let mut checker = Checker { written, found };
    let is_skeleton = checker.is_skeleton();
    let processors = checker.count(written.processors.as_ref(), PROCESSORS);
    let program = if is_skeleton { checker.skeleton() } else { checker.pipeline() };
    checker.processors(processors);
    checker.links(processors);
    checker.machines(processors);
    let (processors, program) = processors.zip(program)?;
    let mappings = checker.mappings(processors, &program);
    if !found.is_empty() {
        return None;
    }
    let at = match &written.network {
        Some(network) => Some(network.at),
        None => written.processors.as_ref().map(|located| located.at),
    };
    let platform = placed(platform(written, processors), at, found)?;
    Checker { written, found }.links_of_network(&platform);
    if !found.is_empty() {
        return None;
    }
    let place = match &written.skeleton {
        Some(located) => Some(located.key),
        None => written.stages.as_ref().map(|located| located.at),
    };
    let application = placed(program.application(written), place, found)?;
    let network = written.network.as_ref().map(|located| located.value.file.clone());
    Some(Description { platform, application, mappings, network })
}

/// Reports errors that appear only when the values are put together: a product beyond the range of a float,
/// or a model that is too large.
fn placed<T>(
    outcome: Result<T, BuildErrors>,
    at: Option<TextSpan>,
    found: &mut Vec<Diagnostic<TextSpan>>,
) -> Option<T> {
    let at = at.unwrap_or(TextSpan::NOWHERE);
    let finding = |errors: BuildErrors| {
        errors
            .0
            .into_iter()
            .map(|error| Diagnostic::new(error.code, at, error.message).help(error.help))
            .collect()
    };
    outcome.map_err(|errors| -> Vec<_> { finding(errors) }).map_err(|all| found.extend(all)).ok()
}
