//! `skel derive`: prints the derivation graph, state by state and transition by transition.
//!
//! Nothing is collected: a graph of millions of states goes through a buffer of some kilobytes. States are
//! numbered from 0 in the order in which they are found, breadth first; so they are listed, however many they
//! are. They are lumped only with `--lumped`, and then each says how many states it stands for.

mod dot;
mod format;
mod json;
mod text;

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use skel::limits::Cancellation;
use skel::model::Model;
use skel::space::{Options, Storage};
use skel::{Explore, StateSpace};

use crate::arguments::DeriveArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure, Problem};
use crate::input::load::{Loaded, load};
use crate::output::{Destination, Halt, unwritable};
use crate::report::words::counted;
use crate::session::Session;
use format::{Format, State, Transition};

/// Runs the command.
pub(crate) fn run(arguments: &DeriveArguments, console: &Console) -> io::Result<Exit> {
    let prepared = load(&arguments.file, &arguments.settings.set)
        .and_then(|loaded| Ok((loaded, Destination::of(arguments.output.as_deref())?)));
    let (loaded, destination) = match prepared {
        Ok(prepared) => prepared,
        Err(failure) => return console.fail(failure),
    };
    let session = Session::start(&arguments.limits, console.json);
    let breadth_first =
        Options { storage: Storage::Explicit, is_lumped: arguments.lumped, ..Options::default() };
    let explored = loaded.model.explorer().options(&breadth_first).limits(&session.limits).explore();
    let cancellation = session.limits.cancellation.clone();
    drop(session);
    let space = match explored {
        Ok(space) => space,
        Err(error) => {
            let failure = Failure::of_error(&error, loaded.system);
            return console.fail(loaded.failure(failure));
        }
    };
    console.warn(&loaded.source, &loaded.warnings)?;
    let mut format = format_of(arguments, &space, &loaded);
    match destination.write(|out| write_graph(&space, format.as_mut(), out, &cancellation)) {
        Ok(()) => {
            confirm(arguments, console, &space, &loaded)?;
            Ok(Exit::Answered)
        }
        Err(halt) => {
            let failure = failed(halt, arguments, &destination)?;
            console.fail(Failure { source: Some(Box::new(loaded.source)), ..failure })
        }
    }
}

fn format_of<'s>(
    arguments: &DeriveArguments,
    space: &'s StateSpace<Model>,
    loaded: &Loaded,
) -> Box<dyn Format + 's> {
    match (arguments.dot, arguments.json) {
        (true, _) => Box::new(dot::Dot),
        (false, true) => Box::new(json::Json::new(space, loaded)),
        (false, false) => Box::new(text::Text::new(space)),
    }
}

fn write_graph(
    space: &StateSpace<Model>,
    format: &mut dyn Format,
    out: &mut dyn Write,
    cancellation: &Cancellation,
) -> Result<(), Halt> {
    let model = space.model();
    let go_on = || if cancellation.is_cancelled() { Err(Halt::Cancelled) } else { Ok(()) };
    format.start(out)?;
    for number in 0..space.states() {
        go_on()?;
        let state = space.state(number);
        let local_states = state.iter().map(|&local| model.local_state(local).name.as_str()).collect();
        let is_deadlock = space.transitions_from(number).len() == 0;
        let stands_for = space.lumping().map(|_| space.stands_for(number));
        format.state(out, &State { number, local_states, is_deadlock, stands_for })?;
    }
    format.middle(out)?;
    for from in 0..space.states() {
        go_on()?;
        for (action, rate, to) in space.transitions_from(from) {
            format.transition(out, &Transition { from, action: model.action(action), rate, to })?;
        }
    }
    format.end(out)?;
    Ok(())
}

/// With `--output`, says what was written.
fn confirm(
    arguments: &DeriveArguments,
    console: &Console,
    space: &StateSpace<Model>,
    loaded: &Loaded,
) -> io::Result<()> {
    let Some(path) = &arguments.output else { return Ok(()) };
    if !console.json {
        let (states, transitions) =
            (counted(space.states(), "state"), counted(space.transitions(), "transition"));
        return console.print(&format!("wrote {states} and {transitions} to {}\n", path.display()));
    }
    let warnings = loaded.warnings.iter().map(|warning| warning.to_json(Some(&loaded.source)));
    let mut object = Map::new();
    object.insert("states".into(), json!(space.states()));
    object.insert("transitions".into(), json!(space.transitions()));
    object.insert("output".into(), json!(path.display().to_string()));
    object.insert("warnings".into(), warnings.collect::<Value>());
    console.print_json(object)
}

/// The failure to write; an error of standard output is the caller's.
fn failed(halt: Halt, arguments: &DeriveArguments, destination: &Destination) -> io::Result<Failure> {
    match (halt, &arguments.output, destination) {
        (Halt::Cancelled, _, Destination::Stdout) => {
            let message = "cancelled while printing: the output is not complete";
            Ok(Failure::new(Exit::Limit, Problem::error("limit_reached", message)))
        }
        (Halt::Cancelled, ..) => {
            let message = "cancelled while writing: no file was made";
            Ok(Failure::new(Exit::Limit, Problem::error("limit_reached", message)))
        }
        (Halt::Io(error), Some(path), _) => Ok(unwritable(path, error)),
        (Halt::Io(error), None, _) => Err(error),
    }
}
