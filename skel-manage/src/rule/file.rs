//! Rules in TOML: from a text to rules with the places of their fields, and back.
//!
//! The syntax of TOML is read with recovery, and the fields are looked at one by one, so that all faults are reported together.

use std::fmt::Write;
use std::ops::Range;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

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

/// The fields of a rule.
const FIELDS: [&str; 6] = ["name", "priority", "when", "then", "stage", "overrides"];

/// Reads a text.
pub(super) fn read(text: &str) -> (Vec<Located>, Vec<Diagnostic<TextSpan>>) {
    let (file, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return (Vec::new(), errors.iter().map(|error| syntax(error, text)).collect());
    }
    let mut reader = Reader { text, found: Vec::new() };
    let rules = reader.file(file.get_ref());
    (rules, reader.found)
}

fn syntax(error: &toml::de::Error, text: &str) -> Diagnostic<TextSpan> {
    let end = TextSpan { start: text.len(), end: text.len() };
    Diagnostic::new(Code::Syntax, error.span().map_or(end, place), error.message())
}

fn place(range: Range<usize>) -> TextSpan {
    TextSpan { start: range.start, end: range.end }
}

struct Reader<'t> {
    text: &'t str,
    found: Vec<Diagnostic<TextSpan>>,
}

impl Reader<'_> {
    fn file(&mut self, file: &DeTable<'_>) -> Vec<Located> {
        let mut rules = Vec::new();
        for (key, value) in file {
            if key.get_ref() != "rule" {
                let message = format!("`{}` is nothing that a file of rules has", key.get_ref());
                self.report(Code::UnknownEntry, key.span(), message, "a rule begins with `[[rule]]`");
                continue;
            }
            match value.get_ref() {
                DeValue::Array(entries) => rules.extend(entries.iter().filter_map(|entry| self.rule(entry))),
                DeValue::Table(_) => {
                    let message = "this is one table, where a list of rules is expected";
                    self.report(
                        Code::BadRule,
                        value.span(),
                        message,
                        "write `[[rule]]`, with two brackets on each side",
                    );
                }
                other => {
                    let message = format!("`rule` is {}, where a list of rules is expected", type_of(other));
                    self.report(
                        Code::BadRule,
                        value.span(),
                        message,
                        "begin each rule with a line `[[rule]]`",
                    );
                }
            }
        }
        rules
    }

    fn rule(&mut self, entry: &Spanned<DeValue<'_>>) -> Option<Located> {
        let DeValue::Table(fields) = entry.get_ref() else {
            let message = format!("this is {}, where a rule is expected", type_of(entry.get_ref()));
            self.report(Code::BadRule, entry.span(), message, "begin each rule with a line `[[rule]]`");
            return None;
        };
        self.unknown_fields(fields);
        self.missing_fields(fields, entry.span());
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

    fn unknown_fields(&mut self, fields: &DeTable<'_>) {
        for (key, _) in fields.iter().filter(|(key, _)| !FIELDS.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref();
            let help = match did_you_mean(name, FIELDS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the fields are {}", FIELDS.join(", ")),
            };
            self.report(Code::UnknownEntry, key.span(), format!("`{name}` is no field of a rule"), &help);
        }
    }

    fn missing_fields(&mut self, fields: &DeTable<'_>, rule: Range<usize>) {
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
            self.report(Code::MissingEntry, rule, message, help);
        }
    }

    fn name(&mut self, fields: &DeTable<'_>) -> Option<String> {
        let value = fields.get("name")?;
        let name = self.string("name", value)?;
        if name.trim().is_empty() {
            self.report(
                Code::BadRule,
                value.span(),
                "the name of a rule is empty",
                "write what it does: `name = \"grow\"`",
            );
            return None;
        }
        Some(name)
    }

    fn priority(&mut self, value: &Spanned<DeValue<'_>>) -> Option<i32> {
        let DeValue::Integer(whole) = value.get_ref() else {
            let message =
                format!("`priority` is {}, where a whole number is expected", type_of(value.get_ref()));
            self.report(Code::BadRule, value.span(), message, "write `priority = 10`, say");
            return None;
        };
        let priority = i32::from_str_radix(whole.as_str(), whole.radix()).ok();
        if priority.is_none() {
            let message = format!("a priority of {whole} is out of range");
            let help = format!("it is a whole number from {} to {}", i32::MIN, i32::MAX);
            self.report(Code::OutOfRange, value.span(), message, &help);
        }
        priority
    }

    fn when(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Condition> {
        let text = self.string("when", value)?;
        let read = condition::read(&text);
        read.map_err(|found| self.inside(value.span(), &text, found)).ok()
    }

    fn then(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Then> {
        let text = self.string("then", value)?;
        let read = then::read(&text);
        read.map_err(|found| self.inside(value.span(), &text, vec![found])).ok()
    }

    /// The names in a list, with their places.
    fn names(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Vec<(String, TextSpan)>> {
        let DeValue::Array(entries) = value.get_ref() else {
            let message =
                format!("`overrides` is {}, where a list of names is expected", type_of(value.get_ref()));
            self.report(Code::BadRule, value.span(), message, "write `overrides = [\"grow\"]`, say");
            return None;
        };
        let names: Vec<Option<String>> =
            entries.iter().map(|entry| self.string("overrides", entry)).collect();
        let places = entries.iter().map(|entry| place(entry.span()));
        names.into_iter().zip(places).map(|(name, at)| Some((name?, at))).collect()
    }

    fn string(&mut self, field: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        if let DeValue::String(text) = value.get_ref() {
            return Some(text.to_string());
        }
        let message = format!("`{field}` has {}, where a text is expected", type_of(value.get_ref()));
        self.report(Code::BadRule, value.span(), message, "write it in quotation marks");
        None
    }

    /// Keeps findings whose places are in a string of the text. If the string has escapes, they are at the whole of it.
    fn inside(&mut self, string: Range<usize>, contents: &str, found: Vec<Diagnostic<TextSpan>>) {
        let offset = self.text.get(string.clone()).and_then(|raw| raw.find(contents));
        let in_text = |span: TextSpan| match offset {
            Some(offset) => {
                let begin = string.start + offset;
                TextSpan { start: begin + span.start, end: begin + span.end }
            }
            None => place(string.clone()),
        };
        self.found.extend(found.into_iter().map(|finding| finding.at(in_text)));
    }

    fn report(&mut self, code: Code, at: Range<usize>, message: impl Into<String>, help: &str) {
        self.found.push(Diagnostic::new(code, place(at), message).help(help));
    }
}

/// The type of a value, in words.
fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number with a point",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
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

/// A string of TOML: in single quotation marks, where nothing is escaped, if it has double ones and can be.
fn quoted(text: &str) -> String {
    if text.contains('"') && !text.contains(|c: char| c == '\'' || c.is_control()) {
        return format!("'{text}'");
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
