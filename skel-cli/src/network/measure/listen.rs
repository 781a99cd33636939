//! `skel network measure --listen`: answers whoever times messages to this process.

use std::io;

use skel::network::measure::{Control, Event, Limits, Listener};

use super::failure;
use crate::arguments::MeasureArguments;
use crate::console::{Console, last_words};
use crate::errors::Exit;
use crate::session::Session;

/// Listens until somebody presses Ctrl-C.
pub(super) fn run(
    arguments: &MeasureArguments,
    address: &str,
    name: &str,
    console: &Console,
) -> io::Result<Exit> {
    let limits = Limits {
        largest: arguments.largest.unwrap_or(Limits::default().largest),
        session: arguments.session.unwrap_or(Limits::default().session),
    };
    let listener = match Listener::bind(&with_host(address), name) {
        Ok(listener) => listener.within(limits),
        Err(error) => return console.fail(failure(&error)),
    };
    let listener = arguments.allow.iter().fold(listener, Listener::allowing);
    let at = listener.address();
    console.print(&format!(
        "`{name}` listens at {at} until Ctrl-C; time messages with: skel network measure --connect {at}\n"
    ))?;
    let session = Session::unlimited(true);
    let cancellation = session.limits.cancellation.clone();
    let control = Control::default().stopping_when(move || cancellation.is_cancelled());
    match listener.serve(&control, &|event: Event| last_words(&event.to_string())) {
        Ok(()) => Ok(Exit::Answered),
        Err(error) => console.fail(failure(&error)),
    }
}

/// A port alone is one of this machine that only processes on this machine can reach.
fn with_host(address: &str) -> String {
    match address.parse::<u16>() {
        Ok(port) => format!("127.0.0.1:{port}"),
        Err(_) => address.to_owned(),
    }
}
