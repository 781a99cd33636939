//! From a path to a text, or why it cannot be read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use skel::diagnostic::{TextSpan, did_you_mean};

use crate::errors::{Exit, Failure, Problem};
use crate::source::Source;

/// The largest file that is read: far more than any model, and it keeps `/dev/zero` from filling the memory.
const MOST_BYTES: usize = 64 << 20;

/// Reads a file, or standard input where the path is `-`.
pub(crate) fn read(path: &Path) -> Result<Source, Failure> {
    let name = if path == Path::new("-") { "<stdin>".into() } else { path.display().to_string() };
    let bytes = read_bytes(path).map_err(|error| unreadable(path, &name, &error))?;
    if bytes.len() > MOST_BYTES {
        let message = format!("`{name}` is larger than {} MiB", MOST_BYTES >> 20);
        return Err(Failure::new(Exit::CommandLine, Problem::error("unreadable_file", message)));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => Err(not_text(name, error.as_bytes(), error.utf8_error().valid_up_to())),
    }
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = MOST_BYTES as u64 + 1;
    if path == Path::new("-") {
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    } else {
        let file = File::open(path)?;
        // One byte more than the file has: what finds its end takes no more memory then.
        let length = file.metadata().map_or(0, |known| known.len()).min(most);
        bytes.reserve_exact(length as usize + 1);
        file.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn unreadable(path: &Path, name: &str, error: &io::Error) -> Failure {
    let message = match error.kind() {
        io::ErrorKind::NotFound => format!("there is no file `{name}`"),
        io::ErrorKind::IsADirectory => format!("`{name}` is a folder, not a file"),
        io::ErrorKind::PermissionDenied => format!("no permission to read `{name}`"),
        _ => format!("cannot read `{name}`: {error}"),
    };
    let mut problem = Problem::error("unreadable_file", message);
    if error.kind() == io::ErrorKind::NotFound {
        problem.help = neighbour(path).map(|near| format!("did you mean `{near}`?"));
    }
    Failure::new(Exit::CommandLine, problem)
}

/// The file in the same folder that was probably meant.
fn neighbour(path: &Path) -> Option<String> {
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent()?;
    let searched = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(searched).ok()?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let with_ending = ["pepa", "skel"].map(|ending| format!("{wanted}.{ending}"));
    let near = match with_ending.iter().find(|name| names.binary_search(name).is_ok()) {
        Some(name) => name,
        None => did_you_mean(wanted, names.iter().map(String::as_str))?,
    };
    Some(folder.join(near).display().to_string())
}

/// A file that is not UTF-8, shown as well as it can be.
fn not_text(name: String, bytes: &[u8], valid_up_to: usize) -> Failure {
    let byte = bytes.get(valid_up_to).copied().unwrap_or_default();
    let source = Source::new(name, String::from_utf8_lossy(bytes).into_owned());
    let end = valid_up_to + char::REPLACEMENT_CHARACTER.len_utf8();
    let mut problem = Problem::error("not_utf8", "the file is not a UTF-8 text")
        .at(TextSpan { start: valid_up_to, end }, format!("the byte 0x{byte:02X}"));
    problem.help = Some("save the file in the encoding UTF-8".into());
    Failure { source: Some(Box::new(source)), ..Failure::new(Exit::Model, problem) }
}
