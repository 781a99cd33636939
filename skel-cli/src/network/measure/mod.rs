//! `skel network measure`: messages between this process, its threads and others are timed, and written as a
//! network.
//!
//! ```text
//! --listen: listen -> answers until Ctrl-C
//! --connect, --threads: links -> series of each link -> file: TOML and CSV -> text / json
//! ```

mod file;
mod json;
mod links;
mod listen;
mod text;

use std::io;

use skel::network::measure::{MeasureError, Plan};

use crate::arguments::MeasureArguments;
use crate::console::Console;
use crate::errors::{Exit, Failure, Problem};
use crate::session::Session;
use links::Timed;

/// Runs the command.
pub(crate) fn run(arguments: &MeasureArguments, console: &Console) -> io::Result<Exit> {
    let Some(name) = arguments.name.clone().or_else(own_name) else {
        let problem = Problem::error("command_line", "the name of this machine is not known");
        return console.fail(Failure::new(Exit::CommandLine, problem.help("give it one with `--name`")));
    };
    if let Some(address) = &arguments.listen {
        return listen::run(arguments, address, &name, console);
    }
    match measure(arguments, &name, console) {
        Ok(exit) => exit,
        Err(failure) => console.fail(failure),
    }
}

/// Times all links and writes them. What could not be timed is said behind what could.
fn measure(arguments: &MeasureArguments, name: &str, console: &Console) -> Result<io::Result<Exit>, Failure> {
    let output = file::Output::of(arguments.output.as_deref())?;
    let plan = plan(arguments)?;
    let session = Session::unlimited(console.json);
    let Timed { machines, links, problems } = links::time(arguments, name, &plan, &session)?;
    drop(session);
    let date = file::date(std::time::SystemTime::now());
    let written = match links.is_empty() {
        true => String::new(),
        false => output.write(&machines, &links, &plan, &date)?,
    };
    let object = json::object(&machines, &links, arguments.output.as_deref(), &date);
    let printed = match (console.json, &arguments.output) {
        (true, _) => Ok(()),
        (false, Some(_)) => console.print(&text::report(&links)),
        (false, None) => console.print(&written).and_then(|()| console.aside(&text::report(&links))),
    };
    if let Err(error) = printed {
        return Ok(Err(error));
    }
    if problems.is_empty() {
        let shown = if console.json { console.print_json(object) } else { Ok(()) };
        return Ok(shown.map(|()| Exit::Answered));
    }
    Err(Failure { exit: Exit::CommandLine, source: None, problems, known: object })
}

fn plan(arguments: &MeasureArguments) -> Result<Plan, Failure> {
    let plan = Plan::default();
    let plan = match arguments.largest {
        Some(largest) => plan.up_to(largest),
        None => Ok(plan),
    };
    let plan = plan.and_then(|plan| plan.repeated(arguments.repetitions, arguments.rounds));
    let plan = plan.and_then(|plan| plan.warmed_up_by(arguments.warm_up));
    plan.and_then(|plan| plan.waiting_for(arguments.timeout)).map_err(|errors| {
        let problem =
            |error: skel::model::BuildError| Problem::error("command_line", error.message).help(error.help);
        let problems = errors.0.into_iter().map(problem).collect();
        Failure { exit: Exit::CommandLine, source: None, problems, known: serde_json::Map::new() }
    })
}

/// The name of this machine, as the system has it.
fn own_name() -> Option<String> {
    let of_system = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let of_shell = || ["HOSTNAME", "COMPUTERNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    of_system.or_else(of_shell).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Why a link could not be timed.
fn problem(error: &MeasureError) -> Problem {
    let code = match error {
        MeasureError::Stopped => "limit_reached",
        MeasureError::Address { .. } => "command_line",
        _ => "unreachable_machine",
    };
    Problem::error(code, error.to_string()).help(error.help())
}

/// A failure for one reason.
fn failure(error: &MeasureError) -> Failure {
    let exit = if matches!(error, MeasureError::Stopped) { Exit::Limit } else { Exit::CommandLine };
    Failure::new(exit, problem(error))
}
