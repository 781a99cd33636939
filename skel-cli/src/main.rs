//! The command `skel`: checks, solves and derives PEPA models, and the skeletons that stand for them; sweeps
//! over their rates and sizes; maps pipelines to processors; compares schedules that distribute work; fits
//! models to timed runs; shows what a manager would do to a program, and what messages on a network cost.
//!
//! ```text
//! arguments -> load: source, check, --set -> Model -> solve / derive / skeleton / map / .. -> tables, JSON, Graphviz
//!                       |                               |
//!                       +---------- Failure ------------+-> console: excerpts, or `errors` in JSON
//! ```
//!
//! Every way to end is an [`Exit`]: 0 answered, 1 the model is wrong, 2 the command line is wrong, 3 a limit
//! was reached, 4 a property does not hold, 5 a property is undecided. With `--json`, standard output holds
//! one object and nothing else.

mod arguments;
mod chart;
mod check;
mod console;
mod csl;
mod derive;
mod distribute;
mod errors;
mod fit;
mod input;
mod manage;
mod map;
mod network;
mod output;
mod passage;
mod quantity;
mod random_time;
mod report;
mod response;
mod session;
mod skeleton;
mod solve;
mod source;
mod sweep;
mod transient;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Color, Command, NetworkCommand, NetworkPart};
use console::Console;
use errors::{Exit, Failure};

fn main() -> ExitCode {
    let outcome = match Arguments::try_parse() {
        Ok(arguments) => run(&arguments),
        Err(error) if error.use_stderr() && wants_json() => {
            Console::new(Color::Never, true).fail(Failure::of_command_line(&error))
        }
        Err(error) if error.use_stderr() => error.exit(),
        Err(help) => print_help(&help),
    };
    let exit = match outcome {
        Ok(exit) => exit,
        // Whoever reads has seen enough, as in `skel derive FILE | head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Answered,
        Err(error) => {
            console::last_words(&format!("error: cannot write the answer: {error}"));
            Exit::CommandLine
        }
    };
    exit.into()
}

/// Prints what `--help` or `--version` asks for; clap itself would not say that it could not be written.
fn print_help(help: &clap::Error) -> io::Result<Exit> {
    let mut out = anstream::stdout();
    write!(out, "{}", help.render().ansi())?;
    out.flush()?;
    Ok(Exit::Answered)
}

fn run(arguments: &Arguments) -> io::Result<Exit> {
    match &arguments.command {
        Command::Check(check) => check::run(check, &Console::new(arguments.color, check.json)),
        Command::Solve(solve) => solve::run(solve, &Console::new(arguments.color, solve.json)),
        Command::Derive(derive) => derive::run(derive, &Console::new(arguments.color, derive.json)),
        Command::Distribute(distribute) => {
            distribute::run(distribute, &Console::new(arguments.color, distribute.json))
        }
        Command::Fit(fit) => fit::run(fit, &Console::new(arguments.color, fit.json)),
        Command::Csl(csl) => csl::run(csl, &Console::new(arguments.color, csl.json)),
        Command::Manage(manage) => manage::run(manage, &Console::new(arguments.color, manage.json)),
        Command::Map(map) => map::run(map, &Console::new(arguments.color, map.json)),
        Command::Network(NetworkCommand { file: Some(file), .. }) => {
            network::run(file, &Console::new(arguments.color, file.json))
        }
        Command::Network(NetworkCommand { measure, .. }) => {
            let Some(NetworkPart::Measure(measure)) = measure else {
                unreachable!("clap asks for a file where there is no other command")
            };
            network::measure::run(measure, &Console::new(arguments.color, measure.json))
        }
        Command::Passage(passage) => passage::run(passage, &Console::new(arguments.color, passage.time.json)),
        Command::Response(response) => {
            response::run(response, &Console::new(arguments.color, response.time.json))
        }
        Command::Sweep(sweep) => sweep::run(sweep, &Console::new(arguments.color, sweep.json)),
        Command::Transient(transient) => {
            transient::run(transient, &Console::new(arguments.color, transient.json))
        }
        Command::Skeleton(skeleton) => skeleton::run(skeleton, &Console::new(arguments.color, skeleton.json)),
    }
}

/// Whether a command line that could not be read asks for JSON.
fn wants_json() -> bool {
    std::env::args_os().skip(1).take_while(|argument| argument != "--").any(|argument| argument == "--json")
}
