//! From a description in TOML to what is written in it. All faults are reported together.

use std::collections::BTreeMap;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::rate::Rate;
use skel_core::skeleton::text::{parse, parse_in};
use skel_core::syntax::lex::lex;
use skel_core::time::ServiceTime;
use skel_toml::{DeTable, DeValue, Findings, Value, inside, place};

use super::network::network;
use super::time::{is_distribution, refused, stage_time};
use super::written::{Form, Located, Origin, Written, WrittenMapping};

/// The entries of a description.
const FILE: [&str; 9] =
    ["type", "network", "processor", "links", "stage", "output", "skeleton", "moves", "mapping"];

/// Reads a text.
pub(super) fn read(origin: Origin<'_>) -> (Written, Vec<Diagnostic<TextSpan>>) {
    let mut written = Written::nothing(Form::Toml, origin.text);
    let mut reader = Reader { origin, found: Findings::default() };
    let file = reader.found.file(origin.text);
    // Values beside an error of the syntax are guesses.
    if !reader.found.has_errors() {
        reader.file(&file, &mut written);
    }
    written.is_partial = reader.found.has_errors();
    (written, reader.found.in_order())
}

/// A text that is read, and what is wrong with it so far.
struct Reader<'t> {
    origin: Origin<'t>,
    found: Findings,
}

/// A value of this place.
fn located<T>(value: T, at: &Value<'_>) -> Located<T> {
    let at = place(at.span());
    Located { value, at, key: at }
}

/// How many tables there are. The place is that of the first.
fn count(tables: &[(TextSpan, &DeTable<'_>)]) -> Option<Located<u64>> {
    let at = tables.first()?.0;
    Some(Located { value: tables.len() as u64, at, key: at })
}

impl Reader<'_> {
    fn file(&mut self, file: &DeTable<'_>, written: &mut Written) {
        self.found.known_keys(file, &FILE, "a description");
        written.kind = self.text(file, "type", "the type");
        let name = self.text(file, "network", "the network");
        written.network = name.map(|name| {
            let mut found = Vec::new();
            let network = network(&self.origin, name, &mut found);
            self.found.extend(found);
            network
        });
        let processors = self.tables(file, "processor");
        self.processors(&processors, written);
        self.links(file, written);
        self.stages(file, written);
        self.skeleton(file, written);
        self.moves(file, written);
        let mappings = self.tables(file, "mapping");
        written.mappings = mappings.iter().filter_map(|(at, table)| self.mapping(*at, table)).collect();
    }

    fn tables<'v, 't>(&mut self, file: &'v DeTable<'t>, name: &str) -> Vec<(TextSpan, &'v DeTable<'t>)> {
        file.get(name).map(|value| self.found.tables(value, name)).unwrap_or_default()
    }

    fn text(&mut self, table: &DeTable<'_>, key: &str, what: &str) -> Option<Located<String>> {
        let value = table.get(key)?;
        let text = self.found.text(value, what, "write it in quotation marks")?;
        Some(located(text.to_owned(), value))
    }

    fn number(&mut self, value: &Value<'_>, what: &str) -> Option<Located<Rate>> {
        let number = self.found.number(value, what, "write a number")?;
        Some(located(number, value))
    }

    fn entry(&mut self, table: &DeTable<'_>, key: &str, what: &str) -> Option<Located<Rate>> {
        table.get(key).and_then(|value| self.number(value, what))
    }

    fn processors(&mut self, tables: &[(TextSpan, &DeTable<'_>)], written: &mut Written) {
        written.processors = count(tables);
        for (number, (_, table)) in (1..).zip(tables) {
            self.found.known_keys(table, &["name", "power", "availability"], "a processor");
            let name = self.text(table, "name", &format!("the name of processor {number}"));
            written.names.extend(name.map(|name| (number, name)));
            let power = self.entry(table, "power", &format!("the power of processor {number}"));
            written.powers.extend(power.map(|power| (number, power)));
            let part = self.entry(table, "availability", &format!("the availability of processor {number}"));
            written.availabilities.extend(part.map(|part| (number, part)));
        }
    }

    fn stages(&mut self, file: &DeTable<'_>, written: &mut Written) {
        let tables = self.tables(file, "stage");
        written.stages = count(&tables);
        for (number, (_, table)) in (1..).zip(&tables) {
            self.found.known_keys(table, &["name", "work", "data"], "a stage");
            let name = self.text(table, "name", &format!("the name of stage {number}"));
            written.stage_names.extend(name.map(|name| (number, name.value)));
            let work = table.get("work").and_then(|value| self.work(number, value, written));
            written.works.extend(work.map(|work| (number, work)));
            let data = self.entry(table, "data", &format!("the data of stage {number}"));
            written.sizes.extend(data.map(|data| (number, data)));
        }
        let output = self.entry(file, "output", "the size of the output");
        written.sizes.extend(output.map(|size| (tables.len() as u64 + 1, size)));
    }

    /// The work of a stage: a number, or a distribution as in a `.skel` text. Of a distribution it is the
    /// mean, and the time is kept.
    fn work(&mut self, number: u64, value: &Value<'_>, written: &mut Written) -> Option<Located<Rate>> {
        let DeValue::String(said) = value.get_ref() else {
            return self.number(value, &format!("the work of stage {number}"));
        };
        let at = place(value.span());
        match self.distribution(number, said, at) {
            Ok(time) => {
                let mean = Rate::from(time.mean().clone());
                written.times.insert(number, time);
                Some(located(mean, value))
            }
            Err(wrong) => {
                self.found.extend(wrong);
                None
            }
        }
    }

    fn distribution(
        &self,
        number: u64,
        said: &str,
        at: TextSpan,
    ) -> Result<ServiceTime, Vec<Diagnostic<TextSpan>>> {
        let in_text = |span: TextSpan| inside(self.origin.text, at, said, span);
        let wrong = |found: Vec<Diagnostic<TextSpan>>| -> Vec<Diagnostic<TextSpan>> {
            found.into_iter().map(|finding| finding.at(in_text)).collect()
        };
        let lexed = lex(said);
        if !lexed.diagnostics.is_empty() {
            return Err(wrong(lexed.diagnostics));
        }
        if !is_distribution(&lexed.tokens) {
            let message = format!("`{said}` is not a distribution");
            let help = "write a number, `work = 2`, or a distribution whose mean is the work, `work = \"erlang(4, 2)\"`";
            return Err(vec![Diagnostic::new(Code::Syntax, at, message).help(help)]);
        }
        let end = TextSpan { start: said.len(), end: said.len() };
        stage_time(&lexed.tokens, end, number, &self.origin).map_err(wrong)
    }

    /// The skeleton in a string.
    fn skeleton(&mut self, file: &DeTable<'_>, written: &mut Written) {
        let Some(Located { value, at, .. }) = self.text(file, "skeleton", "the skeleton") else { return };
        let in_text = |span: TextSpan| inside(self.origin.text, at, &value, span);
        let parsed = match self.origin.folder {
            Some(folder) => parse_in(&value, &[], folder),
            None => parse(&value),
        };
        let key = in_text(parsed.place_of_whole());
        self.found.extend(refused(&parsed, Form::Toml).into_iter().map(|finding| finding.at(in_text)));
        self.found.extend(parsed.diagnostics.into_iter().map(|finding| finding.at(in_text)));
        written.skeleton = Some(Located { value: parsed.tree, at, key });
    }

    /// `all`, `within`, and pairs as `1-2`.
    fn links(&mut self, file: &DeTable<'_>, written: &mut Written) {
        for (key, bandwidth) in self.pairs_of(file, "links", &LINK) {
            match key.value.as_str() {
                "all" => written.other_links = Some(bandwidth),
                "within" => written.within = Some(bandwidth),
                _ => self.pair(&LINK, &key, bandwidth, &mut written.links),
            }
        }
    }

    /// `all`, and pairs as `1-2`.
    fn moves(&mut self, file: &DeTable<'_>, written: &mut Written) {
        for (key, size) in self.pairs_of(file, "moves", &MOVE) {
            match key.value.as_str() {
                "all" => written.common_size = Some(Located { key: key.at, ..size }),
                _ => self.pair(&MOVE, &key, size, &mut written.pair_sizes),
            }
        }
    }

    /// The entries of a table whose values are numbers.
    fn pairs_of(
        &mut self,
        file: &DeTable<'_>,
        name: &str,
        of: &PairKind,
    ) -> Vec<(Located<String>, Located<Rate>)> {
        let Some(value) = file.get(name) else { return Vec::new() };
        let table = self.found.table(value, &format!("`{name}`"), of.forms);
        let mut entries = Vec::new();
        for (key, value) in table.into_iter().flatten() {
            let at = place(key.span());
            let key = Located { value: key.get_ref().to_string(), at, key: at };
            if let Some(number) = self.number(value, &format!("the {} `{}`", of.noun, key.value)) {
                entries.push((key, number));
            }
        }
        entries
    }

    fn pair(
        &mut self,
        of: &PairKind,
        key: &Located<String>,
        value: Located<Rate>,
        list: &mut BTreeMap<(u64, u64), Located<Rate>>,
    ) {
        let numbers = key.value.split_once('-').map(|(from, to)| (from.trim().parse(), to.trim().parse()));
        let Some((Ok(from), Ok(to))) = numbers else {
            let message = format!("`{}` is no {}", key.value, of.noun);
            return self.found.report(Code::UnknownEntry, key.at, message, of.forms);
        };
        if let Some(other) = list.insert((from, to), Located { key: key.at, ..value }) {
            self.found.push(twice(of.noun, from, to, [other.key, key.at]));
        }
    }

    fn mapping(&mut self, at: TextSpan, table: &DeTable<'_>) -> Option<WrittenMapping> {
        // The word is `stages` for a pipeline and `tasks` for a skeleton, of which a stage may have several
        // tasks. Both are read.
        const HELP: &str = "write the processor of each stage: `stages = [1, 2]`";
        self.found.known_keys(table, &["input", "stages", "tasks", "output"], "a mapping");
        let input = self.processor(table.get("input"), "the processor of the input");
        let output = self.processor(table.get("output"), "the processor of the output");
        let Some(value) = table.get("stages").or_else(|| table.get("tasks")) else {
            self.found.report(Code::MissingEntry, at, "the mapping has no `stages`", HELP);
            return None;
        };
        let entries = self.found.list(value, "`stages`", HELP)?;
        let before = self.found.count();
        let tasks: Vec<Located<u64>> =
            entries.iter().filter_map(|entry| self.processor(Some(entry), "a processor")).collect();
        let is_whole = self.found.count() == before;
        is_whole.then(|| WrittenMapping { input, at: place(value.span()), tasks, output })
    }

    fn processor(&mut self, value: Option<&Value<'_>>, what: &str) -> Option<Located<u64>> {
        let value = value?;
        let number = self.found.whole(value, what, 0..=u64::MAX, "write its number, from 1")?;
        Some(located(number, value))
    }
}

/// What pairs of numbers stand for: links or moves.
struct PairKind {
    noun: &'static str,
    forms: &'static str,
}

const LINK: PairKind =
    PairKind { noun: "link", forms: "links are `all`, `within`, and pairs of processors as \"1-2\"" };
const MOVE: PairKind = PairKind { noun: "move", forms: "moves are `all`, and pairs of tasks as \"1-2\"" };

/// The finding that one pair is written in two ways. Keys come in the order of their letters, so the places
/// have to be sorted.
fn twice(noun: &str, from: u64, to: u64, mut places: [TextSpan; 2]) -> Diagnostic<TextSpan> {
    places.sort_by_key(|place| place.start);
    let message = format!("the {noun} \"{from}-{to}\" is given twice");
    Diagnostic::new(Code::DuplicateDefinition, places[1], message)
        .related(places[0], "first here")
        .help("keep one of the two")
}
