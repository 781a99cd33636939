//! One line on a terminal that says how a run goes.
//!
//! It is written over itself. So that a narrow terminal does not break it, wrapping is off while it is
//! written. This needs three codes of ANSI X3.64, and no crate that keeps the state of a terminal.

use std::fmt::Write as _;
use std::io::{IsTerminal, Stderr, Write, stderr};

use crate::monitor::figures::{Snapshot, TaskFigures, labels};

/// Back to the first column, and clears the line.
const CLEAR: &str = "\r\x1b[2K";
const WITHOUT_WRAPPING: &str = "\x1b[?7l";
const WITH_WRAPPING: &str = "\x1b[?7h";

/// The line; when it is dropped, it is cleared. Crates above this one show other texts in it.
#[derive(Debug)]
pub struct LiveLine<W: Write = Stderr> {
    terminal: W,
}

impl LiveLine {
    /// None if the standard error is no terminal, or one that cannot write over what it has written.
    #[must_use]
    pub fn of_standard_error() -> Option<Self> {
        let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
        (stderr().is_terminal() && !is_dumb).then(|| LiveLine { terminal: stderr() })
    }
}

impl<W: Write> LiveLine<W> {
    /// Shows this text, which has one line, in the place of the one before.
    pub fn show(&mut self, line: &str) {
        // A run does not end because its terminal did.
        let _ = write!(self.terminal, "{CLEAR}{WITHOUT_WRAPPING}{}{WITH_WRAPPING}", printable(line));
        let _ = self.terminal.flush();
    }
}

impl<W: Write> Drop for LiveLine<W> {
    fn drop(&mut self) {
        let _ = write!(self.terminal, "{CLEAR}");
        let _ = self.terminal.flush();
    }
}

/// `12.3 s, 48.1 items/s, busy: read 31 %, sharpen x 3 97 % (slowest), write 12 %`
pub(super) fn line(window: &Snapshot) -> String {
    let seconds = window.at.as_secs_f64();
    let mut line = format!("{seconds:.1} s, {} items/s, busy:", short(window.throughput()));
    let busiest = window.busiest().filter(|task| task.busy_fraction() > 0.0).map(|task| task.id);
    for (place, (task, name)) in window.tasks.iter().zip(labels(&window.tasks)).enumerate() {
        let comma = if place > 0 { "," } else { "" };
        let mark = if Some(task.id) == busiest { " (slowest)" } else { "" };
        write!(line, "{comma} {}{mark}", busy(task, &name)).expect("a string takes any text");
    }
    line
}

fn busy(task: &TaskFigures, name: &str) -> String {
    let replicas = match task.running() {
        0 | 1 => String::new(),
        several => format!(" x {several}"),
    };
    format!("{name}{replicas} {:.0} %", task.busy_fraction() * 100.0)
}

/// Three digits, or all before the point.
fn short(number: f64) -> String {
    let before_point = number.abs().max(1.0).log10() as usize + 1;
    format!("{number:.*}", 3_usize.saturating_sub(before_point))
}

/// A name may have been read from a file, and must not move the cursor.
fn printable(name: &str) -> String {
    name.chars().map(|one| if one.is_control() { '\u{fffd}' } else { one }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::tests::{ended, task};

    #[test]
    fn it_names_the_slowest_task_and_how_many_replicas_there_are() {
        let mut snapshot =
            ended(&[task("read", &[(40, 60, 0)]), task("sharpen", &[(90, 0, 10), (100, 0, 0)])]);
        snapshot.tasks[1].replicas.iter_mut().for_each(|replica| replica.left = None);
        snapshot.tasks[0].replicas[0].left = None;
        assert_eq!(line(&snapshot), "0.0 s, 0.00 items/s, busy: read 40 %, sharpen x 2 95 % (slowest)");
    }

    #[test]
    fn it_is_written_over_itself_and_cleared() {
        let mut terminal = Vec::new();
        let window = ended(&[task("a\u{1b}b", &[(1, 0, 0)])]);
        LiveLine { terminal: &mut terminal }.show(&line(&window));
        let text = String::from_utf8(terminal).unwrap();
        assert_eq!(
            text,
            format!(
                "{CLEAR}{WITHOUT_WRAPPING}0.0 s, 0.00 items/s, busy: a\u{fffd}b 100 % (slowest){WITH_WRAPPING}{CLEAR}"
            )
        );
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.1234, 1.234, 12.34, 123.4, 123_456.7].map(short);
        assert_eq!(shown, ["0.12", "1.23", "12.3", "123", "123457"]);
    }
}
