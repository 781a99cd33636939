//! From the file to a description.

use std::ffi::OsStr;
use std::path::Path;

use serde_json::Map;
use skel::diagnostic::TextSpan;
use skel::plan::Description;
use skel::plan::description::{Parsed, missing_mappings, parse_in, parse_toml_in};

use crate::arguments::MapArguments;
use crate::errors::{Exit, Failure, Problem};
use crate::input::foreign::not_description;
use crate::input::read::read;
use crate::source::Source;

/// A description that passed its checks.
pub(super) struct Loaded {
    /// Its text.
    pub(super) source: Source,
    /// What it says.
    pub(super) description: Description,
}

/// Reads and checks a description.
pub(super) fn load(arguments: &MapArguments) -> Result<Loaded, Failure> {
    let source = read(&arguments.path)?;
    let path = Path::new(&arguments.path);
    let (text, folder) = (source.text(), path.parent().unwrap_or(Path::new("")));
    let parsed = match path.extension().and_then(OsStr::to_str) {
        Some("toml") => parse_toml_in(text, folder),
        Some("des") => parse_in(text, folder),
        _ if has_toml_header(text) => parse_toml_in(text, folder),
        _ => parse_in(text, folder),
    };
    let nothing_asked = if arguments.search { None } else { missing_mappings(&parsed) };
    let help =
        |problem: Problem| problem.help("name mappings in the file, or ask for a search with `--search`");
    if let Some(finding) = nothing_asked {
        return Err(failure(source, vec![help(finding.into())]));
    }
    let Parsed { contents: description, diagnostics, .. } = parsed;
    let Some(description) = description else {
        let problems = match not_description(&source) {
            Some(problem) => vec![problem],
            None => diagnostics.into_iter().map(Problem::from).collect(),
        };
        return Err(failure(source, problems));
    };
    match misfit(arguments, &description) {
        Some(problem) => Err(Failure::new(Exit::CommandLine, problem)),
        None => Ok(Loaded { source, description }),
    }
}

/// Whether a line is the header of a table, `[links]` or `[[stage]]`: a `.des` text has none.
fn has_toml_header(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.split('#').next().unwrap_or_default().trim();
        let name = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        let name = name.map(|name| name.trim_start_matches('[').trim_end_matches(']').trim());
        name.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic()))
    })
}

/// The problem of an option that makes no sense for the program, if there is one.
fn misfit(arguments: &MapArguments, description: &Description) -> Option<Problem> {
    let ends = [("--input", arguments.input), ("--output", arguments.output)];
    let (option, _) = ends.into_iter().find(|(_, end)| end.is_some())?;
    let problem = Problem::error(
        "command_line",
        format!("`{option}` is for pipelines: a skeleton has no ends of its own"),
    );
    let help = "leave it out: items come in where the first task runs, and go out where the last does";
    (!description.application().is_pipeline()).then(|| problem.help(help))
}

impl Loaded {
    /// The place of the whole text.
    pub(super) fn whole(&self) -> TextSpan {
        TextSpan { start: 0, end: self.source.text().len() }
    }
}

fn failure(source: Source, problems: Vec<Problem>) -> Failure {
    Failure { exit: Exit::Model, source: Some(Box::new(source)), problems, known: Map::new() }
}
