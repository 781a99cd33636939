//! `skel map`: the best mapping of a program to processors, and why it is the best.
//!
//! ```text
//! FILE -> load: .des or TOML -> Planner -> rank / search -> Answer -> text / json / csv
//! ```

mod answer;
mod json;
mod load;
mod names;
mod text;

use std::io;

use skel::diagnostic::TextSpan;
use skel::plan::{Ends, Formula, Planner, Search};
use skel::{Error, Limits};

use crate::arguments::{FormulaArgument, MapArguments};
use crate::console::Console;
use crate::errors::{Exit, Failure};
use crate::session::Session;
use crate::solve::options;
use answer::Answer;
use load::Loaded;
use names::Names;

/// Runs the command.
pub(crate) fn run(arguments: &MapArguments, console: &Console) -> io::Result<Exit> {
    let loaded = match load::load(arguments) {
        Ok(loaded) => loaded,
        Err(failure) => return console.fail(failure),
    };
    let mut session = Session::start(&arguments.limits, console.json);
    let outcome = attempt(&loaded, arguments, &mut session);
    drop(session);
    let exit = match &outcome {
        Ok(answer) if answer.is_cancelled => Exit::Limit,
        _ => Exit::Answered,
    };
    match outcome {
        Ok(answer) if console.json => console.print_json(json::object(&answer, arguments.rates))?,
        Ok(answer) if arguments.csv => console.print(&text::csv(&answer))?,
        Ok(answer) => console.print(&text::report(&answer, loaded.source.name()))?,
        Err(error) => {
            let failure = failure(&error, loaded.whole());
            return console.fail(Failure { source: Some(Box::new(loaded.source)), ..failure });
        }
    }
    Ok(exit)
}

/// Why there is no answer. Mappings have no exact throughputs here, so the advice differs from that for a
/// single model where no method is certain enough.
fn failure(error: &Error, place: TextSpan) -> Failure {
    /// Mappings are compared to nine digits.
    const ENOUGH: f64 = 1e-9;
    let failure = Failure::of_error(error, place);
    let Error::NotConverged(uncertain) = error else { return failure };
    let help = if uncertain.lacked_memory() {
        "allow more memory with `--max-memory`, or a larger relative error with `--tolerance`"
    } else if uncertain.tolerance < ENOUGH {
        "allow a larger relative error: write `--tolerance 1e-9`, since mappings are compared to nine digits"
    } else {
        "allow a larger relative error with `--tolerance`, or describe powers, works, sizes and links that are less far apart"
    };
    let problems = failure.problems.into_iter().map(|problem| problem.help(help));
    Failure { problems: problems.collect(), ..failure }
}

fn attempt<'a>(
    loaded: &'a Loaded,
    arguments: &MapArguments,
    session: &mut Session,
) -> Result<Answer<'a>, Error> {
    let names = Names::new(loaded.description.application());
    let count = session.counter();
    let planner = planner(loaded, arguments, session.limits.clone()).with_progress(count);
    if !arguments.search {
        let ranking = planner.rank(loaded.description.mappings())?;
        return Answer::new(&planner, &session.limits, names, ranking, arguments.top, None);
    }
    let top = arguments.top.unwrap_or(SHOWN);
    let ends = Ends { input: arguments.input.map(Into::into), output: arguments.output.map(Into::into) };
    // Some more are asked for, so that among them is one that is worse than the best: the runner-up.
    let search =
        Search { top: top.max(SHOWN), ends, most_solved: arguments.max_solutions, ..Search::default() };
    let found = planner.search(&search)?;
    Answer::new(&planner, &session.limits, names, found.ranking.clone(), Some(top), Some(found))
}

/// The mappings of a search that are shown.
const SHOWN: usize = 5;

fn planner(loaded: &Loaded, arguments: &MapArguments, limits: Limits) -> Planner {
    let formula = match arguments.rates {
        FormulaArgument::Divided => Formula::Divided,
        FormulaArgument::Printed => Formula::Printed,
    };
    let description = &loaded.description;
    let planner = Planner::new(description.application().clone(), description.platform().clone());
    planner.with_formula(formula).with_limits(limits).with_options(options(arguments.tolerance))
}

#[cfg(test)]
mod tests {
    use skel::error::NotConverged;

    use super::*;

    #[test]
    fn no_option_is_recommended_that_there_is_not() {
        for (tolerance, option) in [(1e-10, "`--tolerance 1e-9`"), (1e-9, "`--tolerance`")] {
            let error = Error::NotConverged(NotConverged { tolerance, tried: Vec::new() });
            let failure = failure(&error, TextSpan { start: 0, end: 0 });
            let help = failure.problems[0].help.as_ref().unwrap();
            assert!(help.contains(option) && !help.contains("--exact"), "{help}");
            assert_eq!(failure.exit, Exit::Limit);
        }
    }
}
