//! Rules in TOML: from a text to rules with the places of their fields, and back.
//!
//! The syntax of TOML is read with recovery, and the fields are looked at one by one, so that all faults are
//! reported together.

use std::fmt::Write;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_toml::{DeTable, Findings, Value, inside, place, quoted};

use super::condition::{self, Condition};
use super::definition::Rule;
use super::then::{self, Then};

/// A rule, and where it is written, if it is from a text.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) rule: Rule,
    pub(super) places: Option<Places>,
    /// Whether it is new in the set that is checked.
    pub(super) is_new: bool,
}

/// Where the parts of a rule are written.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) name: TextSpan,
    pub(super) when: TextSpan,
    pub(super) then: TextSpan,
    /// One for each name.
    pub(super) overrides: Vec<TextSpan>,
}

impl Located {
    /// A place of this rule; nowhere if it is not from a text.
    pub(super) fn place(&self, part: impl FnOnce(&Places) -> TextSpan) -> TextSpan {
        self.places.as_ref().map_or(TextSpan::NOWHERE, part)
    }
}

const BEGIN: &str = "begin each rule with a line `[[rule]]`, with two brackets on each side";

/// The fields of a rule.
const FIELDS: [&str; 6] = ["name", "priority", "when", "then", "stage", "overrides"];

/// Reads a text.
pub(super) fn read(text: &str) -> (Vec<Located>, Vec<Diagnostic<TextSpan>>) {
    let mut reader = Reader { text, found: Findings::default() };
    let file = reader.found.file(text);
    let rules = if reader.found.has_errors() { Vec::new() } else { reader.file(&file) };
    (rules, reader.found.in_order())
}

struct Reader<'t> {
    text: &'t str,
    found: Findings,
}

impl Reader<'_> {
    fn file(&mut self, file: &DeTable<'_>) -> Vec<Located> {
        self.found.known_keys(file, &["rule"], "a file of rules");
        let Some(rules) = file.get("rule") else { return Vec::new() };
        let rules = self.found.list(rules, "`rule`", BEGIN).unwrap_or_default();
        rules.iter().filter_map(|entry| self.rule(entry)).collect()
    }

    fn rule(&mut self, entry: &Value<'_>) -> Option<Located> {
        let fields = self.found.table(entry, "an entry of `rule`", BEGIN)?;
        self.found.known_keys(fields, &FIELDS, "a rule");
        self.missing_fields(fields, place(entry.span()));
        let name = self.name(fields);
        let priority = fields.get("priority").and_then(|value| self.priority(value));
        let when = fields.get("when").and_then(|value| self.when(value));
        let then = fields.get("then").and_then(|value| self.then(value));
        let stage = fields.get("stage").map(|value| self.string("stage", value));
        let overrides = fields.get("overrides").map(|value| self.names(value));
        let stage = stage.map_or(Some(None), |stage| stage.map(Some))?;
        let overrides = overrides.map_or(Some(Vec::new()), |names| names)?;
        let (overrides, places): (Vec<String>, Vec<TextSpan>) = overrides.into_iter().unzip();
        let rule = Rule { name: name?, priority: priority?, stage, when: when?, then: then?, overrides };
        let at = |field: &str| fields.get(field).map_or(TextSpan::NOWHERE, |value| place(value.span()));
        let places = Places { name: at("name"), when: at("when"), then: at("then"), overrides: places };
        Some(Located { rule, places: Some(places), is_new: true })
    }

    fn missing_fields(&mut self, fields: &DeTable<'_>, rule: TextSpan) {
        let missing = |field: &&&str| fields.get(**field).is_none();
        let missing: Vec<String> = ["name", "priority", "when", "then"]
            .iter()
            .filter(missing)
            .map(|field| format!("`{field}`"))
            .collect();
        if !missing.is_empty() {
            let of = fields.get("name").and_then(|name| name.get_ref().as_str());
            let of = of.map_or("a rule".to_owned(), |name| format!("the rule `{name}`"));
            let message = format!("{of} has no {}", missing.join(" and no "));
            let help = "a rule has `name = \"more\"`, `priority = 10`, `when = \"queue > 10\"` and `then = \"add 1\"`, say";
            self.found.report(Code::MissingEntry, rule, message, help);
        }
    }

    fn name(&mut self, fields: &DeTable<'_>) -> Option<String> {
        let value = fields.get("name")?;
        let name = self.string("name", value)?;
        if name.trim().is_empty() {
            self.found.report(
                Code::BadRule,
                place(value.span()),
                "the name of a rule is empty",
                "write what it does: `name = \"grow\"`",
            );
            return None;
        }
        Some(name)
    }

    fn priority(&mut self, value: &Value<'_>) -> Option<i32> {
        self.found.whole(value, "the priority", i32::MIN..=i32::MAX, "write `priority = 10`, say")
    }

    fn when(&mut self, value: &Value<'_>) -> Option<Condition> {
        let text = self.string("when", value)?;
        let read = condition::read(&text);
        read.map_err(|found| self.inside(place(value.span()), &text, found)).ok()
    }

    fn then(&mut self, value: &Value<'_>) -> Option<Then> {
        let text = self.string("then", value)?;
        let read = then::read(&text);
        read.map_err(|found| self.inside(place(value.span()), &text, vec![found])).ok()
    }

    /// The names in a list, with their places.
    fn names(&mut self, value: &Value<'_>) -> Option<Vec<(String, TextSpan)>> {
        let help = "write `overrides = [\"grow\"]`, say";
        let entries = self.found.list(value, "`overrides`", help)?;
        let names: Vec<Option<String>> =
            entries.iter().map(|entry| self.string("overrides", entry)).collect();
        let places = entries.iter().map(|entry| place(entry.span()));
        names.into_iter().zip(places).map(|(name, at)| Some((name?, at))).collect()
    }

    fn string(&mut self, field: &str, value: &Value<'_>) -> Option<String> {
        self.found.text(value, &format!("`{field}`"), "write it in quotation marks").map(str::to_owned)
    }

    /// Keeps findings whose places are in a string of the text.
    fn inside(&mut self, string: TextSpan, contents: &str, found: Vec<Diagnostic<TextSpan>>) {
        let in_text = |span: TextSpan| inside(self.text, string, contents, span);
        self.found.extend(found.into_iter().map(|finding| finding.at(in_text)));
    }
}

/// Rules as a text that [`read`] reads as the same rules.
pub(super) fn write(rules: &[Rule]) -> String {
    let mut text = String::new();
    for rule in rules {
        let separator = if text.is_empty() { "" } else { "\n" };
        let (name, when, then) =
            (quoted(&rule.name), quoted(&rule.when.to_string()), quoted(&rule.then.to_string()));
        // A String takes everything that is written to it.
        let _ = writeln!(
            text,
            "{separator}[[rule]]\nname = {name}\npriority = {}\nwhen = {when}\nthen = {then}",
            rule.priority
        );
        if let Some(stage) = &rule.stage {
            let _ = writeln!(text, "stage = {}", quoted(stage));
        }
        if !rule.overrides.is_empty() {
            let names: Vec<String> = rule.overrides.iter().map(|name| quoted(name)).collect();
            let _ = writeln!(text, "overrides = [{}]", names.join(", "));
        }
    }
    text
}
