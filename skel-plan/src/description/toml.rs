//! From a description in TOML to what is written in it. The places are those that the TOML reader gives. It stops at the first error
//! of the syntax, and at the first unknown entry.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::rate::Rate;
use skel_core::skeleton::text::{parse, parse_in};
use skel_core::syntax::lex::lex;
use toml::Spanned;

use super::network::network;
use super::time::{is_distribution, refused, stage_time};
use super::written::{Form, Located, Origin, Written, WrittenMapping};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "type")]
    kind: Option<Spanned<String>>,
    network: Option<Spanned<String>>,
    #[serde(default)]
    processor: Vec<Spanned<ProcessorEntry>>,
    #[serde(default)]
    links: BTreeMap<Spanned<String>, Spanned<Number>>,
    #[serde(default)]
    stage: Vec<Spanned<StageEntry>>,
    output: Option<Spanned<Number>>,
    skeleton: Option<Spanned<String>>,
    #[serde(default)]
    moves: BTreeMap<Spanned<String>, Spanned<Number>>,
    #[serde(default)]
    mapping: Vec<Spanned<MappingEntry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProcessorEntry {
    name: Option<Spanned<String>>,
    power: Option<Spanned<Number>>,
    availability: Option<Spanned<Number>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StageEntry {
    name: Option<String>,
    work: Option<Spanned<WorkEntry>>,
    data: Option<Spanned<Number>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MappingEntry {
    input: Option<Spanned<u64>>,
    /// The word is `stages` for a pipeline and `tasks` for a skeleton, of which a stage may have several tasks. Both are read.
    #[serde(alias = "tasks")]
    stages: Spanned<Vec<Spanned<u64>>>,
    output: Option<Spanned<u64>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged, expecting = "expected a number")]
enum Number {
    Whole(i64),
    Float(f64),
}

/// A number, or a distribution as in a `.skel` text.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number, or a distribution in quotation marks")]
enum WorkEntry {
    Number(Number),
    Distribution(String),
}

/// Reads a text.
pub(super) fn read(origin: Origin<'_>) -> (Written, Vec<Diagnostic<TextSpan>>) {
    let text = origin.text;
    let mut written = Written::nothing(Form::Toml, text);
    let file: File = match toml::from_str(text) {
        Ok(file) => file,
        Err(error) => {
            written.is_partial = true;
            let at = error.span().map_or(written.end, place);
            let code =
                if error.message().contains("unknown field") { Code::UnknownEntry } else { Code::Syntax };
            return (written, vec![Diagnostic::new(code, at, error.message())]);
        }
    };
    let mut found = Vec::new();
    written.kind = file.kind.map(located);
    written.network = file.network.map(|name| network(&origin, located(name), &mut found));
    processors(file.processor, &mut written);
    links(file.links, &mut written, &mut found);
    stages(&origin, file.stage, file.output, &mut written, &mut found);
    if let Some(located) = file.skeleton {
        skeleton(&origin, located, &mut written, &mut found);
    }
    moves(file.moves, &mut written, &mut found);
    written.is_partial = !found.is_empty();
    written.mappings = file.mapping.into_iter().map(|entry| mapping(entry.into_inner())).collect();
    (written, found)
}

fn place(range: Range<usize>) -> TextSpan {
    TextSpan { start: range.start, end: range.end }
}

fn located<T>(spanned: Spanned<T>) -> Located<T> {
    let at = place(spanned.span());
    Located { value: spanned.into_inner(), at, key: at }
}

fn value(spanned: Spanned<Number>) -> Located<Rate> {
    let Located { value, at, key } = located(spanned);
    Located { value: rate(value), at, key }
}

fn rate(number: Number) -> Rate {
    match number {
        Number::Whole(whole) => Rate::from(whole),
        Number::Float(float) => Rate::from(float),
    }
}

/// How many entries there are. The place is that of the first.
fn count<T>(entries: &[Spanned<T>]) -> Option<Located<u64>> {
    let at = place(entries.first()?.span());
    Some(Located { value: entries.len() as u64, at, key: at })
}

fn processors(entries: Vec<Spanned<ProcessorEntry>>, written: &mut Written) {
    written.processors = count(&entries);
    for (number, entry) in (1..).zip(entries) {
        let ProcessorEntry { name, power, availability } = entry.into_inner();
        written.names.extend(name.map(|name| (number, located(name))));
        written.powers.extend(power.map(|power| (number, value(power))));
        written.availabilities.extend(availability.map(|part| (number, value(part))));
    }
}

fn stages(
    origin: &Origin<'_>,
    entries: Vec<Spanned<StageEntry>>,
    output: Option<Spanned<Number>>,
    written: &mut Written,
    found: &mut Vec<Diagnostic<TextSpan>>,
) {
    written.stages = count(&entries);
    let behind = entries.len() as u64 + 1;
    for (number, entry) in (1..).zip(entries) {
        let StageEntry { name, work, data } = entry.into_inner();
        written.stage_names.extend(name.map(|name| (number, name)));
        if let Some(work) = work {
            match self::work(origin, number, located(work), written) {
                Ok(work) => drop(written.works.insert(number, work)),
                Err(wrong) => found.extend(wrong),
            }
        }
        written.sizes.extend(data.map(|data| (number, value(data))));
    }
    written.sizes.extend(output.map(|size| (behind, value(size))));
}

/// The work of a stage. Of a distribution it is the mean, and the time is kept.
fn work(
    origin: &Origin<'_>,
    number: u64,
    entry: Located<WorkEntry>,
    written: &mut Written,
) -> Result<Located<Rate>, Vec<Diagnostic<TextSpan>>> {
    let Located { value, at, key } = entry;
    let value = match value {
        WorkEntry::Number(number) => rate(number),
        WorkEntry::Distribution(said) => {
            let lexed = lex(&said);
            let in_text = |span: TextSpan| place_in_string(origin.text, at, &said, span);
            let wrong = |found: Vec<Diagnostic<TextSpan>>| -> Vec<Diagnostic<TextSpan>> {
                found.into_iter().map(|finding| finding.at(in_text)).collect()
            };
            if !lexed.diagnostics.is_empty() {
                return Err(wrong(lexed.diagnostics));
            }
            if !is_distribution(&lexed.tokens) {
                let message = format!("`{said}` is not a distribution");
                let help = "write a number, `work = 2`, or a distribution whose mean is the work, `work = \"erlang(4, 2)\"`";
                return Err(vec![Diagnostic::new(Code::Syntax, at, message).help(help)]);
            }
            let end = TextSpan { start: said.len(), end: said.len() };
            let time = stage_time(&lexed.tokens, end, number, origin).map_err(wrong)?;
            let mean = Rate::from(time.mean().clone());
            written.times.insert(number, time);
            mean
        }
    };
    Ok(Located { value, at, key })
}

/// A place in a string as one in the whole text or, if the string has escapes, that of the string.
fn place_in_string(text: &str, at: TextSpan, string: &str, span: TextSpan) -> TextSpan {
    match text[at.start..at.end].find(string) {
        Some(offset) => {
            let begin = at.start + offset;
            TextSpan { start: begin + span.start, end: begin + span.end }
        }
        None => at,
    }
}

/// The skeleton in a string.
fn skeleton(
    origin: &Origin<'_>,
    spanned: Spanned<String>,
    written: &mut Written,
    found: &mut Vec<Diagnostic<TextSpan>>,
) {
    let Located { value, at, .. } = located(spanned);
    let in_text = |span: TextSpan| place_in_string(origin.text, at, &value, span);
    let parsed = match origin.folder {
        Some(folder) => parse_in(&value, &[], folder),
        None => parse(&value),
    };
    let key = in_text(parsed.place_of_whole());
    found.extend(refused(&parsed, Form::Toml).into_iter().map(|finding| finding.at(in_text)));
    found.extend(parsed.diagnostics.into_iter().map(|finding| finding.at(in_text)));
    written.skeleton = Some(Located { value: parsed.tree, at, key });
}

/// `all`, `within`, and pairs as `1-2`.
fn links(
    entries: BTreeMap<Spanned<String>, Spanned<Number>>,
    written: &mut Written,
    found: &mut Vec<Diagnostic<TextSpan>>,
) {
    for (key, bandwidth) in entries {
        let (key, bandwidth) = (located(key), value(bandwidth));
        match key.value.as_str() {
            "all" => written.other_links = Some(bandwidth),
            "within" => written.within = Some(bandwidth),
            _ => pair(&LINK, &key, bandwidth, &mut written.links, found),
        }
    }
}

/// `all`, and pairs as `1-2`.
fn moves(
    entries: BTreeMap<Spanned<String>, Spanned<Number>>,
    written: &mut Written,
    found: &mut Vec<Diagnostic<TextSpan>>,
) {
    for (key, size) in entries {
        let (key, size) = (located(key), value(size));
        match key.value.as_str() {
            "all" => written.common_size = Some(Located { key: key.at, ..size }),
            _ => pair(&MOVE, &key, size, &mut written.pair_sizes, found),
        }
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

fn pair(
    of: &PairKind,
    key: &Located<String>,
    value: Located<Rate>,
    list: &mut BTreeMap<(u64, u64), Located<Rate>>,
    found: &mut Vec<Diagnostic<TextSpan>>,
) {
    let numbers = key.value.split_once('-').map(|(from, to)| (from.trim().parse(), to.trim().parse()));
    let Some((Ok(from), Ok(to))) = numbers else {
        let message = format!("`{}` is no {}", key.value, of.noun);
        found.push(Diagnostic::new(Code::UnknownEntry, key.at, message).help(of.forms));
        return;
    };
    let other = list.insert((from, to), Located { key: key.at, ..value });
    found.extend(other.map(|other| twice(of.noun, from, to, [other.key, key.at])));
}

/// The finding that one pair is written in two ways. Keys come in the order of their letters, so the places have to be sorted.
fn twice(noun: &str, from: u64, to: u64, mut places: [TextSpan; 2]) -> Diagnostic<TextSpan> {
    places.sort_by_key(|place| place.start);
    let message = format!("the {noun} \"{from}-{to}\" is given twice");
    Diagnostic::new(Code::DuplicateDefinition, places[1], message)
        .related(places[0], "first here")
        .help("keep one of the two")
}

fn mapping(entry: MappingEntry) -> WrittenMapping {
    let tasks = located(entry.stages);
    WrittenMapping {
        input: entry.input.map(located),
        at: tasks.at,
        tasks: tasks.value.into_iter().map(located).collect(),
        output: entry.output.map(located),
    }
}
