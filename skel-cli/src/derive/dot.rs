//! The derivation graph for Graphviz: the initial state with a thick border, deadlocks in red.

use std::io::{self, Write};

use super::format::in_words;
use super::format::{Format, State, Transition};
use crate::report::table::printable;

/// Graphviz.
pub(super) struct Dot;

impl Format for Dot {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "digraph derivation_graph {{\n  node [shape=box];")
    }

    fn state(&mut self, out: &mut dyn Write, state: &State<'_>) -> io::Result<()> {
        let initial = if state.number == 0 { ", penwidth=3" } else { "" };
        let deadlock = if state.is_deadlock { ", color=red" } else { "" };
        let stands_for =
            state.stands_for.map(|count| format!("\\nstands for {}", in_words(count))).unwrap_or_default();
        let local_states = quoted(&state.local_states.join(" || ")) + &stands_for;
        writeln!(out, "  {} [label=\"{0}\\n{local_states}\"{initial}{deadlock}];", state.number)
    }

    fn middle(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn transition(&mut self, out: &mut dyn Write, transition: &Transition<'_>) -> io::Result<()> {
        let Transition { from, action, rate, to } = transition;
        writeln!(out, "  {from} -> {to} [label=\"({}, {rate})\"];", quoted(action))
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "}}")
    }
}

/// A name within a quoted label, where a backslash would mean something.
fn quoted(name: &str) -> String {
    printable(name).replace('\\', "\\\\").replace('"', "\\\"")
}
