//! `skel skeleton`: the structure of a parallel program, the PEPA model that it stands for, and its
//! performance.
//!
//! ```text
//! FILE -> load: text, rates, processors -> overview: tree, data flow (text, JSON, Graphviz)
//!                                       -> System -> PEPA
//!                                                 -> answer: Performance, gains -> text / json
//!                                       -> dimension: numbers of replicas -> text / json
//! ```

mod answer;
mod dimension;
mod json;
pub(crate) mod load;
mod overview;
mod text;

use std::io;

use skel::performance::{Kinds, Performance};
use skel::skeleton::{Graph, System, Tree};
use skel::{Error, Perform};

use crate::arguments::SkeletonArguments;
use crate::console::Console;
use crate::errors::Exit;
use crate::session::Session;
use crate::solve::options;
use answer::{Gains, Solved};
use load::Loaded;
pub(crate) use load::with_flags;

/// Runs the command.
pub(crate) fn run(arguments: &SkeletonArguments, console: &Console) -> io::Result<Exit> {
    let loaded = match load::load(&arguments.program, more(arguments)) {
        Ok(loaded) => loaded,
        Err(failure) => return console.fail(failure),
    };
    if arguments.pepa || arguments.solve || arguments.gains || arguments.target.is_some() {
        let system = if arguments.pepa { loaded.lower() } else { loaded.lower_to_solve() };
        let system = match system {
            Ok(system) => system,
            Err(failure) => return console.fail(loaded.failure(failure)),
        };
        console.warn(&loaded.source, &loaded.warnings)?;
        if let Some(aim) = &arguments.target {
            return dimension::run(arguments, aim, console, &loaded);
        }
        if !arguments.pepa {
            return solve(arguments, console, &loaded, system);
        }
        console.print(&system.to_string())?;
    } else {
        console.warn(&loaded.source, &loaded.warnings)?;
        show(arguments, console, &loaded)?;
    }
    Ok(Exit::Answered)
}

/// The option that tries other numbers of replicas.
fn more(arguments: &SkeletonArguments) -> Option<&'static str> {
    let target = arguments.target.as_ref().map(|_| "--target");
    if arguments.gains { Some("--gains") } else { target }
}

/// What can be said without a solution.
fn show(arguments: &SkeletonArguments, console: &Console, loaded: &Loaded) -> io::Result<()> {
    let (tree, graph): (&Tree, &Graph) = (loaded.tree(), &loaded.graph);
    if console.json {
        let mut object = overview::json(tree, graph);
        object.insert("warnings".into(), loaded.warnings_json());
        return console.print_json(object);
    }
    console.print(&match (arguments.dot, arguments.tree, arguments.graph) {
        (true, true, _) => tree.to_dot(),
        (true, false, _) => graph.to_dot(tree),
        (false, true, _) => overview::tree(tree),
        (false, false, true) => overview::data_flow(tree, graph),
        (false, false, false) => overview::whole(loaded.source.name(), tree, graph),
    })
}

fn solve(
    arguments: &SkeletonArguments,
    console: &Console,
    loaded: &Loaded,
    system: System,
) -> io::Result<Exit> {
    let session = Session::start(&arguments.limits, console.json);
    let solved = match attempt(arguments, system, &session) {
        Ok(solved) => solved,
        Err(error) => {
            drop(session);
            return console.fail(loaded.failure_to_solve(&error));
        }
    };
    if !console.json {
        session.aside(|| console.print(&text::report(&solved, loaded.source.name())))?;
    }
    let gains = arguments.gains.then(|| gains(arguments, loaded, &solved, &session)).transpose();
    drop(session);
    match gains {
        Ok(gains) if console.json => {
            console.print_json(json::object(&solved, gains.as_ref(), &loaded.warnings_json()))?;
            Ok(Exit::Answered)
        }
        Ok(gains) => {
            console.print(&gains.map_or_else(String::new, |gains| text::gains(&gains)))?;
            Ok(Exit::Answered)
        }
        Err(error) => {
            let known = json::object(&solved, None, &loaded.warnings_json());
            let mut failure = loaded.failure_to_solve(&error);
            failure.known.extend(known);
            console.fail(failure)
        }
    }
}

fn attempt(arguments: &SkeletonArguments, system: System, session: &Session) -> Result<Solved, Error> {
    let limits = &session.limits;
    match arguments.exact {
        true => Solved::of(&Performance::<Tree, _>::from_system_exact(system, limits)?),
        false => {
            Solved::of(&Performance::<Tree, _>::from_system(system, limits, &options(arguments.tolerance))?)
        }
    }
}

/// What one more replica would bring, place by place.
fn gains(
    arguments: &SkeletonArguments,
    loaded: &Loaded,
    solved: &Solved,
    session: &Session,
) -> Result<Gains, Error> {
    let places = loaded.tree().replicable();
    let now = solved.throughput.value;
    let kinds = if arguments.deals { Kinds::Both } else { Kinds::Own };
    let options = options(arguments.tolerance);
    let evaluator = loaded.program.evaluator().kinds(kinds).limits(&session.limits).options(&options);
    let mut gains = Vec::with_capacity(places.len());
    for (number, &place) in places.iter().enumerate() {
        session.work_on(format!("gain {} of {}: ", number + 1, places.len()));
        gains.push(evaluator.gain_at(place, now)?);
    }
    Ok(gains)
}
