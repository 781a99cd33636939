//! Which links are timed, and by whom: this process times those to the others, and asks each of the others to
//! time those to the ones behind it on the command line.

use skel::network::measure::{Control, MeasureError, Peer, Plan, Series, between_peers};

use super::{failure, problem};
use crate::arguments::MeasureArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::session::Session;

/// The times of one link.
pub(super) struct Link {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) series: Vec<Series>,
}

/// All that was timed.
pub(super) struct Timed {
    /// The names of all machines that have a link.
    pub(super) machines: Vec<String>,
    pub(super) links: Vec<Link>,
    /// Why some links between others could not be timed.
    pub(super) problems: Vec<Problem>,
}

/// Times every link of the command line.
pub(super) fn time(
    arguments: &MeasureArguments,
    own: &str,
    plan: &Plan,
    session: &Session,
) -> Result<Timed, Failure> {
    let control = control(session);
    let mut timed = Timed { machines: vec![own.to_owned()], links: Vec::new(), problems: Vec::new() };
    if arguments.threads {
        session.work_on(format!("{own}, threads: "));
        let series = Peer::between_threads(plan, &control).map_err(|error| failure(&error))?;
        timed.links.push(Link { from: own.to_owned(), to: own.to_owned(), series });
    }
    for address in &arguments.connect {
        let peer = Peer::connect(address, plan, &control).map_err(|error| failure(&error))?;
        let name = peer.name().to_owned();
        if timed.machines.contains(&name) {
            return Err(same_name(address, &name));
        }
        session.work_on(format!("{own} - {name}: "));
        let series = peer.measure(plan, &control).map_err(|error| failure(&error))?;
        timed.links.push(Link { from: own.to_owned(), to: name.clone(), series });
        timed.machines.push(name);
    }
    for (first, from) in arguments.connect.iter().enumerate() {
        for (second, to) in arguments.connect.iter().enumerate().skip(first + 1) {
            let [one, other] = [first, second].map(|at| timed.machines[at + 1].clone());
            session.work_on(format!("{one} - {other}: "));
            match between_peers(from, to, plan, &control) {
                Ok(series) => timed.links.push(Link { from: one, to: other, series }),
                Err(error @ MeasureError::Stopped) => return Err(failure(&error)),
                Err(error) => timed.problems.push(not_timed(&one, &other, &error)),
            }
        }
    }
    Ok(timed)
}

fn control(session: &Session) -> Control {
    let cancellation = session.limits.cancellation.clone();
    Control::default()
        .stopping_when(move || cancellation.is_cancelled())
        .reporting(session.counter_of_batches())
}

fn same_name(address: &str, name: &str) -> Failure {
    let message = format!("`{address}` has the name `{name}`, as another of the machines");
    let help = "start it with another `--name`, or give this process one";
    Failure::new(Exit::CommandLine, Problem::error("command_line", message).help(help))
}

/// The problem of a link between two others.
fn not_timed(one: &str, other: &str, error: &MeasureError) -> Problem {
    let mut problem = problem(error);
    problem.message = format!("messages between `{one}` and `{other}` were not timed: {}", problem.message);
    problem
}
