//! Patterns over states, asked from Rust by name: `P1 || **`.
//!
//! A pattern has an entry for every component of the system equation, from left to right, and its brackets
//! say nothing: a resolved model does not keep those of the system equation. An entry is a local state or
//! `**`.

use crate::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use crate::model::{LocalStateId, Model, Position};
use crate::syntax::ast::Process;
use crate::syntax::lex::lex;
use crate::syntax::parse::parse_pattern;
use crate::text::Rejected;

impl Model {
    /// The local state that a pattern wants at every position, or `None` for `**`.
    ///
    /// # Errors
    /// That the text is no pattern, has another number of entries than the model has components, or names a
    /// local state that the component in its place does not have.
    ///
    /// # Examples
    /// ```
    /// use skel_core::model::Model;
    /// let model = Model::from_text("P = (go, 1).Q; Q = (back, 2).P; P || P").unwrap();
    /// assert_eq!(model.pattern("** || Q").unwrap(), [None, model.local_state_named("Q")]);
    /// let rejected = model.pattern("Q").unwrap_err();
    /// assert_eq!(rejected.to_string(), "1:1: the pattern has 1 entry where the model has 2 components; help: write `** || **`, with a local state in place of `**` where it matters");
    /// ```
    #[cfg_attr(debug_assertions, inline)]
    pub fn pattern(&self, text: &str) -> Result<Vec<Option<LocalStateId>>, Rejected> {
        let reject = |diagnostics| Rejected::new(diagnostics, text.to_owned());
        let lexed = lex(text);
        let end = TextSpan { start: text.len(), end: text.len() };
        let (pattern, syntax_errors) = parse_pattern(&lexed.tokens, end);
        let diagnostics: Vec<_> = lexed.diagnostics.into_iter().chain(syntax_errors).collect();
        let Some(pattern) = pattern.filter(|_| diagnostics.is_empty()) else {
            return Err(reject(diagnostics));
        };
        self.pattern_of(&pattern).map_err(reject)
    }

    /// As [`Self::pattern`], of a pattern that was read before.
    #[cfg_attr(debug_assertions, inline)]
    pub(crate) fn pattern_of(
        &self,
        pattern: &Process<TextSpan>,
    ) -> Result<Vec<Option<LocalStateId>>, Vec<Diagnostic<TextSpan>>> {
        let entries = pattern.entries();
        if entries.len() != self.positions() {
            return Err(vec![self.other_length(pattern, entries.len())]);
        }
        let (resolved, findings): (Vec<_>, Vec<_>) = (0..self.positions())
            .map(|at| self.entry(entries[at], Position::at(at)))
            .partition(Result::is_ok);
        if findings.is_empty() {
            return Ok(resolved.into_iter().flatten().collect());
        }
        Err(findings.into_iter().filter_map(Result::err).collect())
    }

    #[cfg_attr(debug_assertions, inline)]
    fn other_length(&self, pattern: &Process<TextSpan>, entries: usize) -> Diagnostic<TextSpan> {
        const MOST_SHOWN: usize = 6;
        let counted = |number: usize, one: &str, more: &str| {
            format!("{number} {}", if number == 1 { one } else { more })
        };
        let message = format!(
            "the pattern has {} where the model has {}",
            counted(entries, "entry", "entries"),
            counted(self.positions(), "component", "components")
        );
        let more = if self.positions() > MOST_SHOWN { " || ..." } else { "" };
        let shown = vec!["**"; self.positions().min(MOST_SHOWN)].join(" || ");
        Diagnostic::new(Code::PatternShape, pattern.span(), message)
            .help(format!("write `{shown}{more}`, with a local state in place of `**` where it matters"))
    }

    #[cfg_attr(debug_assertions, inline)]
    fn entry(
        &self,
        written: &Process<TextSpan>,
        position: Position,
    ) -> Result<Option<LocalStateId>, Diagnostic<TextSpan>> {
        let name = match written {
            Process::Anything(_) => return Ok(None),
            Process::Constant(name) => name.text.clone(),
            term => term.to_string(),
        };
        let component = self.component_at(position);
        let states = &self.component(component).local_states;
        let named = |state: &&LocalStateId| self.local_state(**state).name == name;
        if let Some(&state) = states.iter().find(named) {
            return Ok(Some(state));
        }
        let message = format!("`{name}` is not a local state of `{}`", self.component_name(component));
        let names = states.iter().map(|&state| self.local_state(state).name.as_str());
        let finding = Diagnostic::new(Code::PatternNeverMatches, written.span(), message);
        Err(match did_you_mean(&name, names) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding,
        })
    }
}
