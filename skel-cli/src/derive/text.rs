//! The derivation graph as two lists for people: states, and transitions.

use std::io::{self, Write};

use skel::StateSpace;
use skel::model::Model;

use super::format::in_words;
use super::format::{Format, State, Transition};
use crate::report::table::printable;
use crate::report::words::counted;

/// Columns are as wide as the longest entry, which is known before the first line.
pub(super) struct Text {
    title: String,
    number_width: usize,
    action_width: usize,
}

impl Text {
    /// A listing of a space.
    pub(super) fn new(space: &StateSpace<Model>) -> Text {
        let (states, transitions) =
            (counted(space.states(), "state"), counted(space.transitions(), "transition"));
        let actions = space.model().actions().map(|(_, name)| name.chars().count());
        Text {
            title: format!("{states}, {transitions}"),
            number_width: space.states().saturating_sub(1).to_string().len().max("state".len()),
            action_width: actions.max().unwrap_or_default().max("action".len()),
        }
    }
}

impl Format for Text {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n", self.title)?;
        writeln!(out, "{:>width$}  local states", "state", width = self.number_width)
    }

    fn state(&mut self, out: &mut dyn Write, state: &State<'_>) -> io::Result<()> {
        let local_states = printable(&state.local_states.join(" || "));
        let note = if state.is_deadlock { "  (deadlock)" } else { "" };
        let stands_for =
            state.stands_for.map(|count| format!("  (stands for {})", in_words(count))).unwrap_or_default();
        writeln!(out, "{:>width$}  {local_states}{stands_for}{note}", state.number, width = self.number_width)
    }

    fn middle(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let (number, action) = (self.number_width, self.action_width);
        writeln!(out, "\n{:>number$}  {:>number$}  {:action$}  rate", "from", "to", "action")
    }

    fn transition(&mut self, out: &mut dyn Write, transition: &Transition<'_>) -> io::Result<()> {
        let (number, width) = (self.number_width, self.action_width);
        let Transition { from, action, rate, to } = transition;
        writeln!(out, "{from:>number$}  {to:>number$}  {:width$}  {rate}", printable(action))
    }

    fn end(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}
