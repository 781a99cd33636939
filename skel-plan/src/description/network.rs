//! The network that a description names: its file is read, and what is wrong with it is reported at the name,
//! with the place in that file.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_network::file::parse_in;

use super::written::{Located, Origin, WrittenNetwork};

/// The largest file that is read.
const MOST_BYTES: u64 = 64 << 20;

/// The most problems of the file that are reported one by one.
const MOST_REPORTED: usize = 8;

/// Reads the network of a file.
pub(super) fn network(
    origin: &Origin<'_>,
    file: Located<String>,
    found: &mut Vec<Diagnostic<TextSpan>>,
) -> Located<WrittenNetwork> {
    let Located { value: file, at, key } = file;
    let mut report = |code: Code, message: String, help: &str| {
        found.push(Diagnostic::new(code, at, message).help(help));
    };
    let mut network = None;
    match path_of(origin, &file).and_then(|path| Ok((contents(&path)?, path))) {
        Err(why) => report(
            Code::UnreadableFile,
            format!("the network `{file}` cannot be read: {why}"),
            "its place is relative to that of this file",
        ),
        Ok((text, path)) => {
            let parsed = parse_in(&text, path.parent().unwrap_or(Path::new("")));
            for finding in parsed.diagnostics.iter().take(MOST_REPORTED) {
                let (line, column) = place(&text, finding.span.start);
                let message = format!("`{file}`, line {line}, column {column}: {}", finding.message);
                report(finding.code, message, finding.help.as_deref().unwrap_or("correct the network"));
            }
            if let Some(more @ 1..) = parsed.diagnostics.len().checked_sub(MOST_REPORTED) {
                let noun = if more == 1 { "problem" } else { "problems" };
                let help = "`skel network` shows all of them";
                report(Code::UnreadableFile, format!("the network `{file}` has {more} more {noun}"), help);
            }
            network = parsed.contents;
        }
    }
    Located { value: WrittenNetwork { file, network }, at, key }
}

fn path_of(origin: &Origin<'_>, file: &str) -> Result<PathBuf, String> {
    let folder = origin.folder.ok_or("nothing says in which folder it is")?;
    Ok(folder.join(file))
}

fn contents(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    if file.metadata().is_ok_and(|about| !about.is_file()) {
        return Err("it is not a file".into());
    }
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > MOST_BYTES {
        return Err(format!("it is larger than {} MiB", MOST_BYTES >> 20));
    }
    Ok(text)
}

/// The line and the column of a place, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}
