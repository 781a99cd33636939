//! The derivation graph as one JSON object, written as it comes.

use std::io::{self, Write};

use serde_json::{Value, json};
use skel::StateSpace;
use skel::model::{Model, Position};

use super::format::{Format, State, Transition};
use crate::input::load::Loaded;
use crate::report::figure::count;

/// JSON, a line for each state and each transition.
pub(super) struct Json {
    components: Value,
    warnings: Value,
    separator: &'static str,
}

impl Json {
    /// The graph of a space, and what its check found.
    pub(super) fn new(space: &StateSpace<Model>, loaded: &Loaded) -> Json {
        let model = space.model();
        let components = (0..model.positions()).map(|at| model.component_at(Position::at(at)));
        let warnings = loaded.warnings.iter().map(|warning| warning.to_json(Some(&loaded.source)));
        Json {
            components: components.map(|component| model.component_name(component)).collect(),
            warnings: warnings.collect(),
            separator: "",
        }
    }

    /// Begins a line of a list: all but the first entry come after a comma.
    fn entry(&mut self, out: &mut dyn Write, entry: &Value) -> io::Result<()> {
        write!(out, "{}\n    {entry}", self.separator)?;
        self.separator = ",";
        Ok(())
    }
}

impl Format for Json {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\n  \"components\": {},\n  \"states\": [", self.components)
    }

    fn state(&mut self, out: &mut dyn Write, state: &State<'_>) -> io::Result<()> {
        let mut entry = json!({ "number": state.number, "local_states": state.local_states });
        if let Some(stands_for) = state.stands_for {
            entry["stands_for"] = count(stands_for);
        }
        self.entry(out, &entry)
    }

    fn middle(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.separator = "";
        write!(out, "\n  ],\n  \"transitions\": [")
    }

    fn transition(&mut self, out: &mut dyn Write, transition: &Transition<'_>) -> io::Result<()> {
        let Transition { from, action, rate, to } = transition;
        self.entry(out, &json!({ "from": from, "action": action, "rate": rate, "to": to }))
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n  ],\n  \"warnings\": {}\n}}", self.warnings)
    }
}
