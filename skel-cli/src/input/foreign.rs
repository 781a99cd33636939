//! Files of another kind than the subcommand reads: said in one message, in place of what a parser makes of
//! them.

use std::path::Path;

use skel::diagnostic::TextSpan;

use crate::errors::Problem;
use crate::source::Source;

/// A kind of text, as its beginning shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Html,
    Prism,
    Rust,
    Skeleton,
    /// A skeleton as a macro call.
    SkeletonMacro,
    Toml,
    Pepa,
}

/// What is wrong with the choice of a file that was read as a PEPA model, if its text is of another kind.
pub(crate) fn not_pepa(source: &Source) -> Option<Problem> {
    let (kind, place) = kind_of(source.text())?;
    let file = source.name();
    let (what, help) = match kind {
        Kind::Skeleton | Kind::SkeletonMacro => (
            "a skeleton, not a PEPA model",
            format!("ask `skel skeleton {file} --solve --communication 1.0`, or have its model by `--pepa`"),
        ),
        Kind::Toml => {
            ("a description of machines in TOML, not a PEPA model", format!("ask `skel map {file}`"))
        }
        Kind::Pepa => return None,
        other => common(other)?,
    };
    Some(problem(what, help, place))
}

/// The same for a file that was read as a skeleton.
pub(crate) fn not_skeleton(source: &Source) -> Option<Problem> {
    let (kind, place) = kind_of(source.text())?;
    let file = source.name();
    let (what, help) = match kind {
        Kind::Skeleton => return None,
        Kind::SkeletonMacro => (
            "a skeleton as Rust writes it",
            "leave out the `!`: a `.skel` text has `pipe(...);`, `farm(...);` or `deal(...);`".into(),
        ),
        Kind::Toml => ("a description of machines in TOML, not a skeleton", format!("ask `skel map {file}`")),
        Kind::Pepa => ("a PEPA model, not a skeleton", format!("ask `skel solve {file}`")),
        other => common(other)?,
    };
    Some(problem(what, help, place))
}

/// The same for a file that was read as a description of machines, a `.des` text.
pub(crate) fn not_description(source: &Source) -> Option<Problem> {
    let (kind, place) = kind_of(source.text())?;
    let file = source.name();
    let (what, help) = match kind {
        Kind::Toml => return None,
        Kind::Skeleton | Kind::SkeletonMacro => (
            "a skeleton alone, not a description of a program and its machines",
            format!(
                "ask `skel skeleton {file}`, or put the skeleton into a description: `skeleton = {{ ... }}`"
            ),
        ),
        // The entries of a description are definitions, too, but without activities.
        Kind::Pepa if !source.text().contains(").") => return None,
        Kind::Pepa => ("a PEPA model, not a description of machines", format!("ask `skel solve {file}`")),
        other => common(other)?,
    };
    Some(problem(what, help, place))
}

/// Whether a file is a skeleton, for a subcommand that reads models as well: by the ending of its name, else
/// by its first words.
pub(crate) fn is_skeleton(source: &Source) -> bool {
    let ending = Path::new(source.name()).extension().and_then(|ending| ending.to_str());
    match ending {
        Some("skel") => true,
        Some("pepa") => false,
        _ => matches!(kind_of(source.text()), Some((Kind::Skeleton | Kind::SkeletonMacro, _))),
    }
}

fn common(kind: Kind) -> Option<(&'static str, String)> {
    Some(match kind {
        Kind::Html => ("a page in HTML", "save the model itself, and not the page that shows it".into()),
        Kind::Prism => (
            "a PRISM model",
            "rewrite it in PEPA: a module is a component, a command `[a] ... -> rate : ...` an activity `(a, rate)`; \
             PRISM itself reads PEPA models"
                .into(),
        ),
        Kind::Rust => (
            "a Rust program",
            "run it by `cargo run`, or put what stands inside `pepa! { model NAME { ... } }` into a file".into(),
        ),
        _ => return None,
    })
}

fn problem(what: &str, help: String, place: TextSpan) -> Problem {
    Problem::error("other_format", format!("this is {what}")).at(place, "").help(help)
}

/// The kind of a text by its first words, and where they are; none where they may be anything.
fn kind_of(text: &str) -> Option<(Kind, TextSpan)> {
    let start = start_of(text);
    let rest = &text[start..];
    let word_end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (word, after) = (&rest[..word_end], rest[word_end..].trim_start());
    let here = TextSpan { start, end: start + word_end.max(1).min(rest.len()) };
    let beginning = rest.get(..rest.len().min(20)).unwrap_or_default().to_ascii_lowercase();
    let is_skeleton_word = STAGES.contains(&word);
    let kind = match word {
        _ if ["<!doctype", "<html", "<?xml"].iter().any(|tag| beginning.starts_with(tag)) => Kind::Html,
        "ctmc" | "dtmc" | "mdp" | "pta" | "stochastic" | "probabilistic" | "nondeterministic"
            if text.contains("endmodule") =>
        {
            Kind::Prism
        }
        "module" | "const" | "global" if text.contains("endmodule") => Kind::Prism,
        "use" | "fn" | "pub" | "mod" | "pepa" if rest.contains('{') && !after.starts_with('=') => Kind::Rust,
        _ if is_skeleton_word && after.starts_with("!(") => Kind::SkeletonMacro,
        _ if begins_skeleton(rest) => Kind::Skeleton,
        _ if is_toml_header(rest) => Kind::Toml,
        _ if !word.is_empty() && after.starts_with('=') => kind_behind_numbers(rest)?,
        _ => return None,
    };
    Some((kind, here))
}

/// The words that stages begin with.
const STAGES: [&str; 4] = ["pipe", "farm", "deal", "task"];

/// Whether a text begins with a statement of a skeleton.
fn begins_skeleton(text: &str) -> bool {
    let is_call =
        |word: &&str| text.strip_prefix(*word).is_some_and(|after| after.trim_start().starts_with('('));
    STAGES.iter().chain(&["communication", "buffers"]).any(is_call) || text.starts_with("one_port;")
}

/// The kind of a text that begins with definitions: skeletons and models may both begin with names of
/// numbers.
fn kind_behind_numbers(text: &str) -> Option<Kind> {
    let is_number = |statement: &&str| statement.contains('=') && !statement.contains('(');
    let first = text.split(';').find(|statement| !is_number(statement))?.trim_start();
    match begins_skeleton(first) {
        true => Some(Kind::Skeleton),
        false => (!first.is_empty()).then_some(Kind::Pepa),
    }
}

/// Whether the first line is the header of a table.
fn is_toml_header(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default().trim();
    line.starts_with('[') && line.ends_with(']') && !line.contains(',')
}

/// Where the first word is: behind blanks, a byte order mark and comments.
fn start_of(text: &str) -> usize {
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = rest.trim_start();
        let comment = if let Some(block) = rest.strip_prefix("/*") {
            block.find("*/").map(|end| &block[end + 2..])
        } else if ["//", "%", "#"].iter().any(|mark| rest.starts_with(mark)) {
            rest.find('\n').map(|end| &rest[end..])
        } else {
            None
        };
        match comment {
            Some(behind) => rest = behind,
            None => return text.len() - rest.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_words_tell_the_kind() {
        for (text, kind) in [
            ("<!DOCTYPE html>\n<html>", Some(Kind::Html)),
            ("// a queue\nctmc\nmodule q endmodule", Some(Kind::Prism)),
            ("const int n = 3;\nmodule q endmodule", Some(Kind::Prism)),
            ("// stages\n/* and */ pipe(task(1), task(2));", Some(Kind::Skeleton)),
            ("communication(1.0); task(2);", Some(Kind::Skeleton)),
            ("pipe!(task(1), task(2))", Some(Kind::SkeletonMacro)),
            ("use skel::prelude::*;\nfn main() { }", Some(Kind::Rust)),
            ("pepa! { model A { P } }", Some(Kind::Rust)),
            ("[[stage]]\nwork = 1", Some(Kind::Toml)),
            ("% old\nr = 1; P = (a, r).P; P", Some(Kind::Pepa)),
            ("task = 1; P", Some(Kind::Pepa)),
            ("n = 3; mu = 2.5; pipe(task(mu), farm(n, 1));", Some(Kind::Skeleton)),
            ("n = 3;", None),
            ("", None),
            ("#", None),
            ("P || Q", None),
            ("é", None),
        ] {
            assert_eq!(kind_of(text).map(|(kind, _)| kind), kind, "{text}");
        }
    }
}
