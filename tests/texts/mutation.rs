//! Files that people wrote, changed in a few tokens: what is nearly right comes further into a reader than
//! noise does.

use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;

/// One change of a list of tokens.
#[derive(Clone, Debug)]
enum Change {
    Delete(Index),
    Repeat(Index),
    Swap(Index, Index),
    /// A piece of the dictionary before a token, or in place of it.
    Insert(Index, Index),
    Replace(Index, Index),
    Truncate(Index),
}

/// Files of some folders with an extension, each with a few changes. The dictionary is a fuzzer's: a string
/// in a line.
pub(crate) fn mutated(
    folders: &[&str],
    extension: &str,
    dictionary: &'static str,
) -> impl Strategy<Value = String> {
    let texts: Vec<String> = folders.iter().flat_map(|folder| texts_in(folder, extension)).collect();
    let pieces: Vec<String> = dictionary.lines().map(piece).collect();
    (prop::sample::select(texts), prop::collection::vec(change(), 0..6)).prop_map(move |(text, changes)| {
        let mut tokens = tokens(&text);
        changes.iter().for_each(|change| change.apply(&mut tokens, &pieces));
        tokens.concat()
    })
}

fn texts_in(folder: &str, extension: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|of| of == extension)).collect();
    assert!(!files.is_empty(), "{}", folder.display());
    files.sort();
    // Some files are no UTF-8 on purpose.
    files.iter().map(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()).collect()
}

/// The string of a line: in quotes, with `\"`, `\\` and bytes as `\xC3`.
fn piece(line: &str) -> String {
    let quoted = line.strip_prefix('"').and_then(|line| line.strip_suffix('"'));
    let mut rest = quoted.unwrap_or_else(|| panic!("{line} is not in quotes"));
    let mut bytes = Vec::new();
    while let Some((before, escape)) = rest.split_once('\\') {
        let (byte, length) = match escape.strip_prefix('x') {
            Some(digits) => (u8::from_str_radix(&digits[..2], 16).unwrap(), 3),
            None => (escape.as_bytes()[0], 1),
        };
        bytes.extend(before.bytes().chain([byte]));
        rest = &escape[length..];
    }
    bytes.extend(rest.bytes());
    String::from_utf8(bytes).unwrap()
}

/// Words and numbers, runs of blanks, and whatever else character by character.
fn tokens(text: &str) -> Vec<String> {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' || c == '.' => Some('w'),
        _ if c.is_whitespace() => Some(' '),
        _ => None,
    };
    let mut tokens: Vec<String> = Vec::new();
    let mut last = None;
    for c in text.chars() {
        match tokens.last_mut() {
            Some(token) if last.is_some() && kind(c) == last => token.push(c),
            _ => tokens.push(c.into()),
        }
        last = kind(c);
    }
    tokens
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    let pair = move || (index(), index());
    prop_oneof![
        4 => index().prop_map(Change::Delete),
        2 => index().prop_map(Change::Repeat),
        4 => pair().prop_map(|(one, other)| Change::Swap(one, other)),
        4 => pair().prop_map(|(at, piece)| Change::Insert(at, piece)),
        4 => pair().prop_map(|(at, piece)| Change::Replace(at, piece)),
        1 => index().prop_map(Change::Truncate),
    ]
}

impl Change {
    fn apply(&self, tokens: &mut Vec<String>, pieces: &[String]) {
        if tokens.is_empty() {
            return;
        }
        let count = tokens.len();
        match self {
            Change::Delete(at) => {
                tokens.remove(at.index(count));
            }
            Change::Repeat(at) => tokens.insert(at.index(count), at.get(tokens).clone()),
            Change::Swap(one, other) => tokens.swap(one.index(count), other.index(count)),
            Change::Insert(at, piece) => tokens.insert(at.index(count), piece.get(pieces).clone()),
            Change::Replace(at, piece) => tokens[at.index(count)].clone_from(piece.get(pieces)),
            Change::Truncate(at) => tokens.truncate(at.index(count)),
        }
    }
}
