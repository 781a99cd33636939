//! No two neighbours in a folder of a crate use each other, neither directly nor by way of others.
//!
//! A neighbour is a file, or a folder with everything in it. Where `space/rows.rs` says
//! `use crate::steady::Options`, the folder `space` uses the folder `steady`; where it says
//! `use super::layout`, the file `rows` uses the file `layout`. A name that a folder's `mod.rs` imports
//! counts as a use of the file that defines it. A file and the folder of its own submodules count as one.
//!
//! Comments, literals and modules under `#[cfg(test)]` do not count. A `super` inside of an inline module is
//! read as if the module were not there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Every crate by the folder of its source, with the modules inside of which circles are not reported yet. An
/// empty name stands for the crate's root.
const CRATES: [(&str, &[&str]); 12] = [
    ("skel-core/src", &[]),
    ("skel-macros/src", &[]),
    ("skel-solve/src", &[]),
    ("skel-distribute/src", &[]),
    ("skel-fit/src", &[]),
    ("skel-network/src", &[]),
    ("skel-toml/src", &[]),
    ("skel-plan/src", &[]),
    ("skel-run/src", &[]),
    ("skel-manage/src", &[]),
    ("skel-cli/src", &[]),
    ("src", &[]),
];

/// The names of a path from the root of the crate.
type Names = Vec<String>;

/// The tokens of each file, by the path of its module.
type Files = BTreeMap<Names, Vec<String>>;

/// For each module its children that use one another, and one place where each use stands.
type Uses = BTreeMap<Names, BTreeMap<(String, String), String>>;

#[test]
fn neighbours_do_not_use_each_other() {
    let found: Vec<String> =
        CRATES.iter().flat_map(|(folder, not_yet)| circles_of(folder, not_yet)).collect();
    assert!(found.is_empty(), "{} circles:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_use_in_both_directions_is_a_circle() {
    let files = files(&[
        ("a", "use crate::{b::{self, C as D}, d};"),
        ("b", "use super::c; fn f() -> super::a::T { 1 }"),
        ("c", "#[cfg(test)] mod tests { use crate::b::X; } const S: &str = \"crate::a\";"),
        ("d", "/// [`crate::a`]\nfn g() {}"),
    ]);
    assert_eq!(circles(&uses(&files)), ["a, b: a -> b (in a), b -> a (in b)"]);
}

#[test]
fn names_are_followed_to_the_file_that_defines_them() {
    let files = files(&[
        ("", "mod x; mod z; pub use x::{y::Y, Z};"),
        ("x", "mod p; mod y; pub use self::p::P;"),
        ("x::p", "use crate::Y;"),
        ("x::y", "use super::P;"),
    ]);
    assert_eq!(circles(&uses(&files)), ["x::p, x::y: p -> y (in x::p), y -> p (in x::y)"]);
}

#[test]
fn uses_in_one_direction_are_no_circle() {
    let files = files(&[
        ("a", "use crate::{b::c::D, e};"),
        ("b::c", "use super::f; use super::super::e::G;"),
        ("e", ""),
        ("b::f", ""),
    ]);
    assert!(circles(&uses(&files)).is_empty());
    assert_eq!(uses(&files).len(), 2);
}

fn files(texts: &[(&str, &str)]) -> Files {
    texts.iter().map(|(path, text)| (split(path), words(text))).collect()
}

fn split(path: &str) -> Names {
    path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn circles_of(folder: &str, not_yet: &[&str]) -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Files::new();
    read(&source, &source, &mut files);
    assert!(!files.is_empty(), "{folder} has no source");
    let mut uses = uses(&files);
    uses.retain(|module, _| !not_yet.contains(&module.join("::").as_str()));
    circles(&uses).into_iter().map(|circle| format!("{folder}: {circle}")).collect()
}

/// Reads every file below a folder.
fn read(source: &Path, folder: &Path, files: &mut Files) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(source, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let inside = path.strip_prefix(source).unwrap().with_extension("");
            let names = inside.iter().map(|name| name.to_string_lossy().into_owned());
            let module = names.filter(|name| !["mod", "lib", "main"].contains(&name.as_str())).collect();
            files.insert(module, words(&fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The tokens of a text, without literals and without what is compiled for tests alone; `::` is one token.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    push(text.parse().expect("the source compiles"), &mut words);
    words
}

fn push(stream: TokenStream, words: &mut Vec<String>) {
    let mut tokens = stream.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Literal(_) => {}
            TokenTree::Ident(name) => words.push(name.to_string()),
            TokenTree::Punct(punct) => match (punct.as_char(), words.last_mut()) {
                (':', Some(last)) if last == ":" => "::".clone_into(last),
                (other, _) => words.push(other.to_string()),
            },
            TokenTree::Group(attribute) if attribute.to_string().replace(' ', "") == "[cfg(test)]" => {
                let ends_item = |token: &TokenTree| match token {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    token => token.to_string() == ";",
                };
                tokens.by_ref().find(ends_item);
            }
            TokenTree::Group(group) => {
                words.push("{".to_owned());
                push(group.stream(), words);
                words.push("}".to_owned());
            }
        }
    }
}

/// Who uses whom.
fn uses(files: &Files) -> Uses {
    let imports = files.iter().map(|(module, words)| (module, imports(module, words, files))).collect();
    let mut uses = Uses::new();
    for (module, words) in files {
        let written = paths(words).filter_map(|(_, path, _)| absolute(module, path, files));
        for path in written.map(|path| followed(path, &imports)) {
            let shared = module.iter().zip(&path).take_while(|(own, other)| own == other).count();
            let (Some(user), Some(used)) = (module.get(shared), path.get(shared)) else { continue };
            if files.keys().any(|file| file.starts_with(&path[..=shared])) {
                let neighbours = (user.clone(), used.clone());
                let uses = uses.entry(path[..shared].to_vec()).or_default();
                uses.entry(neighbours).or_insert_with(|| module.join("::"));
            }
        }
    }
    uses
}

/// The names that a file imports, with the paths that they stand for.
fn imports(module: &Names, words: &[String], files: &Files) -> BTreeMap<String, Names> {
    let imported = paths(words).filter(|(is_import, ..)| *is_import);
    imported.filter_map(|(_, path, name)| Some((name, absolute(module, path, files)?))).collect()
}

/// A path to the place where its last name is defined, through the imports of the modules on its way.
fn followed(mut path: Names, imports: &BTreeMap<&Names, BTreeMap<String, Names>>) -> Names {
    let mut length = 0;
    // A name that stands for itself, by way of others, ends the search.
    for _ in 0..64 {
        let Some(name) = path.get(length) else { break };
        let origin = imports.get(&path[..length].to_vec()).and_then(|names| names.get(name));
        match origin {
            Some(origin) if *origin != path[..=length] => {
                path = origin.iter().chain(&path[length + 1..]).cloned().collect();
                length = 0;
            }
            _ => length += 1,
        }
    }
    path
}

/// A path from the crate's root, if it is written as one of the crate's own.
fn absolute(module: &Names, path: Names, files: &Files) -> Option<Names> {
    let mut base = match path.first()?.as_str() {
        "crate" => Names::new(),
        "self" | "super" => module.clone(),
        child => {
            let child: Names = module.iter().cloned().chain([child.to_owned()]).collect();
            return files.contains_key(&child).then(|| module.iter().cloned().chain(path).collect());
        }
    };
    let ups = path.iter().filter(|name| *name == "super").count();
    base.truncate(base.len().saturating_sub(ups));
    base.extend(path.into_iter().filter(|name| !["crate", "self", "super"].contains(&name.as_str())));
    Some(base)
}

/// Every path in a file: whether it is imported, its names, and the name that an import gives it.
fn paths(words: &[String]) -> impl Iterator<Item = (bool, Names, String)> {
    let is = |at: usize, word: &str| words.get(at).is_some_and(|known| known == word);
    let starts = (0..words.len()).filter(move |&at| {
        let is_start =
            ["crate", "self", "super"].iter().any(|word| is(at, word)) || at > 0 && is(at - 1, "use");
        is_start && !(at > 0 && (is(at - 1, "::") || is(at - 1, "$")))
    });
    starts.flat_map(move |at| {
        let mut found = Vec::new();
        tree(words, at, &Names::new(), &mut found);
        let is_import = at > 0 && is(at - 1, "use");
        found.into_iter().map(move |(path, name)| (is_import, path, name))
    })
}

/// Reads a path, or the tree of an import, that starts at a token; the number of the token behind it.
fn tree(words: &[String], mut at: usize, before: &Names, found: &mut Vec<(Names, String)>) -> usize {
    let mut path = before.clone();
    loop {
        match words.get(at).map(String::as_str) {
            Some("{") if at > 0 && words[at - 1] == "::" => {
                at += 1;
                while words.get(at).is_some_and(|word| word != "}") {
                    at = tree(words, at, &path, found).max(at + 1);
                }
                return at + 1;
            }
            Some(name) if name.starts_with(|first: char| first.is_alphabetic() || first == '_') => {
                path.push(name.to_owned());
                at += 1;
            }
            _ => {}
        }
        if words.get(at).is_none_or(|word| word != "::") {
            break;
        }
        at += 1;
        if words.get(at).is_none_or(|word| word == "<" || word == "*") {
            break;
        }
    }
    let alias = (words.get(at).is_some_and(|word| word == "as")).then(|| words[at + 1].clone());
    let last = path.iter().rfind(|name| *name != "self").cloned().unwrap_or_default();
    found.push((path, alias.unwrap_or(last)));
    while words.get(at).is_some_and(|word| !["}", ",", ";"].contains(&word.as_str())) && !before.is_empty() {
        at += 1;
    }
    at
}

/// The circles, each with its uses.
fn circles(uses: &Uses) -> Vec<String> {
    let mut found = Vec::new();
    for (module, uses) in uses {
        let users: BTreeSet<&String> = uses.keys().map(|(user, _)| user).collect();
        let circles: BTreeSet<BTreeSet<&String>> = users.into_iter().map(|user| circle(user, uses)).collect();
        found.extend(circles.iter().filter(|circle| circle.len() > 1).map(|circle| {
            let names: Vec<String> = circle.iter().map(|name| place(module, name)).collect();
            let inside =
                uses.iter().filter(|((user, used), _)| circle.contains(user) && circle.contains(used));
            let uses: Vec<String> =
                inside.map(|((user, used), file)| format!("{user} -> {used} (in {file})")).collect();
            format!("{}: {}", names.join(", "), uses.join(", "))
        }));
    }
    found
}

/// The neighbours that a neighbour uses and that use it.
fn circle<'u>(user: &'u String, uses: &'u BTreeMap<(String, String), String>) -> BTreeSet<&'u String> {
    let used = reached(user, uses).into_iter();
    used.filter(|&other| reached(other, uses).contains(user)).collect()
}

/// Everything that a neighbour uses, directly or by way of others.
fn reached<'u>(user: &'u String, uses: &'u BTreeMap<(String, String), String>) -> BTreeSet<&'u String> {
    let mut reached = BTreeSet::new();
    let mut work = vec![user];
    while let Some(user) = work.pop() {
        let used = uses.keys().filter(|(known, _)| known == user).map(|(_, used)| used);
        work.extend(used.filter(|used| reached.insert(*used)));
    }
    reached
}

fn place(module: &Names, name: &str) -> String {
    module.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("::")
}
